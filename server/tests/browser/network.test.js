// Faults during a match: reloads, lost connections, networks without WebSockets, two tabs, a match that went on
// elsewhere. The page recovers by itself.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { choose, click, easy, openMatch, giveSeat, later, randomNumbers, make, me, open, playButton, shown, nextMove } from './play.js';
import { serve } from './server.js';
import { URL_, api, flawless, games, launch, visitor } from './visitor.js';

// Any game for two that goes on for a while.
const { slug } = games.find((game) => game.min_seats === 2 && game.max_seats > 2) ?? games[0];
const dice = randomNumbers(9);
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// Waits until a page shows as many moves as the match has.
async function level(page, id) {
  const { ply } = await api(`/v1/matches/${id}`);
  await page.waitForFunction((now) => document.querySelector('#match').dataset.ply >= now, ply, { timeout: 60_000 });
}

// Waits until a page follows its match.
function connected(page) {
  return page.locator('#match[data-connection=open]').waitFor({ timeout: 60_000 });
}

async function mine(page, id) {
  for (;;) {
    const next = await nextMove(page, id, dice());
    if (next) return next;
    await page.waitForTimeout(20);
  }
}

async function seated(t, options, more) {
  const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '4', ...more });
  const who = await visitor(browser, options);
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await openMatch(who, id);
  return { ...who, id, token, who };
}

test('a reload in the middle of a match loses nothing', { timeout: 300_000 }, async (t) => {
  const { page, id, who } = await seated(t, {}, { clock: { initial_ms: 600_000, increment_ms: 0 } });
  await click(page, await mine(page, id));
  const next = await mine(page, id);
  await level(page, id);
  const before = await page.locator('.place').innerText();
  await page.locator(`.place .lit`).first().click();
  await page.reload();
  await page.locator('.place .lit').first().waitFor();
  await connected(page);
  assert.equal(await page.locator('.place').innerText(), before, 'the same position, with nothing chosen');
  await click(page, next);
  flawless(who);
});

test('a lost connection is restored', { timeout: 300_000 }, async (t) => {
  const { page, id, context, token, who } = await seated(t);
  await connected(page);
  const next = await mine(page, id);
  await context.setOffline(true);
  await page.locator('.condition').filter({ hasText: 'Connection lost' }).waitFor();
  // The match goes on meanwhile: the same seat moves elsewhere.
  await api(`/v1/matches/${id}/moves`, { token, body: { ply: next.ply, notation: next.notation } });
  await context.setOffline(false);
  await page.locator('.condition').waitFor({ state: 'hidden' });
  await later(page, next.ply);
  await click(page, await mine(page, id));
  flawless(who);
});

test('a move made without a connection is sent after reconnecting', { timeout: 300_000 }, async (t) => {
  const { page, id, context, who } = await seated(t);
  const next = await mine(page, id);
  await level(page, id);
  await choose(page, next.targets);
  await context.setOffline(true);
  await playButton(page).click();
  await page.waitForTimeout(500);
  await context.setOffline(false);
  await later(page, next.ply);
  assert.ok(Number((await api(`/v1/matches/${id}`)).ply) > next.ply);
  flawless(who);
});

test('a match continues over connections that break repeatedly', { timeout: 300_000 }, async (t) => {
  const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '6' });
  const who = await visitor(browser);
  t.after(() => who.context.close());
  let cuts = 0;
  await who.page.routeWebSocket(/\/live/, (socket) => {
    const server = socket.connectToServer();
    let frames = 0;
    server.onMessage((message) => {
      socket.send(message);
      frames += 1;
      if (frames > 3 && cuts < 4) {
        cuts += 1;
        socket.close({ code: 4408, reason: 'too slow' });
        server.close();
      }
    });
  });
  await giveSeat(who, id, token);
  await openMatch(who, id);
  for (let moves = 0; moves < 6; moves += 1) await click(who.page, await mine(who.page, id));
  await level(who.page, id);
  assert.ok(cuts > 1, 'it was cut');
  flawless(who);
});

test('a network without WebSockets gets a stream of events', { timeout: 300_000 }, async (t) => {
  const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '8' });
  const who = await visitor(browser);
  t.after(() => who.context.close());
  await who.page.addInitScript(() => {
    window.WebSocket = class extends EventTarget {
      constructor() {
        super();
        setTimeout(() => this.onclose?.({ code: 1006 }), 5);
      }

      close() {}
    };
  });
  await giveSeat(who, id, token);
  await openMatch(who, id);
  await connected(who.page);
  for (let moves = 0; moves < 3; moves += 1) await click(who.page, await mine(who.page, id));
  await level(who.page, id);
  flawless(who);
});

test('two tabs of the same seat stay in step', { timeout: 300_000 }, async (t) => {
  const { page, id, context, who } = await seated(t);
  const other = await context.newPage();
  await other.goto(`${URL_}/matches/${id}`);
  await other.locator('.place .lit').first().waitFor();
  const next = await mine(page, id);
  await click(page, next);
  await later(other, next.ply);
  await level(other, id);
  await click(other, await mine(other, id));
  // The engine's answer reaches one of them first.
  await level(page, id);
  const [one, two] = [async () => (await shown(page)).ply, async () => (await shown(other)).ply];
  while (await one() !== await two()) await page.waitForTimeout(20);
  flawless(who);
});

