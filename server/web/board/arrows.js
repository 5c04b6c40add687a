// The rectangle to which an arrow key moves the focus on a board: the nearest one on that side. Pure geometry.

/** @typedef {{left: number, top: number, width: number, height: number}} Rect */

/** @type {Record<string, [number, number]>} */
const SIDES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * The centre of a rectangle, as [x, y].
 * @param {Rect} rect
 */
export function middle(rect) {
  return [rect.left + rect.width / 2, rect.top + rect.height / 2];
}

/**
 * The index in `others` of the rectangle that `key` leads to from `from`; -1 if there is none on that side. A rectangle
 * straight ahead is preferred to one aside.
 * @param {string} key
 * @param {Rect} from
 * @param {Rect[]} others
 */
export function toward(key, from, others) {
  const side = SIDES[key];
  if (!side) return -1;
  const [x, y] = middle(from);
  let best = -1;
  let least = Infinity;
  others.forEach((rect, place) => {
    const [dx, dy] = [middle(rect)[0] - x, middle(rect)[1] - y];
    const ahead = dx * side[0] + dy * side[1];
    const aside = Math.abs(dx * side[1]) + Math.abs(dy * side[0]);
    if (ahead < 1) return;
    const cost = ahead + 2 * aside;
    if (cost < least) [best, least] = [place, cost];
  });
  return best;
}

/**
 * The index in `others` of the rectangle whose centre is nearest; -1 if there are none.
 * @param {Rect} from
 * @param {Rect[]} others
 */
export function nearest(from, others) {
  const [x, y] = middle(from);
  const far = others.map((rect) => Math.hypot(middle(rect)[0] - x, middle(rect)[1] - y));
  return far.indexOf(Math.min(...far));
}
