// The history of a rating as a graph: the rating after each match, and the band in which the strength lies.

/** @import {RatingPoint, Translate} from '../types.ts' */

import { h } from '../lib/dom.js';
import { language } from '../lib/texts.js';

const [WIDTH, HEIGHT] = [640, 240];
const [LEFT, TOP, RIGHT, BOTTOM] = [48, 12, 12, 26];
// The distances between horizontal lines, in points; the smallest one that gives at most this many lines is taken.
const STEPS = [25, 50, 100, 200, 400, 800];
const LINES = 6;

/**
 * Draws the graph.
 * @param {RatingPoint[]} history
 * @param {Translate} t
 */
export function ratingGraph(history, t) {
  if (history.length === 0) return null;
  const [first, last] = [history[0], history[history.length - 1]];
  const low = Math.min(...history.map(({ points, margin }) => points - margin));
  const high = Math.max(...history.map(({ points, margin }) => points + margin));
  const step = STEPS.find((size) => (high - low) / size <= LINES) ?? STEPS[STEPS.length - 1];
  const [bottom, top] = [Math.floor(low / step) * step, Math.ceil(high / step) * step];
  const x = (/** @type {number} */ played) =>
    LEFT + ((WIDTH - LEFT - RIGHT) * (played - first.played)) / Math.max(1, last.played - first.played);
  const y = (/** @type {number} */ points) => TOP + ((HEIGHT - TOP - BOTTOM) * (top - points)) / (top - bottom || 1);
  const at = (/** @type {number} */ played, /** @type {number} */ points) => `${x(played).toFixed(1)},${y(points).toFixed(1)}`;
  const band = [
    ...history.map(({ played, points, margin }) => at(played, points + margin)),
    ...[...history].reverse().map(({ played, points, margin }) => at(played, points - margin)),
  ];
  const levels = Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_, n) => bottom + n * step);
  const label = t('player.graph', { played: last.played, first: first.points, last: last.points, margin: last.margin });
  const svg = h('svg', { class: 'rating-graph', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label },
    levels.map((points) => [
      h('line', { class: 'rule', x1: LEFT, x2: WIDTH - RIGHT, y1: y(points), y2: y(points) }),
      h('text', { class: 'scale', x: LEFT - 6, y: y(points) + 4, 'text-anchor': 'end' }, points),
    ]),
    h('polygon', { class: 'band', points: band.join(' ') }),
    h('polyline', { class: 'curve', fill: 'none', points: history.map(({ played, points }) => at(played, points)).join(' ') }),
    history.map((point) => h('circle', { class: ['spot', point.provisional && 'provisional'], cx: x(point.played), cy: y(point.points), r: 3 },
      h('title', {}, t('player.graph.point', { ...point, date: new Date(point.at_ms).toLocaleDateString(language(), { day: 'numeric', month: 'short', year: 'numeric' }) })))),
    h('text', { class: 'scale', x: LEFT, y: HEIGHT - 8 }, t('player.graph.match', { played: first.played })),
    first !== last && h('text', { class: 'scale', x: WIDTH - RIGHT, y: HEIGHT - 8, 'text-anchor': 'end' },
      t('player.graph.match', { played: last.played })));
  return h('figure', {}, svg, h('figcaption', { class: 'soft' }, t('player.graph.say')));
}
