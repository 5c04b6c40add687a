// A Septica card. Suits do not matter, so all cards show one sign, a leaf; a star marks a card that counts, scissors one
// that always cuts.

/** @import {Translate} from '/web/types.ts' */

import { h } from '/web/lib/dom.js';

import { counts } from './moves.js';

const LEAF = 'M0-5.4C3.4-3.4 4.4 .4 .5 3.6V6H-.5V3.6C-4.4 .4-3.4-3.4 0-5.4Z';
const STAR = 'M0-6L1.8-2.1 6-1.8 2.8 1 3.8 5.2 0 2.9-3.8 5.2-2.8 1-6-1.8-1.8-2.1Z';
const SCISSORS = 'M-4.6-5L1.1 2.2A2.5 2.5 0 1 0 2.6 1.1L-3.4-6ZM4.6-5L-1.1 2.2A2.5 2.5 0 1 1-2.6 1.1L3.4-6Z'
  + 'M2.9 2.3a1.2 1.2 0 1 1-.1 2.4 1.2 1.2 0 0 1 .1-2.4ZM-2.9 2.3a1.2 1.2 0 1 0 .1 2.4 1.2 1.2 0 0 0-.1-2.4Z';

// Where the leaves of the plain cards are.
const LEFT = 14.5;
const RIGHT = 35.5;
/** @returns {[number, number][]} */
const column = (/** @type {number} */ x, /** @type {number[]} */ ...ys) => ys.map((y) => [x, y]);
/** @type {Record<number, [number, number][]>} */
const LEAVES = {
  7: [...column(LEFT, 19, 36, 53), ...column(RIGHT, 19, 36, 53), [25, 27]],
  8: [...column(LEFT, 19, 36, 53), ...column(RIGHT, 19, 36, 53), [25, 27], [25, 45]],
  9: [...column(LEFT, 16, 29, 43, 56), ...column(RIGHT, 16, 29, 43, 56), [25, 36]],
  10: [...column(LEFT, 16, 29, 43, 56), ...column(RIGHT, 16, 29, 43, 56), [25, 23], [25, 49]],
};

/**
 * @param {number} x
 * @param {number} y
 */
const leaf = (x, y, size = 1) => h('path', { d: LEAF, transform: `translate(${x} ${y}) scale(${size})` });

// The drawings of jack, queen and king: a shape, and its bright parts.
/** @type {Record<number, string[]>} */
const HEADS = {
  11: ['M12 42C12 28 19 22 29 22L38 27 37 42Z', 'M11 41H39V47H11Z', 'M30 25C29 16 34 11 41 11 41 19 38 24 32 28Z'],
  12: ['M11 47L8 27 17 35 25 22 33 35 42 27 39 47Z', 'M11 44H39V50H11Z', 'M8 22a3 3 0 1 1-.1 0ZM25 16a3 3 0 1 1-.1 0Z'
    + 'M42 22a3 3 0 1 1-.1 0Z'],
  13: ['M11 46L7 27C14 21 21 24 25 31 29 24 36 21 43 27L39 46Z', 'M11 43H39V50H11Z',
    'M23.5 14H26.5V17.5H30V20.5H26.5V31H23.5V20.5H20V17.5H23.5Z'],
};

/** @param {number} rank */
function picture(rank) {
  const around = [[11, 36], [39, 36], [25, 12], [25, 60]];
  if (rank === 14) return [leaf(25, 36, 3), around.map(([x, y]) => leaf(x, y, 0.6))];
  if (LEAVES[rank]) return LEAVES[rank].map(([x, y]) => leaf(x, y, rank < 9 ? 1.35 : 1.15));
  const [shape, ...bright] = HEADS[rank];
  return [h('path', { d: shape }), bright.map((d) => h('path', { class: 'bright', d })), leaf(25, 59, 0.8)];
}

/**
 * @param {number} rank
 * @param {Translate} t
 */
function mark(rank, t) {
  const sign = counts(rank) ? ['star', STAR] : rank === 7 && ['scissors', SCISSORS];
  if (!sign) return null;
  return h('svg', { class: `mark ${sign[0]}`, viewBox: '-7 -7 14 14', role: 'img', 'aria-label': t(`mark.${sign[0]}`) },
    h('title', {}, t(`mark.${sign[0]}`)), h('path', { d: sign[1] }));
}

/**
 * A card face up. `piece`: the name under which it is animated; `edit`: under which it is edited; `small`: only its rank
 * and mark.
 * @param {number} rank
 * @param {Translate} t
 * @param {{piece?: string, edit?: string, small?: boolean}} [options]
 */
export function face(rank, t, { piece, edit, small } = {}) {
  const attributes = { class: ['card', small && 'small'], data: { piece, edit } };
  const corner = (/** @type {string} */ at) => h('span', { class: `corner ${at}`, data: { rank: t(`rank.${rank}`) } });
  if (small) return h('span', attributes, corner('upper'), mark(rank, t));
  return h('span', attributes, corner('upper'), mark(rank, t),
    h('svg', { class: 'art', viewBox: '0 0 50 72', 'aria-hidden': 'true' }, picture(rank)), corner('lower'));
}

/**
 * A card face down.
 * @param {string} [piece]
 */
export function back(piece) {
  return h('span', { class: 'card back', data: piece ? { piece } : {}, 'aria-hidden': 'true' });
}
