// The operator's page: the admin token opens it, the load of the server is shown, and the actions of `kibitz admin` act.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { good } from './axe.js';
import { program, serve } from './server.js';
import { flawless, games, launch, resize, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const PHONE = { width: 390, height: 844 };
// Each test has a server of its own.
const OWN_SERVER = /another host|status of 409/;
const DESK = { width: 1280, height: 860 };

// Pictures for people, where a folder is named.
const picture = async (page, name) => {
  if (process.env.KIBITZ_PICTURES) await page.screenshot({ path: join(process.env.KIBITZ_PICTURES, `${name}.png`), fullPage: true });
};

// The page in both sizes.
async function looked(page, name) {
  for (const [size, window] of [['desk', DESK], ['phone', PHONE]]) {
    await resize(page, window);
    await good(page, `${name} on a ${size}`);
    await picture(page, `admin-${name}-${size}`);
  }
  await resize(page, DESK);
}

// Gives the page the admin token, as soon as it takes one.
async function entered(page, token) {
  await page.locator('#enter:not([inert])').waitFor();
  await page.getByLabel('Admin token').fill(token);
  await page.getByRole('button', { name: 'Open' }).click();
}

// A server with an admin token.
async function administered(t) {
  const folder = await mkdtemp(join(tmpdir(), 'kibitz-admin-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { stdout: token } = await promisify(execFile)(program('kibitz'), ['admin', 'token']);
  const file = join(folder, 'token');
  await writeFile(file, token, { mode: 0o600 });
  const server = await serve({ KIBITZ_ADMIN_TOKEN_FILE: file });
  t.after(() => server.stop());
  const api = async (path, { body, bearer } = {}) => {
    const answer = await fetch(server.url + path, { method: body ? 'POST' : 'GET', body: body && JSON.stringify(body),
      headers: { ...body && { 'content-type': 'application/json' }, ...bearer && { authorization: `Bearer ${bearer}` } } });
    return { status: answer.status, json: answer.status === 204 ? null : await answer.json() };
  };
  return { url: server.url, token: token.trim(), api };
}

test('the token opens the page, and no other one', { timeout: 300_000 }, async (t) => {
  const { url, token } = await administered(t);
  const who = await visitor(browser, { forgive: /another host|status of 401/ });
  t.after(() => who.context.close());
  const { page } = who;
  await page.goto(`${url}/admin`);
  await looked(page, 'token');
  await entered(page, 'kba_wrong');
  await page.getByRole('alert').filter({ hasText: 'not the admin token' }).waitFor();
  await entered(page, token);
  const value = (name) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) }).getByRole('cell');
  await value('Takes requests').filter({ hasText: 'yes' }).waitFor();
  await value('Moves a second').filter({ hasText: /^\d/ }).waitFor();
  assert.match(await value('Memory').innerText(), /^[\d.,]+ MiB$/);
  await looked(page, 'load');
  // It stays open in this tab, and is closed in others.
  await page.reload();
  await page.getByRole('heading', { name: 'Load' }).waitFor();
  const other = await who.context.newPage();
  await other.goto(`${url}/admin`);
  await other.getByLabel('Admin token').waitFor();
  await page.getByRole('button', { name: 'Forget the token' }).click();
  await page.getByLabel('Admin token').waitFor();
  await page.reload();
  await page.getByLabel('Admin token').waitFor();
  flawless(who);
});

