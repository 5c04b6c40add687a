// Analysis of a finished match: the engine's opinion of every decision with the turning points, the verification of the
// record, and the record to download.

/** @import {Frame, Game, Opaque, Page, Secrets, Translate} from '../types.ts' */
/** @import {Opinion, Spot} from './opinion.js' */

import { Refused, ask, sentence } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { graph } from './graph.js';
import { percent } from '../board/chance.js';
import { curves, opinions, scores, turning } from './opinion.js';

// How many moves are compared with the best.
const MOVES = 12;
// The HTTP statuses of an answer while the engines are busy.
const BUSY = new Set([429, 503]);

/**
 * The move that led to a frame.
 * @param {Frame | undefined} frame
 */
function made(frame) {
  const event = frame?.event;
  if (event?.type === 'fouled') return event.instead;
  return event?.type === 'moved' ? event : undefined;
}

export class Analysis {
  /** @type {Frame[]} */
  #frames = [];
  /** @type {Spot[]} */
  #spots = [];
  /** @type {Opinion[]} */
  #all = [];
  #at = 0;
  /** @type {AbortController | null} */
  #abort = null;

  /**
   * `views(seat)`: resolves to the frames as that seat saw them; `names`: the seats' names; `go(ply, better)`: called when
   * a ply is chosen; `better`: a move to show there.
   * @param {Element} root
   * @param {{page: Page, path: string, t: Translate, game: Game, secrets: () => Secrets,
   *   views: (seat: number) => Promise<Frame[]>, words: (move: Opaque, view: Opaque) => string, names: string[],
   *   go: (ply: number, better?: Opaque) => void}} options
   */
  constructor(root, { page, path, t, game, secrets, views, words, names, go }) {
    this.page = page;
    this.path = path;
    this.t = t;
    this.game = game;
    this.secrets = secrets;
    this.views = views;
    this.words = words;
    this.names = names;
    this.go = go;
    this.chart = h('div', { class: 'chart' });
    this.progress = h('p', { class: 'soft', role: 'status' });
    this.turns = h('ul', { class: 'turns' });
    this.start = h('button', { type: 'button', click: () => this.#think() }, t('analysis.ask'));
    this.truth = h('p', { class: 'truth', role: 'status' }, t('analysis.checking'));
    fill(root, h('h2', {}, t('analysis.title')), this.start, this.progress, this.chart, this.turns,
      h('h2', {}, t('analysis.record')), this.truth, this.#downloads());
    // The records of a tournament become public when it is over, so the visitor starts the check.
    if (page.tournament) fill(this.truth, h('button', { type: 'button', click: () => this.#verify() }, t('analysis.check')));
    else this.#verify();
  }

  /**
   * @param {Frame[]} frames the frames that are shown
   * @param {number} at the ply that is shown
   */
  show(frames, at) {
    [this.#frames, this.#at] = [frames, at];
    if (this.#all.length > 0) this.#draw();
    else if (this.#kept().get().length > 0 && !this.#abort) this.#think();
  }

  #kept() {
    const name = `kibitz.opinions.${this.page.id}`;
    return {
      get: () => JSON.parse(sessionStorage.getItem(name) ?? '[]'),
      set: (/** @type {Opinion[]} */ all) => {
        try {
          sessionStorage.setItem(name, JSON.stringify(all));
        } catch {
          // Storage is full: the opinions are asked for again next time.
        }
      },
    };
  }

  async #think() {
    const abort = new AbortController();
    this.#abort = abort;
    this.start.disabled = true;
    const { t } = this;
    try {
      const seats = await Promise.all(this.page.seats.map(({ seat }) => this.views(seat)));
      this.#spots = seats[0].flatMap(({ turn: seat, ply }, place) => (seat === null ? []
        : [{ ply, seat, position: seats[seat][place].position, played: made(seats[seat][place + 1]) }]));
      await opinions(this.#spots, {
        think: (position, ms, signal) => this.#opinion(position, ms, signal),
        kept: this.#kept(), signal: abort.signal,
        found: (all) => {
          this.#all = all;
          fill(this.progress, all.length < this.#spots.length
            ? t('analysis.progress', { done: all.length, all: this.#spots.length }) : '');
          this.#draw();
        },
      });
      this.start.hidden = true;
    } catch (error) {
      if (abort.signal.aborted) return;
      fill(this.progress, sentence(error, t));
      this.start.disabled = false;
    }
  }

  /**
   * The engine's decision; asks again while the engines are busy.
   * @param {Opaque} position
   * @param {number} ms the thinking time
   * @param {AbortSignal} signal
   */
  async #opinion(position, ms, signal) {
    for (;;) {
      try {
        const body = { position, think_ms: ms, seed: 1, candidates: MOVES };
        return await ask(`/v1/games/${this.game.slug}/move`, { body, signal });
      } catch (error) {
        if (!(error instanceof Refused && BUSY.has(error.status))) throw error;
        const { retry_after_ms = 500 } = error;
        await new Promise((done) => setTimeout(done, retry_after_ms));
      }
    }
  }

  #draw() {
    const { t, page } = this;
    const plies = this.#frames.at(-1)?.ply ?? 0;
    const done = this.#all.length === this.#spots.length && this.#spots.length > 0;
    const ends = done && page.result?.ranks ? scores(page.result.ranks) : null;
    const drawn = curves(this.#all, page.seats.length, plies, ends);
    const turns = turning(this.#all);
    const spots = new Map(this.#spots.map((spot) => [spot.ply, spot]));
    fill(this.chart, this.#all.length > 0
      && graph({ curves: drawn, names: this.names, plies, turns, at: this.#at, go: this.go, t }));
    fill(this.turns, turns.map(({ ply, seat, lost, better }) => {
      const { position: view, played } = spots.get(ply) ?? {};
      return h('li', {},
        h('button', { type: 'button', click: () => this.go(ply, better) }, t('analysis.turn', { ply: ply + 1, name: this.names[seat] })),
        h('span', { class: 'was' }, t('analysis.cost', { lost: percent(lost) }), ' ',
          played && this.words(played.move, view)),
        h('span', { class: 'better' }, t('analysis.better', { move: this.words(better, view) })));
    }));
  }

  async #verify() {
    const { t } = this;
    try {
      const verdict = await ask(`${this.path}/record/verify`, { who: this.secrets() });
      fill(this.truth, h('strong', {}, t(verdict.true ? 'analysis.true' : 'analysis.untrue')), ' ',
        verdict.true ? t('analysis.checked', { moves: this.page.ply }) : verdict.detail);
      this.truth.classList.toggle('bad', !verdict.true);
    } catch (error) {
      fill(this.truth, sentence(error, t));
    }
  }

  // Buttons that download the record, and the record in each of the game's own formats.
  #downloads() {
    const { t } = this;
    const get = (/** @type {string | null} */ format, /** @type {string} */ label) => h('button', { type: 'button', click: async () => {
      const query = format ? `?format=${encodeURIComponent(format)}` : '';
      try {
        const answer = await ask(`${this.path}/record${query}`, { who: this.secrets(), raw: true });
        const named = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '');
        const href = URL.createObjectURL(await answer.blob());
        h('a', { href, download: named?.[1] ?? 'record' }).click();
        setTimeout(() => URL.revokeObjectURL(href), 60_000);
      } catch (error) {
        fill(this.truth, sentence(error, t));
      }
    } }, label);
    return h('p', { class: 'downloads' }, get(null, t('analysis.download')),
      this.game.formats.map(({ name }) => get(name, t('analysis.download_as', { format: name }))));
  }
}
