// The page of a match on a phone, upright and on its side: a turn needs no scrolling, and all controls are large enough
// for a finger.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { misfits } from './fits.js';
import { gameData } from './game-data.js';
import { dispatchClicks, dispatchPlay, easy, giveSeat, later, make, me, openMatch, playOut, withRivals } from './play.js';
import { URL_, api, flawless, games, launch, visitor } from './visitor.js';

async function resize(page, [width, height]) {
  await page.setViewportSize({ width, height });
  await page.waitForFunction((now) => innerWidth === now, width);
}

// Pictures of the page in three sizes, for people to look at.
async function picture(page, name) {
  for (const size of [[390, 844], [667, 375], [1280, 860]]) {
    await resize(page, size);
    await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/${name}-${size.join('x')}.png` });
  }
}

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

for (const { slug, title, min_seats, max_seats } of games.filter((game) => game.min_seats <= 2 && game.max_seats >= 2)) {
  const { scrolling } = await gameData(slug);
  // `less`: the size of a small phone, or of one whose browser keeps its bars.
  for (const [way, width, height, less] of [['upright', 390, 844, [360, 640]], ['on its side', 844, 390, [740, 330]]]) {
    test(`${title}: a whole match without scrolling, on a phone ${way}`, { timeout: 600_000 }, async (t) => {
      assert.ok(min_seats <= 2 && max_seats >= 2);
      const { id, token, rivals } = await withRivals(slug, 1, { seed: '2', clock: { initial_ms: 3_000_000, increment_ms: 0 } });
      const who = await visitor(browser, { width, height });
      t.after(() => who.context.close());
      await giveSeat(who, id, token);
      await openMatch(who, id);
      const { page } = who;
      const full = [width, height];
      let bar = null;
      const check = async (when, size) => {
        const wrong = await misfits(page);
        assert.deepEqual(wrong.filter((what) => size !== less || !scrolling?.test(what)), [], `${when}, ${size}`);
      };
      // The first look is at both sizes, and so is the one after the choice, which is made at the smaller size.
      const turn = async (one, { targets, ply }) => {
        await one.locator('.place .lit').first().waitFor();
        bar ??= await one.locator('.bar').boundingBox();
        assert.deepEqual(await one.locator('.bar').boundingBox(), bar, `ply ${ply}: the bar has moved`);
        await check(`ply ${ply}`, full);
        await resize(one, less);
        await check(`ply ${ply}`, less);
        await dispatchClicks(one, targets);
        await check(`ply ${ply}, after ${targets}`, less);
        await resize(one, full);
        await check(`ply ${ply}, after ${targets}`, full);
        await dispatchPlay(one, ply);
      };
      const moves = await playOut(id, [{ page, make: turn }], { rivals, seed: 2 });
      t.diagnostic(`${moves} moves`);
      assert.equal((await api(`/v1/matches/${id}`)).stage, 'over');
      await page.locator('.end').waitFor();
      const end = await page.locator('.end').boundingBox();
      assert.ok(end.x >= 0 && end.y >= 0 && end.x + end.width <= width && end.y + end.height <= height, 'the result is on the screen');
      await resize(page, less);
      for (const button of await page.locator('.end button').all()) {
        const { x, y, width: wide, height: high } = await button.boundingBox();
        assert.ok(x >= 0 && y >= 0 && x + wide <= less[0] && y + high <= less[1], `${await button.textContent()} is on the screen, ${less}`);
      }
      flawless(who);
    });
  }
}

test('a long score and a clock leave room for the name', { timeout: 60_000 }, async (t) => {
  const { id, seats: [{ token }] } = await make('buraco', [me('Alexandrina'), easy], { clock: { initial_ms: 3_000_000, increment_ms: 0 } });
  const who = await visitor(browser, { width: 390, height: 844 });
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await openMatch(who, id);
  await who.page.locator('.player .clock').nth(1).waitFor();
  await who.page.locator('.player .points').evaluateAll((all) => all.forEach((points) => { points.textContent = '\u22121250'; }));
  assert.deepEqual(await misfits(who.page), []);
  flawless(who);
});

for (const [count, clock] of [[2, { move_ms: 15_000 }], [2, { initial_ms: 19_000, increment_ms: 0, move_ms: 15_000 }], [4, { move_ms: 15_000 }]]) {
  test(`${count} seats: a low clock (${Object.keys(clock)}) is large and leaves room for the name`, { timeout: 300_000 }, async (t) => {
    const names = ['Alexandrina', 'Bo', 'Eva', 'Dan'].slice(0, count);
    for (const locale of ['en', 'ro', 'pt']) {
      const { id, seats: [{ token }] } = await make('splendor', names.map((name) => me(name)), { seed: '6', clock, options: { players: count } });
      const who = await visitor(browser, { width: 390, height: 844, locale });
      t.after(() => who.context.close());
      await giveSeat(who, id, token);
      await openMatch(who, id);
      const { page } = who;
      const low = page.locator('.player.turn .clock.low');
      await low.waitFor();
      for (const size of [[390, 844], [360, 640], [844, 390], [667, 375], [1280, 860]]) {
        await resize(page, size);
        const told = await page.evaluate(() => {
          // The row of now: the page draws it again when it learns something.
          const row = document.querySelector('.player.turn');
          const [name, time] = ['.who', '.clock .time'].map((part) => row.querySelector(part));
          const box = row.getBoundingClientRect();
          const inside = [...row.querySelectorAll('.clock, .clock > *, .points')].every((one) => {
            const { left, right, top, bottom, width } = one.getBoundingClientRect();
            return width === 0 || left >= box.left && right <= box.right && top >= box.top - 1 && bottom <= box.bottom + 1;
          });
          return { cut: name.scrollWidth - name.clientWidth, name: name.clientWidth, inside, time: parseFloat(getComputedStyle(time).fontSize) };
        });
        const what = `${locale}, ${size}: ${JSON.stringify(told)}`;
        const pass = await page.locator('.pass').evaluate((one) => one.scrollWidth - one.clientWidth);
        assert.ok(pass <= 1, `a word is ${pass} px wider than its button: ${what}`);
        // Four lines on a phone on its side have less room.
        assert.ok(told.cut <= 1 || (count > 2 && size[0] > size[1] && told.name > 45), `the name is cut: ${what}`);
        assert.ok(told.inside, `all is in the row: ${what}`);
        assert.ok(told.time >= 20, `the time is large: ${what}`);
      }
      if (process.env.KIBITZ_PICTURES) await picture(page, `clock-${count}-${Object.keys(clock).length}-${locale}`);
      assert.match(await low.innerText(), /^⚠?\s*\d+(:\d\d|[.]\d)(\s+\d+(:\d\d|[.]\d))?\s*⚠?$/);
      flawless(who);
      await who.context.close();
    }
  });
}

for (const [locale, word, result] of [['en', 'More', 'Show the result'], ['ro', 'Mai multe', 'Arată rezultatul'], ['pt', 'Mais', 'Mostrar o resultado']]) {
  test(`${locale}: the button for more replay tools has a visible word, and nothing in its row overlaps`, { timeout: 60_000 }, async (t) => {
    const { slug } = games.find(({ min_seats }) => min_seats === 2);
    const { id, seats: [{ token }] } = await make(slug, [me(), easy]);
    await api(`/v1/matches/${id}/resign`, { token, method: 'POST' });
    const who = await visitor(browser, { width: 390, height: 844, locale });
    t.after(() => who.context.close());
    await giveSeat(who, id, token);
    await openMatch(who, id, '?ply=0');
    const { page } = who;
    const fold = page.getByRole('button', { name: word, expanded: false });
    for (const width of [390, 360]) {
      await page.setViewportSize({ width, height: 740 });
      assert.equal(await fold.innerText(), word);
      const boxes = await Promise.all([page.locator('.evaluate .at-once'), page.getByRole('button', { name: result }), fold]
        .map((one) => one.evaluate((element) => {
          // The text may be wider than its element.
          const range = document.createRange();
          range.selectNodeContents(element);
          const [own, text] = [element.getBoundingClientRect(), range.getBoundingClientRect()];
          return { left: Math.min(own.left, text.left), right: Math.max(own.right, text.right) };
        })));
      for (const [at, box] of boxes.entries()) assert.ok(box.right <= (boxes[at + 1]?.left ?? width), `${width}: ${JSON.stringify(boxes)}`);
      const tops = await page.locator('.scrubber button').evaluateAll((all) => new Set(all.map((one) => one.getBoundingClientRect().top)).size);
      assert.equal(tops, 1, `${width}: the buttons that step through the match are in one row`);
    }
    await fold.click();
    await page.getByRole('button', { name: word, expanded: true }).waitFor();
    await page.locator('.tools .share').waitFor();
    flawless(who);
  });
}

test('Septica: the deck is drawn on a phone as long as it has cards', { timeout: 300_000 }, async (t) => {
  const who = await visitor(browser, { width: 390, height: 844 });
  t.after(() => who.context.close());
  const { page } = who;
  for (const plies of [0, 20]) {
    const { position } = await api('/v1/games/septica/positions', { body: { seed: 4, plies } });
    if (plies > 0) assert.ok(position.deck > 0 && position.deck <= 8, `${position.deck} cards are one back`);
    await page.goto(`${URL_}/games/septica/analysis#position=${encodeURIComponent(JSON.stringify(position))}`);
    await page.reload();
    await page.locator('.place .lit').first().waitFor();
    assert.ok(await page.locator('.heap .card').first().isVisible(), `${position.deck} cards`);
  }
  flawless(who);
});

