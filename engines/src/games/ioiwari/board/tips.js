// Tips for a first match of Ioiwari, each derived from the position and the legal moves. The texts are in en.json:
// `tip.ID`.

/** @import {LegalMove, Tip} from '/web/types.ts' */
/** @import {Move, View} from './moves.js' */

import { FULL, PITS, sow } from './moves.js';

// All beads, and a number of beads left with which the match is nearly over.
const [BEADS, LATE] = [20, 8];

// How many moves of both players a move is judged by.
const AHEAD = 5;

/**
 * The state after a move from a pit.
 * @param {number[]} pits
 * @param {number} pit
 */
function after(pits, pit) {
  const { own, other, places } = sow(pits, pit);
  return { own, other, pits: places[places.length - 1].pits };
}

/**
 * How much more the player who moves can gain than the other one within some moves.
 * @param {number[]} pits
 * @param {number} moves
 * @returns {number}
 */
function margin(pits, moves) {
  const all = moves === 0 ? [] : pits.flatMap((beads, pit) => (beads > 0 ? [after(pits, pit)] : []));
  return all.length === 0 ? 0 : Math.max(...all.map(({ own, other, pits: left }) => own - other - margin(left, moves - 1)));
}

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
    const left = places[places.length - 1].pits;
    const worth = own - other - margin(left, AHEAD - 1);
    return { pit: move.pit, own, other, took, last: last + 1, loses: best(left), beads: pits[move.pit - 1], worth };
  });
  const targets = (/** @type {{pit: number}} */ move) => [`pit:${move.pit}`];
  const only = (/** @type {{pit: number}} */ one) => (/** @type {Move} */ move) => move.pit === one.pit;
  /** @type {Tip[]} */
  const found = [];
  const [take] = [...all].sort((a, b) => b.own - a.own);
  const [net] = [...all].sort((a, b) => b.worth - a.worth);
  const gift = all.find(({ other }) => other > 0);
  const past = all.find(({ own, took }) => own > (took > 0 ? took + 1 : 0));
  if (banks[0] + banks[1] <= 8) found.push({ id: 'start' });
  if (banks[me] > BEADS / 2) found.push({ id: 'won', values: { n: banks[me] } });
  if (take && take.took > 0 && net.pit === take.pit) found.push({ id: 'capture', values: take, targets: targets(take), follows: only(take) });
  if (gift) found.push({ id: 'gift', values: gift, targets: targets(gift), follows: (move) => !only(gift)(move) });
  if (net && take && net.pit !== take.pit) found.push({ id: 'reply', values: net, targets: targets(net), follows: only(net) });
  if (past && net.pit === past.pit) found.push({ id: 'full', values: past, targets: targets(past), follows: only(past) });
  if (pits.some((n) => n === FULL)) found.push({ id: 'five' });
  if (left <= LATE && pits.filter((n) => n > 0).length < PITS) found.push({ id: 'late', values: { n: left } });
  return found;
}
