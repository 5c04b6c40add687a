// The graph of a match: each seat's chance after every move, with the turning points marked. Seats differ by the dash
// pattern of their line as well as by colour.

/** @import {JudgedDecision, Translate} from '../types.ts' */
/** @import {CurvePoint} from './judged.js' */

import { h } from '../lib/dom.js';

const [WIDTH, HEIGHT] = [320, 130];
const STROKES = [null, '9 5', '2 5', '12 4 2 4'];
const [LEFT, TOP, RIGHT, BOTTOM] = [30, 10, 10, 20];

const stroke = (/** @type {number} */ seat) => STROKES[seat % STROKES.length];

/**
 * Draws the graph. `at`: the ply that is shown; `go(ply)`: called when the visitor chooses a ply.
 * @param {{curves: CurvePoint[][], names: string[], plies: number, turns: JudgedDecision[], at: number,
 *   go: (ply: number) => void, t: Translate}} options
 */
export function graph({ curves, names, plies, turns, at, go, t }) {
  const x = (/** @type {number} */ ply) => LEFT + ((WIDTH - LEFT - RIGHT) * ply) / Math.max(1, plies);
  const y = (/** @type {number} */ value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value);
  const path = (/** @type {CurvePoint[]} */ points) =>
    points.map(({ ply, value }) => `${x(ply).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const rule = (/** @type {number} */ value) => [
    h('line', { class: 'rule', x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
    h('text', { class: 'scale', x: LEFT - 5, y: y(value) + 4, 'text-anchor': 'end' }, String(Math.round(100 * value))),
  ];
  const choose = (/** @type {MouseEvent} */ event) => {
    const box = svg.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * WIDTH;
    go(Math.min(plies, Math.max(0, Math.round(((place - LEFT) / (WIDTH - LEFT - RIGHT)) * plies))));
  };
  const svg = h('svg', { class: 'graph', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img',
    'aria-label': t('replay.graph', { names: curves.map((_, seat) => names[seat]).join(', ') }), click: choose },
    [0, 0.5, 1].map(rule),
    curves.map((points, seat) => h('polyline', { class: `curve curve-${seat}`, points: path(points), fill: 'none',
      'stroke-dasharray': stroke(seat) })),
    turns.map(({ ply, seat }) => {
      const spot = (curves[seat] ?? curves[0]).find((point) => point.ply === ply);
      return spot && h('path', { class: 'turning', d: `M${x(ply)} ${y(spot.value) - 6}l5 6l-5 6l-5 -6z` });
    }),
    h('line', { class: 'at', x1: x(at), x2: x(at), y1: TOP, y2: HEIGHT - BOTTOM }),
    h('text', { class: 'scale', x: x(at), y: HEIGHT - 6, 'text-anchor': at > plies / 2 ? 'end' : 'start' },
      String(at)));
  return h('figure', { class: 'opinion' }, svg,
    h('figcaption', {}, curves.map((_, seat) => h('span', { class: 'key' },
      h('svg', { viewBox: '0 0 36 8', width: '36', height: '8', 'aria-hidden': 'true' },
        h('line', { class: `curve curve-${seat}`, x1: 0, x2: 36, y1: 4, y2: 4, 'stroke-dasharray': stroke(seat) })),
      t('replay.chance', { name: names[seat] })))));
}
