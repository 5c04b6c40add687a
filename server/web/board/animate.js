// Animates pieces from their old place to their new one when a board is drawn again. Does nothing for visitors who
// prefer reduced motion.

/** @typedef {HTMLElement | SVGElement} Piece */

const MS = 320;
// The id of these animations.
const ANIMATION = 'move-piece';

/** Whether the visitor accepts motion. */
export function motion() {
  return !matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/**
 * The pieces of a board.
 * @param {Element} board
 */
function pieces(board) {
  return /** @type {NodeListOf<Piece>} */ (board.querySelectorAll('[data-piece]'));
}

/**
 * The current places of a board's pieces, by the name of the piece.
 * @param {Element} board
 */
export function places(board) {
  /** @type {Map<string | undefined, DOMRect>} */
  const found = new Map();
  for (const piece of pieces(board)) found.set(piece.dataset.piece, piece.getBoundingClientRect());
  return found;
}

/**
 * Ends the animations of a board, so that its pieces are in their places.
 * @param {Element} board
 */
export function halt(board) {
  for (const piece of board.querySelectorAll('.animated')) {
    piece.classList.remove('animated');
    for (const animation of piece.getAnimations()) if (animation.id === ANIMATION) animation.cancel();
  }
}

/**
 * Animates the pieces of a board from `before`, the result of `places`. New pieces fade in. If `before` is empty,
 * nothing moves.
 * @param {Element} board
 * @param {Map<string | undefined, DOMRect>} before
 */
export function animate(board, before) {
  if (before.size === 0) return;
  /** @type {Map<Element | null | undefined, [number, number]>} */
  const moved = new Map();
  // A board may be shown smaller than it is laid out.
  const scale = board instanceof HTMLElement && board.offsetWidth > 0 ? board.getBoundingClientRect().width / board.offsetWidth : 1;
  for (const piece of pieces(board)) {
    const was = before.get(piece.dataset.piece);
    const is = piece.getBoundingClientRect();
    if (!was || was.width === 0) {
      if (is.width > 0) piece.animate({ opacity: [0, 1] }, { duration: MS, easing: 'ease-out' });
      continue;
    }
    const [dx, dy] = [was.left - is.left + (was.width - is.width) / 2, was.top - is.top + (was.height - is.height) / 2];
    moved.set(piece, [dx, dy]);
    // A piece inside an animated piece moves with it.
    const [cx, cy] = moved.get(piece.parentElement?.closest('[data-piece]')) ?? [0, 0];
    if (Math.hypot(dx - cx, dy - cy) < 1) continue;
    const [x, y] = inside(piece, dx - cx, dy - cy, scale);
    /** @type {PropertyIndexedKeyframes} */
    const frames = { translate: [`${x}px ${y}px`, '0px 0px'] };
    if (piece instanceof HTMLElement && Math.abs(was.width / is.width - 1) > 0.05) {
      frames.scale = [String(was.width / is.width), '1'];
    }
    piece.classList.add('animated');
    const animated = piece.animate(frames, { id: ANIMATION, duration: MS, easing: 'cubic-bezier(0.3, 0.7, 0.3, 1)' });
    animated.onfinish = () => piece.classList.remove('animated');
  }
}

/**
 * A distance on the screen in the piece's own coordinates: an SVG has coordinates of its own. `scale`: that of the board.
 * @param {Piece} piece
 * @param {number} dx
 * @param {number} dy
 * @param {number} scale
 */
function inside(piece, dx, dy, scale) {
  const parent = piece instanceof SVGElement ? piece.parentNode : null;
  const matrix = parent instanceof SVGGraphicsElement ? parent.getScreenCTM() : null;
  if (!matrix) return [dx / scale, dy / scale];
  const { a, b, c, d } = matrix;
  const area = a * d - b * c || 1;
  return [(d * dx - c * dy) / area, (a * dy - b * dx) / area];
}
