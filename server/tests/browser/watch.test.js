// The first page and `/tv`: a match plays itself, live or replayed, and its spectators talk on `/tv`; games begin with one press.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';

import { good } from './axe.js';
import { signedIn } from './people.js';
import { serve } from './server.js';
import { api, flawless, games, launch, load, resize, visitor } from './visitor.js';

// Pictures of a page in the folder KIBITZ_PICTURES.
async function kept(page, name) {
  const folder = process.env.KIBITZ_PICTURES;
  for (const [width, height] of folder ? [[360, 640], [390, 844], [844, 390], [1440, 900]] : []) {
    await resize(page, { width, height });
    for (const colorScheme of ['dark', 'light']) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${name}-${width}x${height}-${colorScheme}.png`, fullPage: true });
    }
  }
}

const { slug, title } = games.find((game) => game.min_seats === 2 && game.engines[0].instant) ?? games[0];
// What the headers of an answer take at most, in bytes.
const HEADERS = 450;
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// A visitor, signed in as the player of this session if there is one, on a page of a server.
async function visit(t, address, session, more) {
  const who = await visitor(browser, { forgive: /another host/, ...more });
  t.after(() => who.context.close());
  await who.context.addInitScript((kept) => {
    if (kept && location.protocol.startsWith('http')) localStorage.setItem('kibitz.player', JSON.stringify(kept));
  }, session);
  // The time of the page can be moved forward.
  await who.page.clock.install();
  await who.page.goto(address);
  return who;
}

// A page of a server of its own, on which these matches alone are played.
async function own(t, path, { prepare = async () => {}, settings = {}, ...more } = {}) {
  const server = await serve(settings);
  t.after(() => server.stop());
  const ask = async (route, { token, body, method = body ? 'POST' : 'GET' } = {}) => {
    const answer = await fetch(server.url + route, { method, body: body && JSON.stringify(body),
      headers: { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) } });
    assert.ok(answer.ok, `${route}: ${answer.status} ${answer.ok ? '' : await answer.text()}`);
    return answer.json();
  };
  const prepared = await prepare(ask);
  const who = await visitor(browser, { forgive: /another host/, ...more });
  t.after(() => who.context.close());
  await who.page.goto(server.url + path);
  return { ...who, who, ask, prepared, url: server.url };
}

const begun = async (ask, seats = 2) => {
  const { id, seats: tokens } = await ask('/v1/matches', { body: { game: slug, seats: Array(seats).fill({ kind: 'me' }), seed: '5' } });
  return { id, tokens: tokens.map(({ token }) => token) };
};

async function move(ask, { id, tokens }) {
  const { turn } = await ask(`/v1/matches/${id}`);
  const page = await ask(`/v1/matches/${id}`, { token: tokens[turn] });
  await ask(`/v1/matches/${id}/moves`, { token: tokens[turn], body: { ply: page.ply, notation: page.legal_moves[0].notation } });
}

test('a server without matches has a first page without a window, and `/tv` says so', { timeout: 60_000 }, async (t) => {
  const { page, who, url } = await own(t, '/');
  assert.equal(await page.locator('.show').count(), 0);
  await page.locator('.ways a').first().waitFor();
  await page.goto(`${url}/tv`);
  await page.getByText('No match has been played here yet.').waitFor();
  flawless(who);
});

test('the first page shows the match being played: each move as it is made, then the next match by itself', { timeout: 300_000 }, async (t) => {
  const { page, who, ask, prepared } = await own(t, '/', { prepare: (one) => begun(one) });
  const show = page.locator('.show');
  await show.locator('.place > *').first().waitFor();
  assert.equal(await show.getAttribute('data-shown'), prepared.id);
  assert.ok(await show.getByRole('heading', { name: 'Live' }).isVisible());
  assert.equal(await show.locator('.seats li').count(), 2);
  const before = await show.locator('.place').innerHTML();
  await move(ask, prepared);
  await page.waitForFunction((was) => document.querySelector('.show .place').innerHTML !== was, before);
  // The board is only for watching: no element can be chosen.
  assert.equal(await show.locator('.place .lit').count(), 0);
  assert.equal(await show.getByRole('link', { name: 'Open the match' }).getAttribute('href'), `/matches/${prepared.id}`);
  const next = await begun(ask);
  await ask(`/v1/matches/${prepared.id}/resign`, { token: prepared.tokens[0], method: 'POST' });
  await page.locator(`.show[data-shown="${next.id}"]`).waitFor({ timeout: 60_000 });
  flawless(who);
});

// A match that is played to its end.
async function finished(ask) {
  const match = await begun(ask);
  while ((await ask(`/v1/matches/${match.id}`)).stage !== 'over') await move(ask, match);
  return match;
}

test('between matches the last good one is replayed, can be paused, and does not move for visitors who want no motion', { timeout: 180_000 }, async (t) => {
  const { page, who, prepared, url } = await own(t, '/tv', { prepare: finished, reducedMotion: 'no-preference' });
  const show = page.locator('.show');
  await show.getByRole('heading', { name: 'The last good match' }).waitFor();
  await show.locator('.place > *').first().waitFor();
  const now = () => show.locator('.frame').getAttribute('data-ply');
  const moves = (from) => page.waitForFunction((was) => document.querySelector('.show .frame').dataset.ply !== was, from);
  await moves(await now());
  await show.getByRole('button', { name: 'Pause' }).click();
  // Between two replays nothing is shown for a moment.
  const held = await (await page.waitForFunction(() => document.querySelector('.show .frame').dataset.ply)).jsonValue();
  await page.waitForTimeout(3_500);
  assert.equal(await now(), held, 'it is held');
  await show.getByRole('button', { name: 'Play' }).click();
  await moves(held);
  const calm = await visitor(browser, { forgive: /another host/ });
  t.after(() => calm.context.close());
  await calm.page.goto(`${url}/tv/${slug}`);
  await calm.page.locator('.show .says').filter({ hasText: /won|draw/ }).waitFor();
  await good(calm.page, '/tv');
  assert.equal(await calm.page.locator('.show').getAttribute('data-match'), prepared.id);
  assert.equal(await calm.page.getByRole('navigation', { name: 'Games' }).getByRole('link', { name: title }).getAttribute('aria-current'), 'page');
  flawless(who, calm);
});

test('other sites can frame `/tv`', { timeout: 60_000 }, async (t) => {
  const { page, who, url } = await own(t, '/tv/embed', { prepare: (ask) => begun(ask), width: 480, height: 420 });
  await page.locator('.show .place > *').first().waitFor();
  assert.equal(await page.locator('header.top, footer').count(), 0);
  assert.match((await fetch(`${url}/tv/${slug}/embed`)).headers.get('content-security-policy'), /frame-ancestors \*/);
  await good(page, 'the embedded page');
  flawless(who);
});

const chatOf = (page) => page.getByRole('region', { name: 'Chat' });

test('spectators talk on `/tv`: guests read, and a player of the match gets no chat', { timeout: 180_000 }, async (t) => {
  let ana;
  const { page: guest, who, ask, prepared, url } = await own(t, '/nowhere', { forgive: /another host|404/, width: 390, height: 844, prepare: async (one) => {
    ana = await one('/v1/players', { body: { name: 'ana' } });
    const { id, seats: [{ token }] } = await one('/v1/matches', { token: ana.token, body: { game: slug, seats: [{ kind: 'me' }, { kind: 'open' }] } });
    const joined = await one(`/v1/matches/${id}/join`, { body: { name: 'Bo' } });
    return { id, tokens: [token ?? ana.token, joined.seats[0].token] };
  } });
  await guest.goto(`${url}/tv`);
  const eve = await visit(t, `${url}/tv/${slug}`, await ask('/v1/players', { body: { name: 'eve' } }));
  await chatOf(guest).getByText('Only spectators see it. The players do not.').waitFor();
  assert.ok(await chatOf(guest).getByRole('link', { name: 'Sign in to write to the other spectators' }).isVisible());
  await chatOf(eve.page).getByLabel('Your message').fill('What a <b>match</b>');
  await chatOf(eve.page).getByRole('button', { name: 'Send' }).click();
  for (const page of [eve.page, guest]) await chatOf(page).getByRole('listitem').filter({ hasText: 'eve What a <b>match</b>' }).waitFor();
  assert.equal((await ask(`/v1/matches/${prepared.id}/chat`)).messages.length, 1);
  // The moves are shown meanwhile.
  const before = await guest.locator('.show .place').innerHTML();
  await move(ask, prepared);
  await guest.waitForFunction((was) => document.querySelector('.show .place').innerHTML !== was, before);
  await good(eve.page, 'the chat on /tv, at a desk');
  await good(guest, 'the chat on /tv, on a phone');
  await kept(eve.page, 'tv-chat');
  const player = await visit(t, `${url}/tv`, ana);
  await player.page.waitForResponse((answer) => answer.url().includes('/chat'));
  await chatOf(player.page).waitFor({ state: 'hidden' });
  assert.equal(await player.page.getByText('What a').count(), 0);
  flawless(who, eve, player);
});

test('a line that is being written on `/tv` holds the match, is not lost, and goes to the match that is shown', { timeout: 180_000 }, async (t) => {
  const { ask, prepared: first, url } = await own(t, '/nowhere', { forgive: /another host|404/, prepare: (one) => begun(one) });
  const eve = await visit(t, `${url}/tv`, await ask('/v1/players', { body: { name: 'eve' } }));
  const { page } = eve;
  const show = page.locator('.show');
  const text = chatOf(page).getByLabel('Your message');
  const said = async ({ id }) => (await ask(`/v1/matches/${id}/chat`)).messages.map((message) => message.text);
  // The server is asked again, and names this match as the next one.
  const offered = async ({ id }) => {
    const answer = page.waitForResponse(async (one) => new URL(one.url()).pathname === '/tv' && (await one.text()).includes(id));
    await page.clock.fastForward(10_000);
    await answer;
  };
  const next = async (before) => {
    const match = await begun(ask);
    await ask(`/v1/matches/${before.id}/resign`, { token: before.tokens[0], method: 'POST' });
    await show.locator('.says').filter({ hasText: /\w/ }).waitFor();
    return match;
  };
  await text.fill('Well');
  const second = await next(first);
  // The first answer may come while the result is still shown; after the second one the page has acted on the first.
  for (let times = 0; times < 3; times += 1) await offered(second);
  assert.equal(await show.getAttribute('data-shown'), first.id);
  await text.pressSequentially(' played');
  await text.press('Enter');
  await page.waitForFunction(() => document.querySelector('.chat input').value === '');
  assert.deepEqual(await said(first), ['Well played']);
  await offered(second);
  await page.locator(`.show[data-shown="${second.id}"]`).waitFor();
  assert.equal(await chatOf(page).getByRole('listitem').count(), 0, 'the chat is that of the new match');
  // A minute after the last key the next match does not wait any more. The line stays, and so does the focus.
  await text.fill('And this');
  const third = await next(second);
  await offered(third);
  assert.equal(await show.getAttribute('data-shown'), second.id);
  await page.clock.fastForward(60_000);
  await offered(third);
  await page.locator(`.show[data-shown="${third.id}"]`).waitFor();
  assert.equal(await text.inputValue(), 'And this');
  assert.ok(await text.evaluate((one) => one === document.activeElement));
  await text.press('Enter');
  await chatOf(page).getByRole('listitem').filter({ hasText: 'And this' }).waitFor();
  assert.deepEqual([await said(second), await said(third)], [[], ['And this']]);
  flawless(eve);
});

test('other sites show `/tv` without the chat, and so does a server whose operator has switched it off', { timeout: 120_000 }, async (t) => {
  for (const [path, settings] of [['/tv/embed', {}], [`/tv/${slug}/embed`, {}], ['/tv', { KIBITZ_NO_SPECTATOR_CHAT: 'true' }]]) {
    const { page, who } = await own(t, path, { prepare: (ask) => begun(ask), settings });
    await page.locator('.show .place > *').first().waitFor();
    assert.equal(await page.locator('.chat').count(), 0, path);
    flawless(who);
  }
});

test('`/tv` fills the screen: the whole board is on it, and a press ends that', { timeout: 120_000 }, async (t) => {
  for (const [how, options] of [['desk', { width: 1280, height: 720 }], ['phone', { width: 390, height: 844, colorScheme: 'dark' }]]) {
    const { page, who } = await own(t, '/tv', { prepare: (ask) => begun(ask), ...options });
    await page.locator('.show .place > *').first().waitFor();
    const picture = (name) => (process.env.KIBITZ_PICTURES ? page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/tv-${how}-${name}.png` }) : null);
    await picture('page');
    await page.getByRole('button', { name: 'Full screen', exact: true }).click();
    await page.waitForFunction(() => document.fullscreenElement?.matches('.show'));
    await page.waitForFunction(() => document.querySelector('.show .frame').getBoundingClientRect().bottom <= innerHeight);
    await good(page, `/tv on the full screen, ${how}`);
    await picture('full');
    await page.getByRole('button', { name: 'Leave the full screen' }).click();
    await page.waitForFunction(() => !document.fullscreenElement);
    flawless(who);
  }
});

