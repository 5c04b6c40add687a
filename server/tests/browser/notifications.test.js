// Notifications while no page is open: turned on and off on the account's page, tried, shown by the service worker, pressed, and
// renewed when the browser replaces its subscription.
// Headless Chromium has neither a push service nor notifications: this test stands for both. What a push service would hand to the
// browser, the browser's own tools deliver to the service worker, whose events are its own.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

import { goodInSizes } from './axe.js';
import { signedIn } from './people.js';
import { serve } from './server.js';
import { api, flawless, launch, resize, URL_ } from './visitor.js';

const SIZES = [['a desk', 1280, 860], ['a phone', 360, 740]];

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// A push service on this machine; `{url, received, answers}`. `answers`: the next ones, if they are not 201.
async function pushService(t) {
  const [received, answers] = [[], []];
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      received.push({ path: request.url, headers: request.headers, body: Buffer.concat(parts) });
      response.writeHead(answers.shift() ?? 201).end();
    });
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, received, answers };
}

// Lets the browser subscribe at this push service, at a new address each time. `answer`: what its user says when it asks whether
// notifications may be shown.
function subscribing({ endpoint, answer }) {
  Object.defineProperty(Notification, 'permission', { get: () => sessionStorage.getItem('test.permission') ?? 'default' });
  Notification.requestPermission = async () => {
    sessionStorage.setItem('test.permission', answer);
    return answer;
  };
  const KEPT = 'test.subscription';
  const base64 = (/** @type {ArrayBuffer} */ bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const subscription = (kept) => ({
    endpoint: kept.endpoint,
    options: { applicationServerKey: new Uint8Array(65).buffer },
    toJSON: () => kept,
    unsubscribe: async () => { localStorage.removeItem(KEPT); return true; },
  });
  PushManager.prototype.getSubscription = async () => {
    const kept = localStorage.getItem(KEPT);
    return kept && subscription(JSON.parse(kept));
  };
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    if (!userVisibleOnly || ![65, 87].includes(applicationServerKey.byteLength ?? applicationServerKey.length)) throw new TypeError('the key of the server is missing');
    const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
    const keys = { p256dh: base64(await crypto.subtle.exportKey('raw', publicKey)), auth: base64(crypto.getRandomValues(new Uint8Array(16))) };
    const count = Number(localStorage.getItem('test.count')) + 1;
    localStorage.setItem('test.count', count);
    const made = { endpoint: `${endpoint}${count}`, keys };
    localStorage.setItem(KEPT, JSON.stringify(made));
    return subscription(made);
  };
}

const button = (place, name) => place.getByRole('button', { name, exact: true });

// Keeps pictures of the part in the folder KIBITZ_PICTURES.
async function kept(page, card, name) {
  const folder = process.env.KIBITZ_PICTURES;
  for (const [, width, height] of folder ? SIZES : []) {
    await resize(page, { width, height });
    for (const colorScheme of ['dark', 'light']) {
      await page.emulateMedia({ colorScheme });
      await card.screenshot({ path: `${folder}/notifications-${name}-${width}-${colorScheme}.png` });
    }
  }
}

