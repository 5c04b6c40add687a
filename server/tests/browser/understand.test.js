// Understanding: recommended moves on the board, the chances as one bar, evaluation of a replay, the analysis board.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { good as accessible } from './axe.js';
import { hasContest } from './game-data.js';
import { choose, easy, giveSeat, make, me, open, openMatch, randomNumbers } from './play.js';
import { URL_, api, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const EMPTY_BOARD = ['0 .', '0 .', '0 .', '0 .', '0 .', '. . . . .', '. . . . .', '. . . . .', '. . . . .', '. . . . .', '0 0'];
const FIRST_TURN = ['30000', '0 0 0 0 0 1', '1 1 1 1 0', '2 0 2 0 0', '0 0 0 2 2', '1 1 0 1 1', '0 3 0 1 0', 'none', ...EMPTY_BOARD, ...EMPTY_BOARD];

// The whole percents of a bar of chances.
const percents = (bar) => bar.locator('b').allInnerTexts().then((all) => all.map((text) => Number.parseInt(text, 10)));

// A finished match of two people, with pseudo-random moves; one resigns after `plies`.
async function finished(game, seed, plies = Infinity) {
  const dice = randomNumbers(9);
  const made = await make(game, [me('Ana'), open], { seed });
  const joined = await api(`/v1/matches/${made.id}/join`, { body: { name: 'Bogdan' } });
  const tokens = [made.seats[0].token, joined.seats[0].token];
  for (;;) {
    const page = await api(`/v1/matches/${made.id}`, { token: tokens[0] });
    if (page.stage === 'over') return { id: made.id, tokens };
    const token = tokens[page.turn];
    if (page.ply >= plies) {
      await api(`/v1/matches/${made.id}/resign`, { token, method: 'POST' });
      continue;
    }
    const { legal_moves: moves, ply } = page.turn === 0 ? page : await api(`/v1/matches/${made.id}`, { token });
    await api(`/v1/matches/${made.id}/moves`, { token, body: { ply, notation: moves[dice() % moves.length].notation } });
  }
}

for (const { slug, title } of games) {
  test(`${title}: a hint shows all its moves on the board, and chances that sum to 100%`, { timeout: 300_000 }, async (t) => {
    const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '21' });
    const who = await visitor(browser);
    t.after(() => who.context.close());
    await giveSeat(who, id, token);
    await openMatch(who, id);
    const { page } = who;
    await page.locator('.place .lit').first().waitFor();
    await page.getByRole('region', { name: 'Hints' }).getByRole('button').click();
    await page.locator('.marks .badge').first().waitFor();
    await page.getByText(/^After .* s/).waitFor({ timeout: 60_000 });
    const count = await page.locator('.ranked li').count();
    const ranks = await page.locator('.marks .badge text').allTextContents();
    assert.deepEqual([...new Set(ranks)].sort(), Array.from({ length: count }, (_, i) => String(i + 1)));
    // Every mark is on the board.
    const place = await page.locator('.place').boundingBox();
    for (const badge of await page.locator('.marks .badge circle').all()) {
      const { x, y } = await badge.boundingBox();
      assert.ok(x > place.x - 12 && x < place.x + place.width && y > place.y - 12 && y < place.y + place.height);
    }
    assert.equal((await percents(page.locator('.hints .chance'))).reduce((sum, n) => sum + n, 0), 100);
    // A pointer over a move shows only that move.
    if (count > 1) {
      await page.locator('.ranked li').nth(1).hover();
      assert.deepEqual([...new Set(await page.locator('.marks .badge text').allTextContents())], ['2']);
    }
    // The engine is named for people.
    assert.match(await page.locator('.hints').innerText(), /\(The [a-z ]+\)/);
    await accessible(page, `${slug}, hint`);
    flawless(who);
  });

  test(`${title}: the analysis board evaluates a position, and compares a move with the engine's`, { timeout: 300_000 }, async (t) => {
    const who = await visitor(browser);
    t.after(() => who.context.close());
    const { page } = who;
    await page.goto(`${URL_}/games/${slug}`);
    await page.getByRole('link', { name: 'Analysis board' }).click();
    await page.locator('.place .lit').first().waitFor();
    // Another position, given as JSON.
    const { position } = await api(`/v1/games/${slug}/positions`, { body: { seed: 12, plies: 4 } });
    await page.getByLabel('Position as JSON').fill(JSON.stringify(position));
    await page.waitForFunction((wanted) => decodeURIComponent(location.hash).includes(wanted), JSON.stringify(position));
    await page.getByRole('button', { name: 'Ask the engine' }).click();
    await page.getByText(/^After .* s/).waitFor({ timeout: 60_000 });
    assert.equal((await percents(page.locator('.chance'))).reduce((sum, n) => sum + n, 0), 100);
    await page.locator('.marks .badge').first().waitFor();
    // The engine's best move, chosen on the board, is called its choice.
    const path = await page.evaluate(async (game) => {
      // The module and the style as the page has them.
      const { board } = await import(new URL('../board/board.js', document.querySelector('script[type="module"]').src).href);
      const view = JSON.parse(document.querySelector('#json').value);
      const loaded = await board(game, true, (key) => key);
      const answer = await fetch(`/v1/games/${game}/legal-moves`, { method: 'POST', headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ position: view }) });
      const { moves } = await answer.json();
      const best = document.querySelector('.ranked .move').textContent;
      return loaded.paths(moves.find(({ move }) => loaded.say(move, view, loaded.t) === best).move, view).flat();
    }, slug);
    await choose(page, path);
    await page.locator('.bar button.main').click();
    await page.getByText(/: the engine’s choice|: number 1 /).waitFor();
    // It is played, and the engine goes on with the position after it.
    const line = page.getByRole('region', { name: 'Moves played' });
    await line.getByRole('listitem').first().waitFor();
    await page.getByText(/^After .* s/).waitFor({ timeout: 60_000 });
    const after = await page.locator('#json').inputValue();
    assert.notDeepEqual(JSON.parse(after), position);
    // Back and forward along the line.
    await line.getByRole('button', { name: 'Back' }).click();
    assert.deepEqual(JSON.parse(await page.locator('#json').inputValue()), position);
    await page.locator('.place .lit').first().waitFor();
    await line.getByRole('listitem').first().getByRole('button').click();
    assert.equal(await page.locator('#json').inputValue(), after);
    // A wrong position is refused in words, and the board stays.
    await page.getByLabel('Position as JSON').fill('{"nothing": 1}');
    await page.getByRole('alert').filter({ hasText: 'Not a position' }).waitFor();
    await page.locator('.place > *').first().waitFor();
    await accessible(page, `${slug}, analysis board`);
    flawless({ ...who, faults: who.faults.filter((fault) => !/status of 4(00|22)/.test(fault)) });
  });

  test(`${title}: a contest's text becomes a position`, { timeout: 300_000 }, async (t) => {
    const who = await visitor(browser, { width: 390, height: 844 });
    t.after(() => who.context.close());
    const { page } = who;
    const { sample } = await api(`/v1/games/${slug}`);
    // The bot's input before its first move. If the bot speaks first, the sample has no such input: then the text is
    // a turn's input from the contest's specification.
    const upto = sample.findIndex((line, i) => line.startsWith('> ') && sample.slice(0, i).some((before) => before.startsWith('< ')));
    const read = (upto < 0 ? sample : sample.slice(0, upto)).filter((line) => line.startsWith('< ')).map((line) => line.slice(2));
    const text = read.length > 0 ? read : [...FIRST_TURN];
    await page.goto(`${URL_}/games/${slug}/analysis`);
    await page.locator('.place .lit').first().waitFor();
    if (!hasContest(slug)) {
      assert.equal(await page.getByText('Text of the contest').count(), 0);
      return;
    }
    await page.getByText('Text of the contest').click();
    await page.getByLabel(/^Paste what a bot/).fill(text.join('\n'));
    const { position } = await api(`/v1/games/${slug}/official-position`, { text: text.join('\n') });
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.waitForFunction((shown) => location.hash === shown, `#position=${encodeURIComponent(JSON.stringify(position))}`);
    await page.locator('.place .lit').first().waitFor();
    assert.match(await page.getByRole('status').first().innerText(), /Seat \d is to move/);
    flawless(who);
  });
}

