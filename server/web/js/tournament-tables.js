// The tables of a tournament, drawn from the API's answer. Pure.

/** @import {Tournament, TournamentGame, TournamentStanding, Translate} from '../types.ts' */

import { h } from './dom.js';
import { link } from './seats.js';
import { playerLink } from './session.js';

// The most games in the table; the API has all of them.
const MAX_GAMES = 500;

/**
 * A number with at most two digits after the point.
 * @param {number} value
 */
const number = (value) => String(Number(value.toFixed(2)));

/** @param {number} value */
const percent = (value) => `${Math.round(100 * value)}%`;

/**
 * What kind of tournament it is, and how far.
 * @param {Tournament} tournament
 * @param {string} title the game's
 * @param {string} clock in words
 * @param {Translate} t
 */
export function facts(tournament, title, clock, t) {
  const { stage, format, deals, duplicate, rated, seats, organizer, games, game } = tournament;
  const done = games.filter((one) => one.stage === 'finished' || one.stage === 'void').length;
  const told = [
    t(`tournaments.${format.kind}`, { rounds: format.rounds, pairings: format.pairings }),
    seats > 2 && t('tournaments.of_seats', { seats }), t('tournaments.of_deals', { games: deals * seats }),
    duplicate && t('tournaments.is_duplicate'), clock, t(rated ? 'club.rated' : 'club.unrated'),
  ];
  return [
    h('p', {}, h('strong', { class: 'stage', role: 'status' }, t(`tournaments.${stage}`)),
      games.length > 0 && ` · ${t('tournaments.progress', { done, games: games.length })}`),
    h('p', { class: 'soft' }, h('a', { href: `/games/${game}` }, title), ' · ', told.filter(Boolean).join(' · '), ' · ',
      t('tournaments.organizer', { name: '' }), h('a', { href: playerLink(organizer) }, organizer)),
    games.length > 0 && h('progress', { max: games.length, value: done, 'aria-label': t('tournaments.progress', { done, games: games.length }) }),
  ];
}

/**
 * Standings, crosstable and games, by the id of their place on the page.
 * @param {Tournament} tournament
 * @param {Translate} t
 */
export function tables(tournament, t) {
  return {
    standings: [h('h2', { id: 'standings-title' }, t('tournaments.standings')), tournament.standings.length === 0
      ? h('p', { class: 'soft' }, t('tournaments.no_entrants'))
      : [wide('standings-title', standings(tournament, t)), h('p', { class: 'soft' }, t('tournaments.superiority_say'))]],
    crosstable: tournament.crosstable.length > 0
      && [h('h2', { id: 'crosstable-title' }, t('tournaments.crosstable')), wide('crosstable-title', crosstable(tournament, t)),
        h('p', { class: 'soft' }, t('tournaments.crosstable_say'))],
    games: tournament.games.length > 0
      && [h('h2', { id: 'games-title' }, t('tournaments.games')), wide('games-title', gamesTable(tournament, t)),
        tournament.games.length > MAX_GAMES && h('p', { class: 'soft' }, t('tournaments.first_games'))],
  };
}

/**
 * A table that scrolls in itself on a small screen, also by keyboard.
 * @param {string} title the id of its heading
 * @param {HTMLElement} table
 */
function wide(title, table) {
  return h('div', { class: 'wide', role: 'region', tabindex: '0', 'aria-labelledby': title }, table);
}

/** @param {...string} titles */
function head(...titles) {
  return h('thead', {}, h('tr', {}, titles.map((title) => h('th', { scope: 'col' }, title))));
}

/**
 * An entrant with a link to the player's page.
 * @param {Tournament} tournament
 * @param {number} entrant
 * @param {Translate} t
 */
function player({ entrants }, entrant, t) {
  const { name, kind, takes_part: inside } = entrants[entrant];
  return [h('a', { href: playerLink(name) }, name), kind !== 'person' && h('span', { class: 'soft' }, ` ${t(`kind.${kind}`)}`),
    !inside && h('span', { class: 'soft' }, ` ${t('tournaments.left')}`)];
}

/**
 * @param {Tournament} tournament
 * @param {Translate} t
 */
