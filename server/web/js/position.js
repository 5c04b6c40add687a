// The analysis board: a visitor's own position of a game, what the engine thinks of it, a comparison with the move that the
// visitor would make, and what follows that move. The address holds the position, so that it can be shared.

/** @import {AnalysisMessage, Board, Candidate, Game, LegalMove, Opaque, Translate} from '../types.ts' */
/** @import {Step} from './position-line.js' */

import { Refused, ask, sentence } from './api.js';
import { begin } from './begin.js';
import { board as boardOf } from './board.js';
import { chance } from './chance.js';
import { fill, h, required } from './dom.js';
import { percent, ranked } from './hints.js';
import { games } from './lists.js';
import { lines } from './lines.js';
import { engineName } from './match-text.js';
import { Line } from './position-line.js';
import { Stage } from './stage.js';
import { loadTexts } from './texts.js';

// How many moves are ranked; how many of them are shown on the board; the thinking times on offer, in milliseconds; after
// how long a pause an edited text is read.
const [MOVES, MARKED, PAUSE_MS] = [12, 4, 400];
const TIMES = [1000, 3000, 10_000];
// The most moves of a match that is played at random for a position.
const LATER = 24;

// The refusals of a text that is no position.
const INVALID = new Set(['bad_position', 'bad_dialogue', 'bad_json']);

class PositionPage {
  /** @type {Step} */
  #step = { position: null, seat: null, moves: [], last: null, points: null };
  /** @type {Candidate[]} */
  #candidates = [];
  /** @type {AbortController | null} */
  #abort = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pause;