test('browser is notified until it is turned off', { timeout: 180_000 }, async (t) => {
  const service = await pushService(t);
  const server = await serve({ KIBITZ_PUSH_PRIVATE_NETWORKS: 'true' });
  t.after(server.stop);
  const at = (path, more) => api(path, { ...more, url: server.url });
  const { token } = await at('/v1/players', { body: { name: 'ana' } });
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, colorScheme: 'light', reducedMotion: 'reduce' });
  t.after(() => context.close());
  await context.addInitScript(subscribing, { endpoint: `${service.url}/send/`, answer: 'granted' });
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) faults.push(message.text()); });
  await page.goto(`${server.url}/account#key=${token}`);
  await button(page, 'Sign in').first().click();
  const card = page.locator('#notifications');
  await button(card, 'Notify me in this browser').waitFor();
  await goodInSizes(page, 'notifications are off', SIZES);
  await kept(page, card, 'off');
  await resize(page, { width: 1280, height: 860 });
  await card.getByLabel('Challenges').uncheck();
  await button(card, 'Notify me in this browser').click();
  await card.getByText('This browser notifies you from now on.').waitFor();
  const list = async () => (await at('/v1/me/push-subscriptions', { token })).subscriptions;
  assert.deepEqual((await list()).map(({ kinds }) => kinds), [['turn', 'reminder', 'tournament']]);
  await card.getByLabel('Challenges').check();
  await card.getByText('Saved').waitFor();
  assert.equal((await list())[0].kinds.length, 4);
  await button(card, 'Send a test').click();
  await card.getByText('It appears within a few seconds.').waitFor();
  assert.equal(service.received.length, 1);
  assert.equal(service.received[0].headers['content-encoding'], 'aes128gcm');

  // Another browser, with a name that was subscribed through the API.
  const other = { name: 'Firefox, Android', endpoint: `${service.url}/send/other`, language: 'ro', kinds: ['turn'],
    keys: { p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4', auth: 'BTBZMqHH6r4Tts7J_aSIgg' } };
  await at('/v1/me/push-subscriptions', { token, body: other });
  await page.reload();
  const line = card.locator('li').filter({ hasText: 'Firefox, Android' });
  await line.waitFor();
  assert.match(await line.innerText(), /since .* · no notification yet · Your turn/);
  await button(card, 'Send a test').waitFor();
  await goodInSizes(page, 'notifications are on', SIZES);
  await kept(page, card, 'on');
  await resize(page, { width: 1280, height: 860 });
  await button(line, 'Remove').click();
  await button(line, 'Remove').click();
  await line.waitFor({ state: 'detached' });

  // What the push service would hand over is shown, and a press opens its page.
  const made = await at('/v1/matches', { token, body: { game: 'ioiwari', seats: [{ kind: 'me' }, { kind: 'open' }] } });
  const cdp = await context.newCDPSession(page);
  const registered = new Promise((done) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => { if (registrations.length > 0) done(registrations[0].registrationId); });
  });
  await cdp.send('ServiceWorker.enable');
  const [worker] = context.serviceWorkers();
  await worker.evaluate(() => {
    self.heard = new Promise((done) => { self.registration.showNotification = async (title, options) => done({ title, ...options }); });
    self.opened = new Promise((done) => { self.clients.openWindow = async (url) => done(url); });
  });
  const message = { title: 'Your turn in Ioiwari', body: 'You are to move against ben.', url: `/matches/${made.id}`, tag: `match ${made.id}` };
  await cdp.send('ServiceWorker.deliverPushMessage', { origin: server.url, registrationId: await registered, data: JSON.stringify(message) });
  const shown = await worker.evaluate(() => self.heard);
  assert.deepEqual([shown.title, shown.body, shown.tag, shown.data.url], [message.title, message.body, message.tag, message.url]);
  assert.equal((await fetch(server.url + shown.icon)).status, 200);
  const pressed = await worker.evaluate(async (data) => {
    const press = new Event('notificationclick');
    const closed = new Promise((done) => { press.notification = { data, close: done }; });
    press.waitUntil = () => {};
    self.dispatchEvent(press);
    await closed;
    return self.opened;
  }, shown.data);
  assert.equal(pressed, `${server.url}${message.url}`);
  // The worker answers no requests of pages.
  assert.equal(await page.evaluate(async () => (await caches.keys()).length), 0);

  await button(card, 'No longer in this browser').click();
  await button(card, 'Notify me in this browser').waitFor();
  assert.deepEqual(await list(), []);
  // Signing out ends it too.
  await button(card, 'Notify me in this browser').click();
  await card.getByText('This browser notifies you from now on.').waitFor();
  await button(page, 'Sign out').click();
  await button(page, 'Sign out').click();
  await page.locator('#signed-out').waitFor();
  assert.deepEqual(await list(), []);
  assert.deepEqual(faults, []);
});

// Lets the browser replace its subscription by one with this address, without a word to the page.
const replaced = (page, endpoint) => page.evaluate(async (address) => {
  const { keys } = JSON.parse(localStorage.getItem('test.subscription'));
  const auth = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(15)))).replaceAll('+', '-').replaceAll('/', '_');
  const made = { endpoint: address, keys: { ...keys, auth: `${auth}AA` } };
  localStorage.setItem('test.subscription', JSON.stringify(made));
  return made;
}, endpoint);

// Lets the service worker know that the browser has replaced its subscription by this one. Returns whether the worker has ended it.
const changed = (worker, made) => worker.evaluate(async (kept) => {
  let ended = false;
  const subscription = {
    endpoint: kept.endpoint, options: { applicationServerKey: new Uint8Array(65).buffer }, toJSON: () => kept,
    unsubscribe: async () => { ended = true; return true; },
  };
  PushManager.prototype.getSubscription = async () => null;
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    if (!userVisibleOnly || applicationServerKey.byteLength !== 65) throw new TypeError('the key of the server is missing');
    return subscription;
  };
  const event = new Event('pushsubscriptionchange');
  const done = new Promise((heard) => { event.waitUntil = heard; });
  self.dispatchEvent(event);
  await done;
  return ended;
}, made);