test('parts of a late board that scroll are reached by keyboard', { timeout: 300_000 }, async (t) => {
  const who = await visitor(browser);
  t.after(() => who.context.close());
  const { page } = who;
  const sizes = [[390, 844], [844, 390], [1024, 768], [360, 560]];
  let scrolling = 0;
  for (const plies of [150, 260, 400]) {
    const { position } = await api('/v1/games/buraco/positions', { body: { seed: 8, plies } });
    await page.goto(`${URL_}/games/buraco/analysis#position=${encodeURIComponent(JSON.stringify(position))}`);
    await page.locator('.place .lit').first().waitFor();
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await accessible(page, `a late board after ${plies} moves, ${width} x ${height}`, undefined, false);
      const region = page.locator('.place [data-scrolls][tabindex="0"]:not(.lit)').first();
      if (await region.count() === 0) continue;
      scrolling += 1;
      await region.evaluate((part) => { part.scrollTop = 0; });
      await region.focus();
      await page.keyboard.press('End');
      await page.waitForFunction(() => {
        const { scrollTop, scrollHeight, clientHeight, dataset } = document.activeElement;
        return dataset.scrolls === '' && (scrollTop > 0 || scrollHeight <= clientHeight + 1);
      });
    }
  }
  assert.ok(scrolling > 0, 'a late board scrolls somewhere');
  flawless(who);
});