  /**
   * @param {HTMLElement} root
   * @param {{t: Translate, game: Game, board: Board}} loaded
   */
  constructor(root, { t, game, board }) {
    this.t = t;
    this.game = game;
    this.board = board;
    this.path = `/v1/games/${game.slug}`;
    const place = h('section', { class: 'board', 'aria-label': t('match.board') });
    this.stage = new Stage(place, { board, t, play: (move) => this.#play(move),
      check: async (position, notations) => (await ask(`${this.path}/legal-moves`, { body: { position, notations } })).checked });
    this.status = h('p', { class: 'status', role: 'status' });
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    this.json = h('textarea', { id: 'json', rows: '9', spellcheck: 'false', autocomplete: 'off', input: () => this.#edited() });
    this.official = h('textarea', { id: 'official', rows: '6', spellcheck: 'false', autocomplete: 'off' });
    const button = (/** @type {string} */ key, /** @type {() => void} */ click) => h('button', { type: 'button', click }, t(key));
    this.askButton = h('button', { type: 'button', class: 'main', click: () => (this.#abort ? this.#stop() : this.#think()) }, t('position.ask'));
    this.line = new Line({ t, words: ({ move, before }) => this.stage.words(move, before), show: (step) => this.#display(step) });
    this.always = h('input', { type: 'checkbox', checked: true });
    this.time = h('select', {}, TIMES.map((ms) => h('option', { value: String(ms) }, t('position.seconds', { seconds: ms / 1000 }))));
    this.found = h('div', { class: 'found', 'aria-live': 'polite' });
    this.yours = h('p', { class: 'yours', role: 'status' }, t('position.compare'));
    root.querySelector('noscript')?.remove();
    root.append(h('div', { class: 'bench' }, place,
      h('div', { class: 'tools' },
        this.status, this.line.root,
        h('section', { 'aria-label': t('position.engine') },
          h('div', { class: 'asking' }, this.askButton, h('label', {}, t('position.time'), ' ', this.time)),
          h('label', { class: 'check' }, this.always, ' ', t('position.always')), this.yours, this.found),
        h('section', { 'aria-label': t('position.set') },
          h('div', { class: 'asking' }, button('position.fresh', () => this.#random(0)),
            button('position.later', () => this.#random(1 + Math.floor(Math.random() * LATER)))),
          h('label', { for: 'json' }, t('position.json')), h('p', { class: 'soft' }, t('position.json_about')), this.json, this.trouble,
          h('details', {}, h('summary', {}, t('position.official')),
            h('label', { class: 'soft', for: 'official' }, t('position.official_about')), this.official,
            button('position.read', () => this.#read()))))));
  }

  /** Shows the position of the address, else a fresh one. */
  async start() {
    const given = new URLSearchParams(location.hash.slice(1)).get('position');
    if (given) await this.#show(parsed(given));
    if (this.#step.position === null) await this.#random(0);
    addEventListener('hashchange', () => {
      const next = new URLSearchParams(location.hash.slice(1)).get('position');
      if (next && next !== JSON.stringify(this.#step.position)) this.#show(parsed(next));
    });
  }

  /** @param {number} plies */
  async #random(plies) {
    await this.#try(async () => {
      const { position } = await ask(`${this.path}/positions`, { body: { plies } });
      await this.#show(position);
    });
  }

  // The text was edited: it is read when it stays as it is for a moment.
  #edited() {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#show(parsed(this.json.value)), PAUSE_MS);
  }

  // Reads a contest's text.
  async #read() {
    await this.#try(async () => {
      const { position, remarks } = await ask(`${this.path}/official-position`, { text: this.official.value });
      await this.#show(position);
      if (remarks.length > 0) this.#say(this.t('position.remark', { why: remarks.join(' ') }));
    });
  }

  /**
   * Begins a line with a position, if the game's rules know it.
   * @param {Opaque} position
   */
  async #show(position) {
    await this.#try(async () => {
      if (position instanceof SyntaxError) throw new Error(this.t('position.invalid', { why: position.message }));
      const { moves, seat } = await ask(`${this.path}/legal-moves`, { body: { position } });
      fill(this.yours, this.t('position.compare'));
      this.line.begin({ position, seat, moves, last: null, points: null });
    });
  }

  /**
   * Shows a position of the line.
   * @param {Step} step
   */
  #display(step) {
    const { position, seat, points } = step;
    this.#stop();
    [this.#step, this.#candidates] = [step, []];
    // What is being typed keeps its form.
    if (document.activeElement !== this.json) this.json.value = JSON.stringify(position, null, 1);
    fill(this.found);
    const total = points && this.#names().map((name, i) => `${name}: ${points[i]}`).join(', ');
    const over = total ? this.t('position.result', { points: total }) : this.t('position.over');
    fill(this.status, seat === null ? over : this.t('position.turn', { seat: seat + 1 }));
    this.askButton.disabled = seat === null;
    this.#draw(true);
    history.replaceState(null, '', `#position=${encodeURIComponent(JSON.stringify(position))}`);
  }

  /** @param {boolean} [walk] whether the move that led to the position is animated */
  #draw(walk = false) {
    const seats = this.#names().map((name) => ({ name, kind: 'guest', out: false }));
    const { position, seat, moves, last } = this.#step;
    this.stage.show({ view: position, me: seat, seats, turn: seat, moves, last }, { walk });
  }

  // A name for each seat; for as many as a match may have if the board does not tell their number.
  #names() {
    const length = this.board.points?.(this.#step.position).length ?? this.game.max_seats;
    return Array.from({ length }, (_, seat) => this.t('position.seat', { seat: seat + 1 }));
  }

  async #think() {
    const { t } = this;
    const abort = new AbortController();
    this.#abort = abort;
    fill(this.askButton, t('position.stop'));
    fill(this.found, h('p', {}, t('hint.thinking')));
    await this.#try(async () => {
      const body = { position: this.#step.position, think_ms: Number(this.time.value), candidates: MOVES };
      const answer = await ask(`${this.path}/analysis`, { body, raw: true, signal: abort.signal });
      for await (const line of lines(answer)) {
        /** @type {AnalysisMessage} */
        const message = line;
        if (abort !== this.#abort) return;
        if (message.type === 'failed') throw new Refused(message.problem);
        this.#found(message);
      }
    }, () => abort !== this.#abort);
    if (abort === this.#abort) this.#stop();
  }

  #stop() {
    this.#abort?.abort();
    this.#abort = null;
    fill(this.askButton, this.t('position.ask'));
  }

  /** @param {Exclude<AnalysisMessage, {type: 'failed'}>} message */
  #found(message) {
    const { t } = this;
    this.#candidates = message.candidates.length > 0 ? message.candidates : [message];
    const { seat } = this.#step;
    fill(this.found, seat !== null && chance(message.value, seat, this.#names(), t),
      ranked(this.#candidates.slice(0, 6), (move) => this.#words(move), (place) => this.stage.marks.focus(place)),
      h('p', { class: 'soft' }, t(message.type === 'done' ? 'hint.done' : 'hint.so_far',
        { seconds: (message.elapsed_ms / 1000).toFixed(1), engine: engineName(message.engine, this.board) })));
    this.stage.rank(this.#candidates.slice(0, MARKED).map(({ move }) => move));
  }

  /** @param {Opaque} move */
  #words(move) {
    return this.stage.words(move, this.#step.position);
  }

  /**
   * Plays a move that the visitor chose on the board, compares it with the engine's, and has the engine go on.
   * @param {LegalMove} chosen
   */
  async #play(chosen) {
    const { position: before, seat } = this.#step;
    const yours = this.#compare(chosen);
    const asks = this.#candidates.length > 0 && this.always.checked;
    await this.#try(async () => {
      const next = await ask(`${this.path}/next-position`, { body: { position: before, notation: chosen.notation } });
      const { position } = next;
      const { moves } = await ask(`${this.path}/legal-moves`, { body: { position } });
      fill(this.yours, yours);
      this.line.extend({ position, seat: next.seat, moves, last: { seat: seat ?? 0, move: chosen.move, before },
        points: next.result?.points ?? null });
      if (asks && next.seat !== null) this.#think();
    });
  }

  /**
   * What is said about a move beside the engine's.
   * @param {LegalMove} move
   */
  #compare({ move, notation }) {
    const { t } = this;
    const all = this.#candidates;
    const rank = all.findIndex((candidate) => candidate.notation === notation);
    const words = { move: this.#words(move), rank: rank + 1, count: all.length };
    if (all.length === 0) return t('position.ask_first');
    if (rank === 0) return t('position.yours_best', words);
    if (rank > 0) return t('position.yours', { ...words, lost: percent(all[0].value - all[rank].value) });
    return t('position.yours_none', words);
  }

  /** @param {string} text */
  #say(text) {
    fill(this.trouble, text);
    this.trouble.hidden = false;
  }

  /**
   * @param {() => Promise<void>} act
   * @param {() => boolean} [stale] whether a failure no longer matters
   */
  async #try(act, stale = () => false) {
    this.trouble.hidden = true;
    try {
      await act();
    } catch (error) {
      if (stale()) return;
      const why = error instanceof Refused ? sentence(error, this.t) : String(error instanceof Error ? error.message : error);
      this.#say(error instanceof Refused && INVALID.has(error.code) ? this.t('position.invalid', { why }) : why);
    }
  }
}

/**
 * The value of a JSON text, or the error of one that is none.
 * @param {string} text
 * @returns {Opaque}
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

begin(async () => {
  const root = required('#position');
  const [t, known] = await Promise.all([loadTexts(), games()]);
  const game = known.get(root.dataset.game ?? '');
  if (!game) throw new Refused({ status: 404, code: 'unknown_game', detail: t('trouble.game') });
  const board = await boardOf(game.slug, root.dataset.own !== undefined, t);
  await new PositionPage(root, { t, game, board }).start();
});
