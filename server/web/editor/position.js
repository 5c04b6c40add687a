// The analysis board: a visitor's own position of a game, the engine's opinion of it, a comparison with the move that the
// visitor would make, and the positions after that move. The address holds the position, so that it can be shared.

/** @import {Board, Game, LegalMove, Opaque, Translate} from '../types.ts' */
/** @import {Step} from './position-line.js' */

import { Refused, ask, sentence } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { board as boardOf } from '../board/board.js';
import { fill, h, required } from '../lib/dom.js';
import { Editor } from './editor.js';
import { games } from '../lib/matches/lists.js';
import { MatchFile } from './position-file.js';
import { PositionEngine } from './position-engine.js';
import { Line } from './position-line.js';
import { Stage } from '../board/stage.js';
import { find } from '../board/targets.js';
import { file, loadTexts } from '../lib/texts.js';

// An edited text is read after a pause of this length, in milliseconds.
const PAUSE_MS = 400;
// The most moves of a match that is played at random for a position.
const LATER = 24;

// The codes of the API's refusals of a text that is no position.
const INVALID = new Set(['bad_position', 'bad_dialogue', 'bad_json']);

class PositionPage {
  /** @type {Step} */
  #step = { position: null, seat: null, moves: [], last: null, points: null };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pause;
  #editing = false;

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
      check: async (position, notations) => (await ask(`${this.path}/legal-moves`, { body: { position, notations } })).checked,
      edit: (target, byKey) => this.editor.press(target, byKey) });
    this.editor = new Editor({ board, t, names: (view) => this.#names(view), show: (view, seat, edit) => this.#displayEdited(view, seat, edit),
      check: async (position) => this.#turn((await ask(`${this.path}/legal-moves`, { body: { position } })).seat, null),
      tell: (text) => this.stage.tell(text), focus: (target) => find(this.stage.place, target)?.focus(),
      size: (target) => {
        // A mouse hits everything.
        if (!matchMedia('(pointer: coarse)').matches) return Infinity;
        const { width = Infinity, height = Infinity } = find(this.stage.place, target)?.getBoundingClientRect() ?? {};
        return Math.min(width, height);
      },
      leave: (done) => this.#leave(done) });
    this.editButton = h('button', { type: 'button', class: 'edit', 'aria-pressed': 'false', hidden: !board.edit,
      click: () => (this.#editing ? this.#leave(true) : this.#edit()) }, t('position.edit'));
    this.status = h('p', { class: 'status', role: 'status' });
    this.playButton = h('button', { type: 'button', class: 'from', hidden: true, click: () => this.#playFrom() }, t('from.title'));
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    this.json = h('textarea', { id: 'json', rows: '9', spellcheck: 'false', autocomplete: 'off', input: () => this.#edited() });
    // The text of a contest; null if the game has none.
    this.official = root.dataset.contest === undefined ? null : h('textarea', { id: 'official', rows: '6', spellcheck: 'false', autocomplete: 'off' });
    const button = (/** @type {string} */ key, /** @type {() => void} */ click) => h('button', { type: 'button', click }, t(key));
    this.engine = new PositionEngine({ board, t, path: this.path, stage: this.stage, step: () => this.#step, names: () => this.#names(),
      attempt: (act, stale) => this.#try(act, stale) });
    this.line = new Line({ t, words: ({ move, before }) => this.stage.words(move, before), show: (step) => this.#display(step) });
    this.file = new MatchFile({ t, path: this.path, attempt: (act) => this.#try(act), show: (steps) => {
      this.#setEditing(false);
      this.engine.tell();
      this.line.load(steps);
    } });
    root.querySelector('noscript')?.remove();
    this.bench = h('div', { class: 'bench' }, place, this.editor.root,
      h('div', { class: 'tools' },
        h('div', { class: 'asking' }, this.status, this.playButton), this.line.root, this.engine.root, this.trouble, this.file.root,
        h('section', { 'aria-label': t('position.set') },
          h('div', { class: 'asking' }, button('position.fresh', () => this.#random(0)),
            button('position.later', () => this.#random(1 + Math.floor(Math.random() * LATER)))),
          h('label', { for: 'json' }, t('position.json')), h('p', { class: 'soft' }, t('position.json_about')), this.json,
          this.official && h('details', {}, h('summary', {}, t('position.official')),
            h('label', { class: 'soft', for: 'official' }, t('position.official_about')), this.official,
            button('position.read', () => this.#read())))));
    root.append(this.editButton, this.bench);
    this.file.listen(root);
    document.addEventListener('keydown', (event) => {
      if (this.#editing && !event.defaultPrevented) this.editor.key(event);
    });
  }

  /** Shows the position of the address, else a fresh one. */
  async start() {
    const given = new URLSearchParams(location.hash.slice(1)).get('position');
    if (given) await this.#show(parsed(given));
    if (this.#step.position === null) await this.#random(0);
    addEventListener('hashchange', () => {
      const next = new URLSearchParams(location.hash.slice(1)).get('position');
      if (next && next !== JSON.stringify(this.#editing ? this.editor.view : this.#step.position)) this.#show(parsed(next));
    });
  }

  /** @param {number} plies */
  async #random(plies) {
    await this.#try(async () => {
      const { position } = await ask(`${this.path}/positions`, { body: { plies } });
      await this.#show(position);
    });
  }

  // Called when the text is edited: it is read when it has not changed for a moment.
  #edited() {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#show(parsed(this.json.value)), PAUSE_MS);
  }

  // Reads a contest's text.
  async #read() {
    await this.#try(async () => {
      const { position, remarks } = await ask(`${this.path}/official-position`, { text: this.official?.value });
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
      if (this.#editing) {
        this.editor.replace(position);
        return;
      }
      this.engine.tell();
      this.line.begin({ position, seat, moves, last: null, points: null });
    });
  }

  /**
   * Shows a position of the line.
   * @param {Step} step
   */
  #display(step) {
    const { position, seat, points, note } = step;
    const asks = step.unread === true && this.engine.follows;
    this.#step = step;
    this.engine.reset();
    this.#write(position);
    fill(this.status, [this.#turn(seat, points), note].filter(Boolean).join(' '));
    this.playButton.hidden = seat === null;
    this.#draw(true);
    if (step.unread) this.#readMoves(step, asks);
  }

  /**
   * Asks for the legal moves of a position of a file.
   * @param {Step} step
   * @param {boolean} asks whether the engine is asked for its opinion then
   */
  async #readMoves(step, asks) {
    await this.#try(async () => {
      const { moves } = await ask(`${this.path}/legal-moves`, { body: { position: step.position } });
      step.moves = moves;
      if (this.#step !== step || this.#editing) return;
      this.#draw();
      if (asks) this.engine.think();
    }, () => this.#step !== step);
  }

  // Begins a match with the position.
  async #playFrom() {
    const { position, seat } = this.#step;
    if (seat === null) return;
    await this.#try(async () => {
      /** @type {typeof import('../lib/matches/play-from.js')} */
      const { playFrom } = await import(file('lib/matches/play-from.js'));
      const say = this.t(this.game.perfect_information ? 'from.as_it_is' : 'from.drawn');
      playFrom({ game: this.game.slug, position, names: this.#names(), turn: seat, say }, this.t);
    });
  }

  /**
   * Writes a position as JSON, and into the address.
   * @param {Opaque} position
   */
  #write(position) {
    // A text that is being typed keeps its form.
    if (document.activeElement !== this.json) this.json.value = JSON.stringify(position, null, 1);
    history.replaceState(null, '', `#position=${encodeURIComponent(JSON.stringify(position))}`);
  }

  /**
   * The seat to move, or the end of the match, in words.
   * @param {number | null} seat
   * @param {number[] | null} points
   */
  #turn(seat, points) {
    if (seat !== null) return this.t('position.turn', { seat: seat + 1 });
    const total = points && this.#names().map((name, i) => `${name}: ${points[i]}`).join(', ');
    return total ? this.t('position.result', { points: total }) : this.t('position.over');
  }

  // Begins to edit the position.
  async #edit() {
    await this.#try(async () => {
      await this.editor.load();
      this.engine.stop();
      this.#setEditing(true);
      this.editor.start(this.#step.position);
      // On a phone the board and the panel fill the window.
      if (matchMedia('(orientation: portrait), (height < 32rem)').matches) this.bench.scrollIntoView({ block: 'start' });
    });
  }

  /**
   * Ends the editing. `done`: the edited position begins a new line, if the rules know it; else the old line goes on.
   * @param {boolean} done
   */
  async #leave(done) {
    const position = this.editor.view;
    if (!done || position === this.#step.position) {
      this.#setEditing(false);
      this.#display(this.#step);
    } else {
      await this.#try(async () => {
        const { moves, seat } = await ask(`${this.path}/legal-moves`, { body: { position } });
        this.#setEditing(false);
        this.engine.tell();
        this.line.begin({ position, seat, moves, last: null, points: null });
      });
    }
    if (!this.#editing) this.editButton.focus({ preventScroll: true });
  }

  /** @param {boolean} editing */
  #setEditing(editing) {
    this.#editing = editing;
    this.editButton.setAttribute('aria-pressed', String(editing));
    this.bench.classList.toggle('editing', editing);
    if (!editing) this.editor.stop();
  }

  /**
   * Shows a position that is being edited; `edit`: its elements.
   * @param {Opaque} view
   * @param {{me: number, turn: number}} seat the seat from which the board is seen, and the one to move
   * @param {{next: Map<string, {what: string, whole: string}>, picked: string[]}} edit
   */
  #displayEdited(view, { me, turn }, edit) {
    this.stage.show({ view, me, seats: this.#seats(view), turn, moves: [], last: null, still: true, edit });
    this.#write(view);
  }

  /** @param {boolean} [walk] whether the move that led to the position is animated */
  #draw(walk = false) {
    const { position, seat, moves, last } = this.#step;
    this.stage.show({ view: position, me: seat, seats: this.#seats(position), turn: seat, moves, last }, { walk });
  }

  /** @param {Opaque} position */
  #seats(position) {
    return this.#names(position).map((name) => ({ name, kind: 'guest', out: false }));
  }

  /**
   * A name for each seat; if the board does not give their number, for as many as a match may have.
   * @param {Opaque} [position]
   */
  #names(position = this.#step.position) {
    const length = this.board.points?.(position).length ?? this.game.max_seats;
    return Array.from({ length }, (_, seat) => this.t('position.seat', { seat: seat + 1 }));
  }

  /**
   * Plays a move that the visitor chose on the board, compares it with the engine's, and has the engine go on.
   * @param {LegalMove} chosen
   */
  async #play(chosen) {
    const { position: before, seat } = this.#step;
    const yours = this.engine.compare(chosen);
    const asks = this.engine.follows;
    await this.#try(async () => {
      const next = await ask(`${this.path}/next-position`, { body: { position: before, notation: chosen.notation } });
      const { position } = next;
      const { moves } = await ask(`${this.path}/legal-moves`, { body: { position } });
      this.engine.tell(yours);
      this.line.extend({ position, seat: next.seat, moves, last: { seat: seat ?? 0, move: chosen.move, before },
        points: next.result?.points ?? null });
      if (asks && next.seat !== null) this.engine.think();
    });
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
