// What the graph and the list of moves take from the analysis of a match (pure).

/** @import {JudgedDecision, MoveClass} from '../types.ts' */
/** @typedef {{ply: number, value: number}} CurvePoint */

/** The mark of a move that lost chances, as chess players write it. */
export const MARKS = /** @type {Partial<Record<MoveClass, string>>} */ ({ inaccuracy: '?!', mistake: '?', blunder: '??' });

/**
 * The curve of each seat, from its own decisions. For two seats one line is enough: the first seat's chance, which is 1
 * minus the other's. `ends`: the score of each seat at the end, or null.
 * @param {JudgedDecision[]} decisions
 * @param {number} seats
 * @param {number} plies
 * @param {number[] | null} ends
 */
export function curves(decisions, seats, plies, ends) {
  return Array.from({ length: seats === 2 ? 1 : seats }, (_, at) => {
    /** @type {CurvePoint[]} */
    const points = decisions.flatMap(({ ply, seat, value }) => (value !== null && (seats === 2 || seat === at)
      ? [{ ply, value: seat === at ? value.before : 1 - value.before }] : []));
    if (ends && points.length > 0) points.push({ ply: plies, value: ends[at] });
    return points;
  });
}

/**
 * The score of each seat by its rank: 1 for the only winner, an equal share for several, 0 for the others.
 * @param {number[]} ranks
 */
export function scores(ranks) {
  const first = ranks.filter((rank) => rank === 1).length;
  return ranks.map((rank) => (rank === 1 ? 1 / first : 0));
}

/**
 * A change of a chance in points, with its sign.
 * @param {number} value from -1 to 1, or a sum of such changes
 */
export function change(value) {
  const points = Math.round(100 * Math.abs(value));
  if (points === 0) return '0';
  return `${value > 0 ? '+' : '−'}${points}`;
}
