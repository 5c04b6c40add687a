// What can be edited in a position of Septica, and why the rules do not know a position. The hand is that of the seat to
// move; the sizes of the hands and of the deck follow from the other cards.

/** @import {EditField, EditPiece, Translate} from '/web/types.ts' */
/** @import {View} from './moves.js' */

import { h } from '/web/lib/dom.js';
import { face } from './card.js';
import { cuts, mover } from './moves.js';

export { mover };

const RANKS = [7, 8, 9, 10, 11, 12, 13, 14];
const [COPIES, CARDS, HAND] = [4, 32, 4];
// A trick of eight cards is over.
const LONGEST = 2 * HAND - 1;

/**
 * How often a card is in a list.
 * @param {number[]} cards
 * @param {number} rank
 */
const copies = (cards, rank) => cards.filter((card) => card === rank).length;
/** @param {View} view */
const lying = (view) => [...view.trick, ...view.taken[0], ...view.taken[1]];
/**
 * The number of cards of a rank that are in the deck or in the other hand.
 * @param {View} view
 * @param {number} rank
 */
const unseen = (view, rank) => COPIES - copies([...lying(view), ...view.hand], rank);
/**
 * How many cards a seat has in its hand while the deck has cards.
 * @param {View} view
 * @param {number} seat
 */
const full = (view, seat) => HAND - Math.floor((view.trick.length + (seat === view.leader ? 1 : 0)) / 2);

/**
 * The position after a change: the hand of the seat to move, the sizes of both hands and the deck follow.
 * @param {View} view
 * @param {Partial<View>} change
 * @returns {View}
 */
function settle(view, change) {
  const next = { ...view, ...change };
  if (change.taken || change.leader !== undefined) delete next.past;
  const [own, other] = [mover(next), 1 - mover(next)];
  const rest = CARDS - lying(next).length;
  const deck = Math.max(0, rest - full(next, own) - full(next, other));
  const least = Math.max(0, rest - deck - full(next, other));
  const most = Math.max(0, Math.min(full(next, own), rest - deck));
  const size = Math.min(most, Math.max(least, next.hand.length));
  next.hand = fitted(next, size);
  const sizes = [size, size];
  sizes[other] = rest - deck - size;
  return { ...next, hands: sizes, deck, viewer: { seat: own } };
}

/**
 * The hand, shortened or filled to a size. Cards that are now in the trick or taken leave it; cards of the deck or of the
 * other hand fill it.
 * @param {View} view
 * @param {number} size
 */
function fitted(view, size) {
  /** @type {number[]} */
  const hand = [];
  for (const card of view.hand) if (hand.length < size && copies([...lying(view), ...hand], card) < COPIES) hand.push(card);
  for (const rank of RANKS) {
    while (hand.length < size && copies([...lying(view), ...hand], rank) < COPIES) hand.push(rank);
  }
  return hand;
}

/**
 * @param {View} view
 * @param {string[]} names
 * @param {Translate} t
 * @returns {EditField[]}
 */
