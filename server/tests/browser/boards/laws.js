// What every board owes the stage, checked for a position and its legal moves.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { clash, look } from '../../../web/js/picker.js';

// A game's board with its words; a word that is missing, or a value that it wants, is an error.
export async function load(game) {
  const folder = new URL(`../../../../engines/src/games/${game}/board/`, import.meta.url);
  const board = await import(new URL('board.js', folder));
  const table = JSON.parse(await readFile(new URL('en.json', folder), 'utf8'));
  const t = (key, values = {}) => {
    assert.ok(key in table, `en.json has no "${key}"`);
    return table[key].replace(/\{(\w+)\}/g, (_, name) => {
      assert.ok(values[name] !== undefined, `"${key}" wants ${name}`);
      return values[name];
    });
  };
  return { ...board, t };
}

// Draws a position as its viewer sees it; all elements.
export function drawn(board, view, { picked = [], next = new Set(), ...more } = {}) {
  const me = view.viewer?.seat ?? null;
  const seats = (view.players ?? view.boards).map((_, i) => ({ name: `Player ${i}`, kind: 'player', out: false }));
  return board.draw(view, { me, seats, turn: view.to_move, t: board.t, picked, next, last: null, ...more }).all;
}

export function checkPosition(board, { view, moves }, beginnings = 60) {
  const routes = moves.map(({ move, notation }) => ({ move, notation, path: board.paths(move, view) }));
  assert.equal(clash(routes), null, 'two moves are made in the same way');
  const states = new Map();
  for (const { move, notation, path } of routes) {
    const picked = path.flat();
    for (let n = 0; n < picked.length; n += 1) states.set(picked.slice(0, n).join(' '), picked.slice(0, n));
    const end = look({ routes }, picked);
    assert.equal(end.move, move, `${notation} is not what ${picked.join(', ')} makes`);
  }
  // The first beginnings of moves, and some of the many others, evenly.
  const all = [...states.values()].sort((a, b) => a.length - b.length);
  const step = Math.max(1, all.length / beginnings);
  for (let at = 0; at < all.length; at += step) {
    const picked = all[Math.floor(at)];
    const { next } = look({ routes }, picked);
    const elements = drawn(board, view, { picked, next });
    const shown = elements.filter((element) => element.dataset.target !== undefined);
    const names = new Set(shown.map((element) => element.dataset.target));
    for (const target of [...next, ...picked]) {
      assert.ok(names.has(target), `${target} is not drawn after ${picked.join(', ')}`);
    }
    for (const element of shown) assert.ok(element.attributes['aria-label'], `${element.dataset.target} has no name`);
    checkPieces(elements);
  }
  const words = new Map();
  for (const { move, notation } of routes) {
    const said = board.say(move, view, board.t);
    assert.ok(said.trim().length > 3, `${notation} is not said`);
    assert.ok(!words.has(said), `${notation} and ${words.get(said)} are both said "${said}"`);
    words.set(said, notation);
  }
}

function checkPieces(elements) {
  const pieces = elements.map((element) => element.dataset.piece).filter((piece) => piece !== undefined);
  const twice = pieces.filter((piece, i) => pieces.indexOf(piece) !== i);
  assert.deepEqual(twice, [], 'pieces are drawn twice');
}

// Draws a move as the stage does, moment by moment; the moments.
export function checkMove(board, { before, move, after, seat }) {
  const last = { seat, move, before };
  const moments = board.steps(before, move, after);
  moments.forEach((view, step) => checkPieces(drawn(board, view, { last, step })));
  checkPieces(drawn(board, after, { last }));
  return moments;
}

// The names of the pieces of a position.
export function pieces(board, view, more) {
  return drawn(board, view, more).map((element) => element.dataset.piece).filter((piece) => piece !== undefined);
}
