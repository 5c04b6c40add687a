// Splendor's board: nobles, cards and chips on the table, and what each player has.

/** @import {BoardContext, Translate} from '/web/types.ts' */
/** @import {ChipColour} from './cards.js' */
/** @import {Move, View} from './moves.js' */
/** @typedef {BoardContext<View, Move>} Context */

import { h } from '/web/lib/dom.js';
import { UNNAMED, back, face, label, nobleTile, spot } from './card.js';
import { KINDS } from './cards.js';
import { chip, jewel } from './jewel.js';
import { GOAL, bonuses, chipTarget, isOver, points as pointsOf, price } from './moves.js';
import { tableau } from './tableau.js';

export { buttons, ending, prompt, verb } from './advice.js';
export { ahead, paths, say, steps } from './moves.js';

// The pictures of the rules, the tips and what can be edited are loaded when they are needed.
export const rules = () => import('./rules.js');
export const tips = () => import('./tips.js');
export const edit = () => import('./edit.js');

/** @param {View} view */
export const points = (view) => view.players.map(pointsOf);

/**
 * The position with the reserved cards of all.
 * @param {View} view
 * @param {View[]} views
 * @returns {View}
 */
export const reveal = (view, views) => ({
  ...view, players: view.players.map((player, seat) => ({ ...player, reserved: views[seat].players[seat].reserved })),
});

/**
 * @param {View} view
 * @param {Context} ctx
 */
export function draw(view, ctx) {
  const first = ctx.me ?? 0;
  const [near, ...others] = view.players.map((_, i) => (first + i) % view.players.length);
  return h('div', { class: ['board-splendor', `of${view.players.length}`] },
    others.length > 0 && h('div', { class: 'others', data: { scrolls: '' } }, others.map((seat) => tableau(view, ctx, seat))),
    market(view, ctx), bank(view, ctx),
    h('div', { class: 'dock' }, tableau(view, ctx, near)));
}

/**
 * @param {View} view
 * @param {Context} ctx
 */
function market(view, ctx) {
  const { t, me } = ctx;
  const met = me === null ? null : bonuses(view.players[me]);
  return h('div', { class: 'market', role: 'group', 'aria-label': t('market') },
    h('div', { class: 'waiting', role: 'group', 'aria-label': t('nobles') },
      view.nobles.map((id, i) => nobleTile(id, t, met, `noble:${i}`)),
      h('p', { class: 'round' }, round(view, t))),
    [3, 2, 1].map((level) => h('div', { class: 'row', role: 'group', 'aria-label': t('level', { level }) },
      deck(view, ctx, level),
      view.levels[level - 1].face_up.map((id, i) => slot(view, ctx, id, `slot:${level}:${i}`)))));
}

/**
 * The round, and what ends the match.
 * @param {View} view
 * @param {Translate} t
 */
function round(view, t) {
  if (isOver(view)) return t('over');
  const last = view.players.some((player) => pointsOf(player) >= GOAL);
  return [h('b', {}, t('round', { round: view.round + 1 })), ' ', last ? t('last_round') : t('goal', { goal: GOAL })];
}

/**
 * @param {View} view
 * @param {Context} ctx
 * @param {number} level
 */
function deck(view, { t }, level) {
  const count = view.levels[level - 1].deck;
  if (count === 0) return h('div', { class: 'card empty deck', role: 'img', 'aria-label': t('deck.empty', { level }) });
  // The card that the move draws, in the step before it does.
  const drawn = view.doing?.drawn[level - 1];
  const piece = typeof drawn === 'number' ? `card:${drawn}` : drawn;
  return spot({ target: `deck:${level}` }, t('deck', { level, count }), back(level, {
    ...UNNAMED, class: ['deck', typeof drawn === 'string' && 'going'],
  }, h('b', { class: 'count' }, count), piece && back(level, { ...UNNAMED, class: 'over', data: { piece } })));
}

/**
 * @param {View} view
 * @param {Context} ctx
 * @param {number} id
 * @param {string} edit
 */
