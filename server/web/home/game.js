// A game's page: the form that starts a match, the game's latest matches, and the pictures of its rules.

/** @import {Translate} from '../types.ts' */

import { begin } from '../lib/page/begin.js';
import { board } from '../board/board.js';
import { all, required } from '../lib/dom.js';
import { games, keepFilled } from '../lib/matches/lists.js';
import { illustrate } from '../teach/rules.js';
import { start } from './start.js';
import { loadTexts } from '../lib/texts.js';

// The pictures are loaded when the rules are this close to the screen.
const NEAR = '800px';

const loading = loadTexts();
start(required('#start', HTMLFormElement), loading);
begin(async () => {
  const [t, known] = await Promise.all([loading, games()]);
  const place = required('[data-list="matches"]');
  keepFilled(place, known, t, { query: { game: place.dataset.game, limit: '5' }, none: 'game.none' });
  for (const rules of all('.rules[data-game]')) near(rules, () => begin(() => pictures(rules, t)));
});

/**
 * Calls `act` once, when the element is near the screen.
 * @param {HTMLElement} element
 * @param {() => void} act
 */
function near(element, act) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    act();
  }, { rootMargin: NEAR });
  observer.observe(element);
}

/**
 * Draws the pictures of the rules, with the game's board.
 * @param {HTMLElement} rules
 * @param {Translate} t
 */
async function pictures(rules, t) {
  const { game = '' } = rules.dataset;
  await illustrate(rules, await board(game, true, t));
}
