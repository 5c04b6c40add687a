// Azul's board: the tiling follows the rules, and tiles are animated to their destination.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { board, drawn } from './fake-dom.js';
import { played, positions, shown } from './api-data.js';

const made = await board('azul');

test('moves have distinct descriptions', async () => {
  for await (const { view, moves, at } of positions('azul', { seeds: 5 })) {
    const said = moves.map(({ move }) => made.say(move, view, made.t));
    assert.equal(new Set(said).size, said.length, at);
  }
});

test('tiles lie where they went, and a round ends as in the position of the API', async () => {
  const tiled = (view) => view.boards.map(({ wall, lines }) => ({ wall, lines }));
  let rounds = 0;
  for (const seed of ['1', '2', '3', '4']) {
    const { id, token } = await played('azul', seed);
    const frames = await shown(id, token);
    for (const { view, turn, last } of frames) {
      if (!last) continue;
      const moments = made.steps(last.before, last.move, view);
      // A tile that arrives on a player's board had the same name before.
      const going = drawn(made, moments[0], { last, step: 0 }).pieces;
      const came = drawn(made, moments[1] ?? view).pieces.filter((piece) => /^(line|wall|floor):/.test(piece));
      assert.deepEqual(came.filter((piece) => !going.includes(piece)), [], JSON.stringify(last.move));
      if (moments.length === 1) continue;
      rounds += 1;
      const end = moments.at(-1);
      assert.deepEqual(tiled(end), tiled(view));
      const bonus = view.boards.map(({ score }, seat) => score - end.boards[seat].score);
      if (turn === null) assert.ok(bonus.some((n) => n >= 2), `${bonus}`);
      else assert.deepEqual(bonus, [0, 0]);
    }
    const classes = [...drawn(made, frames.at(-1).view).element.all()].map(({ attributes }) => attributes.class);
    assert.equal(classes.filter((name) => name === 'bonuses').length, 2);
    assert.ok(classes.some((name) => name?.includes('whole')), 'no row is shown to be complete');
  }
  assert.ok(rounds >= 12, `${rounds} rounds`);
});

test('tiles that would fall are shown and described before the move', async () => {
  for await (const { view, at } of positions('azul', { seeds: 10, parts: 1 })) {
    const display = view.displays.findIndex((tiles) => tiles.some((n) => n >= 2)) + 1;
    const colour = 'gobyr'[view.displays[display - 1].findIndex((n) => n >= 2)];
    const count = view.displays[display - 1]['gobyr'.indexOf(colour)];
    const said = made.say({ display, colour, line: 0 }, view, made.t);
    assert.ok(said.includes(count === 2 ? 'one falls' : `${count - 1} fall`), `${at}: ${said}`);
    const { element } = drawn(made, view, { me: 0, picked: [`tiles:${display}:${colour}`, 'line:0'] });
    const planned = [...element.all()].filter(({ attributes }) => attributes.class?.split(' ').includes('planned'));
    assert.equal(planned.length, count, at);
  }
});
