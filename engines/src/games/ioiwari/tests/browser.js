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
