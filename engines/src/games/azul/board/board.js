// Azul's board: the displays and the centre, and each player's pattern lines, wall and floor line.

/** @import {BoardContext, Translate} from '/web/types.ts' */
/** @import {Gain, Move, PlayerBoard, View} from './moves.js' */
/** @typedef {BoardContext<View, Move>} Context */
/** @typedef {{display: number, colour: string, line: number | null}} Chosen the move that is being chosen; `line` is null
 * until it is chosen */
/** @typedef {{seat: number, mine: boolean, chosen: Chosen | null, fresh: boolean}} Mat what a seat's parts are drawn from:
 * `fresh`: the last move laid tiles there */

import { h } from '/web/lib/dom.js';
import {
  BONUS, COLOURS, FLOOR, FLOOR_COSTS, ROWS, colourAt, complete, falling, floorCost, groupTarget, isOver, lay,
  lineTarget, onWall, source,
} from './moves.js';
import { figures, marker, shard, tile } from './tile.js';

export { ending, points, prompt, verb } from './advice.js';
export { ahead, paths, say, steps } from './moves.js';

// The pictures of the rules, the tips and what can be edited are loaded when they are needed.
export const rules = () => import('./rules.js');
export const tips = () => import('./tips.js');
export const edit = () => import('./edit.js');

// The names under which tiles are animated. The tile that fills a line is the one that moves to the wall.
const onTable = (/** @type {number} */ display, /** @type {string} */ colour, /** @type {number} */ i) =>
  `table:${display}:${colour}:${i}`;
/**
 * @param {number} seat
 * @param {number} line
 * @param {string} colour
 * @param {number} i
 */
const onLine = (seat, line, colour, i) => (i === line ? `wall:${seat}:${line}:${colour}` : `line:${seat}:${line}:${i}`);
const onFloor = (/** @type {number} */ seat, /** @type {number} */ i) => `floor:${seat}:${i}`;
/**
 * The number of tiles on the floor line. The marker is always shown before them: a view does not contain their order.
 * @param {View} view
 * @param {number} seat
 */
const fallen = (view, seat) => view.boards[seat].floor - (view.marker === seat ? 1 : 0);

/**
 * @param {View} view
 * @param {Context} ctx
 */
export function draw(view, ctx) {
  const me = ctx.me ?? 0;
  const chosen = choice(ctx);
  return h('div', { class: 'board-azul' }, figures(),
    table(view, ctx),
    [me, 1 - me].map((seat) => player(view, ctx, seat, seat === me ? chosen : null)));
}

/**
 * The move that is being chosen, as far as it goes.
 * @param {Context} ctx
 * @returns {Chosen | null}
 */
function choice({ picked, me }) {
  const [, display, colour] = picked.find((target) => target.startsWith('tiles:'))?.split(':') ?? [];
  if (me === null || colour === undefined) return null;
  const to = picked.find((target) => !target.startsWith('tiles:'));
  const line = to === undefined ? null : to === 'floor' ? FLOOR : Number(to.split(':')[1]);
  return { display: Number(display), colour, line };
}

/**
 * Displays and centre.
 * @param {View} view
 * @param {Context} ctx
 */
function table(view, ctx) {
  const leaving = destinations(view);
  const last = ctx.step === undefined ? ctx.last?.move : null;
  return [h('div', { class: 'displays', role: 'group', 'aria-label': ctx.t('table') },
    [1, 2, 3, 4, 5].map((display) => h('div', {
      class: ['display', `d${display}`, last?.display === display && 'last', source(view, display).every((n) => n === 0) && 'bare'],
      role: 'group', data: { edit: `display:${display}` }, 'aria-label': ctx.t('display', { display }),
    }, h('span', { class: 'number', 'aria-hidden': 'true' }, display), groups(view, ctx, display, leaving)))),
  h('div', { class: ['centre', last?.display === 0 && 'last'], role: 'group', data: { edit: 'centre' }, 'aria-label': ctx.t('centre') },
    view.marker === null && marker(ctx.t('marker'), 'marker'),
    groups(view, ctx, 0, leaving))];
}

/**
 * The tiles of a display or of the centre, by colour. On a display the most frequent colour comes first, so that two of
 * a colour are side by side.
 * @param {View} view
 * @param {Context} ctx
 * @param {number} display
 * @param {Map<string, string> | null} leaving the names of the tiles after the move
 */
