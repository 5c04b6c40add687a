// A game's board, its look and its words, loaded when they are needed; the plain one where the game brings none.

import { h } from './dom.js';
import { words } from './words.js';
import * as plain from './plain.js';

// The board of a game; `own`: whether the game brings one. Beside what it exports it has `t`, the game's words.
export async function board(game, own, t) {
  if (!own) return { ...plain, t: (key, values) => t(`plain.${key}`, values) };
  const [module, told] = await Promise.all([
    import(`/web/games/${game}/board.js`), words(`/web/games/${game}/en.json`), style(`/web/games/${game}/board.css`),
  ]);
  return { ...module, t: told };
}

function style(href) {
  return new Promise((done) => {
    const link = h('link', { rel: 'stylesheet', href, load: done, error: done });
    document.head.append(link);
  });
}
