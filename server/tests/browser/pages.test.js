// Every page: accessible by the rules of an automatic checker, light and dark; readable on a phone; the
// parts of a match's page besides its board.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { good as sound, goodInSizes } from './axe.js';
import { misfits } from './fits.js';
import { choose, click, easy, openMatch, giveSeat, randomNumbers, make, me, open, nextMove } from './play.js';
import { URL_, api, flawless, games, launch, load, resize, visitor } from './visitor.js';

// The match's page is checked for the graver findings.
const GRAVE = ['serious', 'critical'];
const good = (page, what, grades = GRAVE) => sound(page, what, grades);
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const SIZES = [['a narrow phone', 360, 740], ['a phone on its side', 844, 390], ['a tablet', 1024, 768], ['a large screen', 1440, 900]];

test('the pages around the matches, on windows of all sizes', { timeout: 300_000 }, async (t) => {
  const who = await visitor(browser, { forgive: /404/ });
  t.after(() => who.context.close());
  const [{ slug: first }] = games;
  for (const path of ['/', '/matches', '/bots', '/tournaments', '/tournaments/new', '/lobby', '/account', '/no-such-page', '/games/no-such-game',
    '/docs/problems', `/games/${first}/leaderboard`, ...games.map(({ slug: game }) => `/games/${game}`)]) {
    await load(who.page, path);
    await goodInSizes(who.page, path, SIZES);
  }
  flawless(who);
});

test('the reference of the API is accessible on windows of all sizes', { timeout: 300_000 }, async (t) => {
  const who = await visitor(browser);
  t.after(() => who.context.close());
  await load(who.page, '/docs/');
  await goodInSizes(who.page, '/docs/', SIZES);
  flawless(who);
});

for (const [size, width, height] of SIZES) {
  test(`the reference of the API leads to operations and schemas, on ${size}`, { timeout: 300_000 }, async (t) => {
    const who = await visitor(browser, { width, height });
    t.after(() => who.context.close());
    // Every operation can be reached, and so can the rest of the site.
    await who.page.goto(`${URL_}/docs/`);
    await who.page.getByRole('navigation', { name: 'Operations' }).getByText('Make a move.').locator('..').getByRole('link').click();
    await who.page.locator('#playMove').getByRole('heading', { level: 3 }).waitFor();
    // The schemas have no layout yet; a link leads to the right one nevertheless.
    const link = who.page.locator('#playMove a[href^="#schema-"]').last();
    const schema = await link.getAttribute('href');
    await link.click();
    await who.page.waitForFunction((target) => {
      const { top } = document.querySelector(target).getBoundingClientRect();
      return top >= 0 && top < 60;
    }, schema);
    await who.page.getByRole('link', { name: 'kibitz' }).click();
    await who.page.waitForURL(`${URL_}/`);
    flawless(who);
  });
}

const BOARD_SIZES = [['a phone', 390, 844], ['a phone on its side', 844, 390], ['a tablet', 1024, 768], ['a large screen', 1440, 900]];

for (const { slug: game, title, min_seats } of games) {
  test(`the board of ${title} at start, middle and end, on windows of all sizes`, { timeout: 300_000 }, async (t) => {
    const others = Array(Math.max(1, min_seats - 1)).fill(easy);
    const long = me('A name as long as they are al');
    const { id, seats: [{ token }] } = await make(game, [long, ...others], { seed: '21' });
    const who = await visitor(browser, { width: 390, height: 844 });
    t.after(() => who.context.close());
    await giveSeat(who, id, token);
    await openMatch(who, id);
    const { page } = who;
    // The moment is checked in every size; a turn must fit each of them.
    const check = async (what, fits = true) => {
      await goodInSizes(page, what, BOARD_SIZES, GRAVE, true);
      for (const [size, width, height] of fits ? BOARD_SIZES : []) {
        await resize(page, { width, height });
        assert.deepEqual(await misfits(page), [], `${what} on ${size}`);
      }
    };
    await page.locator('.place .lit').first().waitFor();
    await check('the start');
    const dice = randomNumbers(21);
    for (let moves = 0; moves < 2; moves += 1) {
      const next = await nextMove(page, id, dice());
      if (next) await click(page, next);
      else await page.waitForTimeout(60);
    }
    const next = await nextMove(page, id, dice());
    if (next) await choose(page, next.targets.slice(0, 1));
    await check('the middle, with something chosen');
    // The end comes sooner by the API.
    const { stage } = await api(`/v1/matches/${id}`);
    if (stage !== 'over') await api(`/v1/matches/${id}/resign`, { token, method: 'POST' });
    await page.locator('.truth strong').waitFor();
    await check('the end', false);
    flawless(who);
  });
}