function groups(view, { t }, display, leaving) {
  const found = COLOURS.map((colour, at) => ({ colour, count: source(view, display)[at] }))
    .filter(({ count }) => count > 0);
  if (display > 0) found.sort((a, b) => b.count - a.count);
  let cell = 0;
  return found.map(({ colour, count }) => {
    const tiles = Array.from({ length: count }, (_, i) => {
      const piece = onTable(display, colour, i);
      return tile(colour, { piece, next: leaving?.get(piece) });
    });
    const named = t(count === 1 ? 'tile' : 'tiles', { count, colour: t(`colour.${colour}`) });
    const from = display === 0 ? t('from.centre') : t('from.display', { display });
    const going = view.taking?.display === display && view.taking.colour === colour;
    const place = display > 0 && `of${count} at${cell}`;
    cell += count;
    return h('div', {
      class: ['group', place, going && 'going'], data: { target: groupTarget(display, colour) },
      'aria-label': `${named} ${from}`,
    }, tiles, display === 0 && count > 1 && h('span', { class: 'count', 'aria-hidden': 'true' }, count));
  });
}

/**
 * In the step before tiles move: their names after the move, by their names now.
 * @param {View} view
 */
function destinations(view) {
  const move = view.taking;
  if (!move) return null;
  /** @type {Map<string, string>} */
  const names = new Map();
  const after = lay(view, move);
  const seat = view.to_move;
  const [was, is] = [view.boards[seat], after.boards[seat]];
  const places = [];
  if (move.line !== FLOOR) {
    for (let i = was.lines[move.line].count; i < is.lines[move.line].count; i += 1) {
      places.push(onLine(seat, move.line, move.colour, i));
    }
  }
  for (let i = fallen(view, seat); i < fallen(after, seat); i += 1) places.push(onFloor(seat, i));
  places.forEach((name, i) => names.set(onTable(move.display, move.colour, i), name));
  if (move.display > 0) {
    COLOURS.filter((colour) => colour !== move.colour).forEach((colour) => {
      const at = COLOURS.indexOf(colour);
      const [there, count] = [source(view, 0)[at], source(view, move.display)[at]];
      for (let i = 0; i < count; i += 1) names.set(onTable(move.display, colour, i), onTable(0, colour, there + i));
    });
  }
  return names;
}

/** @type {ReturnType<typeof complete>} */
const NOTHING_COMPLETE = { rows: [], columns: [], colours: [] };

/**
 * A player's board.
 * @param {View} view
 * @param {Context} ctx
 * @param {number} seat
 * @param {Chosen | null} chosen the move that this player is choosing
 */
function player(view, ctx, seat, chosen) {
  const { t } = ctx;
  const board = view.boards[seat];
  const mine = seat === ctx.me;
  const gains = view.gains?.[seat];
  const last = ctx.last?.seat === seat && ctx.step === undefined ? ctx.last.move : null;
  const done = isOver(view) ? complete(board) : NOTHING_COMPLETE;
  return h('section', {
    class: ['mat', mine && 'mine', ctx.turn === seat && 'turn'], 'aria-label': t('board_of', { name: name(ctx, seat) }),
  },
  h('header', {},
    h('span', { class: 'seat' }, seat + 1),
    h('span', { class: 'name' }, name(ctx, seat)),
    ctx.turn === seat && h('span', { class: 'to-move' }, t('to_move')),
    h('span', { class: 'score', data: { edit: `score:${seat}` }, 'aria-label': t('score', { score: board.score }), role: 'img' }, board.score)),
  h('div', { class: 'field' },
    ROWS.map((row) => [
      line(view, ctx, { seat, row, mine, chosen, fresh: last?.line === row }),
      h('span', { class: 'arrow', 'aria-hidden': 'true' }, '▸'),
      wallRow(board, t, { seat, row, gains: gains?.row === row ? gains : null, whole: done.rows.includes(row) }),
    ])),
  floor(view, ctx, { seat, mine, chosen, fresh: last?.line === FLOOR, gain: gains?.row === FLOOR ? gains.gain : null }, isOver(view) && !ctx.edit && bonuses(done, t)));
}

/**
 * @param {Context} ctx
 * @param {number} seat
 */
const name = ({ seats, t }, seat) => seats?.[seat]?.name ?? t('player', { number: seat + 1 });

// The points that something costs, to be seen; screen readers find them in the name of the element around it.
const minus = (/** @type {string} */ kind, /** @type {number} */ n) => h('span', { class: kind, data: { minus: `\u2212${n}` }, 'aria-hidden': 'true' });

/**
 * A pattern line.
 * @param {View} view
 * @param {Context} ctx
 * @param {Mat & {row: number}} mat
 */
