// A game's page: the form that starts a match, and the game's latest matches.

/** @import {Translate} from '../types.ts' */

import { begin } from './begin.js';
import { board } from './board.js';
import { required } from './dom.js';
import { games, keepFilled } from './lists.js';
import { Rules } from './rules.js';
import { start } from './start.js';
import { loadTexts } from './texts.js';

const loading = loadTexts();
start(required('#start', HTMLFormElement), loading);
begin(async () => {
  const [t, known] = await Promise.all([loading, games()]);
  const place = required('[data-list="matches"]');
  keepFilled(place, known, t, { query: { game: place.dataset.game, limit: '8' }, none: 'game.none' });
  rules(t);
});

/**
 * Makes the button work that opens the rules with their pictures, if the game has them. Its board is loaded then.
 * @param {Translate} t
 */
function rules(t) {
  const button = document.querySelector('#rules');
  if (!(button instanceof HTMLButtonElement)) return;
  /** @type {Rules | null} */
  let drawer = null;
  button.addEventListener('click', () => begin(async () => {
    const { game = '', title = '' } = button.dataset;
    drawer ??= new Rules({ t, board: await board(game, true, t), title });
    await drawer.open();
  }));
  button.inert = false;
}
