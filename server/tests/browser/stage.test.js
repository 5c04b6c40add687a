// The stage with a made-up board: what becomes of a choice that has begun when another position is shown.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { URL_, flawless, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// Shows the scenes on a stage whose moves need two presses, `a` and `b`; after the first scene `a` is chosen. The result: the
// chosen targets after each scene, and the moves that pressing `b` at the end sends.
async function shown(t, scenes) {
  const who = await visitor(browser);
  t.after(() => who.context.close());
  await who.page.goto(`${URL_}/bots`);
  const result = await who.page.evaluate(async (all) => {
    const { Stage } = await import('/web/board/stage.js');
    const { h } = await import('/web/lib/dom.js');
    const sent = [];
    const chosen = [];
    const board = {
      t: (key) => key, say: (move) => move, paths: () => [['a'], ['b']],
      draw: () => h('div', {}, ['a', 'b'].map((target) => h('button', { data: { target }, 'aria-label': target }, target))),
    };
    const root = document.body.appendChild(h('section'));
    const stage = new Stage(root, { board, t: (key) => key, play: async (move) => { sent.push(move.notation); } });
    const press = (target) => root.querySelector(`.place [data-target="${target}"]`).click();
    stage.atOnce.checked = true;
    for (const [n, scene] of all.entries()) {
      stage.show({ seats: [], last: null, moves: [{ move: 'move', notation: 'move' }], ...scene });
      if (n === 0) press('a');
      chosen.push([...root.querySelectorAll('.place .picked')].map((one) => one.dataset.target).join());
    }
    press('b');
    return { chosen, sent };
  }, scenes);
  flawless(who);
  return result;
}

const FIRST = { view: { stones: 3 }, me: 0, turn: 0 };

test('a choice is kept when the same position is shown again', { timeout: 60_000 }, async (t) => {
  const { chosen, sent } = await shown(t, [FIRST, { ...FIRST, seats: [{ name: 'Bogdan', kind: 'player', out: false }] }]);
  assert.deepEqual(chosen, ['a', 'a']);
  assert.deepEqual(sent, ['move'], 'the choice is complete');
});

for (const [what, change] of [
  ['for another player', { me: 1, turn: 1 }],
  ['of another position', { view: { stones: 2 } }],
]) {
  test(`a choice is dropped when the same legal moves are ${what}`, { timeout: 60_000 }, async (t) => {
    const { chosen, sent } = await shown(t, [FIRST, { ...FIRST, ...change }]);
    assert.deepEqual(chosen, ['a', '']);
    assert.deepEqual(sent, [], 'nothing is played by the press that follows');
  });
}