test('each position of a replay is evaluated', { timeout: 600_000 }, async (t) => {
  const { slug } = games.find(({ slug: name }) => name === 'ioiwari') ?? games[0];
  const { id } = await finished(slug, '3');
  const who = await visitor(browser, { width: 390, height: 844 });
  t.after(() => who.context.close());
  const { page } = who;
  await openMatch(who, id, '?ply=2');
  await page.getByLabel('Evaluate each position').check();
  const bar = page.locator('.evaluate .chance');
  await bar.waitFor({ timeout: 60_000 });
  assert.equal((await percents(bar)).reduce((sum, n) => sum + n, 0), 100);
  await page.locator('.marks .badge').first().waitFor();
  const first = await page.locator('.evaluate .found p').innerText();
  await page.getByRole('button', { name: 'Next move' }).click();
  await page.waitForFunction((old) => document.querySelector('.evaluate .found p')?.textContent !== old, first, { timeout: 60_000 });
  await accessible(page, 'evaluated replay');
  // The position can be taken to the analysis board.
  const ply = await page.evaluate(() => document.querySelector('.scrubber output').textContent);
  assert.match(ply, /Move 3 of/);
  await page.getByRole('button', { name: 'More replay tools', exact: true }).click();
  const href = await page.getByRole('link', { name: 'Open on the analysis board' }).getAttribute('href');
  const shown = JSON.parse(decodeURIComponent(href.split('#position=')[1]));
  const { turn } = await api(`/v1/games/${slug}/legal-moves`, { body: { position: shown } }).then(({ seat }) => ({ turn: seat }));
  assert.ok(turn === 0 || turn === 1);
  // It stays on for the next replay, and can be switched off.
  await page.reload();
  await bar.waitFor({ timeout: 60_000 });
  await page.getByLabel('Evaluate each position').uncheck();
  assert.equal(await bar.count(), 0);
  await accessible(page, 'replay');
  flawless(who);
});

