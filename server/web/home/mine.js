// The visitor's matches on the first page; loaded for visitors who may have any.

/** @import {Game, Translate} from '../types.ts' */
/** @import {HeldMatch, MyMatch} from '../lib/matches/my-matches.js' */

import { fill, h, required } from '../lib/dom.js';
import { line, timeLeft } from '../lib/matches/lists.js';
import { followMine } from '../lib/matches/my-matches.js';
import { forget } from '../lib/matches/seats.js';

// The page's title, before which the number of turns that wait is shown.
const { title } = document;
const place = (/** @type {string} */ name) => required(`[data-list="${name}"]`);

/**
 * Shows the matches in which this browser or its player holds a seat, and keeps them up to date.
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
export function mine(known, t) {
  followMine((found) => {
    // The matches in which the visitor is to move come first: of those with days for a move, the one with the least time left.
    /** @type {{turns: HTMLElement[], mine: HTMLElement[], past: HTMLElement[]}} */
    const lines = { turns: [], mine: [], past: [] };
    const rest = (/** @type {MyMatch} */ { entry }) => (entry && timeLeft(entry)) ?? 0;
    for (const { held, entry, missing } of found.toSorted((a, b) => rest(a) - rest(b))) {
      const isMine = entry?.stage === 'running' && entry.turn !== null && entry.turn === entry.you;
      if (!entry) {
        if (missing) lines.past.push(gone(held, known, t));
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
}

/**
 * A match that the server no longer knows can be forgotten.
 * @param {HeldMatch} held
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
function gone(held, known, t) {
  const name = known.get(held.game ?? '')?.title;
  const element = h('p', { class: 'match gone' }, name, name !== undefined && ': ', t('list.gone'),
    h('button', {
      type: 'button',
      click: () => {
        forget(held.id);
        element.remove();
      },
    }, t('list.forget')));
  return element;
}
