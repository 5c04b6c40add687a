// The connection of the page to the match: follows its stream, and says when it is lost.

/** @import {MatchStore} from '../lib/matches/match-store.js' */

import { Refused } from '../lib/api.js';
import { Live } from '../lib/live.js';
import { checkVersion } from '../lib/page/fresh.js';

export class Connection {
  #lost = false;
  // The server said that it stops, and has not been reached since.
  #stopping = false;
  // The seat of the viewer, once it is known.
  /** @type {number | null | undefined} */
  #you = undefined;

  /**
   * `root`: the element of the page, which says the state of the connection in `data-connection`; `barred(error)`: called if the
   * viewer may not see the match any more.
   * @param {HTMLElement} root
   * @param {MatchStore} match
   * @param {(error: Refused) => void} barred
   */
  constructor(root, match, barred) {
    this.root = root;
    this.match = match;
    this.barred = barred;
    // The secrets with which the stream was opened.
    this.held = match.secrets().token;
    this.live = new Live({
      path: match.path, secrets: match.secrets, heard: (message) => match.hear(message), state: (name, why) => this.#state(name, why),
      // The first time, ask for the last few events too, so that the last move can be shown.
      seq: () => (match.events.size > 0 ? match.page.seq : Math.max(0, match.page.seq - 2)),
    });
    match.on('joined', () => this.#rejoin());
    match.on('changed', () => this.#seat(match.page.you));
  }

  /** Opens the stream of events, unless the match is over. */
  follow() {
    const { match } = this;
    if (match.page.stage !== 'over') this.live.start();
    addEventListener('storage', () => {
      // A seat was taken in another tab.
      if (match.secrets().token !== this.held) match.publish('joined');
    });
  }

  #rejoin() {
    this.held = this.match.secrets().token;
    this.live.restart();
  }

  /**
   * @param {'connecting' | 'open' | 'lost' | 'over'} name
   * @param {'stopping' | 'refused' | 'network'} [why]
   */
  #state(name, why) {
    const { match } = this;
    this.root.dataset.connection = name;
    if (name === 'connecting') return;
    // The server may come back with newer pages.
    if (name === 'open' && this.#lost) checkVersion();
    this.#lost = name === 'lost';
    this.#stopping = this.#lost && (this.#stopping || why === 'stopping');
    match.publish('condition', { about: 'connection', text: this.#lost ? match.t(this.#stopping ? 'match.stopping' : 'match.lost') : null });
    match.publish('lost', this.#lost);
    if (why === 'refused') this.#ask();
  }

  /**
   * Says that the viewer has lost the seat: for example, the key was replaced on another device.
   * @param {number | null} seat
   */
  #seat(seat) {
    const { match } = this;
    if (seat === this.#you) return;
    const lost = seat === null && match.page.stage === 'running';
    match.publish('condition', { about: 'seat', text: lost && this.#you !== undefined ? match.t('match.unseated') : null });
    this.#you = seat;
  }

  // Asks whether the viewer may follow the match as before: the seat may not be theirs any more.
  async #ask() {
    const { match } = this;
    try {
      const page = await match.load();
      if (page.you === match.page.you) return;
      match.take(page);
      this.#rejoin();
    } catch (error) {
      // Without an answer, or with one that may change, the connection is tried again.
      if (!(error instanceof Refused) || ![401, 403, 404, 409].includes(error.status)) return;
      this.live.stop();
      this.barred(error);
    }
  }
}