test('nothing on a page moves when its scripts start', { timeout: 60_000 }, async (t) => {
  const tops = await Promise.all([true, false].map(async (javaScriptEnabled) => {
    const { page, context } = await visitor(browser, { width: 390, height: 844, javaScriptEnabled });
    t.after(() => context.close());
    await page.goto(`${URL_}/`);
    if (javaScriptEnabled) await page.locator('button.theme').waitFor();
    return (await page.locator('main').boundingBox()).y;
  }));
  assert.equal(tops[0], tops[1]);
});

test('an invitation, a free seat, a seat that is left', { timeout: 300_000 }, async (t) => {
  const [{ slug: game, max_seats }] = games.filter((entry) => entry.max_seats > 1);
  const made = await make(game, [me(), open], { private: true });
  const ana = await visitor(browser, { width: 360 });
  const bogdan = await visitor(browser);
  t.after(() => Promise.all([ana.context.close(), bogdan.context.close()]));
  await giveSeat(ana, made.id, made.seats[0].token, { key: made.key });
  await ana.page.goto(`${URL_}/matches/${made.id}`);
  const link = await ana.page.getByLabel('The link to this match').inputValue();
  assert.ok(link.includes(`#key=${made.key}`));
  await ana.page.getByText('Let a program play').click();
  const command = await ana.page.getByLabel('The command').inputValue();
  assert.ok(command.includes(`kibitz-shim join ${URL_}/v1/matches/${made.id} --key ${made.key} -- `), command);
  await good(ana.page, 'an invitation');
  // The picture says which game it is.
  await ana.page.waitForFunction(() => document.querySelector('.cover').naturalWidth > 0);
  await bogdan.page.goto(link);
  await bogdan.page.getByLabel('Your name').fill('Bogdan');
  await good(bogdan.page, 'a free seat');
  await bogdan.page.getByRole('button', { name: 'Join' }).click();
  await bogdan.page.locator('.place > *').first().waitFor();
  await ana.page.locator('.place > *').first().waitFor();
  // The page asks for confirmation before a player gives up.
  await bogdan.page.getByRole('button', { name: 'Resign' }).click();
  await bogdan.page.getByRole('button', { name: 'No' }).click();
  assert.equal((await api(`/v1/matches/${made.id}`, { token: made.seats[0].token })).stage, 'running');
  await bogdan.page.getByRole('button', { name: 'Resign' }).click();
  await bogdan.page.getByRole('button', { name: 'Resign' }).click();
  await ana.page.locator('.status').filter({ hasText: 'You have won' }).waitFor();
  // Rematch: one player asks, the other is notified, and both join it.
  await bogdan.page.getByRole('button', { name: 'Play again', exact: true }).click();
  await bogdan.page.waitForURL((url) => !url.pathname.endsWith(made.id));
  await ana.page.getByRole('button', { name: 'Play again too' }).click({ timeout: 60_000 });
  await ana.page.waitForURL((url) => !url.pathname.endsWith(made.id));
  for (const { page } of [ana, bogdan]) await page.locator('.place > *').first().waitFor();
  assert.equal(new URL(ana.page.url()).pathname, new URL(bogdan.page.url()).pathname);
  assert.ok(max_seats > 1);
  flawless(ana, bogdan);
});

test('inaccessible match is explained in a sentence', async (t) => {
  const who = await visitor(browser, { forgive: /404/ });
  t.after(() => who.context.close());
  await who.page.goto(`${URL_}/matches/01a1ffda-65d2-75db-b715-572ec5596cda`);
  assert.match(await who.page.getByRole('alert').innerText(), /no public match/i);
  flawless(who);
});

test('a hint is shown on the board and removed with the position', { timeout: 300_000 }, async (t) => {
  const [{ slug: game }] = games.filter((entry) => entry.min_seats === 2);
  const { id, seats: [{ token }] } = await make(game, [me(), easy], { seed: '13', hints: true });
  const who = await visitor(browser);
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await openMatch(who, id);
  const { page } = who;
  await page.getByRole('button', { name: 'Show a hint' }).click();
  const values = page.locator('.hints .ranked .value');
  await values.first().waitFor();
  assert.match(await values.first().innerText(), /^\d+ %$/);
  await page.locator('.place .hinted').first().waitFor();
  await good(page, 'a hint');
  await click(page, await nextMove(page, id, 3));
  await values.first().waitFor({ state: 'detached' });
  const without = await make(game, [me(), easy], { hints: false });
  await giveSeat(who, without.id, without.seats[0].token);
  await openMatch(who, without.id);
  await page.locator('.place .lit').first().waitFor();
  assert.ok(await page.locator('.hints').isHidden());
  flawless(who);
});

test('a spectator sees the match and can choose nothing', { timeout: 300_000 }, async (t) => {
  const [{ slug: game }] = games.filter((entry) => entry.min_seats === 2);
  const { id } = await make(game, [me(), easy]);
  const who = await visitor(browser);
  t.after(() => who.context.close());
  await openMatch(who, id);
  assert.equal(await who.page.locator('.place .lit').count(), 0);
  assert.ok(await who.page.locator('.bar').isHidden());
  flawless(who);
});

