// The place of the setting for premoves, and their module, which is loaded when another player thinks for a while.

/** @import {MatchStore} from '../../lib/matches/match-store.js' */

import { fill, h } from '../../lib/dom.js';
import { file } from '../../lib/texts.js';

// How long another player thinks before anything is loaded: an engine that answers at once costs no request.
const CALM_MS = 400;

/**
 * Returns the place, which is empty until the module is loaded.
 * @param {MatchStore} match
 */
export function premovesPlace(match) {
  const place = h('span', {});
  let loaded = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const load = async () => {
    /** @type {typeof import('./premoves.js')} */
    const { Premoves } = await import(file('match/parts/premoves.js'));
    if (loaded) return;
    loaded = true;
    fill(place, new Premoves(match, CALM_MS).setting);
  };
  match.on('changed', () => {
    const { stage, you, turn } = match.page;
    clearTimeout(timer);
    // Without the module nothing is offered; the next turn tries again.
    if (!loaded && stage === 'running' && you !== null && turn !== null && turn !== you) timer = setTimeout(() => load().catch(() => {}), CALM_MS);
  });
  return place;
}
