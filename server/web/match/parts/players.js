// The players: one row per seat with the name, whose turn it is, and the time left.

/** @import {Page, Scene, Translate} from '../../types.ts' */
/** @import {MatchStore} from '../../lib/matches/match-store.js' */
/** @import {Ratings} from './ratings.js' */

import { all, fill, h } from '../../lib/dom.js';
import { left, offset, paused, time } from '../../lib/matches/match-state.js';
import { guestColour } from '../../lib/matches/guests.js';
import { seatName, vacationText } from '../../lib/matches/match-text.js';
import { signed } from '../../lib/texts.js';

// Time left below this is shown as low, in milliseconds.
const LOW_MS = 20_000;

/**
 * The mark that says whether a player is connected.
 * @param {boolean} connected
 * @param {Translate} t
 */
function presence(connected, t) {
  const text = t(connected ? 'match.connected' : 'match.away');
  return h('span', { class: ['presence', connected && 'on'], role: 'img', 'aria-label': text, title: text });
}

/**
 * The place of a seat's clock: a sign, the time that ends first, and the other one if there are two.
 * @param {number} seat
 */
function clock(seat) {
  return h('span', { class: 'clock', data: { seat }, role: 'timer' },
    h('span', { class: 'sign' }), h('span', { class: 'time' }), h('span', { class: 'other' }));
}

/**
 * Shows a time in a clock. `label`: all of it in words.
 * @param {HTMLElement} place
 * @param {{sign: string, main: string, other: string, label: string}} shown
 */
function show(place, { sign, main, other, label }) {
  for (const [part, text] of [sign, main, other].entries()) {
    const element = place.children[part];
    if (element.textContent !== text) element.textContent = text;
  }
  if (place.title === label) return;
  place.title = label;
  place.setAttribute('aria-label', label);
}

export class Players {
  /** @type {number | null} */
  #offset = null;
  /** @type {Page | null} */
  #page = null;
  // The points of the seats in the shown position.
  /** @type {number[] | null} */
  #points = null;
  // When the connection was lost, by this browser's clock; null while there is one.
  /** @type {number | null} */
  #stopped = null;
  // The ply at which the viewer was last warned of low time.
  /** @type {number | null} */
  #warned = null;
  // What was last said about a clock that is stopped.
  /** @type {string | null} */
  #told = null;

