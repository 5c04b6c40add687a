// Tips for a first match of Ioiwari, each derived from the position and the legal moves. The texts are in en.json:
// `tip.ID`.

/** @import {LegalMove, Tip} from '/web/types.ts' */
/** @import {View} from './moves.js' */

import { FULL, PITS, sow } from './moves.js';

// All beads, and a number of beads left with which the match is nearly over.
const [BEADS, LATE] = [20, 8];

/**
 * What the best move of a player brings it.
 * @param {number[]} pits
 */
const best = (pits) => Math.max(0, ...pits.map((beads, pit) => (beads > 0 ? sow(pits, pit).own : 0)));

/**
 * What fits the position, the most useful tip first.
 * @param {View} view
 * @param {number} me
 * @param {LegalMove[]} moves
 * @returns {Tip[]}
 */
export function tips(view, me, moves) {
  const { pits, banks } = view;
  const left = pits.reduce((sum, n) => sum + n, 0);
  const all = moves.map(({ move }) => {
    const { own, other, took, last, places } = sow(pits, move.pit - 1);
    return { pit: move.pit, own, other, took, last: last + 1, loses: best(places[places.length - 1].pits), beads: pits[move.pit - 1] };
  });
  const targets = (/** @type {{pit: number}} */ move) => [`pit:${move.pit}`];
  /** @type {Tip[]} */
  const found = [];
  const [take] = [...all].sort((a, b) => b.own - a.own);
  const [net] = [...all].sort((a, b) => (b.own - b.loses) - (a.own - a.loses));
  const gift = all.find(({ other }) => other > 0);
  const past = all.find(({ own, took }) => own > (took > 0 ? took + 1 : 0));
  if (banks[0] + banks[1] <= 8) found.push({ id: 'start' });
  if (banks[me] > BEADS / 2) found.push({ id: 'won', values: { n: banks[me] } });
  if (take && take.took > 0) found.push({ id: 'capture', values: take, targets: targets(take) });
  if (gift) found.push({ id: 'gift', values: gift, targets: targets(gift) });
  if (net && take && net.pit !== take.pit) found.push({ id: 'reply', values: net, targets: targets(net) });
  if (past) found.push({ id: 'full', values: past, targets: targets(past) });
  if (pits.some((n) => n === FULL)) found.push({ id: 'five' });
  if (left <= LATE && pits.filter((n) => n > 0).length < PITS) found.push({ id: 'late', values: { n: left } });
  return found;
}
