// Tournaments: from the form to the final table, with people, bots and engines; the page follows the tournament.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { fresh, onlineBot, player, signedIn } from './people.js';
import { create, engine, fillIn, quick, rows, scrolled, shown, stage } from './tournament.js';
import { URL_, api, flawless, games, launch, visitor } from './visitor.js';

// A game in which a bot can play from each of two seats.
const forBots = games.find((game) => [0, 1].every((seat) => game.bot_seats.includes(seat)));
const { slug } = quick;
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// The parts that the page keeps up to date.
const PARTS = ['facts', 'standings', 'crosstable', 'games', 'secret', 'downloads'];
const parts = (page) => Promise.all(PARTS.map((part) => page.locator(`#${part}`).innerHTML()));

test('tournament of a person, a bot and engines, from the form to the final table', { timeout: 600_000 }, async (t) => {
  const ana = await signedIn(t, browser, '/', { name: 'ana' });
  const id = await create(ana.page, { game: forBots.slug, Clock: '0 0 30000' });
  const bot = await onlineBot(t, ana, forBots.slug, ['--concurrent', '4']);
  await ana.page.reload();
  await ana.page.getByRole('button', { name: `Enter ${bot.name}` }).click();
  await rows(ana.page).first().waitFor();
  await engine(ana.page, 'random');
  await engine(ana.page, forBots.engines[0].name);
  // Another person watches on a phone, enters, and leaves again.
  const bob = await signedIn(t, browser, `/tournaments/${id}`, { name: 'bob', width: 390, height: 844 });
  await bob.page.getByRole('button', { name: 'Enter', exact: true }).click();
  await bob.page.getByRole('button', { name: 'Withdraw' }).click();
  await ana.page.locator('#standings').getByText(bob.name).waitFor();
  await good(bob.page, 'before the start, on a phone');
  await bob.page.getByRole('button', { name: 'Withdraw' }).click();
  await ana.page.locator('#standings').getByText(bob.name).waitFor({ state: 'detached' });
  await bob.page.getByRole('button', { name: 'Enter', exact: true }).waitFor();
  assert.equal(await bob.page.getByRole('button', { name: 'Start' }).count(), 0, 'only the organizer starts it');
  // No page polls: updates come with events.
  const asked = [];
  bob.page.on('request', (request) => { if (request.url().includes('/tournaments/')) asked.push(request.url()); });
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

  // The final table agrees with the API.
  const final = await api(`/v1/tournaments/${id}`);
  assert.equal(final.games.length, 3 * 2, 'everyone meets everyone, in both seats');
  const results = await Promise.all(final.games.map(async ({ match }) => (await api(`/v1/matches/${match}`)).result));
  assert.ok(results.every(({ reason }) => !/time/.test(reason ?? '')), `nobody lost on time: ${JSON.stringify(results)}`);
  const names = await Promise.all(final.entrants.map(({ name }) => shown(name)));
  for (const { page } of [ana, bob]) {
    const seen = await rows(page).evaluateAll((all) => all.map(({ cells }) =>
      [cells[0].innerText, cells[1].querySelector('a').innerText, cells[2].innerText, cells[3].innerText]));
    const expected = final.standings.map(({ entrant, place, points, games: games_ }) => [place, names[entrant], points, games_].map(String));
    assert.deepEqual(seen, expected);
    // A phone shows the columns that matter most, and the others when asked.
    const every = page.locator('#standings').getByLabel('All columns');
    assert.equal(await every.isVisible(), page === bob.page);
    if (await every.isVisible()) {
      assert.deepEqual(await scrolled(page), []);
      await every.check();
    }
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
  await ana.page.getByLabel('The match', { exact: true }).getByRole('link', { name: 'To the tournament' }).click();
  await ana.page.waitForURL(`${URL_}/tournaments/${id}`);
  flawless(ana.who, bob.who);
});

test('a bot enters where the contest gives it one seat only with the mirror dialogue, as its owner is told', { timeout: 60_000 }, async (t) => {
  const single = games.find((game) => game.max_seats > 1 && ![0, 1].every((seat) => game.bot_seats.includes(seat)));
  const ana = await signedIn(t, browser, '/', { name: 'ana', width: 390, height: 844 });
  const { name } = await api('/v1/me/bots', { token: ana.token, body: { name: fresh('robo') } });
  await create(ana.page, { game: single.slug });
  await ana.page.getByText('only if it knows the mirror dialogue').waitFor();
  await ana.page.getByRole('button', { name: 'Enter', exact: true }).waitFor();
  await good(ana.page, 'a tournament for bots that know the mirror dialogue');
  await ana.page.getByRole('button', { name: `Enter ${name}` }).click();
  await ana.page.locator('#standings').getByText(name).waitFor();
  flawless(ana.who);
});

test('people play a tournament: they are told of their game, take their seats, and play on', { timeout: 300_000 }, async (t) => {
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
  // The place, the name, and two games with two points, both won.
  assert.match(await rows(ana.page).first().innerText(), new RegExp(`^1\\s+${ana.name}\\s+2\\s+2\\s+2`));
  flawless(ana.who, bob.who);
});

test('organizer removes an entrant and aborts; guests and bad orders are told why', { timeout: 300_000 }, async (t) => {
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

// A tournament of two built-in engines, the weaker one first; `{id, names, enter, order}`.
async function prepared(more, entrants = 2) {
  const { token } = await player('ana');
  const { id } = await api('/v1/tournaments', { token, body: {
    title: fresh('Cup'), game: slug, format: { kind: 'swiss', rounds: 1 }, clock: { initial_ms: 90_000, increment_ms: 2_500 }, ...more } });
  const html = await (await fetch(`${URL_}/tournaments/${id}`)).text();
  const option = (pattern) => new RegExp(`<option value="([^"]+${pattern})"`).exec(html)[1];
  const names = [option(':random:\\d+:easy'), option(':max')];
  const enter = (name) => api(`/v1/tournaments/${id}/entries`, { token, body: { name } });
  for (const name of names.slice(0, entrants)) await enter(name);
  const order = (act) => api(`/v1/tournaments/${id}/${act}`, { token, method: 'POST' });
  return { id, names, enter, order };
}

test('a watched tournament changes in place: focus and scroll positions stay, one request at a time', { timeout: 300_000 }, async (t) => {
  const { id, names, order } = await prepared({ deals: 4 });
  const who = await visitor(browser, { width: 390, height: 844 });
  const plain = await visitor(browser, { width: 390, height: 844, javaScriptEnabled: false });
  t.after(() => Promise.all([who, plain].map(({ context }) => context.close())));
  const { page } = who;
  const path = `/tournaments/${id}`;
  await page.goto(URL_ + path);
  const links = () => rows(page).getByRole('link').evaluateAll((all) => all.map((link) => decodeURIComponent(link.pathname)));
  assert.deepEqual(await links(), names.map((name) => `/players/${name}`));
  const every = page.locator('#standings').getByLabel('All columns');
  await every.check();
  // The link of the player who will come first: its row moves.
  await rows(page).nth(1).getByRole('link').focus();
  const places = await page.evaluate(() => {
    window.kept = document.activeElement;
    document.querySelector('#standings .wide').scrollLeft = 60;
    scrollTo(0, 120);
    return [document.querySelector('#standings .wide').scrollLeft, scrollY];
  });
  assert.ok(places.every((place) => place > 0), `${places}`);
  let [now, most, asked] = [0, 0, 0];
  const own = (request) => new URL(request.url()).pathname === path;
  page.on('request', (request) => {
    if (!own(request)) return;
    [now, asked] = [now + 1, asked + 1];
    most = Math.max(most, now);
  });
  page.on('requestfinished', (request) => { if (own(request)) now -= 1; });
  await order('start');
  await stage(page, 'Over').waitFor({ timeout: 240_000 });
  assert.equal(await page.locator('#games tbody tr').count(), 8);
  assert.deepEqual(await links(), names.toReversed().map((name) => `/players/${name}`), 'the better one has moved up');
  const after = await page.evaluate(() => ({
    focus: document.activeElement === window.kept,
    places: [document.querySelector('#standings .wide').scrollLeft, scrollY],
  }));
  assert.deepEqual(after, { focus: true, places });
  assert.ok(await every.isChecked(), 'all columns are still shown');
  assert.ok(asked > 0);
  assert.equal(most, 1, 'requests at the same time');
  // The page is now equal to the one that the server renders.
  await plain.page.goto(URL_ + path);
  assert.deepEqual(await parts(page), await parts(plain.page));
  flawless(who, plain);
});

test('a watched tournament never goes back, waits for the pointer, and follows the visitor\'s language', { timeout: 300_000 }, async (t) => {
  const { id, names, enter } = await prepared({}, 0);
  const who = await visitor(browser, { locale: 'en' });
  t.after(() => who.context.close());
  const { page } = who;
  const path = `/tournaments/${id}`;
  const old = await (await fetch(URL_ + path)).text();
  await page.goto(URL_ + path);
  await enter(names[0]);
  await rows(page).first().waitFor();
  // A server that lags behind sends an older page.
  await page.evaluate(() => {
    window.least = Infinity;
    const place = document.querySelector('#standings');
    const count = () => { window.least = Math.min(window.least, place.querySelectorAll('tbody tr').length); };
    new MutationObserver(count).observe(place, { childList: true, subtree: true });
  });
  let stale = 0;
  await page.route(URL_ + path, (route) => {
    stale += 1;
    return route.fulfill({ body: old, contentType: 'text/html' });
  }, { times: 1 });
  await enter(names[1]);
  await rows(page).nth(1).waitFor();
  assert.equal(stale, 1);
  assert.equal(await page.evaluate(() => window.least), 2, 'rows at least');
  // Nothing moves between press and release.
  const { x, y } = await page.locator('h1').boundingBox();
  await page.mouse.move(x + 3, y + 3);
  await page.mouse.down();
  const third = names[0].replace(':easy', ':max');
  const answered = page.waitForResponse(URL_ + path);
  await enter(third);
  await (await answered).finished();
  await page.waitForTimeout(400);
  assert.equal(await rows(page).count(), 2);
  await page.mouse.up();
  await rows(page).nth(2).waitFor();
  // A change of the language in another tab.
  const other = await who.context.newPage();
  await other.goto(`${URL_}/language?to=pt&back=/`);
  await enter(names[0].replace(':easy', ':hard'));
  await page.getByRole('heading', { name: 'Classificação' }).waitFor();
  await rows(page).nth(3).waitFor();
  flawless(who);
});

// Waits for the end of a tournament.
async function ended(id) {
  for (;;) {
    const now = await api(`/v1/tournaments/${id}`);
    if (now.stage === 'ended') return now;
    await new Promise((done) => setTimeout(done, 200));
  }
}

test('without JavaScript a tournament shows its standings and games, with engines\' names in the visitor\'s language', { timeout: 300_000 }, async (t) => {
  const { id, order } = await prepared();
  await order('start');
  const final = await ended(id);
  for (const locale of ['en', 'ro', 'pt']) {
    const who = await visitor(browser, { javaScriptEnabled: false, locale });
    t.after(() => who.context.close());
    const { page } = who;
    await page.goto(`${URL_}/tournaments/${id}`);
    const names = await Promise.all(final.entrants.map(({ name }) => shown(name, locale)));
    const ranked = final.standings.map(({ entrant }) => names[entrant]);
    for (const table of ['#standings', '#crosstable']) {
      const links = page.locator(`${table} tbody th a`);
      assert.deepEqual(await links.allInnerTexts(), ranked, `${locale}: ${table}`);
      const first = final.entrants[final.standings[0].entrant].name;
      assert.equal(await links.first().getAttribute('href'), `/players/${encodeURIComponent(first)}`);
    }
    assert.deepEqual(await page.locator('#crosstable abbr').evaluateAll((all) => all.map(({ title }) => title)), ranked);
    assert.deepEqual(await page.locator('#games tbody th').allInnerTexts(),
      final.games.map(({ seats }) => seats.map((seat) => names[seat]).join(' – ')));
    assert.ok((await page.locator('meta[name=description]').getAttribute('content')).endsWith(` · 1. ${ranked[0]}`));
    assert.ok(await page.getByRole('link', { name: /JSON/ }).isVisible());
    flawless(who);
  }
  const answer = await fetch(`${URL_}/tournaments/${id}`);
  assert.equal(answer.headers.get('cache-control'), 'no-cache');
  const html = await answer.text();
  const meta = (name) => new RegExp(`<meta property="${name}" content="([^"]*)"`).exec(html)?.[1];
  assert.equal(meta('og:title'), final.title);
  assert.ok(meta('og:description').startsWith(`${quick.title} · `));
  assert.match(meta('og:description'), /90 s \+ 2\.5 s .* Over · 1\. /);
  assert.equal(meta('og:image'), `${URL_}/games/${slug}/picture.png`);
});

test('crosstable of many: a list on a narrow screen, where each player opens to the results against the others', { timeout: 300_000 }, async (t) => {
  const { id, names, enter, order } = await prepared({});
  const more = ['easy', 'medium', 'hard', 'max'].map((level) => names[0].replace(':easy', `:${level}`)).slice(1);
  for (const name of more) await enter(name);
  await order('start');
  const final = await ended(id);
  const { standings, crosstable, entrants } = final;
  assert.equal(standings.length, 5);
  const texts = await Promise.all(entrants.map(({ name }) => shown(name)));
  const who = await visitor(browser, { width: 390, height: 844 });
  t.after(() => who.context.close());
  const { page } = who;
  await page.goto(`${URL_}/tournaments/${id}`);
  const table = page.locator('#crosstable table');
  const list = page.getByRole('list', { name: 'Crosstable' });
  assert.ok(await table.isHidden());
  assert.deepEqual(await scrolled(page), [], 'nothing has to be scrolled sideways');
  assert.deepEqual(await list.locator('summary .name').allInnerTexts(), standings.map(({ entrant }) => texts[entrant]));
  await good(page, 'the list, closed');
  // With keys alone. An entrant with a bye has no opponent.
  const [cell] = crosstable;
  const place = standings.findIndex(({ entrant }) => entrant === cell.entrant);
  const own = list.locator(':scope > li').nth(place);
  await own.locator('summary').focus();
  await page.keyboard.press('Enter');
  const against = own.locator('li').filter({ hasText: texts[cell.opponent] });
  assert.equal(await against.locator('.points').innerText(), `${cell.points} / ${cell.games}`);
  assert.equal(await against.getByRole('link').getAttribute('href'), `/players/${encodeURIComponent(entrants[cell.opponent].name)}`);
  await good(page, 'the list, with a player opened');
  // A wider screen has room for the table.
  await page.setViewportSize({ width: 844, height: 390 });
  assert.ok(await list.isHidden());
  assert.equal(await table.locator('tbody tr').count(), 5);
  assert.deepEqual(await scrolled(page), []);
  flawless(who);
});

test('a tournament with a start counts down and starts by itself; a player has the own game on top, the end has a podium', { timeout: 300_000 }, async (t) => {
  const [ana, bob] = [await player('ana'), await player('bob')];
  const body = { title: 'Evening cup', game: slug, format: { kind: 'swiss', rounds: 1 }, clock: { initial_ms: 600_000 }, starts_ms: Date.now() + 9_000 };
  const { id, starts_ms: starts } = await api('/v1/tournaments', { token: ana.token, body });
  assert.equal(starts, body.starts_ms);
  for (const { token } of [ana, bob]) await api(`/v1/tournaments/${id}/entries`, { token, body: {} });
  const { page, who } = await signedIn(t, browser, `/tournaments/${id}`, { session: ana, width: 390, height: 844 });
  await page.locator('#facts .countdown').filter({ hasText: /0:00:0\d left/ }).waitFor();
  await page.locator('#facts').getByText('Starts').waitFor();
  await good(page, 'before the start');
  // The first page names it, too.
  const home = await page.context().newPage();
  await home.goto(URL_);
  await home.locator('.match').filter({ hasText: 'Evening cup' }).first().waitFor();
  await home.close();
  await stage(page, 'Being played').waitFor({ timeout: 30_000 });
  const own = page.locator('#own');
  await own.filter({ hasText: `Your game against ${bob.name} is being played.` }).waitFor();
  await page.locator('#live .match img').waitFor();
  await good(page, 'with the own game');
  await own.getByRole('link', { name: 'Play' }).click();
  await page.waitForURL(/\/matches\//);
  await page.getByRole('button', { name: 'Take your seat' }).click();
  await api(`/v1/matches/${new URL(page.url()).pathname.split('/').pop()}/join`, { token: bob.token, body: {} });
  await page.locator('.place > *').first().waitFor();
  const match = new URL(page.url()).pathname.split('/').pop();
  await api(`/v1/matches/${match}/resign`, { token: bob.token, method: 'POST' });
  // In a tournament the next game matters, not another one against the same player.
  const end = page.locator('section.end');
  await end.getByRole('link', { name: 'To the tournament' }).waitFor();
  assert.equal(await end.locator('.main').count(), 1);
  assert.ok(!(await end.getByRole('button', { name: 'Play again' }).getAttribute('class') ?? '').includes('main'));
  const other = await api(`/v1/tournaments/${id}`);
  // The second game of the pairing.
  for (let over = other.stage === 'ended'; !over;) {
    const now = await api(`/v1/tournaments/${id}`);
    over = now.stage === 'ended';
    const running = now.games.find((game) => game.stage === 'running' && game.match);
    if (running) {
      for (const { token } of [ana, bob]) await api(`/v1/matches/${running.match}/join`, { token, body: {} }).catch(() => {});
      await api(`/v1/matches/${running.match}/resign`, { token: bob.token, method: 'POST' }).catch(() => {});
    }
    await new Promise((done) => setTimeout(done, 200));
  }
  await end.getByRole('link', { name: 'To the tournament' }).click();
  const podium = page.getByRole('list', { name: 'The first three' });
  await podium.locator('.place-1').filter({ hasText: ana.name }).waitFor();
  await podium.locator('.place-2').filter({ hasText: bob.name }).waitFor();
  assert.ok(await page.locator('#own').isHidden());
  await good(page, 'the podium');
  flawless(who);
});
