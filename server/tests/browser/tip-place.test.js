// The place of the tips: they lie over the words of the bar, where every one fits in every language, and nothing moves.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { choose, easy, giveSeat, make, me, nextMove, openMatch } from './play.js';
import { flawless, games, launch, resize, visitor } from './visitor.js';

const SIZES = [[1440, 900], [1280, 860], [1024, 768], [768, 1024], [390, 844], [360, 640], [844, 390], [667, 375]];
const FOLDER = process.env.KIBITZ_PICTURES;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// A guided match on its page, at the first tip.
async function guided(t, slug, locale) {
  const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '21' });
  const who = await visitor(browser, { locale });
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await who.context.addInitScript((game) => {
    if (location.protocol.startsWith('http')) localStorage.setItem('kibitz.tips', JSON.stringify({ [game]: { on: true, seen: [] } }));
  }, slug);
  await openMatch(who, id);
  await who.page.locator('.tip').waitFor();
  return { who, page: who.page, id };
}

// The boxes of all that is shown, except of the tip itself and of marks of the board.
function boxes(page) {
  return page.evaluate(() => [...document.querySelectorAll('#match, #match *')]
    .filter((one) => !one.closest('.tip, .marks, .ear') && one.getBoundingClientRect().width > 0)
    .map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return `${one.tagName} ${one.classList[0] ?? ''} ${one.dataset.target ?? ''}: ${[x, y, width, height].map((n) => Math.round(n * 2) / 2)}`;
    }));
}

// Every text that a tip of this game has in 60 positions, in the language of the page.
function texts(page, slug) {
  return page.evaluate(async (game) => {
    const post = async (path, body) => (await fetch(`/v1/games/${game}/${path}`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
    const { board } = await import('/web/board/board.js');
    const loaded = await board(game, true, (key) => key);
    const { tips } = await loaded.tips();
    const all = new Set();
    for (let seed = 1; seed <= 60; seed += 1) {
      const { position, seat } = await post('positions', { seed, plies: seed % 30 });
      if (seat === null) continue;
      const { moves } = await post('legal-moves', { position });
      for (const { id, values } of tips(position, seat, moves, loaded.t)) all.add(loaded.t(`tip.${id}`, values));
    }
    return [...all].sort((one, other) => other.length - one.length);
  }, slug);
}

for (const { slug, title } of games) {
  test(`${title}: a tip comes and goes, and nothing moves`, { timeout: 300_000 }, async (t) => {
    const { who, page, id } = await guided(t, slug, 'en');
    const tip = page.locator('.tip');
    const shown = [];
    for (const [width, height] of SIZES) {
      await resize(page, { width, height });
      shown.push(await boxes(page));
      if (FOLDER) await page.screenshot({ path: join(FOLDER, `tip-${slug}-${width}x${height}.png`) });
    }
    await good(page, 'a tip');
    // What is chosen takes its place, and an undone choice gives it back.
    const { targets } = await nextMove(page, id, 4);
    await choose(page, targets.slice(0, 1));
    await tip.waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    await tip.waitFor();
    await tip.getByRole('button', { name: 'Got it' }).click();
    // A card below the pointer would be larger.
    await page.mouse.move(0, 0);
    await tip.waitFor({ state: 'hidden' });
    for (const [at, [width, height]] of SIZES.entries()) {
      await resize(page, { width, height });
      const now = await boxes(page);
      assert.deepEqual(now.filter((box) => !shown[at].includes(box)), [], `${width}x${height}`);
      assert.deepEqual(shown[at].filter((box) => !now.includes(box)), [], `${width}x${height}`);
    }
    flawless(who);
  });

  for (const locale of ['en', 'ro', 'pt']) {
    test(`${title}, ${locale}: every tip fits its place`, { timeout: 300_000 }, async (t) => {
      const { who, page } = await guided(t, slug, locale);
      const all = await texts(page, slug);
      assert.ok(all.length > 5, `${all.length} tips`);
      for (const [width, height] of SIZES) {
        await resize(page, { width, height });
        const cut = await page.evaluate((said) => said.filter((text) => {
          document.querySelector('.tip p').textContent = text;
          const say = document.querySelector('.tip .words');
          return say.scrollHeight > say.clientHeight + 1 || say.scrollWidth > say.clientWidth + 1;
        }), all);
        assert.deepEqual(cut, [], `${width}x${height}`);
      }
      flawless(who);
    });
  }
}
