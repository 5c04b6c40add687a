// The first page: matches being played and finished matches; those of the visitor are in mine.js.

/** @import {Game, Translate} from '../types.ts' */

import { begin } from '../lib/page/begin.js';
import { countDown } from '../lib/page/countdown.js';
import { all, required } from '../lib/dom.js';
import { games, keepFilled, moment } from '../lib/matches/lists.js';
import { list as held } from '../lib/matches/seats.js';
import { myToken } from '../lib/session.js';
import { file, loadTexts } from '../lib/texts.js';
import { quick } from './quick.js';

// How often the lists are refreshed while the page is visible.
const AGAIN_MS = 15_000;
const SHOWN = '8';
// How long the match that plays itself waits for the rest of the page, in milliseconds.
const IDLE_MS = 2_000;

begin(async () => {
  const [t, known] = await Promise.all([loadTexts(), games()]);
  quick(t);
  for (const time of all('time[data-ms]')) time.replaceWith(moment(Number(time.dataset.ms)));
  countDown(t);
  showMatch(t, known);
  const place = (/** @type {string} */ name) => required(`[data-list="${name}"]`);
  const lists = [
    keepFilled(place('running'), known, t, { query: { stage: 'running', limit: SHOWN }, none: 'home.none_live' }),
    keepFilled(place('over'), known, t, { query: { stage: 'over', limit: SHOWN }, none: 'home.none_over' }),
  ];

  // Most visitors who come for the first time have no match.
  let isFollowed = false;
  const showMine = () => {
    if (isFollowed || document.hidden || (held().length === 0 && !myToken())) return;
    isFollowed = true;
    begin(async () => {
      /** @type {typeof import('./mine.js')} */
      const { mine } = await import(file('home/mine.js'));
      mine(known, t);
    });
  };
  showMine();
  document.addEventListener('visibilitychange', showMine);

  setInterval(() => {
    if (document.hidden) return;
    for (const again of lists) again();
    showMine();
  }, AGAIN_MS);
});

/**
 * Loads the window in which a match plays itself, when the page has nothing else to do.
 * @param {Translate} t
 * @param {Map<string, Game>} known
 */
function showMatch(t, known) {
  const section = document.querySelector('.show');
  if (!(section instanceof HTMLElement)) return;
  const load = () => begin(async () => {
    /** @type {typeof import('../watch/show.js')} */
    const { keepShowing } = await import(file('watch/show.js'));
    await keepShowing(section, known, t, '/tv');
  });
  // Not every browser has idle callbacks.
  if ('requestIdleCallback' in window) requestIdleCallback(load, { timeout: IDLE_MS });
  else setTimeout(load);
}
