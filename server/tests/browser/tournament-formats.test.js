// Formats of tournaments, from the organizer's form to the final table, on a phone and at a desk: a gauntlet, a sampled round
// robin at tables of four, and a tournament with a window.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { player, signedIn } from './people.js';
import { create, engine, fillIn, opponent, rows, scrolled, shown, stage } from './tournament.js';
import { api, flawless, games, launch } from './visitor.js';

const SIZES = [['a phone', { width: 360, height: 640 }], ['a desk', { width: 1280, height: 860 }]];
const LEVELS = ['easy', 'medium', 'hard', 'max'];
// A game in which a bot of the contest has one seat.
const single = games.find((game) => game.max_seats === 2 && game.bot_seats.length === 1);
// A game for up to four players, with engines that answer at once.
const forFour = games.find((game) => game.slug === 'splendor');
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// Checks that the page is good, that nothing must be scrolled sideways, and that each control can be pressed.
async function checked(page, what) {
  await good(page, what);
  assert.deepEqual(await scrolled(page), [], what);
  const controls = page.locator('main :is(button, select, input, summary, .actions a):enabled, main summary').filter({ visible: true });
  for (const control of await controls.all()) await control.click({ trial: true });
}

// The fields of the form that are shown, by their names.
const fields = (page) => page.locator('#new :is(input, select)').filter({ visible: true }).evaluateAll((all) => all.map(({ name }) => name));

// Starts the tournament and waits for its end; the tournament as the API shows it.
async function played(page, id) {
  await page.getByRole('button', { name: 'Start the tournament' }).click();
  await stage(page, 'Over').waitFor({ timeout: 240_000 });
  await page.locator('#secret code').first().waitFor();
  return api(`/v1/tournaments/${id}`);
}

// Checks the standings and the games of the page against those of the API.
async function agrees(page, final) {
  const names = await Promise.all(final.entrants.map(({ name }) => shown(name)));
  const seen = await rows(page).evaluateAll((all) => all.map(({ cells }) =>
    [cells[0].innerText, cells[1].querySelector('a').innerText, cells[2].innerText, cells[3].innerText]));
  const rounded = (points) => Math.round(100 * points) / 100;
  assert.deepEqual(seen, final.standings.map(({ entrant, place, points, games: own }) => [place, names[entrant], rounded(points), own].map(String)));
  assert.deepEqual(await page.locator('#games tbody th').allInnerTexts(),
    final.games.map(({ seats }) => seats.map((seat) => names[seat]).join(' – ')));
  assert.equal(await page.locator('#games').getByRole('link', { name: 'Replay' }).count(), final.games.length);
  return names;
}

