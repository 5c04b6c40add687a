// The plain board, for games that bring none: a position as names and values, moves as buttons. It exports what a board
// does (see ../README.md).

import { h } from './dom.js';

const MOVE = 'move:';

// A position, and the moves that may be chosen.
export function draw(view, ctx) {
  const moves = [...new Set([...ctx.picked, ...ctx.next])].filter((target) => target.startsWith(MOVE));
  return h('div', { class: 'board-plain' },
    moves.length > 0 && h('div', { class: 'moves', role: 'group', 'aria-label': ctx.t('moves') },
      moves.map((target) => {
        const text = words(JSON.parse(target.slice(MOVE.length)));
        return h('button', { type: 'button', data: { target }, 'aria-label': text }, text);
      })),
    tree(view, ctx));
}

// A move is one button.
export function paths(move) {
  return [[MOVE + JSON.stringify(move)]];
}

// A move, as far as its names and values say it.
export function say(move) {
  return words(move);
}

function words(value) {
  if (Array.isArray(value)) return value.map(words).join(', ');
  if (value === null) return '-';
  if (typeof value !== 'object') return readable(String(value));
  return Object.entries(value).map(([name, part]) => `${readable(name)} ${words(part)}`).join('; ');
}

function readable(name) {
  return name.replaceAll('_', ' ');
}

function flat(value) {
  return value === null || typeof value !== 'object'
    || (Array.isArray(value) && value.every((part) => part === null || typeof part !== 'object'));
}

function tree(value, ctx) {
  if (flat(value)) return h('span', {}, words(value) || ctx.t('nothing'));
  return h('dl', {}, Object.entries(value).map(([name, part]) =>
    h('div', { class: !flat(part) && 'deep' },
      h('dt', {}, Array.isArray(value) ? String(Number(name) + 1) : readable(name)),
      h('dd', {}, tree(part, ctx)))));
}
