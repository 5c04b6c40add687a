// A player's page: ratings with their history, results against each opponent, matches by game, and the button that blocks the
// player.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { player, signedIn } from './people.js';
import { URL_, api, flawless, games, launch } from './visitor.js';

const [first, second] = games.filter((game) => game.min_seats === 2);

// The tables of the page are regions with a name of their own, which the keyboard can scroll.
async function regions(page, count) {
  const tables = await page.locator('.wide').evaluateAll((all) => all.map((one) => {
    const label = document.getElementById(one.getAttribute('aria-labelledby'))?.textContent ?? one.getAttribute('aria-label');
    return [one.getAttribute('role'), one.tabIndex, label];
  }));
  assert.equal(tables.length, count);
  for (const [role, tabIndex, label] of tables) assert.ok(role === 'region' && tabIndex === 0 && label, JSON.stringify(tables));
  assert.equal(new Set(tables.map(([, , label]) => label)).size, count);
}

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// Lets the players move in turn until one of them has: a result counts only if the loser has moved.
async function moved(id, players, last) {
  for (;;) {
    for (const { token } of players) {
      const { legal_moves: legal, ply } = await api(`/v1/matches/${id}`, { token });
      if (legal.length === 0) continue;
      await api(`/v1/matches/${id}/moves`, { token, body: { ply, notation: legal[0].notation } });
      if (token === last.token) return;
    }
    await new Promise((done) => setTimeout(done, 10));
  }
}

// A rated match that the second player resigns; its id.
async function beaten(game, winner, loser) {
  const { id } = await api('/v1/matches', { token: winner.token, body: {
    game, rated: true, clock: { initial_ms: 600_000 }, seats: [{ kind: 'me' }, { kind: 'open' }],
  } });
  await api(`/v1/matches/${id}/join`, { token: loser.token, body: {} });
  await moved(id, [winner, loser], loser);
  await api(`/v1/matches/${id}/resign`, { token: loser.token, method: 'POST' });
  return id;
}

// A rated match that a player resigns against the game's engine.
async function resigned(game, loser) {
  const { id } = await api('/v1/matches', { token: loser.token, body: {
    game, rated: true, clock: { initial_ms: 600_000 }, seats: [{ kind: 'me' }, { kind: 'engine', level: 'easy' }],
  } });
  await moved(id, [loser], loser);
  await api(`/v1/matches/${id}/resign`, { token: loser.token, method: 'POST' });
}

// The widths of the tables that must be scrolled sideways.
const scrolled = (page) => page.locator('.wide').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => `${one.scrollWidth} px in ${one.clientWidth}: ${one.innerText}`));

for (const [size, width, height] of [['a phone', 390, 844], ['a desk', 1280, 860]]) {
  test(`ratings, their history and the opponents, per game, on ${size}`, { timeout: 300_000 }, async (t) => {
    const [ana, bob, eva] = [await player('ana'), await player('bob'), await player('eva')];
    for (let match = 0; match < 4; match += 1) await beaten(first.slug, ana, bob);
    await beaten(first.slug, bob, ana);
    await beaten(first.slug, eva, ana);
    await resigned(first.slug, ana);
    const only = await beaten(second.slug, ana, eva);
    const who = await signedIn(t, browser, `/players/${ana.name}`, { name: 'dan', width, height });
    const { page } = who;
    const part = (game) => page.locator(`[data-rating="${game}"]`);
    await part(second.slug).locator('svg.rating-graph').waitFor();
    const { history } = await api(`/v1/players/${ana.name}/ratings/${first.slug}`);
    assert.equal(history.length, 7);
    // The graph has a spot for each match, higher after a win and lower after a loss.
    const spots = await part(first.slug).locator('circle.spot').evaluateAll((all) => all.map((one) => [one.cx.baseVal.value, one.cy.baseVal.value]));
    assert.equal(spots.length, 7);
    for (let at = 1; at < spots.length; at += 1) {
      assert.ok(spots[at][0] > spots[at - 1][0], 'from left to right');
      assert.equal(spots[at][1] < spots[at - 1][1], history[at].points > history[at - 1].points, 'as the rating changes');
    }
    const last = history.at(-1);
    const label = await part(first.slug).locator('svg').getAttribute('aria-label');
    assert.ok(label.includes('7 rated matches') && label.includes(`${last.points.toLocaleString('en')} ± ${last.margin}`), label);
    await part(second.slug).locator('tbody tr').waitFor();
    const rows = await part(first.slug).locator('tbody tr').evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText)));
    // An engine has a name for people.
    const texts = await api(`/web/games/${first.slug}/en.json`);
    const [engine] = first.engines;
    const named = engine === first.engines[0] ? 'Easy engine' : `${texts[`engine.${engine.name}`]}, Easy`;
    assert.deepEqual(rows[0], [bob.name, '5', '4 – 0 – 1', '80%']);
    assert.deepEqual(rows.slice(1).map(String).sort(), [eva.name, named].map((name) => `${name},1,0 – 0 – 1,0%`).sort());
    await page.locator('[data-list="matches"] .match').nth(7).waitFor();
    // The date of the start: as the visitor writes it, and without JavaScript as in ISO 8601.
    const since = page.locator('p.soft > time');
    assert.match(await (await fetch(page.url())).text(), / <time data-ms="\d+">\d{4}-\d\d-\d\d<\/time>/);
    assert.ok(Math.abs(Date.parse(await since.getAttribute('datetime')) - Date.now()) < 3_600_000);
    assert.match(await since.innerText(), /^\w+ \d+, \d{4}$/, 'a date, also on the day itself');
    await good(page, 'a player');
    assert.deepEqual(await scrolled(page), [], 'all columns are on the screen');
    await regions(page, 4);
    await page.locator('#game').selectOption(second.slug);
    await page.waitForFunction(() => document.querySelectorAll('[data-list="matches"] .match').length === 1);
    assert.equal(await page.locator('[data-list="matches"] .match').getAttribute('href'), `/matches/${only}`);
    // From the leaderboard to the player, and to a challenge.
    await page.goto(`${URL_}/games/${first.slug}/leaderboard?kind=person`);
    await good(page, 'the leaderboard');
    await regions(page, 1);
    // A narrow screen leaves out a column unless it is asked for.
    const played = page.getByRole('columnheader', { name: 'Rated matches' });
    const every = page.getByLabel('All columns');
    assert.equal(await every.isVisible(), width < 500);
    assert.equal(await played.isVisible(), width >= 500);
    if (await every.isVisible()) {
      await every.check();
      await played.waitFor();
      await every.uncheck();
    }
    assert.deepEqual(await scrolled(page), [], 'all columns are on the screen, with the button that challenges');
    await page.locator('tr').filter({ hasText: ana.name }).getByRole('button', { name: 'Challenge' }).click();
    await page.getByRole('dialog').getByText(ana.name).waitFor();
    assert.equal(await page.getByRole('dialog').getByLabel('Game').inputValue(), first.slug);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: ana.name }).click();
    await part(first.slug).waitFor();
    flawless(who.who);
  });
}

