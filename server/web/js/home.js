// The first page: matches being played, finished matches, and the matches of this browser.

/** @import {Held, ListEntry, MatchList} from '../types.ts' */

import { begin } from './begin.js';
import { fill, h, required } from './dom.js';
import { Refused, ask } from './api.js';
import { games, keepFilled, line } from './lists.js';
import { pointerReleased } from './pointer.js';
import { forget, list } from './seats.js';
import { myToken } from './session.js';
import { loadTexts } from './texts.js';

// How often the lists are refreshed while the page is visible.
const AGAIN_MS = 15_000;
const SHOWN = '8';
const MINE = 20;

/** @typedef {Held & {id: string}} HeldMatch */
/** @typedef {{entry: ListEntry | null, missing: boolean}} Found `missing`: the server no longer knows the match */

/**
 * A match of this browser, as the server knows it now.
 * @param {HeldMatch} held
 * @returns {Promise<Found>}
 */
async function look(held) {
  try {
    return { entry: await ask(`/v1/matches/${held.id}`, { who: { ...held, token: held.token ?? myToken() } }), missing: false };
  } catch (error) {
    return { entry: null, missing: error instanceof Refused && [404, 401].includes(error.status) };
  }
}

/** The matches of the player who is signed in, on any device. @returns {Promise<HeldMatch[]>} */
async function played() {
  const token = myToken();
  if (!token) return [];
  try {
    /** @type {MatchList} */
    const { matches } = await ask(`/v1/me/matches?limit=${MINE}`, { who: { token } });
    return matches.map(({ id, game, created_ms: at }) => ({ id, game, at }));
  } catch {
    // Signed out on another device, or the server cannot be reached.
    return [];
  }
}

begin(async () => {
  const [t, known] = await Promise.all([loadTexts(), games()]);
  const place = (/** @type {string} */ name) => required(`[data-list="${name}"]`);
  const lists = [
    keepFilled(place('running'), known, t, { query: { stage: 'running', limit: SHOWN }, none: 'home.none_live' }),
    keepFilled(place('over'), known, t, { query: { stage: 'over', limit: SHOWN }, none: 'home.none_over' }),
  ];

  // The matches in which this browser holds a seat. A match that the server no longer knows can be forgotten.
  /** @type {string | undefined} */
  let shown;
  async function mine() {
    const kept = list();
    const more = (await played()).filter(({ id }) => !kept.some((one) => one.id === id));
    const held = [...kept, ...more].sort((a, b) => (b.at ?? 0) - (a.at ?? 0)).slice(0, MINE);
    const found = await Promise.all(held.map(look));
    // Filling these lists moves the games below them.
    await pointerReleased();
    const content = JSON.stringify(found.map(({ entry }) => [entry?.id, entry?.seq]));
    if (content === shown) return;
    shown = content;
    /** @type {{mine: HTMLElement[], past: HTMLElement[]}} */
    const lines = { mine: [], past: [] };
    found.forEach(({ entry, missing }, at) => {
      if (entry) lines[entry.stage === 'over' ? 'past' : 'mine'].push(line(entry, known, t, held[at]));
      else if (missing) lines.past.push(gone(held[at]));
    });
    fill(place('mine'), lines.mine);
    fill(place('past'), lines.past);
    required('#past').hidden = !lines.past.length;
    const section = required('#mine');
    const appears = section.hidden;
    section.hidden = !lines.past.length && !lines.mine.length;
    // The browser could not scroll to it before.
    if (appears && location.hash === '#mine') section.scrollIntoView();
  }

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

  mine();
  setInterval(() => {
    if (document.hidden) return;
    for (const again of lists) again();
    mine();
  }, AGAIN_MS);
});
