// The moves of a match in words, each leading to its position.

import { fill, h } from './dom.js';

export class MoveList {
  #count = 0;
  #first = null;
  #seen = [];
  #here = null;

  // `words(frame)`: what happened there; `go(ply)`: somebody chose one.
  constructor(root, { t, go, words, name }) {
    Object.assign(this, { t, go, words, name });
    this.list = h('ol', { class: 'moves' });
    fill(root, this.list);
    // Narrower, its lines are others.
    new ResizeObserver(() => this.#reveal()).observe(this.list);
  }

  // `frames`: of match-state.js; `at`: the ply that is shown; `key`: changes when the whole list is another one.
  show(frames, at, key) {
    // The first one that is known has no position before it, and a move is said by that.
    const moves = frames.filter((frame) => frame.seat !== null && frame.before !== null);
    if (key !== this.#first || moves.length < this.#count) {
      fill(this.list);
      [this.#count, this.#first, this.#seen] = [0, key, []];
    }
    for (const frame of moves.slice(this.#count)) {
      const button = h('button', { type: 'button', data: { ply: frame.ply }, click: () => this.go(frame.ply) },
        h('span', { class: 'by' }, `${this.name(frame.seat)}:`), ' ', this.words(frame));
      this.list.append(h('li', { value: String(frame.ply) }, button));
      this.#seen.push(button);
    }
    this.#count = moves.length;
    const before = this.#here;
    this.#here = null;
    for (const button of this.#seen) {
      const here = Number(button.dataset.ply) === at;
      if (here) button.setAttribute('aria-current', 'step');
      else button.removeAttribute('aria-current');
      if (here) this.#here = button;
    }
    // Where it stands is known at no cost when the page is laid out next.
    if (this.#here !== null && this.#here !== before) requestAnimationFrame(() => this.#reveal());
  }

  // Scrolls the list, never the page.
  #reveal() {
    const item = this.#here?.parentElement;
    if (!item?.isConnected) return;
    const { list } = this;
    if (item.offsetTop < list.scrollTop) list.scrollTop = item.offsetTop;
    const beyond = item.offsetTop + item.offsetHeight - list.clientHeight;
    if (beyond > list.scrollTop) list.scrollTop = beyond;
  }
}
