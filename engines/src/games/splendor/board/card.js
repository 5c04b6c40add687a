// Cards, their backs and nobles, as they are drawn everywhere on the board.

/** @import {Attributes, Child, Translate} from '/web/types.ts' */
/** @import {Amounts} from './cards.js' */

import { h } from '/web/lib/dom.js';
import { COLOURS, card, noble } from './cards.js';
import { jewel, pip, portrait } from './jewel.js';
import { amounts, describe } from './moves.js';

/**
 * The accessible name of a card.
 * @param {number} id
 * @param {Translate} t
 */
export const label = (id, t) => describe(id, t, t('cost', { cost: amounts(card(id).cost, t) }));

/**
 * A card face up.
 * @param {number} id
 * @param {Translate} t
 * @param {Attributes} [attrs] attributes of the element
 * @param {...Child} more further content
 */
export function face(id, t, attrs = {}, ...more) {
  const { bonus, points, cost, level } = card(id);
  const { class: kind, ...rest } = attrs;
  return h('div', { class: ['card', bonus, `level${level}`, kind], role: 'img', 'aria-label': label(id, t), ...rest },
    h('div', { class: 'art', 'aria-hidden': 'true' }, jewel(bonus)),
    h('div', { class: 'head', 'aria-hidden': 'true' },
      h('span', { class: 'points' }, points > 0 ? points : ''),
      jewel(bonus, t(`letter.${bonus}`))),
    h('div', { class: 'cost', 'aria-hidden': 'true' },
      COLOURS.filter((colour) => cost[colour] > 0).map((colour) => pip(colour, cost[colour]))),
    more);
}

/**
 * A card that can be chosen: its drawing below the element that carries the target, and `more` on top.
 * @param {{target?: string, edit?: string}} data the target, and the name under which it is edited
 * @param {string} label
 * @param {Child} drawn
 * @param {...Child} more
 */
export function spot(data, label, drawn, ...more) {
  return h('div', { class: 'slot' }, drawn,
    h('div', { class: 'touch', role: 'img', 'aria-label': label, data }), more);
}

// The attributes of a drawing below a spot: the spot carries the accessible name.
/** @type {Attributes} */
export const UNNAMED = { role: null, 'aria-label': null, 'aria-hidden': 'true' };

/**
 * A card face down.
 * @param {number} level
 * @param {Attributes} [attrs] attributes of the element
 * @param {...Child} more further content
 */
export function back(level, attrs = {}, ...more) {
  const { class: kind, ...rest } = attrs;
  return h('div', { class: ['card', 'back', `level${level}`, kind], role: 'img', ...rest },
    h('div', { class: 'emblem', 'aria-hidden': 'true' }, Array.from({ length: level }, () => h('i'))), more);
}

/**
 * A noble. `met`: the viewer's bonuses, to show which needs are met; `edit`: the name under which it is edited.
 * @param {number} id
 * @param {Translate} t
 * @param {Amounts | null} [met]
 * @param {string} [edit]
 */
export function nobleTile(id, t, met, edit) {
  const { points, needs } = noble(id);
  const asked = COLOURS.filter((colour) => needs[colour] > 0);
  return h('div', {
    class: 'noble', role: 'img', 'aria-label': t('noble', { points, needs: amounts(needs, t) }),
    data: { piece: `noble:${id}`, edit },
  },
  portrait(id),
  h('span', { class: 'points', 'aria-hidden': 'true' }, points),
  h('div', { class: 'cost', 'aria-hidden': 'true' },
    asked.map((colour) => pip(colour, needs[colour], met && met[colour] >= needs[colour] && 'met'))));
}
