// The scenes that the review shows on the stage: the current position of the match, and earlier ones.

/** @import {Frame, LastMove, Scene} from '../types.ts' */
/** @import {MatchStore} from '../lib/matches/match-store.js' */

import { lastOf } from '../lib/matches/match-state.js';
import { boardSeats } from '../lib/matches/match-text.js';

/**
 * The current position, in which the viewer may move.
 * @param {MatchStore} match
 * @param {LastMove | null} last
 * @returns {Scene}
 */
export function currentScene({ page, t, ahead }, last) {
  return {
    view: page.position, me: page.you, seats: boardSeats(page, t), turn: page.turn, moves: page.legal_moves, last,
    ahead: ahead?.position === page.position ? ahead : null, still: page.stage === 'over',
  };
}

/**
 * A position of the match as a seat sees it, without legal moves.
 * @param {MatchStore} match
 * @param {Frame} frame
 * @param {number | null} me
 * @returns {Scene}
 */
export function pastScene({ page, t }, frame, me) {
  return {
    view: frame.position, me, seats: boardSeats(page, t), turn: frame.turn, moves: [], last: lastOf(frame), still: true,
  };
}