for (const [size, width, height] of [['a phone', 390, 844], ['a desk', 1280, 860]]) {
  test(`player is blocked on their page and unblocked there or on the account's page, on ${size}`, { timeout: 300_000 }, async (t) => {
    const ana = await player('ana');
    const robo = `robo-of-${ana.name}`;
    await api('/v1/me/bots', { token: ana.token, body: { name: robo } });
    const who = await signedIn(t, browser, `/players/${ana.name}`, { name: 'dan', width, height });
    const { page, token } = who;
    const blocked = async () => (await api('/v1/me/blocks', { token })).blocked;
    const button = page.getByRole('button', { name: `Block ${ana.name}` });
    await button.click();
    await page.getByText('Matches that have begun go on.').waitFor();
    await good(page, 'the question');
    assert.deepEqual(await blocked(), [], 'asked first');
    await button.click();
    await page.getByText(`You have blocked ${ana.name}.`).waitFor();
    assert.deepEqual(await blocked(), [ana.name]);
    await page.getByRole('button', { name: 'Unblock' }).click();
    await button.waitFor();
    assert.deepEqual(await blocked(), []);

    // The page of a bot blocks its owner.
    await page.goto(`${URL_}/players/${robo}`);
    await button.click();
    await button.click();
    await page.getByText(`You have blocked ${ana.name}.`).waitFor();
    await page.goto(`${URL_}/account`);
    const line = page.locator('#blocked li');
    assert.equal(await line.locator('a').innerText(), ana.name);
    await good(page, 'a blocked player');
    await line.getByRole('button', { name: `Unblock ${ana.name}` }).click();
    await page.getByText('You have blocked no players.').waitFor();
    assert.deepEqual(await blocked(), []);

    // One's own page has no such button.
    await page.goto(`${URL_}/players/${who.name}`);
    await page.locator('[data-list="matches"] > *').first().waitFor();
    assert.equal(await page.getByRole('button', { name: /^Block/ }).count(), 0);
    flawless(who);
  });
}