test('a game without a board is played on the plain board', { timeout: 300_000 }, async (t) => {
  const [{ slug: game }] = games.filter((entry) => entry.min_seats === 2);
  const { id, seats: [{ token }] } = await make(game, [me(), easy], { seed: '12' });
  // The page of such a game preloads no texts of a board; here they stay unused, which a browser says after some seconds.
  const forgive = new RegExp(`/games/${game}/.*preloaded using link preload`);
  const who = await visitor(browser, { width: 360, forgive });
  t.after(() => who.context.close());
  // The page as it is for a game without a board of its own.
  await who.page.addInitScript(() => new MutationObserver(() => {
    const root = document.querySelector('#match');
    if (root && root.dataset.boards !== '') root.dataset.boards = '';
  }).observe(document, { childList: true, subtree: true }));
  await giveSeat(who, id, token);
  await openMatch(who, id);
  await who.page.locator('.board-plain').waitFor();
  await good(who.page, 'the plain board');
  for (let moves = 0; moves < 3; moves += 1) {
    const next = await nextMove(who.page, id, 5);
    if (next) await click(who.page, next);
    else await who.page.waitForTimeout(50);
  }
  flawless(who);
});

test('the home page and the page of a match stay within their size limits', { timeout: 300_000 }, async (t) => {
  const who = await visitor(browser);
  t.after(() => who.context.close());
  const session = await who.context.newCDPSession(who.page);
  await session.send('Network.enable');
  let transferred = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => { transferred += encodedDataLength; });
  await who.page.goto(`${URL_}/`, { waitUntil: 'networkidle' });
  assert.ok(transferred < 150 * 1024, `the first page: ${transferred} bytes`);
  for (const { slug: game, min_seats } of games) {
    const { id, seats: [{ token }] } = await make(game, [me(), ...Array(Math.max(1, min_seats - 1)).fill(easy)]);
    await session.send('Network.clearBrowserCache');
    transferred = 0;
    await giveSeat(who, id, token);
    await openMatch(who, id);
    assert.ok(transferred > 0 && transferred < 250 * 1024, `${game}: ${transferred} bytes`);
    t.diagnostic(`${game}: ${transferred} bytes`);
  }
});

test('a finished match is replayed, analysed, and seen by others', { timeout: 300_000 }, async (t) => {
  const { slug: game } = games.find((entry) => entry.min_seats === 2);
  const { id, seats: [{ token }] } = await make(game, [me(), easy], { seed: '31' });
  const who = await visitor(browser);
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await openMatch(who, id);
  const { page } = who;
  const first = await page.locator('.place').innerText();
  const dice = randomNumbers(31);
  for (let moves = 0; moves < 4; moves += 1) {
    const next = await nextMove(page, id, dice());
    if (next) await click(page, next);
    else await page.waitForTimeout(100);
  }
  await api(`/v1/matches/${id}/resign`, { token, method: 'POST' });
  await page.locator('.scrubber').waitFor();
  const place = page.locator('.scrubber output');
  const { ply: plies } = await api(`/v1/matches/${id}`);
  await place.filter({ hasText: `Move ${plies} of ${plies}` }).waitFor();
  await page.locator('h1').click({ position: { x: 200, y: 5 }, force: true, trial: true });
  await page.keyboard.press('Home');
  await place.filter({ hasText: `Move 0 of ${plies}` }).waitFor();
  assert.equal((await page.locator('.place').innerText()).length > 0, first.length > 0);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await place.filter({ hasText: `Move 2 of ${plies}` }).waitFor();
  assert.match(page.url(), /ply=2/);
  await page.reload();
  await place.filter({ hasText: `Move 2 of ${plies}` }).waitFor();
  await page.keyboard.press('End');
  await place.filter({ hasText: `Move ${plies} of ${plies}` }).waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  await place.filter({ hasText: 'Move 1 of' }).waitFor();
  await page.keyboard.press(' ');
  await page.locator('.record ol.moves button').first().click();
  await place.filter({ hasText: 'Move 1 of' }).waitFor();
  await page.getByLabel('As seen by').selectOption('1');
  await page.getByLabel('As seen by').selectOption('all');
  await page.locator('.other-views .place > *').first().waitFor();
  await good(page, 'everything side by side');
  await page.getByRole('button', { name: 'Analyse the whole match' }).click();
  await page.locator('.graph').waitFor({ timeout: 240_000 });
  const lines = page.locator('.graph polyline');
  const curves = await lines.evaluateAll((all) => all.map((one) => one.getAttribute('points').split(' ')));
  assert.equal(curves.length, 1, 'with two players one line has the chances of both');
  assert.ok(curves.flat().length > 2, 'the decisions, and the end');
  await good(page, 'a judged match');
  const button = page.getByRole('button', { name: 'Download the record' });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  assert.match(download.suggestedFilename(), new RegExp(`^${game}-.*\\.json$`));
  assert.equal(JSON.parse(readFileSync(await download.path(), 'utf8')).id, id);
  flawless(who);
});
