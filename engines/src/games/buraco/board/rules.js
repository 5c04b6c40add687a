// The pictures of Buraco's rules, made of the board's own cards. The texts are in en.json: `rule.ID.title`, `rule.ID` and
// `rule.ID.example`.

/** @import {Child, RulePicture, Translate} from '/web/types.ts' */

import { h } from '/web/lib/dom.js';
import { back, face } from './card.js';
import { standsFor } from './cards.js';

const sample = (/** @type {Child[]} */ ...parts) => h('div', { class: 'board-buraco sample' }, parts);
const arrow = () => h('span', { class: 'to' }, '→');
const sign = (/** @type {string} */ text) => h('span', { class: 'to' }, text);

/**
 * @param {Translate} t
 * @returns {RulePicture[]}
 */
export function rules(t) {
  const cards = (/** @type {string} */ list) => h('span', { class: 'row' }, list.split(' ').map((card) => face(card, t)));
  const meld = (/** @type {string} */ list) => {
    const all = list.split(' ');
    const wild = standsFor(all);
    return h('span', { class: 'row' }, all.map((card, i) => face(card, t, { wild: wild[i] })));
  };
  const column = (/** @type {Child[]} */ ...parts) => h('div', { class: 'column' }, parts);
  const counted = (/** @type {string} */ list, /** @type {string} */ points) => h('span', { class: 'worth-of' }, cards(list), h('b', {}, points));
  return [
    ['turn', sample(back(), sign('+'), cards('5♥ 6♥ 7♥'), arrow(), cards('K♣'))],
    ['meld', sample(column(meld('9♦ 10♦ J♦ Q♦'), meld('A♠ 2♠ 3♠'), meld('Q♣ K♣ A♣')))],
    ['wild', sample(column(meld('5♠ 6♠ 2♥ 8♠'), meld('2♦ 9♣ 10♣ J♣')))],
    ['pile', sample(column(cards('K♦ 4♣ 7♥'), h('span', { class: 'row' }, sign('+'), cards('8♥ 9♥'), arrow(), meld('7♥ 8♥ 9♥'))))],
    ['values', sample(counted('3♠ 7♦', '5'), counted('2♥ 8♣ K♠', '10'), counted('A♦', '15'))],
    ['canastra', sample(column(
      h('span', { class: 'row' }, meld('4♥ 5♥ 6♥ 7♥ 8♥ 9♥ 10♥'), h('b', {}, '+200')),
      h('span', { class: 'row' }, meld('4♣ 5♣ 2♦ 7♣ 8♣ 9♣ 10♣'), h('b', {}, '+100'))))],
    ['end', sample(h('span', { class: 'row' }, cards('Q♦'), arrow(), h('b', {}, '+100')))],
    ['hand', sample(column(
      h('span', { class: 'row' }, cards('3♠ 5♦ 9♦ J♥ K♣ A♥'), h('b', {}, '\u221255')),
      h('span', { class: 'row' }, cards('3♠ 5♦ 9♦ J♥ Q♠ K♣ A♥'), h('b', {}, '\u221265 \u2212200'))))],
  ];
}
