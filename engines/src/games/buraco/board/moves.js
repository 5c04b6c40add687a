// Buraco without a page: which choices make a move, a move in words, and what the chosen cards may be offered for.

import { CANASTRA, sorted, suitOfMeld } from './cards.js';

// The hand's targets, in the order of its cards: copies of a card are told apart by a number.
export function targets(hand) {
  const seen = new Map();
  return hand.map((card) => {
    const copy = (seen.get(card) ?? 0) + 1;
    seen.set(card, copy);
    return copy === 1 ? `card:${card}` : `card:${card}:${copy}`;
  });
}

export const cardOf = (target) => (target.startsWith('card:') ? target.split(':')[1] : null);

export const choices = (view) => targets(view.hand);

export function paths(move) {
  if (move === 'get_stock') return [['stock']];
  const [[kind, of]] = Object.entries(move);
  if (kind === 'discard') return [[`card:${of.card}`], ['pile']];
  const place = { get_discard: 'pile', meld_new: 'new', meld_join: `meld:${of.meld}` }[kind];
  return [targets(of.cards), [place]];
}

// What the chosen cards could be used for, by their number alone; the API says what of it is legal.
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

const text = (cards) => sorted(cards).join(' ');

// A meld by its ends, as in 5♠ to 9♠.
export const ends = (meld, t) => t('ends', { low: meld[0], high: meld.at(-1), suit: suitOfMeld(meld) });

export function say(move, view, t) {
  if (move === 'get_stock') return t(view.stock > 0 ? 'say.stock' : 'say.stock.empty');
  const [[kind, of]] = Object.entries(move);
  const held = view.hand_sizes[view.to_move];
  if (kind === 'discard') return t(held === 1 ? 'say.discard.out' : 'say.discard', { card: of.card });
  const cards = text(of.cards);
  const out = of.cards.length === held;
  if (kind === 'get_discard') return t('say.pile', { cards, top: view.pile.at(-1), n: view.pile.length });
  const before = kind === 'meld_join' ? view.melds[view.to_move][of.meld] : [];
  const made = before.length < CANASTRA && before.length + of.cards.length >= CANASTRA;
  const more = [made && t('say.canastra'), out && t('say.out')].filter(Boolean).join('');
  if (kind === 'meld_new') return t('say.new', { cards, more });
  return t('say.join', { cards, meld: ends(before, t), more });
}

