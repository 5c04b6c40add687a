// What can be edited in a position of Azul, and why the rules do not know a position. The rules check it; this only helps.

/** @import {EditField, EditPiece, Translate} from '/web/types.ts' */
/** @import {PlayerBoard, View} from './moves.js' */

import { h } from '/web/lib/dom.js';
import { BONUS, COLOURS, FLOOR_COSTS, ROWS, colourAt, complete, isBare, onWall, source } from './moves.js';
import { tile } from './tile.js';

// Tiles of a display, of a colour, and of a round; the points that one tile on a wall can bring.
const [DISPLAY, OF_EACH, ROUND, TILE_POINTS] = [4, 20, 20, 10];
const DISPLAYS = [1, 2, 3, 4, 5];

// Nothing is hidden: the board may be seen from each seat.
export const open = true;

/** @param {View} view */
export const mover = (view) => view.to_move;

/** @param {string} colour */
const picture = (colour) => () => h('span', { class: 'board-azul sample alone' }, tile(colour));

/**
 * @param {View} view
 * @param {string[]} names
 * @param {Translate} t
 * @returns {EditField[]}
 */
export function fields(view, names, t) {
  /** @type {EditField[]} */
  const shared = [
    {
      id: 'turn', targets: [], group: '', label: t('edit.turn'), kind: 'choice', value: view.to_move,
      choices: names.map((label, value) => ({ value, label })), set: (seat) => ({ ...view, to_move: seat, viewer: { seat } }),
    },
    {
      id: 'marker', targets: [], group: '', label: t('marker'), kind: 'choice', value: view.marker,
      choices: [{ value: null, label: t('centre') }, ...names.map((label, value) => ({ value, label }))],
      set: (seat) => giveMarker(view, /** @type {number | null} */ (seat)),
    },
  ];
  return [...DISPLAYS.map((display) => displayField(view, display, t)), ...centreFields(view, t),
    ...names.flatMap((who, seat) => boardFields(view, seat, who, t)), ...shared];
}

/**
 * How many more tiles of a colour there may be.
 * @param {View} view
 * @param {number} at the colour's index
 */
function left(view, at) {
  const table = [0, ...DISPLAYS].reduce((sum, display) => sum + source(view, display)[at], 0);
  const laid = view.boards.flatMap(({ lines, wall }) => [
    ...lines.map(({ colour, count }) => (colour === COLOURS[at] ? count : 0)), ...wall.map((row) => Number(row.includes(COLOURS[at]))),
  ]);
  return OF_EACH - laid.reduce((sum, n) => sum + n, table);
}

/** @param {number[]} counts */
const total = (counts) => counts.reduce((sum, n) => sum + n, 0);
/** @param {View} view */
const emptied = (view) => view.displays.filter((display) => total(display) === 0).length;

/**
 * @param {View} view
 * @param {number} display
 * @param {Translate} t
 * @returns {EditField}
 */
function displayField(view, display, t) {
  const counts = source(view, display);
  const piece = (/** @type {EditPiece} */ colour) => ({ value: colour, label: t(`colour.${colour}`), picture: picture(String(colour)) });
  return {
    id: `display:${display}`, targets: [`display:${display}`], group: t('display', { display }), label: t('edit.tiles'), kind: 'pieces',
    value: COLOURS.flatMap((colour, at) => Array.from({ length: counts[at] }, () => colour)), most: DISPLAY, piece,
    choices: () => COLOURS.map((colour, at) => ({ ...piece(colour), off: left(view, at) < 1 })),
    set: (tiles) => setDisplay(view, display, COLOURS.map((colour) => tiles.filter((one) => one === colour).length)),
  };
}

/**
 * The position with other tiles on a display. A display that is emptied at once leaves its tiles as a move does: those of
 * its most frequent colour are taken, the others go to the centre.
 * @param {View} view
 * @param {number} display
 * @param {number[]} counts
 */
function setDisplay(view, display, counts) {
  const before = source(view, display);
  const displays = view.displays.map((one, i) => (i === display - 1 ? counts : one));
  if (total(counts) > 0 || total(before) < 2) return { ...view, displays };
  const taken = before.indexOf(Math.max(...before));
  return { ...view, displays, centre: view.centre.map((n, at) => n + (at === taken ? 0 : before[at])) };
}

/**
 * @param {View} view
 * @param {Translate} t
 * @returns {EditField[]}
 */
