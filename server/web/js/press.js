// Whether a pointer is down: what is pressed must still be there, and in its place, to be clicked.

let pressed = false;
let waiting = [];

addEventListener('pointerdown', () => { pressed = true; }, true);
for (const name of ['pointerup', 'pointercancel']) {
  // The click itself comes right after these.
  addEventListener(name, () => setTimeout(() => {
    pressed = false;
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  }), true);
}

// Comes as soon as no pointer is down: for what would move other things on the page.
export function unpressed() {
  return new Promise((go) => {
    if (pressed) waiting.push(go);
    else go();
  });
}
