// The tools beside the replay controls: the result, the link to the shown position, the way back to the match, the seat
// from which it is seen, the analysis board, a new match. On an upright phone most of them are folded, to leave room for the board.

/** @import {Page, Translate} from '../types.ts' */

import { fill, h } from '../lib/dom.js';
import { OPEN } from './frames.js';

// The value of the choice that shows the match from all seats.
export const ALL = 'all';

const COPIED_MS = 2500;

export class ReviewTools {
  /**
   * @param {{t: Translate, back: () => void, result: () => void, look: (eyes: string) => void, play: () => void}} options
   *   `back`: shows the current position; `look`: shows the match from the seat of this value; `play`: begins a match with the
   *   shown position
   */
  constructor({ t, back, result, look, play }) {
    this.t = t;
    /** @type {HTMLSelectElement} */
    this.eyes = h('select', { change: () => look(this.eyes.value) });
    this.eyesBox = h('label', { class: 'eyes', hidden: true }, t('replay.eyes'), this.eyes);
    this.share = h('button', { type: 'button', class: 'share', click: () => this.#copy() }, t('replay.share'));
    this.back = h('button', { type: 'button', class: 'back', click: back }, t('replay.now'));
    this.result = h('button', { type: 'button', class: 'result', click: result }, t('end.open'));
    this.bench = h('a', { class: 'bench', hidden: true }, t('position.here'));
    this.play = h('button', { type: 'button', class: 'from', hidden: true, click: play }, t('from.title'));
    this.root = h('div', { class: 'tools' }, this.result, this.share, this.back, this.eyesBox, this.bench, this.play);
    /** @type {HTMLButtonElement} */
    this.fold = h('button', { type: 'button', class: 'fold', 'aria-expanded': 'false', 'aria-label': t('replay.more_tools'),
      title: t('replay.more_tools'), click: () => { this.fold.ariaExpanded = String(this.fold.ariaExpanded === 'false'); } }, t('replay.more'));
  }

  /**
   * Shows the tools that fit the match.
   * @param {Page} page
   * @param {(seat: number) => string} name of a seat
   * @param {boolean} open whether all hands can be shown, which is the first choice
   */
  show(page, name, open) {
    const over = page.stage === 'over';
    this.back.hidden = over;
    this.eyesBox.hidden = !over || page.seats.length === 1;
    if (this.eyesBox.hidden || this.eyes.options.length > 0) return;
    const option = (/** @type {string} */ value, /** @type {string} */ text) => h('option', { value }, text);
    fill(this.eyes, open && option(OPEN, this.t('replay.open_hands')), option('', this.t(page.you === null ? 'replay.public' : 'replay.mine')),
      page.seats.filter(({ seat }) => seat !== page.you).map(({ seat }) => option(String(seat), name(seat))),
      option(ALL, this.t('replay.everything')));
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      fill(this.share, this.t('match.copied'));
    } catch {
      fill(this.share, this.t('replay.by_hand'));
    }
    setTimeout(() => fill(this.share, this.t('replay.share')), COPIED_MS);
  }
}
