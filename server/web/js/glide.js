// Lets what carries `data-piece` glide from where it was to where it is, when a board is drawn anew. Does nothing for
// those who want no motion.

const MS = 320;
// The name of such animations.
const GLIDE = 'glide';

// Whether motion is welcome.
export function motion() {
  return !matchMedia('(prefers-reduced-motion: reduce)').matches;
}

// Where the pieces of a board are now.
export function places(board) {
  const found = new Map();
  for (const piece of board.querySelectorAll('[data-piece]')) {
    found.set(piece.dataset.piece, piece.getBoundingClientRect());
  }
  return found;
}

// Ends what glides on a board: its pieces are where they belong.
export function halt(board) {
  for (const piece of board.querySelectorAll('.gliding')) {
    piece.classList.remove('gliding');
    for (const animation of piece.getAnimations()) if (animation.id === GLIDE) animation.cancel();
  }
}

// Lets the pieces of a board glide here from where they were. New ones appear softly. Without `before` nothing moves.
export function glide(board, before) {
  if (before.size === 0) return;
  const moved = new Map();
  for (const piece of board.querySelectorAll('[data-piece]')) {
    const was = before.get(piece.dataset.piece);
    const is = piece.getBoundingClientRect();
    if (!was || was.width === 0) {
      if (is.width > 0) piece.animate({ opacity: [0, 1] }, { duration: MS, easing: 'ease-out' });
      continue;
    }
    const [dx, dy] = [was.left - is.left + (was.width - is.width) / 2, was.top - is.top + (was.height - is.height) / 2];
    moved.set(piece, [dx, dy]);
    // What lies in something that glides is carried along.
    const [cx, cy] = moved.get(piece.parentElement?.closest('[data-piece]')) ?? [0, 0];
    if (Math.hypot(dx - cx, dy - cy) < 1) continue;
    const [x, y] = inside(piece, dx - cx, dy - cy);
    const frames = { translate: [`${x}px ${y}px`, '0px 0px'] };
    if (piece instanceof HTMLElement && Math.abs(was.width / is.width - 1) > 0.05) {
      frames.scale = [String(was.width / is.width), '1'];
    }
    piece.classList.add('gliding');
    const gliding = piece.animate(frames, { id: GLIDE, duration: MS, easing: 'cubic-bezier(0.3, 0.7, 0.3, 1)' });
    gliding.onfinish = () => piece.classList.remove('gliding');
  }
}

// A way on the screen as a way in the piece's own measure: that of an SVG is its own.
function inside(piece, dx, dy) {
  const matrix = piece instanceof SVGElement && piece.parentNode?.getScreenCTM?.();
  if (!matrix) return [dx, dy];
  const { a, b, c, d } = matrix;
  const area = a * d - b * c || 1;
  return [(d * dx - c * dy) / area, (a * dy - b * dx) / area];
}
