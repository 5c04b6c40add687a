// Bots online, on real servers that are killed.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import WebSocket from 'ws';

import { type BotTurn, Client, playBot, playSeat, type Schemas, type SocketConstructor } from '../src/index.js';
import { TestServer } from './server.js';

const Socket = WebSocket as unknown as SocketConstructor;
const engine: Schemas['SeatRequest'] = { kind: 'engine', level: 'easy', think_ms: 5 };
const note = (): void => undefined;

let server: TestServer;
before(async () => {
  server = await TestServer.begin();
});
after(() => server.end());

function first({ legalMoves: [move] }: BotTurn): Schemas['MoveText'] {
  assert(move);
  return move;
}

interface Account { owner: Client; name: string; token: string }

let names = 0;
async function newBot(url: string): Promise<Account> {
  names += 1;
  const guest = new Client(url);
  const owner = guest.withToken((await guest.call('post', '/v1/players', { body: { name: `owner${names}` } })).token);
  return { owner, ...await owner.call('post', '/v1/me/bots', { body: { name: `bot${names}` } }) };
}

async function keptMatch({ owner, name }: Account, seat = 0): Promise<string> {
  const seats: Schemas['SeatRequest'][] = [engine, engine];
  seats[seat] = { kind: 'player', name };
  return (await owner.call('post', '/v1/matches', { body: { game: 'ioiwari', seats } })).id;
}

async function until(what: () => Promise<boolean>): Promise<void> {
  while (!await what().catch(() => false)) await new Promise((resolve) => setTimeout(resolve, 20));
}

const over = (client: Client, id: string) => async (): Promise<boolean> =>
  (await client.call('get', '/v1/matches/{id}', { path: { id } })).stage === 'over';

/** Whether the server knows that the bot is online and plays nothing. */
const idle = ({ owner, name }: Account) => async (): Promise<boolean> =>
  (await owner.call('get', '/v1/bots', {})).bots.some((bot) => bot.name === name && bot.playing === 0);

test('a guest plays a whole match of each game', async () => {
  const guest = new Client(server.url);
  for (const { slug: game } of (await guest.call('get', '/v1/games', {})).games) {
    const body = { game, seats: [{ kind: 'open' as const }, engine] };
    const { id } = await guest.call('post', '/v1/matches', { body });
    const result = await playSeat(guest, id, first, { name: 'TypeScript' });
    assert.equal(result?.ranks.length, 2, game);
  }
});

test('a bot plays what is kept for it and challenges, and ends when it is told', async () => {
  const account = await newBot(server.url);
  const abort = new AbortController();
  const options = { games: ['ioiwari' as const], signal: abort.signal, note, WebSocket: Socket };
  const playing = playBot<'ioiwari'>(({ legalMoves, view }) => {
    assert.equal(view.pits.length, 7);
    return legalMoves[0]?.notation ?? '';
  }, server.url, account.token, options);
  await until(idle(account));
  for (const seat of [0, 1]) {
    await until(over(account.owner, await keptMatch(account, seat)));
    await until(idle(account));
  }
  const guest = new Client(server.url);
  const other = guest.withToken((await guest.call('post', '/v1/players', { body: { name: 'challenger' } })).token);
  const terms = { path: { name: account.name }, body: { game: 'ioiwari' as const, seat: 0 } };
  const challenge = await other.call('post', '/v1/players/{name}/challenges', terms);
  let match: string | null = null;
  await until(async () => {
    match = (await other.call('get', '/v1/challenges/{id}', { path: { id: challenge.id } })).match;
    return match !== null;
  });
  assert(match);
  assert(await playSeat(other, match, first));
  abort.abort();
  await playing;
});

test('a match goes on after the server was killed, and a failing bot resigns', async () => {
  const own = await TestServer.begin();
  const account = await newBot(own.url);
  const abort = new AbortController();
  const notes: string[] = [];
  let decisions = 0;
  let fails = false;
  const choose = async (turn: BotTurn): Promise<Schemas['MoveText']> => {
    decisions += 1;
    if (fails) throw new RangeError('the bot has a bug');
    if (decisions === 2) {
      await own.kill();
      setTimeout(() => void own.start(), 100);
    }
    return first(turn);
  };
  const keep = (text: string): void => void notes.push(text);
  const options = { games: ['ioiwari' as const], signal: abort.signal, note: keep, WebSocket: Socket };
  const playing = playBot(choose, own.url, account.token, options);
  await until(idle(account));
  const id = await keptMatch(account);
  await until(over(account.owner, id));
  assert(decisions > 2);
  assert((await account.owner.call('get', '/v1/matches/{id}', { path: { id } })).result);
  await until(idle(account));
  fails = true;
  await until(over(account.owner, await keptMatch(account)));
  assert(notes.some((text) => text.includes('it resigns') && text.includes('RangeError')), notes.join('\n'));
  // It ends when it is told, also while the server is away.
  await own.kill();
  assert(notes.some((text) => /does not answer|broke off/.test(text)), notes.join('\n'));
  abort.abort();
  await playing;
  await own.end();
});

test('a wrong token and a missing WebSocket are refused', async () => {
  const options = { games: ['azul' as const], note, WebSocket: Socket };
  await assert.rejects(playBot(first, server.url, 'kbp_wrong', options), { code: 'bad_token' });
  const { owner } = await newBot(server.url);
  await assert.rejects(playBot(first, server.url, owner.token ?? '', options), { code: 'not_a_bot' });
  if (!('WebSocket' in globalThis)) {
    await assert.rejects(playBot(first, server.url, 'x', { games: ['azul'] }), /package ws/);
  }
});
