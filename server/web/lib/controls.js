// Controls that several pages use: a button that asks for confirmation, a text to copy, a QR code.

/** @import {Child, Translate} from '../types.ts' */

import { ask } from './api.js';
import { fill, h, required } from './dom.js';

// The light zone around a QR code, in modules.
const QUIET = 4;

/**
 * A button that asks for confirmation before it acts.
 * @param {string} label
 * @param {string} question
 * @param {Translate} t
 * @param {() => void} act
 */
export function twice(label, question, t, act) {
  const place = h('span', { class: 'twice' });
  const calm = () => fill(place, h('button', { type: 'button', click: () => sure() }, label));
  const sure = () => {
    fill(place, h('span', {}, question),
      h('button', { type: 'button', class: 'danger', click: act }, label),
      h('button', { type: 'button', click: () => { calm(); required('button', HTMLButtonElement, place).focus(); } },
        t('match.no')));
    required('.danger', HTMLButtonElement, place).focus();
  };
  calm();
  return place;
}

/**
 * A text and a button that copies it.
 * @param {string} text
 * @param {string} label
 * @param {Translate} t
 * @param {Child} [more] further buttons
 */
export function copied(text, label, t, more = null) {
  /** @type {HTMLInputElement} */
  const box = h('input', { readonly: true, value: text, 'aria-label': label, focus: () => box.select() });
  const button = h('button', { type: 'button', click: async () => {
    try {
      await navigator.clipboard.writeText(text);
      fill(button, t('match.copied'));
    } catch {
      // The clipboard is not available: focus selects the text, so that it can be copied by hand.
      box.focus();
    }
  } }, t('match.copy'));
  return h('div', { class: 'copy' }, box, button, more);
}

/**
 * Gives the visitor a file to keep.
 * @param {Blob} content
 * @param {string} name
 */
export function save(content, name) {
  const href = URL.createObjectURL(content);
  h('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/**
 * A text as a QR code.
 * @param {string} text
 * @param {string} label the accessible name of the picture
 */
export async function qr(text, label) {
  /** @type {{rows: string[]}} */
  const { rows } = await ask('/v1/qr', { body: { text } });
  const size = rows.length + 2 * QUIET;
  const dark = rows.flatMap((row, y) => [...row].flatMap((digit, x) => (digit === '1' ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])));
  return h('svg', { class: 'qr', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': label, 'shape-rendering': 'crispEdges' },
    h('rect', { class: 'light', width: size, height: size }), h('path', { class: 'dark', d: dark.join('') }));
}
