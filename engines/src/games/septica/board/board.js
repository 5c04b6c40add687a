// Septica's board: two hands, the trick between them, and what each seat has taken.

/** @import {BoardContext, Chosen, Ending, Translate} from '/web/types.ts' */
/** @import {Move, Names, View} from './moves.js' */
/** @typedef {BoardContext<View, Move>} Context */

import { h } from '/web/lib/dom.js';

import { back, face } from './card.js';
import { ahead, counts, cuts, mayStop, paths, pieces, points, say, steps, taker } from './moves.js';

export { ahead, paths, say, steps };

// The pictures of the rules, the tips and what can be edited are loaded when they are needed.
export const rules = () => import('./rules.js');
export const tips = () => import('./tips.js');
export const edit = () => import('./edit.js');

/** @param {View} view */
const pointsOf = (view) => view.taken.map(points);
export { pointsOf as points };

/**
 * The position with the hands of both.
 * @param {View} view
 * @param {View[]} views
 * @returns {View}
 */
export const reveal = (view, views) => ({ ...view, open: views.map(({ hand: cards }) => cards) });

/**
 * What can be done now, or what the chosen move does.
 * @param {Chosen<Move>} chosen
 * @param {View} view
 * @param {Translate} t
 */
export function prompt({ move }, view, t) {
  const [led] = view.trick;
  if (move === 'stop') return t('do.stop');
  if (move) {
    const card = t(`name.${move.card}`);
    if (led === undefined) return t('do.lead', { card });
    if (mayStop(view)) return t('do.again', { card });
    return t(cuts(move.card, led) ? 'do.cut' : 'do.give', { card });
  }
  if (led === undefined) return t('prompt.lead');
  const can = view.hand.some((card) => cuts(card, led));
  if (mayStop(view)) return t(can ? 'prompt.again' : 'prompt.stop');
  return t(can ? 'prompt.cut' : 'prompt.give', { card: t(`name.${led}`) });
}

/**
 * What a move does, as the text of its button.
 * @param {Move} move
 * @param {View} _view
 * @param {Translate} t
 */
export function verb(move, _view, t) {
  if (move === 'stop') return t('stop');
  return t('verb', { card: t(`name.${move.card}`) });
}

/**
 * The buttons of the bar: to stop needs no choice.
 * @param {Chosen} _chosen
 * @param {View} _view
 * @param {Translate} t
 */
export const buttons = (_chosen, _view, t) => [{ target: 'stop', label: t('stop') }];

/**
 * How a match ended, and what the points come from.
 * @param {View} view
 * @param {Translate} t
 * @returns {Ending}
 */
export function ending(view, t) {
  const count = (/** @type {number} */ rank) => view.taken.map((cards) => cards.filter((card) => card === rank).length);
  const [one, other] = view.taken.map(points);
  return { why: t(one === other && view.draws === 'player' ? 'why.equal' : 'why'), rows: [{ label: t('score.tens'), values: count(10) }, { label: t('score.aces'), values: count(14) }] };
}

/**
 * @param {View} view
 * @param {Context} ctx
 */
export function draw(view, ctx) {
  const { t } = ctx;
  const me = ctx.me ?? 0;
  const names = pieces(view, ctx.me);
  return h('div', { class: 'board-septica' },
    seat(view, ctx, 1 - me, names, 'theirs'),
    h('section', { class: 'table', 'aria-label': t('table') },
      deck(view, t), h('div', { class: 'course' }, trick(view, ctx, me, names), state(view, ctx))),
    seat(view, ctx, me, names, 'ours'),
    h('p', { class: 'legend' }, t('legend.cuts'), ' ', t('legend.counts')));
}

/**
 * @param {Context} ctx
 * @param {number} seat
 */
const nameOf = (ctx, seat) => ctx.seats[seat]?.name ?? ctx.t('seat', { n: seat + 1 });

/**
 * A seat: its name, its hand, what it has taken.
 * @param {View} view
 * @param {Context} ctx
 * @param {number} at
 * @param {Names} names
 * @param {string} side
 */
