// Buraco's moves: how each is chosen, its words, and what the chosen cards may be used for. Pure: it draws nothing.

/** @import {Offer, Translate} from '/web/types.ts' */
/** @typedef {{to_move: number, drawn: boolean, stock: number, pile: string[], hand: string[], hand_sizes: number[],
 *   known: string[][], melds: string[][][], viewer?: {seat: number} | null, open?: boolean}} View a position; cards are written as `5♠`;
 *   `open`: the hands of both are shown */
/** @typedef {{cards: string[]}} Cards */
/** @typedef {{discard?: {card: string}, get_discard?: Cards, meld_new?: Cards,
 *   meld_join?: Cards & {meld: number}}} PlayedCards a move other than drawing: an object with one of these members */
/** @typedef {'get_stock' | PlayedCards} Move */

import { CANASTRA, inOrder, standsFor } from './cards.js';

/**
 * The targets of the hand, in the order of its cards. A number distinguishes the copies of a card.
 * @param {string[]} hand
 */
export function targets(hand) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return hand.map((card) => {
    const copy = (seen.get(card) ?? 0) + 1;
    seen.set(card, copy);
    return copy === 1 ? `card:${card}` : `card:${card}:${copy}`;
  });
}

/**
 * The card of a target; null if the target is no card.
 * @param {string} target
 */
export const cardOf = (target) => (target.startsWith('card:') ? target.split(':')[1] : null);

/**
 * The targets that may be chosen freely.
 * @param {View} view
 */
export const choices = (view) => targets(view.hand);

/** @param {Move} move */
export function paths(move) {
  if (move === 'get_stock') return [['stock']];
  if (move.discard) return [[`card:${move.discard.card}`], ['pile']];
  if (move.get_discard) return [targets(move.get_discard.cards), ['pile']];
  if (move.meld_join) return [targets(move.meld_join.cards), [`meld:${move.meld_join.meld}`]];
  return [targets(move.meld_new?.cards ?? []), ['new']];
}

/**
 * What the chosen cards could be used for, by their number alone; the API says which of it is legal.
 * @param {string[]} picked
 * @param {View} view
 * @returns {Offer[]}
 */
export function offers(picked, view) {
  const cards = picked.map(cardOf);
  if (cards.includes(null)) return [];
  const list = `[ ${cards.join(' ')} ]`;
  if (!view.drawn) {
    if (cards.length === 0) return [{ target: 'stock', notation: 'GET_STOCK' }];
    return cards.length < 2 ? [] : [{ target: 'pile', notation: `GET_DISCARD ${list}` }];
  }
  if (cards.length === 0) return [];
  const joins = view.melds[view.to_move].map((_, i) => ({ target: `meld:${i}`, notation: `MELD_JOIN ${i} ${list}` }));
  if (cards.length === 1) return [...joins, { target: 'pile', notation: `DISCARD ${cards[0]}` }];
  return cards.length < 3 ? joins : [...joins, { target: 'new', notation: `MELD_NEW ${list}` }];
}

/**
 * A card as the bar names a chosen one.
 * @param {string} target
 */
export const short = (target) => cardOf(target);

/** @param {string[]} cards */
const text = (cards) => inOrder(cards).join(' ');

/**
 * A meld by its ends: "5♠ to 9♠".
 * @param {string[]} meld
 * @param {Translate} t
 */
export const ends = (meld, t) => {
  const cards = standsFor(meld).map((card, i) => (card === null || card === '2' ? meld[i] : card));
  return t('ends', { low: cards[0], high: cards.at(-1) });
};

/**
 * A move in words.
 * @param {Move} move
 * @param {View} view
 * @param {Translate} t
 */
export function say(move, view, t) {
  if (move === 'get_stock') return t(view.stock > 0 ? 'say.stock' : 'say.stock.empty');
  const held = view.hand_sizes[view.to_move];
  const { discard, get_discard: taking, meld_join: join } = move;
  if (discard) return t(held === 1 ? 'say.discard.out' : 'say.discard', { card: discard.card });
  if (taking) {
    return t('say.pile', { cards: text([...taking.cards, view.pile.at(-1) ?? '']), n: view.pile.length });
  }
  const laid = (join ?? move.meld_new)?.cards ?? [];
  const before = join ? view.melds[view.to_move][join.meld] : [];
  const made = before.length < CANASTRA && before.length + laid.length >= CANASTRA;
  const more = [made && t('say.canastra'), laid.length === held && t('say.out')].filter(Boolean).join('');
  const cards = text(laid);
  return join ? t('say.join', { cards, meld: ends(before, t), more }) : t('say.new', { cards, more });
}
