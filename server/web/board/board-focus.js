// The keyboard focus on the board: when the board is drawn again, the focus stays or goes to a target nearby.

import { nearest, toward } from './arrows.js';
import { find, reachable } from './targets.js';

export class BoardFocus {
  // The last rectangle of the focus on the board.
  /** @type {DOMRect | undefined} */
  #rect;

  /** @param {HTMLElement} place the element that contains the board */
  constructor(place) {
    this.place = place;
  }

  /** The place of the focus on the board, so that it can be restored after drawing; null: the focus is elsewhere. */
  get() {
    const active = document.activeElement;
    if (active === this.place) return { target: null, rect: this.#rect };
    if (active === null || !this.place.contains(active)) return null;
    const element = active.closest('[data-target]');
    const target = element?.getAttribute('data-target') ?? null;
    return { target, rect: (element ?? active).getBoundingClientRect() };
  }

  /** @param {{target: string | null, rect: DOMRect | undefined} | null} focus the result of `get` */
  restore(focus) {
    if (focus === null) return;
    this.#rect = focus.rect;
    const active = document.activeElement;
    // Who scrolls a part of the board goes on with it.
    if (focus.target === null && active?.matches('[data-scrolls][tabindex]')) return;
    const kept = focus.target !== null && active?.getAttribute('data-target') === focus.target;
    if (kept && active.matches('.lit, .picked')) return;
    const all = reachable(this.place);
    const same = all.find((element) => element.dataset.target === focus.target);
    const rects = all.map((element) => element.getBoundingClientRect());
    const near = all[focus.rect && all.length > 0 ? nearest(focus.rect, rects) : 0];
    (same ?? near ?? this.place).focus({ preventScroll: true });
  }

  /**
   * Moves the focus to the next target in the direction of an arrow key; false if there is none.
   * @param {string} key
   * @param {Element} from
   */
  move(key, from) {
    const all = reachable(this.place);
    const rects = all.map((element) => element.getBoundingClientRect());
    const to = all[from === this.place ? 0 : toward(key, from.getBoundingClientRect(), rects)];
    to?.focus();
    return to !== undefined;
  }

  /**
   * Moves the focus to the board: to this target, if it is there.
   * @param {string | undefined} target
   */
  enter(target) {
    const found = target === undefined ? null : find(this.place, target);
    (found ?? reachable(this.place)[0] ?? this.place).focus();
  }
}
