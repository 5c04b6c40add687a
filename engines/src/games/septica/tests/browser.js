// What the browser tests need to know of Septica; server/tests/browser/game-data.js describes each part. Not served.

import assert from 'node:assert/strict';

export const edit = {
  begin: () => ({ hand: [7, 8, 9, 10], hands: [4, 4], deck: 24, leader: 0, trick: [], taken: [[], []], draws: 'split', viewer: { seat: 0 } }),
  async edit({ page, panel, open }) {
    await open('hand:8');
    await panel.getByRole('group', { name: 'Put in its place:' }).getByRole('button', { name: 'an ace' }).click();
    await open('trick');
    await panel.getByRole('group', { name: 'Add one:' }).getByRole('button', { name: 'a king' }).click();
    await open('taken:0');
    await panel.getByRole('spinbutton', { name: 'a ten', exact: true }).fill('2');
    await page.keyboard.press('Enter');
  },
  check: (view) => assert.deepEqual(view, { hand: [7, 14, 9, 10], hands: [3, 4], deck: 22, leader: 0, trick: [13], taken: [[10, 10], []],
    draws: 'split', viewer: { seat: 1 } }),
  keys: { target: 'taken:1', control: 'One more: a seven' },
  async wrong({ panel, open }) {
    await open('taken:0');
    await panel.getByRole('button', { name: 'One more: a jack' }).click();
  },
  why: /Cards are taken in pairs, but Seat 1 has an odd number/,
};

export const pictures = { parts: '.card' };

export const tips = { passing: ['stop'] };

// The pieces that a picture of a position draws, for server/tests/browser/board-art.js. Runs in the browser.
export const art = async (folder) => {
  const { face } = await import(`${folder}card.js`);
  const pieces = {};
  const mark = (rank) => {
    const card = face(rank, (key) => key, { small: true });
    card.querySelector('.corner').remove();
    return card;
  };
  for (let rank = 7; rank <= 14; rank += 1) pieces[rank] = face(rank, (key) => key);
  Object.assign(pieces, { star: mark(14), scissors: mark(7) });
  const names = ['face', 'edge', 'cloth', 'print'];
  return { pieces, colours: { ...Object.fromEntries(names.map((name) => [name, ['', `var(--${name})`]])), ink: ['', '#22261f'], back: ['', '#2f5d50'], dot: ['', '#e9dcb6'] } };
};
