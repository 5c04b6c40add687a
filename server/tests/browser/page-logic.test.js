// The logic of a match's page, without a browser: the match after each event, clocks, the analysis of a match, arrow keys.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nearest, toward } from '../../web/board/arrows.js';
import { bestFirst } from '../../web/board/chance.js';
import { apply, frames, lastOf, left, offset, paused, time } from '../../web/lib/matches/match-state.js';
import { seatName, withEngineNames } from '../../web/lib/matches/match-text.js';
import { change, curves, scores } from '../../web/review/judged.js';

const page = {
  seq: 3, ply: 0, stage: 'running', turn: 0, position: 'p0', legal_moves: [1], clock: null, result: null,
  seats: [{ seat: 0, kind: 'guest', name: 'Ana', out: false }, { seat: 1, kind: 'open', name: null, out: false }],
};
const moved = (seq, ply, more) => ({ type: 'moved', seq, ply, seat: ply % 2, turn: (ply + 1) % 2, move: `m${ply}`,
  notation: `n${ply}`, position: `p${ply + 1}`, legal_moves: [], clock: null, ...more });

test('engines of one name are told apart by the numbers of their seats', () => {
  const t = (key, values) => [key, ...Object.values(values ?? {})].join(' ');
  const names = (...engines) => withEngineNames(
    { ...page, seats: engines.map((engine, seat) => ({ seat, kind: engine ? 'engine' : 'guest', name: engine ? null : 'Ana', engine })) },
    { engines: [{ name: 'best' }, { name: 'plain' }] }, { t: (key) => key }, t,
  ).seats.map((seat) => seatName(seat, t));
  const [easy, hard, plain] = [{ name: 'best', level: 'easy' }, { name: 'best', level: 'hard' }, { name: 'plain', level: 'easy' }];
  assert.deepEqual(names(null, easy), ['Ana', 'engine.easy']);
  assert.deepEqual(names(easy, hard), ['engine.easy', 'engine.hard']);
  assert.deepEqual(names(easy, easy, plain), ['engine.easy\u00a01', 'engine.easy\u00a02', 'engine.level plain level.easy']);
  assert.deepEqual(names(null, plain, plain), ['Ana', 'engine.level plain level.easy\u00a02', 'engine.level plain level.easy\u00a03']);
});

test('an event is applied to the page of a match once', () => {
  const after = apply(page, moved(4, 0));
  assert.deepEqual([after.seq, after.ply, after.turn, after.position, after.legal_moves], [4, 1, 1, 'p1', []]);
  assert.equal(apply(after, moved(4, 0)), after, 'an event that the page includes already changes nothing');
  const joined = apply(page, { type: 'joined', seq: 4, seat: 1, kind: 'guest', name: 'Bo' });
  assert.equal(joined.seats[1].name, 'Bo');
  assert.equal(apply(joined, { type: 'left', seq: 5, seat: 1 }).seats[1].kind, 'open');
  assert.equal(apply(page, { type: 'went_out', seq: 4, seat: 0 }).seats[0].out, true);
  assert.equal(page.seats[0].out, false, 'the page before is as it was');
  const foul = { ...moved(4, 0), type: 'fouled', kind: 'time', instead: null };
  assert.equal(apply(page, foul).ply, 0, 'a foul that plays nothing is no move');
  const over = apply(after, { type: 'ended', seq: 5, how: 'played', result: { ranks: [1, 2] }, position: null });
  assert.deepEqual([over.stage, over.turn, over.position], ['over', null, 'p1']);
});

test('positions of a match are listed with their moves', () => {
  const started = { type: 'started', seq: 1, turn: 0, position: 'p0', legal_moves: [], clock: null };
  const all = frames([started, moved(2, 0), { type: 'resumed', seq: 3 }, moved(4, 1),
    { type: 'ended', seq: 5, position: 'all shown' }]);
  assert.deepEqual(all.map(({ ply, position, before }) => [ply, position, before]),
    [[0, 'p0', null], [1, 'p1', 'p0'], [2, 'all shown', 'p1']]);
  assert.equal(lastOf(all[0]), null);
  assert.deepEqual(lastOf(all[2]), { seat: 1, move: 'm1', before: 'p1' });
  assert.equal(lastOf(frames([moved(9, 5)])[0]), null, 'without the position before nothing can be said of a move');
});

