// The gems of Splendor, each known by its cut and its letter, and what is drawn with them: pips, chips, portraits.

/** @import {Child, ClassList} from '/web/types.ts' */
/** @import {Colour, ChipColour} from './cards.js' */

import { h } from '/web/lib/dom.js';

// Outline, table and facets of each cut, on 40 by 40.
/** @type {Record<ChipColour, [string, string, string]>} */
const CUTS = {
  red: ['M20 2.5L35.5 11.2V28.8L20 37.5L4.5 28.8V11.2Z',
    'M20 10L29 15V25L20 30L11 25V15Z',
    'M20 2.5V10M35.5 11.2L29 15M35.5 28.8L29 25M20 37.5V30M4.5 28.8L11 25M4.5 11.2L11 15'],
  green: ['M12 2.5H28L34 8.5V31.5L28 37.5H12L6 31.5V8.5Z',
    'M15.5 9.5H24.5L27.5 12.5V27.5L24.5 30.5H15.5L12.5 27.5V12.5Z',
    'M12 2.5L15.5 9.5M28 2.5L24.5 9.5M34 8.5L27.5 12.5M34 31.5L27.5 27.5'
    + 'M28 37.5L24.5 30.5M12 37.5L15.5 30.5M6 31.5L12.5 27.5M6 8.5L12.5 12.5'],
  blue: ['M20 3A17 17 0 0 1 20 37A17 17 0 0 1 20 3Z',
    'M20 10.5L26.7 13.3L29.5 20L26.7 26.7L20 29.5L13.3 26.7L10.5 20L13.3 13.3Z',
    'M20 3V10.5M32 8L26.7 13.3M37 20H29.5M32 32L26.7 26.7M20 37V29.5M8 32L13.3 26.7M3 20H10.5M8 8L13.3 13.3'],
  white: ['M20 1.5L38.5 20L20 38.5L1.5 20Z', 'M20 10L30 20L20 30L10 20Z', 'M20 1.5V10M38.5 20H30M20 38.5V30M1.5 20H10'],
  black: ['M5 4.5H35V22L20 38L5 22Z', 'M12 10.5H28V19.5L20 28L12 19.5Z',
    'M5 4.5L12 10.5M35 4.5L28 10.5M35 22L28 19.5M20 38V28M5 22L12 19.5'],
  gold: ['M20 2L25 14L38 15L28 23.5L31.5 36.5L20 29.5L8.5 36.5L12 23.5L2 15L15 14Z', '', ''],
};

/**
 * A gem with its facets; `letter` is written on it.
 * @param {ChipColour} colour
 * @param {string} [letter]
 */
export function jewel(colour, letter) {
  const [outline, table, facets] = CUTS[colour];
  return h('svg', { class: ['jewel', colour], viewBox: '0 0 40 40', 'aria-hidden': 'true' },
    h('path', { d: outline, class: 'cut' }),
    h('path', { d: facets, class: 'facet' }),
    h('path', { d: table, class: 'shine' }),
    letter && h('text', { x: 20, y: 26.5, 'text-anchor': 'middle' }, letter));
}

/**
 * A gem as a price tag: its outline with a number.
 * @param {Colour} colour
 * @param {number} count
 * @param {ClassList} [kind]
 */
export function pip(colour, count, kind) {
  const low = { red: 27, green: 27, blue: 27, white: 26.5, black: 24 }[colour];
  return h('svg', { class: ['pip', colour, kind], viewBox: '0 0 40 40', 'aria-hidden': 'true' },
    h('path', { d: CUTS[colour][0], class: 'cut' }),
    h('text', { x: 20, y: low, 'text-anchor': 'middle' }, count));
}

/**
 * A chip. `piece`: the name under which it is animated; `next`: its name after the move, on an element above it; `at`: its
 * place in a pile.
 * @param {ChipColour} colour
 * @param {string} letter
 * @param {{piece?: string, next?: string, kind?: ClassList, at?: number}} [options]
 */
