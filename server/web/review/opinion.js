// The engine's opinion of every decision of a match, each from the view of the seat that decided. The opinions are asked
// for one after another with a small budget, and kept as long as the tab is open. They show which moves cost most.

/** @import {Decision, LegalMove, Opaque} from '../types.ts' */
/** @typedef {{ply: number, seat: number, position: Opaque, played?: LegalMove | null}} Spot a decision of the match: the
 * position as the deciding seat saw it, and the move it made */
/** @typedef {{ply: number, seat: number, value: number | null, lost: number, better: Opaque}} Opinion
 * `value`: the seat's chance from 0 to 1, null where the engine had no choice; `lost`: how much less the move made is worth
 * than the best one, which is `better` */
/** @typedef {{ply: number, value: number}} CurvePoint */

// A move that loses at least this much is a turning point; at most this many are shown.
const TURN = 0.12;
const MOST = 5;
// How long the engine thinks about each position, and the most if the machine is too busy for a search in that time.
const THINK_MS = 60;
const MOST_THINK_MS = 960;

/**
 * Asks for the opinions of `spots`, in order. `think` asks the engine for a decision in `ms` milliseconds; `kept` stores
 * the opinions found so far; `found` is called with all of them after each one.
 * @param {Spot[]} spots
 * @param {{think: (position: Opaque, ms: number, signal: AbortSignal) => Promise<Decision>,
 *   kept: {get: () => Opinion[], set: (all: Opinion[]) => void},
 *   found: (all: Opinion[]) => void, signal: AbortSignal}} options
 */
export async function opinions(spots, { think, kept, found, signal }) {
  const all = [...kept.get()];
  found(all);
  for (const spot of spots.slice(all.length)) {
    if (signal.aborted) return all;
    all.push(opinion(spot, await searched((ms) => think(spot.position, ms, signal))));
    kept.set(all);
    found(all);
  }
  return all;
}

/**
 * A decision by search, where there is a choice. On a busy machine the time may end before the search begins; then the
 * engine is asked again with twice the time.
 * @param {(ms: number) => Promise<Decision>} think
 */
async function searched(think) {
  for (let ms = THINK_MS; ; ms *= 2) {
    const decision = await think(ms);
    if (decision.nodes > 0 || decision.candidates.length < 2 || ms >= MOST_THINK_MS) return decision;
  }
}

/**
 * The opinion of one decision, from the engine's own decision there.
 * @param {Spot} spot
 * @param {Decision} decision
 * @returns {Opinion}
 */
export function opinion({ ply, seat, played }, { value, nodes, notation, move, candidates }) {
  if (nodes === 0) return { ply, seat, value: null, lost: 0, better: null };
  const known = candidates.find((candidate) => candidate.notation === played?.notation);
  // A move that is not among the candidates is worth no more than the last of them.
  const worth = known?.value ?? Math.min(value, ...candidates.map((candidate) => candidate.value));
  const lost = notation === played?.notation ? 0 : Math.max(0, value - worth);
  return { ply, seat, value, lost, better: move };
}

/**
 * The curve of each seat, from its own opinions. For two seats one line is enough: the first seat's chance, which is 1
 * minus the other's. `ends`: the score of each seat at the end, or null.
 * @param {Opinion[]} all
 * @param {number} seats
 * @param {number} plies
 * @param {number[] | null} ends
 */
export function curves(all, seats, plies, ends) {
  return Array.from({ length: seats === 2 ? 1 : seats }, (_, seat) => {
    /** @type {CurvePoint[]} */
    const points = all.flatMap((one) => (one.value !== null && (seats === 2 || one.seat === seat)
      ? [{ ply: one.ply, value: one.seat === seat ? one.value : 1 - one.value }] : []));
    if (ends && points.length > 0) points.push({ ply: plies, value: ends[seat] });
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
 * The moves that cost most, in the order of the match.
 * @param {Opinion[]} all
 */
export function turning(all) {
  const turns = all.filter(({ lost }) => lost >= TURN);
  return turns.sort((a, b) => b.lost - a.lost).slice(0, MOST).sort((a, b) => a.ply - b.ply);
}