test('a visitor has a match analysed: marked moves, accuracy, luck, and the costliest moves', { timeout: 600_000 }, async (t) => {
  const { slug } = games.find(({ slug: name }) => name === 'azul') ?? games[0];
  const { id } = await finished(slug, '3', 30);
  const who = await visitor(browser, { width: 390, height: 844 });
  t.after(() => who.context.close());
  const { page } = who;
  await openMatch(who, id);
  // It is asked for by keys; the focus stays in the analysis.
  const start = page.getByRole('button', { name: 'Analyse the whole match' });
  await start.focus();
  await page.keyboard.press('Enter');
  await page.locator('.judged').first().waitFor({ timeout: 300_000 });
  assert.equal(await page.evaluate(() => document.querySelector('.analysis').contains(document.activeElement)), true);
  assert.equal(await page.locator('.graph polyline').count(), 1, 'one line for both players');
  const turns = page.locator('.turns li');
  await turns.first().waitFor();
  const count = await turns.count();
  assert.ok(count > 0 && count <= 3, 'moves by dice have costly ones');
  for (const turn of await turns.allInnerTexts()) assert.match(turn, /Cost \d+ %: \S.*\s+Better: \S/);
  const row = (name) => page.getByRole('row', { name }).locator('td').allInnerTexts();
  for (const accuracy of await row(/^Accuracy/)) assert.match(accuracy, /^\d+ %$/);
  const luck = (await row(/^Luck of the draw/)).map((text) => Number(text.replace('−', '-')));
  assert.equal(luck[0] + luck[1], 0, 'the luck of one is the bad luck of the other');
  const marks = page.locator('ol.moves .mark');
  assert.ok(await marks.count() > 0, 'moves by dice are marked');
  await turns.first().getByRole('button').click();
  await page.locator('.marks .badge').first().waitFor();
  await accessible(page, 'analysed match');
  // Another visitor gets the same at once.
  const other = await visitor(browser);
  t.after(() => other.context.close());
  await openMatch(other, id);
  await other.page.locator('.judged').first().waitFor();
  assert.equal(await other.page.getByRole('button', { name: 'Analyse the whole match' }).isVisible(), false);
  await other.page.locator('.turns li').first().waitFor();
  const shown = await turns.allInnerTexts();
  assert.deepEqual(await other.page.locator('.turns li').allInnerTexts(), shown);
  assert.ok(shown.some((turn) => /Expected then: Takes \S.* → Takes /.test(turn)), 'the expected moves are in words');
  await accessible(other.page, 'analysed match on a wide screen');
  flawless(who);
  flawless(other);
});

for (const { slug, title } of games) {
  test(`${title}: on the analysis board a phone shows board and bar at once, and the board looks as in a match`, { timeout: 300_000 }, async (t) => {
    const { position } = await api(`/v1/games/${slug}/positions`, { body: { seed: 4, plies: 9 } });
    for (const [width, height] of [[390, 844], [844, 390]]) {
      const who = await visitor(browser, { width, height });
      t.after(() => who.context.close());
      const { page } = who;
      await page.goto(`${URL_}/games/${slug}/analysis#position=${encodeURIComponent(JSON.stringify(position))}`);
      await page.locator('.place .lit').first().waitFor();
      const seen = await page.evaluate(() => {
        const [place, bar] = ['.place', '.bar'].map((part) => document.querySelector(part));
        const [board, below] = [place, bar].map((part) => part.getBoundingClientRect());
        const inside = ({ top, left, bottom, right }) => top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
        // The same board outside the page's panels.
        const copy = place.cloneNode(true);
        Object.assign(copy.style, { position: 'absolute', width: `${board.width}px`, height: `${board.height}px` });
        document.body.append(copy);
        const looks = (root) => [...root.querySelectorAll('section, div')].map((part) => {
          const { padding, borderRadius, borderWidth, backgroundColor } = getComputedStyle(part);
          return [part.className, padding, borderRadius, borderWidth, backgroundColor];
        });
        return { board: inside(board), bar: inside(below), apart: board.bottom <= below.top + 1 || board.right <= below.left + 1,
          high: board.height >= 300, looks: looks(place), expected: looks(copy) };
      });
      assert.deepEqual(seen.looks, seen.expected, `${width} px`);
      assert.deepEqual([seen.board, seen.bar, seen.apart, seen.high], [true, true, true, true], `${width} px`);
      flawless(who);
    }
  });
}
