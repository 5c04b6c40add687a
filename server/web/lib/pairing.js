// Quick pairing: the request waits on the server until there is an opponent.

/** @import {ClockTerms} from '../types.ts' */

import { Refused, ask } from './api.js';
import { myToken } from './session.js';

/** After this long without a person, a bot or an engine is taken, in milliseconds. */
const OTHERS_AFTER_MS = 15_000;
// After a failure of the network, quick pairing tries again.
const AGAIN_MS = 2_000;

/** The same in seconds, for texts. */
export const othersAfter = () => OTHERS_AFTER_MS / 1000;

/** @typedef {{game: string, clock?: ClockTerms, rated?: boolean}} PairingTerms */

/**
 * Waits for an opponent; returns the id of the match. Aborting leaves the pool and rejects.
 * @param {PairingTerms} terms
 * @param {{all: boolean, signal: AbortSignal, tick: (seconds: number) => void}} options `all`: programs are opponents too, if no person
 *   comes in time; `tick`: called every second with the seconds so far
 * @returns {Promise<string>}
 */
export async function paired(terms, { all, signal, tick }) {
  const wish = { ...terms, opponents: all ? ['person', 'bot', 'engine'] : ['person'] };
  const since = Date.now();
  const tell = () => tick(Math.round((Date.now() - since) / 1000));
  tell();
  const timer = setInterval(tell, 1000);
  try {
    for (;;) {
      const left = Math.max(0, OTHERS_AFTER_MS - (Date.now() - since));
      const found = await once({ ...wish, others_after_ms: left }, signal);
      if (found) return found.id;
    }
  } finally {
    clearInterval(timer);
  }
}

/**
 * The match; null: there is no opponent yet.
 * @param {object} body
 * @param {AbortSignal} signal
 * @returns {Promise<{id: string} | null>}
 */
async function once(body, signal) {
  try {
    return await ask('/v1/pool', { who: { token: myToken() }, body, signal });
  } catch (error) {
    if (!(error instanceof Refused) || !['unreachable', 'stopping'].includes(error.code)) throw error;
    await new Promise((done) => setTimeout(done, AGAIN_MS));
    signal.throwIfAborted();
    return null;
  }
}
