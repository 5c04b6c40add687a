// Loads a game's board with its style and texts when it is needed. A game without a board gets the plain one.

/** @import {Board, Translate} from '../types.ts' */

import { h } from '../lib/dom.js';
import { file, loadTexts } from '../lib/texts.js';
import * as plain from './plain-board.js';

/**
 * The board of a game.
 * @param {string} game the game's short name
 * @param {boolean} own whether the game has a board of its own
 * @param {Translate} t the pages' texts
 * @returns {Promise<Board>}
 */
export async function board(game, own, t) {
  if (!own) return { ...plain, t: (key, values) => t(`plain.${key}`, values) };
  const folder = `games/${game}/`;
  const [module, texts] = await Promise.all([
    import(file(`${folder}board.js`)), loadTexts(folder), style(file(`${folder}board.css`)),
  ]);
  return { ...module, t: texts };
}

/**
 * Resolves when the style sheet is loaded, or cannot be: a board without its style is still a board.
 * @param {string} href
 * @returns {Promise<unknown>}
 */
export function style(href) {
  // The page links it already if the server knew the game.
  const known = [...document.querySelectorAll('link')].some((link) => link.rel === 'stylesheet' && link.href === href);
  if (known) return Promise.resolve();
  return new Promise((done) => {
    const link = h('link', { rel: 'stylesheet', href, load: done, error: done });
    document.head.append(link);
  });
}
