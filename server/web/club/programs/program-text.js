// A program in words: its title, its hash to copy, its size.

/** @import {Game, Translate} from '../../types.ts' */

import { fill, h } from '../../lib/dom.js';

// How many digits of a hash are shown.
const DIGITS = 12;
const COPIED_MS = 2500;

/**
 * @param {{number: number, game: string}} program
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
export function titleOf({ number, game }, known, t) {
  return t('programs.title_of', { number, game: known.get(game)?.title ?? game });
}

/**
 * The size of a file in words.
 * @param {number} bytes
 * @param {Translate} t
 */
export function sizeOf(bytes, t) {
  const kib = bytes / 1024;
  return kib < 1024 ? t('programs.kib', { size: Math.max(1, Math.round(kib)) }) : t('programs.mib', { size: Number((kib / 1024).toFixed(1)) });
}

/**
 * The first digits of the hash, and a button that copies all of it.
 * @param {{number: number, hash: string}} program
 * @param {Translate} t
 */
export function hashShown({ number, hash }, t) {
  const code = h('code', { title: hash }, hash.slice(0, DIGITS));
  const button = h('button', { type: 'button', class: 'quiet', 'aria-label': t('programs.copy_hash', { number }), click: async () => {
    try {
      await navigator.clipboard.writeText(hash);
      fill(button, t('match.copied'));
      setTimeout(() => fill(button, t('match.copy')), COPIED_MS);
    } catch {
      // The clipboard is not available: the whole hash is selected, so that it can be copied by hand.
      fill(code, hash);
      getSelection()?.selectAllChildren(code);
    }
  } }, t('match.copy'));
  return h('span', { class: 'hash' }, h('span', { class: 'soft' }, 'SHA-256'), ' ', code, ' ', button);
}
