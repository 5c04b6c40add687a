// Plays a whole match of each game with the generated TypeScript client. The server's address is in KIBITZ_URL.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import createClient, { type Client } from 'openapi-fetch';

import type { components, paths } from './schema.js';

type Schemas = components['schemas'];

const THINK_MS = 5;
const baseUrl = process.env['KIBITZ_URL'];
assert(baseUrl, 'KIBITZ_URL is not set');

// The answer of a request that must succeed.
function wanted<T>({ data, error }: { data?: T; error?: Schemas['Problem'] }): T {
  assert(data !== undefined, JSON.stringify(error));
  return data;
}

// The problem of a request that must fail with this code.
function refused({ error }: { error?: Schemas['Problem'] }, code: Schemas['Problem']['code']): Schemas['Problem'] {
  assert.equal(error?.code, code);
  return error;
}

// The match when it is the caller's turn, or over.
async function myTurn(client: Client<paths>, id: string): Promise<Schemas['MatchPage']> {
  for (;;) {
    const page = wanted(await client.GET('/v1/matches/{id}', { params: { path: { id } } }));
    if (page.stage === 'over' || (page.turn !== null && page.turn === page.you)) return page;
    await sleep(5);
  }
}

// The engine's move for the position of the page, in both its forms by turns.
async function decide(client: Client<paths>, page: Schemas['MatchPage']): Promise<Schemas['PlayRequest']> {
  const { game, position, ply } = page;
  assert(position !== null);
  const path = { game };
  const answer = wanted(await client.POST('/v1/games/{game}/move', {
    params: { path }, body: { position, think_ms: THINK_MS, deadline_ms: 60_000, candidates: 2 },
  }));
  assert(typeof answer !== 'string', 'a position gets a move, not lines');
  if (ply === 0) {
    const { moves, checked } = wanted(await client.POST('/v1/games/{game}/legal-moves', {
      params: { path }, body: { position, notations: [answer.notation, 'nonsense'] },
    }));
    assert.deepEqual(checked.map(({ legal }) => legal), [true, false]);
    assert.deepEqual(moves, page.legal_moves);
  }
  return ply % 2 ? { notation: answer.notation, ply } : { move: answer.move, ply };
}

// Plays a match to its end; the number of moves of the caller.
async function play(client: Client<paths>, game: Schemas['GameEntry']): Promise<number> {
  const seats: Schemas['SeatRequest'][] = Array.from({ length: Math.max(2, game.min_seats) },
    () => ({ kind: 'engine', level: 'easy', think_ms: THINK_MS }));
  // The first seat that the contest gives to a bot: not all games begin with the same.
  seats[game.bot_seats[0] ?? 0] = { kind: 'me', name: 'TypeScript' };
  const made = wanted(await client.POST('/v1/matches', { body: { game: game.slug, seats, seed: 13 } }));
  const token = made.seats[0]?.token;
  assert(token, 'a guest gets a token for the seat');
  const mine = createClient<paths>({ baseUrl: baseUrl!, headers: { authorization: `Bearer ${token}` } });
  const params = { path: { id: made.id } };
  refused(await mine.GET('/v1/matches/{id}/record', { params }), 'match_not_over');
  let moves = 0;
  let page = await myTurn(mine, made.id);
  for (; page.stage !== 'over'; page = await myTurn(mine, made.id)) {
    const event = wanted(await mine.POST('/v1/matches/{id}/moves', { params, body: await decide(mine, page) }));
    assert(event.type === 'moved' && event.ply === page.ply, JSON.stringify(event));
    if (moves === 0) {
      const late = { notation: 'nonsense', ply: page.ply };
      const stale = refused(await mine.POST('/v1/matches/{id}/moves', { params, body: late }), 'stale_ply');
      assert((stale.match?.ply ?? 0) > page.ply);
    }
    moves += 1;
  }
  assert.equal(page.result?.ranks.length, seats.length);
  const record = wanted(await mine.GET('/v1/matches/{id}/record', { params }));
  assert(typeof record !== 'string' && 'events' in record, 'the usual record is ours');
  assert.equal(record.events.filter(({ type }) => type === 'moved').length, page.ply);
  assert.equal(record.seed, page.seed);
  const verdict = wanted(await mine.GET('/v1/matches/{id}/record/verify', { params }));
  assert(verdict.true, verdict.detail);
  return moves;
}

const client = createClient<paths>({ baseUrl });
const { games } = wanted(await client.GET('/v1/games'));
for (const game of games) {
  const began = performance.now();
  const moves = await play(client, game);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`typescript: ${game.slug}: a match with ${moves} moves of ours, ${seconds} s`);
}

// What a bot of the contest reads first, as JSON and as plain text.
const text = '4 3 2 4 2 3 2';
const params = { path: { game: 'ioiwari' } } as const;
const printed = wanted(await client.POST('/v1/games/{game}/dialogue', {
  params, body: { text, think_ms: THINK_MS, deadline_ms: 60_000, seed: 7, nodes: 50 },
}));
assert.deepEqual([printed.lines.length, printed.remarks], [1, []]);
const official = wanted(await client.POST('/v1/games/{game}/official-position', { params, body: { text } }));
assert.deepEqual(official.remarks, []);
const lines = wanted(await client.POST('/v1/games/{game}/move', {
  params: { ...params, query: { think_ms: THINK_MS, deadline_ms: 60_000, seed: 7, nodes: 50 } },
  body: text, headers: { 'content-type': 'text/plain' }, bodySerializer: String, parseAs: 'text',
}));
assert.equal(lines, `${printed.lines[0]}\n`);

// The records of a month: each line is one.
const month = new Date().toISOString().slice(0, 7);
const records = wanted(await client.GET('/v1/games/{game}/records', {
  params: { ...params, query: { month } }, parseAs: 'text',
}));
for (const line of records.trimEnd().split('\n')) assert.equal((JSON.parse(line) as Schemas['Record']).game, 'ioiwari');
