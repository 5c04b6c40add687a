// The tips of a first match agree with the engine: what a tip advises costs little, in positions of matches between easy engines.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compare, contradicted } from './tips.js';
import { games } from './visitor.js';

// Positions of each game. The most positions, as a share, in which the engine may contradict a tip; with few of them chance decides.
const [POSITIONS, MOST, FEW] = [80, 0.25, 12];

test('the engine seldom contradicts a tip', { timeout: 300_000 }, async () => {
  let told = 0;
  for (const game of games) {
    const { positions, tally } = await compare(game, POSITIONS);
    assert.equal(positions, POSITIONS);
    for (const [id, row] of Object.entries(tally)) {
      const all = row.agree + row.close + row.contradict;
      told += all;
      assert.ok(all < FEW || contradicted(row) <= MOST, `${game.slug}: ${id} is contradicted in ${row.contradict} of ${all}`);
    }
  }
  assert.ok(told > 100, `the tips advised only ${told} times`);
});
