// Buraco's board: the melds of both seats, stock and lixo (the discard pile) between them, the viewer's hand below.

/** @import {BoardContext} from '/web/types.ts' */
/** @import {Move, View} from './moves.js' */
/** @import {Names} from './pieces.js' */
/** @typedef {BoardContext<View, Move>} Context */

import { h } from '/web/lib/dom.js';

import { buttons, ending, forms, layable, points, prompt, verb } from './advice.js';
import { back, face, spoken } from './card.js';
import { SUITS, placeOf, rankOf, sorted, suitOf, worth } from './cards.js';
import { breadth, melds } from './melds.js';
import { choices, offers, paths, say, short, targets } from './moves.js';
import { pieces } from './pieces.js';

export { buttons, choices, ending, forms, offers, paths, points, prompt, say, short, verb };

// The pictures of the rules, the tips and what can be edited are loaded when they are needed.
export const rules = () => import('./rules.js');
export const tips = () => import('./tips.js');
export const edit = () => import('./edit.js');

/**
 * What a match's options say about its rules, as keys of texts.
 * @param {{meld_rules?: 'referee' | 'written'}} options
 */
export const options = ({ meld_rules: rules = 'referee' }) => [`option.meld_rules.${rules}`];

/**
 * The position with the hands of both.
 * @param {View} view
 * @param {View[]} views
 * @returns {View}
 */
export function reveal(view, views) {
  return { ...view, open: true, known: view.known.map((cards, seat) => (seat === view.viewer?.seat ? cards : views[seat].hand)) };
}

/**
 * @param {View} view
 * @param {Context} ctx
 */
export function draw(view, ctx) {
  const me = ctx.me ?? 0;
  const named = pieces(view, ctx.me, ctx.last);
  return h('div', { class: 'board-buraco', style: { '--theirs': `${share(view, 1 - me)}fr`, '--ours': `${1.2 * share(view, me)}fr` } },
    seat(view, ctx, 1 - me, named, 'theirs'),
    h('section', { class: 'supply', data: { scrolls: '' }, 'aria-label': ctx.t('table') }, stock(view, ctx), lixo(view, ctx, named)),
    seat(view, ctx, me, named, 'ours'),
    ctx.me !== null && hand(view, ctx, ctx.me, named));
}

// The share of the room that a seat without melds has, in widths of a card.
const EMPTY = 10;

/**
 * How much of the room a seat's melds need, relative to the other seat's.
 * @param {View} view
 * @param {number} seat
 */
const share = (view, seat) => view.melds[seat].reduce((sum, meld) => sum + 1 + breadth(meld), EMPTY);

/**
 * @param {Context} ctx
 * @param {number} seat
 */
const nameOf = (ctx, seat) => ctx.seats[seat]?.name ?? ctx.t('seat', { n: seat + 1 });

/**
 * A seat: its name, what its melds count, its hidden cards, its melds.
 * @param {View} view
 * @param {Context} ctx
 * @param {number} at
 * @param {Names} named
 * @param {string} side
 */
function seat(view, ctx, at, named, side) {
  const { t } = ctx;
  const value = view.melds[at].reduce((sum, meld) => sum + worth(meld), 0);
  return h('section', {
    class: ['seat', side, ctx.turn === at && 'turn'], data: { scrolls: '' }, 'aria-label': nameOf(ctx, at),
  },
    h('header', {},
      h('strong', {}, nameOf(ctx, at)),
      ctx.turn === at && h('span', { class: 'tag' }, t('to_move')),
      h('span', { class: 'worth', title: t('worth.why') }, t('worth', { n: value })),
      at !== ctx.me && hidden(view, ctx, at, named)),
    melds(view, ctx, at, named, nameOf(ctx, at)));
}

/**
 * Another seat's hand: the cards that everyone knows, and backs.
 * @param {View} view
 * @param {Context} ctx
 * @param {number} at
 * @param {Names} named
 */
function hidden(view, ctx, at, named) {
  const { t } = ctx;
  const count = view.hand_sizes[at];
  const known = view.known[at];
  const cards = known.map((card, i) => ({ card, piece: named.known[at][i] }));
  const order = new Map(sorted(known).map((card, i) => [card, i]));
  cards.sort((a, b) => (order.get(a.card) ?? 0) - (order.get(b.card) ?? 0));
  return h('span', { class: 'hidden', data: { edit: `held:${at}` } },
    h('span', { class: 'count' }, t(count === 1 ? 'holds.one' : 'holds', { n: count })),
    h('span', { class: 'backs' }, Array.from({ length: count - known.length }, (_, i) => back(named.back(at, i)))),
    cards.map(({ card, piece }) => face(card, t, { piece, className: 'tiny', title: view.open ? null : t('known.theirs') })));
}

/**
 * @param {View} view
 * @param {Context} ctx
 */
