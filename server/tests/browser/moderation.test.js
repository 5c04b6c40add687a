// What people write is deleted by them and reported to the operator; names by invitation.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { good as accessible } from './axe.js';
import { player, signedIn } from './people.js';
import { twoPeople } from './play.js';
import { program, serve } from './server.js';
import { URL_, api, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const two = games.filter((game) => game.min_seats <= 2 && game.max_seats >= 2);
const chat = (page) => page.locator('section.chat');
const line = (page, text) => chat(page).getByRole('listitem').filter({ hasText: text });
const PHONE = { width: 390, height: 844 };

// Pictures for people, where a folder is named.
const picture = async (page, name) => {
  if (process.env.KIBITZ_PICTURES) await page.screenshot({ path: join(process.env.KIBITZ_PICTURES, `${name}.png`) });
};

// Sends the open dialog with this reason, and closes it.
async function send(page, reason, what) {
  const dialog = page.getByRole('dialog');
  await accessible(page, `report of ${what}`);
  await picture(page, `report-${what}`);
  await dialog.getByLabel('What is wrong?').fill(reason);
  await dialog.getByRole('button', { name: 'Send' }).click();
  await dialog.getByRole('status').filter({ hasText: 'Thank you' }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
}

for (const [size, options] of [['a phone', PHONE], ['a desk', {}]]) {
  test(`a message is deleted for both players, or reported, on ${size}`, { timeout: 300_000 }, async (t) => {
    const { all, id, pages: [ana, bogdan] } = await twoPeople(t, browser, two[0].slug, { seed: '4' }, [options, options]);
    for (const text of ['a slip', 'a rude word']) {
      await chat(bogdan).getByLabel('Your message').fill(text);
      await chat(bogdan).getByRole('button', { name: 'Send' }).click();
      await line(ana, text).waitFor();
    }
    await ana.locator('.said').scrollIntoViewIfNeeded();
    await accessible(ana, 'chat with reports');
    await picture(ana, `chat-${size.slice(2)}`);
    await line(bogdan, 'a slip').getByRole('button', { name: 'Delete' }).click();
    await picture(bogdan, `chat-delete-${size.slice(2)}`);
    await line(bogdan, 'a slip').getByRole('button', { name: 'Delete' }).click();
    await line(bogdan, 'a slip').waitFor({ state: 'detached' });
    await line(ana, 'a slip').waitFor({ state: 'detached' });
    // It does not come back.
    await ana.reload();
    await line(ana, 'a rude word').getByRole('button', { name: 'Report' }).click();
    await send(ana, 'it is rude', `message-${size.slice(2)}`);
    assert.equal(await chat(ana).getByRole('listitem').count(), 1);
    await ana.getByRole('button', { name: 'Report this match' }).click();
    await send(ana, 'they cheat', `match-${size.slice(2)}`);
    assert.ok(id);
    flawless(...all);
  });
}

for (const [language, report, thanks] of [['en', 'Report', 'Thank you'], ['ro', 'Raportează', 'Mulțumim'], ['pt', 'Denunciar', 'Obrigado']]) {
  test(`a player is reported in ${language}`, { timeout: 300_000 }, async (t) => {
    const rude = await player('rude');
    const who = await visitor(browser, { ...PHONE, locale: language });
    t.after(() => who.context.close());
    await who.page.goto(`${URL_}/players/${rude.name}`);
    await who.page.getByRole('button', { name: report }).click();
    const dialog = who.page.getByRole('dialog');
    await accessible(who.page, `report in ${language}`);
    await picture(who.page, `report-player-${language}`);
    await dialog.getByRole('textbox').fill('an insulting name');
    await dialog.locator('button.main').click();
    await dialog.getByRole('status').filter({ hasText: thanks }).waitFor();
    flawless(who);
  });
}

test('players do not report themselves; a report that is refused says why', { timeout: 300_000 }, async (t) => {
  const rude = await player('rude');
  const self = await signedIn(t, browser, '/', { forgive: /status of 404/ });
  await self.page.goto(`${URL_}/players/${self.name}`);
  await self.page.locator('[data-list="matches"]').waitFor({ state: 'attached' });
  assert.equal(await self.page.getByRole('button', { name: /^Report/ }).count(), 0);
  await self.page.goto(`${URL_}/players/${rude.name}`);
  await self.page.getByRole('button', { name: `Report ${rude.name}` }).click();
  await api('/v1/me', { token: rude.token, method: 'DELETE' });
  const dialog = self.page.getByRole('dialog');
  await dialog.getByLabel('What is wrong?').fill('the name');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'There is no such player.' }).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  flawless(self.who);
});

