// Animation: pieces move from their old place to the new one, for visitors who accept motion.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { click, easy, openMatch, giveSeat, randomNumbers, make, me, nextMove } from './play.js';
import { api, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

for (const { slug, title } of games.filter((game) => game.max_seats > 1)) {
  test(`${title}: moves are animated, and all animations end`, { timeout: 300_000 }, async (t) => {
    const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '21' });
    const who = await visitor(browser, { reducedMotion: 'no-preference' });
    t.after(() => who.context.close());
    await giveSeat(who, id, token);
    await openMatch(who, id);
    const { page } = who;
    // Counts every animation, even a very short one.
    await page.evaluate(() => {
      window.animations = 0;
      const animate = Element.prototype.animate;
      Element.prototype.animate = function counted(frames, options) {
        if (options?.id === 'move-piece') window.animations += 1;
        return animate.call(this, frames, options);
      };
    });
    const dice = randomNumbers(3);
    for (let moves = 0; moves < 4; moves += 1) {
      let next = null;
      for (let tries = 0; next === null && tries < 200; tries += 1) {
        next = await nextMove(page, id, dice());
        if (next === null) await page.waitForTimeout(50);
      }
      if (next === null) break;
      await click(page, next);
    }
    assert.ok(await page.evaluate(() => window.animations) > 0, 'a piece was animated');
    // Every animation ends with its piece in place.
    await page.waitForFunction(() => document.querySelectorAll('.place .animated').length === 0
      && document.querySelector('.place').getAnimations({ subtree: true }).length === 0, null, { timeout: 60_000 });
    flawless(who);
  });
}

for (const [width, height] of [[390, 844], [360, 640], [844, 390], [1280, 860]]) {
  test(`Azul: the end of a match moves no board, ${width}x${height}`, { timeout: 300_000 }, async (t) => {
    // The same deal twice: the second time all but the last move is made before the page looks.
    const seats = [me('Ana'), me('Bo')];
    const twin = await make('azul', seats, { seed: '3' });
    const notations = [];
    for (let now = await api(`/v1/matches/${twin.id}`); now.stage === 'running'; now = await api(`/v1/matches/${twin.id}`)) {
      const { token } = twin.seats[now.turn];
      const { legal_moves: moves } = await api(`/v1/matches/${twin.id}`, { token });
      // The most tiles for a line end the match soon.
      const { notation } = moves.filter(({ move }) => move.line !== null).at(0) ?? moves[0];
      await api(`/v1/matches/${twin.id}/moves`, { token, body: { ply: now.ply, notation } });
      notations.push([now.turn, notation]);
    }
    const { id, seats: [{ token }, { token: other }] } = await make('azul', seats, { seed: '3' });
    const move = (ply) => api(`/v1/matches/${id}/moves`, { token: [token, other][notations[ply][0]], body: { ply, notation: notations[ply][1] } });
    for (let ply = 0; ply < notations.length - 1; ply += 1) await move(ply);
    const who = await visitor(browser, { width, height, reducedMotion: 'no-preference' });
    t.after(() => who.context.close());
    await giveSeat(who, id, token);
    await openMatch(who, id);
    const { page } = who;
    await page.locator('#match[data-connection=open]').waitFor();
    await page.evaluate(() => {
      window.seen = new Set();
      const look = () => {
        const boxes = [...document.querySelectorAll('.place :is(.mat, .mat .slot, .displays, .centre)')].map((one) => {
          const { x, y, width: wide, height: high } = one.getBoundingClientRect();
          return [x, y, wide, high].map((n) => Math.round(n)).join();
        });
        // The bar gives way to the replay when the last tile is in its place.
        if (document.querySelector('.bar').checkVisibility()) window.seen.add(boxes.join(' '));
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await move(notations.length - 1);
    await page.locator('.end').waitFor();
    if (process.env.KIBITZ_PICTURES) await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/azul-ending-${width}x${height}.png` });
    const sets = (await page.evaluate(() => [...window.seen])).map((one) => one.split(' '));
    assert.deepEqual(sets.slice(1).flatMap((one) => one.filter((box, at) => box !== sets[0][at])), [], `the boards stay where they are: ${sets[0].slice(0, 3)}`);
    await page.getByRole('button', { name: 'Close' }).click();
    const bonuses = page.locator('.place .bonuses');
    assert.equal(await bonuses.count(), 2);
    const cut = await bonuses.evaluateAll((all) => all.map((one) => {
      const [own, mat] = [one, one.closest('.mat')].map((element) => element.getBoundingClientRect());
      return one.scrollWidth - one.clientWidth <= 1 && own.left >= mat.left && own.right <= mat.right && own.bottom <= mat.bottom + 1;
    }));
    assert.deepEqual(cut, [true, true], 'the bonuses fit');
    if (process.env.KIBITZ_PICTURES) await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/azul-end-${width}x${height}.png` });
    flawless(who);
  });
}

test('points beside the names change with the board, and the result is told after the last animation', { timeout: 300_000 }, async (t) => {
  const { id, seats: [{ token }] } = await make('ioiwari', [me(), easy], { seed: '5' });
  const who = await visitor(browser, { reducedMotion: 'no-preference' });
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await openMatch(who, id);
  const { page } = who;
  await page.evaluate(() => {
    window.frames_ = [];
    const look = () => {
      const strip = [...document.querySelectorAll('.players .points')].map((one) => one.textContent);
      const banks = ['.ours', '.theirs'].map((side) => document.querySelector(`${side} .count b`).textContent);
      const sowing = document.querySelector('.pit.at, .held') !== null;
      const told = /have/.test(document.querySelector('.status').textContent) || !document.querySelector('.end').hidden;
      window.frames_.push({ strip: strip.join(), banks: banks.join(), sowing, told });
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const dice = randomNumbers(3);
  while (await page.locator('#match').getAttribute('data-stage') === 'running') {
    const next = await nextMove(page, id, dice());
    if (next) await click(page, next);
    else await page.waitForTimeout(50);
  }
  await page.locator('.end').waitFor();
  const seen = await page.evaluate(() => window.frames_);
  assert.deepEqual(seen.filter(({ strip, banks }) => strip !== banks), []);
  assert.deepEqual(seen.filter(({ sowing, told }) => sowing && told), []);
  assert.ok(seen.some(({ sowing }) => sowing) && seen.at(-1).told);
  flawless(who);
});