for (const [where, size] of SIZES) {
  test(`gauntlet of engines on ${where}: each entrant meets the fixed opponents`, { timeout: 300_000 }, async (t) => {
    const ana = await signedIn(t, browser, '/', { name: 'ana', ...size });
    const { page } = ana;
    const id = await create(page, { game: single.slug, Format: 'gauntlet', 'Games against each opponent': 5, Clock: '0 0 30000' });
    await opponent(page, 'random');
    await opponent(page, 'random', 'max');
    for (const { name } of single.engines.filter((one) => one.instant).slice(0, 2)) await engine(page, name);
    await checked(page, `a gauntlet before its start on ${where}`);
    const final = await played(page, id);
    assert.equal(final.games.length, 2 * 2 * 5, 'each entrant has five games against each opponent');
    const names = await agrees(page, final);
    // A column for each fixed opponent. Entrants do not meet each other.
    const opponents = [...final.entrants.keys()].filter((entrant) => final.entrants[entrant].opponent);
    assert.equal(opponents.length, 2);
    const table = page.locator('#crosstable table');
    assert.deepEqual(await table.locator('thead th').allInnerTexts(), ['Player', ...opponents.map((other) => names[other])]);
    const cell = (own, other) => final.crosstable.find(({ entrant, opponent: met }) => entrant === own && met === other);
    assert.deepEqual(await table.locator('tbody tr').evaluateAll((all) => all.map(({ cells }) => [...cells].slice(1).map((one) => one.innerText))),
      final.standings.map(({ entrant }) => opponents.map((other) => `${cell(entrant, other).points} / ${cell(entrant, other).games}`)));
    await checked(page, `the end of a gauntlet on ${where}`);
    flawless(ana.who);
  });

  test(`sampled round robin at tables of four on ${where}`, { timeout: 300_000 }, async (t) => {
    const ana = await signedIn(t, browser, '/', { name: 'ana', ...size });
    const { page } = ana;
    const id = await create(page, {
      game: forFour.slug, Format: 'sampled_round_robin', 'Games of each player': 4, Clock: '0 0 30000', 'Players at a table': 4,
    });
    for (const level of LEVELS) await engine(page, 'random', level);
    for (const level of LEVELS.slice(0, 2)) await engine(page, 'greedy', level);
    await checked(page, `a sampled round robin before its start on ${where}`);
    const final = await played(page, id);
    await agrees(page, final);
    assert.deepEqual([final.seats, final.games.length], [4, 6]);
    assert.ok(final.standings.every(({ games: own }) => own === 4), 'each player has four games');
    // A phone has no room for a table of six players: each player of a list can be opened.
    const list = page.getByRole('list', { name: 'Crosstable' });
    assert.equal(await list.isVisible(), size.width < 500);
    const crosstable = size.width < 500 ? list.locator(':scope > li') : page.locator('#crosstable tbody tr');
    assert.equal(await crosstable.count(), 6);
    if (size.width < 500) await crosstable.first().locator('summary').click();
    await checked(page, `the end of a sampled round robin on ${where}`);
    // The table of games with all its columns.
    if (size.width < 500) {
      await page.locator('#games').getByLabel('All columns').check();
      assert.ok(await page.locator('#games').getByRole('columnheader', { name: 'Deal' }).isVisible());
      await checked(page, `all columns of the games on ${where}`);
    }
    flawless(ana.who);
  });

  test(`window on ${where}: the page says until when games wait, and a game begins when its players are there`, { timeout: 300_000 }, async (t) => {
    const timezoneId = 'Asia/Kathmandu';
    const ana = await signedIn(t, browser, '/', { name: 'ana', timezoneId, ...size });
    const { page } = ana;
    const id = await create(page, { game: single.slug, Clock: '180000 2000 0', Window: 3 });
    await page.getByText('window of 3 hours').waitFor();
    await page.getByRole('button', { name: 'Enter', exact: true }).click();
    // Bob enters, and has no page open.
    const session = await player('bob');
    await api(`/v1/tournaments/${id}/entries`, { token: session.token, body: {} });
    await rows(page).nth(1).waitFor();
    await page.getByRole('button', { name: 'Start the tournament' }).click();
    await stage(page, 'Being played').waitFor();
    const { waits_until_ms: until } = await api(`/v1/tournaments/${id}`);
    const time = new Date(until).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: timezoneId });
    // With the time that is left, which counts down.
    const words = page.getByText(/games wait for players who are away\.\s+[\d:]+ left$/);
    // The page changed when the tournament started; it shows the same when it is loaded.
    for (const again of [false, true]) {
      if (again) await page.reload();
      await words.waitFor();
      const [sentence, left] = (await words.innerText()).replace(/\s/gu, ' ').split(/(?<=away\.) /);
      assert.equal(sentence, `Until ${time} games wait for players who are away.`.replace(/\s/gu, ' '));
      assert.match(left, /^[\d:]+ left$/);
    }
    const game = page.locator('#games tbody tr').first();
    await game.getByText('Not begun').waitFor();
    await checked(page, `a tournament with a window on ${where}`);
    const bob = await signedIn(t, browser, '/lobby', { session, ...size });
    await game.getByText('Being played').waitFor({ timeout: 60_000 });
    for (const who of [ana, bob]) await who.page.locator('.notices').getByText('in a tournament is ready').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Abort' }).click();
    await page.getByRole('button', { name: 'Abort' }).click();
    await stage(page, 'Aborted').waitFor();
    await page.getByText('games wait for players who are away').waitFor({ state: 'detached' });
    flawless(ana.who, bob.who);
  });

  test(`form on ${where}: the fields of each format, all of which can be reached`, { timeout: 300_000 }, async (t) => {
    const ana = await signedIn(t, browser, '/', { name: 'ana', ...size });
    const { page } = ana;
    await fillIn(page, { game: forFour.slug, Window: 3 });
    const format = page.getByLabel('Format');
    for (const [kind, own, table] of [
      ['round_robin', [], ['seats', 'deals', 'dealing']],
      ['sampled_round_robin', ['games', 'hours'], ['seats', 'dealing']],
      ['gauntlet', ['games'], ['seats']],
      ['swiss', ['rounds'], ['seats', 'deals', 'dealing']],
      ['ladder', ['pairings'], ['seats', 'deals', 'dealing']],
    ]) {
      await format.selectOption(kind);
      assert.deepEqual(await fields(page), ['title', 'game', 'format', ...own, 'clock', 'starts', 'rated', ...table,
        'max_entrants', 'max_running', 'per_entrant', 'grace', 'window'], kind);
      await checked(page, `the form for ${kind} on ${where}`);
    }
    // A time replaces the number of games.
    await format.selectOption('sampled_round_robin');
    await page.getByLabel('Or as many as fit').fill('2');
    await page.getByLabel('Or as many as fit').press('Tab');
    assert.ok(await page.getByLabel('Games of each player').isDisabled());
    // A value that the browser refuses does not stop the form where it does not apply.
    await format.selectOption('swiss');
    await page.getByLabel('Rounds').fill('0');
    await format.selectOption('round_robin');
    // It is shown where it does apply, also in the closed part.
    const grace = page.getByLabel('Minutes that a game waits');
    await grace.fill('0');
    await page.getByText('Table, deals, limits').click();
    await grace.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Create the tournament' }).click();
    await grace.waitFor();
    assert.ok(await grace.evaluate((one) => one === document.activeElement));
    await grace.fill('5');
    await page.getByRole('button', { name: 'Create the tournament' }).click();
    await page.waitForURL(/\/tournaments\/[0-9a-f]{8}-/);
    flawless(ana.who);
  });
}
