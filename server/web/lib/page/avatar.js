// A picture of a player, made from the name: a pattern with a left and a right half that are the same, in a colour. Pure.

import { h } from '../dom.js';

// The pattern has this many rows, and as many columns.
const SIDE = 5;
const HALF = Math.ceil(SIDE / 2);
const COLOURS = 12;

/**
 * A number of 32 bits from a text (FNV-1a).
 * @param {string} text
 */
function hash(text) {
  let value = 0x811c9dc5;
  for (const letter of text.toLowerCase()) {
    value ^= letter.codePointAt(0) ?? 0;
    value = Math.imul(value, 0x01000193) >>> 0;
  }
  return value;
}

/**
 * The fields of the pattern of a name, row by row, and its colour from 0 to 11.
 * @param {string} name
 */
export function pattern(name) {
  const [bits, more] = [hash(name), hash(`${name}.`)];
  const fields = Array.from({ length: SIDE }, (_, row) => Array.from({ length: SIDE }, (__, column) => {
    const from = Math.min(column, SIDE - 1 - column);
    return ((bits >>> (row * HALF + from)) & 1) === 1;
  }));
  // A pattern without any field would be no picture.
  if (!fields.flat().includes(true)) fields[HALF - 1][HALF - 1] = true;
  return { fields, colour: more % COLOURS };
}

/**
 * The picture of a player. The name beside it says who it is.
 * @param {string} name
 */
export function avatar(name) {
  const { fields, colour } = pattern(name);
  return h('svg', { class: `avatar hue-${colour}`, viewBox: '0 0 7 7', width: '28', height: '28', 'aria-hidden': 'true' },
    h('rect', { class: 'ground', width: '7', height: '7', rx: '1.4' }),
    fields.flatMap((row, y) => row.map((on, x) => on && h('rect', { x: String(x + 1), y: String(y + 1), width: '1.02', height: '1.02' }))));
}
