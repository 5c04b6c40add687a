// What the browser tests need to know of Ioiwari; server/tests/browser/game-data.js describes each part. Not served.

import assert from 'node:assert/strict';

export const edit = {
  begin: () => ({ pits: [3, 3, 3, 3, 3, 3, 2], banks: [0, 0], to_move: 0, viewer: { seat: 0 } }),
  async edit({ page, panel, open }) {
    await open('pit:1');
    await panel.getByRole('button', { name: 'One less: Beads' }).click({ clickCount: 2 });
    await open('pit:7');
    await panel.getByLabel('Beads', { exact: true }).fill('3');
    await page.keyboard.press('Enter');
    await panel.getByLabel('Seat 2').check();
  },
  check: (view) => assert.deepEqual(view, { pits: [1, 3, 3, 3, 3, 3, 3], banks: [0, 1], to_move: 1, viewer: { seat: 1 } }),
  keys: { target: 'pit:4', control: 'One less: Beads' },
};

export const pictures = { parts: '.ring' };

// The pieces that a picture of a position draws, for server/tests/browser/board-art.js. Runs in the browser.
export const art = async (folder) => {
  const { draw } = await import(`${folder}board.js`);
  const ctx = { me: null, turn: null, last: null, step: undefined, seats: [], t: (key) => key, picked: [], next: new Set() };
  const board = draw({ pits: [0, 0, 0, 0, 0, 0, 0], banks: [0, 0], to_move: 0 }, ctx);
  const colours = Object.fromEntries(['wood', 'wood-deep', 'wood-light', 'hollow'].map((name) => [name, ['', `var(--${name})`]]));
  for (const shade of [0, 1, 2]) colours[`bead ${shade}`] = [`bead shade-${shade}`, 'var(--tint)'];
  return { pieces: { way: board.querySelector('.way') }, colours };
};
