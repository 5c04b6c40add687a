// The melds of a seat, sorted by suit, with canastras marked in words, and the place for a new meld.

/** @import {Translate} from '/web/types.ts' */
/** @import {Context} from './board.js' */
/** @import {View} from './moves.js' */
/** @import {Names} from './pieces.js' */

import { h } from '/web/lib/dom.js';

import { face, suitName } from './card.js';
import { CANASTRA, SUITS, bonus, dirty, lowest, standsFor, suitOfMeld, worth } from './cards.js';
import { ends } from './moves.js';

// How much of a card is visible beside the next card of its meld, as a part of its width: a wild card shows which card it replaces.
const [FREE, FREE_WILD] = [0.52, 0.92];

/**
 * The width of a meld, in widths of a card.
 * @param {string[]} cards
 */
export function breadth(cards) {
  const wild = standsFor(cards);
  return cards.slice(1).reduce((sum, _, i) => sum + (wild[i] ? FREE_WILD : FREE), 1);
}

// The width of the place for a new meld, in widths of a card; the most rows of melds; with more melds there are fewer words.
const [NEW, ROWS, CROWD] = [2, 6, 5];
// The room between melds, in widths of a card: about.
const BETWEEN = 0.5;

/**
 * The broadest row and the most melds of a row, if melds are laid in this many rows so that the broadest is as narrow as possible.
 * @param {number[]} sizes the breadths of the melds
 * @param {number} rows
 */
function broadest(sizes, rows) {
  const wide = sizes.map((size) => size + BETWEEN);
  const sums = wide.flatMap((_, from) => wide.slice(from).map((__, more) => wide.slice(from, from + more + 1).reduce((sum, one) => sum + one)));
  for (const limit of [...new Set(sums)].sort((one, other) => one - other)) {
    // A line may be longer by an error of rounding.
    const lines = wrapped(wide, limit + 0.001);
    if (limit >= Math.max(...wide) && lines.length <= rows) {
      return { width: Math.max(...lines.map((line) => line.reduce((sum, one) => sum + one - BETWEEN, 0))), count: Math.max(...lines.map((line) => line.length)) };
    }
  }
  return { width: 1, count: 1 };
}

/**
 * Widths in lines, each filled up to the limit.
 * @param {number[]} widths
 * @param {number} limit
 */
function wrapped(widths, limit) {
  /** @type {number[][]} */
  const lines = [];
  let left = 0;
  for (const width of widths) {
    if (lines.length === 0 || width > left) {
      lines.push([]);
      left = limit;
    }
    lines[lines.length - 1].push(width);
    left -= width;
  }
  return lines;
}

/**
 * @param {View} view
 * @param {Context} ctx
 * @param {number} at
 * @param {Names} named
 * @param {string} who the seat's name
 */
export function melds(view, ctx, at, named, who) {
  const { t } = ctx;
  const own = at === ctx.me;
  const changed = justLaid(view, ctx, at);
  const list = view.melds[at].map((cards, index) => ({ cards, index, suit: SUITS.indexOf(suitOfMeld(cards)) }))
    .sort((a, b) => a.suit - b.suit || lowest(a.cards) - lowest(b.cards) || a.index - b.index);
  const place = own && ctx.turn === at && view.drawn && ctx.step === undefined;
  const places = list.length + (place || ctx.edit ? 1 : 0);
  const sizes = list.map(({ cards }) => breadth(cards));
  // The place for a new meld comes and goes, and the cards stay as large.
  if (own || ctx.edit) sizes.push(NEW);
  // From these numbers the style sheet finds the size at which all melds fit.
  const style = Object.fromEntries(Array.from({ length: ROWS }, (_, i) => broadest(sizes, i + 1))
    .flatMap(({ width, count }, i) => [[`--width-${i + 1}`, width], [`--count-${i + 1}`, count]]));
  return h('div', { class: ['melds', places > CROWD && 'crowded'], role: 'group', 'aria-label': t('melds.of', { who }), style },
    list.map(({ cards, index }) => meld(cards, t, {
      names: named.melds[at][index], target: own ? `meld:${index}` : undefined, edit: `meld:${at}:${index}`, changed: index === changed,
    })),
    list.length === 0 && !place && !ctx.edit && h('p', { class: 'none' }, t('melds.none')),
    (place || ctx.edit) && h('div', { class: 'meld new', data: { target: place ? 'new' : undefined, edit: `new:${at}` }, 'aria-label': t('new') },
      h('span', { class: 'plus' }), h('span', {}, t('new'))));
}

/**
 * The index of the meld that the last move made or extended; -1 if there is none.
 * @param {View} view
 * @param {Context} ctx
 * @param {number} at
 */
function justLaid(view, { last, step }, at) {
  if (!last || last.seat !== at || step !== undefined || last.move === 'get_stock') return -1;
  if (last.move.meld_join) return last.move.meld_join.meld;
  return last.move.meld_new || last.move.get_discard ? view.melds[at].length - 1 : -1;
}

/**
 * @param {string[]} cards
 * @param {Translate} t
 * @param {{names: string[], target?: string, edit: string, changed: boolean}} options
 */
function meld(cards, t, { names, target, edit, changed }) {
  const wild = standsFor(cards);
  const canastra = cards.length >= CANASTRA;
  const state = dirty(cards) ? 'dirty' : 'clean';
  const about = canastra ? t(`canastra.${state}`, { n: bonus(cards) }) : t('of.canastra', { n: cards.length });
  const points = t('points', { n: worth(cards) });
  const label = t('meld', { suit: t(`suit.${suitName(suitOfMeld(cards))}`), cards: ends(cards, t), about, points });
  return h('div', {
    class: ['meld', canastra && `canastra ${state}`, changed && 'changed'], data: { target, edit },
    'aria-label': label, role: target ? null : 'group',
  },
  h('span', { class: 'row' },
    cards.map((card, i) => face(card, t, { piece: names[i], wild: wild[i], className: 'laid' }))),
  h('span', { class: 'about', title: t(canastra ? `canastra.${state}.why` : 'of.canastra.why') },
    canastra ? h('b', {}, h('span', { class: 'whole' }, about), h('span', { class: 'brief', 'aria-hidden': 'true' }, `+${bonus(cards)}`)) : about,
    ' ', h('span', { class: 'points' }, points)));
}
