// The choice of a clock, which is the same in all forms: the server writes its options.

/** @import {ClockTerms} from '../types.ts' */

import { required } from './dom.js';

/**
 * A clock from the value of its option; undefined: none.
 * @param {string} value initial time, increment and time for each move, in milliseconds; 0: no such limit
 * @returns {ClockTerms | undefined}
 */
export function clockOf(value) {
  const [initial, increment, each] = value.split(' ').map(Number);
  if (!initial && !each) return undefined;
  return { ...(initial ? { initial_ms: initial, increment_ms: increment } : {}), ...(each ? { move_ms: each } : {}) };
}

/** The choice for a form that the page does not have yet, with its label: a copy of the one in the page's template. */
export function clockChoice() {
  const copy = required('#clock-choice', HTMLTemplateElement).content.cloneNode(true);
  if (!(copy instanceof DocumentFragment)) throw new Error('a template has a fragment');
  return required('label', HTMLLabelElement, copy);
}
