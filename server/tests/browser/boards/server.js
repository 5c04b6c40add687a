// A server of its own, for tests that need real positions: the program of the last build, or that of KIBITZ.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const BUILT = fileURLToPath(new URL('../../../../target/debug/kibitz', import.meta.url));

// Starts one: `{post(path, body), get(path), lines(path), stop()}`. What is refused becomes an Error with the
// answer's `code`.
export async function serve() {
  const folder = await mkdtemp(join(tmpdir(), 'kibitz-boards-'));
  const child = spawn(process.env.KIBITZ ?? BUILT, [
    'serve', '--listen', '127.0.0.1:0', '--database', join(folder, 'test.db'),
  ], { stdio: ['ignore', 'pipe', 'pipe'] });
  const address = await new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', () => fail(new Error('the server has stopped')));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        const found = line.match(/address"?[=:]"?(127\.0\.0\.1:\d+)/);
        if (found) done(found[1]);
      });
    }
  });
  const ask = async (path, options) => {
    const answer = await fetch(`http://${address}/v1${path}`, options);
    const text = await answer.text();
    if (!answer.ok) throw Object.assign(new Error(text), { code: JSON.parse(text).code });
    return text;
  };
  const stop = async () => {
    child.kill();
    await rm(folder, { recursive: true });
  };
  const post = async (path, body) => JSON.parse(await ask(path, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  }));
  const get = async (path) => JSON.parse(await ask(path));
  const lines = async (path) => {
    const text = await ask(path, { headers: { accept: 'application/x-ndjson' } });
    return text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  };
  return { post, get, lines, stop };
}

// Positions with their legal moves, of deals played on at random: `{view, moves}`.
export async function positions(server, game, { seeds, plies, options }) {
  const found = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    for (const ply of plies) {
      const dealt = await server.post(`/games/${game}/positions`, { seed, plies: ply, options }).catch((error) => {
        if (error.code === 'position_finished') return null;
        throw error;
      });
      if (dealt === null) break;
      const { moves } = await server.post(`/games/${game}/legal-moves`, { position: dealt.position });
      found.push({ view: dealt.position, moves });
    }
  }
  return found;
}

// The moves of a whole match between engines, as spectators see it: `{before, move, after, seat}`.
export async function played(server, game, seats, engine) {
  const seat = { kind: 'engine', engine, think_ms: 10 };
  const { id } = await server.post('/matches', { game, seats: Array.from({ length: seats }, () => seat) });
  while ((await server.get(`/matches/${id}`)).stage !== 'over') await new Promise((done) => setTimeout(done, 50));
  const events = await server.lines(`/matches/${id}/events?since=0`);
  const shown = events.filter(({ type }) => ['started', 'moved'].includes(type));
  return shown.slice(1).map(({ move, position, seat }, i) => (
    { before: shown[i].position, move, after: position, seat }
  ));
}
