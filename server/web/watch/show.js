// A match that plays itself in a window of a page: live while it is being played, else its moves again and again. The server
// says which match it is, and with which the window goes on.

/** @import {Board, Frame, Game, Scene, Translate} from '../types.ts' */

import { ask, rendered } from '../lib/api.js';
import { motion } from '../board/animate.js';
import { board as boardOf } from '../board/board.js';
import { fill, h, required } from '../lib/dom.js';
import { Live } from '../lib/live.js';
import { guestColour } from '../lib/matches/guests.js';
import { lastOf, left, moveOf, offset, time } from '../lib/matches/match-state.js';
import { MatchStore } from '../lib/matches/match-store.js';
import { headline, seatName } from '../lib/matches/match-text.js';
import { pointerReleased } from '../lib/pointer.js';
import { MatchFrames } from '../review/frames.js';
import { currentScene, pastScene } from '../review/scenes.js';
import { signed } from '../lib/texts.js';
import { Window } from './window.js';

// How long a position is shown, and the last one of a match, in milliseconds.
const [STEP_MS, END_MS] = [1_600, 7_000];
// How often the server is asked which match to show.
const AGAIN_MS = 10_000;
// A board is drawn at least this wide, in pixels, and made smaller as a whole where there is less room; its height for that.
const [LEAST, HEIGHT] = [600, 0.64];
const CLOCK_MS = 500;

/** Whether the visitor sees the page. */
const seen = () => document.visibilityState === 'visible';

/** One match in the window. */
class Showing {
  /** @type {Live | null} */
  #live = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #clock;
  /** @type {Frame[]} */
  #frames = [];
  #at = 0;
  /** @type {number | null} */
  #offset = null;
  /** @type {number[] | null} */
  #points = null;

  /** Whether a match that has been shown to its end may be replaced. */
  done = false;

  /**
   * `own`: whether the game has a board of its own; `begins(match)`: called before the match is shown.
   * @param {HTMLElement} root
   * @param {{id: string, game: Game, own: boolean, t: Translate, paused: () => boolean, begins: (match: MatchStore) => void}} options
   */
  constructor(root, { id, game, own, t, paused, begins }) {
    this.root = root;
    this.id = id;
    this.game = game;
    this.own = own;
    this.t = t;
    this.paused = paused;
    this.begins = begins;
    this.seats = h('ul', { class: 'seats' });
    this.stageRoot = h('div', { class: 'pane' });
    this.frame = h('div', { class: 'frame' }, this.stageRoot);
    this.says = h('p', { class: 'says' });
  }

