// Looks for a rematch of a finished match, and tells the players of it.

/** @import {MatchStore} from '../lib/matches/match-store.js' */

// How often a finished match is asked for a rematch, by a player and by a spectator, and for how long.
const [AGAIN_MS, AGAIN_WATCHED_MS, AGAIN_FOR_MS] = [1_000, 5_000, 600_000];

/**
 * Looks for a rematch from the end of the match on.
 * @param {MatchStore} match
 */
export function watchRematch(match) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  match.on('changed', () => {
    if (match.page.stage !== 'over' || timer !== undefined) return;
    const until = Date.now() + AGAIN_FOR_MS;
    timer = setInterval(async () => {
      if (match.page.rematch || Date.now() > until) clearInterval(timer);
      else if (document.visibilityState === 'visible' && navigator.onLine) await look(match);
    }, match.page.you !== null ? AGAIN_MS : AGAIN_WATCHED_MS);
  });
}

/** @param {MatchStore} match */
async function look(match) {
  try {
    const { rematch } = await match.load();
    if (!rematch) return;
    match.foundRematch(rematch);
    if (match.page.you === null) return;
    match.publish('sound', 'turn');
    match.publish('notify', match.t('match.rematch_wanted'));
  } catch {
    // The next round asks again.
  }
}