function line(view, { t, next }, { seat, row, mine, chosen, fresh }) {
  const board = view.boards[seat];
  const { count, colour } = board.lines[row];
  const held = count === 0 ? t('line.empty', { line: row + 1, room: row + 1 })
    : t('line.holds', { line: row + 1, room: row + 1, count, colour: t(`colour.${colour}`) });
  // The slots that the chosen tiles would fill, and how many of them would fall.
  const planned = chosen && mine ? falling(view, { ...chosen, line: row }, seat) : null;
  const filled = planned && chosen?.line === row
    ? source(view, chosen.display)[COLOURS.indexOf(chosen.colour)] - planned.surplus : 0;
  const surplus = next.has(lineTarget(row)) ? planned?.surplus ?? 0 : 0;
  const lying = board.floor + (planned?.marker ? 1 : 0);
  const lost = floorCost(lying + surplus) - floorCost(lying);
  const slots = Array.from({ length: row + 1 }, (_, i) => h('span', { class: 'slot' },
    i < count && colour !== null ? tile(colour, { piece: onLine(seat, row, colour, i), kind: fresh && 'fresh' })
      : i < count + filled && chosen ? tile(chosen.colour, { kind: 'planned' }) : null));
  return h('div', {
    class: `line line${row}`, data: { target: mine ? lineTarget(row) : undefined, edit: `line:${seat}:${row}` }, role: mine ? undefined : 'img',
    'aria-label': surplus > 0 ? `${held} ${t('line.falls', { count: surplus })}` : held,
  }, lost > 0 && minus('warning', lost), slots);
}

/**
 * A row of the wall.
 * @param {PlayerBoard} board
 * @param {Translate} t
 * @param {{seat: number, row: number, gains?: Gain | null, whole: boolean}} options
 */
function wallRow(board, t, { seat, row, gains, whole }) {
  const there = COLOURS.filter((colour) => board.wall[row].includes(colour)).map((colour) => t(`colour.${colour}`));
  const label = there.length > 0 ? t('wall.holds', { row: row + 1, colours: there.join(', ') })
    : t('wall.empty', { row: row + 1 });
  return h('div', { class: ['wall', `wall${row}`, whole && 'whole'], role: 'img', 'aria-label': label },
    ROWS.map((column) => {
      const colour = colourAt(row, column);
      return h('span', { class: 'slot', data: { edit: `wall:${seat}:${row}:${column}` } },
        tile(colour, { kind: 'printed' }),
        onWall(board, row, column) && tile(colour, { piece: `wall:${seat}:${row}:${colour}` }),
        gains?.column === column && h('span', { class: 'gain' }, `+${gains.gain}`));
    }));
}

/**
 * The floor line. At the end it is empty, and the bonuses lie over it.
 * @param {View} view
 * @param {Context} ctx
 * @param {Mat & {gain: number | null}} mat
 * @param {Element | false} above what lies over it
 */
function floor(view, { t }, { seat, mine, chosen, fresh, gain }, above) {
  const board = view.boards[seat];
  const has = view.marker === seat;
  const cost = floorCost(board.floor);
  const planned = chosen && mine && chosen.line !== null ? falling(view, { ...chosen, line: chosen.line }, seat) : null;
  const falls = planned ? planned.surplus + (planned.marker ? 1 : 0) : 0;
  const slots = FLOOR_COSTS.map((n, i) => h('span', { class: 'slot' },
    minus('cost', n),
    i < board.floor
      ? (has && i === 0 ? marker(t('marker'), 'marker') : shard(onFloor(seat, has ? i - 1 : i)))
      : i < board.floor + falls ? h('span', { class: 'tile shard planned' }) : null));
  return h('div', { class: ['under', above && 'summed'] },
    h('div', {
      class: ['floor', fresh && 'fresh'], data: { target: mine ? 'floor' : undefined, edit: `floor:${seat}` }, role: mine ? undefined : 'img',
      'aria-label': t(has ? 'floor.marker' : 'floor', { count: board.floor, cost }),
    }, slots),
    gain !== null && h('span', { class: 'gain lost' }, `\u2212${-gain}`), above);
}

/**
 * The bonuses of a wall at the end.
 * @param {ReturnType<typeof complete>} done
 * @param {Translate} t
 */
function bonuses({ rows, columns, colours }, t) {
  /** @type {[number, number, string][]} */
  const all = [
    [rows.length, BONUS.row, rows.length === 1 ? 'bonus.row' : 'bonus.rows'],
    [columns.length, BONUS.column, columns.length === 1 ? 'bonus.column' : 'bonus.columns'],
    [colours.length, BONUS.colour, colours.length === 1 ? 'bonus.colour' : 'bonus.colours'],
  ];
  const parts = all.filter(([count]) => count > 0);
  const said = parts.length === 0 ? [t('bonus.none')] : parts.map(([count, each, key]) => t(key, { count, points: count * each }));
  const sum = parts.reduce((all, [count, each]) => all + count * each, 0);
  return h('p', { class: 'bonuses', title: said.join(', ') },
    h('b', { 'aria-hidden': 'true' }, `+${sum}`), h('span', { class: 'parts' }, said.map((text) => h('span', {}, text))));
}
