// The line that says that a match began with a position, and where that is from.

/** @import {MatchStore} from '../../lib/matches/match-store.js' */

import { fill, h } from '../../lib/dom.js';

/**
 * Writes the line; it stays empty for a match that was dealt.
 * @param {HTMLElement} root
 * @param {MatchStore} match
 */
export function origin(root, { page, t }) {
  const from = page.from_position;
  root.hidden = !from;
  if (!from) return;
  const { of } = from;
  fill(root, of ? h('a', { href: `/matches/${of.match}?ply=${of.ply}` }, t('match.from_match', { ply: of.ply })) : t('match.from_position'));
}
