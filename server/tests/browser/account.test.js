// Accounts: create a name, keep the key, take it to another device by key, link and QR code, replace it, bots, tokens for
// programs, delete.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { fresh, player, signedIn } from './people.js';
import { URL_, api, bytes, flawless, launch, visitor } from './visitor.js';

const jsqr = readFileSync(createRequire(import.meta.url).resolve('jsqr/dist/jsQR.js'), 'utf8');
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function opened(t, path, more) {
  const who = await visitor(browser, more);
  t.after(() => who.context.close());
  await who.page.goto(URL_ + path);
  return who;
}

const session = (page) => page.evaluate(() => JSON.parse(localStorage.getItem('kibitz.player')));
const header = (page) => page.locator('header.top .account');

// The text that a camera reads from the QR code on the page.
async function scanned(page) {
  await page.evaluate(jsqr);
  return page.locator('svg.qr').evaluate(async (svg) => {
    const [dark, light] = ['dark', 'light'].map((part) => getComputedStyle(svg.querySelector(`.${part}`)).fill);
    const { width } = svg.viewBox.baseVal;
    const scale = 6;
    const canvas = new OffscreenCanvas(width * scale, width * scale);
    const pen = canvas.getContext('2d');
    pen.fillStyle = light;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.scale(scale, scale);
    pen.fillStyle = dark;
    pen.fill(new Path2D(svg.querySelector('.dark').getAttribute('d')));
    const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
    return window.jsQR(data, canvas.width, canvas.height)?.data;
  });
}

for (const [size, width, height] of [['a phone', 390, 844], ['a desk', 1280, 860]]) {
  test(`name is created, and its key signs in on other devices, on ${size}`, { timeout: 300_000 }, async (t) => {
    const who = await opened(t, '/', { width, height, record: true });
    const { page } = who;
    await header(page).click();
    await page.getByLabel('Name', { exact: true }).waitFor();
    await good(page, 'signed out');
    const name = fresh('Ioana');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Keep your key').waitFor();
    assert.equal(await header(page).innerText(), name);
    const { kept: token, ...here } = await session(page);
    assert.match(token, /^kbp_/);
    assert.match(here.token, /^kbt_/);
    assert.equal(await page.getByText(token).count(), 0, 'the key is hidden until it is asked for');
    await page.getByRole('button', { name: 'Show the key' }).click();
    assert.equal(await page.getByRole('textbox', { name: 'Your key' }).inputValue(), token);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save it' }).click()]);
    assert.match(readFileSync(await file.path(), 'utf8'), new RegExp(token));
    await page.getByRole('button', { name: 'Show the code' }).click();
    const link = await page.getByLabel('The link that signs you in', { exact: true }).inputValue();
    assert.equal(link, `${URL_}/account#key=${token}`);
    assert.equal(await scanned(page), link, 'a camera reads the link');
    await good(page, 'signed in');

    // Another device: the link asks first, and leaves no key in the address.
    const phone = await opened(t, link.slice(URL_.length), { width: 390, height: 844, forgive: /401|WebSocket/, record: true });
    await phone.page.getByText(`as ${name}`).waitFor();
    assert.equal(phone.page.url(), `${URL_}/account`);
    assert.equal(await session(phone.page), null, 'a link alone signs nobody in');
    await good(phone.page, 'the question');
    await phone.page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
    await phone.page.locator('#signed-in').waitFor();
    const there = await session(phone.page);
    assert.match(there.token, /^kbt_/);
    assert.equal(there.kept, undefined, 'a browser that has signed in does not keep the key');
    await phone.page.getByText('This browser does not have your key').waitFor();

    // A third device: the key signs in, and the page before the account returns.
    const desk = await opened(t, '/account?next=/matches', { forgive: /401/, record: true });
    await desk.page.getByRole('textbox', { name: 'Your key' }).fill('kbp_wrong');
    await desk.page.getByRole('button', { name: 'Sign in', exact: true }).last().click();
    await desk.page.getByText('No player has this key').waitFor();
    await desk.page.getByRole('textbox', { name: 'Your key' }).fill(` ${token} `);
    await desk.page.getByRole('button', { name: 'Sign in', exact: true }).last().click();
    await desk.page.waitForURL(`${URL_}/matches`);
    assert.equal(await header(desk.page).innerText(), name);

    // All of them are listed, and each can be signed out alone.
    await page.reload();
    const lines = page.locator('#sign-ins li');
    await lines.nth(2).waitFor();
    assert.equal(await lines.count(), 3);
    await lines.nth(0).getByText('this browser').waitFor();
    await good(page, 'signed-in browsers');
    await lines.nth(1).getByRole('button', { name: 'Sign it out' }).click();
    await lines.nth(1).getByRole('button', { name: 'Sign it out' }).click();
    await lines.nth(2).waitFor({ state: 'detached' });
    await phone.page.reload();
    await phone.page.getByText('no longer valid').waitFor();
    assert.equal(await session(phone.page), null);
    await desk.page.reload();
    assert.equal(await header(desk.page).innerText(), name);
    assert.equal((await api('/v1/me', { token })).name, name, 'programs go on with the key');
    // Neither key nor token was ever in an address.
    for (const one of [who, phone, desk]) {
      for (const { from } of await bytes(one)) assert.ok(!from.includes('kbp_'), from);
    }
    flawless(who, phone, desk);
  });
}

