// The first page: matches being played, finished matches, and the matches of this browser.

/** @import {HeldMatch} from '../lib/matches/my-matches.js' */

import { begin } from '../lib/page/begin.js';
import { fill, h, required } from '../lib/dom.js';
import { games, keepFilled, line } from '../lib/matches/lists.js';
import { followMine } from '../lib/matches/my-matches.js';
import { forget } from '../lib/matches/seats.js';
import { loadTexts } from '../lib/texts.js';

// How often the lists are refreshed while the page is visible.
const AGAIN_MS = 15_000;
const SHOWN = '8';

begin(async () => {
  const [t, known] = await Promise.all([loadTexts(), games()]);
  const place = (/** @type {string} */ name) => required(`[data-list="${name}"]`);
  const lists = [
    keepFilled(place('running'), known, t, { query: { stage: 'running', limit: SHOWN }, none: 'home.none_live' }),
    keepFilled(place('over'), known, t, { query: { stage: 'over', limit: SHOWN }, none: 'home.none_over' }),
  ];

  // The matches in which this browser holds a seat. A match that the server no longer knows can be forgotten.
  followMine((found) => {
    /** @type {{mine: HTMLElement[], past: HTMLElement[]}} */
    const lines = { mine: [], past: [] };
    for (const { held, entry, missing } of found) {
      if (entry) lines[entry.stage === 'over' ? 'past' : 'mine'].push(line(entry, known, t, held));
      else if (missing) lines.past.push(gone(held));
    }
    fill(place('mine'), lines.mine);
    fill(place('past'), lines.past);
    required('#past').hidden = !lines.past.length;
    const section = required('#mine');
    const appears = section.hidden;
    section.hidden = !lines.past.length && !lines.mine.length;
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
