// The games' boards against the rules of ../../web/README.md: in hundreds of positions of the API, and through whole
// matches as seats and spectators see them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { clash } from '../../web/board/picker.js';
import { board, drawn, words } from './fake-dom.js';
import { api, played, positions, shown } from './api-data.js';

const { games } = await api('/v1/games');
const seats = [0, 1, 2, 3].map((n) => ({ name: `Seat & <${n}>`, kind: 'engine', out: false }));
const twice = (list) => list.filter((one, i) => list.indexOf(one) !== i).join(' ');

// Checks the rules for a position and its legal moves. `at`: the position's name in error messages.
function owes(made, view, moves, ctx, at) {
  const routes = moves.map(({ move }) => ({ move, path: made.paths(move, view) }));
  assert.equal(clash(routes), null, `${at}: two moves are made in the same way`);
  const next = new Set(routes.flatMap(({ path }) => path[0]));
  const { targets, pieces } = drawn(made, view, { seats, next, ...ctx });
  assert.equal(twice(pieces), '', `${at}: a piece is in two places`);
  for (const [target, label] of targets) assert.ok(label, `${at}: ${target} has no accessible name`);
  // The targets that can be chosen next, by the targets chosen before.
  const later = new Map();
  for (const { move, path } of routes) {
    assert.ok(path.length > 0 && path.every((group) => group.length > 0), `${at}: ${JSON.stringify(path)}`);
    for (const target of path[0]) assert.ok(targets.has(target), `${at}: ${target} is not on the board`);
    assert.match(made.say(move, view, made.t), /\S/, at);
    path.slice(1).forEach((group, i) => {
      const picked = path.slice(0, i + 1).flat();
      const known = later.get(picked.join(' ')) ?? { picked, next: new Set() };
      group.forEach((target) => known.next.add(target));
      later.set(picked.join(' '), known);
    });
  }
  // Targets of later groups may appear only when they can be chosen.
  for (const { picked, next: then } of later.values()) {
    if ([...then].every((target) => targets.has(target))) continue;
    const now = drawn(made, view, { seats, next: then, ...ctx, picked }).targets;
    for (const target of then) assert.ok(now.has(target), `${at}: ${target} is not on the board after ${picked}`);
  }
}

for (const { slug, title } of games) {
  const made = await board(slug);
  if (!made) continue;

  test(`${title}: every legal move can be made in hundreds of positions`, { timeout: 300_000 }, async () => {
    let count = 0;
    for await (const { view, seat, moves, at } of positions(slug)) {
      assert.ok(moves.length > 0);
      owes(made, view, moves, { me: seat, turn: seat }, at);
      count += 1;
    }
    assert.ok(count >= 200);
  });

  test(`${title}: a whole match, as a seat and as a spectator`, { timeout: 300_000 }, async () => {
    const { id, token } = await played(slug, '7');
    const languages = await Promise.all(['ro', 'pt'].map((tag) => words(slug, tag)));
    for (const [me, held] of [[0, token], [null, undefined]]) {
      const frames = await shown(id, held);
      assert.ok(frames.length > 5);
      for (const { view, moves, turn, last } of frames) {
        const at = `me ${me}, after ${JSON.stringify(last?.move)}`;
        owes(made, view, moves, { me, turn, last }, at);
        // The texts of the other languages have all keys and values too.
        for (const t of languages) {
          drawn({ ...made, t }, view, { seats, me, turn, last });
          for (const { move } of moves.slice(0, 5)) assert.match(made.say(move, view, t), /\S/, at);
        }
        if (!last) continue;
        assert.match(made.say(last.move, last.before, made.t), /\S/, at);
        const steps = made.steps?.(last.before, last.move, view) ?? [];
        steps.forEach((between, step) => {
          const { pieces } = drawn(made, between, { seats, me, turn, last, step });
          assert.equal(twice(pieces), '', `${at}, step ${step}: a piece is in two places`);
        });
      }
    }
  });
}
