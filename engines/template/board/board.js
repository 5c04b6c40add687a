// Take-away's board: a heap of counters. The last three are the choices: each takes itself and all after it.

/** @import {BoardContext, Chosen, Ending, Translate} from '/web/types.ts' */
/** @typedef {{counters: number, to_move: number}} View */
/** @typedef {{take: number}} Move how many counters */
/** @typedef {BoardContext<View, Move>} Context */

import { h } from '/web/lib/dom.js';

// The most counters that a move takes.
export const TAKES = 3;

// The pictures of the rules and the tips are loaded when they are needed.
export const rules = () => import('./rules.js');
export const tips = () => import('./tips.js');

/** @param {Move} move */
export const paths = (move) => [[`counter:${move.take}`]];

/**
 * A move in words.
 * @param {Move} move
 * @param {View} _view
 * @param {Translate} t
 */
export const say = (move, _view, t) => t('say', { n: move.take });

/**
 * What can be done now, or what the chosen move leaves.
 * @param {Chosen<Move>} chosen
 * @param {View} view
 * @param {Translate} t
 */
export const prompt = ({ move }, view, t) => (move ? t('leaves', { n: view.counters - move.take }) : t('prompt'));

/**
 * The text of the button that makes a move.
 * @param {Move} move
 * @param {View} _view
 * @param {Translate} t
 */
export const verb = (move, _view, t) => t('verb', { n: move.take });

/**
 * The points of each seat: 1 for the last counter.
 * @param {View} view
 */
export const points = (view) => [0, 1].map((seat) => (view.counters === 0 && view.to_move !== seat ? 1 : 0));

/**
 * How a match ended, and what the points come from.
 * @param {View} view
 * @param {Translate} t
 * @returns {Ending}
 */
export const ending = (view, t) => ({ why: t('why'), rows: [{ label: t('score.last'), values: points(view) }] });

/**
 * @param {View} view
 * @param {Context} ctx
 */
export function draw(view, ctx) {
  const { t, seats, last } = ctx;
  const who = last && (seats[last.seat]?.name ?? t('seat', { n: last.seat + 1 }));
  return h('div', { class: 'board-takeaway' },
    h('p', { class: 'number' }, t('heap', { n: view.counters })),
    heap(view.counters, t),
    h('p', { class: ['taken', last && 'last'] }, last && t('taken', { who, n: last.move.take })));
}

/**
 * The heap, its last counters as targets.
 * @param {number} counters
 * @param {Translate} t
 */
export function heap(counters, t) {
  return h('div', { class: 'heap', role: 'group', 'aria-label': t('heap', { n: counters }) },
    Array.from({ length: counters }, (_, i) => counter(i, counters - i, t)));
}

/**
 * @param {number} i its place in the heap
 * @param {number} take how many counters are taken with it
 * @param {Translate} t
 */
function counter(i, take, t) {
  const piece = `counter:${i}`;
  if (take > TAKES) return h('div', { class: 'counter', data: { piece }, 'aria-hidden': 'true' });
  const label = t('verb', { n: take });
  return h('div', { class: 'counter', data: { piece, target: `counter:${take}` }, 'aria-label': label, title: label }, String(take));
}
