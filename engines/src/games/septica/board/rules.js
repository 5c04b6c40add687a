// The pictures of Septica's rules, made of the board's own cards. The texts are in en.json: `rule.ID.title`, `rule.ID` and
// `rule.ID.example`.

/** @import {Child, RulePicture, Translate} from '/web/types.ts' */

import { h } from '/web/lib/dom.js';
import { back, face } from './card.js';
import { cuts } from './moves.js';

/**
 * @param {Translate} t
 * @returns {RulePicture[]}
 */
export function rules(t) {
  const sample = (/** @type {Child[]} */ ...parts) => h('div', { class: 'board-septica sample' }, parts);
  const cards = (/** @type {number[]} */ ...ranks) => ranks.map((rank) => face(rank, t));
  // A trick: the leader's cards lie lower than the answers; what each did is written beside it.
  const trick = (/** @type {number[]} */ ...ranks) => {
    const holds = ranks.reduce((best, card, i) => (i > 0 && cuts(card, ranks[0]) ? i : best), 0);
    return h('ol', { class: 'trick' }, ranks.map((card, i) => h('li', { class: ['play', i % 2 === 0 ? 'low' : 'high', i === holds && 'holding'] },
      h('span', { class: 'did' }, t(`did.${i === 0 ? 'led' : cuts(card, ranks[0]) ? 'cut' : 'given'}`)), face(card, t))));
  };
  return [
    ['answer', sample(trick(9, 12))],
    ['aim', sample(cards(10, 14))],
    ['cut', sample(trick(11, 7), trick(11, 11))],
    ['again', sample(trick(10, 7, 10))],
    ['take', sample(trick(13, 13, 7, 8))],
    ['draw', sample(cards(8, 12), h('span', { class: 'to' }, '+'), back(), back())],
    ['end', sample(cards(10, 10, 14, 14, 14))],
  ];
}
