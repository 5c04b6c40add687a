// Starts a page's module, and what every page has. If the server does not answer, the page says so and stays as the server
// rendered it.

import './header.js';
import { Refused } from '../api.js';
import { required } from '../dom.js';
import { keepFresh } from './fresh.js';

/**
 * Runs `work`, which makes the page live.
 * @param {() => Promise<unknown>} work
 */
export async function begin(work) {
  keepFresh();
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    required('#unfinished').hidden = false;
  }
}
