// When to send a request again, and after which pause.

import { ApiError, type Unreachable } from './errors.js';

/** How often and how long the client tries. Only requests that may be repeated are sent again. */
export interface RetryPolicy {
  /** The most attempts, the first one included; `Infinity`: without a limit. */
  attempts: number;
  /** The mean of the first pause, in milliseconds. Pauses double. */
  shortestMs: number;
  /** The mean of the longest pause, in milliseconds. */
  longestMs: number;
  /** The longest pause that the server may ask for, in milliseconds. If it asks for more, the error is thrown. */
  longestWaitMs: number;
}

export const USUAL_RETRIES: RetryPolicy = { attempts: 8, shortestMs: 50, longestMs: 5000, longestWaitMs: 30_000 };

/** A bot stays online: it tries again without a limit, however long the server is away. */
export const PERSISTENT_RETRIES: RetryPolicy = { ...USUAL_RETRIES, attempts: Infinity, shortestMs: 20, longestMs: 2000 };

// Statuses with which a later attempt may succeed.
const TEMPORARY = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The attempts of one request. */
export class Retries {
  /** The number of attempts that have failed since the last success. */
  failed = 0;

  constructor(private readonly policy: RetryPolicy) {}

  /** The milliseconds to wait before the next attempt; `undefined`: the error is final. */
  pause(error: ApiError | Unreachable): number | undefined {
    this.failed += 1;
    if (this.failed >= this.policy.attempts) return undefined;
    if (error instanceof ApiError) {
      if (!TEMPORARY.has(error.status)) return undefined;
      if (error.retryAfterMs !== undefined) {
        // A little later than the server asks: other clients wait for the same moment.
        return error.retryAfterMs <= this.policy.longestWaitMs ? error.retryAfterMs * (1 + Math.random() / 10) : undefined;
      }
    }
    const mean = Math.min(this.policy.shortestMs * 2 ** Math.min(this.failed - 1, 30), this.policy.longestMs);
    return mean * (0.5 + Math.random());
  }

  /** Begins again with the shortest pause. */
  succeeded(): void {
    this.failed = 0;
  }
}

/** Waits; rejects with the signal's reason if it is aborted before. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const aborted = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
  });
}
