// How Azul's moves are chosen, described and shown step by step. Pure: it draws nothing.

/** @import {Translate} from '/web/types.ts' */
/** @typedef {{lines: {count: number, colour: string | null}[], wall: string[], floor: number, score: number}} PlayerBoard
 * a row of the wall is a text with a letter or `.` for each column */
/** @typedef {{displays: number[][], centre: number[], marker: number | null, to_move: number,
 *   boards: PlayerBoard[]}} Position tiles are counted by colour; `marker`: the seat that has the starting marker */
/** @typedef {{row: number, column?: number, gain: number}} Gain what tiling a row, or the floor line, brings a seat */
/** @typedef {Position & {taking?: Move, gains?: (Gain | null)[]}} View `taking` and `gains` are for the drawing alone */
/** @typedef {{display: number, colour: string, line: number}} Move `display` 0 is the centre, `line` 5 the floor */

export const COLOURS = ['g', 'o', 'b', 'y', 'r'];
export const ROWS = [0, 1, 2, 3, 4];
export const FLOOR = 5;
// What each slot of the floor line costs.
export const FLOOR_COSTS = [1, 1, 2, 2, 2, 3, 3];
/**
 * What a floor line of this length costs.
 * @param {number} length
 */
export const floorCost = (length) => FLOOR_COSTS.slice(0, length).reduce((sum, n) => sum + n, 0);
export const BONUS = { row: 2, column: 7, colour: 10 };

/**
 * The column of the wall in which a row takes a colour.
 * @param {number} row
 * @param {string} colour
 */
export const columnOf = (row, colour) => (COLOURS.indexOf(colour) + row) % 5;
/**
 * @param {number} row
 * @param {number} column
 */
export const colourAt = (row, column) => COLOURS[(column - row + 5) % 5];
/**
 * @param {PlayerBoard} board
 * @param {number} row
 * @param {number} column
 */
export const onWall = (board, row, column) => board.wall[row][column] !== '.';

/**
 * The tiles of display 1 to 5, or of the centre (0), by colour.
 * @param {View} view
 * @param {number} display
 */
export const source = (view, display) => (display === 0 ? view.centre : view.displays[display - 1]);
/**
 * How many tiles a move takes.
 * @param {View} view
 * @param {Move} move
 */
export const taken = (view, move) => source(view, move.display)[COLOURS.indexOf(move.colour)];

/**
 * Whether no tiles are left to take.
 * @param {View} view
 */
export const isBare = (view) => [view.centre, ...view.displays].flat().every((n) => n === 0);
/** @param {PlayerBoard} board */
const hasRow = (board) => board.wall.some((row) => !row.includes('.'));
/** @param {View} view */
export const isOver = (view) => isBare(view) && view.boards.some(hasRow);

/**
 * @param {number} display
 * @param {string} colour
 */
export const groupTarget = (display, colour) => `tiles:${display}:${colour}`;
/** @param {number} line */
export const lineTarget = (line) => (line === FLOOR ? 'floor' : `line:${line}`);

/** @param {Move} move */
export function paths(move) {
  return [[groupTarget(move.display, move.colour)], [lineTarget(move.line)]];
}

/**
 * How many of the tiles that a seat's move takes have no room on its line, and whether the marker comes with them.
 * @param {View} view
 * @param {Move} move
 */
export function falling(view, move, seat = view.to_move) {
  const count = taken(view, move);
  const room = move.line === FLOOR ? 0 : move.line + 1 - view.boards[seat].lines[move.line].count;
  return { surplus: Math.max(0, count - room), marker: move.display === 0 && view.marker === null };
}

/**
 * A move in words.
 * @param {Move} move
 * @param {View} view
 * @param {Translate} t
 */
export function say(move, view, t) {
  const count = taken(view, move);
  const { surplus, marker } = falling(view, move);
  const from = move.display === 0 ? t('from.centre') : t('from.display', { display: move.display });
  const tiles = t(count === 1 ? 'tile' : 'tiles', { count, colour: t(`colour.${move.colour}`) });
  const said = [
    move.line === FLOOR ? t('say.floor', { tiles, from }) : t('say.line', { tiles, from, line: move.line + 1 }),
    move.line !== FLOOR && surplus > 0 && t(surplus === 1 ? 'say.one_falls' : 'say.some_fall', { count: surplus }),
    marker && t('say.marker'),
  ];
  return said.filter(Boolean).join('; ');
}

/**
 * A move that is chosen before the turn, in words.
 * @param {Move} move
 * @param {View} view
 * @param {Translate} t
 */
