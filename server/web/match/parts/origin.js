// The line that says with which options of the game a match is played, and with which position it began.

/** @import {MatchStore} from '../../lib/matches/match-store.js' */

import { fill, h } from '../../lib/dom.js';

/**
 * Writes the line; it stays empty for a match that was dealt with options that the game does not name.
 * @param {HTMLElement} root
 * @param {MatchStore} match
 */
export function origin(root, { page, t, board }) {
  const words = (board.options?.(page.options) ?? []).map((option) => board.t(`${option}.here`));
  const from = page.from_position;
  const position = from && (from.of
    ? h('a', { href: `/matches/${from.of.match}?ply=${from.of.ply}` }, t('match.from_match', { ply: from.of.ply }))
    : t('match.from_position'));
  root.hidden = !position && words.length === 0;
  fill(root, position, position && words.length > 0 && ' ', words.join(' '));
}