  async begin() {
    const { id, t, game } = this;
    const access = { id, path: `/v1/matches/${id}`, secrets: () => ({}), load: () => ask(`/v1/matches/${id}`) };
    const [page, board] = await Promise.all([access.load(), boardOf(game.slug, this.own, t)]);
    this.match = new MatchStore({ t, access, page, game, board });
    this.known = new MatchFrames(this.match);
    // What is filled may move what is below it.
    await pointerReleased();
    fill(this.root, this.seats, this.frame, this.says);
    this.stage = new Window(this.stageRoot, { board, shown: (scene) => this.#scene(scene, board) });
    this.#fit();
    this.sizes = new ResizeObserver(() => this.#fit());
    this.sizes.observe(this.root);
    this.match.on('time', (ms) => { if (ms) this.#offset = offset(this.#offset, ms, Date.now()); });
    this.match.on('changed', (event) => this.#changed(Boolean(event && moveOf(event))));
    this.match.on('status', () => this.#people());
    this.begins(this.match);
    this.match.take(page);
    if (this.match.page.stage === 'over') await this.#replay();
    else this.#follow();
  }

  end() {
    this.#live?.stop();
    clearTimeout(this.#timer);
    clearInterval(this.#clock);
    this.sizes?.disconnect();
  }

  /** Goes on after a pause. */
  resume() {
    if (this.#frames.length > 0) this.#next();
  }

  #follow() {
    const { match } = this;
    if (!match) return;
    this.#live = new Live({ path: match.path, secrets: match.secrets, heard: (message) => match.hear(message), state: () => {},
      seq: () => (match.events.size > 0 ? match.page.seq : Math.max(0, match.page.seq - 2)) });
    this.#live.start();
    this.#clock = setInterval(() => this.#people(), CLOCK_MS);
  }

  /** @param {boolean} moved */
  #changed(moved) {
    const { match, stage, known } = this;
    if (!match || !stage || !known || this.#frames.length > 0) return;
    stage.show(currentScene(match, lastOf(known.known().at(-1))), { walk: moved });
    this.#people();
    if (match.page.stage !== 'over') return;
    clearInterval(this.#clock);
    this.#timer = setTimeout(() => { this.done = true; }, END_MS);
  }

  async #replay() {
    if (!this.known || !this.match) return;
    this.#frames = await this.known.seen(null);
    await pointerReleased();
    this.#at = motion() ? 0 : this.#frames.length - 1;
    this.#show(false);
    if (motion()) this.#next();
  }

  /** @param {boolean} walk */
  #show(walk) {
    const { match, stage } = this;
    const frame = this.#frames[this.#at];
    if (!match || !stage || !frame) return;
    this.frame.dataset.ply = String(frame.ply);
    stage.show(pastScene(match, frame, null), { walk });
  }

  #next() {
    clearTimeout(this.#timer);
    const last = this.#at >= this.#frames.length - 1;
    if (last) this.done = true;
    this.#timer = setTimeout(() => {
      if (this.paused()) return;
      if (seen()) {
        this.#at = last ? 0 : this.#at + 1;
        this.#show(!last);
      }
      this.#next();
    }, last ? END_MS : STEP_MS);
  }

  /**
   * @param {Scene} scene
   * @param {Board} board
   */
  #scene({ view, turn }, board) {
    const { match } = this;
    const result = match?.page.stage === 'over' && turn === null ? match.page.result?.points : null;
    this.#points = result ?? board.points?.(view) ?? null;
    this.turn = turn;
    this.#people();
  }

  #people() {
    const { match, t } = this;
    if (!match) return;
    const { page } = match;
    const over = page.stage === 'over' && (this.#frames.length === 0 || this.#at === this.#frames.length - 1);
    const now = Date.now() + (this.#offset ?? 0);
    fill(this.seats, page.seats.map((seat) => {
      const clock = page.stage === 'running' && page.clock ? left(page.clock, seat.seat, now) : null;
      const ms = clock && Math.min(clock.all ?? Infinity, clock.move ?? Infinity);
      const points = this.#points?.[seat.seat];
      return h('li', { class: [this.turn === seat.seat && 'turn', over && page.result?.ranks[seat.seat] === 1 && 'won'] },
        h('span', { class: ['who', guestColour(seat, t)] }, seatName(seat, t)),
        points !== undefined && h('span', { class: 'points' }, signed(points)),
        ms !== null && Number.isFinite(ms) && h('span', { class: 'clock' }, time(ms)));
    }));
    const says = over ? headline(page, t) : '';
    if (this.says.textContent !== says) fill(this.says, says);
  }

  // Small screens show the whole board smaller.
  #fit() {
    const width = this.root.clientWidth;
    if (width === 0) return;
    const wide = Math.max(width, LEAST);
    const scale = width / wide;
    const high = Math.round(wide * HEIGHT);
    for (const [name, value] of Object.entries({ width: `${wide}px`, height: `${high}px`, scale: String(scale) })) this.stageRoot.style.setProperty(name, value);
    this.frame.style.setProperty('height', `${Math.round(high * scale)}px`);
  }
}

/**
 * Shows the match of a window, and then the one with which the server's page at `path` goes on. `begins(match)`: called before a match
 * is shown; `waits()`: whether the next one is to wait.
 * @param {HTMLElement} section
 * @param {Map<string, Game>} known
 * @param {Translate} t
 * @param {string} path
 * @param {{begins?: (match: MatchStore) => void, waits?: () => boolean}} [options]
 */
export async function keepShowing(section, known, t, path, { begins = () => {}, waits = () => false } = {}) {
  const screen = required('.screen', HTMLElement, section);
  let paused = !motion();
  /** @type {Showing | null} */
  let now = null;
  const pause = h('button', { type: 'button', class: 'quiet pause', click: () => {
    paused = !paused;
    fill(pause, t(paused ? 'tv.play' : 'tv.pause'));
    if (!paused) now?.resume();
  } }, t(paused ? 'tv.play' : 'tv.pause'));
  const begin = async () => {
    now?.end();
    now = null;
    const { match = '', game = '', own } = section.dataset;
    const chosen = known.get(game);
    if (!chosen) return;
    // A live match moves when its players do; only a replay can be held.
    pause.hidden = 'live' in section.dataset;
    const next = new Showing(screen, { id: match, game: chosen, own: own !== undefined, t, paused: () => paused, begins });
    now = next;
    await next.begin();
    section.dataset.shown = match;
  };
  await pointerReleased();
  required('header', HTMLElement, section).append(pause);
  await begin();
  setInterval(async () => {
    if (!seen()) return;
    try {
      const fresh = (await rendered(path)).querySelector('.show');
      if (!(fresh instanceof HTMLElement)) return;
      const other = fresh.dataset.match !== section.dataset.match;
      if (other && waits()) return;
      // A replay gives way to a live match at once; a match that is shown live is shown to its end.
      if (other && now && !now.done && 'live' in section.dataset) return;
      if (other && now && !now.done && !('live' in fresh.dataset)) return;
      await pointerReleased();
      const [head, freshHead] = [section, fresh].map((one) => required('header', HTMLElement, one));
      head.replaceChildren(...freshHead.children, pause);
      if (!other) return;
      for (const name of ['match', 'game', 'own', 'live']) {
        const value = fresh.dataset[name];
        if (value === undefined) delete section.dataset[name];
        else section.dataset[name] = value;
      }
      await begin();
    } catch {
      // The server cannot be reached: the next time.
    }
  }, AGAIN_MS);
}
