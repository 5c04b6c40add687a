// Ioiwari's moves: how each is chosen, its words, and its sowing bead by bead. Pure: it draws nothing.

/** @import {Translate} from '/web/types.ts' */
/** @typedef {{pits: number[], banks: number[], to_move: number}} Position */
/** @typedef {Position & {sowing?: {from: number, at: number, hand: number, seat: number}}} View a position; `sowing`
 * is for the drawing alone: the pit that a hand sows from, where it is, what is left in it, and whose it is */
/** @typedef {{pit: number}} Move the pit, from 1 */
/** @typedef {{pits: number[], gained: [number, number], hand: number, at: number}} Place the pits after a bead; what the
 * own bank and the other's have gained, what is left in the hand, and over which pit it is */

export const PITS = 7;
export const FULL = 5;

/** @param {Move} move */
export function paths(move) {
  return [[`pit:${move.pit}`]];
}

/**
 * Sows from a pit (an index, 0 to 6). `places`: the state after each bead; the first one has the whole hand over the
 * emptied pit. `own`, `other`: what the banks gain in all. `took`: the beads of the pit that the last bead captures, 0
 * if it captures none. `last`: the pit where the sowing ends.
 * @param {number[]} pits
 * @param {number} from
 */
export function sow(pits, from) {
  const now = [...pits];
  let hand = now[from];
  let at = from;
  let own = 0;
  now[from] = 0;
  /** @type {Place[]} */
  const places = [{ pits: [...now], gained: [0, 0], hand, at }];
  for (;;) {
    at = (at + 1) % PITS;
    if (hand === 1) {
      const took = now[at] >= 1 && now[at] < FULL ? now[at] : 0;
      if (took > 0) now[at] = 0;
      /** @type {[number, number]} */
      const gained = took > 0 ? [own + took + 1, 0] : [own, 1];
      places.push({ pits: now, gained, hand: 0, at });
      return { places, own: gained[0], other: gained[1], took, last: at };
    }
    if (now[at] === FULL) {
      now[at] -= 1;
      own += 1;
    } else {
      now[at] += 1;
      hand -= 1;
    }
    places.push({ pits: [...now], gained: [own, 0], hand, at });
  }
}

/**
 * A move in words.
 * @param {Move} move
 * @param {View} view
 * @param {Translate} t
 */
export function say(move, view, t) {
  const { own, other, took, last, places } = sow(view.pits, move.pit - 1);
  const words = { pit: move.pit, beads: places[0].hand, own, last: last + 1, took };
  if (other > 0) return t(own > 1 ? 'say.both' : own === 1 ? 'say.both.one' : 'say.other', words);
  return t(own === took + 1 ? 'say.takes' : 'say.more', words);
}

/**
 * The positions between two: one for each bead. The last place of a sowing is the position after the move.
 * @param {Position} before
 * @param {Move} move
 * @returns {View[]}
 */
export function steps(before, move) {
  const { places } = sow(before.pits, move.pit - 1);
  const seat = before.to_move;
  return places.slice(0, -1).map(({ pits, gained, hand, at }) => ({
    ...before,
    pits,
    banks: before.banks.map((n, i) => n + gained[i === seat ? 0 : 1]),
    sowing: { from: move.pit - 1, at, hand, seat },
  }));
}
