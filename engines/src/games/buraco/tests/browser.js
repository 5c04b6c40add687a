// What the browser tests need to know of Buraco; server/tests/browser/game-data.js describes each part. Not served.

import assert from 'node:assert/strict';

export const edit = {
  begin: async ({ api }) => (await api('/v1/games/buraco/positions', { body: { seed: 5, plies: 0 } })).position,
  async edit({ panel, open }) {
    await open('new:0');
    await panel.locator('.palette button').first().click();
    // It stays open as a meld, to which cards are added.
    await panel.locator('.palette button').first().click();
    await open('held:1');
    await panel.getByRole('button', { name: 'One less: Cards' }).click();
  },
  check(view, begin) {
    assert.equal(view.melds[0].length, 1);
    assert.equal(view.melds[0][0].length, 4);
    assert.equal(view.hand_sizes[1], begin.hand_sizes[1] - 1);
    assert.equal(view.stock, begin.stock - 3);
  },
  keys: { target: 'held:1', control: 'One more: Cards' },
  async wrong(tools) {
    const { panel, open } = tools;
    await edit.edit(tools);
    await open('meld:0:0');
    for (let cards = 4; cards > 2; cards -= 1) {
      await panel.locator('.tray button').first().click();
      await panel.getByRole('button', { name: 'Remove', exact: true }).click();
    }
  },
  why: /Seat 1 has a meld that is none: a meld has at least three cards/,
};

export const pictures = { parts: '.card' };

export const tips = { passing: ['new'] };

// On a small phone the area of the player's own melds scrolls; the bar's buttons offer the melds too.
export const scrolling = /^(meld:|new)/;

// The pieces that a picture of a position draws, for server/tests/browser/board-art.js. Runs in the browser.
export const art = async (folder) => {
  const { face, suitName } = await import(`${folder}card.js`);
  const pieces = {};
  const colours = { face: ['', 'var(--face)'], edge: ['', 'var(--edge)'], cloth: ['', 'var(--cloth)'], gold: ['', 'var(--gold)'] };
  for (const suit of ['♥', '♦', '♣', '♠']) {
    pieces[suit] = face(`5${suit}`, (key) => key);
    colours[suit] = [`card ${suitName(suit)}`, 'var(--ink-of)'];
  }
  return { pieces, colours };
};