test('subscription that the browser has replaced is renewed', { timeout: 240_000 }, async (t) => {
  const service = await pushService(t);
  const server = await serve({ KIBITZ_PUSH_PRIVATE_NETWORKS: 'true' });
  t.after(server.stop);
  const at = (path, more) => api(path, { ...more, url: server.url });
  const { token } = await at('/v1/players', { body: { name: 'ana' } });
  const context = await browser.newContext();
  t.after(() => context.close());
  await context.addInitScript(subscribing, { endpoint: `${service.url}/send/`, answer: 'granted' });
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(`${server.url}/account#key=${token}`);
  await button(page, 'Sign in').first().click();
  const card = page.locator('#notifications');
  await card.getByLabel('Challenges').uncheck();
  await button(card, 'Notify me in this browser').click();
  await card.getByText('This browser notifies you from now on.').waitFor();
  const list = async () => (await at('/v1/me/push-subscriptions', { token })).subscriptions;
  const [first] = await list();
  const same = async () => assert.deepEqual((await list()).map(({ id, kinds }) => [id, kinds]), [[first.id, first.kinds]]);
  // Where a try arrives. The server allows one every ten seconds.
  const tried = async (expected) => {
    const path = `${server.url}/v1/me/push-subscriptions/${first.id}/test`;
    for (;;) {
      const { status } = await fetch(path, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
      if (status !== 429) {
        assert.equal(status, expected);
        return service.received.at(-1).path;
      }
      await new Promise((done) => setTimeout(done, 250));
    }
  };

  // The browser reports it to the service worker, which has no key of the player.
  const [worker] = context.serviceWorkers();
  assert.equal(await changed(worker, await replaced(page, `${service.url}/send/by-worker`)), false);
  await same();
  assert.equal(await tried(204), '/send/by-worker');

  // The worker has missed it: any page makes up for that.
  await replaced(page, `${service.url}/send/by-page`);
  const renewed = page.waitForResponse(/push-subscriptions\/renew/);
  await page.goto(`${server.url}/puzzles`);
  assert.equal((await renewed).status(), 204);
  await same();
  assert.equal(await tried(204), '/send/by-page');

  // The push service has forgotten it, and the browser does not know.
  service.answers.push(410);
  await tried(409);
  assert.deepEqual(await list(), []);
  await page.goto(`${server.url}/account`);
  await button(card, 'Send a test').waitFor();
  await same();
  assert.equal(await tried(204), '/send/2');

  // A subscription that the player has removed elsewhere stays removed.
  await at(`/v1/me/push-subscriptions/${first.id}`, { token, method: 'DELETE' });
  assert.equal(await changed(worker, await replaced(page, `${service.url}/send/again`)), true);
  await page.reload();
  await button(card, 'Notify me in this browser').waitFor();
  assert.deepEqual(await list(), []);
  assert.deepEqual(faults, []);
});

test('page says why there are no notifications', { timeout: 300_000 }, async (t) => {
  // A browser that was told not to.
  const refusing = await signedIn(t, browser, '/', { width: 360, height: 740 });
  await refusing.context.addInitScript(subscribing, { endpoint: '', answer: 'default' });
  await refusing.page.goto(`${URL_}/account`);
  const card = refusing.page.locator('#notifications');
  await button(card, 'Notify me in this browser').waitFor();
  await button(card, 'Notify me in this browser').click();
  await card.getByText('This browser has not been allowed to show notifications.').waitFor();
  flawless(refusing.who);
  // One whose user has forbidden it for good, which headless Chromium is by itself.
  const forbidden = await signedIn(t, browser, '/account', {});
  await forbidden.page.locator('#notifications').getByText('You can allow it in the settings of the browser.').waitFor();
  flawless(forbidden.who);
  // One without push.
  const old = await signedIn(t, browser, '/', {});
  await old.context.addInitScript(() => { delete window.PushManager; });
  await old.page.goto(`${URL_}/account`);
  await old.page.locator('#notifications').getByText('This browser cannot show notifications here.').waitFor();
  flawless(old.who);
  // A server that sends none.
  const server = await serve({ KIBITZ_PUSH: 'false' });
  t.after(server.stop);
  const { token } = await api('/v1/players', { body: { name: 'ana' }, url: server.url });
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`${server.url}/account#key=${token}`);
  await button(page, 'Sign in').first().click();
  await page.locator('#notifications').getByText('This server sends no notifications.').waitFor();
});