test('replaced key signs out other devices, and survives a lost answer', { timeout: 300_000 }, async (t) => {
  const { name, token } = await player('Radu');
  const who = await opened(t, `/account#key=${token}`, { forgive: /401|ERR_/ });
  const other = await opened(t, `/account#key=${token}`, { forgive: /401|WebSocket/ });
  for (const { page } of [who, other]) {
    await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
    await page.locator('#signed-in').waitFor();
  }
  const replace = async () => {
    await who.page.getByRole('button', { name: 'Replace the key' }).click();
    await who.page.getByRole('button', { name: 'Replace the key' }).click();
  };
  await replace();
  await who.page.getByText('You have a new key').waitFor();
  const second = (await session(who.page)).kept;
  assert.notEqual(second, token);
  assert.equal((await api('/v1/me', { token: second })).name, name);
  await other.page.reload();
  await other.page.getByText('no longer valid').waitFor();
  assert.equal(await session(other.page), null);
  await header(other.page).filter({ hasText: 'Sign in' }).waitFor();

  // The server replaces the key, but its answer does not arrive.
  await who.page.reload();
  await who.page.locator('#signed-in').waitFor();
  await who.page.route('**/v1/me/token', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await replace();
  await who.page.getByText('The server cannot be reached.').waitFor();
  await who.page.unroute('**/v1/me/token');
  await who.page.reload();
  await who.page.locator('#signed-in').waitFor();
  const third = (await session(who.page)).kept;
  assert.notEqual(third, second);
  assert.equal((await api('/v1/me', { token: third })).name, name);
  flawless(who, other);
});

test('browser that has held the key from before goes on, and its replaced key survives a lost answer', { timeout: 300_000 }, async (t) => {
  const who = await opened(t, '/', { forgive: /401|ERR_|WebSocket/ });
  const { page } = who;
  const { name, token } = await player('Radu');
  await page.evaluate((kept) => localStorage.setItem('kibitz.player', JSON.stringify(kept)), { name, token });
  await page.goto(`${URL_}/account`);
  await page.getByRole('button', { name: 'Show the key' }).click();
  assert.equal(await page.getByRole('textbox', { name: 'Your key' }).inputValue(), token);
  await page.route('**/v1/me/token', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.getByRole('button', { name: 'Replace the key' }).click();
  await page.getByRole('button', { name: 'Replace the key' }).click();
  await page.getByText('The server cannot be reached.').waitFor();
  await page.unroute('**/v1/me/token');
  await page.reload();
  await page.locator('#signed-in').waitFor();
  const after = await session(page);
  assert.notEqual(after.token, token);
  assert.deepEqual(after, { name, token: after.token });
  assert.equal((await api('/v1/me', { token: after.token })).name, name);

  // A sign-in that has expired leaves the browser its key; one that was ended does not.
  const ended = (until) => page.evaluate((kept) => localStorage.setItem('kibitz.player', JSON.stringify(kept)),
    { name, token: `kbt_${'x'.repeat(43)}`, id: 'x', until, kept: after.token });
  await ended(Date.now() - 1000);
  await page.reload();
  await page.locator('#signed-in').waitFor();
  assert.deepEqual(await session(page), { name, token: after.token });
  await ended(Date.now() + 1_000_000);
  await page.reload();
  await page.getByText('no longer valid').waitFor();
  assert.equal(await session(page), null);
  flawless(who);
});

test('person describes themselves, owns a bot, signs out and deletes the account', { timeout: 300_000 }, async (t) => {
  const { name, token } = await player('Mihai');
  const who = await opened(t, `/account#key=${token}`, { width: 390, height: 844, forgive: /409|422|ERR_FAILED/ });
  const { page } = who;
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
  await page.getByLabel('Description').fill('Plays <b>slowly</b>');
  await page.getByLabel('Link', { exact: true }).fill('https://example.org/');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved').waitFor();
  assert.deepEqual((await api(`/v1/players/${name}`)).about, { description: 'Plays <b>slowly</b>', source: 'https://example.org/' });

  const bot = fresh('robo');
  await page.getByLabel('Name of the bot').fill(name);
  await page.getByRole('button', { name: 'Create the bot' }).click();
  await page.locator('.account > .trouble').filter({ hasText: 'name' }).waitFor();
  await page.getByLabel('Name of the bot').fill(bot);
  await page.getByLabel('Version').fill('1.0');
  await page.getByRole('button', { name: 'Create the bot' }).click();
  const first = await page.getByLabel('The token of the bot').inputValue();
  assert.equal((await api('/v1/me', { token: first })).owner, name);
  await good(page, 'a bot and its token');
  const entry = page.locator('.bots li').filter({ hasText: bot });
  await entry.getByRole('button', { name: 'New token' }).click();
  await entry.getByRole('button', { name: 'New token' }).click();
  await page.waitForFunction((old) => document.querySelector('#bots .token input').value !== old, first);
  const second = await page.getByLabel('The token of the bot').inputValue();
  assert.equal((await api('/v1/me', { token: second })).name, bot);
  await entry.getByRole('button', { name: 'Delete' }).click();
  await entry.getByRole('button', { name: 'Delete' }).click();
  await entry.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('#signed-out').waitFor();
  assert.equal(await session(page), null);
  await page.getByRole('textbox', { name: 'Your key' }).fill(token);
  await page.getByRole('button', { name: 'Sign in', exact: true }).last().click();
  await page.locator('#signed-in').waitFor();
  await page.getByRole('button', { name: 'Delete the account' }).click();
  await page.getByRole('button', { name: 'No' }).click();
  assert.equal((await api('/v1/me', { token })).name, name, 'asked twice');
  await page.getByRole('button', { name: 'Delete the account' }).click();
  await page.getByRole('button', { name: 'Delete the account' }).click();
  await page.waitForURL(`${URL_}/`);
  assert.equal((await fetch(`${URL_}/v1/players/${name}`)).status, 404);
  flawless(who);
});

for (const [size, width, height] of [['a phone', 390, 844], ['a desk', 1280, 860]]) {
  test(`tokens for programs are made, shown once and revoked, on ${size}`, { timeout: 300_000 }, async (t) => {
    const who = await signedIn(t, browser, '/account', { name: 'Sanda', width, height, forgive: /422|401/ });
    const { page, token } = who;
    const bot = fresh('robo');
    await api('/v1/me/bots', { token, body: { name: bot } });
    await page.reload();
    const card = page.locator('#tokens');
    await card.getByText('You have no tokens.').waitFor();
    await card.getByLabel('Name of the token').fill('my shim');
    await card.getByLabel('It allows a program to').selectOption({ label: `play as ${bot}` });
    await card.getByLabel('It is valid for').selectOption({ label: '90 days' });
    await card.getByRole('button', { name: 'Make the token' }).click();
    const secret = await card.getByLabel('The new token').inputValue();
    assert.equal((await api('/v1/me', { token: secret })).name, bot, 'it acts as the bot');
    const line = card.locator('li').filter({ hasText: 'my shim' });
    assert.match(await line.innerText(), new RegExp(`play as ${bot} · valid until .* · never used`));
    await good(page, 'a token that was just made');
    const { tokens: [made] } = await api('/v1/me/tokens', { token });
    assert.equal(made.expires_ms - made.created_ms, 90 * 24 * 3_600_000);

    // Afterwards the secret is nowhere on the page, and its use is shown.
    await page.reload();
    await line.waitFor();
    assert.ok(!(await page.content()).includes(secret));
    assert.match(await line.innerText(), /last used: /);
    await card.getByLabel('Name of the token').fill('reader');
    await card.getByLabel('It allows a program to').selectOption('read');
    await card.getByLabel('It is valid for').selectOption({ label: 'unlimited time' });
    await card.getByRole('button', { name: 'Make the token' }).click();
    const reader = card.locator('li').filter({ hasText: 'reader' });
    assert.match(await reader.innerText(), /only read · never used/);

    await line.getByRole('button', { name: 'Revoke' }).click();
    await line.getByRole('button', { name: 'Revoke' }).click();
    await line.waitFor({ state: 'detached' });
    assert.equal(await reader.count(), 1);
    assert.equal((await fetch(`${URL_}/v1/me`, { headers: { authorization: `Bearer ${secret}` } })).status, 401);
    flawless(who);
  });
}

test('token for a program signs nobody in', { timeout: 60_000 }, async (t) => {
  const { token } = await player('Tudor');
  const made = await api('/v1/me/tokens', { token, body: { name: 'laptop', scope: 'play' } });
  const who = await opened(t, '/account');
  await who.page.getByRole('textbox', { name: 'Your key' }).fill(made.token);
  await who.page.getByRole('button', { name: 'Sign in', exact: true }).last().click();
  await who.page.getByText('This is a token for a program.').waitFor();
  assert.equal(await session(who.page), null);
  flawless(who);
});