function centreFields(view, t) {
  const room = 3 * emptied(view) - total(view.centre);
  return COLOURS.map((colour, at) => ({
    id: `centre:${colour}`, targets: ['centre'], group: t('centre'), label: t(`colour.${colour}`), picture: picture(colour),
    note: t('edit.centre.note'), kind: 'count', value: view.centre[at], least: 0,
    most: view.centre[at] + Math.max(0, Math.min(room, left(view, at))),
    set: (n) => ({ ...view, centre: view.centre.map((count, i) => (i === at ? n : count)) }),
  }));
}

/**
 * The position in which a seat has the starting marker; it lies on the floor line of its holder.
 * @param {View} view
 * @param {number | null} holder
 */
function giveMarker(view, holder) {
  if (holder === view.marker) return view;
  const boards = view.boards.map((board, seat) => {
    const floor = board.floor - (view.marker === seat ? 1 : 0) + (holder === seat ? 1 : 0);
    return { ...board, floor: Math.max(0, Math.min(FLOOR_COSTS.length, floor)) };
  });
  return { ...view, boards, marker: holder };
}

/**
 * The most points that a board can have.
 * @param {PlayerBoard} board
 * @param {boolean} over
 */
function mostPoints(board, over) {
  const tiles = board.wall.join('').replaceAll('.', '').length;
  const { rows, columns, colours } = complete(board);
  const bonus = rows.length * BONUS.row + columns.length * BONUS.column + colours.length * BONUS.colour;
  return TILE_POINTS * tiles + (over ? bonus : 0);
}

/**
 * @param {View} view
 * @param {number} seat
 * @param {string} who
 * @param {Translate} t
 * @returns {EditField[]}
 */
function boardFields(view, seat, who, t) {
  const board = view.boards[seat];
  const put = (/** @type {Partial<PlayerBoard>} */ change) => {
    const next = { ...board, ...change };
    return { ...view, boards: view.boards.map((one, i) => (i === seat ? next : one)) };
  };
  const floor = view.marker === seat ? 1 : 0;
  return [
    ...ROWS.flatMap((row) => lineFields(view, { seat, row, who }, put, t)),
    ...ROWS.flatMap((row) => ROWS.map((column) => wallField(view, { seat, row, column, who }, put, t))),
    {
      id: `floor:${seat}`, targets: [`floor:${seat}`], group: t('edit.of', { what: t('edit.floor'), who }), label: t('edit.tiles'),
      note: t('edit.floor.note'), kind: 'count', value: board.floor, least: floor, most: FLOOR_COSTS.length, set: (n) => put({ floor: n }),
    },
    {
      id: `score:${seat}`, targets: [`score:${seat}`, `floor:${seat}`], group: t('edit.of', { what: t('edit.score'), who }), label: t('edit.points'),
      note: t('edit.score.note'), kind: 'count', value: board.score, least: 0, most: mostPoints(board, isBare(view)), set: (n) => put({ score: n }),
    },
  ];
}

/**
 * The colour and the tiles of a pattern line.
 * @param {View} view
 * @param {{seat: number, row: number, who: string}} at
 * @param {(change: Partial<PlayerBoard>) => View} put
 * @param {Translate} t
 * @returns {EditField[]}
 */
function lineFields(view, { seat, row, who }, put, t) {
  const board = view.boards[seat];
  const { colour, count } = board.lines[row];
  // How many tiles of a colour the line could have.
  const room = (/** @type {string} */ one) => left(view, COLOURS.indexOf(one)) + (one === colour ? count : 0);
  const fits = COLOURS.filter((one) => !board.wall[row].includes(one) && room(one) >= Math.max(1, count));
  const lay = (/** @type {string | null} */ of, /** @type {number} */ n) => put({
    lines: board.lines.map((line, i) => (i === row ? { count: of === null ? 0 : n, colour: n === 0 ? null : of } : line)),
  });
  const base = { targets: [`line:${seat}:${row}`], group: t('edit.of', { what: t('edit.line', { line: row + 1 }), who }) };
  const choices = COLOURS.map((one) => ({ value: one, label: t(`colour.${one}`), picture: picture(one), off: !fits.includes(one) }));
  return [
    {
      ...base, id: `colour:${seat}:${row}`, label: t('edit.colour'), kind: 'choice', value: colour,
      choices: [{ value: null, label: t('edit.empty') }, ...choices],
      set: (one) => lay(/** @type {string | null} */ (one), one === null ? 0 : Math.max(1, count)),
    },
    {
      ...base, id: `line:${seat}:${row}`, label: t('edit.tiles'), kind: 'count', value: count, least: 0,
      most: Math.max(count, Math.min(row + 1, room(colour ?? fits[0] ?? COLOURS[0]))), set: (n) => lay(colour ?? fits[0] ?? null, n),
    },
  ];
}

