// What a player can be proud of: the form, the accuracy, the best wins, and the results against the visitor.

/** @import {Game, ListEntry, MatchList, MistakeList, OpponentList, Translate} from '../types.ts' */

import { ask } from '../lib/api.js';
import { avatar } from '../lib/page/avatar.js';
import { fill, h, required } from '../lib/dom.js';
import { followed, setFollowed } from './follows.js';
import { when } from '../lib/matches/lists.js';
import { playerName } from '../lib/matches/match-text.js';
import { link } from '../lib/matches/seats.js';
import { me, myToken } from '../lib/session.js';

// How many of the last matches are looked at, and how many wins and results are shown.
const [LOOKED, WINS, FORM] = [100, 3, 20];

/**
 * The picture of the player, and the button that follows them.
 * @param {string} name
 * @param {Translate} t
 */
export function face(name, t) {
  required('h1').prepend(avatar(name), ' ');
  const place = document.querySelector('#follow');
  if (!place || name === me()?.name) return;
  const button = h('button', { type: 'button', class: 'follow', click: () => {
    setFollowed(name, !followed().includes(name));
    draw();
  } });
  const draw = () => {
    const on = followed().includes(name);
    fill(button, on ? '\u2605 ' : '\u2606 ', t(on ? 'follow.on' : 'follow.off'));
    button.setAttribute('aria-pressed', String(on));
  };
  draw();
  fill(place, button);
}

/**
 * Fills the part of a game: form, accuracy, best wins, and the results against the visitor.
 * @param {HTMLElement} place
 * @param {{name: string, path: string, game: string, known: Game | undefined, t: Translate, own: Translate}} options `own` translates
 *   the game's texts
 */
export async function proud(place, { name, path, game, known, t, own }) {
  const [list, board, { accuracy, counts }] = await Promise.all([
    /** @type {Promise<MatchList>} */ (ask(`${path}/matches?game=${game}&stage=over&limit=${LOOKED}`)),
    ask(`/v1/games/${game}/leaderboard?limit=200`),
    /** @type {Promise<MistakeList>} */ (ask(`${path}/mistakes/${game}?limit=1`, { who: { token: myToken() } })),
  ]);
  /** @type {Map<string, number>} */
  const points = new Map(board.players.map((/** @type {{name: string, points: number}} */ one) => [one.name, one.points]));
  const results = list.matches.map((entry) => [entry, outcome(entry, name)]).filter(([, result]) => result !== null);
  const form = results.slice(0, FORM).map(([, result]) => h('i', { class: String(result) }));
  const won = results.slice(0, FORM).filter(([, result]) => result === 'won').length;
  const best = list.matches.filter((entry) => outcome(entry, name) === 'won').flatMap((entry) => {
    const others = entry.seats.filter((seat) => seat.name !== name).map((seat) => engineId(seat, game) ?? seat.name ?? '');
    const strongest = others.map((one) => ({ one, rating: points.get(one) ?? 0 })).sort((a, b) => b.rating - a.rating)[0];
    return strongest && strongest.rating > 0 ? [{ entry, ...strongest }] : [];
  }).sort((a, b) => b.rating - a.rating).slice(0, WINS);
  const versus = await against(path, game);
  fill(place,
    form.length > 0 && h('p', { class: 'form' }, h('span', { 'aria-hidden': 'true' }, form), ' ', t('card.form', { won, count: form.length })),
    accuracy !== null && h('p', { class: 'accuracy' }, t('player.accuracy', { accuracy, count: counts.reduce((sum, one) => sum + one.decisions, 0) })),
    versus && h('p', {}, t('player.versus', versus)),
    best.length > 0 && [h('h4', {}, t('player.best')), h('ol', { class: 'best' }, best.map(({ entry, one, rating }) =>
      h('li', {}, h('a', { href: link(entry.id) }, playerName(one, known, { t: own }, t)), ` ${rating} · `, when(entry.ended_ms ?? entry.created_ms))))]);
}

/**
 * Whether the player won, lost or shared the match; null: there is no result.
 * @param {ListEntry} entry
 * @param {string} name
 */
function outcome({ seats }, name) {
  const rank = seats.find((seat) => seat.name === name)?.rank;
  if (rank === undefined || rank === null) return null;
  if (rank !== 1) return 'lost';
  return seats.filter((seat) => seat.rank === 1).length > 1 ? 'drawn' : 'won';
}

/**
 * The name of an engine among players.
 * @param {ListEntry['seats'][number] & {engine?: {name: string, level: string, version?: number} | null}} seat
 * @param {string} game
 */
function engineId({ engine }, game) {
  return engine ? `${game}:${engine.name}:${engine.version}:${engine.level}` : null;
}

/**
 * The visitor's results against the player in rated matches, as the visitor sees them; null: there are none.
 * @param {string} path of the player
 * @param {string} game
 */
async function against(path, game) {
  const name = me()?.name;
  if (!name) return null;
  /** @type {OpponentList} */
  const { opponents } = await ask(`${path}/opponents/${game}?limit=200`);
  const found = opponents.find((one) => one.name === name);
  return found ? { won: found.lost, drawn: found.drawn, lost: found.won } : null;
}
