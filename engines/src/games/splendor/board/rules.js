// The pictures of Splendor's rules, made of the board's own chips, cards and nobles. The texts are in en.json:
// `rule.ID.title`, `rule.ID` and `rule.ID.example`.

/** @import {Child, RulePicture, Translate} from '/web/types.ts' */
/** @import {ChipColour} from './cards.js' */

import { h } from '/web/lib/dom.js';
import { back, face, nobleTile } from './card.js';
import { chip } from './jewel.js';

/**
 * @param {Translate} t
 * @returns {RulePicture[]}
 */
export function rules(t) {
  const sample = (/** @type {Child[]} */ ...parts) => h('div', { class: 'board-splendor sample' }, parts);
  const sign = (/** @type {string} */ text) => h('span', { class: 'to' }, text);
  const chips = (/** @type {ChipColour[]} */ ...kinds) => h('span', { class: 'chips' }, kinds.map((kind) => chip(kind, t(`letter.${kind}`))));
  const card = (/** @type {number} */ id) => face(id, t);
  return [
    ['take', sample(chips('red', 'green', 'white'))],
    ['two', sample(chips('blue', 'blue', 'blue', 'blue'), sign('→'), chips('blue', 'blue'))],
    ['reserve', sample(card(81), sign('+'), chips('gold'))],
    ['buy', sample(chips('blue', 'blue', 'gold'), sign('→'), card(4))],
    ['bonus', sample(card(22), card(26), sign('→'), chips('white', 'white', 'black', 'blue'))],
    ['limit', sample(chips('red', 'red', 'green', 'green', 'blue', 'blue', 'white', 'white', 'black', 'black', 'gold'),
      h('span', { class: 'chips' }, sign('→'), chips('black')))],
    ['noble', sample(nobleTile(6, t))],
    ['deck', sample(back(1), back(2), back(3))],
    ['end', sample(card(76), card(71), card(50), nobleTile(1, t))],
  ];
}
