// Puzzles: the games that have some, a puzzle solved by touch and one by mouse, the rating of a player, and the puzzle of the day.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { goodInSizes } from './axe.js';
import { player, signedIn } from './people.js';
import { playButton } from './play.js';
import { URL_, api, flawless, games, launch, load, visitor } from './visitor.js';

const SIZES = [['a small phone', 360, 640], ['a phone on its side', 844, 390], ['a desk', 1280, 860]];
// Games whose bad matches give puzzles soon: one in which everybody sees everything, and one with hidden cards.
const [TOUCHED, CLICKED] = ['ioiwari', 'septica'];
// The most matches that are analysed for a puzzle.
const MATCHES = 12;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// Analyses matches between engines that move at random until their game has a puzzle; returns the one of the day.
async function daily(game) {
  const seats = Array.from({ length: 2 }, () => ({ kind: 'engine', engine: 'random' }));
  for (let seed = 1; seed <= MATCHES; seed += 1) {
    const { id } = await api('/v1/matches', { body: { game, seats, seed } });
    await (await fetch(`${URL_}/v1/matches/${id}/events?since=0`, { headers: { accept: 'application/x-ndjson' } })).text();
    await api(`/v1/matches/${id}/analysis`, { method: 'POST' });
    for (;;) {
      const { stage } = await api(`/v1/matches/${id}/analysis`);
      if (stage === 'done') break;
      assert.equal(stage, 'pending');
      await new Promise((done) => setTimeout(done, 100));
    }
    const answer = await fetch(`${URL_}/v1/puzzles/daily?game=${game}`);
    if (answer.ok) return answer.json();
  }
  return assert.fail(`${MATCHES} matches of ${game} gave no puzzle`);
}

// The solution, by the try of a guest.
function solution({ id, moves: [{ notation }] }) {
  return api(`/v1/puzzles/${id}/tries`, { body: { notation } });
}

// The targets that choose a move on the board.
function targets(page, { game, position }, { move }) {
  return page.evaluate(async ([slug, chosen, view]) => {
    const { paths } = await import(`/web/games/${slug}/board.js`);
    return paths(chosen, view).flat();
  }, [game, move, position]);
}

const target = (page, name) => page.locator(`.place [data-target=${JSON.stringify(name)}].lit`).filter({ visible: true }).first();

