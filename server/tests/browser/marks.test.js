// Recommended moves on the board and in the list: the list is in the order of what it shows, and the marks leave free what they
// are about. With KIBITZ_PICTURES, pictures are kept in that folder.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { URL_, api, flawless, games, launch, resize, visitor } from './visitor.js';

const FOLDER = process.env.KIBITZ_PICTURES;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

for (const { slug, title } of games) {
  test(`${title}: an engine's moves are listed and marked without covering the board`, { timeout: 300_000 }, async (t) => {
    const who = await visitor(browser);
    t.after(() => who.context.close());
    const { page } = who;
    for (const seed of [2, 4, 7]) {
      const { position, seat } = await api(`/v1/games/${slug}/positions`, { body: { seed, plies: 9 } });
      if (seat === null) continue;
      await page.goto('about:blank');
      await page.goto(`${URL_}/games/${slug}/analysis#position=${encodeURIComponent(JSON.stringify(position))}`);
      await page.locator('.place .lit').first().waitFor();
      await page.getByRole('button', { name: 'Ask the engine' }).click();
      await page.locator('.ranked li').first().waitFor();
      await page.getByText(/^After .* s/).waitFor({ timeout: 60_000 });
      const values = (await page.locator('.ranked .value').allInnerTexts()).map((text) => parseInt(text, 10));
      assert.deepEqual(values, [...values].sort((one, other) => other - one), `seed ${seed}`);
      for (const [width, height] of [[1440, 900], [390, 844]]) {
        await resize(page, { width, height });
        await page.locator('.marks .badge').first().waitFor();
        if (FOLDER) await page.screenshot({ path: join(FOLDER, `marks-${slug}-${seed}-${width}.png`) });
        const wrong = await page.evaluate(() => {
          const box = (one) => one.getBoundingClientRect();
          const shared = (one, other) => Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left))
            * Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));
          const targets = [...document.querySelectorAll('.place [data-target]')].map(box).filter(({ width: wide }) => wide > 0);
          const badges = [...document.querySelectorAll('.marks .badge')].map(box);
          const own = (badge) => Math.min(...targets.map((target) => shared(badge, target)).filter((area) => area > 0));
          const ends = [...document.querySelectorAll('.marks .arrow line')].map((line) => {
            const at = line.getScreenCTM();
            const [x, y] = [line.x1.baseVal.value + at.e, line.y1.baseVal.value + at.f];
            return targets.filter(({ left, right, top, bottom }) => x > left + 3 && x < right - 3 && y > top + 3 && y < bottom - 3).length;
          });
          return { badges: badges.filter((badge) => own(badge) > 0.45 * badge.width * badge.height).length, ends: ends.filter((inside) => inside > 1).length };
        });
        assert.deepEqual(wrong, { badges: 0, ends: 0 }, `seed ${seed}, ${width} px`);
      }
      await resize(page, { width: 1280, height: 860 });
    }
    flawless(who);
  });
}