  /**
   * @param {Element} root
   * @param {MatchStore} match
   * @param {Ratings} ratings
   */
  constructor(root, match, ratings) {
    this.root = root;
    this.ratings = ratings;
    this.match = match;
    this.t = match.t;
    match.on('time', (ms) => {
      if (ms) this.#offset = offset(this.#offset, ms, Date.now());
    });
    match.on('settled', () => this.#show(match.page));
    match.on('ratings', () => this.#show(this.#page ?? match.page));
    match.on('status', () => this.#show(match.page));
    match.on('scene', (scene) => this.#scene(scene));
    match.on('lost', (lost) => this.#lost(lost));
    setInterval(() => this.#tick(), 100);
  }

  /**
   * Stops the clocks while there is no connection, because the page does not know whether they run. They show the last
   * known times.
   * @param {boolean} lost
   */
  #lost(lost) {
    this.#stopped = lost ? this.#stopped ?? Date.now() : null;
    this.#tick();
  }

  /** @param {Page} page */
  #show(page) {
    const { t } = this;
    this.#page = page;
    fill(this.root, page.seats.map((seat) => {
      const name = seatName(seat, t);
      const [turn, you] = [page.turn === seat.seat, page.you === seat.seat];
      const rank = page.result?.ranks[seat.seat];
      const points = this.#points?.[seat.seat] ?? page.result?.points?.[seat.seat];
      const kinds = ['player', turn && 'turn', you && 'you', seat.out && 'out'];
      return h('li', { class: kinds, 'aria-current': turn && 'true' },
        h('span', { class: 'number', 'aria-hidden': 'true' }, String(seat.seat + 1)),
        h('span', { class: ['who', guestColour(seat, t)], title: name },
          seat.kind === 'player' ? h('a', { href: `/players/${encodeURIComponent(seat.name ?? '')}`, data: { card: seat.name ?? '', game: page.game } }, name) : name),
        this.ratings.of(seat.seat),
        seat.connected !== undefined && !seat.program && page.stage !== 'over' && presence(seat.connected, t),
        seat.vacation_until_ms !== undefined && page.stage !== 'over' && h('span', {
          class: 'tag vacation', role: 'img', title: vacationText(seat.vacation_until_ms, t), 'aria-label': vacationText(seat.vacation_until_ms, t),
        }, vacationText(seat.vacation_until_ms, t)),
        you && h('span', { class: 'tag yours' }, t('match.you')),
        seat.program && h('span', { class: 'tag hosted', title: t('match.hosted.say', { number: seat.program.number }), 'aria-label': t('match.hosted.say', { number: seat.program.number }), role: 'img' },
          t('match.hosted', { number: seat.program.number })),
        seat.out && h('span', { class: 'tag' }, t('match.is_out')),
        turn && h('span', { class: 'tag to-move' }, t('match.to_move')),
        rank && h('span', { class: ['tag', rank === 1 && 'first'] }, t('match.place', { rank })),
        points !== undefined && h('span', { class: 'points', role: 'img', 'aria-label': t('match.point_count', { points }),
          title: t('match.point_count', { points }) }, signed(points)),
        page.clock && page.stage !== 'over' && clock(seat.seat));
    }));
    this.#tick();
  }

  /**
   * Shows the points of the shown position; at the end, those of the result, in which hidden cards count.
   * @param {Scene} scene
   */
  #scene({ view, turn, step }) {
    const { page, board } = this.match;
    const over = page.stage === 'over' && turn === null && step === undefined;
    const points = (over ? page.result?.points : null) ?? board.points?.(view) ?? null;
    if (JSON.stringify(points) === JSON.stringify(this.#points)) return;
    this.#points = points;
    if (this.#page) this.#show(this.#page);
  }

  #tick() {
    const page = this.#page;
    if (!page?.clock || page.stage === 'over') {
      this.#tell(null);
      return;
    }
    const stopped = this.#stopped !== null;
    const host = (this.#stopped ?? Date.now()) + (this.#offset ?? 0);
    for (const place of all('.clock', this.root)) {
      const seat = Number(place.dataset.seat);
      // The clock of a hosted program counts its instructions, which only its moves tell.
      const isHosted = page.seats[seat]?.program !== undefined;
      const { all, move } = left(page.clock, seat, isHosted ? page.clock.since_ms ?? host : host);
      const least = Math.min(all ?? Infinity, move ?? Infinity);
      const running = page.clock.running === seat;
      const held = running && paused(page.clock, host);
      const low = running && !isHosted && !held && !stopped && least < LOW_MS;
      const unknown = running && stopped && !held;
      const words = [all === null ? '' : time(all), move === null ? '' : this.t('match.this_move', { time: time(move) }),
        held ? this.t('match.paused') : '', unknown ? this.t('match.last_known') : ''].filter(Boolean).join(' ');
      const limit = page.clock.move_ms ?? 0;
      show(place, { sign: low ? '⚠' : held ? '‖' : unknown ? '≈' : '', main: time(least === Infinity ? limit : least),
        other: all === null || move === null ? '' : time(Math.max(all, move)), label: words || this.t('match.per_move', { time: time(limit) }) });
      place.classList.toggle('low', low);
      place.classList.toggle('running', running && !held && !stopped);
      place.classList.toggle('paused', held || (running && stopped));
      if (low && page.you === seat && this.#warned !== page.ply) {
        this.#warned = page.ply;
        this.match.publish('announce', this.t('match.low', { seconds: Math.ceil(least / 1000) }));
      }
    }
    const { clock: now } = page;
    // A vacation is no interruption: the line that says whose turn it is tells it.
    const rests = now.running !== null && page.seats[now.running]?.vacation_until_ms !== undefined;
    this.#tell(!paused(now, host) || rests ? null : this.t(now.paused_until_ms === undefined ? 'match.unstored' : 'match.clock_waits'));
  }

  /** @param {string | null} text what stops the clock */
  #tell(text) {
    if (text === this.#told) return;
    this.#told = text;
    this.match.publish('condition', { about: 'clock', text });
  }
}