test('a seat taken in one tab is held in the other too', { timeout: 300_000 }, async (t) => {
  const { id } = await make(slug, [me(), open], { seed: '2' });
  const who = await visitor(browser);
  t.after(() => who.context.close());
  const other = await who.context.newPage();
  for (const page of [who.page, other]) {
    await page.goto(`${URL_}/matches/${id}`);
    await page.getByRole('button', { name: 'Join' }).waitFor();
  }
  await who.page.getByRole('button', { name: 'Join' }).click();
  for (const page of [who.page, other]) await page.locator('.player.you').waitFor();
  flawless(who);
});

test('a match that went on elsewhere is shown in its current state', { timeout: 300_000 }, async (t) => {
  const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '3' });
  const who = await visitor(browser, { forgive: /412/ });
  t.after(() => who.context.close());
  const { page } = who;
  // This page receives no events.
  await page.routeWebSocket(/\/live/, () => {});
  await giveSeat(who, id, token);
  await openMatch(who, id);
  await page.locator('.place .lit').first().waitFor();
  const next = await mine(page, id);
  const other = (await api(`/v1/matches/${id}`, { token })).legal_moves.find((move) => move.notation !== next.notation);
  await api(`/v1/matches/${id}/moves`, { token, body: { ply: next.ply, notation: other.notation } });
  await choose(page, next.targets);
  await playButton(page).click();
  await later(page, next.ply);
  await page.locator('.say').filter({ hasText: 'moved on' }).waitFor();
  flawless(who);
});

test('clocks agree with the server when the system clock is wrong', { timeout: 300_000 }, async (t) => {
  const clocks = { clock: { initial_ms: 300_000, increment_ms: 0 } };
  const { id, seats: [{ token }] } = await make(slug, [me(), easy], clocks);
  const who = await visitor(browser);
  t.after(() => who.context.close());
  const { page } = who;
  await page.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() + 3_600_000;
  });
  await giveSeat(who, id, token);
  await openMatch(who, id);
  await page.locator('.clock.running').waitFor();
  await page.waitForTimeout(1200);
  const left = async () => {
    const { clock } = await api(`/v1/matches/${id}`, { token });
    return (clock.left_ms[clock.running] - (clock.now_ms - clock.since_ms)) / 1000;
  };
  // The text is read between two answers of the server, which are far apart on a slow machine.
  const before = await left();
  const text = await page.locator('.clock.running').innerText();
  const after = await left();
  const [minutes, seconds] = text.match(/\d+/g).map(Number);
  const onPage = minutes * 60 + seconds;
  assert.ok(onPage > after - 1.6 && onPage < before + 1.6, `${text} is shown, ${before} s were left, then ${after} s`);
  flawless(who);
});

test('a clock that is paused after a restart is shown as paused', { timeout: 300_000 }, async (t) => {
  const server = await serve({ KIBITZ_RECONNECT_GRACE_MS: '60000' });
  t.after(() => server.stop());
  const order = { game: slug, seats: [me(), me('Bo')], clock: { initial_ms: 300_000, increment_ms: 0 } };
  const answer = await fetch(`${server.url}/v1/matches`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(order),
  });
  const { id } = await answer.json();
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  t.after(() => page.close());
  await page.goto(`${server.url}/matches/${id}`);
  await page.locator('.clock.running').waitFor();
  assert.equal(await page.locator('.clock.paused').count(), 0);
  await connected(page);
  await server.restart();
  // While the server is gone, the clock shows the last known time.
  const clock = page.locator('.clock.paused[title$=" paused"]');
  await clock.waitFor({ timeout: 50_000 });
  const text = await clock.innerText();
  assert.match(text, /^‖\s*\d+:\d\d$/);
  await page.waitForTimeout(1500);
  assert.equal(await clock.innerText(), text, 'it does not run');
});

test('a page that cannot load its texts or games says so, and no script fails', { timeout: 300_000 }, async (t) => {
  const { id } = await make(slug, [me(), easy]);
  for (const path of ['/', '/matches', `/games/${slug}`, `/matches/${id}`, '/bots']) {
    // The page of a match that everyone may see has the facts of its game.
    const texts = /\/web\/[^/]+\/en\.json$/;
    const alone = path === '/bots' || path.startsWith('/matches/');
    for (const missing of alone ? [texts] : [texts, `${URL_}/v1/games`]) {
      const who = await visitor(browser, { forgive: /^error: Failed to load resource/ });
      t.after(() => who.context.close());
      await who.page.route(missing, (route) => route.abort());
      await who.page.goto(URL_ + path);
      await who.page.getByRole('alert').filter({ hasText: /server (does not answer|cannot be reached)/ }).waitFor();
      flawless(who);
      await who.context.close();
    }
  }
});

test('leaving a page before it has loaded causes no error', { timeout: 300_000 }, async (t) => {
  const who = await visitor(browser);
  t.after(() => who.context.close());
  for (const path of ['/', '/matches', `/games/${games[0].slug}`, '/bots']) {
    const texts = /\/web\/[^/]+\/en\.json$/;
    const asked = who.page.waitForRequest(texts);
    await who.page.route(texts, () => {});
    await who.page.goto(URL_ + path);
    await asked;
    await who.page.goto(`${URL_}/docs/problems`);
    await who.page.unroute(texts);
  }
  flawless(who);
});