export function chip(colour, letter, { piece, next, kind, at = 0 } = {}) {
  return h('span', {
    class: ['chip', colour, kind], 'aria-hidden': 'true', data: { piece }, style: { '--at': at },
  },
  jewel(colour, letter),
  next && h('span', { class: ['chip over', colour], data: { piece: next } }, jewel(colour, letter)));
}

const SKIN = ['#f0c9a4', '#e3b58c', '#c98f62', '#f4d4b5', '#b47a50'];
const CLOTH = ['#8d2f3f', '#2f5c8d', '#3d6b4a', '#6a4a86', '#94652a', '#34495e', '#a34a28', '#2b6f74', '#7b3b6b',
  '#4b5320'];
const HAIR = ['#3a2618', '#6b4423', '#caa45a', '#24201e', '#8c8c8c'];
/** @type {((cloth: string) => Child)[]} */
const HATS = [
  () => h('path', { d: 'M12 15L13 5L17.5 10L20 3.5L22.5 10L27 5L28 15Z', fill: '#e8bd45', stroke: '#9a6b0b' }),
  (cloth) => [h('ellipse', { cx: 20, cy: 10.5, rx: 11, ry: 5, fill: cloth }), h('path', {
    d: 'M28 9C33 5 35 8 33 13', fill: 'none', stroke: '#f4efe2', 'stroke-width': 2,
  })],
  (cloth) => h('path', { d: 'M9.5 27C7 9 14 5.5 20 5.5S33 9 30.5 27L27.5 17Q20 8.5 12.5 17Z', fill: cloth }),
  (cloth) => [
    h('path', { d: 'M11 13Q20 -1 29 13Z', fill: cloth }), h('circle', { cx: 20, cy: 7.5, r: 2, fill: '#e8bd45' }),
  ],
  () => h('path', { d: 'M12.5 13Q20 7.5 27.5 13L26.5 15Q20 11 13.5 15Z', fill: '#e8bd45', stroke: '#9a6b0b' }),
];

/**
 * A noble's portrait; each id has its own.
 * @param {number} id
 */
export function portrait(id) {
  const [skin, hair] = [SKIN[(id * 3) % 5], HAIR[(id * 2 + (id > 5 ? 1 : 0)) % 5]];
  const [cloth, other] = [CLOTH[id - 1], CLOTH[(id + 4) % 10]];
  const bearded = id % 2 === 0;
  return h('svg', { class: 'portrait', viewBox: '0 0 40 46', 'aria-hidden': 'true' },
    h('path', {
      d: bearded ? 'M12 12Q11 21 13 22H27Q29 21 28 12Z' : 'M11.5 13Q8.5 27 12 30H28Q31.5 27 28.5 13Z', fill: hair,
    }),
    h('path', { d: 'M3 46V40Q4 29.5 15 28H25Q36 29.5 37 40V46Z', fill: cloth }),
    h('path', { d: 'M16.5 24H23.5V30Q20 33 16.5 30Z', fill: skin }),
    h('ellipse', { cx: 20, cy: 18.5, rx: 6.6, ry: 8.2, fill: skin }),
    bearded && h('path', { d: 'M13.4 19.5Q14 29 20 29.5T26.6 19.5Q24.5 23 20 22.6T13.4 19.5Z', fill: hair }),
    h('path', { d: 'M16.3 17.6H18M22 17.6H23.7', stroke: '#2b1d14', 'stroke-width': 1.4, 'stroke-linecap': 'round' }),
    !bearded && h('path', { d: 'M17.8 23Q20 24.6 22.2 23', fill: 'none', stroke: '#a34a4a', 'stroke-width': 1.1 }),
    h('path', { d: 'M12 30.5L16 28L20 32.5L24 28L28 30.5L24 33.5L20 32L16 33.5Z', fill: '#f4efe2', stroke: '#0002' }),
    HATS[id % 5](other));
}
