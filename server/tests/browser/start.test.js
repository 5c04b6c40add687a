// The pages around the match: a match starts in two clicks, its seat is kept, and current matches are listed.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { easy, make, me, open } from './play.js';
import { URL_, api, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const [first] = games.filter((game) => game.min_seats > 1);
const many = games.find((game) => game.max_seats > 2);

// The stored seat of the match whose page is shown, and the match from the API.
async function held(page) {
  await page.waitForURL(/\/matches\//);
  const id = new URL(page.url()).pathname.split('/').pop();
  const seat = await page.evaluate((match) => JSON.parse(localStorage.getItem('kibitz.seats'))[match], id);
  return { id, seat, match: await api(`/v1/matches/${id}`, { token: seat.token }) };
}

async function opened(t, path, more) {
  const who = await visitor(browser, more);
  t.after(() => who.context.close());
  await who.page.goto(URL_ + path);
  return who;
}

test('two clicks from the first page to the first move, in every game', { timeout: 300_000 }, async (t) => {
  const who = await opened(t, '/');
  let last;
  for (const { slug, title } of games) {
    await who.page.goto(URL_);
    await who.page.locator('a.game').filter({ hasText: title }).click();
    await who.page.getByRole('button', { name: /^Easy/ }).click();
    const { id, seat, match } = await held(who.page);
    last = { id, token: seat.token };
    assert.equal(match.game, slug);
    assert.equal(match.you, 0);
    assert.deepEqual(match.seats.slice(1).map((one) => one.engine.level), match.seats.slice(1).map(() => 'easy'));
    assert.equal(match.hints, true, 'no other person is in the match');
    assert.equal(seat.key, undefined);
    await who.page.locator('.place > *').first().waitFor();
  }
  // The home page lists them, running matches before finished ones.
  await api(`/v1/matches/${last.id}/abort`, { token: last.token, method: 'POST' });
  await who.page.goto(URL_);
  const mine = who.page.locator('[data-list="mine"] .match');
  await mine.first().waitFor();
  assert.equal(await mine.count(), games.length - 1);
  await who.page.getByText('My finished matches').click();
  assert.equal(await who.page.locator(`[data-list="past"] a[href$="${last.id}"]`).count(), 1);
  flawless(who);
});

test('a friend is invited, to a private table, with a clock, a name and hints for all', { timeout: 300_000 }, async (t) => {
  const who = await opened(t, `/games/${first.slug}`, { width: 360 });
  await who.page.getByText('Clock, seat, name').click();
  await who.page.getByLabel('Clock').selectOption({ label: '3 minutes, and 2 seconds a move' });
  await who.page.getByLabel('Your seat').selectOption('last');
  await who.page.getByLabel('Your name').fill('<script>alert(1)</script>');
  await who.page.getByLabel('Spectators').selectOption('private');
  await who.page.getByLabel('Hints from the engine').selectOption('yes');
  await who.page.getByRole('button', { name: 'A friend' }).click();
  const { id, seat } = await held(who.page);
  assert.equal(new URL(who.page.url()).hash, `#key=${seat.key}`);
  const answer = await fetch(`${URL_}/v1/matches/${id}`, { headers: { 'match-key': seat.key } });
  const match = await answer.json();
  assert.deepEqual([match.private, match.hints, match.stage], [true, true, 'open']);
  assert.deepEqual([match.clock.initial_ms, match.clock.increment_ms], [180_000, 2_000]);
  assert.deepEqual(match.seats.map((one) => one.kind), ['open', 'guest']);
  assert.equal(match.seats[1].name, '<script>alert(1)</script>');
  assert.deepEqual(seat.seats, [1]);
  // The name is remembered, and is text wherever it is shown.
  await who.page.goto(`${URL_}/games/${first.slug}`);
  assert.equal(await who.page.getByLabel('Your name').inputValue(), '<script>alert(1)</script>');
  await who.page.goto(URL_);
  const line = who.page.locator('[data-list="mine"] .match');
  assert.match(await line.innerText(), /<script>alert\(1\)<\/script>/);
  assert.equal(await line.getAttribute('href'), `/matches/${id}#key=${seat.key}`);
  flawless(who);
});

test('a match has opponents of different kinds, or none', { timeout: 300_000 }, async (t) => {
  const who = await opened(t, `/games/${many.slug}`);
  await who.page.locator('.pills label').filter({ hasText: '3' }).click();
  await who.page.getByText('Different opponents').click();
  await who.page.getByLabel('Opponent 1').selectOption('hard');
  await who.page.getByLabel('Opponent 2').selectOption('friend');
  assert.equal(await who.page.getByLabel('Opponent 3').isVisible(), false);
  await who.page.getByRole('button', { name: 'Start match' }).click();
  const { match } = await held(who.page);
  assert.deepEqual(match.seats.map((one) => one.engine?.level ?? one.kind), ['guest', 'hard', 'open']);
  assert.equal(match.hints, false, 'two people');
  if (many.min_seats > 1) return;
  await who.page.goto(`${URL_}/games/${many.slug}`);
  await who.page.locator('.pills label').filter({ hasText: '1' }).click();
  await who.page.getByRole('button', { name: 'Play alone' }).click();
  assert.equal((await held(who.page)).match.seats.length, 1);
  flawless(who);
});

test('the options of a game are those of people, and can be chosen; the match and its rules say them', { timeout: 300_000 }, async (t) => {
  const who = await opened(t, '/games/buraco');
  const say = async (rules, line, about) => {
    const { match } = await held(who.page);
    assert.deepEqual(match.options, rules);
    assert.equal(await who.page.locator('.origin').innerText(), line);
    await who.page.getByRole('button', { name: 'Rules, with pictures' }).click();
    const chosen = who.page.getByRole('dialog', { name: 'Rules of Buraco' }).locator('.of-match');
    assert.match(await chosen.innerText(), about);
    assert.ok(await chosen.evaluate((one) => one.previousElementSibling === null), 'what holds in this match comes first');
  };
  await who.page.getByRole('button', { name: /^Easy/ }).click();
  await say({ meld_rules: 'written' }, 'Melds follow the written rules.', /one suit/);
  await who.page.goto(`${URL_}/games/buraco`);
  await who.page.getByText('Clock, seat, name').click();
  assert.equal(await who.page.getByLabel('Melds').inputValue(), 'written');
  await who.page.getByLabel('Melds').selectOption('As the contest’s referee');
  await who.page.getByRole('button', { name: /^Easy/ }).click();
  await say({ meld_rules: 'referee' }, 'Melds are checked as the contest’s referee does.', /ace of another suit/);
  // A guest's match of one press has them too.
  await who.page.goto(URL_);
  await who.page.locator('[data-quick="buraco"]').click();
  assert.deepEqual((await held(who.page)).match.options, { meld_rules: 'written' });
  flawless(who);
});

test('form whose module loads late loses no click', async (t) => {
  const who = await visitor(browser);
  t.after(() => who.context.close());
  await who.page.route('**/home/game.js', async (route) => {
    await new Promise((done) => setTimeout(done, 800));
    await route.continue();
  });
  await who.page.goto(`${URL_}/games/${first.slug}`, { waitUntil: 'commit' });
  await who.page.locator('button[value=easy]').click();
  assert.equal((await held(who.page)).match.game, first.slug);
  flawless(who);
});

test('refusals of the API are shown in words for people, and nothing is lost', async (t) => {
  const who = await opened(t, `/games/${first.slug}`, { forgive: /422|ERR_FAILED/ });
  await who.page.getByText('Clock, seat, name').click();
  // It cannot be typed, but a browser may have stored it.
  await who.page.evaluate(() => { document.querySelector('[name=name]').value = 'a\u0001b'; });
  await who.page.getByRole('button', { name: 'Medium' }).click();
  assert.match(await who.page.getByRole('alert').innerText(), /^This name is not possible/);
  await who.page.getByLabel('Your name').fill('Ana');
  await who.page.route('**/v1/matches', (route) => route.abort());
  await who.page.getByRole('button', { name: 'Medium' }).click();
  await who.page.getByText('The server cannot be reached.').waitFor();
  await who.page.unroute('**/v1/matches');
  await who.page.getByRole('button', { name: 'Medium' }).click();
  assert.equal((await held(who.page)).match.seats[0].name, 'Ana');
  flawless(who);
});

test('matches are listed by game, stage and player', async (t) => {
  const { token } = await api('/v1/players', { body: { name: 'Clara' } });
  const played = await api('/v1/matches', { token, body: { game: first.slug, seats: [{ kind: 'me' }, easy] } });
  await api(`/v1/matches/${played.id}/resign`, { token, method: 'POST' });
  const waiting = await make(first.slug, [me('Dora'), open]);
  const who = await opened(t, '/matches');
  const links = who.page.locator('[data-list="matches"] .match');
  const only = async (id) => {
    await who.page.waitForFunction((one) => {
      const shown = [...document.querySelectorAll('[data-list="matches"] .match')];
      return shown.length === 1 && shown[0].href.endsWith(one);
    }, id);
  };
  await links.first().waitFor();
  await who.page.getByRole('textbox', { name: 'Player' }).fill('clara');
  await who.page.getByRole('textbox', { name: 'Player' }).press('Enter');
  await only(played.id);
  assert.match(who.page.url(), /\?player=clara$/);
  await who.page.getByRole('link', { name: 'Results of clara' }).click();
  assert.equal((await who.page.locator('h1').innerText()).trim(), 'Clara');
  assert.match(await who.page.locator('table.results').innerText(), new RegExp(first.title));
  await only(played.id);
  await who.page.goto(`${URL_}/matches?stage=open&game=${first.slug}`);
  await links.filter({ hasText: 'Dora' }).waitFor();
  assert.equal(await who.page.getByLabel('Stage').inputValue(), 'open');
  // Tests beside this one may keep seats for players, so that a match that is open need not have a free seat.
  assert.equal(await links.count(), await who.page.locator('[data-list="matches"] .match.open').count());
  assert.match(await links.filter({ hasText: 'Dora' }).innerText(), /free seat/);
  await links.filter({ hasText: 'Dora' }).click();
  await who.page.waitForURL(new RegExp(waiting.id));
  flawless(who);
});

test('the chosen theme applies to every page before it is drawn', async (t) => {
  const who = await opened(t, '/', { dark: true });
  const paper = () => who.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await who.page.getByRole('button', { name: 'Light or dark' }).click();
  const light = await paper();
  assert.notEqual(light, dark);
  await who.page.goto(`${URL_}/bots`);
  assert.equal(await paper(), light);
  await who.page.getByRole('button', { name: 'Copy' }).first().click();
  await who.page.getByRole('button', { name: 'Copied' }).waitFor();
  flawless(who);
});
