// Lists of matches: one line each, a link to the match.

/** @import {Game, Held, ListEntry, MatchList, Translate} from '../../types.ts' */

import { fill, h } from '../dom.js';
import { ask, sentence } from '../api.js';
import { pointerReleased } from '../pointer.js';
import { link } from './seats.js';
import { language, signed } from '../texts.js';

/** The games by their short names. */
export async function games() {
  /** @type {{games: Game[]}} */
  const list = await ask('/v1/games');
  return new Map(list.games.map((game) => [game.slug, game]));
}

/**
 * A time: hour and minute if it is today, else the date.
 * @param {number} ms
 */
export function when(ms) {
  const date = new Date(ms);
  if (date.toDateString() !== new Date().toDateString()) return day(ms);
  return stamp(date, date.toLocaleTimeString(language(), { hour: '2-digit', minute: '2-digit' }));
}

/**
 * A day.
 * @param {number} ms Unix time in milliseconds
 */
export function day(ms) {
  const date = new Date(ms);
  return stamp(date, date.toLocaleDateString(language(), { day: 'numeric', month: 'short', year: 'numeric' }));
}

/**
 * Day, hour and minute.
 * @param {number} ms Unix time in milliseconds
 */
export function moment(ms) {
  const date = new Date(ms);
  return stamp(date, date.toLocaleString(language(), { dateStyle: 'medium', timeStyle: 'short' }));
}

/**
 * @param {Date} date
 * @param {string} shown
 */
function stamp(date, shown) {
  return h('time', { datetime: date.toISOString(), title: date.toLocaleString(language()) }, shown);
}

/**
 * The name of the player in a seat.
 * @param {ListEntry['seats'][number]} seat
 * @param {Translate} t
 */
export function who(seat, t) {
  const { engine } = seat;
  if (engine) return t(`engine.${engine.level}`);
  if (seat.kind === 'open') return t('list.open_seat');
  return seat.name ?? (seat.guest ? t('match.guest_number', { number: seat.guest }) : t('match.guest'));
}

/**
 * @param {ListEntry} entry
 * @param {ListEntry['seats'][number]} seat
 * @param {number} place
 * @param {Translate} t
 */
function seatOf(entry, seat, place, t) {
  const won = (seat.rank ?? entry.result?.ranks[place]) === 1;
  const points = seat.points ?? entry.result?.points?.[place];
  return h('span', { class: ['who', won && 'won', seat.kind === 'open' && 'free'] }, who(seat, t),
    won && h('span', { class: 'sign', title: t('list.won') }, '★', h('span', { class: 'ear' }, t('list.won'))),
    points !== undefined && h('span', { class: 'points' }, signed(points)));
}

/**
 * A match as a line. `entry`: from a list, or a match's page; `held`: what this browser holds in it.
 * @param {ListEntry} entry
 * @param {Map<string, Game>} known
 * @param {Translate} t
 * @param {Held} [held]
 */
export function line(entry, known, t, held) {
  const game = known.get(entry.game);
  const mine = entry.stage === 'running' && held && entry.turn !== null && entry.turn === entry.you;
  // The position. A visitor's own match may be private: the server shows no picture of it without its key.
  // Nor of a sealed match.
  const src = held || entry.sealed ? `/games/${entry.game}/picture.png` : `/matches/${entry.id}/picture.svg?seq=${entry.seq ?? entry.stage}`;
  return h('a', { class: ['match', entry.stage], href: link(entry.id, held?.key) },
    h('img', { class: 'shot', src, alt: '', width: 122, height: 64, loading: 'lazy' }),
    h('span', { class: 'game' }, game?.title ?? entry.game),
    h('span', { class: 'seats' }, entry.seats.map((one, place) => seatOf(entry, one, place, t))),
    h('span', { class: ['stage', mine && 'mine'] }, mine ? t('list.your_move') : t(`stage.${entry.stage}`), ' · ',
      entry.sealed && [h('span', { title: t('problem.sealed') }, t('list.sealed')), ' · '],
      when(entry.ended_ms ?? entry.created_ms)));
}

/**
 * Fills a list with the matches that the API lists under `query`. Returns a function that asks again, with another query
 * if one is given.
 * @param {HTMLElement} place
 * @param {Map<string, Game>} known
 * @param {Translate} t
 * @param {{query?: Record<string, string | undefined>, path?: string, none: string, next?: HTMLElement}} options
 *   `none`: the text for an empty list; `next`: the button that shows more
 */
export function keepFilled(place, known, t, { query = {}, path = '/v1/matches', none, next }) {
  let asked = query;
  /** @type {string | undefined} */
  let before;
  let round = 0;
  /** @type {string | undefined} */
  let shown;
  const load = async (/** @type {boolean} */ more) => {
    const mine = (round += 1);
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...asked, before: more ? before : undefined })) {
      if (value) given.set(name, value);
    }
    try {
      /** @type {MatchList} */
      const list = await ask(`${path}?${given}`);
      await pointerReleased();
      if (mine !== round) return;
      // An unchanged list is not drawn again, so the keyboard focus in it stays.
      const content = JSON.stringify(list);
      if (!more && content === shown) return;
      shown = more ? undefined : content;
      const lines = list.matches.map((entry) => line(entry, known, t));
      if (more) place.append(...lines);
      else fill(place, lines.length ? lines : h('p', { class: 'none' }, t(none)));
      before = list.next ?? undefined;
      if (next) next.hidden = !list.next;
    } catch (error) {
      if (mine !== round) return;
      shown = undefined;
      fill(place, h('p', { class: 'none trouble' }, sentence(error, t)));
      if (next) next.hidden = true;
    }
  };
  next?.addEventListener('click', () => load(true));
  load(false);
  return (/** @type {Record<string, string | undefined> | undefined} */ other = undefined) => {
    asked = other ?? asked;
    return load(false);
  };
}
