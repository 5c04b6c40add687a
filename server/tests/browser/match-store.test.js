// What the parts of a match's page learn from its store, without a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MatchStore } from '../../web/lib/matches/match-store.js';

const seat = (n, more) => ({ seat: n, kind: 'player', name: `Player ${n}`, out: false, ...more });
const PAGE = { type: 'match', id: 'x', game: 'g', stage: 'running', seq: 5, ply: 2, turn: 0, you: 0, seats: [seat(0), seat(1)], clock: null,
  position: 'p2', legal_moves: [{ move: 'a', notation: 'a' }], result: null, ended: null, rematch: null };
const moved = (seq, more) => ({ type: 'moved', seq, ply: seq - 3, seat: 0, turn: 1, position: `p${seq - 2}`, legal_moves: [], clock: null, at_ms: 1000 + seq, move: 'a', notation: 'a', ...more });

// A store, and what is published, in order: `[topic, value]`.
function listened(page = PAGE) {
  const access = { id: 'x', path: '/v1/matches/x', secrets: () => ({}), load: async () => page };
  const match = new MatchStore({ t: (key) => key, access, page, game: { engines: [] }, board: { t: (key) => key } });
  const heard = [];
  for (const topic of ['time', 'changed', 'status', 'chat', 'rematch']) match.on(topic, (value) => heard.push([topic, value]));
  return { match, heard };
}

test('each event changes the match once, in order', () => {
  const { match, heard } = listened();
  match.hear(moved(7));
  assert.deepEqual(heard, [], 'an event that follows a missing one waits for the whole match');
  const event = moved(6);
  match.hear(event);
  match.hear(event);
  assert.deepEqual(heard, [['time', 1006], ['changed', event]]);
  assert.deepEqual([match.page.ply, match.page.turn, match.page.position], [4, 1, 'p4']);
});

test('an event from before the known page is kept for the list of moves, and nothing is animated', () => {
  const { match, heard } = listened();
  match.hear(moved(4));
  assert.deepEqual(heard, [['changed', null]]);
  assert.equal(match.page.ply, 2);
  assert.deepEqual([...match.events.keys()], [4]);
});

test('clocks and presence change the status alone', () => {
  const { match, heard } = listened();
  match.hear({ type: 'clock', clock: { running: 0, left_ms: [1, 2], since_ms: null, now_ms: 77 } });
  match.hear({ type: 'presence', connected: [1] });
  assert.deepEqual(heard, [['time', 77], ['status', undefined], ['status', undefined]]);
  assert.deepEqual(match.page.seats.map(({ connected }) => connected), [false, true]);
  assert.equal(match.page.clock.now_ms, 77);
});

test('a page replaces the match unless it is older; another seat forgets the events', () => {
  const { match, heard } = listened();
  match.hear(moved(6));
  heard.length = 0;
  match.hear({ ...PAGE, seq: 4 });
  assert.deepEqual(heard, []);
  match.hear({ ...PAGE, seq: 6, ply: 3 });
  assert.deepEqual(heard, [['time', undefined], ['changed', null]]);
  assert.equal(match.events.size, 1);
  match.hear({ ...PAGE, seq: 4, you: 1 });
  assert.equal(match.events.size, 0);
  assert.equal(match.page.you, 1);
});

test('a listener hears its own topic, in the order of listening, and a found rematch is in the page', () => {
  const { match, heard } = listened();
  const order = [];
  match.on('rematch', () => order.push(`first ${match.page.rematch}`));
  match.on('rematch', () => order.push('second'));
  match.foundRematch('y');
  assert.deepEqual(order, ['first y', 'second']);
  match.publish('announce', 'words');
  assert.deepEqual(heard, [['rematch', undefined]]);
});
