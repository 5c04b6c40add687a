// A click works even if the page is drawn again between press and release: on a board, and on the home page.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { click, easy, openMatch, giveSeat, randomNumbers, make, me, nextMove } from './play.js';
import { URL_, flawless, games, launch, visitor } from './visitor.js';
import { board } from './fake-dom.js';

test('answer of the API between press and release loses no click', { timeout: 300_000 }, async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  let tried = 0;
  for (const { slug } of games) {
    if (!(await board(slug))?.offers) continue;
    tried += 1;
    const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '5' });
    const who = await visitor(browser);
    await giveSeat(who, id, token);
    await openMatch(who, id);
    const { page } = who;
    const lit = page.locator('.place .lit');
    const dice = randomNumbers(3);
    // Until several targets can be chosen freely.
    while (await lit.count() < 8) {
      const next = await nextMove(page, id, dice());
      if (next) await click(page, next);
      else await page.waitForTimeout(20);
    }
    // The viewer's own cards are the last targets.
    const names = (await lit.evaluateAll((all) => all.map((element) => element.dataset.target))).slice(-4);
    const at = (name) => page.locator(`.place [data-target=${JSON.stringify(name)}]`).first();
    for (const name of names.slice(0, 2)) await at(name).click();
    const answered = page.waitForResponse((answer) => answer.url().endsWith('/legal-moves'), { timeout: 60_000 });
    await at(names[2]).click();
    await at(names[3]).hover();
    await page.mouse.down();
    await answered;
    await page.waitForTimeout(150);
    await page.mouse.up();
    await page.locator('.place .picked').nth(3).waitFor({ timeout: 60_000 });
    const picked = await page.locator('.place .picked').evaluateAll((all) => all.map((one) => one.dataset.target));
    assert.deepEqual(picked.sort(), names.sort());
    flawless(who);
    await who.context.close();
  }
  assert.ok(tried > 0, 'some game has free choices');
});

test('late list of my matches loses no click on the elements that it moves', { timeout: 300_000 }, async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  const { id, seats: [{ token }] } = await make(games[0].slug, [me(), easy], { seed: '5' });
  const who = await visitor(browser);
  await giveSeat(who, id, token);
  const { page } = who;
  let answer;
  const pressed = new Promise((done) => { answer = done; });
  await page.route(`**/v1/matches/${id}`, async (route) => {
    await pressed;
    await route.continue();
  });
  await page.goto(URL_);
  await page.locator('a.game').first().hover({ position: { x: 40, y: 4 } });
  await page.mouse.down();
  const answered = page.waitForResponse((one) => one.url().endsWith(`/v1/matches/${id}`), { timeout: 60_000 });
  answer();
  await answered;
  await page.waitForTimeout(150);
  await page.mouse.up();
  await page.waitForURL(/\/games\//, { timeout: 20_000 });
  flawless(who);
  await who.context.close();
});
