// The pictures of Azul's rules, made of the board's own tiles. The texts are in en.json: `rule.ID.title`, `rule.ID` and
// `rule.ID.example`.

/** @import {Child, RulePicture} from '/web/types.ts' */

import { h } from '/web/lib/dom.js';
import { COLOURS, FLOOR_COSTS, ROWS, colourAt } from './moves.js';
import { figures, marker, shard, tile } from './tile.js';

const sample = (/** @type {Child[]} */ ...parts) => h('div', { class: 'board-azul sample' }, figures(), parts);
const arrow = () => h('span', { class: 'to' }, '→');

/**
 * A display with four tiles; those of `chosen` are marked.
 * @param {string} colours
 * @param {string} [chosen]
 */
const display = (colours, chosen) => h('div', { class: 'display' }, [...colours].map((colour, i) =>
  h('div', { class: ['group', 'of1', `at${i}`, colour === chosen && 'picked'] }, tile(colour))));

/** @param {string} colours */
const centre = (colours, first = false) => h('div', { class: 'centre' }, first && marker('', 'rule'),
  [...colours].map((colour) => h('div', { class: 'group' }, tile(colour))));

/**
 * A pattern line: its tiles from the right.
 * @param {number} room
 * @param {string} colours
 */
const line = (room, colours) => h('div', { class: 'line' }, Array.from({ length: room }, (_, i) =>
  h('span', { class: 'slot' }, colours[i] !== undefined && tile(colours[i]))));

/**
 * A row of the wall. `laid`: its colours; `gain`: a number on the tile of the first of them.
 * @param {number} row
 * @param {string} laid
 * @param {number} [gain]
 */
const wallRow = (row, laid, gain) => h('div', { class: 'wall' }, ROWS.map((column) => {
  const colour = colourAt(row, column);
  return h('span', { class: 'slot' }, tile(colour, { kind: 'printed' }), laid.includes(colour) && tile(colour),
    gain !== undefined && laid[0] === colour && h('span', { class: 'gain' }, `+${gain}`));
}));

/**
 * The floor line with some tiles on it.
 * @param {number} count
 */
const floor = (count, first = false) => h('div', { class: 'floor' }, FLOOR_COSTS.map((cost, i) => h('span', { class: 'slot' },
  h('span', { class: 'cost', data: { minus: `\u2212${cost}` } }),
  i < count && (first && i === 0 ? marker('', 'rule') : shard('')))));

/** @returns {RulePicture[]} */
export function rules() {
  const column = (/** @type {Child[]} */ ...parts) => h('div', { class: 'column' }, parts);
  return [
    ['turn', sample(display('ggbr', 'g'), arrow(), column(h('div', { class: 'centre' }, tile('g'), tile('g')), centre('br')))],
    ['lines', sample(column(line(2, 'bb'), line(3, 'b'), line(4, '')))],
    ['surplus', sample(column(line(2, 'oo'), floor(1)))],
    ['marker', sample(centre('yyr', true), arrow(), h('div', { class: 'centre' }, tile('y'), tile('y')), floor(1, true))],
    ['tiling', sample(line(3, 'yyy'), arrow(), wallRow(2, 'y'))],
    ['score', sample(column(wallRow(0, 'b'), wallRow(1, 'ogr', 5), wallRow(2, '')))],
    ['cost', sample(floor(4))],
    ['bonus', sample(column(wallRow(0, 'gobyr'), wallRow(1, COLOURS[0])))],
  ];
}
