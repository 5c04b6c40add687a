// Repeats a request that the server cannot serve now: all engines are busy, the database is away, the server restarts. A page
// waits for its own visitor and never refuses them.

import { Refused } from './api.js';
import { online } from './live.js';

// The pauses if the server names none: the first one and the longest, in milliseconds.
const [FIRST_MS, MOST_MS] = [500, 8_000];
// The server names a time for each refusal; that for a limit of its own may be longer than a visitor would wait.
const MOST_LIMIT_MS = 20_000;

/**
 * The result of a request, which is repeated for as long as the server cannot serve it. Other errors are thrown.
 * @template T
 * @param {() => Promise<T>} request
 * @param {{signal?: AbortSignal, waiting?: (seconds: number) => void}} [options] `signal`: ends the waiting; `waiting(seconds)`:
 *   called at the beginning of each pause, and every five seconds, with how long it has waited
 * @returns {Promise<T>}
 */
export async function patiently(request, { signal, waiting = () => {} } = {}) {
  const since = Date.now();
  for (let tries = 0; ; tries += 1) {
    try {
      return await request();
    } catch (error) {
      if (!passes(error)) throw error;
      const asked = error.retry_after_ms ?? Math.min(MOST_MS, FIRST_MS * 2 ** tries);
      const until = Date.now() + asked * (1 + Math.random() / 4);
      while (Date.now() < until) {
        waiting(Math.round((Date.now() - since) / 1000));
        await pause(Math.min(5_000, until - Date.now()), signal);
      }
      await online();
    }
  }
}

/**
 * Whether a refusal passes by itself.
 * @param {unknown} error
 * @returns {error is Refused}
 */
function passes(error) {
  if (!(error instanceof Refused)) return false;
  if (error.code === 'unreachable' || error.status === 503) return true;
  return error.status === 429 && (error.retry_after_ms ?? Infinity) <= MOST_LIMIT_MS;
}

/**
 * @param {number} ms
 * @param {AbortSignal} [signal]
 */
function pause(ms, signal) {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => done(undefined), ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      fail(signal.reason);
    }, { once: true });
  });
}
