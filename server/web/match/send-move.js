// Sends a move until an answer arrives. The request names its ply, so the server plays a repeated one once.

/** @import {LegalMove} from '../types.ts' */
/** @import {MatchStore} from '../lib/matches/match-store.js' */

import { Refused, ask, sentence } from '../lib/api.js';
import { online } from '../lib/live.js';

// How long a move is sent again while the network fails.
const PATIENCE_MS = 60_000;

/**
 * Makes a move. Rejects with an Error that says why it cannot be made.
 * @param {LegalMove} move
 * @param {MatchStore} match
 */
export async function sendMove(move, match) {
  const { t, path } = match;
  const { ply } = match.page;
  const until = Date.now() + PATIENCE_MS;
  const stored = (/** @type {boolean} */ is) => match.publish('condition', { about: 'store', text: is ? null : t('match.unstored') });
  for (let tries = 0; ; tries += 1) {
    await online();
    if (match.page.ply !== ply) return;
    try {
      match.hear(await ask(`${path}/moves`, { who: match.secrets(), body: { ply, notation: move.notation } }));
      stored(true);
      return;
    } catch (error) {
      if (error instanceof Refused && error.status > 0) stored(error.code !== 'store_unavailable');
      if (match.page.ply !== ply) return;
      if (!(error instanceof Refused)) throw error;
      if (error.match) {
        // The match has moved on.
        match.take(error.match);
        throw new Error(t(error.code === 'time_up' ? 'problem.time_up' : 'match.gone_on'));
      }
      const again = error.code === 'unreachable' || error.status === 503;
      if (!again || Date.now() > until) throw new Error(sentence(error, t));
      const wait = Math.min(1000, error.retry_after_ms ?? 300 * 2 ** tries);
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}
