// Lists of matches: one line each, a link to the match.

/** @import {Game, Held, ListEntry, MatchList, Translate} from '../../types.ts' */

import { fill, h } from '../dom.js';
import { ask, sentence } from '../api.js';
import { pointerReleased } from '../pointer.js';
import { guestColour, guestName } from './guests.js';
import { left } from './match-state.js';
import { engineAt, vacationText } from './match-text.js';
import { link } from './seats.js';
import { language, loadTexts, signed } from '../texts.js';

/** The games by their short names. */
export async function games() {
  /** @type {{games: Game[]}} */
  const list = await ask('/v1/games');
  return new Map(list.games.map((game) => [game.slug, game]));
}

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];
// Until this many days ago a day is named by its weekday.
const WEEK = 6;
// How often the ages on a page are told again.
const AGES_AGAIN_MS = 20_000;

/**
 * The time as people say it: "3 minutes ago", "yesterday 21:55", "Tuesday 21:55", "15 Feb", "15 Feb 2020".
 * @param {number} ms Unix time in milliseconds
 * @param {number} now
 * @param {string} tag the language
 */
export function age(ms, now, tag) {
  const date = new Date(ms);
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  const gone = Math.max(0, now - ms);
  if (gone < MINUTE_MS) return relative.format(0, 'second');
  if (gone < HOUR_MS) return relative.format(-Math.floor(gone / MINUTE_MS), 'minute');
  // Midnights, not periods of 24 hours: what was late yesterday evening was yesterday.
  const midnight = (/** @type {number} */ at) => new Date(at).setHours(0, 0, 0, 0);
  const days = Math.round((midnight(now) - midnight(ms)) / DAY_MS);
  const time = date.toLocaleTimeString(tag, { hour: '2-digit', minute: '2-digit' });
  if (days === 0) return relative.format(-Math.floor(gone / HOUR_MS), 'hour');
  if (days === 1) return `${relative.format(-1, 'day')} ${time}`;
  if (days <= WEEK) return `${date.toLocaleDateString(tag, { weekday: 'long' })} ${time}`;
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString(tag, { day: 'numeric', month: 'short', year });
}

/** Tells all ages on the page again. */
function tellAges() {
  for (const element of document.querySelectorAll('time[data-age]')) {
    if (!(element instanceof HTMLTimeElement)) continue;
    const shown = age(Number(element.dataset.age), Date.now(), language());
    if (element.textContent !== shown) element.textContent = shown;
  }
}

/** @type {ReturnType<typeof setInterval> | undefined} */
let telling;

/**
 * A time as people say it, which the page keeps true.
 * @param {number} ms Unix time in milliseconds
 */
