// Azul's board, on real positions, without a browser.

import './hooks.js';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { checkMove, checkPosition, drawn, load, pieces } from './laws.js';
import { played, positions, serve } from './server.js';

let server;
let board;
before(async () => {
  server = await serve();
  board = await load('azul');
});
after(() => server.stop());

test('every move can be made, and is said in words of its own', async () => {
  const plies = [0, 1, 3, 6, 9, 12, 15, 18, 21, 25, 30, 35, 40, 45, 50, 60];
  const found = await positions(server, 'azul', { seeds: 12, plies });
  assert.ok(found.length > 150, `${found.length} positions`);
  for (const position of found) checkPosition(board, position);
});

test('the tiling is told as the rules do it, and tiles go where they are seen to go', async () => {
  let rounds = 0;
  for (let match = 0; match < 4; match += 1) {
    const moves = await played(server, 'azul', 2, match < 2 ? 'random' : 'greedy');
    for (const one of moves) {
      const moments = checkMove(board, one);
      const end = moments.at(-1);
      // The tiles that are taken have the names under which they lie afterwards.
      const [going, laid] = [pieces(board, moments[0], { step: 0 }), pieces(board, moments[1] ?? one.after)];
      const came = laid.filter((piece) => /^(line|wall|floor):/.test(piece));
      for (const piece of came) assert.ok(going.includes(piece), `${piece} came from nowhere`);
      if (moments.length === 1) continue;
      rounds += 1;
      const bonus = one.after.boards.map((b, seat) => b.score - end.boards[seat].score);
      const tiled = (view) => view.boards.map(({ wall, lines }) => ({ wall, lines }));
      assert.deepEqual(tiled(end), tiled(one.after));
      const over = one === moves.at(-1);
      assert.ok(over ? bonus.some((n) => n > 0) : bonus.every((n) => n === 0), `the scores are off by ${bonus}`);
    }
    const end = drawn(board, moves.at(-1).after);
    assert.ok(end.some((element) => element.attributes.class?.includes('bonuses')), 'the bonuses are not shown');
  }
  assert.ok(rounds >= 16, `${rounds} rounds`);
});

test('what falls is said and shown before the move is made', async () => {
  const [{ view }] = await positions(server, 'azul', { seeds: 1, plies: [0] });
  const display = view.displays.findIndex((tiles) => tiles.some((n) => n >= 2));
  const colour = 'gobyr'[view.displays[display].findIndex((n) => n >= 2)];
  const move = { display: display + 1, colour, line: 0 };
  assert.match(board.say(move, view, board.t), /floor line/);
  const planned = drawn(board, view, { picked: [`tiles:${display + 1}:${colour}`, 'line:0'] })
    .filter((element) => element.attributes.class?.split(' ').includes('planned'));
  assert.equal(planned.length, view.displays[display]['gobyr'.indexOf(colour)]);
});
