// The line of the analysis board: the moves that the visitor played from a position. Each is a button that shows where it
// led; a move that is played in the middle replaces what followed.

/** @import {LastMove, LegalMove, Opaque, Translate} from '../types.ts' */

import { fill, h } from '../lib/dom.js';

/**
 * A position of the line. `last`: the move that led to it; `points`: the result, if the match is over; `unread`: whether `moves` are not
 * known yet; `note`: what the file of a match says of the turn.
 * @typedef {{position: Opaque, seat: number | null, moves: LegalMove[], last: LastMove | null, points: number[] | null, unread?: boolean,
 *   note?: string}} Step
 */

export class Line {
  /** @type {Step[]} */
  #steps = [];
  #at = 0;

  /**
   * `words(last)`: a move in words; `show(step)`: called when a position of the line is chosen.
   * @param {{t: Translate, words: (last: LastMove) => string, show: (step: Step) => void}} options
   */
  constructor({ t, words, show }) {
    this.t = t;
    this.words = words;
    this.show = show;
    this.list = h('ol', { class: 'moves', 'aria-label': t('position.line') });
    this.back = h('button', { type: 'button', click: () => this.go(this.#at - 1) }, t('position.back'));
    this.forward = h('button', { type: 'button', click: () => this.go(this.#at + 1) }, t('position.forward'));
    this.drawn = h('p', { class: 'soft' }, t('position.drawn'));
    this.root = h('section', { 'aria-label': t('position.line'), hidden: true },
      h('div', { class: 'asking' }, this.back, this.forward), this.list, this.drawn);
  }

  /**
   * Begins a line with this position alone.
   * @param {Step} step
   */
  begin(step) {
    this.load([step]);
  }

  /**
   * Begins a line with these positions, and shows the first.
   * @param {Step[]} steps
   */
  load(steps) {
    this.#steps = steps;
    // The positions of a file are those of its match.
    this.drawn.hidden = steps.length > 1;
    this.go(0);
  }

  /**
   * Appends a position after the shown one.
   * @param {Step} step
   */
  extend(step) {
    this.#steps.splice(this.#at + 1, Infinity, step);
    this.drawn.hidden = false;
    this.go(this.#at + 1);
  }

  /** @param {number} at */
  go(at) {
    const step = this.#steps[at];
    if (!step) return;
    this.#at = at;
    this.root.hidden = this.#steps.length < 2;
    this.back.disabled = at === 0;
    this.forward.disabled = at === this.#steps.length - 1;
    fill(this.list, this.#steps.map(({ last }, ply) => last && h('li', { value: String(ply) },
      h('button', { type: 'button', ...(ply === at && { 'aria-current': 'step' }), click: () => this.go(ply) },
        h('span', { class: 'by' }, `${this.t('position.seat', { seat: last.seat + 1 })}:`), ' ', this.words(last)))));
    // The current move is in the middle of the list; the page stays where it is.
    const item = this.list.children[at - 1];
    if (item instanceof HTMLElement) this.list.scrollTop = item.offsetTop - this.list.clientHeight / 2;
    this.show(step);
  }
}
