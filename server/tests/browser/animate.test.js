// Animation: pieces move from their old place to the new one, for visitors who accept motion.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { click, easy, openMatch, giveSeat, randomNumbers, make, me, nextMove } from './play.js';
import { flawless, games, launch, visitor } from './visitor.js';

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
