// How boards look to the visitor: the colour of the table, on every board, readable in light and dark; the full screen.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { easy, giveSeat, make, me, openMatch } from './play.js';
import { flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const COLOURS = ['grass', 'sky', 'clay'];

async function seated(t, slug, options) {
  const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '6' });
  const who = await visitor(browser, options);
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await openMatch(who, id);
  return { who, page: who.page };
}

// The colours of the grounds of the board, as they are drawn.
const grounds = (page) => page.locator('section.board').evaluate((board) => [board, ...board.querySelectorAll('*')]
  .map((part) => getComputedStyle(part)).map((style) => `${style.backgroundColor} ${style.backgroundImage}`).join('\n'));

for (const { slug, title } of games.filter((game) => game.min_seats <= 2 && game.max_seats >= 2)) {
  test(`${title}: the table has the chosen colour, on this board and the next, and all can be read`, { timeout: 300_000 }, async (t) => {
    const { who, page } = await seated(t, slug, { width: 390, height: 844 });
    const choice = page.getByLabel('Colour of the table');
    const seen = new Set([await grounds(page)]);
    for (const colour of COLOURS) {
      await choice.selectOption(colour);
      seen.add(await grounds(page));
      await good(page, `${title} on ${colour}`);
      if (process.env.KIBITZ_PICTURES) {
        for (const colorScheme of ['light', 'dark']) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/table-${slug}-${colour}-${colorScheme}.png` });
        }
      }
      await page.emulateMedia({ colorScheme: 'light' });
    }
    assert.equal(seen.size, 1 + COLOURS.length, 'each colour looks different');
    await page.reload();
    await page.locator('.place').first().waitFor();
    assert.equal(await choice.inputValue(), COLOURS.at(-1));
    assert.equal(await page.evaluate(() => document.documentElement.dataset.table), COLOURS.at(-1));
    flawless(who);
  });
}

test('a stored colour that does not exist is that of the game', { timeout: 300_000 }, async (t) => {
  const { who, page } = await seated(t, games[0].slug);
  const usual = await grounds(page);
  await page.evaluate(() => localStorage.setItem('kibitz.table', 'plaid'));
  await page.reload();
  await page.locator('.place').first().waitFor();
  assert.equal(await page.getByLabel('Colour of the table').inputValue(), '');
  assert.equal(await grounds(page), usual);
  flawless(who);
});

test('a press fills the screen with the match, and another one ends that', { timeout: 300_000 }, async (t) => {
  const { who, page } = await seated(t, games[0].slug);
  const isFull = (wanted) => page.waitForFunction((is) => Boolean(document.fullscreenElement) === is, wanted);
  await page.getByRole('button', { name: 'Full screen', exact: true }).click();
  await isFull(true);
  await page.getByRole('button', { name: 'Leave the full screen' }).click();
  await isFull(false);
  await page.getByRole('button', { name: 'Full screen', exact: true }).waitFor();
  flawless(who);
});
