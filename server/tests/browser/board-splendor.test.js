// Splendor's board: chips are chosen one by one, payments match their descriptions, and cards drawn by others are hidden.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { look } from '../../web/board/picker.js';
import { board, drawn } from './fake-dom.js';
import { played, positions, shown } from './api-data.js';

const KINDS = ['red', 'green', 'blue', 'white', 'black', 'gold'];
const made = await board('splendor');
const kind = (element, name) => element.attributes.class?.split(' ').includes(name);

for (const players of [1, 2, 3, 4]) {
  test(`every next target is on the board, with ${players} players`, { timeout: 300_000 }, async () => {
    for await (const { view, seat, moves, at } of positions('splendor', { seeds: 4, parts: 8, options: { players } })) {
      const routes = moves.map(({ move }) => ({ move, path: made.paths(move, view) }));
      const begun = new Map([['', []]]);
      for (const { move, path } of routes) {
        const picked = path.flat();
        assert.equal(look({ routes }, picked).move, move, `${at}: ${picked}`);
        for (let n = 1; n < picked.length; n += 1) begun.set(picked.slice(0, n).join(), picked.slice(0, n));
      }
      // All first choices, and a sample of the longer ones.
      const all = [...begun.values()].sort((a, b) => a.length - b.length);
      for (const picked of all.filter((one, i) => one.length < 2 || i % 20 === 0)) {
        const { next } = look({ routes }, picked);
        const { targets } = drawn(made, view, { me: seat, turn: seat, picked, next });
        const missing = [...next, ...picked].filter((target) => !targets.get(target));
        assert.deepEqual(missing, [], `${at}, after ${picked}`);
      }
      const said = moves.map(({ move }) => made.say(move, view, made.t));
      assert.equal(new Set(said).size, said.length, `${at}: two moves are said alike`);
    }
  });
}

test('moved pieces come from where they lay, and payments match their descriptions', async () => {
  let bought = 0;
  for (const seed of ['1', '2', '3']) {
    const { id, token } = await played('splendor', seed);
    for (const { view, last } of await shown(id, token)) {
      if (!last) continue;
      const [moment] = made.steps(last.before, last.move, view);
      const going = new Set(drawn(made, moment, { last, step: 0 }).pieces);
      const strange = drawn(made, view).pieces.filter((piece) => !going.has(piece));
      assert.deepEqual(strange, [], JSON.stringify(last.move));
      if (last.move.action !== 'buy') continue;
      bought += 1;
      const said = made.say(last.move, last.before, made.t).split(' and pays ')[1] ?? '';
      const [was, is] = [last.before, view].map(({ players }) => players[last.seat].chips);
      const paid = KINDS.map((colour) => was[colour] - is[colour]);
      const told = KINDS.map((colour) => Number(new RegExp(`(\\d+) ${colour}`).exec(said)?.[1] ?? 0));
      assert.deepEqual(told, paid, said);
    }
  }
  assert.ok(bought > 10, `${bought} cards`);
});

test('payable cards are marked, and no others', async () => {
  for await (const { view, seat, moves, at } of positions('splendor', { seeds: 4, parts: 8 })) {
    const marked = [...drawn(made, view, { me: seat }).element.all()].filter((element) => kind(element, 'payable'));
    const buys = moves.filter(({ move }) => move.action === 'buy').map(({ move }) => `card:${move.card}`);
    assert.deepEqual(marked.map(({ dataset }) => dataset.piece).sort(), buys.sort(), at);
  }
});

test('cards that other seats drew from a deck are face down', async () => {
  let hidden = 0;
  for await (const { view, at } of positions('splendor', { seeds: 4, parts: 8, options: { players: 3 } })) {
    const backs = drawn(made, view).pieces.filter((piece) => piece.startsWith('hidden:'));
    assert.equal(backs.length, view.players.flatMap(({ reserved }) => reserved).filter((id) => id < 0).length, at);
    hidden += backs.length;
  }
  assert.ok(hidden > 0, 'no card was drawn from a deck');
});
