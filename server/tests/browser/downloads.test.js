// The bots' page: a visitor downloads kibitz-shim from the page's address, checks its hash, and puts a bot online with the commands
// that the page shows.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { good } from './axe.js';
import { fresh, player, signedIn } from './people.js';
import { program, serve } from './server.js';
import { URL_, api, flawless, launch, resize, visitor } from './visitor.js';

const run = promisify(execFile);
const WINDOWS = { desk: { width: 1280, height: 860 }, phone: { width: 360, height: 740 } };

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function emptyFolder(t) {
  const folder = await mkdtemp(join(tmpdir(), 'kibitz-online-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const online = (page) => page.getByRole('region', { name: 'Put your bot online' });
const commands = (page) => online(page).locator('pre code').allTextContents();

// Checks the page in both windows, and takes pictures if they are wanted.
async function fits(page, name) {
  for (const [window, size] of Object.entries(WINDOWS)) {
    await resize(page, size);
    await good(page, `${name}, ${window}`);
    if (!process.env.KIBITZ_PICTURES) continue;
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await online(page).screenshot({ path: `${process.env.KIBITZ_PICTURES}/${name}-${window}-${colorScheme}.png` });
    }
  }
  await resize(page, WINDOWS.desk);
}

test('the commands of the page put a bot online', { timeout: 300_000 }, async (t) => {
  const owner = await player('ana');
  const [first, second] = [fresh('robo'), fresh('robo')];
  for (const name of [first, second]) await api('/v1/me/bots', { token: owner.token, body: { name } });
  const { page, who } = await signedIn(t, browser, '/bots', { session: owner });
  await online(page).locator('[name=bot]').selectOption(second);
  await online(page).locator('[name=game]').selectOption('ioiwari');
  await page.getByRole('button', { name: 'Make a token' }).click();
  await page.getByText(`The commands have a new token for ${second}.`).waitFor();
  await fits(page, 'online');
  const [get, token, play] = await commands(page);
  const folder = await emptyFolder(t);
  const options = { cwd: folder, timeout: 280_000 };
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', `${get}\n${token}`], options);
  assert.equal(stdout.trim(), 'kibitz-shim: OK');
  assert.ok(get.includes(`${URL_}/downloads/kibitz-shim`), get);
  // The visitor's program: the shim plays each move by asking the server.
  await writeFile(join(folder, 'my-bot'), `#!/bin/sh\nexec '${program('kibitz-shim')}' ioiwari\n`, { mode: 0o755 });
  const env = { ...process.env, KIBITZ_SERVER: URL_, KIBITZ_TOKEN: '', KIBITZ_NODES: '50' };
  const bot = spawn('bash', ['-c', `exec ${play}`], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => bot.kill('SIGTERM'));
  let said = '';
  bot.stderr.on('data', (bytes) => { said += bytes; });
  for (let tries = 0; !(await api('/v1/bots')).bots.some(({ name }) => name === second); tries += 1) {
    assert.ok(bot.exitCode === null && tries < 600, `the bot is not online: ${said}`);
    await new Promise((done) => { setTimeout(done, 100); });
  }
  // Its token plays as this bot and for nothing else.
  const { tokens } = await api('/v1/me/tokens', { token: owner.token });
  assert.deepEqual(tokens.map(({ scope }) => scope), [`bot:${second}`]);
  await flawless(who);
});

test('guests see the commands without their bot, and a player without a bot is led to one', { timeout: 300_000 }, async (t) => {
  const who = await visitor(browser);
  t.after(() => who.context.close());
  await who.page.goto(`${URL_}/bots`);
  await fits(who.page, 'online-guest');
  await online(who.page).locator('[name=game]').selectOption('azul');
  const [, token, play] = await commands(who.page);
  assert.ok(token.includes("'kbt_...'") && play.includes('--game azul --token-file bot.token'), play);
  assert.equal(await online(who.page).getByRole('link', { name: 'Sign in' }).getAttribute('href'), '/account');
  await flawless(who);
  const { page, who: player_ } = await signedIn(t, browser, '/bots');
  await page.getByText('You have no bot yet.').waitFor();
  assert.equal(await online(page).getByRole('link', { name: 'Create a bot' }).getAttribute('href'), '/account#bots');
  await flawless(player_);
});

test('a folder of files is offered for several systems, with a wheel', { timeout: 300_000 }, async (t) => {
  const folder = await emptyFolder(t);
  for (const name of ['kibitz-shim-here', 'kibitz-shim-there']) await copyFile(program('kibitz-shim'), join(folder, name));
  await writeFile(join(folder, 'kibitz-0.1.0-cp310-abi3-linux_x86_64.whl'), 'a wheel');
  const server = await serve({ KIBITZ_DOWNLOADS: folder });
  t.after(() => server.stop());
  const who = await visitor(browser, { forgive: /another host/ });
  t.after(() => who.context.close());
  await who.page.goto(`${server.url}/bots`);
  await fits(who.page, 'online-folder');
  const shown = await commands(who.page);
  assert.equal(shown.length, 5);
  assert.ok(shown[1].includes('/downloads/kibitz-shim-there\n'), shown[1]);
  assert.match(shown[4], /^pip install 'kibitz\[client\] @ .*\/downloads\/kibitz-0\.1\.0-cp310-abi3-linux_x86_64\.whl#sha256=[0-9a-f]{64}'$/);
});