test('an organizer deletes a tournament, or removes its title; others report it', { timeout: 300_000 }, async (t) => {
  const who = await signedIn(t, browser, '/tournaments', PHONE);
  const make = async (title) => (await api('/v1/tournaments', { token: who.token, body: {
    title, game: two[0].slug, format: { kind: 'round_robin' }, clock: { initial_ms: 600_000 } } })).id;
  const first = await make('A cup to delete');
  await who.page.goto(`${URL_}/tournaments/${first}`);
  const button = (name) => who.page.getByRole('button', { name, exact: true });
  await button('Delete the tournament').click();
  await accessible(who.page, 'deleting a tournament');
  await picture(who.page, 'tournament-delete');
  await button('Delete the tournament').click();
  await who.page.waitForURL(`${URL_}/tournaments`);
  assert.equal(await who.page.getByText('A cup to delete').count(), 0);
  const second = await make('A rude title');
  const guest = await visitor(browser, PHONE);
  t.after(() => guest.context.close());
  await guest.page.goto(`${URL_}/tournaments/${second}`);
  await guest.page.getByRole('button', { name: 'Report this title' }).click();
  await send(guest.page, 'it is rude', 'tournament');
  const opponent = await player('eva');
  for (const { token } of [who, opponent]) await api(`/v1/tournaments/${second}/entries`, { token, body: {} });
  await who.page.goto(`${URL_}/tournaments/${second}`);
  await button('Start the tournament').click();
  await button('Remove the title').click();
  await button('Remove the title').click();
  for (const page of [who.page, guest.page]) await page.getByRole('heading', { name: 'Tournament without a title' }).waitFor();
  await button('Remove the title').waitFor({ state: 'detached' });
  flawless(who.who, guest);
});

test('a server for invited players asks for the code', { timeout: 300_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kibitz-admin-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const run = promisify(execFile);
  const file = join(folder, 'token');
  await writeFile(file, (await run(program('kibitz'), ['admin', 'token'])).stdout, { mode: 0o600 });
  const server = await serve({ KIBITZ_REGISTRATION: 'invitation', KIBITZ_ADMIN_TOKEN_FILE: file });
  t.after(() => server.stop());
  const env = { ...process.env, KIBITZ_SERVER: server.url, KIBITZ_ADMIN_TOKEN_FILE: file };
  const { stdout: code } = await run(program('kibitz'), ['admin', 'invitations', 'create'], { env });
  const who = await visitor(browser, { ...PHONE, forgive: /another host|status of 403/ });
  t.after(() => who.context.close());
  await who.page.goto(`${server.url}/account`);
  const form = who.page.locator('#create');
  await form.getByLabel('Name').fill('ina');
  await form.getByLabel('Invitation').fill('sesame');
  await accessible(who.page, 'account with an invitation');
  await picture(who.page, 'account-invitation');
  await form.getByRole('button').click();
  await who.page.getByRole('alert').filter({ hasText: 'ask the operator for another one' }).waitFor();
  await form.getByLabel('Invitation').fill(code);
  await form.getByRole('button').click();
  await who.page.locator('#signed-in a.name').filter({ hasText: 'ina' }).waitFor();
  flawless(who);
});

test('a server that takes no new players says so', { timeout: 300_000 }, async (t) => {
  const server = await serve({ KIBITZ_REGISTRATION: 'closed' });
  t.after(() => server.stop());
  const who = await visitor(browser, { forgive: /another host/ });
  t.after(() => who.context.close());
  await who.page.goto(`${server.url}/account`);
  await who.page.getByText('This server takes no new names now.').waitFor();
  assert.equal(await who.page.locator('#create').count(), 0);
  assert.ok(await who.page.locator('#enter').isVisible(), 'those who have a name sign in');
  flawless(who);
});
