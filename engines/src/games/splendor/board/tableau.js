// What a player has: bonuses beside the chips of their colour, reserved cards, nobles, points; and, for the viewer, the
// chips to return.

/** @import {Translate} from '/web/types.ts' */
/** @import {Context} from './board.js' */
/** @import {Colour, ChipColour} from './cards.js' */
/** @import {Player, View} from './moves.js' */

import { h } from '/web/lib/dom.js';
import { UNNAMED, back, face, label, nobleTile, spot } from './card.js';
import { COLOURS, KINDS, card } from './cards.js';
import { chip, jewel } from './jewel.js';
import { GOAL, HAND_LIMIT, bonuses, chipTarget, held, isOver, points, price, reservedPiece, returnTarget } from './moves.js';

/**
 * @param {Context} ctx
 * @param {number} seat
 */
const nameOf = ({ seats, t }, seat) => seats?.[seat]?.name ?? t('player', { number: seat + 1 });

/**
 * @param {View} view
 * @param {Context} ctx
 * @param {number} seat
 */
export function tableau(view, ctx, seat) {
  const { t } = ctx;
  const player = view.players[seat];
  const mine = seat === ctx.me;
  return h('section', {
    class: ['mat', mine && 'mine', ctx.turn === seat && 'turn'],
    'aria-label': t('tableau', { name: nameOf(ctx, seat) }),
  },
  h('header', {},
    h('span', { class: 'number', data: { edit: `player:${seat}` } }, seat + 1),
    h('span', { class: 'name' }, nameOf(ctx, seat)),
    ctx.turn === seat && h('span', { class: 'to-move' }, t('to_move')),
    h('span', { class: 'score' }, h('b', {}, points(player)), h('small', {}, t('of_goal', { goal: GOAL })))),
  mine && giveBack(view, ctx, player),
  h('div', { class: 'colours' }, KINDS.map((kind) => column(view, ctx, seat, kind))),
  (player.reserved.length > 0 || player.nobles.length > 0) && h('div', { class: 'aside' },
    player.reserved.length > 0 && h('div', { class: 'reserved', role: 'group', 'aria-label': t('reserved') },
      h('span', { class: 'title', 'aria-hidden': 'true' }, t('reserved')),
      player.reserved.map((id, place) => reserved(view, ctx, { seat, id, place, mine }))),
    player.nobles.length > 0 && h('div', { class: 'nobles', role: 'group', 'aria-label': t('nobles') },
      player.nobles.map((id, i) => nobleTile(id, t, null, `own:${seat}:${i}`)))));
}

/**
 * The bonuses and chips of one kind.
 * @param {View} view
 * @param {Context} ctx
 * @param {number} seat
 * @param {ChipColour} kind
 */
function column(view, ctx, seat, kind) {
  const { t } = ctx;
  const player = view.players[seat];
  const count = player.chips[kind];
  const going = view.doing?.seat === seat ? Math.max(0, -view.doing.change[kind]) : 0;
  const label = kind === 'gold' ? t('column.gold', { chips: count })
    : t('column', { colour: t(kind), cards: bonuses(player)[kind], chips: count });
  return h('div', { class: ['column', kind], role: 'img', data: { edit: `column:${seat}:${kind}` }, 'aria-label': label },
    kind === 'gold' ? h('span', { class: 'held', title: t('held') }, `${held(player)}/${HAND_LIMIT}`)
      : cards(player, kind, t),
    h('span', { class: ['pile', count === 0 && 'none'] },
      Array.from({ length: count }, (_, i) => chip(kind, i >= count - Math.max(1, going) ? t(`letter.${kind}`) : '', {
        piece: `chip:${kind}:${seat}:${i}`, at: i, kind: i >= count - going && 'going',
        next: i >= count - going ? `chip:${kind}:bank:${view.chips[kind] + i - count + going}` : undefined,
      })),
      count === 0 && h('span', { class: ['chip', 'ghost', kind] }, jewel(kind)),
      count > 0 && h('b', { class: 'count' }, count),
      change(ctx, view, seat, kind)));
}

/**
 * The cards of a colour that a player has bought, the last one on top.
 * @param {Player} player
 * @param {Colour} colour
 * @param {Translate} t
 */
function cards({ cards: bought }, colour, t) {
  const own = bought.filter((id) => card(id).bonus === colour);
  const top = own.at(-1);
  return h('span', { class: ['bonus', colour, top === undefined && 'none'], data: { piece: top && `card:${top}` } },
    jewel(colour, t(`letter.${colour}`)), own.length > 0 && h('b', {}, own.length));
}

/**
 * How the last move changed a seat's chips of one kind.
 * @param {Context} ctx
 * @param {View} view
 * @param {number} seat
 * @param {ChipColour} kind
 */
function change({ last, step }, view, seat, kind) {
  if (!last?.before || last.seat !== seat || step !== undefined) return null;
  const by = view.players[seat].chips[kind] - last.before.players[seat].chips[kind];
  return by !== 0 && h('span', { class: 'change' }, by > 0 ? `+${by}` : `\u2212${-by}`);
}

/**
 * A reserved card.
 * @param {View} view
 * @param {Context} ctx
 * @param {{seat: number, id: number, place: number, mine: boolean}} card
 */
function reserved(view, { t }, { seat, id, place, mine }) {
  const piece = reservedPiece(seat, view.players[seat].reserved, place);
  const edit = `reserved:${seat}:${place}`;
  if (id < 0) return back(-id, { 'aria-label': t('reserved.back', { level: -id }), data: { piece, edit } });
  const going = view.doing?.card === id && 'going';
  if (!mine) return face(id, t, { class: going, data: { piece, edit } });
  const payable = !isOver(view) && price(view.players[seat], id) !== null;
  return spot({ target: `card:${id}`, edit }, payable ? t('card.payable', { card: label(id, t) }) : label(id, t), face(id, t, {
    ...UNNAMED, class: [payable && 'payable', going], data: { piece },
  }, payable && h('span', { class: 'tick' }, '\u2713')));
}

/**
 * The chips to choose from when some must be returned, including those that the move takes.
 * @param {View} view
 * @param {Context} ctx
 * @param {Player} player
 */
function giveBack(view, { t, picked, next }, player) {
  if (![...next, ...picked].some((target) => target.startsWith('return:'))) return null;
  const taken = (/** @type {ChipColour} */ kind) => (kind === 'gold'
    ? Number(view.chips.gold > 0 && picked.some((target) => target === 'reserve' || target.startsWith('deck:')))
    : [1, 2].filter((n) => picked.includes(chipTarget(kind, n))).length);
  const count = (/** @type {ChipColour} */ kind) => player.chips[kind] + taken(kind);
  const over = KINDS.reduce((sum, kind) => sum + count(kind), 0) - HAND_LIMIT;
  const asked = t('give_back', { limit: HAND_LIMIT, count: over });
  return h('div', { class: 'give-back', role: 'group', 'aria-label': asked },
    h('p', {}, asked),
    h('div', { class: 'chips' }, COLOURS.map((colour) => (
      Array.from({ length: Math.min(over, count(colour)) }, (_, i) => h('span', {
        class: 'choice', data: { target: returnTarget(colour, i + 1) },
        'aria-label': t('return', { colour: t(colour) }),
      }, chip(colour, t(`letter.${colour}`))))))));
}