for (const count of [3, 4]) {
  test(`Splendor: all of ${count} players are in sight on phones on their side`, { timeout: 300_000 }, async (t) => {
    const names = ['Ana', 'Bo', 'Eva', 'Dan'].slice(0, count);
    const { id, seats } = await make('splendor', names.map((name) => me(name)), { seed: '6', options: { players: count } });
    for (let ply = 0; ply < 6 * count; ply += 1) {
      const { token } = seats[ply % count];
      const { legal_moves: moves } = await api(`/v1/matches/${id}`, { token });
      const { notation } = moves.find(({ move }) => move.action === (ply < 2 * count ? 'reserve' : 'take')) ?? moves[0];
      await api(`/v1/matches/${id}/moves`, { token, body: { ply, notation } });
    }
    const who = await visitor(browser, { width: 844, height: 390 });
    t.after(() => who.context.close());
    await giveSeat(who, id, seats[0].token);
    await openMatch(who, id);
    const { page } = who;
    await page.locator('.place .lit').first().waitFor();
    for (const [width, height] of [[844, 390], [667, 375], [740, 330]]) {
      await resize(page, [width, height]);
      assert.deepEqual(await misfits(page), [], `${width}x${height}`);
      for (const part of ['h1 a', '.bar .talk', '.bar .say', '.place .others']) {
        const one = await page.locator(part).evaluate((element) => [element.scrollWidth - element.clientWidth, element.scrollHeight - element.clientHeight]);
        assert.ok(one[0] <= 1 && one[1] <= 1, `${width}x${height}: ${part} is cut by ${one} px`);
      }
      const mats = await page.locator('.place .others .mat').evaluateAll((all) => all.map((one) => [one.scrollWidth - one.clientWidth, innerHeight - one.getBoundingClientRect().bottom]));
      assert.equal(mats.length, count - 1);
      for (const [over, below] of mats) assert.ok(over <= 1 && below >= 0, `${over} px too wide, ${below} px above the edge`);
    }
    flawless(who);
  });
}

