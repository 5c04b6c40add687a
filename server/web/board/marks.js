// The moves that an engine recommends, drawn on the board: a number at the edge of each target that chooses the move, and an
// arrow from the taken piece to its destination. Both leave the targets themselves free.

import { fill, h } from '../lib/dom.js';
import { find } from './targets.js';

// A badge's size, and the least length of an arrow, in pixels.
const [BADGE, LEAST] = [20, 16];
// How much of a badge is outside of its target.
const OUTSIDE = 0.75;

export class Marks {
  /** @type {string[][][]} */
  #paths = [];
  /** @type {number | null} */
  #only = null;

  /**
   * `place`: the element in which the board is drawn.
   * @param {HTMLElement} place
   */
  constructor(place) {
    this.place = place;
    this.root = h('svg', { class: 'marks', 'aria-hidden': 'true' });
    new ResizeObserver(() => this.draw()).observe(place);
    place.addEventListener('scroll', () => this.draw(), { capture: true, passive: true });
  }

  /**
   * Shows these moves, the best first; each is a list of groups of targets.
   * @param {string[][][]} paths
   */
  show(paths) {
    this.#paths = paths;
    this.#only = null;
    this.draw();
  }

  /**
   * Shows one of the moves alone; null: all of them.
   * @param {number | null} at
   */
  focus(at) {
    this.#only = at;
    this.draw();
  }

  /** Called after the board is drawn again, which removes everything else. */
  attach() {
    if (this.#paths.length > 0) this.draw();
  }

  /** Draws the marks where their targets are now. */
  draw() {
    if (this.#paths.length === 0) {
      this.root.remove();
      return;
    }
    if (this.root.parentNode !== this.place) this.place.append(this.root);
    const frame = this.place.getBoundingClientRect();
    /** @type {Map<Element, number>} */
    const taken = new Map();
    const arrows = [];
    const badges = [];
    for (const [rank, path] of this.#paths.entries()) {
      if (this.#only !== null && this.#only !== rank) continue;
      const groups = path.map((group) => group.flatMap((target) => find(this.place, target) ?? []));
      const spot = (/** @type {Element} */ element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return { x: left - frame.left + this.place.scrollLeft, y: top - frame.top + this.place.scrollTop, width, height };
      };
      const shown = groups.map((group) => group.filter((element) => element.getBoundingClientRect().width > 0));
      const [first, second] = [shown[0], shown[1]];
      if (first?.length && second?.length) arrows.push(between(around(first.map(spot)), around(second.map(spot)), rank));
      for (const element of shown.flat()) {
        const place = taken.get(element) ?? 0;
        taken.set(element, place + 1);
        const { x, y, width, height } = spot(element);
        // Above the target; below it where the board ends.
        const top = y - BADGE * OUTSIDE;
        const at = top >= 0 ? top : y + height - BADGE * (1 - OUTSIDE);
        badges.push(badge(Math.max(2, Math.min(x + place * (BADGE + 1), x + width - BADGE * 0.6)), at, rank));
      }
    }
    // The best one on top.
    fill(this.root, arrows.reverse(), badges.reverse());
  }
}

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/**
 * The box around all of these.
 * @param {Box[]} spots
 * @returns {Box}
 */
function around(spots) {
  const [x, y] = [Math.min(...spots.map((one) => one.x)), Math.min(...spots.map((one) => one.y))];
  return {
    x, y, width: Math.max(...spots.map((one) => one.x + one.width)) - x, height: Math.max(...spots.map((one) => one.y + one.height)) - y,
  };
}

/**
 * The arrow from the edge of a box to the edge of another one, on the line between their middles.
 * @param {Box} from
 * @param {Box} to
 * @param {number} rank
 */
function between(from, to, rank) {
  const [start, end] = [from, to].map(({ x, y, width, height }) => [x + width / 2, y + height / 2]);
  return arrow(edge(from, start, end), edge(to, end, start), rank);
}

/**
 * Where the line from the middle of a box to a point leaves the box.
 * @param {Box} box
 * @param {number[]} middle
 * @param {number[]} point
 */
function edge({ width, height }, [x, y], [px, py]) {
  const [dx, dy] = [px - x, py - y];
  const share = Math.min(1, Math.abs(width / 2 / dx), Math.abs(height / 2 / dy));
  return [x + dx * share, y + dy * share];
}

/**
 * @param {number[]} from
 * @param {number[]} to
 * @param {number} rank
 */
function arrow([x1, y1], [x2, y2], rank) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < LEAST) return null;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const size = 13 - 2 * rank;
  const [bx, by] = [x2 - ux * size, y2 - uy * size];
  const head = [[x2, y2], [bx - uy * size * 0.6, by + ux * size * 0.6], [bx + uy * size * 0.6, by - ux * size * 0.6]];
  return h('g', { class: `arrow rank-${rank}` },
    h('line', { x1, y1, x2: bx, y2: by, 'stroke-width': 6 - 1.3 * rank }),
    h('polygon', { points: head.map((point) => point.map((n) => n.toFixed(1)).join(',')).join(' ') }));
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} rank
 */
const badge = (x, y, rank) => h('g', { class: `badge rank-${rank}` },
  h('circle', { cx: x + BADGE / 2, cy: y + BADGE / 2, r: BADGE / 2 - 1 }),
  h('text', { x: x + BADGE / 2, y: y + BADGE / 2 + 4.5, 'text-anchor': 'middle' }, String(rank + 1)));
