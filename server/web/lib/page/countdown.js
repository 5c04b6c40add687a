// How long it is until the times that a page names.

/** @import {Translate} from '../../types.ts' */

import { all, fill } from '../dom.js';

const SECOND_MS = 1000;

/**
 * Shows in each element with `data-until` how long it is until then, and keeps it true.
 * @param {Translate} t
 */
export function countDown(t) {
  const tick = () => {
    for (const place of all('[data-until]')) {
      const text = left(Number(place.dataset.until) - Date.now(), t);
      if (place.textContent !== text) fill(place, text);
    }
  };
  tick();
  setInterval(tick, SECOND_MS);
}

/**
 * A duration: "2 days left", "2:05:09 left".
 * @param {number} ms
 * @param {Translate} t
 */
function left(ms, t) {
  const seconds = Math.max(0, Math.round(ms / SECOND_MS));
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (days >= 2) return t('countdown.days', { count: days });
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
  return t('club.left', { time: `${hours}:${two(minutes)}:${two(seconds % 60)}` });
}
