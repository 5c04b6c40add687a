// The moves with which a player begins most often, in words, with how often and the score with them.

/** @import {FirstMoves, Game, Translate} from '../../types.ts' */

import { ask } from '../../lib/api.js';
import { board as boardOf } from '../../board/board.js';
import { fill, h, required } from '../../lib/dom.js';
import { link } from '../../lib/matches/seats.js';

/**
 * Fills the part of the page, and shows it if some game has such moves.
 * @param {HTMLElement} place which names the games and the columns
 * @param {string} player the player's path in the API
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
export async function showFirstMoves(place, player, known, t) {
  const games = (place.dataset.games ?? '').split(' ');
  const parts = await Promise.all(games.map((game) => ofGame(game, place, player, known, t).catch(() => null)));
  // A game whose moves cannot be loaded is left out: the rest of the page says what is wrong.
  place.hidden = parts.every((part) => part === null);
  fill(required('.tables', HTMLElement, place), parts);
}

/**
 * The table of a game; null if it has no such moves.
 * @param {string} game
 * @param {HTMLElement} place
 * @param {string} player
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
async function ofGame(game, place, player, known, t) {
  /** @type {FirstMoves} */
  const { moves } = await ask(`${player}/first-moves/${game}`);
  if (moves.length === 0) return null;
  const board = await boardOf(game, true, t);
  const head = [place.dataset.move, place.dataset.played, t('player.score')].map((text) => h('th', { scope: 'col' }, text));
  return h('table', { class: 'results first-moves' }, h('caption', {}, known.get(game)?.title ?? game),
    h('thead', {}, h('tr', {}, head)),
    h('tbody', {}, moves.map(({ move, position, played, score, match, ply }) => h('tr', {},
      h('th', { scope: 'row' }, h('a', { href: `${link(match)}?ply=${ply + 1}` }, board.say(move, position, board.t))),
      h('td', {}, played), h('td', {}, `${Math.round(100 * score)}%`)))));
}
