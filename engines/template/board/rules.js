// The pictures of Take-away's rules: heaps as the board draws them. The texts are in en.json: `rule.ID.title`, `rule.ID` and
// `rule.ID.example`.

/** @import {RulePicture, Translate} from '/web/types.ts' */

import { h } from '/web/lib/dom.js';
import { heap } from './board.js';

/**
 * Heaps one after another, by their numbers of counters.
 * @param {Translate} t
 * @param {...number} numbers
 */
const sample = (t, ...numbers) => h('div', { class: 'board-takeaway sample' },
  numbers.map((n, i) => [i > 0 && h('span', { class: 'to' }, '→'), n > 0 ? heap(n, t) : h('span', {}, '0')]));

/**
 * @param {Translate} t
 * @returns {RulePicture[]}
 */
export const rules = (t) => [
  ['heap', sample(t, 15)],
  ['take', sample(t, 8, 6)],
  ['turns', sample(t, 8, 6, 3)],
  ['end', sample(t, 2, 0)],
  ['start', sample(t, 9, 8)],
];
