// Players with names, through the API: people with a session in a browser, and bots that stay online.

import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { program } from './server.js';
import { URL_, api, visitor } from './visitor.js';

const SHIM = program('kibitz-shim');

let number = 0;

// A name that no other test of this run uses.
export function fresh(name) {
  number += 1;
  return `${name}-${process.pid}-${number}`;
}

// A new player; `{name, token}`.
export function player(name = 'ana') {
  return api('/v1/players', { body: { name: fresh(name) } });
}

// A visitor who is signed in on this page, as a new player or as the one of this session.
export async function signedIn(t, browser, path, { name, session: known, ...more } = {}) {
  const session = known ?? await player(name);
  const who = await visitor(browser, more);
  t.after(() => who.context.close());
  await who.context.addInitScript((kept) => {
    if (location.protocol.startsWith('http')) localStorage.setItem('kibitz.player', JSON.stringify(kept));
  }, session);
  await who.page.goto(URL_ + path);
  return { ...who, who, ...session };
}

// A bot of this owner that `kibitz-shim play` keeps online with the shim as its program; `{name, stop}`.
export async function onlineBot(t, owner, game, options = []) {
  const name = fresh('robo');
  const { token } = await api('/v1/me/bots', { token: owner.token, body: { name } });
  const folder = await mkdtemp(join(tmpdir(), 'kibitz-bot-'));
  const file = join(folder, 'token');
  await writeFile(file, token, { mode: 0o600 });
  const child = spawn(SHIM, ['play', URL_, '--game', game, '--token-file', file, ...options, '--', SHIM, game], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, KIBITZ_SERVER: URL_, KIBITZ_TOKEN: '', KIBITZ_NODES: '50' },
  });
  let said = '';
  child.stderr.on('data', (bytes) => { said += bytes; });
  child.once('close', (code) => { if (code) console.error(`the bot ended with ${code}: ${said}`); });
  const stop = () => child.kill('SIGTERM');
  t.after(async () => {
    stop();
    await rm(folder, { recursive: true, force: true });
  });
  for (let tries = 0; tries < 300; tries += 1) {
    const { bots } = await api('/v1/bots');
    if (bots.some((bot) => bot.name === name)) return { name, token, stop };
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`the bot does not come online: ${said}`);
}
