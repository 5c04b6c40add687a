// The one place that says what keeps the match from going on as usual: the connection, the server, a stopped clock, a lost seat.
// It lies over the title, so that nothing on the page moves.

/** @import {MatchStore, Subject} from '../../lib/matches/match-store.js' */

import { fill, h } from '../../lib/dom.js';

// What may be told, the most important first.
/** @type {Subject[]} */
const ORDER = ['connection', 'store', 'clock', 'seat'];

export class Condition {
  /** @type {Map<Subject, string>} */
  #texts = new Map();

  /** @param {MatchStore} match */
  constructor(match) {
    this.text = h('span', {});
    this.root = h('p', { class: 'condition', role: 'status', hidden: true }, this.text);
    match.on('condition', ({ about, text }) => {
      if (text === null) this.#texts.delete(about);
      else this.#texts.set(about, text);
      this.#show();
    });
  }

  #show() {
    const subject = ORDER.find((one) => this.#texts.has(one));
    const text = (subject && this.#texts.get(subject)) ?? '';
    this.root.hidden = text === '';
    if (this.text.textContent === text) return;
    fill(this.text, text);
    this.root.title = text;
  }
}
