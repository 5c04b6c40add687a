// A clock in words.

/** @import {ClockTerms, Translate} from '../types.ts' */

/**
 * A time control in a few words.
 * @param {ClockTerms | null | undefined} clock
 * @param {Translate} t
 */
export function clockText(clock, t) {
  if (!clock) return t('clock.short.none');
  const { initial_ms: initial, increment_ms: increment, move_ms: each } = clock;
  const seconds = (/** @type {number} */ ms) => Number((ms / 1000).toFixed(1));
  const parts = [];
  if (initial) {
    const minutes = initial % 60_000 === 0;
    parts.push(minutes ? t('clock.short.minutes', { minutes: initial / 60_000 }) : t('clock.short.seconds', { seconds: seconds(initial) }));
  }
  if (initial && increment) parts.push(t('clock.short.increment', { seconds: seconds(increment) }));
  if (each) parts.push(t('clock.short.move', { seconds: seconds(each) }));
  return parts.join(' ');
}