test('clocks follow the server when the system clock is wrong', () => {
  const clock = { left_ms: [60_000, 30_000], running: 0, since_ms: 1000, move_ms: 20_000 };
  assert.deepEqual(left(clock, 0, 6000), { all: 55_000, move: 15_000 });
  assert.deepEqual(left(clock, 1, 6000), { all: 30_000, move: null });
  assert.deepEqual(left(clock, 0, 500), { all: 60_000, move: 20_000 }, 'no clock has more than it was given');
  assert.deepEqual(left(clock, 0, 99_000), { all: 0, move: 0 });
  assert.deepEqual(left({ left_ms: [null], running: 0, since_ms: 0, move_ms: null }, 0, 5), { all: null, move: null });
  const told = offset(offset(offset(null, 5000, 1000), 5000, 1300), 6000, 1950);
  assert.equal(told, 4050, 'the message with the shortest delay counts');
  assert.deepEqual([9_449, 61_000, 3_723_000].map(time), ['9.4', '1:01', '1:02:03']);
});

test('a paused clock does not run', () => {
  const clock = { left_ms: [60_000, 30_000], running: 0, since_ms: 1000, now_ms: 6000, move_ms: 20_000 };
  assert.equal(paused(clock, 7000), false);
  const halted = { ...clock, paused: true };
  for (const host of [6000, 99_000]) {
    assert.deepEqual([left(halted, 0, host), paused(halted, host)], [{ all: 55_000, move: 15_000 }, true]);
  }
  assert.equal(left(halted, 1, 99_000).all, 30_000);
  const grace = { ...halted, paused_until_ms: 8000 };
  assert.deepEqual([left(grace, 0, 7999).all, paused(grace, 7999)], [55_000, true]);
  assert.deepEqual([left(grace, 0, 9000).all, paused(grace, 9000)], [54_000, false], 'it goes on by itself');
  assert.equal(paused({ ...halted, running: null }, 7000), false);
});

test('the curves of a match follow from the judged moves', () => {
  const judged = (ply, before) => ({ ply, seat: ply % 2, value: before === null ? null : { before } });
  const all = [judged(0, 0.5), judged(1, 0.8), judged(2, null), judged(3, 0.6)];
  assert.deepEqual(curves(all, 2, 4, scores([2, 1])), [
    [{ ply: 0, value: 0.5 }, { ply: 1, value: 1 - 0.8 }, { ply: 3, value: 1 - 0.6 }, { ply: 4, value: 0 }],
  ], 'two seats share one line; where there was no choice there is no point');
  assert.deepEqual(curves(all, 3, 4, null).map((points) => points.map(({ ply }) => ply)), [[0], [1, 3], []]);
  assert.deepEqual(scores([1, 1, 3]), [0.5, 0.5, 0]);
  assert.deepEqual([0.126, -0.126, 0.004, -0.004].map(change), ['+13', '−13', '0', '0']);
});

test('the moves of an engine are in the order of their values, without those that it hardly tried', () => {
  const move = (name, value, visits) => ({ move: name, value, visits });
  const values = (answer) => bestFirst(answer).map((one) => [one.move, one.value]);
  const candidates = [move('a', 0.33, 900), move('b', 0.36, 500), move('c', 0.9, 3), move('d', 0.2, 100)];
  assert.deepEqual(values({ ...candidates[0], candidates }), [['b', 0.36], ['a', 0.33], ['d', 0.2]]);
  assert.deepEqual(values({ ...move('a', 0.5), candidates: [] }), [['a', 0.5]]);
  const uncounted = [move('a', 0.5, 0), move('b', 0.6, 0)];
  assert.deepEqual(values({ ...uncounted[0], candidates: uncounted }), [['b', 0.6], ['a', 0.5]], 'an engine that does not count');
});

test('an arrow key finds the nearest element in its direction', () => {
  const at = (left_, top) => ({ left: left_, top, width: 10, height: 10 });
  const others = [at(0, 0), at(50, 0), at(100, 4), at(50, 60)];
  assert.equal(toward('ArrowRight', at(0, 0), others), 1);
  assert.equal(toward('ArrowRight', at(50, 0), others), 2);
  assert.equal(toward('ArrowDown', at(50, 0), others), 3);
  assert.equal(toward('ArrowUp', at(50, 0), others), -1);
  assert.equal(toward('x', at(0, 0), others), -1);
  assert.equal(nearest(at(90, 20), others), 2);
});
