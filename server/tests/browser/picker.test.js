// How moves are put together from targets, without a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BegunChoice, choose, clash, isPossible, look, rest } from '../../web/board/picker.js';

const ways = (...paths) => ({ routes: paths.map((path) => ({ move: JSON.stringify(path), path })) });
const next = (given, picked) => [...look(given, picked).next].sort().join(' ');
const click = (given, ...targets) => targets.reduce((picked, target) => choose(given, picked, target), []);

// Chips: three of a kind that differ, or one and one back; a card; a card with a noble.
const market = ways(
  [['red', 'blue', 'green']],
  [['red', 'blue'], ['back:red']],
  [['card']],
  [['card'], ['noble:1']],
  [['card'], ['noble:2']],
);

test('targets of a group are chosen in any order, groups one after another', () => {
  assert.deepEqual(rest([['a', 'b'], ['c']], ['b']), { next: ['a'] });
  assert.deepEqual(rest([['a', 'b'], ['c']], ['b', 'a']), { next: ['c'] });
  assert.deepEqual(rest([['a', 'b'], ['c']], ['b', 'a', 'c']), { next: [] });
  assert.equal(rest([['a', 'b'], ['c']], ['a', 'c']), null);
  assert.equal(rest([['a', 'b'], ['c']], ['c']), null);
  assert.equal(rest([['a']], ['a', 'a']), null);
});

test('a target chosen twice counts twice', () => {
  assert.deepEqual(rest([['a', 'a']], ['a']), { next: ['a'] });
  assert.deepEqual(rest([['a', 'a']], ['a', 'a']), { next: [] });
  const two = ways([['a', 'a']], [['a', 'b']]);
  assert.deepEqual(click(two, 'a', 'a'), ['a', 'a']);
  assert.deepEqual(click(two, 'a', 'a', 'a'), ['a'], 'a third click takes one back');
});

test('what may be chosen next', () => {
  assert.equal(next(market, []), 'blue card green red');
  assert.equal(next(market, ['blue']), 'green red');
  assert.equal(next(market, ['blue', 'red']), 'back:red green');
  assert.equal(next(market, ['blue', 'green', 'red']), '');
});

test('a move may be complete and the beginning of a longer one', () => {
  const card = look(market, ['card']);
  assert.equal(card.move, '[["card"]]');
  assert.ok(card.more);
  const noble = look(market, ['card', 'noble:2']);
  assert.equal(noble.move, '[["card"],["noble:2"]]');
  assert.ok(!noble.more);
  assert.equal(look(market, ['red']).move, null);
});

test('a second click removes a target and those that depended on it', () => {
  assert.deepEqual(click(market, 'red', 'blue', 'red'), ['blue'], 'blue did not depend on red');
  assert.deepEqual(click(market, 'red', 'blue', 'back:red', 'red'), ['blue'], 'giving back did');
  assert.deepEqual(click(market, 'card', 'noble:1', 'card'), []);
});

test('another target of the same group replaces the chosen one', () => {
  assert.deepEqual(click(market, 'card', 'noble:1', 'noble:2'), ['card', 'noble:2']);
  assert.deepEqual(click(market, 'red', 'blue', 'card'), ['card']);
  assert.deepEqual(click(market, 'red', 'nowhere'), ['red'], 'a click beside everything changes nothing');
});

test('every sequence of clicks is the beginning of a move', () => {
  const targets = ['red', 'blue', 'green', 'back:red', 'card', 'noble:1', 'noble:2', 'nowhere'];
  let state = 7;
  let picked = [];
  for (let i = 0; i < 5000; i += 1) {
    state = (state * 48271) % 2147483647;
    picked = choose(market, picked, targets[state % targets.length]);
    assert.ok(isPossible(market, picked), picked.join(' '));
  }
});

// A hand of cards: the moves they form are known only after the API has answered.
const answers = new Map([['5 6 7', new Map([['table', 'meld 5 6 7']])], ['9', new Map([['pile', 'discard 9']])]]);
const hand = {
  routes: [{ move: 'draw', path: [['stock']] }],
  choices: new Set(['5', '6', '7', '9']),
  offered: (picked) => answers.get([...picked].sort().join(' ')),
};

test('cards are chosen freely, and the moves they form are highlighted', () => {
  assert.equal(next(hand, []), '5 6 7 9 stock');
  assert.equal(next(hand, ['7', '5']), '6 9', 'the API has not answered for these');
  assert.equal(next(hand, ['7', '5', '6']), '9 table');
  assert.equal(look(hand, ['7', '5', '6']).move, null);
  assert.equal(look(hand, ['7', '5', '6', 'table']).move, 'meld 5 6 7');
  assert.equal(next(hand, ['7', '5', '6', 'table']), '');
});

test('removing a card removes the moves that it formed', () => {
  assert.deepEqual(click(hand, '7', '5', '6', 'table', '5'), ['7', '6']);
  assert.deepEqual(click(hand, '7', '5', '6', 'table', 'table'), ['7', '5', '6']);
  assert.deepEqual(click(hand, '9', 'pile', '9'), []);
  assert.deepEqual(click(hand, '7', 'stock'), ['stock']);
});

test('two moves made in the same way are found', () => {
  assert.equal(clash(market.routes), null);
  assert.deepEqual(clash(ways([['a', 'b']], [['b', 'a']]).routes), ['[["a","b"]]', '[["b","a"]]']);
});

test('a choice that was begun before the turn goes on when something can be chosen again', () => {
  const scene = (view, more = {}) => ({ view, me: 0, turn: 1, seats: [], moves: [], last: null, ahead: null, ...more });
  const ahead = (view, chosen = null) => scene(view, { ahead: { moves: [{}], chosen } });
  const turn = (view, more = {}) => scene(view, { turn: 0, moves: [{}], ...more });
  // The scenes one after another; the choice in each is the one that it began with.
  const course = (picked, ...scenes) => {
    const begun = new BegunChoice();
    return scenes.slice(1).reduce((chosen, one, at) => begun.next(one, scenes[at], chosen), picked);
  };
  assert.deepEqual(course(['a'], ahead(1), turn(2)), ['a']);
  assert.deepEqual(course(['a'], ahead(1), ahead(1)), ['a'], 'the same turn again');
  assert.deepEqual(course(['a'], ahead(1), scene(2, { step: 0 }), scene(2, { step: 1 }), turn(3)), ['a'], 'a move shown in steps');
  assert.deepEqual(course(['a'], ahead(1), scene(2), ahead(2), turn(3)), ['a'], 'another seat moves twice');
  assert.deepEqual(course(['a'], ahead(1), scene(1), turn(2)), [], 'premoves were switched off');
  assert.deepEqual(course(['a'], ahead(1, {}), turn(2)), [], 'a planned move is not a choice that goes on');
  assert.deepEqual(course(['a'], ahead(1), turn(2, { me: 1 })), [], 'another seat');
  assert.deepEqual(course(['a'], turn(1), scene(2), turn(3)), [], 'a choice at the turn ends with it');
});
