// Where an arrow key leads among things that lie about on a board: to the nearest one on that side. Pure geometry.

const SIDES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// The middle of a rectangle.
export function middle(rect) {
  return [rect.left + rect.width / 2, rect.top + rect.height / 2];
}

// The place in `others` of the rectangle that `key` leads to from `from`; -1 where there is none on that side. What
// lies straight ahead is preferred to what lies aside.
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

// The place in `others` of the rectangle whose middle is nearest; -1 where there are none.
export function nearest(from, others) {
  const [x, y] = middle(from);
  const far = others.map((rect) => Math.hypot(middle(rect)[0] - x, middle(rect)[1] - y));
  return far.indexOf(Math.min(...far));
}
