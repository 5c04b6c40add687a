// A visitor with a browser: records the faults of the page and, where a test asks for it, every byte that it receives.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';

import { chromium } from 'playwright-core';

export const URL_ = process.env.KIBITZ_URL;
// The first program opens no windows and needs the least processor time.
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`);
const executablePath = process.env.KIBITZ_CHROMIUM ?? PLACES.find((path) => existsSync(path));

// Starts a browser; the caller closes it.
export function launch() {
  assert.ok(executablePath, 'Chromium is missing: install it, or name it in KIBITZ_CHROMIUM');
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

// A new visitor: `{page, context, faults, received, pending}`. `forgive`: a pattern of faults that are part of the test.
// `record`: keeps every byte that the pages receive.
export async function visitor(browser, { width = 1280, height = 860, forgive, record = false, ...more } = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: 'light', reducedMotion: 'reduce', ...more,
  });
  const page = await context.newPage();
  const who = { context, page, faults: [], received: [], pending: new Set() };
  const fault = (text) => {
    if (!forgive?.test(text)) who.faults.push(text);
  };
  const begin = (one) => {
    watch(one, fault);
    if (record) keep(one, who);
  };
  begin(page);
  context.on('page', begin);
  return who;
}

// The browser logs each refused request. On a slow machine an engine has no time before a request's deadline; the pages
// then ask again, and the tests wait for the answer.
const BUSY = /status of 503 .*\/v1\/games\/\w+\/move\)$/;

// The unanswered requests of each page, but those for events, which are never done.
const unanswered = new WeakMap();

function watch(page, fault) {
  const waits = new Set();
  unanswered.set(page, waits);
  page.on('requestfinished', (request) => waits.delete(request));
  page.on('requestfailed', (request) => waits.delete(request));
  page.on('console', (message) => {
    const kind = message.type();
    if (!['error', 'warning'].includes(kind)) return;
    const text = `${kind}: ${message.text()} (${message.location().url})`;
    if (!BUSY.test(text)) fault(text);
  });
  page.on('pageerror', (error) => fault(`${error.name}: ${error.message}\n${error.stack}`));
  page.on('request', (request) => {
    if (request.resourceType() !== 'eventsource') waits.add(request);
    const url = request.url();
    if (!url.startsWith(`${URL_}/`) && !/^(data|blob):/.test(url)) fault(`a request to another host: ${url}`);
  });
}

// Opens a page and waits until its scripts have what they asked for and nothing is left to do.
export async function load(page, path) {
  // The requests of the page that is left may have no answer.
  unanswered.get(page).clear();
  await page.goto(URL_ + path, { waitUntil: 'load' });
  // An answer may lead to another request.
  for (let idle = 0; idle < 3;) {
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 200 })));
    idle = unanswered.get(page).size === 0 ? idle + 1 : 0;
    if (idle === 0) await new Promise((done) => setTimeout(done, 20));
  }
}

// Gives the window another size, and waits until the page has taken it.
export async function resize(page, size) {
  await page.setViewportSize(size);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

function keep(page, who) {
  page.on('response', (response) => {
    const body = response.body().then(
      (bytes) => who.received.push({ from: response.url(), text: bytes.toString() }),
      // An aborted stream has no body.
      () => {},
    );
    who.pending.add(body);
    body.finally(() => who.pending.delete(body));
  });
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => who.received.push({ from: socket.url(), text: String(payload) }));
  });
}

// Checks that no page of these visitors had a fault.
export function flawless(...all) {
  for (const who of all) assert.deepEqual(who.faults, []);
}

// Everything that the pages of a visitor who records have received so far.
export async function bytes(who) {
  assert.ok(who.received.length > 0, 'this visitor records');
  await Promise.race([Promise.all(who.pending), new Promise((done) => setTimeout(done, 2000))]);
  return who.received;
}

// Asks the API. `token`: of a seat. `body` is sent as JSON, `text` as it is.
export async function api(path, { token, body, text, method, url = URL_ } = {}) {
  const answer = await fetch(url + path, {
    method: method ?? (body || text ? 'POST' : 'GET'), body: text ?? (body && JSON.stringify(body)),
    headers: {
      ...(body && { 'content-type': 'application/json' }), ...(text && { 'content-type': 'text/plain' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
  });
  assert.ok(answer.ok, `${path}: ${answer.status} ${answer.ok ? '' : await answer.text()}`);
  return answer.status === 204 ? null : answer.json();
}

// The events of a finished match, as this seat saw them.
export async function looked(id, seat) {
  const headers = { accept: 'application/x-ndjson' };
  const answer = await fetch(`${URL_}/v1/matches/${id}/events?since=0&seat=${seat}`, { headers });
  const lines = (await answer.text()).split('\n').filter((line) => line.trim());
  return lines.map((line) => JSON.parse(line)).filter((frame) => frame.type !== 'match');
}

// The games on offer.
export const games = URL_ ? (await api('/v1/games')).games : [];
