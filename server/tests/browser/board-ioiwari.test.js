// Ioiwari's board: a sowing shown step by step loses no bead and ends as the rules say.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { board } from './fake-dom.js';
import { played, shown } from './api-data.js';

const made = await board('ioiwari');
const { sow } = await import('../../../engines/src/games/ioiwari/board/moves.js');

const sum = (list) => list.reduce((all, n) => all + n, 0);

test('steps lead bead by bead to the position of the API', async () => {
  let steps = 0;
  for (const seed of ['1', '2', '3', '4']) {
    const { id, token } = await played('ioiwari', seed);
    for (const { view, last } of await shown(id, token)) {
      if (!last) continue;
      const { own, other, places } = sow(last.before.pits, last.move.pit - 1);
      assert.deepEqual(places.at(-1).pits, view.pits);
      const gained = last.seat === 0 ? [own, other] : [other, own];
      assert.deepEqual(gained.map((n, seat) => last.before.banks[seat] + n), view.banks);
      let held = Infinity;
      for (const between of made.steps(last.before, last.move, view)) {
        assert.equal(sum(between.pits) + sum(between.banks) + between.sowing.hand, 20);
        assert.ok(between.sowing.hand <= held && between.sowing.hand > 0);
        held = between.sowing.hand;
        steps += 1;
      }
    }
  }
  assert.ok(steps > 60, `${steps} steps`);
});

test('description of a sowing says what the banks gain', () => {
  const say = (pits, pit) => made.say({ pit }, { pits }, made.t);
  assert.equal(say([4, 3, 2, 4, 2, 3, 2], 2), 'Sows pit 2; the last bead takes pit 5: 3 beads');
  assert.equal(say([1, 0, 2, 4, 2, 3, 2], 1), 'Sows pit 1; the last bead goes to the other player');
  assert.equal(say([2, 5, 0, 1, 0, 0, 0], 1), 'Sows pit 1, past full pits, and takes pit 4: 3 beads in all');
  assert.equal(say([2, 5, 0, 0, 0, 0, 0], 1),
    'Sows pit 1, 1 bead from full pits on the way; the last bead goes to the other player');
});
