// Ioiwari's board: seven pits in a ring, with beads in them, and a bank on each side.

/** @import {BoardContext, Chosen, Ending, Translate} from '/web/types.ts' */
/** @import {Move, View} from './moves.js' */
/** @typedef {BoardContext<View, Move>} Context */
/** @typedef {NonNullable<ReturnType<typeof happened>>} LastSowing */

import { h } from '/web/lib/dom.js';

import { FULL, PITS, paths, say, sow, steps } from './moves.js';

export { paths, say, steps };

// The pictures of the rules, the tips and what can be edited are loaded when they are needed.
export const rules = () => import('./rules.js');
export const tips = () => import('./tips.js');
export const edit = () => import('./edit.js');

/** @param {View} view */
export const points = (view) => view.banks;

/**
 * What can be done now, or what the chosen pit brings.
 * @param {Chosen<Move>} chosen
 * @param {View} view
 * @param {Translate} t
 */
export function prompt({ move }, view, t) {
  if (!move) return t('prompt');
  const { own, other, took, last } = sow(view.pits, move.pit - 1);
  const words = { own, last: last + 1 };
  if (other > 0) return t(own > 1 ? 'do.both' : own === 1 ? 'do.both.one' : 'do.other', words);
  return t(own === took + 1 ? 'do.takes' : 'do.more', words);
}

/**
 * What a move does, as the text of its button.
 * @param {Move} move
 * @param {View} _view
 * @param {Translate} t
 */
export const verb = (move, _view, t) => t('verb', { pit: move.pit });

/** A move that is chosen before the turn, in words: the beads of the pit may be others then. */
export const ahead = verb;

/**
 * How a match ended, and what the points come from.
 * @param {View} view
 * @param {Translate} t
 * @returns {Ending}
 */
export const ending = (view, t) => ({ why: t('why'), rows: [{ label: t('score.bank'), values: view.banks }] });

// Where the beads of a pit lie, by their number, in percent of the pit.
/** @type {[number, number][][]} */
const LIE = [
  [],
  [[50, 50]],
  [[32, 50], [68, 50]],
  [[50, 30], [31, 64], [69, 64]],
  [[33, 33], [67, 33], [33, 67], [67, 67]],
  [[50, 26], [27, 44], [73, 44], [36, 71], [64, 71]],
];

/**
 * @param {View} view
 * @param {Context} ctx
 */
export function draw(view, ctx) {
  const me = ctx.me ?? 0;
  const last = ctx.step === undefined ? happened(ctx.last) : null;
  return h('div', { class: 'board-ioiwari' },
    bank(view, ctx, 1 - me, last, 'theirs'),
    ring(view, ctx, last),
    bank(view, ctx, me, last, 'ours'),
    h('p', { class: 'legend' }, ctx.t('legend')));
}

/**
 * What the last move did: the pit it emptied, where its last bead went, and what each bank gained.
 * @param {Context['last']} last
 */
function happened(last) {
  if (!last) return null;
  const { own, other, took, last: end } = sow(last.before.pits, last.move.pit - 1);
  const gained = last.seat === 0 ? [own, other] : [other, own];
  return { from: last.move.pit - 1, end, took, gained };
}

/**
 * @param {string} piece
 * @param {[number, number]} place in percent
 * @param {number} shade
 */
const bead = (piece, [x, y], shade) => h('span', {
  class: ['bead', `shade-${shade % 3}`], data: { piece }, style: { left: `${x}%`, top: `${y}%` }, 'aria-hidden': 'true',
});

/**
 * @param {View} view
 * @param {Context} ctx
 * @param {LastSowing | null} last
 */
export function ring(view, ctx, last) {
  const { t } = ctx;
  const { sowing } = view;
  return h('div', { class: 'ring', role: 'group', 'aria-label': t('ring') },
    arrows(),
    view.pits.map((_, i) => pit(view, ctx, i, last)),
    h('div', { class: 'centre' }, sowing
      ? [h('div', { class: 'held' }, held(sowing)),
        h('p', {}, t(sowing.hand === 1 ? 'held.one' : 'held', { n: sowing.hand }))]
      : h('p', { class: 'words' }, words(ctx, last))));
}

