// Sends a move until an answer arrives. The request names its ply, so the server plays a repeated one once.

/** @import {LegalMove, Page, Secrets, StreamMessage, Translate} from '../types.ts' */

import { Refused, ask, sentence } from './api.js';
import { online } from './live.js';

// How long a move is sent again while the network fails.
const PATIENCE_MS = 60_000;

/**
 * Makes a move. Rejects with an Error that says why it cannot be made.
 * @param {LegalMove} move
 * @param {{t: Translate, path: string, secrets: () => Secrets, ply: () => number, heard: (message: StreamMessage) => void,
 *   replace: (page: Page) => void}} match `ply()`: the current one; `heard`, `replace`: take an answer, and the page of a
 *   match that has moved on
 */
export async function sendMove(move, { t, path, secrets, ply: current, heard, replace }) {
  const ply = current();
  const until = Date.now() + PATIENCE_MS;
  for (let tries = 0; ; tries += 1) {
    await online();
    if (current() !== ply) return;
    try {
      heard(await ask(`${path}/moves`, { who: secrets(), body: { ply, notation: move.notation } }));
      return;
    } catch (error) {
      if (current() !== ply) return;
      if (!(error instanceof Refused)) throw error;
      if (error.match) {
        replace(error.match);
        throw new Error(t(error.code === 'time_up' ? 'problem.time_up' : 'match.gone_on'));
      }
      const again = error.code === 'unreachable' || error.status === 503;
      if (!again || Date.now() > until) throw new Error(sentence(error, t));
      const wait = Math.min(1000, error.retry_after_ms ?? 300 * 2 ** tries);
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}