for (const count of [2, 3, 4]) {
  test(`Splendor: the signs of a change cover no name and no number, ${count} players`, { timeout: 300_000 }, async (t) => {
    const { id, seats } = await make('splendor', Array.from({ length: count }, (_, n) => me(`Player ${n + 1}`)), { seed: '6', options: { players: count } });
    const who = await visitor(browser, { width: 390, height: 844 });
    t.after(() => who.context.close());
    await giveSeat(who, id, seats[0].token);
    await openMatch(who, id);
    const { page } = who;
    for (let ply = 0; ply < count; ply += 1) {
      const { legal_moves: moves } = await api(`/v1/matches/${id}`, { token: seats[ply].token });
      const { notation } = moves.find(({ move }) => move.action === 'take' && move.colors.length === 3);
      await api(`/v1/matches/${id}/moves`, { token: seats[ply].token, body: { ply, notation } });
      await later(page, ply);
      if (ply === 0) continue;
      for (const size of [[390, 844], [360, 640], [844, 390], [667, 375], [768, 1024], [1024, 768], [1440, 900]]) {
        await resize(page, size);
        await page.locator('.others .change').nth(2).waitFor();
        const covered = await page.evaluate(() => {
          // The letters of a name, not its line.
          const box = (one) => {
            const range = document.createRange();
            range.selectNodeContents(one);
            return range.getBoundingClientRect();
          };
          const read = [...document.querySelectorAll('.others :is(.name, .count, .bonus b)')].filter((one) => one.checkVisibility());
          return [...document.querySelectorAll('.others .change')].flatMap((change) => {
            const sign = change.getBoundingClientRect();
            return read.filter((one) => {
              const { left, right, top, bottom } = box(one);
              return Math.min(right, sign.right) - Math.max(left, sign.left) > 1 && Math.min(bottom, sign.bottom) - Math.max(top, sign.top) > 2;
            }).map((one) => `${change.textContent} covers ${one.className} ${one.textContent}`);
          });
        });
        assert.deepEqual(covered, [], `${size}, after player ${ply + 1}`);
        assert.deepEqual((await misfits(page)).filter((what) => what.startsWith('the board is')), [], `${size}`);
      }
    }
    flawless(who);
  });
}

test('Splendor: the signs of an opponent\'s chips leave their numbers free', { timeout: 300_000 }, async (t) => {
  const { id, seats: [{ token }, { token: other }] } = await make('splendor', [me('Ana'), me('Bo')], { seed: '6' });
  for (const key of [token, other]) {
    const { ply, legal_moves: moves } = await api(`/v1/matches/${id}`, { token: key });
    const { notation } = moves.find(({ move }) => move.action === 'take' && move.colors.length === 3);
    await api(`/v1/matches/${id}/moves`, { token: key, body: { ply, notation } });
  }
  const who = await visitor(browser, { width: 390, height: 844 });
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await openMatch(who, id);
  const { page } = who;
  const changed = page.locator('.others .pile:has(> .change)');
  for (const [width, height] of [[390, 844], [844, 390]]) {
    await page.setViewportSize({ width, height });
    await changed.nth(2).waitFor();
    const free = await changed.evaluateAll((piles) => piles.map((pile) => {
      const [sign, count] = ['.change', '.count'].map((part) => pile.querySelector(part).getBoundingClientRect());
      return sign.bottom <= count.top + 1 || sign.top >= count.bottom - 1;
    }));
    assert.deepEqual(free, [true, true, true], `${width} px`);
  }
  flawless(who);
});
