// Names of cards that stay the same before and after a move, so that the stage can animate each card. The two copies of a
// card look the same, so they are numbered by their place; hidden cards are numbered by the order in which they are laid.

/** @import {Move, View} from './moves.js' */
/** @typedef {{seat: number, move: Move, before: View}} LastMove */
/** @typedef {{hand: string[], known: string[][], melds: string[][][], pile: string[],
 *   back: (seat: number, place: number) => string}} Names each name is at the same place as its card in the view */

/**
 * How many cards a seat's melds and the pile hold.
 * @param {View} view
 * @param {number} seat
 */
const laid = (view, seat) => view.melds[seat].flat().length + view.pile.length;

/**
 * The names of all cards.
 * @param {View} view
 * @param {number | null} me the viewer's seat; null for a spectator
 * @param {LastMove | null} last as the board's `ctx.last`
 */
export function pieces(view, me, last) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  const name = (/** @type {string} */ card) => {
    const copy = seen.get(card) ?? 0;
    seen.set(card, copy + 1);
    return `${card}:${copy}`;
  };
  const seats = me === 1 ? [1, 0] : [0, 1];
  /** @type {Names} */
  const named = {
    hand: view.hand.map(name), known: [[], []], melds: [[], []], pile: [],
    back: (seat, place) => `back:${seat}:${laid(view, seat) + place}`,
  };
  for (const seat of seats) {
    if (seat !== me) named.known[seat] = view.known[seat].map(name);
    named.melds[seat] = view.melds[seat].map((meld) => meld.map(name));
  }
  // From the top down: the card just discarded is then the copy that was in the hand.
  named.pile = [...view.pile].reverse().map(name).reverse();
  if (last && last.seat !== me) uncovered(view, last, named);
  return named;
}

/**
 * Names the cards that another seat has just laid down as its hidden cards, unless they were known.
 * @param {View} view
 * @param {LastMove} last
 * @param {Names} named
 */
function uncovered(view, { seat, move, before }, named) {
  if (move === 'get_stock' || move.get_discard) return;
  const known = [...before.known[seat]];
  const cards = (move.discard ? [move.discard.card] : (move.meld_new ?? move.meld_join)?.cards ?? []).filter((card) => {
    const at = known.indexOf(card);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
  const from = laid(before, seat);
  cards.forEach((card, i) => {
    const meld = move.meld_join?.meld ?? view.melds[seat].length - 1;
    const [laidCards, names] = move.discard ? [view.pile, named.pile]
      : [view.melds[seat][meld], named.melds[seat][meld]];
    const at = laidCards.lastIndexOf(card);
    if (at >= 0) names[at] = `back:${seat}:${from + i}`;
  });
}
