// The melds of a seat, sorted by suit, with canastras marked in words, and the place for a new meld.

/** @import {Translate} from '/web/types.ts' */
/** @import {Context} from './board.js' */
/** @import {View} from './moves.js' */
/** @import {Names} from './pieces.js' */

import { h } from '/web/lib/dom.js';

import { face, suitName } from './card.js';
import { CANASTRA, SUITS, bonus, dirty, lowest, standsFor, suitOfMeld, worth } from './cards.js';
import { ends } from './moves.js';

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
  return h('div', { class: 'melds', role: 'group', 'aria-label': t('melds.of', { who }) },
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
    canastra ? h('b', {}, about) : about,
    ' ', h('span', { class: 'points' }, points)));
}
