// The stage: shows a game's board, highlights the possible choices, handles mouse and keys, and puts moves together. It
// knows no game; ../README.md describes the functions of a board.

/** @import {Board, CheckedMove, LegalMove, Opaque, Scene, Translate} from '../types.ts' */
/** @import {Ways} from './picker.js' */

import { Bar } from './bar.js';
import { fill, h } from '../lib/dom.js';
import { BoardFocus } from './board-focus.js';
import { Marks } from './marks.js';
import { patch } from '../lib/patch.js';
import { animate, halt, motion, places } from './animate.js';
import { BegunChoice, choose, isPossible, look } from './picker.js';
import { Offers } from './offers.js';
import { pointerReleased } from '../lib/pointer.js';
import { Scrollers } from './scrollers.js';
import { editable, mark } from './targets.js';
import { Walk } from './walk.js';

const AT_ONCE = 'kibitz.at-once';
/** @type {ReturnType<typeof look>} */
const NOTHING = Object.freeze({ next: new Set(), move: null, more: false });

/** @type {Scene} */
const EMPTY = { view: null, me: null, seats: [], turn: null, moves: [], last: null, still: true };
const nothingToPlay = async () => {};
const nothingToCheck = async () => [];

export class Stage {
  #scene = EMPTY;
  /** @type {string[]} */
  #picked = [];
  #begun = new BegunChoice();
  /** @type {Ways} */
  #ways = { routes: [] };
  #sending = false;
  #trouble = '';
  /** @type {Set<string>} */
  #hinted = new Set();
  // The recommended move in words.
  #advice = '';
  /**
   * `play(move)`: sends a legal move; it resolves when the move is made and rejects with an Error that says why not.
   * `check(view, notations)`: asks the API which notations are legal; `shown(scene)`: called with each scene that is
   * shown, also between two moves; `plan(move)`: chooses a move before the turn, null: none; `edit(target, byKey)`: opens an
   * element of a scene that is being edited. A stage that only shows needs none of them.
   * @param {HTMLElement} root
   * @param {{board: Board, t: Translate, play?: (move: LegalMove) => Promise<void>,
   *   check?: (view: Opaque, notations: string[]) => Promise<CheckedMove[]>, shown?: (scene: Scene) => void,
   *   plan?: (move: LegalMove | null) => void, edit?: (target: string, byKey: boolean) => void}} options
   */
  constructor(root, { board, t, play = nothingToPlay, check = nothingToCheck, shown = () => {}, plan = () => {}, edit = () => {} }) {
    this.board = board;
    this.t = t;
    this.play = play;
    this.shown = shown;
    this.plan = plan;
    this.edit = edit;
    // An element that is pressed must not move before the click.
    this.offers = new Offers(board, check, () => pointerReleased().then(() => this.#draw()));
    this.place = h('div', { class: 'place', tabindex: '-1', role: 'group', 'aria-label': t('board.board') });
    this.ear = h('p', { class: 'ear', 'aria-live': 'polite' });
    this.focus = new BoardFocus(this.place);
    this.walk = new Walk({ board, empty: EMPTY, put: (scene, animated) => this.#put(scene, animated) });
    this.marks = new Marks(this.place);
    this.scrollers = new Scrollers(this.place);
    this.bar = new Bar({ board, t, place: this.place, send: () => this.#send(),
      back: () => this.#back(this.#scene.ahead?.chosen ? [] : this.#picked.slice(0, -1)), take: (target) => this.#take(target) });
    /** @type {HTMLInputElement} */
    this.atOnce = h('input', { type: 'checkbox', change: () => {
      localStorage.setItem(AT_ONCE, this.atOnce.checked ? '1' : '');
    } });
    this.atOnce.checked = localStorage.getItem(AT_ONCE) === '1';
    this.setting = h('label', { class: 'at-once' }, this.atOnce, t('board.at_once'));
    /** The place of the words below the board: what the page puts over them gives way to a choice. */
    this.talk = this.bar.talk;
    this.root = fill(root, this.place, this.bar.root, this.ear);
    this.root.classList.add('stage');
    this.place.addEventListener('click', (event) => {
      const target = targetOf(event);
      if (target !== null) this.#click(target, false);
    });
    this.place.addEventListener('pointerdown', () => {
      if (this.walk.walking) this.walk.settle(false);
    });
    this.root.addEventListener('keydown', (event) => this.#key(event));
  }

  /**
   * Shows a scene. `walk`: animates the move that led to it, after the animations that are waiting. A touch of the board
   * skips all of them.
   * @param {Scene} scene
   * @param {{walk?: boolean}} [options]
   */
  show(scene, { walk = false } = {}) {
    this.walk.show(scene, walk);
  }

  /** Resolves when no animation is waiting. */
  rest() {
    return this.walk.rest();
  }

  /**
   * Marks the targets of a recommended move; null: removes the marks.
   * @param {Opaque} move
   */
  hint(move) {
    this.#hinted = new Set(move ? this.board.paths(move, this.#scene.view).flat() : []);
    this.#advice = move ? this.t('board.hint', { move: this.words(move) }) : '';
    this.#draw();
  }

  /**
   * Shows recommended moves on the board, the best first; none: removes them.
   * @param {Opaque[]} moves
   */
  rank(moves) {
    this.marks.show(moves.map((move) => this.board.paths(move, this.#scene.view)));
  }

  /**
   * Marks targets that a tip is about.
   * @param {string[]} targets
   */
  mark(targets) {
    this.#hinted = new Set(targets);
    this.#draw();
  }

  /**
   * Says in the bar, and to screen readers, why a move is not made.
   * @param {string} text
   */
  complain(text) {
    this.#trouble = text;
    this.#draw();
    this.tell(text);
  }

  /**
   * Announces a text to screen readers.
   * @param {string} text
   */
  tell(text) {
    fill(this.ear, text);
  }

  /**
   * A move in words.
   * @param {Opaque} move
   * @param {Opaque} [view] the position before it; the shown one unless given
   */
  words(move, view = this.#scene.view) {
    return this.board.say(move, view, this.board.t);
  }

  /**
   * Draws a scene. A choice that has begun is kept if the position, the player and the legal moves are the same, or if it was begun
   * before the turn and still begins a move.
   * @param {Scene} scene
   * @param {boolean} animated
   */
  #put(scene, animated) {
    const { board } = this;
    const { moves, ahead } = scene;
    const kept = this.#begun.next(scene, this.#scene, this.#picked);
    const picked = ahead?.chosen ? board.paths(ahead.chosen.move, scene.view).flat() : kept;
    this.#hinted = new Set();
    this.#advice = '';
    this.#scene = scene;
    this.marks.show([]);
    const routes = (ahead?.moves ?? moves).map((mv) => ({ move: mv, path: board.paths(mv.move, scene.view) }));
    this.#ways = { routes };
    if (moves.length > 0 && board.choices) {
      this.offers.of(scene.view);
      this.#ways.choices = new Set(board.choices(scene.view));
      this.#ways.offered = (chosen) => this.offers.known(chosen);
    }
    this.#picked = isPossible(this.#ways, picked) ? picked : [];
    this.#draw(animated);
    this.shown(scene);
  }

  // The targets that may be chosen now, and the move that the choice makes.
  get #choice() {
    return this.#sending || this.walk.walking ? NOTHING : look(this.#ways, this.#picked);
  }

  #draw(animated = true) {
    const { board, place } = this;
    const scene = this.#scene;
    const choice = this.#choice;
    const drawn = h('div', {}, board.draw(scene.view, {
      me: scene.me, seats: scene.seats, turn: scene.turn, last: scene.last, step: scene.step, t: board.t,
      picked: [...this.#picked], next: choice.next, moves: scene.ahead?.moves ?? scene.moves, edit: Boolean(scene.edit),
    }));
    if (scene.edit) editable(drawn, scene.edit.next);
    mark(drawn, { next: choice.next, picked: this.#picked, hinted: this.#hinted, ...scene.edit });
    const before = animated && motion() ? places(place) : null;
    const focus = this.focus.get();
    this.root.classList.toggle('ahead', Boolean(scene.ahead));
    halt(place);
    patch(place, drawn);
    this.scrollers.mark();
    this.focus.restore(focus);
    this.marks.attach();
    if (before) animate(place, before);
    this.bar.show({
      scene, choice, picked: this.#picked, ways: this.#ways, sending: this.#sending, trouble: this.#trouble,
      advice: this.#advice, why: this.offers.why(this.#picked),
    });
    if (this.#ways.choices && this.#picked.length > 0) this.offers.ask(this.#picked);
  }

  /**
   * Chooses a target, or takes it back.
   * @param {string} target
   * @param {boolean} byKey
   */
  #click(target, byKey) {
    if (this.#scene.edit) {
      this.edit(target, byKey);
      return;
    }
    if (this.#sending) return;
    const picked = choose(this.#ways, this.#picked, target);
    if (picked === this.#picked) return;
    const longer = picked.length > this.#picked.length;
    this.#back(picked);
    const { move, more } = this.#choice;
    if (!move || more || !longer) return;
    if (this.atOnce.checked || this.#scene.ahead) this.#send();
    else if (byKey) this.bar.playButton.focus();
  }

  /** @param {string[]} picked the choice from now on */
  #back(picked) {
    this.#picked = picked;
    this.#trouble = '';
    this.#draw();
    if (this.#scene.ahead?.chosen) this.plan(null);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === 'Enter' && event.ctrlKey) {
      this.#send();
      return;
    }
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof Element)) return;
    const onBoard = this.place.contains(event.target);
    if (event.key === 'Backspace' && this.#picked.length > 0) {
      this.#back(this.#picked.slice(0, -1));
      if (!onBoard) this.focus.enter(this.#picked.at(-1));
    } else if (event.key === 'Escape' && this.#picked.length > 0) {
      this.#back([]);
      if (!onBoard) this.focus.enter(this.#picked.at(-1));
    } else if (onBoard && (event.key === 'Enter' || event.key === ' ')) {
      const target = targetOf(event);
      if (target === null) return;
      this.#click(target, true);
    } else if (onBoard && event.key.startsWith('Arrow')) {
      if (!this.focus.move(event.key, event.target)) return;
    } else {
      return;
    }
    event.preventDefault();
  }

  #send() {
    const { move } = this.#choice;
    if (!move) return;
    if (this.#scene.ahead) this.plan(move);
    else this.send(move);
  }

  /**
   * Sends a legal move, which may have been chosen before the turn.
   * @param {LegalMove} move
   */
  async send(move) {
    const fromBar = this.bar.root.contains(document.activeElement);
    this.#sending = true;
    this.#trouble = '';
    this.#draw();
    try {
      await this.play(move);
    } catch (error) {
      this.#trouble = error instanceof Error ? error.message : String(error);
    }
    this.#sending = false;
    this.#draw();
    // A disabled button loses the focus.
    if (fromBar && this.bar.playButton.disabled) this.focus.enter(this.#picked.at(-1));
  }

  /**
   * Chooses the target of a button in the bar, and makes the move if that completes it: the button names the move.
   * @param {string} target
   */
  #take(target) {
    if (!this.#choice.next.has(target)) return;
    this.#back([...this.#picked, target]);
    if (this.#choice.move) this.#send();
  }
}

/**
 * The target that an event happened on, or null.
 * @param {Event} event
 */
function targetOf({ target }) {
  const element = target instanceof Element ? target.closest('[data-target]') : null;
  return element?.getAttribute('data-target') ?? null;
}
