// Vacation: begun, moved and ended on the account's page; shown to others; the list of matches with days for a move.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { good, goodInSizes } from './axe.js';
import { player, signedIn } from './people.js';
import { api, flawless, launch, load, resize } from './visitor.js';

const SIZES = [['a desk', 1280, 860], ['a phone', 360, 740]];
const DAY_MS = 86_400_000;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const button = (place, name) => place.getByRole('button', { name, exact: true });

// Keeps pictures of the page, or of a part of it, in the folder KIBITZ_PICTURES.
async function kept(page, place, name) {
  const folder = process.env.KIBITZ_PICTURES;
  for (const [, width, height] of folder ? SIZES : []) {
    await resize(page, { width, height });
    for (const colorScheme of ['dark', 'light']) {
      await page.emulateMedia({ colorScheme });
      await place.screenshot({ path: `${folder}/vacation-${name}-${width}-${colorScheme}.png` });
    }
  }
  await resize(page, { width: 1280, height: 860 });
}

// The day so many days from now, as a field for dates has it in the browser, whose time zone is that of this process.
function dayFromNow(days) {
  const date = new Date(Date.now() + days * DAY_MS);
  const two = (number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

// A match with so many days for each move, in which it is the turn of the second player.
async function waits(first, second, days) {
  const clock = { move_ms: days * DAY_MS };
  const { id } = await api('/v1/matches', { token: first.token, body: { game: 'ioiwari', seats: [{ kind: 'me' }, { kind: 'open' }], clock } });
  await api(`/v1/matches/${id}/join`, { token: second.token, method: 'POST' });
  const { position, legal_moves: legal } = await api(`/v1/matches/${id}`, { token: first.token });
  // After a capture, if there is one, the board has the most marks.
  const after = (notation) => api('/v1/games/ioiwari/next-position', { body: { position, notation } });
  let chosen = legal[0].notation;
  for (const { notation } of legal) if ((await after(notation)).position.banks[0] > 1) chosen = notation;
  await api(`/v1/matches/${id}/moves`, { token: first.token, body: { ply: 0, notation: chosen } });
  return id;
}

test('vacation is begun, moved and ended on the account\'s page', { timeout: 300_000 }, async (t) => {
  const ana = await signedIn(t, browser, '/account');
  const card = ana.page.locator('#vacation');
  await card.getByText('30 of 30 days are left').waitFor();
  await goodInSizes(ana.page, 'no vacation', SIZES);
  await kept(ana.page, card, 'none');
  await card.getByLabel('Last day').fill(dayFromNow(3));
  await button(card, 'Begin the vacation').click();
  await card.getByText('You are on vacation until').waitFor();
  const begun = await api('/v1/me/vacation', { token: ana.token });
  // To the end of the day, wherever the browser is.
  assert.ok(begun.until_ms > Date.now() + 2 * DAY_MS && begun.until_ms <= Date.now() + 4 * DAY_MS + DAY_MS / 24, JSON.stringify(begun));
  assert.equal(await card.getByLabel('New last day').inputValue(), dayFromNow(3));
  await kept(ana.page, card, 'begun');
  await goodInSizes(ana.page, 'a vacation', SIZES);
  await card.getByLabel('New last day').fill(dayFromNow(5));
  await button(card, 'Change').click();
  await card.getByText(/2[45] of 30/).waitFor();
  const moved = await api('/v1/me/vacation', { token: ana.token });
  assert.equal(moved.begun_ms, begun.begun_ms);
  assert.ok(moved.until_ms > begun.until_ms);
  await button(card, 'End the vacation').click();
  await button(card, 'End the vacation').click();
  await button(card, 'Begin the vacation').waitFor();
  assert.equal((await api('/v1/me/vacation', { token: ana.token })).until_ms, null);
  await card.getByText('29 of 30 days are left').waitFor();
  flawless(ana.who);
});

test('opponents see the vacation at the seat, on the card and on the player\'s page', { timeout: 300_000 }, async (t) => {
  const ana = await player('ana');
  const ben = await signedIn(t, browser, '/');
  const id = await waits(ben, ana, 3);
  await load(ben.page, `/matches/${id}`);
  const seat = ben.page.locator('.player').filter({ hasText: ana.name });
  await seat.waitFor();
  assert.equal(await seat.locator('.vacation').count(), 0);
  // The open page is told.
  await api('/v1/me/vacation', { token: ana.token, method: 'PUT', body: { until_ms: Date.now() + 6 * DAY_MS } });
  await seat.getByRole('img', { name: /^on vacation until/ }).waitFor();
  await ben.page.locator('.status').getByText(/is to move, on vacation until/).waitFor();
  // It is no interruption.
  assert.ok(await ben.page.locator('.condition').isHidden());
  await goodInSizes(ben.page, 'a match with a vacation', SIZES);
  await kept(ben.page, ben.page, 'match');
  await seat.getByRole('link', { name: ana.name }).click();
  await ben.page.locator('.player-card .vacation').waitFor();
  await kept(ben.page, ben.page.locator('.player-card'), 'card');
  await load(ben.page, `/players/${encodeURIComponent(ana.name)}`);
  await ben.page.locator('p.vacation').getByText('on vacation until').waitFor();
  // Ana's time runs again.
  await load(ben.page, `/matches/${id}`);
  await seat.getByRole('img', { name: /^on vacation until/ }).waitFor();
  await api('/v1/me/vacation', { token: ana.token, method: 'DELETE' });
  await seat.locator('.vacation').waitFor({ state: 'detached' });
  flawless(ben.who);
});

test('the line that says who is on vacation is not cut off in any size and language', { timeout: 300_000 }, async (t) => {
  const [ana, ben] = [await player('alexandrina-maria'), await player('ben')];
  const id = await waits(ben, ana, 3);
  const sizes = [[1440, 900], [1024, 768], [768, 1024], [390, 844], [360, 640], [700, 600]];
  for (const locale of ['en', 'pt', 'ro']) {
    const { page, who } = await signedIn(t, browser, `/matches/${id}`, { session: ben, locale });
    await page.locator('#match .status:not(.away)').waitFor();
    const head = page.locator('#match .screen > header');
    const before = [];
    for (const [width, height] of sizes) {
      await resize(page, { width, height });
      before.push(await head.boundingBox());
    }
    await api('/v1/me/vacation', { token: ana.token, method: 'PUT', body: { until_ms: Date.now() + 6 * DAY_MS } });
    const line = page.locator('#match .status.away');
    await line.waitFor();
    for (const [at, [width, height]] of sizes.entries()) {
      await resize(page, { width, height });
      const what = `${locale}, ${width}x${height}: ${await line.innerText()}`;
      assert.match(what, /alexandrina-maria.*\d$|\d.*alexandrina-maria/);
      const [wide, high, outside] = await line.evaluate((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        const [text, place] = [range.getBoundingClientRect(), one.parentElement.getBoundingClientRect()];
        return [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight, text.top < place.top - 1 || text.bottom > place.bottom + 1];
      });
      assert.ok(wide <= 1 && high <= 1 && !outside, `${what} is cut: ${[wide, high, outside]}`);
      // On a phone it takes the place of the title, so nothing moves.
      if (width < 600) assert.deepEqual(await head.boundingBox(), before[at], what);
      for (const colorScheme of process.env.KIBITZ_PICTURES ? ['dark', 'light'] : []) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/vacation-line-${locale}-${width}x${height}-${colorScheme}.png` });
      }
      if (locale === 'en') await good(page, what);
    }
    await api('/v1/me/vacation', { token: ana.token, method: 'DELETE' });
    flawless(who);
  }
});

test('matches with days are listed with the time left, the most urgent first', { timeout: 300_000 }, async (t) => {
  const [ana, ben] = [await player('ana'), await player('ben')];
  const ids = [];
  for (const days of [5, 3, 9]) ids.push(await waits(ben, ana, days));
  await waits(ana, ben, 4);
  await api('/v1/me/vacation', { token: ben.token, method: 'PUT', body: { until_ms: Date.now() + 6 * DAY_MS } });
  const here = await signedIn(t, browser, '/', { session: ana });
  const mine = here.page.locator('[data-list="mine"]');
  await mine.locator('.match').nth(3).waitFor();
  const links = await mine.locator('.match').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
  assert.deepEqual(links.slice(0, 3), [ids[1], ids[0], ids[2]].map((id) => `/matches/${id}`));
  const stages = await mine.locator('.match .stage').allInnerTexts();
  // A moment of the first day has passed.
  assert.match(stages[0], /Your move · 2 days left/);
  assert.match(stages[1], /Your move · 4 days left/);
  assert.match(stages[2], /Your move · 8 days left/);
  assert.doesNotMatch(stages[3], /left/);
  assert.equal(await mine.getByText('on vacation until').count(), 4);
  assert.equal(await here.page.locator('#mine-title').getAttribute('data-count'), '3');
  assert.match(await here.page.title(), /^\(3\) /);
  await goodInSizes(here.page, 'matches with days', SIZES);
  await kept(here.page, here.page.locator('#mine'), 'list');
  flawless(here.who);
});
