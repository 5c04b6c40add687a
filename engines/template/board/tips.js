// Tips for a first match of Take-away, each derived from the position. The texts are in en.json: `tip.ID`.

/** @import {Tip} from '/web/types.ts' */
/** @import {View} from './board.js' */

import { TAKES } from './board.js';

// With more counters than these the match has just begun; with fewer, every move can be counted to the end.
const [BEGUN, NEAR] = [14, 9];

/**
 * What fits the position, the most useful tip first. The viewer's seat and legal moves would follow; this game needs neither.
 * @param {View} view
 * @returns {Tip[]}
 */
export function tips({ counters }) {
  // What a move must take to leave a multiple of four.
  const take = counters % (TAKES + 1);
  /** @type {Tip[]} */
  const found = [];
  if (counters > BEGUN) found.push({ id: 'begin' });
  if (counters <= TAKES) found.push({ id: 'win', values: { n: counters }, targets: [`counter:${counters}`] });
  else if (take > 0) found.push({ id: 'four', values: { n: take, rest: counters - take }, targets: [`counter:${take}`] });
  else found.push({ id: 'behind', values: { n: counters } });
  if (counters > TAKES && counters <= NEAR) found.push({ id: 'near', values: { n: counters } });
  if (counters > NEAR && counters <= BEGUN) found.push({ id: 'back', values: { n: counters } });
  found.push({ id: 'pair' });
  return found;
}