test('favourite first moves are told in words, with how often and the score', { timeout: 280_000 }, async (t) => {
  const [ana, ben] = [await player('ana'), await player('ben')];
  for (const [game, count] of [[first.slug, 5], [second.slug, 5]]) {
    for (let n = 0; n < count; n += 1) {
      const { id } = await api('/v1/matches', { token: ana.token, body: { game, seed: '4', seats: [{ kind: 'me' }, { kind: 'open' }] } });
      await api(`/v1/matches/${id}/join`, { token: ben.token, body: {} });
      await moved(id, [ana, ben], ana);
      // The second game is always won by ben.
      await api(`/v1/matches/${id}/resign`, { token: (game === first.slug && n > 0 ? ben : ana).token, method: 'POST' });
    }
  }
  for (const [how, options] of [['desk', { colorScheme: 'dark' }], ['phone', { width: 360, height: 740 }]]) {
    const { page, who } = await signedIn(t, browser, `/players/${ana.name}`, { session: ben, ...options });
    const part = page.locator('#first-moves');
    await part.getByRole('heading', { name: 'Favourite first moves' }).waitFor();
    assert.equal(await part.getByRole('table').count(), 2);
    const rows = await part.getByRole('table', { name: first.title }).locator('tbody tr').allInnerTexts();
    assert.equal(rows.length, 1);
    const [words, played, score] = rows[0].split('\t');
    assert.ok(/ /.test(words) && played === '5' && score === '80%', rows[0]);
    assert.match(await part.getByRole('table', { name: second.title }).locator('tbody').innerText(), /\t5\t0%/);
    assert.match(await part.getByRole('link').first().getAttribute('href'), /^\/matches\/[0-9a-f-]+\?ply=\d+$/);
    await good(page, `first moves, ${how}`);
    if (process.env.KIBITZ_PICTURES) {
      await part.scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/first-moves-${how}.png` });
    }
    flawless(who);
  }
});

test('a rated match shows the ratings at the table, and at its end what it has changed; a name opens a card', { timeout: 300_000 }, async (t) => {
  const { slug } = games.find((game) => game.min_seats === 2 && game.max_seats === 2) ?? games[0];
  const [ana, bob] = [await player('ana'), await player('bob')];
  const table = async () => {
    const { id } = await api('/v1/matches', { token: ana.token, body: { game: slug, rated: true, clock: { initial_ms: 600_000 }, seats: [{ kind: 'me' }, { kind: 'open' }] } });
    await api(`/v1/matches/${id}/join`, { token: bob.token, body: {} });
    // A match counts if both have moved.
    for (const made = new Set(); made.size < 2;) {
      const { turn } = await api(`/v1/matches/${id}`);
      const { token } = turn === 0 ? ana : bob;
      const { ply, legal_moves: [{ notation }] } = await api(`/v1/matches/${id}`, { token });
      await api(`/v1/matches/${id}/moves`, { token, body: { ply, notation } });
      made.add(turn);
    }
    return id;
  };
  for (let wins = 0; wins < 3; wins += 1) {
    const id = await table();
    await api(`/v1/matches/${id}/resign`, { token: bob.token, method: 'POST' });
  }
  const id = await table();
  const who = await signedIn(t, browser, `/matches/${id}`, { session: ana });
  const { page } = who;
  const rating = (seat) => page.locator('.player').nth(seat).locator('.rating');
  const { ratings: [before] } = await api(`/v1/players/${ana.name}`);
  await rating(0).filter({ hasText: String(before.points) }).waitFor();
  await rating(1).waitFor();
  assert.equal(await page.locator('.player .change').count(), 0);
  // The card: rating, form, and the chance against the visitor.
  await page.locator('.player a').filter({ hasText: bob.name }).click();
  const card = page.getByRole('dialog', { name: bob.name });
  await card.getByText('0 of the last 3 won').waitFor();
  assert.match(await card.innerText(), /3 rated matches.*You win against this player in [5-9]\d of 100 matches/s);
  await good(page, 'the card of a player');
  await page.keyboard.press('Escape');
  await card.waitFor({ state: 'detached' });
  await api(`/v1/matches/${id}/resign`, { token: bob.token, method: 'POST' });
  await page.locator('.player .change.rose').waitFor();
  const { seats: [mine, other] } = await api(`/v1/matches/${id}/ratings`);
  assert.ok(mine.change.after > mine.change.before && other.change.after < other.change.before);
  assert.equal((await rating(0).innerText()).replace(/\s+/g, ' ').replace(/^Rating /, ''), `${mine.change.after} +${mine.change.after - mine.change.before}`);
  await page.locator('.end .rating-change').filter({ hasText: `Your rating: ${mine.change.after} (+${mine.change.after - mine.change.before}). 4 wins in a row.` }).waitFor();
  await good(page, 'the end of a rated match');
  // On a phone the change is there, and the name keeps its room.
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await page.locator('.player .change.rose').isVisible());
  assert.ok(await rating(0).locator('.base').isHidden());
  // The player's page: the form, the best wins, the results against the visitor; and following.
  const rival = await signedIn(t, browser, `/players/${ana.name}`, { session: bob, width: 390, height: 844 });
  const part = rival.page.locator(`[data-rating="${slug}"] .proud`);
  await part.getByText('You against this player: 0 won – 0 drawn – 4 lost').waitFor();
  assert.match(await part.innerText(), /4 of the last 4 won/);
  assert.ok(await rival.page.locator('h1 .avatar').isVisible());
  await rival.page.getByRole('button', { name: 'Follow' }).click();
  await good(rival.page, 'the page of a followed player');
  const lobby = await rival.context.newPage();
  await lobby.goto(`${URL_}/lobby`);
  await lobby.getByRole('group', { name: 'Show' }).getByRole('radio', { name: 'Online' }).check();
  await lobby.locator('#people + * li, [data-list="people"] li').filter({ hasText: ana.name }).locator('.star').waitFor();
  flawless(who.who, rival.who);
});
