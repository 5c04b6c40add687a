// Tournaments: from the form to the final table, with people, bots and engines; followed as it goes on.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { fresh, onlineBot, signedIn } from './people.js';
import { URL_, api, flawless, games, launch } from './visitor.js';

// A game whose best engine answers at once comes to its end soon.
const quick = games.find((game) => game.min_seats === 2 && game.engines[0].instant) ?? games[0];
const { slug } = quick;
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// Fills in the form for a tournament; its title.
async function fillIn(page, { game = slug, ...fields } = {}) {
  await page.goto(`${URL_}/tournaments`);
  await page.getByRole('link', { name: 'New tournament' }).click();
  const form = page.locator('#new:not([inert])');
  await form.waitFor();
  const title = fresh('Cup');
  await form.getByLabel('Title').fill(title);
  await form.locator('[name=game]').selectOption(game);
  for (const [name, value] of Object.entries(fields)) {
    const field = form.getByLabel(name);
    if (!(await field.isVisible())) await form.getByText('Table, deals, limits').click();
    if (await field.evaluate((one) => one.tagName === 'SELECT')) await field.selectOption(value);
    else await field.fill(String(value));
  }
  await good(page, 'the form');
  return title;
}

// Creates a tournament with the form; its id.
async function create(page, fields) {
  const title = await fillIn(page, fields);
  await page.getByRole('button', { name: 'Create the tournament' }).click();
  await page.waitForURL(/\/tournaments\/[0-9a-f]{8}-/);
  assert.equal(await page.locator('h1').innerText(), title);
  return new URL(page.url()).pathname.split('/').pop();
}

const stage = (page, text) => page.locator('#facts .stage').filter({ hasText: text });
const rows = (page) => page.locator('#standings tbody tr');

// Adds this engine at its easiest level.
async function engine(page, name) {
  const value = await page.locator(`#engine option[value*=":${name}:"]`).first().getAttribute('value');
  await page.getByLabel('Built-in engine').selectOption(value);
  const before = await rows(page).count();
  await page.getByRole('button', { name: 'Add the engine' }).click();
  await rows(page).nth(before).waitFor();
}

test('tournament of a person, a bot and engines, from the form to the final table', { timeout: 600_000 }, async (t) => {
  const ana = await signedIn(t, browser, '/', { name: 'ana' });
  const id = await create(ana.page, { Clock: '0 0 30000' });
  const bot = await onlineBot(t, ana, slug, ['--concurrent', '4']);
  await ana.page.reload();
  await ana.page.getByRole('button', { name: `Enter ${bot.name}` }).click();
  await rows(ana.page).first().waitFor();
  await engine(ana.page, 'random');
  await engine(ana.page, quick.engines[0].name);
  // Another person watches on a phone, enters, and leaves again.
  const bob = await signedIn(t, browser, `/tournaments/${id}`, { name: 'bob', width: 390, height: 844 });
  await bob.page.getByRole('button', { name: 'Enter', exact: true }).click();
  await bob.page.getByRole('button', { name: 'Withdraw' }).click();
  await ana.page.locator('#standings').getByText(bob.name).waitFor();
  await good(bob.page, 'before the start, on a phone');
  await bob.page.getByRole('button', { name: 'Withdraw' }).click();
  await ana.page.locator('#standings').getByText(bob.name).waitFor({ state: 'detached' });
  assert.equal(await bob.page.getByRole('button', { name: 'Start' }).count(), 0, 'only the organizer starts it');
  // No page asks for news on its own: all of it comes with events.
  const asked = [];
  bob.page.on('request', (request) => { if (request.url().includes('/v1/tournaments/')) asked.push(request.url()); });
  await bob.page.waitForTimeout(2500);
  assert.deepEqual(asked, []);
  await ana.page.getByRole('button', { name: 'Start the tournament' }).click();
  await stage(bob.page, 'Being played').waitFor();
  await ana.page.getByRole('button', { name: 'Pause' }).click();
  await stage(bob.page, 'Paused').waitFor();
  await ana.page.getByRole('button', { name: 'Go on' }).click();
  await bob.page.locator('#games td a').first().waitFor();
  for (const { page } of [ana, bob]) await stage(page, 'Over').waitFor({ timeout: 500_000 });
  await ana.page.locator('#secret code').first().waitFor();

  // The final table says what the API says.
  const final = await api(`/v1/tournaments/${id}`);
  assert.equal(final.games.length, 3 * 2, 'everyone meets everyone, in both seats');
  for (const { page } of [ana, bob]) {
    const shown = await rows(page).evaluateAll((all) => all.map((row) => [...row.cells].slice(0, 4).map((cell) => cell.innerText)));
    const expected = final.standings.map(({ entrant, place, points, games: played }) => [final.entrants[entrant].name, place, points, played].map(String));
    assert.deepEqual(shown.map(([name, ...rest]) => [name.split(' ')[0], ...rest]), expected);
    assert.match(await rows(page).first().innerText(), /\d+% \(\d+%–\d+%\)/);
    assert.equal(await page.locator('#crosstable tbody tr').count(), 3);
    assert.equal(await page.locator('#games tbody tr').count(), 6);
    await good(page, 'the final table');
  }
  const likely = final.standings[0].superiority;
  assert.ok((await rows(ana.page).first().innerText()).includes(`${Math.round(100 * likely)}%`));
  // Downloads: the standings, and the record of every game.
  const [csv] = await Promise.all([ana.page.waitForEvent('download'), ana.page.getByRole('link', { name: 'Standings as CSV' }).click()]);
  assert.equal(readFileSync(await csv.path(), 'utf8').trim().split('\r\n').length, 4);
  const [records] = await Promise.all([ana.page.waitForEvent('download'), ana.page.getByRole('link', { name: 'All records' }).click()]);
  assert.equal(readFileSync(await records.path(), 'utf8').trim().split('\n').length, 6);
  // Every match can be replayed.
  await ana.page.locator('#games tbody tr').first().getByRole('link').click();
  await ana.page.locator('.scrubber').waitFor();
  await ana.page.getByRole('button', { name: 'Check the record' }).click();
  await ana.page.getByText('The record is correct').waitFor();
  await ana.page.getByRole('link', { name: 'To the tournament' }).click();
  await ana.page.waitForURL(`${URL_}/tournaments/${id}`);
  flawless(ana.who, bob.who);
});

