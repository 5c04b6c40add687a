// What the browser tests need to know of Splendor; server/tests/browser/game-data.js describes each part. Not served.

import assert from 'node:assert/strict';

export const edit = {
  begin: async ({ api }) => (await api('/v1/games/splendor/positions', { body: { seed: 5, plies: 0 } })).position,
  async edit({ panel, open }) {
    await open('slot:3:0');
    await panel.getByRole('radio', { name: /^level 3 red card worth 4 points \(.*7 green/ }).check();
    await open('column:0:red');
    await panel.getByRole('button', { name: 'One more: Seat 1' }).click();
    await panel.getByRole('button', { name: 'One more: Seat 1' }).click();
    await panel.getByRole('group', { name: 'Add one:' }).getByRole('button', { name: /^level 1 red card \(.*3 white/ }).first().click();
  },
  check(view) {
    assert.equal(view.levels[2].face_up[0], 71);
    assert.equal(view.players[0].chips.red, 2);
    assert.equal(view.players[0].cards.length, 1);
    assert.equal(view.players.reduce((sum, { chips }) => sum + chips.red, view.chips.red), [4, 4, 5, 7][view.players.length - 1]);
    // The chips and the card took some rounds.
    assert.ok(view.round >= 2);
  },
  keys: { target: 'column:0:green', control: 'One more: Seat 1' },
};

export const pictures = { parts: '.card, .chip, .noble' };

// The pieces that a picture of a position draws, for server/tests/browser/board-art.js. Runs in the browser.
export const art = async (folder) => {
  const { chip, jewel, pip, portrait } = await import(`${folder}jewel.js`);
  const { h } = await import('/web/lib/dom.js');
  const pieces = {};
  const colours = { felt: ['', 'var(--felt)'], 'felt-edge': ['', 'var(--felt-edge)'], panel: ['', 'var(--panel)'], 'panel-edge': ['', 'var(--panel-edge)'] };
  for (const colour of ['red', 'green', 'blue', 'white', 'black', 'gold']) {
    pieces[`jewel ${colour}`] = h('div', { class: colour }, jewel(colour));
    pieces[`chip ${colour}`] = chip(colour, '');
    if (colour !== 'gold') pieces[`pip ${colour}`] = h('div', { class: colour }, pip(colour, ''));
    for (const name of ['c', 'deep', 'tint', 'on']) colours[`${colour} ${name}`] = [colour, `var(--${name})`];
  }
  for (let id = 1; id <= 10; id += 1) pieces[`noble ${id}`] = portrait(id);
  for (const level of [1, 2, 3]) colours[`back ${level}`] = [`card back level${level}`, 'var(--back)'];
  return { pieces, colours };
};
