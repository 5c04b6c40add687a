// What can be edited in a position of Buraco, and why the rules do not know a position. The hand is that of the seat to
// move; the stock has all cards that are nowhere else.

/** @import {EditField, EditPiece, Translate} from '/web/types.ts' */
/** @import {View} from './moves.js' */

import { h } from '/web/lib/dom.js';
import { face, spoken } from './card.js';
import { RANKS, SUITS, fault as faultOf, inOrder, isMeld, placeOf, suitOf, suitOfMeld } from './cards.js';
import { ends, targets } from './moves.js';

/** @typedef {View & {exhausted?: boolean, viewer?: {seat: number} | string | null}} Whole */

const [CARDS, COPIES, SMALLEST] = [104, 2, 3];
const KINDS = SUITS.flatMap((suit) => RANKS.map((rank) => `${rank}${suit}`));

/** @param {View} view */
export const mover = (view) => view.to_move;

/**
 * How often a card is in a list.
 * @param {string[]} cards
 * @param {string} kind
 */
const copies = (cards, kind) => cards.filter((card) => card === kind).length;

/**
 * The number of copies of a card that are in the stock, or in the other hand and not known.
 * @param {View} view
 * @param {string} kind
 */
const unseen = (view, kind) => COPIES
  - copies([...view.hand, ...view.known[1 - view.to_move], ...view.pile, ...view.melds.flat(2)], kind);

/**
 * The hand of the seat to move. Where another viewer's position does not show it: what everyone knows of it, and cards that
 * lie nowhere else.
 * @param {Whole} view
 */
function handOf(view) {
  const { viewer = null, to_move: own } = view;
  if (viewer === null || (typeof viewer === 'object' && viewer.seat === own)) return view.hand;
  const hand = [...view.known[own]];
  for (const card of KINDS) {
    for (let n = unseen({ ...view, hand }, card); n > 0 && hand.length < view.hand_sizes[own]; n -= 1) hand.push(card);
  }
  return hand;
}

/**
 * The position after a change: the size of the hand and the stock follow.
 * @param {Whole} view
 * @param {Partial<Whole>} change
 * @returns {Whole}
 */
function settle(view, change) {
  const next = { ...view, hand: handOf(view), ...change };
  const own = next.to_move;
  const sizes = next.hand_sizes.map((n, seat) => (seat === own ? next.hand.length : n));
  const known = next.known.map((cards, seat) => (seat === own
    ? cards.filter((card, i) => copies(cards.slice(0, i), card) < copies(next.hand, card)) : cards));
  const stock = CARDS - next.pile.length - next.melds.flat(2).length - sizes[0] - sizes[1];
  // A player without cards has gone out, which is after a draw.
  const drawn = next.drawn || next.hand.length === 0;
  return { ...next, known, stock, drawn, hand_sizes: sizes, exhausted: Boolean(next.exhausted) && stock === 0 && !drawn, viewer: { seat: own } };
}

/**
 * @param {string} card
 * @param {Translate} t
 */
const piece = (card, t) => ({
  value: card, label: spoken(card, t), picture: () => h('span', { class: 'board-buraco sample alone' }, face(card, t)),
});

/**
 * @param {Whole} view
 * @param {string[]} names
 * @param {Translate} t
 * @returns {EditField[]}
 */
export function fields(view, names, t) {
  return [
    ...handFields(view, names, t),
    listField(view, { id: 'pile', targets: ['pile'], group: t('edit.pile'), places: view.pile.map((_, i) => `pile:${i}`), note: t('edit.pile.note') },
      view.pile, (pile) => settle(view, { pile }), t),
    ...[0, 1].flatMap((seat) => [...view.melds[seat].map((_, at) => meldField(view, seat, at, names[seat], t)), newMeld(view, seat, names[seat], t)]),
    ...otherFields(view, names, t),
    {
      id: 'turn', targets: [], group: '', label: t('edit.turn'), kind: 'choice', value: view.to_move, note: t('edit.turn.note'),
      choices: names.map((label, value) => ({ value, label })),
      // The hand that is shown is that of the seat to move.
      set: (seat) => (seat === view.to_move ? view : settle(view, {
        to_move: Number(seat), hand: handOf(view), hand_sizes: [...view.hand_sizes].reverse(), known: [...view.known].reverse(),
      })),
    },
    {
      id: 'drawn', targets: [], group: '', label: t('edit.drawn'), kind: 'switch', value: view.drawn,
      set: (drawn) => settle(view, { drawn }),
    },
  ];
}

/**
 * A list of cards to which every card can be added that is still in the stock.
 * @param {Whole} view
 * @param {{id: string, targets: string[], group: string, places?: string[], note?: string}} base
 * @param {string[]} value
 * @param {(cards: string[]) => Whole} put
 * @param {Translate} t
 * @returns {EditField}
 */
function listField(view, base, value, put, t) {
  return {
    ...base, label: t('edit.cards'), kind: 'pieces', value, most: value.length + Math.max(0, view.stock), piece: (card) => piece(String(card), t),
    choices: (at) => KINDS.map((card) => ({ ...piece(card, t), off: unseen(view, card) < 1 && (at === null || value[at] !== card) })),
    set: (cards) => put(/** @type {string[]} */ (cards)),
  };
}

/**
 * @param {Whole} view
 * @param {string[]} names
 * @param {Translate} t
 * @returns {EditField[]}
 */