export function when(ms) {
  telling ??= setInterval(() => { if (!document.hidden) tellAges(); }, AGES_AGAIN_MS);
  const element = stamp(new Date(ms), age(ms, Date.now(), language()));
  element.dataset.age = String(ms);
  return element;
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

// The texts of games whose engines other than the best one play in a listed match: they have the names of those engines.
/** @type {Map<string, Translate>} */
const named = new Map();

/**
 * Loads the texts that the names in these matches need.
 * @param {ListEntry[]} entries
 * @param {Map<string, Game>} known
 */
export async function learnNames(entries, known) {
  const others = entries.filter(({ game, seats }) =>
    seats.some(({ engine }) => engine && engine.name !== known.get(game)?.engines[0]?.name));
  await Promise.all([...new Set(others.map(({ game }) => game))].filter((game) => !named.has(game)).map(async (game) => {
    // A game may have no texts.
    named.set(game, await loadTexts(`games/${game}/`).catch(() => (/** @type {string} */ key) => key));
  }));
}

/**
 * The name of the player in a seat.
 * @param {ListEntry} entry
 * @param {ListEntry['seats'][number]} seat
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
export function who(entry, seat, known, t) {
  const { engine } = seat;
  if (engine) return engineAt(engine.name, engine.level, known.get(entry.game), { t: named.get(entry.game) ?? ((key) => key) }, t);
  if (seat.kind === 'open') return t('list.open_seat');
  return seat.name ?? guestName(seat, t);
}

/**
 * @param {ListEntry} entry
 * @param {ListEntry['seats'][number]} seat
 * @param {number} place
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
function seatOf(entry, seat, place, known, t) {
  const won = (seat.rank ?? entry.result?.ranks[place]) === 1;
  const points = seat.points ?? entry.result?.points?.[place];
  return h('span', { class: ['who', won && 'won', seat.kind === 'open' && 'free', guestColour(seat, t)] }, who(entry, seat, known, t),
    seat.vacation_until_ms !== undefined && h('span', { class: 'vacation' }, `(${vacationText(seat.vacation_until_ms, t)})`),
    won && h('span', { class: 'sign', title: t('list.won') }, '★', h('span', { class: 'ear' }, t('list.won'))),
    points !== undefined && h('span', { class: 'points' }, signed(points)));
}

/**
 * The time that the visitor has left for a move in a match with days for it, in milliseconds; undefined: it is not the visitor's turn,
 * or there are no days.
 * @param {ListEntry} entry a match's page
 */
export function timeLeft({ stage, clock, turn, you }) {
  if (stage !== 'running' || !clock || !('now_ms' in clock) || (clock.move_ms ?? 0) < DAY_MS) return undefined;
  if (turn === null || turn === undefined || turn !== you) return undefined;
  const { all, move } = left(clock, turn, clock.now_ms);
  return Math.min(all ?? Infinity, move ?? Infinity);
}

/**
 * A length of time in one word and a number: "3 days", "20 hours", "5 minutes".
 * @param {number} ms
 */
export function length(ms) {
  const [unit, of] = /** @type {[string, number]} */ (ms >= 2 * DAY_MS ? ['day', DAY_MS] : ms >= HOUR_MS ? ['hour', HOUR_MS] : ['minute', MINUTE_MS]);
  return new Intl.NumberFormat(language(), { style: 'unit', unit, unitDisplay: 'long' }).format(Math.floor(ms / of));
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
  const rest = held && timeLeft(entry);
  // The position. A visitor's own match may be private: the server shows no picture of it without its key.
  // Nor of a sealed match.
  const src = held || entry.sealed ? `/games/${entry.game}/picture.png` : `/matches/${entry.id}/picture.svg?seq=${entry.seq ?? entry.stage}`;
  return h('a', { class: ['match', entry.stage], href: link(entry.id, held?.key) },
    h('img', { class: 'shot', src, alt: '', width: 122, height: 64, loading: 'lazy' }),
    h('span', { class: 'game' }, game?.title ?? entry.game),
    h('span', { class: 'seats' }, entry.seats.map((one, place) => seatOf(entry, one, place, known, t))),
    h('span', { class: ['stage', mine && 'mine'] }, mine ? t('list.your_move') : t(`stage.${entry.stage}`), ' · ',
      rest !== undefined && [h('span', { class: 'rest' }, t('list.time_left', { time: length(rest) })), ' · '],
      entry.sealed && [h('span', { title: t('problem.sealed') }, t('list.sealed')), ' · '],
      when(entry.ended_ms ?? entry.created_ms)));
}

/**
 * Fills a list with the matches that the API lists under `query`. Returns a function that asks again, with another query
 * if one is given.
 * @param {HTMLElement} place
 * @param {Map<string, Game>} known
 * @param {Translate} t
 * @param {{query?: Record<string, string | undefined>, path?: string, none: string, next?: HTMLElement,
 *   draw?: (entry: ListEntry) => HTMLElement}} options
 *   `none`: the text for an empty list; `next`: the button that shows more; `draw`: draws an entry, as a line unless given
 */
export function keepFilled(place, known, t, { query = {}, path = '/v1/matches', none, next, draw = (entry) => line(entry, known, t) }) {
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
      await learnNames(list.matches, known);
      await pointerReleased();
      if (mine !== round) return;
      // An unchanged list is not drawn again, so the keyboard focus in it stays.
      const content = JSON.stringify(list);
      if (!more && content === shown) return;
      shown = more ? undefined : content;
      const lines = list.matches.map(draw);
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