export const ahead = (move, view, t) => say(move, { ...view, to_move: 1 - view.to_move }, t);

/**
 * The position after the tiles are taken and laid, before any tiling.
 * @param {View} view
 * @param {Move} move
 * @returns {View}
 */
export function lay(view, move) {
  const at = COLOURS.indexOf(move.colour);
  const count = taken(view, move);
  const { surplus, marker } = falling(view, move);
  const gone = source(view, move.display).map((n, colour) => (colour === at ? 0 : n));
  const displays = view.displays.map((tiles, d) => (d + 1 === move.display ? [0, 0, 0, 0, 0] : tiles));
  const centre = move.display === 0 ? gone : view.centre.map((n, colour) => n + gone[colour]);
  const boards = view.boards.map((board, seat) => {
    if (seat !== view.to_move) return board;
    const lines = board.lines.map((line, l) => (
      l === move.line ? { count: line.count + count - surplus, colour: move.colour } : line
    ));
    return { ...board, lines, floor: Math.min(7, board.floor + surplus + (marker ? 1 : 0)) };
  });
  return { ...view, displays, centre, boards, marker: marker ? view.to_move : view.marker, to_move: 1 - view.to_move };
}

/**
 * The points of a tile: the lengths of the runs through it that are longer than one; 1 if there is no such run.
 * @param {string[]} wall
 * @param {number} row
 * @param {number} column
 */
function points(wall, row, column) {
  const run = (/** @type {{at: number, is: (place: number) => boolean}} */ filled) => {
    let [from, to] = [filled.at, filled.at];
    while (from > 0 && filled.is(from - 1)) from -= 1;
    while (to < 4 && filled.is(to + 1)) to += 1;
    return to - from + 1;
  };
  const across = run({ at: column, is: (c) => wall[row][c] !== '.' });
  const down = run({ at: row, is: (r) => wall[r][column] !== '.' });
  return (across > 1 ? across : 0) + (down > 1 ? down : 0) || 1;
}

/**
 * A board after the tiling of one row, and what it gained; null if the line is not full.
 * @param {PlayerBoard} board
 * @param {number} row
 */
function tileRow(board, row) {
  const { count, colour } = board.lines[row];
  if (count <= row || colour === null) return null;
  const column = columnOf(row, colour);
  const put = (/** @type {string} */ text) => text.slice(0, column) + colour + text.slice(column + 1);
  const wall = board.wall.map((text, r) => (r === row ? put(text) : text));
  const gain = points(wall, row, column);
  const lines = board.lines.map((line, l) => (l === row ? { count: 0, colour: null } : line));
  return { board: { ...board, wall, lines, score: board.score + gain }, column, gain };
}

/**
 * The complete rows, columns and colours of a wall, which bring a bonus at the end.
 * @param {PlayerBoard} board
 */
export function complete(board) {
  return {
    rows: ROWS.filter((row) => !board.wall[row].includes('.')),
    columns: ROWS.filter((column) => ROWS.every((row) => onWall(board, row, column))),
    colours: COLOURS.filter((colour) => ROWS.every((row) => onWall(board, row, columnOf(row, colour)))),
  };
}

/**
 * The positions between two: the tiles that are taken, shown where they lay; and at the end of a round, the tiling row by
 * row and the cost of the floor line.
 * @param {View} before
 * @param {Move} move
 * @param {View} after
 */
export function steps(before, move, after) {
  /** @type {View[]} */
  const moments = [{ ...before, taking: move }];
  let view = lay(before, move);
  if (!isBare(view)) return moments;
  moments.push(view);
  for (const row of ROWS) {
    const tiled = view.boards.map((board) => tileRow(board, row));
    if (tiled.every((one) => one === null)) continue;
    view = { ...view, boards: view.boards.map((board, seat) => tiled[seat]?.board ?? board) };
    moments.push({ ...view, gains: tiled.map((one) => one && { row, column: one.column, gain: one.gain }) });
  }
  if (view.boards.some((board) => board.floor > 0)) {
    const lost = view.boards.map((board) => Math.min(board.score, floorCost(board.floor)));
    const boards = view.boards.map((board, seat) => ({ ...board, score: board.score - lost[seat] }));
    view = { ...view, boards };
    moments.push({ ...view, gains: lost.map((n) => (n > 0 ? { row: FLOOR, gain: -n } : null)) });
  }
  if (isOver(after)) {
    const boards = view.boards.map((board) => ({ ...board, floor: 0 }));
    moments.push({ ...view, boards, marker: null });
  }
  return moments;
}
