// Splendor's board, on real positions, without a browser.

import './hooks.js';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { checkMove, checkPosition, drawn, load, pieces } from './laws.js';
import { played, positions, serve } from './server.js';

const KINDS = ['red', 'green', 'blue', 'white', 'black', 'gold'];

let server;
let board;
before(async () => {
  server = await serve();
  board = await load('splendor');
});
after(() => server.stop());

for (const players of [1, 2, 3, 4]) {
  test(`every move can be made, and is said in words of its own, with ${players} at the table`, async () => {
    const plies = [0, 1, 2, 4, 7, 10, 14, 18, 23, 28, 34, 40, 50, 60, 80, 100].map((n) => Math.ceil(n * players / 2));
    const found = await positions(server, 'splendor', { seeds: 4, plies, options: { players } });
    assert.ok(found.length > 40, `${found.length} positions`);
    for (const position of found) checkPosition(board, position, 20);
  });
}

test('what a move changes glides from where it lay', async () => {
  for (const seats of [2, 4]) {
    for (const one of await played(server, 'splendor', seats, 'greedy')) {
      const [moment] = checkMove(board, one);
      const [going, there] = [new Set(pieces(board, moment, { step: 0 })), pieces(board, one.after)];
      const strange = there.filter((piece) => !going.has(piece));
      assert.deepEqual(strange, [], `came from nowhere in ${JSON.stringify(one.move)}`);
    }
  }
});

test('the price that is said is the price that is paid', async () => {
  let bought = 0;
  for (const { before: was, move, after: is, seat } of await played(server, 'splendor', 2, 'greedy')) {
    if (move.action !== 'buy') continue;
    bought += 1;
    const said = board.say(move, was, board.t).split(' and pays ')[1] ?? '';
    for (const kind of KINDS) {
      const paid = was.players[seat].chips[kind] - is.players[seat].chips[kind];
      assert.equal(said.includes(` ${kind}`), paid > 0, `${said}: ${paid} ${kind}`);
      if (paid > 0) assert.ok(said.includes(`${paid} ${kind}`), `${said}: ${paid} ${kind}`);
    }
  }
  assert.ok(bought > 10, `${bought} cards`);
});

test('cards that can be paid are marked, and no others', async () => {
  for (const { view, moves } of await positions(server, 'splendor', { seeds: 4, plies: [10, 20, 30, 40] })) {
    const marked = drawn(board, view).filter((element) => element.attributes.class?.split(' ').includes('payable'));
    const bought = moves.filter(({ move }) => move.action === 'buy').map(({ move }) => `card:${move.card}`);
    assert.deepEqual(marked.map((element) => element.dataset.piece).sort(), bought.sort());
  }
});

test('what others drew unseen stays a back, and spectators can choose nothing of a hand', async () => {
  let hidden = 0;
  const asked = { seeds: 6, plies: [12, 24, 36], options: { players: 3 } };
  for (const { view } of await positions(server, 'splendor', asked)) {
    const unknown = view.players.flatMap(({ reserved }) => reserved.filter((id) => id < 0));
    const elements = drawn(board, view);
    const backs = elements.filter((element) => element.dataset.piece?.startsWith('hidden:'));
    assert.equal(backs.length, unknown.length);
    hidden += backs.length;
  }
  assert.ok(hidden > 0, 'nobody has drawn unseen');
});