function seat(view, ctx, at, names, side) {
  const { t } = ctx;
  const leads = view.leader === at && view.hands[0] + view.hands[1] > 0;
  return h('section', { class: ['seat', side, ctx.turn === at && 'turn'], 'aria-label': nameOf(ctx, at) },
    h('header', {},
      h('strong', {}, nameOf(ctx, at)),
      ctx.turn === at && h('span', { class: 'tag' }, t('to_move')),
      leads && h('span', { class: 'tag plain', title: t('leads.why') }, t('leads'))),
    at === ctx.me ? hand(view, ctx, names) : hidden(view, t, at, names),
    taken(view, ctx, at, names));
}

/**
 * The viewer's hand. Cards of one rank are one choice: the rules do not distinguish them.
 * @param {View} view
 * @param {Context} ctx
 * @param {Names} names
 */
function hand(view, ctx, names) {
  const { t } = ctx;
  const ranks = [...new Set(view.hand)].sort((a, b) => a - b);
  const group = (/** @type {number} */ rank) => {
    const copies = view.hand.filter((card) => card === rank).length;
    const cut = ctx.turn === ctx.me && ctx.step === undefined && view.trick.length > 0 && cuts(rank, view.trick[0]);
    const what = [t(`name.${rank}`), cut && t('can_cut'), counts(rank) && t('mark.star'), rank === 7 && t('mark.scissors'),
      copies > 1 && t('copies', { n: copies })];
    return h('span', {
      class: ['same', cut && 'cut'], data: { target: `card:${rank}`, edit: `hand:${rank}` }, 'aria-label': what.filter(Boolean).join(', '),
    }, Array.from({ length: copies }, (_, i) => face(rank, t, { piece: names.own(rank, copies - 1 - i) })));
  };
  return h('div', { class: 'hand' }, ranks.map(group),
    ranks.length === 0 && h('span', { class: 'none', data: { edit: 'hand' } }, t('hand.none')));
}

/**
 * @param {View} view
 * @param {Translate} t
 * @param {number} at
 * @param {Names} names
 */
function hidden(view, t, at, names) {
  const count = view.hands[at];
  const open = view.open?.[at] ?? [];
  if (open.length === count && count > 0) {
    return h('div', { class: 'hand hidden', role: 'img', 'aria-label': open.map((rank) => t(`name.${rank}`)).join(', ') },
      [...open].sort((a, b) => a - b).map((rank, i) => face(rank, t, { piece: names.back(at, i) })));
  }
  return h('div', { class: 'hand hidden', role: 'img', 'aria-label': t('hand.cards', { n: count }) },
    Array.from({ length: count }, (_, i) => back(names.back(at, i))),
    count === 0 && h('span', { class: 'none' }, t('hand.none')));
}

/**
 * What a seat has taken; cards of one rank overlap.
 * @param {View} view
 * @param {Context} ctx
 * @param {number} at
 * @param {Names} names
 */
function taken(view, ctx, at, names) {
  const { t } = ctx;
  const cards = [...names.taken[at]].sort((a, b) => a.rank - b.rank);
  const ranks = [...new Set(cards.map((card) => card.rank))];
  const won = points(view.taken[at]);
  return h('div', { class: 'taken', data: { edit: `taken:${at}` } },
    h('p', {}, h('b', {}, t(won === 1 ? 'point' : 'points', { n: won })),
      h('span', {}, t(cards.length === 1 ? 'taken.card' : 'taken.cards', { n: cards.length }))),
    h('div', { class: 'strip' }, ranks.map((rank) => {
      const same = cards.filter((card) => card.rank === rank);
      return h('span', { class: 'same' }, same.map((card) => face(rank, t, { piece: card.name, small: true })),
        same.length > 1 && h('span', { class: 'times' }, t('times', { n: same.length })));
    })));
}

/**
 * @param {View} view
 * @param {Translate} t
 */