export function fields(view, names, t) {
  const picture = (/** @type {number} */ rank) => () => h('span', { class: 'board-septica sample alone' }, face(rank, t, { small: true }));
  const piece = (/** @type {EditPiece} */ rank) => ({ value: rank, label: t(`name.${rank}`), picture: picture(Number(rank)) });
  const own = mover(view);
  const spare = CARDS - lying(view).length - full(view, 0) - full(view, 1);
  const size = view.hand.length;
  /** @type {EditField[]} */
  const all = [
    {
      id: 'hand', targets: ['hand'], group: t('edit.hand', { who: names[own] }), label: t('edit.cards'), kind: 'pieces',
      note: t(spare > 0 ? 'edit.hand.note' : 'edit.hand.last'),
      value: view.hand, places: view.hand.map((rank, i) => place(rank, copies(view.hand.slice(0, i), rank))), piece,
      // While the deck has cards, the sizes of the hands are fixed.
      least: Math.min(size, Math.max(0, full(view, own) + Math.min(0, spare))),
      most: Math.min(full(view, own), CARDS - lying(view).length),
      choices: (at) => RANKS.map((rank) => ({ ...piece(rank), off: unseen(view, rank) < 1 && (at === null || view.hand[at] !== rank) })),
      set: (hand) => settle(view, { hand: /** @type {number[]} */ (hand) }),
    },
    {
      id: 'trick', targets: ['trick'], group: t('trick'), label: t('edit.cards'), note: t('edit.trick.note'), kind: 'pieces', value: view.trick,
      places: view.trick.map((_, i) => `trick:${i}`), most: LONGEST, piece,
      choices: (at) => RANKS.map((rank) => ({ ...piece(rank), off: !fits(view, rank, at) })),
      set: (trick) => settle(view, { trick: /** @type {number[]} */ (trick) }),
    },
    ...[0, 1].flatMap((seat) => RANKS.map((rank) => /** @type {EditField} */ ({
      id: `taken:${seat}:${rank}`, targets: [`taken:${seat}`], group: t('edit.taken', { who: names[seat] }), label: t(`name.${rank}`),
      note: t('edit.taken.note'), picture: picture(rank), kind: 'count', value: copies(view.taken[seat], rank), least: 0,
      most: copies(view.taken[seat], rank) + unseen(view, rank), set: (/** @type {number} */ n) => take(view, seat, rank, n),
    }))),
    {
      id: 'turn', targets: [], group: '', label: t('edit.turn'), kind: 'choice', value: own,
      choices: names.map((label, value) => ({ value, label })),
      set: (seat) => (seat === own ? view : settle(view, { leader: 1 - view.leader })),
    },
    {
      id: 'draws', targets: [], group: '', label: t('edit.draws'), kind: 'choice', value: view.draws ?? 'split',
      choices: ['split', 'player'].map((value) => ({ value, label: t(`edit.draws.${value}`) })),
      set: (draws) => (draws === (view.draws ?? 'split') ? view : { ...view, draws: String(draws) }),
    },
  ];
  return all;
}

/**
 * The element of a card of the hand: copies of a rank share one.
 * @param {number} rank
 * @param {number} copy
 */
const place = (rank, copy) => (copy === 0 ? `hand:${rank}` : `hand:${rank}:${copy}`);

/**
 * Whether a card may lie in the trick at a place; null: at its end. After its first card a trick has only cuts.
 * @param {View} view
 * @param {number} rank
 * @param {number | null} at
 */
function fits(view, rank, at) {
  const trick = at === null ? [...view.trick, rank] : view.trick.with(at, rank);
  const there = copies([...trick, ...view.taken[0], ...view.taken[1]], rank) <= COPIES;
  return there && trick.slice(1).every((card) => cuts(card, trick[0]));
}

/**
 * The position in which a seat has taken `n` cards of a rank.
 * @param {View} view
 * @param {number} seat
 * @param {number} rank
 * @param {number} n
 */
function take(view, seat, rank, n) {
  const had = copies(view.taken[seat], rank);
  if (n === had) return view;
  const cards = [...view.taken[seat].filter((card) => card !== rank), ...Array.from({ length: n }, () => rank)];
  return settle(view, { taken: view.taken.map((one, i) => (i === seat ? cards.sort((a, b) => a - b) : one)) });
}

/**
 * Why the rules do not know a position; empty if this does not know either.
 * @param {View} view
 * @param {string[]} names
 * @param {Translate} t
 */
export function fault(view, names, t) {
  const over = view.trick.length === 0 && view.hands[0] + view.hands[1] === 0;
  if (over) return '';
  const odd = view.taken.findIndex((cards) => cards.length % 2 > 0);
  if (odd >= 0) return t('fault.odd', { who: names[odd], n: view.taken[odd].length });
  const { leader, taken } = view;
  if (taken[leader].length === 0 && taken[1 - leader].length > 0) return t('fault.leader', { who: names[leader] });
  if (taken[leader].length === 0 && leader === 1) return t('fault.first', { who: names[0] });
  const stuck = view.trick.length === 0 ? view.hands.indexOf(0) : view.hands[mover(view)] === 0 ? mover(view) : -1;
  if (stuck >= 0) return t('fault.stuck', { who: names[stuck] });
  return '';
}
