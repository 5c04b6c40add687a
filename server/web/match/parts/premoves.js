// Premoves: the viewer chooses the next move while another player thinks. The game says which moves mean the same whatever happens
// until then. The choice stays in this page, and is sent when the turn comes, if it is legal then.

/** @import {LegalMove, MatchEvent} from '../../types.ts' */
/** @import {MatchStore} from '../../lib/matches/match-store.js' */

import { ask } from '../../lib/api.js';
import { h } from '../../lib/dom.js';

const STORE = 'kibitz.premoves';
const OFF = 'off';

export class Premoves {
  /** @type {LegalMove | null} */
  #chosen = null;
  // The last event of the position in which it was chosen, and the move in words.
  #seq = 0;
  #words = '';
  // The position for which the moves are known or asked.
  #position = undefined;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * `calm`: how long another player thinks before the server is asked, in milliseconds.
   * @param {MatchStore} match
   * @param {number} calm
   */
  constructor(match, calm) {
    const { t } = match;
    this.match = match;
    this.calm = calm;
    this.t = t;
    match.on('changed', () => this.#follow());
    match.on('plan', (move) => this.#plan(move));
    /** @type {HTMLInputElement} */
    this.wanted = h('input', { type: 'checkbox', change: () => {
      localStorage.setItem(STORE, this.wanted.checked ? '' : OFF);
      this.#chosen = null;
      this.#position = undefined;
      this.#follow();
      match.publish('ahead');
    } });
    this.wanted.checked = localStorage.getItem(STORE) !== OFF;
    this.setting = h('label', { class: 'at-once' }, this.wanted, t('premove.setting'));
    this.#follow(0);
  }

  /** Whether the viewer waits for another seat, and wants to choose in advance. */
  get #waits() {
    const { stage, you, turn, seats } = this.match.page;
    return this.wanted.checked && stage === 'running' && you !== null && turn !== null && turn !== you && !seats[you].out;
  }

  // Called when the match has changed, after the other parts.
  #follow(calm = this.calm) {
    const { match } = this;
    const { page } = match;
    if (page.position === this.#position && this.#waits) return;
    clearTimeout(this.#timer);
    this.#position = page.position;
    if (this.#chosen) this.#settle(this.#chosen);
    const chosen = this.#waits ? this.#chosen : null;
    match.ahead = chosen && { position: page.position, moves: [chosen], chosen };
    if (chosen) match.publish('ahead');
    if (this.#waits) this.#timer = setTimeout(() => this.#ask(), chosen ? 0 : calm);
  }

  /**
   * Decides what becomes of the chosen move in a new position.
   * @param {LegalMove} chosen
   */
  #settle(chosen) {
    const { match } = this;
    const { page } = match;
    const mine = page.stage === 'running' && page.turn === page.you;
    const since = this.#since();
    // A reconnected page learns the missing events after the position.
    if (since === null && mine) {
      this.#position = undefined;
      return;
    }
    const own = (/** @type {MatchEvent} */ { type, seat }) => type === 'taken_back' || (seat === page.you && ['moved', 'fouled'].includes(type));
    if (since?.some(own) !== false || !(mine || this.#waits)) this.#chosen = null;
    if (!this.#chosen || !mine) return;
    this.#chosen = null;
    const legal = page.legal_moves.find(({ notation }) => notation === chosen.notation);
    if (legal) match.publish('premove', legal);
    else this.#drop();
  }

  /** The events since the move was chosen; null: some of them are not known. */
  #since() {
    const { page, events } = this.match;
    const all = [];
    for (let seq = this.#seq + 1; seq <= page.seq; seq += 1) {
      const event = events.get(seq);
      if (!event) return null;
      all.push(event);
    }
    return all;
  }

  #drop() {
    this.match.publish('dropped', this.t('premove.dropped', { move: this.#words }));
  }

  // Asks which moves may be chosen in this position, and whether the chosen one is still among them.
  async #ask() {
    const { match } = this;
    const { position } = match.page;
    /** @type {LegalMove[]} */
    let moves;
    try {
      ({ premoves: moves } = await ask(`/v1/games/${match.game.slug}/legal-moves`, { body: { position } }));
    } catch {
      // Without an answer nothing is offered until the position changes.
      return;
    }
    if (match.page.position !== position || !this.#waits) return;
    if (this.#chosen && moves.every(({ notation }) => notation !== this.#chosen?.notation)) {
      this.#chosen = null;
      this.#drop();
    }
    match.ahead = moves.length > 0 ? { position, moves, chosen: this.#chosen } : null;
    match.publish('ahead');
  }

  /**
   * Called when the viewer chooses a move before the turn, or withdraws it (null).
   * @param {LegalMove | null} move
   */
  #plan(move) {
    const { match, t } = this;
    const { board, page, ahead } = match;
    if (!ahead) return;
    this.#chosen = move;
    this.#seq = page.seq;
    match.ahead = { ...ahead, chosen: move };
    if (move) this.#words = (board.ahead ?? board.say)(move.move, page.position, board.t);
    match.publish('announce', move ? t('premove.planned', { move: this.#words }) : t('premove.withdrawn'));
    match.publish('ahead');
  }
}
