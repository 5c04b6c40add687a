// The parts of a board that scroll (`data-scrolls`): the keyboard reaches those that have more than they show and nothing that can be
// focused.

import { all } from '../lib/dom.js';

export class Scrollers {
  /** @param {HTMLElement} place the element that contains the board */
  constructor(place) {
    this.place = place;
    new ResizeObserver(() => this.mark()).observe(place);
  }

  /** Called when the board was drawn. */
  mark() {
    for (const part of all('[data-scrolls]', this.place)) {
      const hides = part.scrollHeight > part.clientHeight || part.scrollWidth > part.clientWidth;
      const isTarget = part.matches('.lit, .picked');
      if (hides && !isTarget && part.querySelector('[tabindex="0"]') === null) part.tabIndex = 0;
      else if (!isTarget) part.removeAttribute('tabindex');
    }
  }
}
