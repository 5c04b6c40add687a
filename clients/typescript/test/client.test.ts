// Requests, refusals and streams, on a real server.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { ApiError, Client, type Schemas, Unreachable } from '../src/index.js';
import { LineSplitter } from '../src/lines.js';
import { closed, EventResumption } from '../src/resume.js';
import { Proxy, TestServer } from './server.js';

const retry = { attempts: 8, shortestMs: 10, longestMs: 50 };
let server: TestServer;
let guest: Client;

before(async () => {
  server = await TestServer.begin();
  guest = new Client(server.url);
});
after(() => server.end());

let players = 0;
async function newPlayer(url = server.url): Promise<Client> {
  players += 1;
  const { token } = await guest.call('post', '/v1/players', { body: { name: `player${players}` } });
  return new Client(url, { token, retry });
}

async function alone(client: Client): Promise<string> {
  return (await client.call('post', '/v1/matches', { body: { game: 'splendor', seats: [{ kind: 'me' }] } })).id;
}

async function playFirst(client: Client, id: string): Promise<void> {
  const { ply, legal_moves: [first] } = await client.call('get', '/v1/matches/{id}', { path: { id } });
  assert(first);
  await client.call('post', '/v1/matches/{id}/moves', { path: { id }, body: { ply, notation: first.notation } });
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

const numbers = (frames: Schemas['StreamFrame'][]): number[] =>
  frames.flatMap((frame) => frame.type !== 'match' && 'seq' in frame ? [frame.seq] : []);

test('answers are typed by path', async () => {
  const { games } = await guest.call('get', '/v1/games', {});
  assert.equal(games.length, 5);
  for (const { slug: game } of games) {
    const { position } = await guest.call('post', '/v1/games/{game}/positions', { path: { game }, body: { seed: 7 } });
    const legal = await guest.call('post', '/v1/games/{game}/legal-moves', { path: { game }, body: { position } });
    assert(legal.moves.length > 0);
  }
  assert.equal((await guest.call('get', '/healthz', {})).trim(), 'ok');
  // @ts-expect-error: there is no such path
  await assert.rejects(guest.call('get', '/v1/nonsense', {}), { code: 'not_found' });
  // @ts-expect-error: the path needs its parameter
  await assert.rejects(guest.call('get', '/v1/matches/{id}', {}), ApiError);
  // @ts-expect-error: a match has seats
  await assert.rejects(guest.call('post', '/v1/matches', { body: { game: 'azul' } }), { code: 'bad_field' });
});

test('refusals are errors with the stable code', async () => {
  await assert.rejects(guest.call('get', '/v1/matches/{id}', { path: { id: 'x' } }), (error) => {
    assert(error instanceof ApiError);
    assert.deepEqual([error.code, error.status], ['no_such_match', 404]);
    assert(error.requestId);
    return true;
  });
  await assert.rejects(guest.withToken('kbp_wrong').call('get', '/v1/me', {}), { code: 'bad_token' });
  await assert.rejects(collect(guest.follow('x')), { code: 'no_such_match' });
  assert.throws(() => new Client('ftp://h'), /must be like/);
});

test('a lost answer of a move plays it once', async () => {
  const player = await newPlayer();
  const proxy = await Proxy.before(server.port);
  const id = await alone(player);
  const { legal_moves: [first] } = await player.call('get', '/v1/matches/{id}', { path: { id } });
  assert(first);
  proxy.swallow = (request) => request.includes('/moves ') && proxy.cuts < 2;
  const through = new Client(proxy.url, { token: player.token, retry });
  const body = { ply: 0, notation: first.notation };
  assert.equal((await through.call('post', '/v1/matches/{id}/moves', { path: { id }, body })).type, 'moved');
  assert.equal(proxy.cuts, 2);
  assert.equal((await player.call('get', '/v1/matches/{id}', { path: { id } })).ply, 1);
  proxy.swallow = (request) => request.includes('/chat ');
  await assert.rejects(
    through.call('post', '/v1/matches/{id}/chat', { path: { id }, body: { phrase: 'hello' } }), Unreachable);
  assert.equal(proxy.cuts, 3, 'a request without a key is not repeated');
  proxy.close();
});

test('cut streams lose and repeat no event', async () => {
  const player = await newPlayer();
  const proxy = await Proxy.before(server.port);
  const id = await alone(player);
  const frames: Schemas['StreamFrame'][] = [];
  for await (const frame of new Client(proxy.url, { token: player.token, retry }).follow(id)) {
    frames.push(frame);
    if (frame.type === 'match' || (frame.type === 'moved' && frame.ply < 6)) {
      if (frames.length % 2 === 0) proxy.cut();
      await playFirst(player, id);
    } else if (frame.type === 'moved') {
      await player.call('post', '/v1/matches/{id}/resign', { path: { id } });
    }
  }
  const [start = 0] = numbers(frames);
  assert.deepEqual(numbers(frames), numbers(frames).map((_, place) => start + place));
  assert.equal(frames.at(-1)?.type, 'ended');
  assert.equal(frames.filter(({ type }) => type === 'match').length, 1);
  assert.deepEqual(numbers(await collect(player.follow(id, { since: 0 }))).at(-1), numbers(frames).at(-1));
  proxy.close();
});

test('downloads go on after cuts', async () => {
  const player = await newPlayer();
  const proxy = await Proxy.before(server.port);
  for (let count = 0; count < 40; count += 1) {
    const id = await alone(player);
    await playFirst(player, id);
    await player.call('post', '/v1/matches/{id}/resign', { path: { id } });
  }
  const month = new Date().toISOString().slice(0, 7);
  const whole = await collect(player.records('splendor', month));
  proxy.cutAfter = 9000;
  assert.deepEqual(await collect(new Client(proxy.url, { retry }).records('splendor', month)), whole);
  assert(proxy.cuts > 0);
  assert.equal((await collect(player.matches({ game: 'splendor', limit: 7 }))).length >= 40, true);
  proxy.close();
});

test('an aborted stream rejects', async () => {
  const player = await newPlayer();
  const abort = new AbortController();
  const frames = player.follow(await alone(player), { signal: abort.signal });
  await frames.next();
  abort.abort(new Error('enough'));
  await assert.rejects(collect(frames), /enough/);
});

test('lines and ends are understood', () => {
  const splitter = new LineSplitter();
  assert.deepEqual(['ab', 'c\nd', '', '\n\ne\nf'].flatMap((part) => splitter.lines(part)), ['abc', 'd', '', 'e']);
  const stream = new EventResumption(3);
  stream.begins();
  assert.throws(() => stream.isNew({ type: 'closed', code: 'too_slow', detail: 'too slow' }), Unreachable);
  assert.equal((closed({ type: 'closed', code: 'bad_token', detail: 'revoked' }) as ApiError).status, 401);
  stream.ends();
  assert(stream.over);
});