async function picture(page, name) {
  if (!process.env.KIBITZ_PICTURES) return;
  for (const [size, width, height] of [['phone', 360, 640], ['desk', 1280, 860]]) {
    for (const colorScheme of ['light', 'dark']) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/puzzle-${name}-${size}-${colorScheme}.png`, fullPage: name === 'home' });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

test('a player solves the puzzle of the day by touch, from the first page, and is rated', { timeout: 300_000 }, async (t) => {
  const puzzle = await daily(TOUCHED);
  const { best } = await solution(puzzle);
  const { title } = games.find(({ slug }) => slug === TOUCHED);
  const { page, who } = await signedIn(t, browser, '/', { session: await player('ana'), width: 360, height: 640, hasTouch: true });
  await picture(page, 'home');
  await page.setViewportSize({ width: 360, height: 640 });
  await page.locator('p.daily').getByRole('link', { name: title }).tap();
  await page.waitForURL(`**/puzzles/${puzzle.id}`);
  await page.getByText('Find the best move.').waitFor();
  await page.getByText('Your puzzle rating: 1500').waitFor();
  await goodInSizes(page, 'a puzzle', SIZES);
  await picture(page, TOUCHED);
  await page.setViewportSize({ width: 360, height: 640 });
  for (const name of await targets(page, puzzle, best)) await target(page, name).tap();
  await playButton(page).tap();
  await page.getByText(/^Right: /).waitFor();
  assert.match(await page.locator('.tools').innerText(), /Your puzzle rating: 1500 → 1[56]\d\d/);
  assert.equal(await page.locator('.place .lit').count(), 0, 'a second try is not offered');
  await goodInSizes(page, 'a solved puzzle', SIZES);
  await picture(page, `${TOUCHED}-solved`);
  // The first try counts, and only that one: the page says so when it is opened again.
  await load(page, `/puzzles/${puzzle.id}`);
  await page.getByText('You have tried this puzzle before').waitFor();
  // Each puzzle comes once.
  const none = page.getByText('There is no other puzzle of this game for you yet.');
  for (let seen = 0; !await none.isVisible(); seen += 1) {
    assert.ok(seen < 50, 'the puzzles end');
    const { pathname } = new URL(page.url());
    const answered = page.waitForResponse((answer) => answer.url().includes('/v1/puzzles/next'));
    await page.getByRole('button', { name: 'Next puzzle' }).tap();
    if (!(await answered).ok()) break;
    await page.waitForFunction((before) => location.pathname !== before, pathname);
    const other = await api(`/v1/puzzles${new URL(page.url()).pathname.slice('/puzzles'.length)}`);
    await api(`/v1/puzzles/${other.id}/tries`, { token: (await page.evaluate(() => JSON.parse(localStorage.getItem('kibitz.player')))).token,
      body: { notation: other.moves[0].notation } });
  }
  await none.waitFor();
  // The browser logs the refusal.
  who.faults = who.faults.filter((fault) => !/404 .*\/v1\/puzzles\/next/.test(fault));
  flawless(who);
});

test('a guest misses a puzzle by mouse, and reads why', { timeout: 300_000 }, async (t) => {
  await daily(CLICKED);
  const { title } = games.find(({ slug }) => slug === CLICKED);
  const who = await visitor(browser);
  t.after(() => who.context.close());
  const { page } = who;
  await load(page, '/puzzles');
  await goodInSizes(page, 'the games with puzzles', SIZES);
  await picture(page, 'games');
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.locator('ul.boards').getByRole('link', { name: title }).click();
  await page.waitForURL(/\/puzzles\/[0-9a-f-]{36}$/);
  const puzzle = await api(`/v1${new URL(page.url()).pathname}`);
  const { moves, best } = await solution(puzzle);
  const wrong = moves.findLast((one) => !one.right);
  await picture(page, CLICKED);
  await page.setViewportSize({ width: 1280, height: 860 });
  for (const name of await targets(page, puzzle, wrong)) await target(page, name).click();
  await playButton(page).click();
  await page.getByText(/^Wrong: .+ less than with the best move\.$/).waitFor();
  const said = await page.locator('.tools').innerText();
  assert.match(said, /The best move: .+\n/);
  assert.match(said, new RegExp(`valued all ${moves.length} moves, each with [\\d,]+ nodes`));
  assert.match(said, /In the match: .+/);
  assert.match(said, /Sign in to get a puzzle rating/);
  assert.ok(await page.locator('.place .marks .badge').count() > 0, `${best.notation} is marked on the board`);
  await goodInSizes(page, 'a missed puzzle', SIZES);
  await picture(page, `${CLICKED}-missed`);
  await page.setViewportSize({ width: 1280, height: 860 });
  // The move in its match, and the position on the analysis board.
  await page.getByRole('link', { name: 'Open on the analysis board' }).click();
  await page.locator('.place .lit').first().waitFor();
  await page.goBack();
  await page.getByText('Find the best move.').waitFor();
  assert.ok(page.url().endsWith(puzzle.id), 'the address is that of the puzzle');
  flawless(who);
});

test('an address without a puzzle says so', { timeout: 300_000 }, async (t) => {
  const who = await visitor(browser, { forgive: /404/ });
  t.after(() => who.context.close());
  await load(who.page, '/puzzles/00000000-0000-7000-8000-000000000000');
  assert.match(await who.page.locator('main').innerText(), /No such puzzle/);
  await who.page.getByRole('link', { name: 'All puzzles' }).click();
  await who.page.waitForURL('**/puzzles');
  flawless(who);
});