/**
 * The place of a pit on the ring, in percent; a smaller radius is nearer to the centre.
 * @param {number} i
 */
function place(i, radius = 36.5) {
  const turn = (i / PITS) * 2 * Math.PI - Math.PI / 2;
  return { left: `${50 + radius * Math.cos(turn)}%`, top: `${50 + radius * Math.sin(turn)}%` };
}

/**
 * @param {View} view
 * @param {Context} ctx
 * @param {number} i
 * @param {LastSowing | null} last
 */
function pit(view, ctx, i, last) {
  const { t } = ctx;
  const beads = view.pits[i];
  const label = t(beads === 0 ? 'pit.empty' : beads === 1 ? 'pit.one' : 'pit', { pit: i + 1, n: beads });
  const state = [
    beads === FULL && 'full', view.sowing?.at === i && 'at', view.sowing?.from === i && 'from',
    last?.from === i && 'from last', last?.end === i && (last.took > 0 ? 'captured last' : 'ended last'),
  ];
  return [
    h('div', {
      class: ['pit', state], data: { target: `pit:${i + 1}`, edit: `pit:${i + 1}` }, 'aria-label': label, title: label, style: place(i),
    },
      LIE[beads].map((spot, k) => bead(`pit:${i}:${k}`, spot, i + k)),
      last?.end === i && last.took > 0 && h('span', { class: 'ghost', data: { took: `−${last.took}` } })),
    h('span', { class: 'number', style: place(i, 24.4), 'aria-hidden': 'true' }, beads),
    h('span', { class: 'name', style: place(i, 18.6), 'aria-hidden': 'true' }, i + 1),
  ];
}

/**
 * The beads in the hand; they keep the names that they had in their pit.
 * @param {NonNullable<View['sowing']>} sowing
 */
const held = (sowing) => LIE[sowing.hand].map((spot, k) => bead(`pit:${sowing.from}:${k}`, spot, k));

/**
 * @param {Context} ctx
 * @param {LastSowing | null} last
 */
function words({ t, seats }, last) {
  if (!last) return t('centre.start');
  const name = (/** @type {number} */ seat) => seats[seat]?.name ?? t('seat', { n: seat + 1 });
  const gains = [0, 1].filter((seat) => last.gained[seat] > 0);
  const key = (/** @type {number} */ seat) => (last.gained[seat] === 1 ? 'centre.gain.one' : 'centre.gain');
  return gains.map((seat) => h('span', {}, t(key(seat), { n: last.gained[seat], who: name(seat) })));
}

// Arrows between the pits that show the direction of sowing.
function arrows() {
  const turns = Array.from({ length: PITS }, (_, i) => `rotate(${((i + 0.5) / PITS) * 360} 50 50)`);
  return h('svg', { class: 'way', viewBox: '0 0 100 100', 'aria-hidden': 'true' },
    turns.map((transform) => h('path', { d: 'M48.9 8.6L51.3 11 48.9 13.4', transform })));
}

/**
 * @param {View} view
 * @param {Context} ctx
 * @param {number} seat
 * @param {LastSowing | null} last
 * @param {string} side
 */
function bank(view, ctx, seat, last, side) {
  const { t } = ctx;
  const name = ctx.seats[seat]?.name ?? t('seat', { n: seat + 1 });
  const beads = view.banks[seat];
  const gained = last?.gained[seat] ?? 0;
  // While beads are sown, it is the turn of the seat that sows.
  const turn = (view.sowing?.seat ?? ctx.turn) === seat;
  return h('section', { class: ['bank', side, turn && 'turn'], 'aria-label': t('bank.of', { who: name, n: beads }) },
    h('header', {}, h('strong', {}, name), turn && h('span', { class: 'tag' }, t('to_move'))),
    h('div', { class: 'count' }, h('b', {}, beads), gained > 0 && h('span', { class: 'gain' }, `+${gained}`)),
    h('div', { class: 'tray', data: { edit: `bank:${seat}` }, title: t('bank') },
      Array.from({ length: beads }, (_, k) => bead(`bank:${seat}:${k}`, [0, 0], seat + k))));
}
