// An engine's opinion of a position: the chances of all seats as one bar that sums to 100%, and a list of moves.

/** @import {Candidate, Opaque, Translate} from '../types.ts' */

import { h } from '../lib/dom.js';

/**
 * The chances of the seats in whole percent that sum to 100. With more than two seats an engine says only the chance of
 * the seat to move: the others share the rest as one.
 * @param {number} value the chance of `seat`, from 0 to 1
 * @param {number} seat
 * @param {string[]} names the names of all seats
 * @param {Translate} t
 * @returns {{name: string, percent: number, seat: number | null}[]}
 */
export function shares(value, seat, names, t) {
  const own = Math.min(100, Math.max(0, Math.round(100 * value)));
  if (names.length === 1) return [{ name: names[0], percent: own, seat }];
  if (names.length > 2) {
    return [{ name: names[seat], percent: own, seat }, { name: t('chance.others'), percent: 100 - own, seat: null }];
  }
  return names.map((name, at) => ({ name, percent: at === seat ? own : 100 - own, seat: at }));
}

/**
 * The bar.
 * @param {number} value
 * @param {number} seat
 * @param {string[]} names
 * @param {Translate} t
 */
export function chance(value, seat, names, t) {
  const all = shares(value, seat, names, t);
  const words = all.map(({ name, percent }) => t('chance.of', { name, percent })).join(', ');
  return h('div', { class: 'chance', role: 'img', 'aria-label': t('chance.all', { chances: words }) },
    all.map(({ name, percent, seat: at }) => h('span', {
      class: `part part-${at ?? 'rest'}`, style: { 'flex-grow': String(Math.max(percent, 1)) }, 'aria-hidden': 'true',
    }, h('span', { class: 'who' }, name), h('b', {}, `${percent}\u202f%`))));
}

/**
 * A chance of winning as a percentage.
 * @param {number} value from 0 to 1
 */
export function percent(value) {
  return `${Math.round(100 * value)} %`;
}

// The value of a move is reliable if the engine tried it this often, or this often relative to the move that it tried most.
const [TRIED, SHARE] = [100, 0.03];

/**
 * The moves of an engine's answer in the order of their values, as the pages show them. The engine's own order is that of how
 * often it tried them; those that it has hardly tried are left out.
 * @template {Pick<Candidate, 'move' | 'value'> & {visits?: number}} Move
 * @param {{candidates: Move[]} & Move} answer
 * @returns {Move[]}
 */
export function bestFirst(answer) {
  const { candidates } = answer;
  if (candidates.length === 0) return [answer];
  const most = Math.max(...candidates.map(({ visits }) => visits ?? 0));
  return candidates.filter(({ visits }) => (visits ?? 0) >= Math.min(TRIED, SHARE * most)).sort((one, other) => other.value - one.value);
}

/**
 * A list of moves that the engine considered, best first, each with its value. `look(place)`: called with the place of the
 * move that a pointer is over, or null.
 * @param {Pick<Candidate, 'move' | 'value'>[]} candidates
 * @param {(move: Opaque) => string} words
 * @param {(place: number | null) => void} [look]
 */
export function ranked(candidates, words, look = () => {}) {
  return h('ol', { class: 'ranked', pointerleave: () => look(null) }, candidates.map((move, place) =>
    h('li', { pointerenter: () => look(place) }, h('span', { class: 'move' }, words(move.move)),
      h('meter', { min: '0', max: '1', value: String(move.value), 'aria-hidden': 'true' }),
      h('span', { class: 'value' }, percent(move.value)))));
}
