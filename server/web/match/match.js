// The page of a match, where it is played, watched and, when it is over, replayed: loads the match with its game and board,
// and shows it, or says why it cannot.

/** @import {Game, Translate} from '../types.ts' */

import { Access } from './access.js';
import { Refused } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { board as boardOf } from '../board/board.js';
import { fill, required, told } from '../lib/dom.js';
import { games } from '../lib/matches/lists.js';
import { MatchStore } from '../lib/matches/match-store.js';
import { build } from './page.js';
import { noMatch } from './no-match.js';
import { file, loadTexts } from '../lib/texts.js';

// How long the holder of a seat waits for their own view before the public one is shown.
const PUBLIC_MS = 200;

/**
 * Loads the match with its game and board, and shows it; or says why it cannot be shown.
 * @param {HTMLElement} root
 * @param {Translate} t
 */
async function start(root, t) {
  const access = new Access(root.dataset.match ?? '', { watching: 'embed' in root.dataset });
  const known = access.public();
  const { token, key } = access.secrets();
  const own = known && !token && !key ? known : access.load();
  try {
    const page = known ?? await own;
    const [game, board] = await Promise.all([gameOf(page.game), boardFor(root, page.game, t)]);
    // The holder of a seat waits a moment for their own view; on a slow network the public one is shown first.
    const first = known ? await Promise.race([own, new Promise((done) => setTimeout(done, PUBLIC_MS, known))]) : page;
    const match = new MatchStore({ t, access, page: first, game, board });
    const picture = hasBoard(root, game.slug) ? file(`games/${game.slug}/picture.svg`) : null;
    const connection = build(root, match, picture, (error) => giveUp(root, error, t, access));
    const latest = await own;
    if (latest !== first) match.take(latest);
    connection.follow();
  } catch (error) {
    giveUp(root, error, t, access);
    if (!(error instanceof Refused)) throw error;
  }
}

/**
 * Says why the match cannot be shown.
 * @param {HTMLElement} root
 * @param {unknown} error
 * @param {Translate} t
 * @param {Access} access
 */
function giveUp(root, error, t, access) {
  root.dataset.stage = 'missing';
  fill(root, noMatch(error, t, { id: access.id, key: access.secrets().key, retentionDays: Number(root.dataset.retentionDays ?? 0) }));
}

/**
 * The facts of a game: from the page, if the server knew which game it is.
 * @param {string} slug
 * @returns {Promise<Game>}
 */
async function gameOf(slug) {
  const game = told('#game') ?? (await games()).get(slug);
  if (!game) throw new Refused({ status: 404, code: 'unknown_game', detail: '' });
  return game;
}

/**
 * The board of the game.
 * @param {HTMLElement} root
 * @param {string} slug
 * @param {Translate} t
 */
function boardFor(root, slug, t) {
  return boardOf(slug, hasBoard(root, slug), t);
}

/**
 * Whether the game has a board of its own, with a picture.
 * @param {HTMLElement} root
 * @param {string} slug
 */
function hasBoard(root, slug) {
  return (root.dataset.boards ?? '').split(' ').includes(slug);
}

begin(async () => start(required('#match'), await loadTexts()));
