// Reports when no pointer is down. A change that moves elements waits for that: an element must not move between press and
// release, or the click is lost.

let pressed = false;
/** @type {((value?: unknown) => void)[]} */
let waiting = [];

addEventListener('pointerdown', () => { pressed = true; }, true);
for (const name of ['pointerup', 'pointercancel']) {
  // The click event follows these events, so the waiting functions run after it.
  addEventListener(name, () => setTimeout(() => {
    pressed = false;
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  }), true);
}

/** Resolves as soon as no pointer is down. */
export function pointerReleased() {
  return new Promise((go) => {
    if (pressed) waiting.push(go);
    else go(undefined);
  });
}