/**
 * A place of the wall. A line is emptied if its colour comes to its row, and the points go down to what the wall can bring.
 * @param {View} view
 * @param {{seat: number, row: number, column: number, who: string}} at
 * @param {(change: Partial<PlayerBoard>) => View} put
 * @param {Translate} t
 * @returns {EditField}
 */
function wallField(view, { seat, row, column, who }, put, t) {
  const board = view.boards[seat];
  const colour = colourAt(row, column);
  const value = onWall(board, row, column);
  return {
    id: `wall:${seat}:${row}:${column}`, targets: [`wall:${seat}:${row}:${column}`],
    group: t('edit.of', { what: t('edit.wall', { row: row + 1 }), who }), label: t(`colour.${colour}`), picture: picture(colour), kind: 'switch', value,
    set: (laid) => {
      if (laid === value) return view;
      const wall = board.wall.map((letters, i) => (
        i === row ? `${letters.slice(0, column)}${laid ? colour : '.'}${letters.slice(column + 1)}` : letters));
      const lines = board.lines.map((line, i) => (laid && i === row && line.colour === colour ? { count: 0, colour: null } : line));
      return put({ wall, lines, score: Math.min(board.score, mostPoints({ ...board, wall }, isBare(view))) });
    },
  };
}

/**
 * Why the rules do not know a position; empty if this does not know either.
 * @param {View} view
 * @param {string[]} names
 * @param {Translate} t
 */
export function fault(view, names, t) {
  const odd = view.displays.findIndex((display) => ![0, DISPLAY].includes(total(display)));
  if (odd >= 0) return t('fault.display', { display: odd + 1, n: total(view.displays[odd]) });
  const room = 3 * emptied(view);
  const centre = total(view.centre);
  if (centre > room) return t('fault.centre', { n: centre, room });
  const colour = COLOURS.findIndex((_, at) => left(view, at) < 0);
  if (colour >= 0) return t('fault.colour', { colour: t(`colour.${COLOURS[colour]}`), most: OF_EACH });
  const high = view.boards.findIndex((board) => board.score > mostPoints(board, isBare(view)));
  if (high >= 0) return t('fault.score', { who: names[high], most: mostPoints(view.boards[high], isBare(view)) });
  return isBare(view) ? faultOver(view, names, t) : faultRound(view, names, t);
}

/** @param {PlayerBoard} board */
const hasRow = (board) => board.wall.some((row) => !row.includes('.'));
/** @param {PlayerBoard} board */
const fullLine = (board) => board.lines.findIndex(({ count }, row) => count > row);

/**
 * @param {View} view
 * @param {string[]} names
 * @param {Translate} t
 */
function faultOver(view, names, t) {
  if (!view.boards.some(hasRow)) return t('fault.bare');
  if (view.marker !== null) return t('fault.over.marker');
  const floor = view.boards.findIndex((board) => board.floor > 0);
  if (floor >= 0) return t('fault.over.floor', { who: names[floor] });
  const full = view.boards.findIndex((board) => fullLine(board) >= 0);
  return full >= 0 ? t('fault.over.line', { who: names[full], line: fullLine(view.boards[full]) + 1 }) : '';
}

/**
 * @param {View} view
 * @param {string[]} names
 * @param {Translate} t
 */
function faultRound(view, names, t) {
  const done = view.boards.findIndex(hasRow);
  if (done >= 0) return t('fault.row', { who: names[done] });
  const { marker } = view;
  if (marker !== null && view.boards[marker].floor === 0) return t('fault.marker.floor', { who: names[marker] });
  const centre = total(view.centre);
  if (marker !== null && centre >= 3 * emptied(view)) return t('fault.marker', { who: names[marker] });
  const mixed = view.displays.some((display) => display.filter((n) => n > 0).length > 1);
  if (marker === null && centre === 0 && !mixed) return t('fault.marker.none');
  const table = total(view.displays.map(total)) + centre;
  const taken = ROUND - table;
  const floors = view.boards[0].floor + view.boards[1].floor - (marker === null ? 0 : 1);
  const lines = view.boards.flatMap((board) => board.lines);
  const full = view.boards.reduce((sum, board) => sum + board.lines.filter(({ count }, row) => count > row).length, 0);
  if (full + floors > taken) return t('fault.early', { taken, least: full + floors });
  const held = total(lines.map(({ count }) => count)) + floors;
  const overflows = view.boards.some((board) => board.floor === FLOOR_COSTS.length);
  return held < taken && !overflows ? t('fault.lost', { taken, n: taken - held }) : '';
}
