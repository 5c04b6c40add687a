// Septica's board: the seat that takes a trick, and the card that ends it, shown before the trick is taken.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { board } from './fake-dom.js';
import { played, shown } from './api-data.js';

const made = await board('septica');
const { points, taker } = await import('../../../engines/src/games/septica/board/moves.js');

test('finished trick is shown whole and goes to the seat that takes it', async () => {
  let ended = 0;
  for (const seed of ['1', '2', '3']) {
    const { id, token } = await played('septica', seed);
    for (const held of [token, undefined]) {
      for (const { view, last } of await shown(id, held)) {
        if (!last || view.trick.length > 0) continue;
        const steps = made.steps(last.before, last.move, view);
        assert.equal(steps.length, last.move === 'stop' ? 0 : 1);
        const { leader, trick } = steps[0] ?? last.before;
        assert.deepEqual(trick, view.past.at(-1));
        assert.equal(taker(leader, trick), view.leader);
        const won = points(view.taken[view.leader]) - points(last.before.taken[view.leader]);
        assert.equal(won, points(trick));
        const cards = (position) => position.hands[0] + position.hands[1] + position.trick.length;
        if (steps[0]) assert.equal(cards(steps[0]), cards(last.before));
        ended += 1;
      }
    }
  }
  assert.ok(ended > 40, `${ended} tricks`);
});

test('card keeps its name from the hand into the trick', async () => {
  const { id, token } = await played('septica', '5');
  const { pieces } = await import('../../../engines/src/games/septica/board/moves.js');
  let own = 0;
  for (const { view, last } of await shown(id, token)) {
    if (!last || last.seat !== 0 || last.move === 'stop' || view.trick.length === 0) continue;
    const { card } = last.move;
    assert.equal(pieces(view, 0).trick.at(-1), pieces(last.before, 0).own(card, 0));
    own += 1;
  }
  assert.ok(own > 3, `${own} cards`);
});