function deck(view, t) {
  const label = t(view.deck === 1 ? 'deck.card' : 'deck.cards', { n: view.deck });
  return h('div', { class: 'deck', role: 'img', 'aria-label': label, title: label },
    h('span', { class: ['heap', view.deck === 0 && 'empty'] },
      Array.from({ length: Math.min(3, Math.ceil(view.deck / 8)) }, () => back())),
    h('b', { 'aria-hidden': 'true' }, view.deck), h('span', { 'aria-hidden': 'true' }, t('deck')));
}

/**
 * The trick; each card lies a little nearer to the seat that played it.
 * @param {View} view
 * @param {Context} ctx
 * @param {number} me
 * @param {Names} names
 */
function trick(view, ctx, me, names) {
  const { t } = ctx;
  if (view.trick.length === 0) return lastTrick(view, ctx);
  const holds = taker(view.leader, view.trick);
  const led = view.trick[0];
  const holding = holds === view.leader && view.trick.length === 1 ? 0 : view.trick.findLastIndex(
    (card, i) => (i % 2 === 0 ? view.leader : 1 - view.leader) === holds && cuts(card, led));
  const play = (/** @type {number} */ card, /** @type {number} */ i) => {
    const by = i % 2 === 0 ? view.leader : 1 - view.leader;
    const did = i === 0 ? 'led' : cuts(card, led) ? 'cut' : 'given';
    const label = t(`trick.${did}`, { card: t(`name.${card}`), who: nameOf(ctx, by) });
    return h('li', { class: ['play', by === me ? 'low' : 'high', i === holding && 'holding', i === view.trick.length - 1 && 'last'], 'aria-label': label,
      title: label }, h('span', { class: 'did', 'aria-hidden': 'true' }, t(`did.${did}`)),
    face(card, t, { piece: names.trick[i], edit: `trick:${i}` }));
  };
  return h('ol', { class: 'trick', 'aria-label': t('trick') }, view.trick.map(play));
}

/**
 * The last trick, shown between two tricks.
 * @param {View} view
 * @param {Context} ctx
 */
function lastTrick(view, ctx) {
  const { t } = ctx;
  const last = view.past?.at(-1);
  if (!last) return h('p', { class: 'trick empty', data: { edit: 'trick' } }, t('trick.none'));
  const by = view.leader;
  const won = points(last);
  return h('div', { class: 'trick last', data: { edit: 'trick' } },
    h('p', {}, t(won === 1 ? 'last.point' : won > 1 ? 'last.points' : 'last', { who: nameOf(ctx, by), n: won })),
    h('div', { class: 'strip' }, last.map((card) => face(card, t, { small: true }))));
}

/**
 * In words: who holds the trick, and what the leader may do.
 * @param {View} view
 * @param {Context} ctx
 */
function state(view, ctx) {
  const { t } = ctx;
  const won = points(view.trick);
  const who = nameOf(ctx, taker(view.leader, view.trick));
  const words = [];
  const over = view.trick.length % 2 === 0 && !cuts(view.trick.at(-1) ?? 7, view.trick[0] ?? 7);
  if (view.trick.length > 0) {
    const key = over || ctx.step !== undefined ? 'state.takes' : 'state.holds';
    words.push(t(key, { who }), ' ', h('b', {}, t(won === 1 ? 'state.point' : 'state.points', { n: won })));
  } else if (view.hands[0] + view.hands[1] === 0) words.push(t('state.over'));
  else words.push(t('state.lead', { who: nameOf(ctx, view.leader) }));
  const stop = mayStop(view) && ctx.step === undefined && ctx.turn === view.leader && ctx.me === view.leader;
  const early = ctx.next.has('stop') || ctx.picked.includes('stop');
  return h('div', { class: 'state' }, h('p', {}, words),
    (stop || early) && h('span', { class: 'stop', data: { target: 'stop' }, 'aria-label': stop ? t('stop.label', { who }) : ahead('stop', view, t) },
      t('stop')),
    stop && h('p', { class: 'hint' }, t(view.hand.some((card) => cuts(card, view.trick[0])) ? 'stop.or' : 'stop.must',
      { who })));
}