function slot(view, ctx, id, edit) {
  const { t, me, picked, next, last, step } = ctx;
  if (id === 0) return h('div', { class: 'card empty', role: 'img', data: { edit }, 'aria-label': t('slot.empty') });
  const paid = me !== null && !isOver(view) ? price(view.players[me], id) : null;
  const payable = paid !== null;
  // The card that a deck has just given.
  const fresh = last !== null && step === undefined
    && !last.before.levels.some(({ face_up: before }) => before.includes(id));
  const chosen = picked.includes(`card:${id}`) && (next.has('reserve') || picked.includes('reserve'));
  const name = payable ? t('card.payable', { card: label(id, t) }) : label(id, t);
  return spot({ target: `card:${id}`, edit }, name, face(id, t, {
    ...UNNAMED, class: [payable && 'payable', fresh && 'last', view.doing?.card === id && 'going'], data: { piece: `card:${id}` },
  }, payable && h('span', { class: 'tick' }, '\u2713'),
  picked.includes(`card:${id}`) && !picked.includes('reserve') && paid && bill(paid)),
  chosen && h('div', { class: 'reserve', data: { target: 'reserve' }, 'aria-label': t('reserve') }, t('reserve')));
}

/**
 * What a chosen card costs the viewer, in chips.
 * @param {Record<ChipColour, number>} paid
 */
function bill(paid) {
  const kinds = KINDS.filter((kind) => paid[kind] > 0);
  return kinds.length > 0 && h('div', { class: 'bill', 'aria-hidden': 'true' },
    kinds.map((kind) => h('span', { class: ['coin', kind] }, paid[kind])));
}

/**
 * @param {View} view
 * @param {Context} ctx
 */
function bank(view, ctx) {
  const { t, me, picked, next } = ctx;
  const lapse = next.has('void') || picked.includes('void');
  return h('div', { class: 'bank', role: 'group', 'aria-label': t('bank') },
    KINDS.map((kind) => stack(view, ctx, kind)),
    me !== null && !isOver(view) && h('div', { class: 'passing' },
      h('div', { class: 'pass', data: { target: 'pass' }, 'aria-label': t('pass') }, t('pass')),
      lapse && h('div', { class: 'pass', data: { target: 'void' }, 'aria-label': t('void') }, t('void'))));
}

/**
 * A stack of the bank. If a second chip of it may be taken, the stack offers that one; the first chip then lies beside it
 * and can be taken back by itself.
 * @param {View} view
 * @param {Context} ctx
 * @param {ChipColour} kind
 */
function stack(view, { t, picked, next }, kind) {
  const count = view.chips[kind];
  const { doing } = view;
  const coming = doing ? Math.max(0, doing.change[kind]) : 0;
  const [one, two] = [chipTarget(kind), chipTarget(kind, 2)];
  const doubling = next.has(two) || picked.includes(two);
  const taken = [one, two].filter((target) => picked.includes(target)).length;
  const letter = t(`letter.${kind}`);
  const there = Array.from({ length: count }, (_, i) => {
    const goes = i >= count - coming;
    const place = doing ? view.players[doing.seat].chips[kind] + i - count + coming : 0;
    return chip(kind, goes || i === count - 1 ? letter : '', {
      piece: `chip:${kind}:bank:${i}`, at: i, kind: (goes && 'going') || (i >= count - taken && 'taken'),
      next: goes && doing ? `chip:${kind}:${doing.seat}:${place}` : undefined,
    });
  });
  return h('div', { class: ['stack', kind] },
    h('div', {
      class: 'pile', role: kind === 'gold' ? 'img' : undefined,
      data: { target: kind === 'gold' ? undefined : doubling ? two : one, edit: `bank:${kind}` },
      'aria-label': t(doubling ? 'stack.second' : 'stack', { colour: t(kind) }),
    }, count === 0 ? h('span', { class: ['chip', 'ghost', kind] }, jewel(kind)) : there),
    h('span', { class: 'label' }, h('b', {}, count - taken), h('span', { class: 'word' }, t(kind))),
    taken > 0 && h('span', { class: 'mine', 'aria-hidden': 'true' }, `+${taken}`),
    doubling && h('div', { class: 'first', data: { target: one }, 'aria-label': t('stack.first', { colour: t(kind) }) },
      chip(kind, letter)));
}