test('one press begins a match: a guest meets an engine, players meet each other', { timeout: 300_000 }, async (t) => {
  const guest = await visitor(browser, { width: 390, height: 844 });
  t.after(() => guest.context.close());
  await load(guest.page, '/');
  await guest.page.getByText('With a name you meet people first.').waitFor();
  await guest.page.getByRole('list', { name: 'Play at once' }).getByRole('button', { name: title }).click();
  await guest.page.waitForURL(/\/matches\//);
  const id = new URL(guest.page.url()).pathname.split('/').pop();
  const match = await api(`/v1/matches/${id}`);
  assert.deepEqual(match.seats.map(({ kind }) => kind), ['guest', 'engine']);
  assert.deepEqual([match.clock.initial_ms, match.clock.increment_ms], [180_000, 2_000]);
  await guest.page.locator('.place .lit').first().waitFor();
  const [ana, bob] = [await signedIn(t, browser, '/', { name: 'ana' }), await signedIn(t, browser, '/', { name: 'bob' })];
  const pressed = ({ page }) => page.getByRole('list', { name: 'Play at once' }).getByRole('button', { name: title }).click();
  await pressed(ana);
  await ana.page.locator('.quick-wait').filter({ hasText: 'Waiting for an opponent' }).waitFor();
  // Cancelled, and asked again.
  await ana.page.getByRole('button', { name: 'Cancel' }).click();
  await ana.page.locator('.quick-wait').waitFor({ state: 'hidden' });
  await Promise.all([pressed(ana), pressed(bob)]);
  await Promise.all([ana, bob].map(({ page }) => page.waitForURL(/\/matches\//)));
  assert.equal(new URL(ana.page.url()).pathname, new URL(bob.page.url()).pathname);
  flawless(guest, ana.who, bob.who);
});

for (const [way, width, height] of [['upright', 390, 844], ['on its side', 844, 390], ['at 360 px', 360, 640], ['at a desk', 1440, 900]]) {
  test(`the first screen of the first page has a game on it: ${way}`, { timeout: 300_000 }, async (t) => {
    const { page, who } = await own(t, '/', { prepare: (ask) => begun(ask), width, height });
    const place = page.locator('.show .place > *').first();
    await place.waitFor();
    const { x, y, width: wide, height: high } = await page.locator('.show .frame').boundingBox();
    assert.ok(y >= 0 && y + high * 0.7 < height && high > 120, `the board is at ${y} with ${high} px`);
    assert.ok(x >= 0 && x + wide <= width, `${x} + ${wide}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await good(page, `the first page ${way}`);
    flawless(who);
  });
}

test('from the first page to the first move: at most 40 requests and 120 KB', { timeout: 300_000 }, async (t) => {
  const { page, who, url, context } = await own(t, '/nowhere', { prepare: (ask) => begun(ask), forgive: /another host|404/ });
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  let [requests, bytes] = [0, 0];
  const [urls, sizes] = [new Map(), []];
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    requests += 1;
    urls.set(requestId, new URL(request.url).pathname);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    // Chromium tells the end of some requests twice, the second time under an id that it has never named.
    if (!urls.has(requestId)) return;
    bytes += encodedDataLength;
    sizes.push([encodedDataLength, urls.get(requestId)]);
  });
  await session.send('Network.clearBrowserCache');
  await page.goto(url);
  await page.locator('.show .place > *').first().waitFor();
  await page.locator('[data-quick]').filter({ hasText: title }).click();
  await page.waitForURL(/\/matches\//);
  await page.locator('.place .lit').filter({ visible: true }).first().waitFor();
  await page.waitForLoadState('load');
  // A release sends the files of the pages in Brotli; this build, whose Brotli is slow, in gzip.
  for (const entry of sizes.filter(([size, path]) => size > 0 && /^\/web\/v\..*\.(js|css|json)$/.test(path))) {
    const body = Buffer.from(await (await fetch(url + entry[1])).arrayBuffer());
    const packed = brotliCompressSync(body).length + HEADERS;
    bytes += packed - entry[0];
    entry[0] = packed;
  }
  const largest = sizes.sort(([a], [b]) => b - a).map(([size, path]) => `${size} ${path}`).join('\n');
  assert.ok(requests <= 40, `${requests} requests`);
  assert.ok(bytes <= 120_000, `${requests} requests, ${bytes} bytes:\n${largest}`);
  flawless(who);
});
