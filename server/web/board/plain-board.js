// The plain board, for games without a board of their own: a position as names and values, moves as buttons. It has the
// exports of a board (see ../README.md).

/** @import {BoardContext, Opaque} from '../types.ts' */

import { h } from '../lib/dom.js';

const MOVE = 'move:';

/**
 * A position, and the moves that may be chosen.
 * @param {Opaque} view
 * @param {BoardContext} ctx
 */
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

/**
 * One button per move.
 * @param {Opaque} move
 */
export function paths(move) {
  return [[MOVE + JSON.stringify(move)]];
}

/**
 * A move as its names and values.
 * @param {Opaque} move
 */
export function say(move) {
  return words(move);
}

/**
 * A JSON value as text.
 * @param {Opaque} value
 * @returns {string}
 */
function words(value) {
  if (Array.isArray(value)) return value.map(words).join(', ');
  if (value === null) return '-';
  if (typeof value !== 'object') return readable(String(value));
  return Object.entries(value).map(([name, part]) => `${readable(name)} ${words(part)}`).join('; ');
}

/** @param {string} name */
function readable(name) {
  return name.replaceAll('_', ' ');
}

/**
 * Whether a value fits on one line: no object, and no list that holds one.
 * @param {Opaque} value
 */
function flat(value) {
  return value === null || typeof value !== 'object'
    || (Array.isArray(value) && value.every((part) => part === null || typeof part !== 'object'));
}

/**
 * A JSON value as nested lists of names and values.
 * @param {Opaque} value
 * @param {BoardContext} ctx
 * @returns {HTMLElement}
 */
function tree(value, ctx) {
  if (flat(value)) return h('span', {}, words(value) || ctx.t('nothing'));
  return h('dl', {}, Object.entries(value).map(([name, part]) =>
    h('div', { class: !flat(part) && 'deep' },
      h('dt', {}, Array.isArray(value) ? String(Number(name) + 1) : readable(name)),
      h('dd', {}, tree(part, ctx)))));
}
