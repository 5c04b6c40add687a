// The moves of a match in words; each is a button that shows its position.

/** @import {Frame, MoveClass} from '../types.ts' */

import { fill, h } from '../lib/dom.js';
import { MARKS } from './judged.js';

export class MoveList {
  #count = 0;
  /** @type {string | null} */
  #key = null;
  /** @type {HTMLButtonElement[]} */
  #buttons = [];
  /** @type {HTMLButtonElement | null} */
  #current = null;
  /** @type {Map<number, MoveClass>} */
  #classes = new Map();
  #className = (/** @type {MoveClass} */ name) => /** @type {string} */ (name);

  /**
   * `words(frame)`: the move in words; `name(seat)`: a seat's name; `go(ply)`: called when a move is chosen.
   * @param {Element} root
   * @param {{go: (ply: number) => void, words: (frame: Frame) => string, name: (seat: number) => string}} options
   */
  constructor(root, { go, words, name }) {
    this.go = go;
    this.words = words;
    this.name = name;
    this.list = h('ol', { class: 'moves' });
    fill(root, this.list);
    // A change of width wraps the lines differently, which moves the current one.
    new ResizeObserver(() => this.#reveal()).observe(this.list);
  }

  /**
   * `at`: the ply that is shown; `key`: differs for another list, but not for a longer one.
   * @param {Frame[]} frames
   * @param {number} at
   * @param {string} key
   */
  show(frames, at, key) {
    // A move is described by the position before it, which the first known frame lacks.
    const moves = frames.filter((frame) => frame.seat !== null && frame.before !== null);
    if (key !== this.#key || moves.length < this.#count) {
      fill(this.list);
      [this.#count, this.#key, this.#buttons] = [0, key, []];
    }
    for (const frame of moves.slice(this.#count)) {
      const button = h('button', { type: 'button', data: { ply: frame.ply }, click: () => this.go(frame.ply) },
        h('span', { class: 'by' }, `${this.name(frame.seat ?? 0)}:`), ' ', this.words(frame));
      this.list.append(h('li', { value: String(frame.ply) }, button));
      this.#buttons.push(button);
      this.#mark(button);
    }
    this.#count = moves.length;
    const before = this.#current;
    this.#current = null;
    for (const button of this.#buttons) {
      const current = Number(button.dataset.ply) === at;
      if (current) button.setAttribute('aria-current', 'step');
      else button.removeAttribute('aria-current');
      if (current) this.#current = button;
    }
    // The next layout computes the item's place anyway; asking now would force a second one.
    if (this.#current !== null && this.#current !== before) requestAnimationFrame(() => this.#reveal());
  }

  /**
   * Marks the moves that lost chances. `classes`: by the number of moves after each; `name`: of a class.
   * @param {Map<number, MoveClass>} classes
   * @param {(of: MoveClass) => string} name
   */
  mark(classes, name) {
    [this.#classes, this.#className] = [classes, name];
    for (const button of this.#buttons) this.#mark(button);
  }

  /** @param {HTMLButtonElement} button */
  #mark(button) {
    const of = this.#classes.get(Number(button.dataset.ply));
    const mark = of && MARKS[of];
    if (mark) button.append(' ', h('span', { class: `mark ${of}`, role: 'img', 'aria-label': this.#className(of) }, mark));
  }

  // Scrolls the list, never the page.
  #reveal() {
    const item = this.#current?.parentElement;
    if (!item?.isConnected) return;
    const { list } = this;
    if (item.offsetTop < list.scrollTop) list.scrollTop = item.offsetTop;
    const beyond = item.offsetTop + item.offsetHeight - list.clientHeight;
    if (beyond > list.scrollTop) list.scrollTop = beyond;
  }
}
