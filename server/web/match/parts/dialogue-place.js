// The place of what the bots have read and written: closed, and loaded when somebody opens it.

/** @import {MatchStore} from '../../lib/matches/match-store.js' */
/** @import {Dialogue} from './dialogue.js' */

import { fill, h } from '../../lib/dom.js';
import { myToken } from '../../lib/session.js';
import { file } from '../../lib/texts.js';

/**
 * @param {HTMLElement} root
 * @param {MatchStore} match
 */
export function dialoguePlace(root, match) {
  const { t, game, page: { seats: { length } } } = match;
  // The contest's own seats come first.
  const seats = [...new Set([...game.bot_seats, ...game.mirror_seats])].filter((seat) => seat < length);
  root.hidden = true;
  if (seats.length === 0) return;
  // An address with a seat asks for its dialogue.
  const wanted = new URLSearchParams(location.search).get('seat');
  const asked = seats.find((seat) => String(seat) === wanted) ?? null;
  let due = asked !== null;
  /** @type {number | null} */
  let shown = null;
  /** @type {Promise<Dialogue> | null} */
  let dialogue = null;
  /** @type {HTMLDetailsElement} */
  const box = h('details', { toggle: opened }, h('summary', {}, h('h2', {}, t('dialogue.title'))));
  fill(root, box);

  async function load() {
    /** @type {typeof import('./dialogue.js')} */
    const { Dialogue: Loaded } = await import(file('match/parts/dialogue.js'));
    return new Loaded(box, match, { seats, asked, shown });
  }

  async function opened() {
    if (!box.open) return;
    try {
      dialogue ??= load();
      (await dialogue).load();
    } catch {
      // The connection is lost: it can be opened again.
      dialogue = null;
      box.open = false;
    }
  }

  match.on('shown', (ply) => { shown = ply; });
  match.on('changed', () => {
    const { page } = match;
    const over = page.stage === 'over';
    // For the side of the seat during the match, for everybody afterwards.
    root.hidden = page.stage === 'open' || (page.ply === 0 && !over) || !(over || page.you !== null || myToken());
    if (root.hidden || !due) return;
    due = false;
    box.open = true;
  });
}
