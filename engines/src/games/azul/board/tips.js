// Tips for a first match of Azul, each derived from the position and the legal moves. The texts are in en.json: `tip.ID`.

/** @import {LegalMove, Tip, Translate} from '/web/types.ts' */
/** @import {Move, View} from './moves.js' */

import {
  COLOURS, FLOOR, ROWS, columnOf, falling, floorCost, isBare, taken,
} from './moves.js';

/** @param {LegalMove} legal */
const moveOf = ({ move }) => /** @type {Move} */ (move);

/**
 * What fits the position, the most useful tip first.
 * @param {View} view
 * @param {number} me
 * @param {LegalMove[]} moves
 * @param {Translate} t
 * @returns {Tip[]}
 */
export function tips(view, me, moves, t) {
  if (isBare(view)) return [];
  const board = view.boards[me];
  const all = moves.map(moveOf);
  const named = (/** @type {Move} */ move) => {
    const count = taken(view, move);
    return t(count === 1 ? 'tile' : 'tiles', { count, colour: t(`colour.${move.colour}`) });
  };
  /** @type {Tip[]} */
  const found = [];
  const empty = board.lines.every(({ count }) => count === 0);
  const laid = board.wall.join('').replaceAll('.', '').length;
  if (empty && laid === 0) found.push({ id: 'start' });
  const [row] = ROWS.filter((at) => board.wall[at].replaceAll('.', '').length === 4);
  if (row !== undefined) found.push({ id: 'row', values: { row: row + 1 } });
  const clean = all.filter((move) => move.line !== FLOOR && falling(view, move).surplus === 0);
  const exact = clean.filter((move) => taken(view, move) === move.line + 1 - board.lines[move.line].count)
    .sort((a, b) => taken(view, b) - taken(view, a))[0];
  const [joined] = clean.filter((move) => beside(board.wall, move)).sort((a, b) => taken(view, b) - taken(view, a));
  if (clean.length === 0) found.push({ id: 'spill', values: { cost: least(view, all, board.floor) } });
  if (exact) {
    found.push({ id: 'exact', values: { tiles: named(exact), line: exact.line + 1 }, follows: (move) => move.line !== FLOOR && falling(view, move).surplus === 0 });
  }
  if (view.marker === null && view.centre.some((n) => n > 0)) found.push({ id: 'marker' });
  if (joined) found.push({ id: 'beside', values: { colour: t(`colour.${joined.colour}`), line: joined.line + 1 } });
  if (!empty) found.push({ id: 'open' });
  const heap = Math.max(...view.centre);
  if (heap >= 4) {
    found.push({ id: 'heap', values: { tiles: t('tiles', { count: heap, colour: t(`colour.${COLOURS[view.centre.indexOf(heap)]}`) }) } });
  }
  if (laid > 2) found.push({ id: 'bonus' });
  return found;
}

/**
 * Whether the tile of a move would lie beside another one on the wall.
 * @param {string[]} wall
 * @param {Move} move
 */
function beside(wall, { line, colour }) {
  const column = columnOf(line, colour);
  return [[0, 1], [0, -1], [1, 0], [-1, 0]].some(([down, right]) => {
    const there = wall[line + down]?.[column + right];
    return there !== undefined && there !== '.';
  });
}

/**
 * The least that a move costs on the floor line.
 * @param {View} view
 * @param {Move[]} all
 * @param {number} floor how many tiles lie there
 */
function least(view, all, floor) {
  const costs = all.map((move) => {
    const { surplus, marker } = falling(view, move);
    return floorCost(floor + surplus + (marker ? 1 : 0)) - floorCost(floor);
  });
  return Math.min(...costs);
}
