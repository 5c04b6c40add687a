// The page of a match on a phone, upright and on its side: a turn needs no scrolling, and all that is pressed is large
// enough for a finger.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { choose, easy, giveSeat, later, make, me, openMatch, playButton, playOut, randomNumbers } from './play.js';
import { api, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// The least size of what can be pressed, in CSS pixels (WCAG 2.2, 2.5.8).
const LEAST = 24;

// What is wrong with what can be pressed now: outside the window, covered, too small; or the page scrolls to show it.
export function misfits(page) {
  return page.evaluate((least) => {
    const wrong = [];
    const inside = ({ left, top, right, bottom }) => left >= -0.5 && top >= -0.5 && right <= innerWidth + 0.5 && bottom <= innerHeight + 0.5;
    const shown = (element) => element.getBoundingClientRect().width > 0;
    const place = document.querySelector('.place');
    if (scrollY !== 0) wrong.push(`the page is scrolled by ${scrollY}`);
    if (place.scrollHeight > place.clientHeight + 1) wrong.push(`the board is ${place.scrollHeight - place.clientHeight} px too high`);
    if (place.scrollWidth > place.clientWidth + 1) wrong.push(`the board is ${place.scrollWidth - place.clientWidth} px too wide`);
    for (const part of ['.bar', '.players', '.screen > header', '.place']) {
      if (!inside(document.querySelector(part).getBoundingClientRect())) wrong.push(`${part} is outside the window`);
    }
    // How many pixels of a line through an element belong to it.
    const free = (element, at) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      let most = 0;
      let run = 0;
      const length = at === 'x' ? width : height;
      for (const share of [0.5, 0.25, 0.75]) {
        run = 0;
        for (let d = 0.5; d < length; d += 1) {
          const [x, y] = at === 'x' ? [left + d, top + height * share] : [left + width * share, top + d];
          const hit = document.elementFromPoint(x, y);
          run = hit !== null && (element === hit || element.contains(hit)) ? run + 1 : 0;
          most = Math.max(most, run);
          if (most >= least) return most;
        }
      }
      return most;
    };
    const pressed = [...document.querySelectorAll('.place .lit, .place .picked, .bar button, .screen > header a, .players a')]
      .filter(shown);
    for (const element of pressed) {
      const name = element.dataset.target ?? element.textContent;
      const rect = element.getBoundingClientRect();
      if (!inside(rect)) wrong.push(`${name} is outside the window`);
      // A chosen card or chip may lie below what is chosen next.
      if (element.matches('.picked:not(.lit)')) continue;
      const [wide, high] = [free(element, 'x'), free(element, 'y')];
      if (wide < least || high < least) wrong.push(`${name}: ${wide} by ${high} px can be pressed`);
    }
    return wrong;
  }, LEAST);
}

for (const { slug, title, min_seats, max_seats } of games.filter((game) => game.min_seats <= 2 && game.max_seats >= 2)) {
  for (const [way, width, height] of [['upright', 390, 844], ['on its side', 844, 390]]) {
    test(`${title}: a whole match without scrolling, on a phone ${way}`, { timeout: 600_000 }, async (t) => {
      assert.ok(min_seats <= 2 && max_seats >= 2);
      const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '8', clock: { initial_ms: 3_000_000, increment_ms: 0 } });
      const who = await visitor(browser, { width, height });
      t.after(() => who.context.close());
      await giveSeat(who, id, token);
      await openMatch(who, id);
      const { page } = who;
      await page.locator('.place .lit').first().waitFor();
      const bar = await page.locator('.bar').boundingBox();
      const turn = async (one, { targets, ply }) => {
        assert.deepEqual(await misfits(one), [], `ply ${ply}`);
        assert.deepEqual(await one.locator('.bar').boundingBox(), bar, `ply ${ply}: the bar has moved`);
        await choose(one, targets);
        assert.deepEqual(await misfits(one), [], `ply ${ply}, after ${targets}`);
        await playButton(one).click();
        await later(one, ply);
      };
      const moves = await playOut(id, [{ page, make: turn }], { dice: randomNumbers(8) });
      t.diagnostic(`${moves} moves`);
      assert.equal((await api(`/v1/matches/${id}`)).stage, 'over');
      await page.locator('.end').waitFor();
      const end = await page.locator('.end').boundingBox();
      assert.ok(end.x >= 0 && end.y >= 0 && end.x + end.width <= width && end.y + end.height <= height, 'the result is on the screen');
      flawless(who);
    });
  }
}
