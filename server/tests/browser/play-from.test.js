// "Play from here": matches that begin with a position of the analysis board, or of a replay; by mouse, by keys, on a phone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { good as accessible } from './axe.js';
import { giveSeat, make, me, open, openMatch, randomNumbers, shown } from './play.js';
import { URL_, api, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// Pictures go into this folder, if it is named.
const PICTURES = process.env.KIBITZ_PICTURES;
const picture = (page, name) => (PICTURES ? page.screenshot({ path: `${PICTURES}/${name}.png` }) : null);

const PHONE = { width: 390, height: 844, hasTouch: true };
const dialog = (page) => page.getByRole('dialog', { name: 'Play from here' });

// The match whose page is open, and its record of the position.
async function begun(page) {
  await page.waitForURL(/\/matches\/[^/]+$/);
  await page.locator('.place > *').first().waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1);
  const { token } = await page.evaluate((match) => JSON.parse(localStorage.getItem('kibitz.seats'))[match], id);
  return { id, token, seen: await api(`/v1/matches/${id}`, { token }) };
}

// A finished match of two people with pseudo-random moves.
async function finished(game, seed) {
  const dice = randomNumbers(7);
  const made = await make(game, [me('Ana'), open], { seed });
  const joined = await api(`/v1/matches/${made.id}/join`, { body: { name: 'Bogdan' } });
  const tokens = [made.seats[0].token, joined.seats[0].token];
  for (;;) {
    const { stage, turn } = await api(`/v1/matches/${made.id}`, { token: tokens[0] });
    if (stage === 'over') return { id: made.id, tokens };
    const { legal_moves: moves, ply } = await api(`/v1/matches/${made.id}`, { token: tokens[turn] });
    await api(`/v1/matches/${made.id}/moves`, { token: tokens[turn], body: { ply, notation: moves[dice() % moves.length].notation } });
  }
}

for (const { slug, title } of games) {
  test(`${title}: a position of the analysis board becomes a match against the engine`, { timeout: 300_000 }, async (t) => {
    const { position, seat } = await api(`/v1/games/${slug}/positions`, { body: { seed: 5, plies: 5 } });
    const who = await visitor(browser);
    t.after(() => who.context.close());
    const { page } = who;
    await page.goto(`${URL_}/games/${slug}/analysis#position=${encodeURIComponent(JSON.stringify(position))}`);
    await page.locator('.place .lit').first().waitFor();
    await page.getByRole('button', { name: 'Play from here' }).click();
    await accessible(page, `${slug}, play from the analysis board`);
    await picture(page, `editor-${slug}-desk`);
    await dialog(page).getByLabel('Against').selectOption('easy');
    await dialog(page).getByLabel('Clock').selectOption({ label: '10 minutes, and 5 seconds a move' });
    await dialog(page).getByRole('button', { name: 'Start the match' }).click();
    const { seen } = await begun(page);
    assert.deepEqual([seen.position, seen.you, seen.turn, seen.ply], [position, seat, seat, 0]);
    assert.deepEqual([seen.clock.initial_ms, seen.clock.increment_ms], [600_000, 5_000]);
    assert.equal(seen.seats.filter(({ engine }) => engine?.level === 'easy').length, seen.seats.length - 1);
    await page.getByText('This match began with a position.').waitFor();
    await page.locator('.place .lit').first().waitFor();
    await accessible(page, `${slug}, a match from a position`);
    await picture(page, `match-${slug}-desk`);
    flawless(who);
  });
}

test('by keys alone a replayed position becomes a match with a friend, and shows where it is from', { timeout: 300_000 }, async (t) => {
  const slug = 'septica';
  const { id, tokens } = await finished(slug, '31');
  const who = await visitor(browser);
  t.after(() => who.context.close());
  await giveSeat(who, id, tokens[0]);
  const { page } = who;
  await openMatch(who, id, '?ply=6');
  const button = page.getByRole('button', { name: 'Play from here' });
  await button.waitFor();
  await button.focus();
  await page.keyboard.press('Enter');
  await dialog(page).waitFor();
  // Escape closes it, and the focus returns.
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Play from here');
  await page.keyboard.press('Enter');
  const seat = dialog(page).getByLabel('Your seat');
  await seat.waitFor();
  assert.match(await seat.locator('option').nth(Number(await seat.inputValue())).textContent(), /\(to move\)$/);
  await seat.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Tab');
  await page.keyboard.type('A friend');
  assert.equal(await dialog(page).getByLabel('Against').inputValue(), 'friend');
  await accessible(page, 'play from a replay');
  await picture(page, 'replay-desk');
  await page.keyboard.press('Tab');
  assert.equal(await dialog(page).getByLabel('Clock').inputValue(), '0 0 0', 'no clock unless one is chosen');
  await page.keyboard.press('End');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Start the match');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await page.getByText('This match began with a position of another match, after 6 moves.').waitFor();
  const second = new URL(page.url()).pathname.split('/').at(-1);
  // The friend joins and has the cards that the other player had.
  const joined = await api(`/v1/matches/${second}/join`, { body: { name: 'Carla' } });
  await page.locator('.place > *').first().waitFor();
  await page.waitForFunction(() => document.querySelector('#match').dataset.stage === 'running');
  const other = await api(`/v1/matches/${second}`, { token: joined.seats[0].token });
  assert.deepEqual([other.clock.initial_ms, other.clock.move_ms], [undefined, 30_000]);
  const events = await fetch(`${URL_}/v1/matches/${id}/events?since=0&seat=${other.you}`, { headers: { accept: 'application/x-ndjson' } });
  const frames = (await events.text()).split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line));
  const before = frames.find(({ type, ply }) => type === 'moved' && ply === 5);
  assert.deepEqual(other.position, before.position);
  assert.deepEqual((await shown(page)).ply, '0');
  // The link leads to the position in the first match.
  await page.getByRole('link', { name: 'This match began with a position of another match' }).click();
  await page.waitForURL((url) => url.pathname.endsWith(id) && url.searchParams.get('ply') === '6');
  flawless(who);
});

test('on a phone the dialog is within reach, and a refusal stays in it', { timeout: 300_000 }, async (t) => {
  const { id } = await finished('ioiwari', '32');
  const who = await visitor(browser, { forgive: /status of 404/, ...PHONE });
  t.after(() => who.context.close());
  const { page } = who;
  await openMatch(who, id, '?ply=3');
  await page.getByRole('button', { name: 'More replay tools' }).click();
  await page.getByRole('button', { name: 'Play from here' }).click();
  await accessible(page, 'play from a replay on a phone');
  await picture(page, 'replay-phone');
  // A bot that went offline meanwhile, or accepts no such match.
  await dialog(page).getByLabel('Against').evaluate((select) => {
    select.append(new Option('gone', 'bot:nobody of this name'));
    select.value = 'bot:nobody of this name';
  });
  await dialog(page).getByRole('button', { name: 'Start the match' }).click();
  await dialog(page).getByRole('alert').waitFor();
  await dialog(page).getByLabel('Against').selectOption('medium');
  await dialog(page).getByRole('button', { name: 'Start the match' }).click();
  await page.waitForURL((url) => /\/matches\//.test(url.pathname) && !url.pathname.endsWith(id));
  await page.getByText('This match began with a position of another match, after 3 moves.').waitFor();
  await page.locator('.place > *').first().waitFor();
  await accessible(page, 'a match from a replay on a phone');
  await picture(page, 'match-phone');
  flawless(who);
});