function stock(view, ctx) {
  const { t } = ctx;
  const label = t(view.stock === 0 ? 'stock.empty' : 'stock', { n: view.stock });
  return h('div', {
    class: ['stock', view.stock === 0 && 'none'], data: { target: 'stock' }, 'aria-label': label, title: label,
  },
    h('span', { class: 'heap' }, Array.from({ length: Math.min(3, Math.ceil(view.stock / 27)) }, () => back())),
    h('span', { class: 'under', 'aria-hidden': 'true' }, h('b', {}, view.stock), ' ', t('stock.word')));
}

// With more cards the rows of the hand and of the lixo overlap, so that the melds keep their room on a phone.
const [MANY, MANY_LAID] = [30, 20];

/**
 * The pile, all of it face up, the top at its end.
 * @param {View} view
 * @param {Context} ctx
 * @param {Names} named
 */
function lixo(view, ctx, named) {
  const { t } = ctx;
  const last = view.pile.length - 1;
  const move = ctx.last?.move;
  const above = ['upper', move !== undefined && move !== 'get_stock' && move.discard !== undefined && 'fresh'];
  const label = last < 0 ? t('lixo.empty') : t('lixo', { n: view.pile.length, top: spoken(view.pile[last], t) });
  return h('div', { class: ['lixo', view.pile.length > MANY_LAID && 'many'], data: { target: 'pile', scrolls: '' }, 'aria-label': label },
    h('p', { class: 'under', data: { edit: 'pile' }, 'aria-hidden': 'true' },
      h('b', {}, view.pile.length), ' ', h('span', { class: 'word', title: t('lixo.word.why') }, t('lixo.word'))),
    h('span', { class: 'fan' }, view.pile.map((card, i) => h('span', { class: ['slot', i === last && above] },
      face(card, t, { piece: named.pile[i], edit: `pile:${i}` }))),
    last < 0 && h('span', { class: 'card gap' })));
}

/**
 * The viewer's hand, by suit and rank. The card just drawn and the cards that the other seat knows are marked.
 * @param {View} view
 * @param {Context} ctx
 * @param {number} me
 * @param {Names} named
 */
function hand(view, ctx, me, named) {
  const { t } = ctx;
  const by = targets(view.hand);
  const drew = ctx.last?.seat === me && ctx.last.move === 'get_stock' ? view.hand.length - 1 : -1;
  const unseen = [...view.known[me]];
  const cards = view.hand.map((card, i) => {
    const at = unseen.indexOf(card);
    if (at >= 0) unseen.splice(at, 1);
    return { card, target: by[i], piece: named.hand[i], fresh: i === drew, known: at >= 0 };
  });
  const place = (/** @type {{card: string}} */ { card }) => (placeOf(card) === 1 ? 14 : placeOf(card));
  cards.sort((a, b) => place(a) - place(b));
  const groups = SUITS.map((suit) => cards.filter(({ card }) => suitOf(card) === suit));
  const can = ctx.turn === me && ctx.step === undefined ? layable(ctx.moves ?? []) : new Set();
  return h('section', { class: ['hand', view.hand.length > MANY && 'many'], 'aria-label': t('hand'), style: { '--cards': view.hand.length } },
    phases(view, ctx),
    h('div', { class: 'cards' }, groups.filter((group) => group.length > 0).map((group) => h('span', { class: 'suit' },
      group.map((one) => face(one.card, t, {
        piece: one.piece, target: one.target, edit: one.target, className: [one.fresh && 'fresh', can.has(one.card) && 'can', rankOf(one.card) === '2' && 'two'],
        title: [can.has(one.card) && t('can'), one.fresh && t('drawn'), one.known && t('known.ours')].filter(Boolean).join(', ') || null,
        extra: one.known && eye(),
      }))))));
}

const EYE = 'M1 6C4 1.5 7 .5 10 .5S16 1.5 19 6C16 10.5 13 11.5 10 11.5S4 10.5 1 6Z'
  + 'M10 2.6A3.4 3.4 0 1 0 10 9.4 3.4 3.4 0 0 0 10 2.6Z';
const eye = () => h('svg', { class: 'eye', viewBox: '0 0 20 12', 'aria-hidden': 'true' }, h('path', { d: EYE }));

/**
 * The steps of a turn, with the current ones marked, and the number of cards.
 * @param {View} view
 * @param {Context} ctx
 */
function phases(view, { t, turn, me }) {
  const mine = turn === me;
  const now = view.drawn ? ['lay', 'discard'] : ['draw'];
  const label = turn === null ? 'hand' : mine ? 'phases.mine' : 'phases.theirs';
  return h('div', { class: 'head' },
    h('ol', { class: ['phases', mine && 'mine'], 'aria-label': t(label) }, ['draw', 'lay', 'discard'].map((phase) =>
      h('li', { class: mine && now.includes(phase) && 'now', 'aria-current': mine && now.includes(phase) && 'step' },
        t(`phase.${phase}`)))),
    h('span', { class: 'tally', data: { edit: 'hand' } }, t(view.hand.length === 1 ? 'hand.one' : 'hand.count', { n: view.hand.length })));
}
