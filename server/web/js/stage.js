// The stage: shows a game's board, lights what may be chosen, listens to mouse and keys, and puts moves together. It
// knows no game; what a board owes it is written in ../README.md.

import { fill, h } from './dom.js';
import { nearest, toward } from './arrows.js';
import { become } from './become.js';
import { glide, halt, motion, places } from './glide.js';
import { choose, look, stands } from './picker.js';
import { Offers } from './offers.js';
import { unpressed } from './press.js';
import { find, mark, name, reachable } from './targets.js';

const AT_ONCE = 'kibitz.at-once';
// How long each of the positions between two is shown, and all of them together at most.
const [STEP_MS, WALK_MS] = [380, 2400];
// More moves than these are not waited for.
const BEHIND = 2;
const NOBODY = Object.freeze({ next: new Set(), move: null, more: false });

// A stage in `root`. `board`: of board.js; `t`: the page's words; `play(move)`: sends a move of `moves`, resolves when
// it is made and rejects with an Error in words; `check(view, notations)`: what the API says of each.
export class Stage {
  #scene = null;
  #picked = [];
  #ways = { routes: [] };
  #sending = false;
  #trouble = '';
  #hinted = new Set();
  // What is to be shown at last; the numbers of what was asked for and of what is settled; the walk that goes on.
  #latest = null;
  #asked = 0;
  #settled = 0;
  #walk = Promise.resolve();
  #walking = false;

