// The pictures of Ioiwari's rules: rings as the board draws them, before and after a move. The texts are in en.json:
// `rule.ID.title`, `rule.ID` and `rule.ID.example`.

/** @import {RulePicture, Translate} from '/web/types.ts' */

import { h } from '/web/lib/dom.js';
import { ring } from './board.js';
import { sow } from './moves.js';

/**
 * The ring before and after a move from `pit`, counted from 1.
 * @param {number[]} pits
 * @param {number} pit
 * @param {Translate} t
 */
function sown(pits, pit, t) {
  const before = { pits, banks: [0, 0], to_move: 0 };
  const { places, last, took } = sow(pits, pit - 1);
  const after = { ...before, pits: places[places.length - 1].pits };
  const ctx = { me: 0, seats: [], turn: 0, t, picked: [], next: new Set(), last: null };
  const marked = { from: pit - 1, end: last, took, gained: [0, 0] };
  return h('div', { class: 'board-ioiwari sample' }, ring(before, ctx, { ...marked, end: -1, took: 0 }),
    h('span', { class: 'to' }, '→'), ring(after, ctx, marked));
}

/**
 * @param {Translate} t
 * @returns {RulePicture[]}
 */
export const rules = (t) => [
  ['sow', sown([3, 2, 1, 0, 4, 2, 3], 1, t)],
  ['full', sown([2, 5, 3, 1, 4, 2, 3], 1, t)],
  ['capture', sown([2, 1, 4, 0, 3, 2, 3], 1, t)],
  ['gift', sown([2, 1, 0, 3, 4, 2, 3], 1, t)],
  ['end', sown([0, 0, 0, 0, 0, 1, 3], 6, t)],
];