function handFields(view, names, t) {
  const own = view.to_move;
  const known = view.known[own];
  return [
    listField(view, { id: 'hand', targets: ['hand'], group: t('edit.hand', { who: names[own] }), places: targets(view.hand) },
      view.hand, (hand) => settle(view, { hand }), t),
    {
      id: 'known', targets: ['hand'], group: t('edit.known', { who: names[1 - own] }), label: t('edit.cards'), note: t('edit.known.note'),
      kind: 'pieces', value: known, most: view.hand.length, piece: (card) => piece(String(card), t),
      choices: (at) => [...new Set(view.hand)].map((card) => ({
        ...piece(card, t), off: copies(known, card) >= copies(view.hand, card) && (at === null || known[at] !== card),
      })),
      set: (cards) => settle(view, { known: view.known.map((one, seat) => (seat === own ? ordered(cards) : one)) }),
    },
  ];
}

// The order in which a position lists known cards.
const ORDER = ['♥', '♦', '♣', '♠'];
/** @param {EditPiece[]} cards */
const ordered = (cards) => cards.map(String).sort((a, b) => ORDER.indexOf(suitOf(a)) - ORDER.indexOf(suitOf(b)) || placeOf(a) - placeOf(b));

/**
 * What the seat holds that is not to move: how many cards, and which of them everyone knows.
 * @param {Whole} view
 * @param {string[]} names
 * @param {Translate} t
 * @returns {EditField[]}
 */
function otherFields(view, names, t) {
  const seat = 1 - view.to_move;
  const known = view.known[seat];
  const base = { targets: [`held:${seat}`], group: t('edit.hand', { who: names[seat] }) };
  return [
    {
      ...base, id: 'held', label: t('edit.cards'), kind: 'count', value: view.hand_sizes[seat], least: Math.max(1, known.length),
      most: view.hand_sizes[seat] + Math.max(0, view.stock), set: (n) => settle(view, { hand_sizes: view.hand_sizes.map((one, i) => (i === seat ? n : one)) }),
    },
    {
      ...base, id: 'held:known', label: t('edit.known.theirs'), kind: 'pieces', value: known, most: view.hand_sizes[seat],
      piece: (card) => piece(String(card), t),
      choices: (at) => KINDS.map((card) => ({ ...piece(card, t), off: unseen(view, card) < 1 && (at === null || known[at] !== card) })),
      set: (cards) => settle(view, { known: view.known.map((one, i) => (i === seat ? ordered(cards) : one)) }),
    },
  ];
}

/**
 * The position with other cards in a meld; without the meld if there are none.
 * @param {Whole} view
 * @param {number} seat
 * @param {number} at
 * @param {string[]} cards
 */
function lay(view, seat, at, cards) {
  const own = [...view.melds[seat]];
  own.splice(at, 1, ...(cards.length === 0 ? [] : [isMeld(cards) ? inOrder(cards) : cards]));
  return settle(view, { melds: view.melds.map((melds, i) => (i === seat ? own : melds)) });
}

/**
 * A meld. Only cards with which it is still a meld are offered.
 * @param {Whole} view
 * @param {number} seat
 * @param {number} at
 * @param {string} who
 * @param {Translate} t
 * @returns {EditField}
 */
function meldField(view, seat, at, who, t) {
  const cards = view.melds[seat][at];
  const suit = suitOfMeld(cards);
  const fits = (/** @type {string[]} */ meld) => (meld.length < SMALLEST
    ? meld.every((card) => placeOf(card) === 2 || suitOf(card) === suit) : isMeld(meld));
  return {
    id: `meld:${seat}:${at}`, targets: [`meld:${seat}:${at}`], group: t('edit.meld', { meld: ends(cards, t), who }), label: t('edit.cards'),
    note: t('edit.meld.note'), kind: 'pieces', value: cards, most: cards.length + Math.max(0, view.stock), piece: (card) => piece(String(card), t),
    choices: (place) => KINDS.filter((card) => unseen(view, card) > 0 && fits(place === null ? [...cards, card] : cards.with(place, card)))
      .map((card) => piece(card, t)),
    set: (next) => (next.join() === cards.join() ? view : lay(view, seat, at, next.map(String))),
  };
}

/**
 * A new meld, which begins with the three cards from the chosen one upwards. It has the id that it has as a meld, so that it
 * stays open.
 * @param {Whole} view
 * @param {number} seat
 * @param {string} who
 * @param {Translate} t
 * @returns {EditField}
 */
function newMeld(view, seat, who, t) {
  const at = view.melds[seat].length;
  const three = (/** @type {string} */ card) => {
    const suit = suitOf(card);
    return [0, 1, 2].map((by) => `${RANKS[(placeOf(card) - 1 + by) % RANKS.length]}${suit}`);
  };
  const starts = KINDS.filter((card) => view.stock >= SMALLEST && isMeld(three(card)) && three(card).every((one) => unseen(view, one) > 0));
  return {
    id: `meld:${seat}:${at}`, targets: [`new:${seat}`], group: t('edit.new', { who }), label: t('edit.cards'), note: t('edit.new.note'),
    kind: 'pieces', value: [], most: 1, piece: (card) => piece(String(card), t),
    choices: () => starts.map((card) => ({ ...piece(card, t), label: ends(three(card), t) })),
    set: (cards) => (cards.length === 0 ? view : lay(view, seat, at, three(String(cards[0])))),
  };
}

/**
 * Why the rules do not know a position; empty if this does not know either.
 * @param {Whole} view
 * @param {string[]} names
 * @param {Translate} t
 */
export function fault(view, names, t) {
  for (const seat of [0, 1]) {
    const odd = view.melds[seat].find((cards) => !isMeld(cards));
    if (odd) return t('edit.fault.meld', { who: names[seat], why: t(`fault.${faultOf(odd)}`) });
  }
  if (!view.drawn && view.pile.length === 0) return t('edit.fault.pile', { who: names[view.to_move] });
  if (!view.drawn && view.hand.length === 0) return t('edit.fault.out', { who: names[view.to_move] });
  return '';
}