  constructor(root, { board, t, play, check }) {
    Object.assign(this, { board, t, play });
    // What is pressed must still be there to be clicked.
    this.offers = new Offers(board, check, () => unpressed().then(() => this.#draw()));
    this.place = h('div', { class: 'place', tabindex: '-1', role: 'group', 'aria-label': t('board.board') });
    this.say = h('p', { class: 'say' });
    this.ear = h('p', { class: 'ear', 'aria-live': 'polite' });
    this.playButton = h('button', { type: 'button', class: 'main', click: () => this.#send() }, t('board.play'));
    const back = () => this.#back(this.#picked.slice(0, -1));
    this.backButton = h('button', { type: 'button', click: back }, t('board.back'));
    this.atOnce = h('input', { type: 'checkbox', change: () => {
      localStorage.setItem(AT_ONCE, this.atOnce.checked ? '1' : '');
    } });
    this.atOnce.checked = localStorage.getItem(AT_ONCE) === '1';
    this.bar = h('div', { class: 'bar', role: 'group', 'aria-label': t('board.bar'), hidden: true }, this.say,
      h('div', { class: 'buttons' }, this.playButton, this.backButton,
        h('label', { class: 'at-once' }, this.atOnce, t('board.at_once'))));
    this.root = fill(root, this.place, this.bar, this.ear);
    this.root.classList.add('stage');
    this.place.addEventListener('click', (event) => {
      const target = event.target.closest('[data-target]')?.dataset.target;
      if (target !== undefined) this.#click(target, false);
    });
    this.place.addEventListener('pointerdown', () => {
      if (this.#walking) this.#settle(false);
    });
    this.root.addEventListener('keydown', (event) => this.#key(event));
  }

  // Shows a position: `{view, me, seats, turn, moves, last}`; `moves`: those of mine that are legal. `walk`: step by
  // step and gliding from what is shown now, after what walks already; who touches the board sees the last at once.
  show(scene, { walk = false } = {}) {
    this.#latest = scene;
    this.#asked += 1;
    const turn = this.#asked;
    const steps = walk && motion() && scene.last
      ? this.board.steps?.(scene.last.before, scene.last.move, scene.view) ?? [] : [];
    if (!walk || turn - this.#settled > BEHIND || (steps.length === 0 && !this.#walking)) return this.#settle(walk);
    this.#walking = true;
    const before = this.#walk;
    this.#walk = before.then(() => (turn > this.#settled ? this.#stepwise(scene, steps, turn) : undefined));
    return this.#walk;
  }

  // Resolves when nothing walks any more.
  rest() {
    return this.#walk;
  }

  // Shows what is to be shown at last.
  #settle(gliding) {
    this.#settled = this.#asked;
    this.#walking = false;
    this.#put(this.#latest, gliding);
  }

  async #stepwise(scene, steps, turn) {
    const pause = Math.min(STEP_MS, WALK_MS / steps.length);
    for (const [step, view] of steps.entries()) {
      this.#put({ ...scene, view, step, moves: [] }, true);
      await new Promise((done) => setTimeout(done, pause));
      if (turn <= this.#settled) return;
    }
    this.#settled = turn;
    this.#walking = turn < this.#asked;
    this.#put(scene, true);
  }

  // Marks how this move is made; none: no longer.
  hint(move) {
    this.#hinted = new Set(move ? this.board.paths(move, this.#scene.view).flat() : []);
    this.#draw();
  }

  // Says something to those who do not see the board.
  tell(text) {
    fill(this.ear, text);
  }

  // A move of the position that is shown, in words.
  words(move, view = this.#scene.view) {
    return this.board.say(move, view, this.board.t);
  }

  #put(scene, gliding) {
    const { board } = this;
    const moves = scene.moves ?? [];
    const picked = JSON.stringify(moves) === JSON.stringify(this.#scene?.moves ?? []) ? this.#picked : [];
    this.#hinted = new Set();
    this.#scene = scene;
    const routes = moves.map((mv) => ({ move: mv, path: board.paths(mv.move, scene.view) }));
    this.#ways = { routes };
    if (moves.length > 0 && board.choices) {
      this.offers.of(scene.view);
      this.#ways.choices = new Set(board.choices(scene.view));
      this.#ways.offered = (chosen) => this.offers.known(chosen);
    }
    this.#picked = stands(this.#ways, picked) ? picked : [];
    this.#draw(gliding);
  }

  get #standing() {
    const idle = this.#sending || this.#walking || !(this.#scene.moves?.length > 0);
    return idle ? NOBODY : look(this.#ways, this.#picked);
  }

  #draw(gliding = true) {
    const { board, place } = this;
    const scene = this.#scene;
    const standing = this.#standing;
    const drawn = h('div', {}, board.draw(scene.view, {
      me: scene.me, seats: scene.seats, turn: scene.turn, last: scene.last ?? null, step: scene.step, t: board.t,
      picked: [...this.#picked], next: standing.next,
    }));
    mark(drawn, { next: standing.next, picked: this.#picked, hinted: this.#hinted });
    const before = gliding && motion() ? places(place) : new Map();
    const focus = this.#focus();
    halt(place);
    become(place, drawn);
    this.#refocus(focus);
    if (gliding) glide(place, before);
    this.#talk(standing);
    if (this.#ways.choices && this.#picked.length > 0) this.offers.ask(this.#picked);
  }

  // Where the focus is on the board, to bring it back after the board is drawn anew.
  #focus() {
    const active = document.activeElement;
    if (active === this.place) return { target: null, rect: this.rect };
    if (!this.place.contains(active)) return null;
    const element = active.closest('[data-target]');
    return { target: element?.dataset.target ?? null, rect: (element ?? active).getBoundingClientRect() };
  }

  #refocus(focus) {
    if (focus === null) return;
    this.rect = focus.rect;
    const active = document.activeElement;
    if (focus.target !== null && active.dataset.target === focus.target && active.matches('.lit, .picked')) return;
    const all = reachable(this.place);
    const same = all.find((element) => element.dataset.target === focus.target);
    const rects = all.map((element) => element.getBoundingClientRect());
    const near = all[focus.rect && all.length > 0 ? nearest(focus.rect, rects) : 0];
    (same ?? near ?? this.place).focus({ preventScroll: true });
  }

  #click(target, byKey) {
    if (this.#sending || !(this.#scene.moves?.length > 0)) return;
    const picked = choose(this.#ways, this.#picked, target);
    if (picked === this.#picked) return;
    const longer = picked.length > this.#picked.length;
    this.#back(picked);
    const { move, more } = this.#standing;
    if (!move || more || !longer) return;
    if (this.atOnce.checked) this.#send();
    else if (byKey) this.playButton.focus();
  }

  #back(picked) {
    this.#picked = picked;
    this.#trouble = '';
    this.#draw();
  }

  #key(event) {
    if (event.key === 'Enter' && event.ctrlKey) return void this.#send();
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const onBoard = this.place.contains(event.target);
    if (event.key === 'Backspace' && this.#picked.length > 0) {
      this.#back(this.#picked.slice(0, -1));
      if (!onBoard) this.#come();
    } else if (event.key === 'Escape' && this.#picked.length > 0) {
      this.#back([]);
      if (!onBoard) this.#come();
    } else if (onBoard && (event.key === 'Enter' || event.key === ' ')) {
      const target = event.target.closest('[data-target]')?.dataset.target;
      if (target === undefined) return;
      this.#click(target, true);
    } else if (onBoard && event.key.startsWith('Arrow')) {
      const all = reachable(this.place);
      const rects = all.map((element) => element.getBoundingClientRect());
      const to = all[event.target === this.place ? 0 : toward(event.key, event.target.getBoundingClientRect(), rects)];
      if (!to) return;
      to.focus();
    } else {
      return;
    }
    event.preventDefault();
  }

  // Brings the focus to the board.
  #come() {
    const last = this.#picked.at(-1);
    (last && find(this.place, last) || reachable(this.place)[0] || this.place).focus();
  }

  async #send() {
    const { move } = this.#standing;
    if (!move) return;
    const fromBar = this.bar.contains(document.activeElement);
    this.#sending = true;
    this.#trouble = '';
    this.#draw();
    try {
      await this.play(move);
    } catch (error) {
      this.#trouble = error.message;
    }
    this.#sending = false;
    this.#draw();
    // The button that had the focus can do nothing now.
    if (fromBar && this.playButton.disabled) this.#come();
  }

  // What the bar says.
  #talk(standing) {
    const { t } = this;
    const scene = this.#scene;
    this.bar.hidden = scene.me === null || scene.me === undefined || scene.still === true;
    if (this.bar.hidden) return;
    const chosen = this.#picked;
    let text = '';
    if (this.#trouble) text = this.#trouble;
    else if (this.#sending) text = t('board.sending');
    else if (standing.move) text = this.words(standing.move.move) + (standing.more ? ` ${t('board.or_more')}` : '');
    else if (chosen.length > 0) text = `${this.#list(chosen)} ${this.#forms()}`;
    else if (standing.next.size > 0) text = t('board.choose');
    else text = scene.turn === null ? '' : t('board.not_you');
    fill(this.say, text);
    this.say.classList.toggle('bad', this.#trouble !== '');
    this.playButton.disabled = !standing.move;
    this.backButton.disabled = chosen.length === 0 || this.#sending;
  }

  #list(targets) {
    return this.t('board.chosen', { what: targets.map((target) => name(this.place, target)).join(', ') });
  }

  // What the cards chosen freely come to.
  #forms() {
    const { t } = this;
    if (!this.#ways.choices || !this.#picked.every((target) => this.#ways.choices.has(target))) return t('board.go_on');
    const offered = this.offers.known(this.#picked);
    if (offered === undefined) return t('board.asking');
    const told = this.board.forms?.(this.#picked, this.#scene.view, new Set(offered.keys()), this.board.t);
    if (told) return told;
    if (offered.size === 0) return t('board.forms_nothing', { why: this.offers.why(this.#picked) ?? '' }).trim();
    return t('board.forms', { where: [...offered.keys()].map((target) => name(this.place, target)).join(', ') });
  }
}
