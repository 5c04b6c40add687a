// The first page: matches being played, finished matches, and the matches of this browser.

/** @import {Game, Translate} from '../types.ts' */
/** @import {HeldMatch, MyMatch} from '../lib/matches/my-matches.js' */

import { begin } from '../lib/page/begin.js';
import { countDown } from '../lib/page/countdown.js';
import { all, fill, h, required } from '../lib/dom.js';
import { games, keepFilled, line, moment, timeLeft } from '../lib/matches/lists.js';
import { followMine } from '../lib/matches/my-matches.js';
import { forget } from '../lib/matches/seats.js';
import { file, loadTexts } from '../lib/texts.js';
import { quick } from './quick.js';

// How often the lists are refreshed while the page is visible.
const AGAIN_MS = 15_000;
const SHOWN = '8';
// How long the match that plays itself waits for the rest of the page, in milliseconds.
const IDLE_MS = 2_000;
// The page's title, before which the number of turns that wait is shown.
const { title } = document;

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

  // The matches in which this browser holds a seat. A match that the server no longer knows can be forgotten.
  followMine((found) => {
    // The matches in which the visitor is to move come first: of those with days for a move, the one with the least time left.
    /** @type {{turns: HTMLElement[], mine: HTMLElement[], past: HTMLElement[]}} */
    const lines = { turns: [], mine: [], past: [] };
    const rest = (/** @type {MyMatch} */ { entry }) => (entry && timeLeft(entry)) ?? 0;
    for (const { held, entry, missing } of found.toSorted((a, b) => rest(a) - rest(b))) {
      const isMine = entry?.stage === 'running' && entry.turn !== null && entry.turn === entry.you;
      if (!entry) {
        if (missing) lines.past.push(gone(held));
      } else if (isMine) lines.turns.push(line(entry, known, t, held));
      else lines[entry.stage === 'over' ? 'past' : 'mine'].push(line(entry, known, t, held));
    }
    fill(place('mine'), lines.turns, lines.mine);
    required('#mine-title').dataset.count = String(lines.turns.length);
    document.title = lines.turns.length ? `(${lines.turns.length}) ${title}` : title;
    fill(place('past'), lines.past);
    required('#past').hidden = !lines.past.length;
    const section = required('#mine');
    const appears = section.hidden;
    section.hidden = [lines.turns, lines.mine, lines.past].every(({ length }) => length === 0);
    // The section was hidden, so the browser could not scroll to it.
    if (appears && location.hash === '#mine') section.scrollIntoView();
  });

  function gone(/** @type {HeldMatch} */ held) {
    const title = known.get(held.game ?? '')?.title;
    const element = h('p', { class: 'match gone' }, title, title !== undefined && ': ', t('list.gone'),
      h('button', {
        type: 'button',
        click: () => {
          forget(held.id);
          element.remove();
        },
      }, t('list.forget')));
    return element;
  }

  setInterval(() => {
    if (document.hidden) return;
    for (const again of lists) again();
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
