// The line that says whose turn it is and whether that player is on vacation, or the result; the title of the page. It alerts a player when that changes.

/** @import {MatchStore} from '../../lib/matches/match-store.js' */

import { fill, h } from '../../lib/dom.js';
import { headline, seatName, vacationText } from '../../lib/matches/match-text.js';

export class Status {
  /** @type {string | null} */
  #said = null;

  /** @param {MatchStore} match */
  constructor(match) {
    this.match = match;
    this.root = h('p', { class: 'status', role: 'status' });
    match.on('settled', () => this.#show());
    match.on('status', () => this.#show());
  }

  #show() {
    const { page, t, game } = this.match;
    const mine = page.turn !== null && page.turn === page.you;
    const text = this.#text(mine);
    const until = page.turn === null ? undefined : page.seats[page.turn]?.vacation_until_ms;
    const shown = until === undefined ? text : `${text}, ${vacationText(until, t)}`;
    if (this.root.textContent !== shown) fill(this.root, shown);
    if (text !== this.#said && this.#said !== null) this.#alert(mine, text);
    this.#said = text;
    this.root.classList.toggle('mine', mine);
    this.root.classList.toggle('away', until !== undefined);
    document.title = t('page.title', { title: mine ? t('match.title_mine', { game: game.title }) : game.title });
  }

  /** @param {boolean} mine whether it is the viewer's turn */
  #text(mine) {
    const { page, t } = this.match;
    if (page.stage === 'over') return headline(page, t);
    if (page.stage === 'open') return t('match.waiting');
    if (mine) return t('match.your_turn');
    return page.turn !== null ? t('match.their_turn', { name: seatName(page.seats[page.turn], t) }) : '';
  }

  /**
   * @param {boolean} mine
   * @param {string} text
   */
  #alert(mine, text) {
    const { match } = this;
    const over = match.page.stage === 'over';
    match.publish('sound', over ? 'end' : mine ? 'turn' : 'move');
    if (match.page.you !== null && (mine || over)) match.publish('notify', text);
  }
}
