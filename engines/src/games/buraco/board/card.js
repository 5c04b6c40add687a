// A Buraco card: its rank and its suit's sign. Each suit also has its own colour.

/** @import {Child, ClassList, Translate} from '/web/types.ts' */

import { h } from '/web/lib/dom.js';

import { rankOf, suitOf } from './cards.js';

/** @type {Record<string, [string, string]>} */
const SIGNS = {
  '♠': ['spade', 'M12 1C15 6 22 9.5 22 15A5 5 0 0 1 13.3 18.3Q13.7 21.5 16 23H8'
    + 'Q10.3 21.5 10.7 18.3A5 5 0 0 1 2 15C2 9.5 9 6 12 1Z'],
  '♥': ['heart', 'M12 22.5C8.5 17 1.5 13.5 1.5 7.6A5.6 5.6 0 0 1 12 5'
    + 'A5.6 5.6 0 0 1 22.5 7.6C22.5 13.5 15.5 17 12 22.5Z'],
  '♣': ['club', 'M12 1.5A4.9 4.9 0 0 1 15.9 9.3 4.9 4.9 0 1 1 13.3 16.9Q13.6 21 16 23H8'
    + 'Q10.4 21 10.7 16.9A4.9 4.9 0 1 1 8.1 9.3A4.9 4.9 0 0 1 12 1.5Z'],
  '♦': ['diamond', 'M12 1L21 12 12 23 3 12Z'],
};

/** @param {string} suit */
export const suitName = (suit) => SIGNS[suit][0];

/**
 * @param {string} suit
 * @param {string} [className]
 */
export function sign(suit, className) {
  const [name, d] = SIGNS[suit];
  return h('svg', { class: ['sign', name, className], viewBox: '0 0 24 24', 'aria-hidden': 'true' }, h('path', { d }));
}

/**
 * A card as screen readers say it: "queen of spades".
 * @param {string} card
 * @param {Translate} t
 */
export function spoken(card, t) {
  return t('card', { rank: t(`rank.${rankOf(card)}`), suit: t(`suit.${suitName(suitOf(card))}`) });
}

/**
 * A card face up. `piece`: the name under which it is animated; `target`: the target that chooses it; `edit`: the name
 * under which it is edited; `wild`: the card that a wild 2 represents.
 * @param {string} card
 * @param {Translate} t
 * @param {{piece?: string, target?: string, edit?: string, wild?: string | null, className?: ClassList, extra?: Child,
 *   title?: string | null}} [options]
 */
export function face(card, t, { piece, target, edit, wild, className, extra, title } = {}) {
  const label = wild ? t('wild', { card: spoken(card, t), as: wild }) : spoken(card, t);
  const data = { piece, target, edit };
  return h('span', {
    class: ['card', suitName(suitOf(card)), wild && 'wild', className], data,
    role: target ? null : 'img', 'aria-label': title ? `${label}, ${title}` : label,
    title: title ?? (wild ? label : null),
  },
  h('span', { class: 'rank', data: { rank: rankOf(card) } }), sign(suitOf(card)), sign(suitOf(card), 'big'),
  wild && h('span', { class: 'as', data: { as: wild } }), extra);
}

/**
 * A card face down.
 * @param {string} [piece]
 */
export const back = (piece) => h('span', { class: 'card back', data: { piece }, 'aria-hidden': 'true' });
