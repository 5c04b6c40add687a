// The tiles of Azul: five glazed patterns, so that each colour is also known by its figure.

/** @import {Attributes, Child, ClassList} from '/web/types.ts' */

import { h } from '/web/lib/dom.js';

// The board's CSS rules do not apply inside `use`, but the variables of the tile do.
const LIGHT = { fill: 'var(--light)' };
const DEEP = { fill: 'var(--deep)' };
/**
 * @param {string} colour
 * @param {number} width
 * @returns {Attributes}
 */
const line = (colour, width) => ({ fill: 'none', stroke: `var(--${colour})`, 'stroke-width': width });
/**
 * @param {string} d
 * @param {Attributes} attrs
 */
const path = (d, attrs) => h('path', { d, ...attrs });
/**
 * @param {number} r
 * @param {Attributes} attrs
 */
const circle = (r, attrs, cx = 20, cy = 20) => h('circle', { cx, cy, r, ...attrs });
/**
 * What `make` draws, `count` times around the centre.
 * @param {number} count
 * @param {() => Child} make
 */
const around = (count, make) => Array.from({ length: count }, (_, i) => h('g', {
  transform: `rotate(${(360 / count) * i} 20 20)`,
}, make()));
/**
 * What `make` draws, in each corner.
 * @param {(x: number, y: number) => Child} make
 */
const corners = (make) => [[0, 0], [40, 0], [0, 40], [40, 40]].map(([x, y]) => make(x, y));

// Each figure is drawn on 40 by 40, in `light` and `deep` of its colour (see board.css).
/** @type {Record<string, () => Child[]>} */
const FIGURES = {
  // Four leaves to the corners, with veins.
  g: () => [
    around(4, () => [
      path('M20 20C20 12 26 6 34 6C34 14 28 20 20 20Z', LIGHT),
      path('M21.5 18.5L31 9', line('deep', 1.4)),
    ]),
    around(4, () => path('M20 3l3 3.5-3 3.5-3-3.5Z', LIGHT)),
    circle(3.4, DEEP),
    circle(1.5, LIGHT),
  ],
  // A sun.
  o: () => [
    around(12, () => path('M20 4.5L22.3 13H17.7Z', LIGHT)),
    circle(8, LIGHT),
    circle(5.6, DEEP),
    circle(2.6, LIGHT),
    corners((x, y) => circle(3.6, LIGHT, x, y)),
  ],
  // The star of the old azulejos.
  b: () => [
    h('rect', { x: 9.5, y: 9.5, width: 21, height: 21, ...LIGHT }),
    h('rect', { x: 9.5, y: 9.5, width: 21, height: 21, ...LIGHT, transform: 'rotate(45 20 20)' }),
    around(4, () => path('M20 20C17 17 17 12.5 20 9.5C23 12.5 23 17 20 20Z', DEEP)),
    around(4, () => circle(1.5, DEEP, 27.2, 12.8)),
    circle(2, LIGHT),
    corners((x, y) => circle(5, line('light', 2), x, y)),
  ],
  // A lattice of diamonds.
  y: () => [
    path('M20 3L37 20L20 37L3 20Z', line('deep', 2.2)),
    path('M20 11.5L28.5 20L20 28.5L11.5 20Z', DEEP),
    path('M20 15.6L24.4 20L20 24.4L15.6 20Z', LIGHT),
    corners((x, y) => path(`M${x} ${y - 9}L${x + 9} ${y}L${x} ${y + 9}L${x - 9} ${y}Z`, DEEP)),
  ],
  // A rose of rings, with quarter rings in the corners.
  r: () => [
    around(4, () => circle(6.2, LIGHT, 20, 12.6)),
    around(4, () => circle(3.2, DEEP, 20, 12.6)),
    circle(4.6, LIGHT),
    circle(2.2, DEEP),
    corners((x, y) => [circle(7.5, LIGHT, x, y), circle(4.2, DEEP, x, y)]),
  ],
};

/** The figures as symbols, which each tile refers to with `use`. */
export function figures() {
  const shine = h('linearGradient', { id: 'azul-shine', x1: 0, y1: 0, x2: 1, y2: 1 },
    h('stop', { offset: 0, 'stop-color': '#fff', 'stop-opacity': 0.5 }),
    h('stop', { offset: 0.45, 'stop-color': '#fff', 'stop-opacity': 0.04 }),
    h('stop', { offset: 1, 'stop-color': '#000', 'stop-opacity': 0.2 }));
  const clip = h('clipPath', { id: 'azul-edge' }, h('rect', { width: 40, height: 40, rx: 5 }));
  const symbol = (/** @type {string} */ colour, /** @type {() => Child[]} */ figure) => h('symbol', { id: `azul-${colour}`, viewBox: '0 0 40 40' },
    h('g', { 'clip-path': 'url(#azul-edge)' },
      h('rect', { width: 40, height: 40, fill: 'var(--ground)' }),
      figure(),
      h('rect', { width: 40, height: 40, fill: 'url(#azul-shine)' }),
      h('rect', {
        x: 0.8, y: 0.8, width: 38.4, height: 38.4, rx: 4.4, fill: 'none', stroke: '#0004', 'stroke-width': 1.6,
      })));
  const symbols = Object.entries(FIGURES).map(([colour, figure]) => symbol(colour, figure));
  return h('svg', { class: 'figures', 'aria-hidden': 'true' }, h('defs', {}, shine, clip, symbols));
}

/**
 * A tile. `piece`: the name under which it is animated; `next`: its name after the move, on an element above it.
 * @param {string} colour
 * @param {{piece?: string, next?: string, kind?: ClassList}} [options]
 */
export function tile(colour, { piece, next, kind } = {}) {
  return laid(['tile', colour, kind], { piece, next },
    () => h('svg', { viewBox: '0 0 40 40', 'aria-hidden': 'true' }, h('use', { href: `#azul-${colour}` })));
}

/**
 * A tile on the floor line: its colour does not count, and no view contains it.
 * @param {string} piece
 */
export function shard(piece) {
  return laid('tile shard', { piece }, () => h('svg', { viewBox: '0 0 40 40', 'aria-hidden': 'true' },
    h('rect', { x: 1, y: 1, width: 38, height: 38, rx: 5, class: 'ground' }),
    path('M1 24L12 21L17 27L26 16L39 20M17 27L15 39M26 16L22 1', { class: 'crack' })));
}

/**
 * The starting marker.
 * @param {string} label
 * @param {string} piece
 */
export function marker(label, piece) {
  return laid('tile marker', { piece }, () => h('svg', { viewBox: '0 0 40 40', role: 'img', 'aria-label': label },
    h('rect', { x: 1, y: 1, width: 38, height: 38, rx: 9, class: 'ground' }),
    h('circle', { cx: 20, cy: 20, r: 13, class: 'ring' }),
    h('text', { x: 20, y: 27.5, 'text-anchor': 'middle' }, '1')));
}

/**
 * @param {ClassList} kind
 * @param {{piece?: string, next?: string}} names
 * @param {() => Child} figure
 */
function laid(kind, { piece, next }, figure) {
  const over = next && h('span', { class: 'over', data: { piece: next } }, figure());
  return h('span', { class: kind, data: { piece } }, figure(), over);
}