test('people play a tournament: they are told of their game, take their seats, and play on', { timeout: 120_000 }, async (t) => {
  const ana = await signedIn(t, browser, '/', { name: 'ana' });
  const bob = await signedIn(t, browser, '/lobby', { name: 'bob', width: 390, height: 844 });
  const id = await create(ana.page, { Format: 'swiss', Rounds: 1, Clock: '180000 2000 0' });
  await ana.page.getByRole('button', { name: 'Enter', exact: true }).click();
  await rows(ana.page).first().waitFor();
  await bob.page.goto(`${URL_}/tournaments/${id}`);
  await bob.page.getByRole('button', { name: 'Enter', exact: true }).click();
  await rows(ana.page).nth(1).waitFor();
  await bob.page.goto(`${URL_}/lobby`);
  await ana.page.getByRole('button', { name: 'Start the tournament' }).click();
  for (let game = 0; game < 2; game += 1) {
    for (const { page } of [ana, bob]) {
      await page.locator('.notices').getByText('in a tournament is ready').waitFor({ timeout: 30_000 });
      await page.locator('.notices').getByRole('link', { name: 'Go to the match' }).click();
      await page.getByRole('button', { name: 'Take your seat' }).click();
    }
    for (const { page } of [ana, bob]) await page.locator('.place > *').first().waitFor();
    const match = new URL(bob.page.url()).pathname.split('/').pop();
    await api(`/v1/matches/${match}/resign`, { token: bob.token, method: 'POST' });
    await ana.page.locator('.status').filter({ hasText: 'You have won' }).waitFor();
  }
  await ana.page.goto(`${URL_}/tournaments/${id}`);
  await stage(ana.page, 'Over').waitFor();
  assert.match(await rows(ana.page).first().innerText(), new RegExp(`^${ana.name}\\s+1\\s+2\\s+2\\s+2`));
  flawless(ana.who, bob.who);
});

test('organizer removes an entrant and aborts; guests and bad orders are told why', { timeout: 120_000 }, async (t) => {
  const ana = await signedIn(t, browser, '/', { name: 'ana', width: 390, height: 844, forgive: /409|422/ });
  await fillIn(ana.page, { 'Most entrants': 200, 'Deals of': 64 });
  await ana.page.getByRole('button', { name: 'Create the tournament' }).click();
  await ana.page.locator('#new .trouble').filter({ hasText: 'the limit is' }).waitFor();
  await create(ana.page);
  await ana.page.getByRole('button', { name: 'Start the tournament' }).click();
  await ana.page.locator('#tournament > .trouble').filter({ hasText: /./ }).waitFor();
  await engine(ana.page, 'random');
  await engine(ana.page, quick.engines[0].name);
  await ana.page.getByLabel('Entrant').selectOption({ index: 0 });
  await ana.page.getByRole('button', { name: 'Remove' }).click();
  await rows(ana.page).nth(1).waitFor({ state: 'detached' });
  await ana.page.getByRole('button', { name: 'Abort' }).click();
  await ana.page.getByRole('button', { name: 'Abort' }).click();
  await stage(ana.page, 'Aborted').waitFor();
  await good(ana.page, 'an aborted tournament');
  flawless(ana.who);
});