test('the operator acts on matches, players, reports, addresses and invitations', { timeout: 240_000 }, async (t) => {
  const { url, token, api } = await administered(t);
  const people = await Promise.all(['ana', 'bogdan'].map(async (name) => (await api('/v1/players', { body: { name } })).json.token));
  const seats = [{ kind: 'me' }, ...Array.from({ length: games[0].min_seats - 1 }, () => ({ kind: 'engine' }))];
  const { status, json: match } = await api('/v1/matches', { body: { game: games[0].slug, seats }, bearer: people[0] });
  assert.equal(status, 201, JSON.stringify(match));
  await api('/v1/reports', { body: { about: { kind: 'player', name: 'ana' }, reason: 'a rude description' }, bearer: people[1] });
  const who = await visitor(browser, { forgive: OWN_SERVER });
  t.after(() => who.context.close());
  const { page } = who;
  await page.goto(`${url}/admin#matches`);
  await entered(page, token);
  const part = (name) => page.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name }).click();
  const dialog = page.getByRole('dialog');
  const row = (text) => page.getByRole('row').filter({ hasText: text });
  const act = async (line, button, fields = {}) => {
    await line.getByRole('button', { name: button, exact: true }).click();
    for (const [label, text] of Object.entries(fields)) {
      const field = dialog.getByLabel(label);
      await (label === 'For' ? field.selectOption(text) : field.fill(text));
    }
    await dialog.getByRole('button', { name: button, exact: true }).click();
  };

  await row('ana').waitFor();
  await looked(page, 'matches');
  await act(row('ana'), 'End');
  await page.getByText('No match is being played.').waitFor();
  assert.equal((await api(`/v1/matches/${match.id}`)).json.stage, 'over');
  await part('Finished matches');
  await row('ana').waitFor();
  await act(row('ana'), 'Delete');
  await page.getByText('No match is over.').waitFor();
  assert.equal((await api(`/v1/matches/${match.id}`)).status, 404);

  await part('Reports');
  await row('a rude description').waitFor();
  await looked(page, 'reports');
  await act(row('a rude description'), 'Delete the description');
  await act(row('a rude description'), 'Settle');
  await page.getByText('No report is open.').waitFor();

  await part('Players');
  await row('ana').getByRole('button', { name: 'Mute' }).click();
  await looked(page, 'dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await act(row('ana'), 'Mute', { Reason: 'insults', For: '7 days' });
  await dialog.waitFor({ state: 'hidden' });
  await act(row('bogdan'), 'New key');
  const key = await dialog.getByLabel('Shown only once').inputValue();
  await dialog.getByRole('button', { name: 'Close' }).click();
  assert.equal((await api('/v1/me', { bearer: key })).json.name, 'bogdan');
  assert.equal((await api('/v1/me', { bearer: people[1] })).status, 401);
  // What the server refuses stays in the dialog, with its sentence.
  await act(row('bogdan'), 'Rename', { 'New name': 'ana' });
  await dialog.getByRole('alert').filter({ hasText: 'ana' }).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await act(row('bogdan'), 'Rename', { 'New name': 'bob' });
  await row('bob').waitFor();
  await looked(page, 'players');

  await part('Muted and banned');
  await row('insults').waitFor();
  await act(row('insults'), 'Lift');
  await page.getByText('Nobody is muted or banned.').waitFor();

  await part('Banned addresses');
  await act(page, 'Ban addresses', { 'Address or network': '192.0.2.0/24', Reason: 'spam', For: '1 hour' });
  await row('192.0.2.0/24').waitFor();
  await act(row('192.0.2.0/24'), 'Unban');
  await page.getByText('No address is banned.').waitFor();

  await part('Invitations');
  await act(page, 'Invite', { Note: 'chess club' });
  assert.match(await dialog.getByLabel('Shown only once').inputValue(), /\S{8}/);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await row('chess club').filter({ hasText: '0 of 1' }).waitFor();
  await act(row('chess club'), 'Revoke');
  await page.getByText('There is no invitation.').waitFor();
  flawless(who);
});

test('the form takes no token before its module is there: the browser would send it in the address', { timeout: 300_000 }, async (t) => {
  const { url, token } = await administered(t);
  const who = await visitor(browser, { forgive: OWN_SERVER });
  t.after(() => who.context.close());
  const { page } = who;
  let loaded;
  const late = new Promise((done) => { loaded = done; });
  await page.route(/\/admin\/admin[^/]*\.js$/, async (route) => {
    await late;
    await route.continue();
  });
  await page.goto(`${url}/admin`, { waitUntil: 'commit' });
  await page.locator('#enter[inert]').waitFor();
  loaded();
  await entered(page, token);
  await page.getByRole('heading', { name: 'Load' }).waitFor();
  assert.equal(page.url(), `${url}/admin`);
  flawless(who);
});

test('a server without an admin token says how to get one', { timeout: 60_000 }, async (t) => {
  const server = await serve();
  t.after(() => server.stop());
  const who = await visitor(browser, { forgive: OWN_SERVER });
  t.after(() => who.context.close());
  await who.page.goto(`${server.url}/admin`);
  await who.page.getByText('kibitz admin token').waitFor();
  await good(who.page, 'administration is off');
  flawless(who);
});
