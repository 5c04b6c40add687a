// Passkeys and recovery codes, with a device in software that Chromium itself provides: made, used to sign in without a key, also
// in another browser, offered at the field for the key, and removed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { goodInSizes } from './axe.js';
import { fresh, player } from './people.js';
import { URL_, api, flawless, launch, resize, visitor } from './visitor.js';

// Passkeys belong to a host name. This is the one of the server when it has no public address.
const HERE = URL_.replace('127.0.0.1', 'localhost');
const SIZES = [['a desk', 1280, 860], ['a phone', 360, 740]];

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// A visitor with a device that makes passkeys and asks for nothing. `credentials`: those that it has, as another one gave them.
// `touched(false)`: the device waits for its user, so that an offer of the page stays open; a later `touched(true)` answers only what is
// asked from then on.
async function withDevice(t, { credentials = [], ...more } = {}) {
  const forgive = /status of 40[13]|a request to another host: (http|ws):\/\/localhost/;
  const who = await visitor(browser, { forgive, ...more });
  t.after(() => who.context.close());
  const cdp = await who.context.newCDPSession(who.page);
  await cdp.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true,
  };
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options });
  for (const credential of credentials) await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
  const known = async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  const touched = (enabled) => cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  return { ...who, who, known, touched };
}

// Keeps pictures of the page in the folder KIBITZ_PICTURES.
async function kept(page, name) {
  const folder = process.env.KIBITZ_PICTURES;
  for (const [, width, height] of folder ? SIZES : []) {
    await resize(page, { width, height });
    for (const colorScheme of ['dark', 'light']) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/passkeys-${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
}

const session = (page) => page.evaluate(() => JSON.parse(localStorage.getItem('kibitz.player')));
const button = (place, name) => place.getByRole('button', { name, exact: true });

async function signInWithPasskey({ page, touched }) {
  await touched(false);
  await page.goto(`${HERE}/account`);
  await button(page, 'Sign in with a passkey').waitFor();
  await touched(true);
  await button(page, 'Sign in with a passkey').click();
}

test('passkey signs in here and in another browser until it is removed', { timeout: 300_000 }, async (t) => {
  const first = await withDevice(t);
  const { page } = first;
  await page.goto(`${HERE}/account`);
  await button(page, 'Sign in with a passkey').waitFor();
  await goodInSizes(page, 'signed out', SIZES);
  await kept(page, 'signed-out');
  // A device without a passkey of this site.
  await button(page, 'Sign in with a passkey').click();
  await page.getByText('Your device gave no passkey').waitFor();

  const name = fresh('Paula');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await button(page, 'Create').click();
  const card = page.locator('#passkeys');
  await card.getByText('You have no passkeys.').waitFor();
  assert.match(await card.getByLabel('Name of the passkey').inputValue(), /^Chrome, Linux$/);
  await card.getByLabel('Name of the passkey').fill('my phone');
  await button(card, 'Add a passkey').click();
  const line = card.locator('li').filter({ hasText: 'my phone' });
  await line.waitFor();
  assert.match(await line.innerText(), /added on .* · never used/);
  const [credential] = await first.known();
  assert.deepEqual([credential.rpId, credential.userName, credential.isResidentCredential], ['localhost', name, true]);
  // This device has one now.
  await card.getByLabel('Name of the passkey').fill('again');
  await button(card, 'Add a passkey').click();
  await page.getByText('This device already has a passkey').waitFor();
  await button(line, 'Rename').click();
  await card.getByRole('textbox', { name: 'Name of the passkey' }).first().fill('old phone');
  await button(card, 'Save').click();
  const renamed = card.locator('li').filter({ hasText: 'old phone' });
  await renamed.waitFor();

  // Signed out, without the key: the passkey is enough, and says who it is.
  const { kept: key, token } = await session(page);
  await first.touched(false);
  await button(page, 'Sign out').click();
  await button(page, 'Sign out').click();
  await page.locator('#signed-out').waitFor();
  assert.equal((await fetch(`${URL_}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status, 401, 'its sign-in has ended');
  await signInWithPasskey(first);
  await page.getByText(`signed in as ${name}`).waitFor();
  const here = await session(page);
  assert.match(here.token, /^kbt_/);
  assert.match(await renamed.innerText(), /last used: /);
  await page.getByText('This browser does not have your key').waitFor();
  assert.equal(await page.locator('#devices').isVisible(), false, 'there is no key to take along');
  await page.locator('#sign-ins').getByText('this browser').waitFor();

  // Another browser with the same passkey, as a password manager carries it over.
  const second = await withDevice(t, { credentials: await first.known(), width: 360, height: 740 });
  await signInWithPasskey(second);
  await second.page.getByText(`signed in as ${name}`).waitFor();
  await page.reload();
  const other = page.locator('#sign-ins li').filter({ hasNotText: 'this browser' });
  await other.waitFor();
  await goodInSizes(page, 'signed in with a passkey', SIZES);
  await kept(page, 'signed-in');
  await button(other, 'Sign it out').click();
  await button(other, 'Sign it out').click();
  await other.waitFor({ state: 'detached' });
  await second.touched(false);
  await second.page.reload();
  await second.page.getByText('no longer valid').waitFor();

  await button(renamed, 'Remove').click();
  await button(renamed, 'Remove').click();
  await card.getByText('You have no passkeys.').waitFor();
  await signInWithPasskey(second);
  await second.page.getByText('does not sign in here').waitFor();
  assert.equal(await session(second.page), null);

  // A new key does not end the sign-in that asks for it. The browser keeps the key from then on.
  await button(page, 'Replace the key').click();
  await button(page, 'Replace the key').click();
  await page.getByText('You have a new key').waitFor();
  const after = await session(page);
  assert.deepEqual([after.token, after.id], [here.token, here.id]);
  assert.match(after.kept, /^kbp_/);
  await button(page, 'Show the code').waitFor();
  for (const [old, status] of [[key, 401], [here.token, 200], [after.kept, 200]]) {
    assert.equal((await fetch(`${URL_}/v1/me`, { headers: { authorization: `Bearer ${old}` } })).status, status);
  }
  flawless(first.who, second.who);
});

test('passkey is offered at the field for the key', { timeout: 180_000 }, async (t) => {
  const { name, token } = await player('Paul');
  const first = await withDevice(t);
  await first.page.goto(`${HERE}/account#key=${token}`);
  await button(first.page, 'Sign in').first().click();
  await first.page.locator('#passkey').getByLabel('Name of the passkey').waitFor();
  await button(first.page, 'Add a passkey').click();
  await first.page.locator('#passkeys li').getByText('never used').waitFor();

  // A user who picks it among what the browser offers presses no button. A press while the server thinks begins no second sign-in.
  const second = await withDevice(t, { credentials: await first.known() });
  const begun = [];
  second.page.on('request', (request) => { if (request.url().endsWith('/v1/sign-in/passkey/options')) begun.push(request); });
  const held = new Promise((hold) => {
    second.page.route('**/v1/sign-in/passkey', hold);
  });
  await second.page.goto(`${HERE}/account?next=/matches`);
  const answer = await held;
  await button(second.page, 'Sign in with a passkey').click();
  await second.page.evaluate(() => new Promise((done) => setTimeout(done)));
  assert.equal(begun.length, 1, 'only the offer has begun');
  await answer.continue();
  await second.page.waitForURL(`${HERE}/matches`);
  assert.equal((await session(second.page)).name, name);

  // One who does not: the offer stays open, and any other way ends it, since a browser asks for one passkey at a time.
  const third = await withDevice(t, { credentials: await first.known(), width: 360, height: 740 });
  await third.page.addInitScript(() => {
    const get = navigator.credentials.get.bind(navigator.credentials);
    window.offers = [];
    navigator.credentials.get = (options) => {
      const asked = get(options);
      const offer = { mediation: options.mediation, state: 'open' };
      window.offers.push(offer);
      asked.then(() => { offer.state = 'taken'; }, (error) => { offer.state = error.name; });
      return asked;
    };
  });
  await third.touched(false);
  await third.page.goto(`${HERE}/account`);
  const offers = (states) => third.page.waitForFunction(
    (wanted) => JSON.stringify(window.offers.map(({ mediation, state }) => [mediation ?? 'button', state])) === wanted, JSON.stringify(states));
  await offers([['conditional', 'open']]);
  const field = third.page.getByRole('textbox', { name: 'Your key' });
  assert.equal(await field.getAttribute('autocomplete'), 'current-password webauthn');
  await field.fill('kbp_wrong');
  await button(third.page, 'Sign in').last().click();
  await third.page.getByText('No player has this key').waitFor();
  await offers([['conditional', 'AbortError'], ['conditional', 'open']]);
  await third.touched(true);
  await button(third.page, 'Sign in with a passkey').click();
  await third.page.getByText(`signed in as ${name}`).waitFor();
  flawless(first.who, second.who, third.who);
});

test('recovery code signs in once', { timeout: 300_000 }, async (t) => {
  const { name, token } = await player('Petru');
  const who = await withDevice(t, { width: 360, height: 740 });
  const { page } = who;
  await page.goto(`${HERE}/account#key=${token}`);
  await button(page, 'Sign in').first().click();
  const card = page.locator('#recovery');
  await card.getByText('You have 0 unused codes.').waitFor();
  await button(card, 'Make recovery codes').click();
  await card.getByText('They are shown only now').waitFor();
  const codes = await card.locator('.codes li').allInnerTexts();
  assert.equal(codes.length, 10);
  const [file] = await Promise.all([page.waitForEvent('download'), button(card, 'Save the codes as a file').click()]);
  assert.deepEqual(readFileSync(await file.path(), 'utf8').trim().split('\n').slice(1), codes);
  await goodInSizes(page, 'recovery codes', SIZES);
  await kept(page, 'codes');
  await page.reload();
  await card.getByText('You have 10 unused codes.').waitFor();
  assert.ok(!(await page.content()).includes(codes[0]));

  for (const [code, works] of [[codes[0].toUpperCase().replaceAll('-', ' '), true], [codes[0], false], [codes[1], true]]) {
    const other = await visitor(browser, { forgive: /status of 403/ });
    t.after(() => other.context.close());
    // Codes work at any address.
    await other.page.goto(`${URL_}/account`);
    await other.page.getByText(`Passkeys work only when you open this site at ${HERE}.`).first().waitFor();
    await other.page.getByRole('textbox', { name: 'Your key' }).fill(code);
    await button(other.page, 'Sign in').last().click();
    await other.page.getByText(works ? `signed in as ${name}` : 'does not sign in here').waitFor();
    flawless(other);
  }
  const { recovery_codes_left: left } = await api('/v1/me/passkeys', { token });
  assert.equal(left, 8);
  await page.reload();
  await card.getByText('You have 8 unused codes.').waitFor();
  await button(card, 'Make new codes').click();
  await card.getByText('The old codes stop working.').waitFor();
  flawless(who.who);
});
