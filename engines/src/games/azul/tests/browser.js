// What the browser tests need to know of Azul; server/tests/browser/game-data.js describes each part. Not served.

import assert from 'node:assert/strict';

const EMPTY = { lines: Array.from({ length: 5 }, () => ({ count: 0, colour: null })), wall: Array(5).fill('.....'), floor: 0, score: 0 };

export const edit = {
  begin: () => ({ displays: Array(5).fill([1, 1, 1, 1, 0]), centre: [0, 0, 0, 0, 0], marker: null, boards: [EMPTY, EMPTY], to_move: 0, viewer: { seat: 0 } }),
  async edit({ panel, open }) {
    await open('display:1');
    await panel.getByRole('group', { name: 'Put in its place:' }).getByRole('button', { name: 'red', exact: true }).click();
    await open('wall:0:1:1');
    await open('wall:1:0:0');
    await open('line:1:4');
    await panel.getByRole('radio', { name: 'orange' }).check();
    await panel.getByRole('button', { name: 'One more: Tiles' }).click();
  },
  check(view) {
    assert.deepEqual(view.displays[0], [0, 1, 1, 1, 1]);
    assert.equal(view.boards[0].wall[1], '.g...');
    assert.equal(view.boards[1].wall[0], 'g....');
    assert.deepEqual(view.boards[1].lines[4], { count: 2, colour: 'o' });
  },
  keys: { target: 'line:0:2', control: 'One more: Tiles' },
  async wrong({ panel, open }) {
    await open('line:0:0');
    await panel.getByRole('radio', { name: 'red' }).check();
  },
  why: /Full lines and floor lines need more tiles \(1\) than were taken in this round \(0\): empty a display/,
};

export const pictures = { parts: '.tile' };

// The pieces that a picture of a position draws, for server/tests/browser/board-art.js. Runs in the browser.
export const art = async (folder) => {
  const { figures, marker, shard } = await import(`${folder}tile.js`);
  const { h } = await import('/web/lib/dom.js');
  const all = figures();
  const tile = (colour) => h('span', { class: ['tile', colour] },
    h('svg', { viewBox: '0 0 40 40' }, [...all.querySelector(`#azul-${colour}`).children].map((part) => part.cloneNode(true))));
  const defs = h('svg', {}, [...all.querySelectorAll('linearGradient, clipPath')]);
  const pieces = { defs, shard: shard('one'), marker: marker('one', 'one') };
  for (const colour of 'gobyr') pieces[colour] = tile(colour);
  const names = ['stone', 'stone-edge', 'slot', 'cloth', 'plate', 'plate-edge'];
  return { pieces, colours: Object.fromEntries(names.map((name) => [name, ['', `var(--${name})`]])) };
};