function standings(tournament, t) {
  // Where not all meet, the strength of the opponents counts.
  const buchholz = tournament.format.kind !== 'round_robin';
  const row = (/** @type {TournamentStanding} */ line) => h('tr', { data: { target: `entrant:${line.entrant}` } },
    h('th', { scope: 'row' }, player(tournament, line.entrant, t)), h('td', {}, line.place), h('td', {}, number(line.points)),
    h('td', {}, line.games), h('td', {}, line.won),
    h('td', {}, line.score ? [percent(line.score.mean), interval(line.score, t)] : '–'),
    h('td', {}, line.superiority === null ? '–' : percent(line.superiority)),
    h('td', {}, number(line.direct)), buchholz && h('td', {}, number(line.buchholz)), h('td', {}, number(line.sonneborn_berger)));
  const titles = [t('tournaments.player'), t('tournaments.place'), t('tournaments.points'), t('tournaments.played'), t('tournaments.won'),
    t('tournaments.score'), t('tournaments.superiority'), t('tournaments.direct'), ...(buchholz ? ['Buchholz'] : []), 'Sonneborn-Berger'];
  return h('table', { class: 'results' }, head(...titles), h('tbody', {}, tournament.standings.map(row)));
}

/**
 * An interval as a bar from 0 to 100%, with its mean, and in words.
 * @param {NonNullable<TournamentStanding['score']>} score
 * @param {Translate} t
 */
function interval({ mean, low, high }, t) {
  if (low === null || high === null) return null;
  const x = (/** @type {number} */ value) => 4 + 72 * value;
  return [` (${percent(low)}–${percent(high)})`,
    h('svg', { class: 'interval', viewBox: '0 0 80 12', width: '80', height: '12', 'aria-hidden': 'true' },
      h('line', { class: 'scale', x1: x(0), x2: x(1), y1: 6, y2: 6 }), h('line', { class: 'half', x1: x(0.5), x2: x(0.5), y1: 1, y2: 11 }),
      h('line', { class: 'range', x1: x(low), x2: x(high), y1: 6, y2: 6 }), h('circle', { cx: x(mean), cy: 6, r: 3 }),
      h('title', {}, t('tournaments.interval', { low: percent(low), high: percent(high) })))];
}

/**
 * Rows and columns in the order of the standings.
 * @param {Tournament} tournament
 * @param {Translate} t
 */
function crosstable(tournament, t) {
  const order = tournament.standings.map((line) => line.entrant);
  const pair = (/** @type {number} */ own, /** @type {number} */ other) => `${own} ${other}`;
  const cells = new Map(tournament.crosstable.map((cell) => [pair(cell.entrant, cell.opponent), cell]));
  const cell = (/** @type {number} */ own, /** @type {number} */ other) => {
    const found = cells.get(pair(own, other));
    if (found) return h('td', {}, `${number(found.points)} / ${found.games}`);
    return h('td', {}, own === other ? '×' : '');
  };
  return h('table', { class: 'results' },
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, t('tournaments.player')), order.map((entrant, place) =>
      h('th', { scope: 'col' }, h('abbr', { title: tournament.entrants[entrant].name }, place + 1))))),
    h('tbody', {}, order.map((own, place) => h('tr', { data: { target: `entrant:${own}` } },
      h('th', { scope: 'row' }, `${place + 1}. `, player(tournament, own, t)), order.map((other) => cell(own, other))))));
}

/**
 * @param {Tournament} tournament
 * @param {Translate} t
 */
function gamesTable(tournament, t) {
  const name = (/** @type {number} */ entrant) => tournament.entrants[entrant]?.name;
  const words = { waiting: 'tournaments.waiting', running: 'tournaments.playing', finished: 'tournaments.finished', void: 'tournaments.void' };
  const open = (/** @type {TournamentGame} */ { match, stage }, /** @type {number} */ place) => {
    const what = t(stage === 'running' ? 'tournaments.watch' : 'tournaments.replay');
    return match && h('a', { href: link(match), 'aria-label': t('tournaments.open_game', { what, game: place + 1 }) }, what);
  };
  const row = (/** @type {TournamentGame} */ game, /** @type {number} */ place) => h('tr', { data: { target: `game:${place}` } },
    h('th', { scope: 'row' }, game.seats.map(name).join(' – ')), h('td', {}, game.round), h('td', {}, game.deal),
    h('td', {}, game.scores ? game.scores.map(number).join(' – ') : t(words[game.stage])),
    h('td', {}, open(game, place)));
  return h('table', { class: 'results' },
    head(t('tournaments.seats'), t('tournaments.round'), t('tournaments.deal'), t('tournaments.result'), t('tournaments.match')),
    h('tbody', {}, tournament.games.slice(0, MAX_GAMES).map(row)));
}
