// The connection of the page to the match: follows its stream, and says when it is lost.

/** @import {MatchStore} from '../lib/matches/match-store.js' */

import { fill, h } from '../lib/dom.js';
import { Live } from '../lib/live.js';
import { checkVersion } from '../lib/page/fresh.js';

export class Connection {
  /**
   * `root`: the element of the page, which says the state of the connection in `data-connection`.
   * @param {HTMLElement} root
   * @param {MatchStore} match
   */
  constructor(root, match) {
    this.root = root;
    this.match = match;
    // The secrets with which the stream was opened.
    this.held = match.secrets().token;
    this.notice = h('p', { class: 'network', role: 'status', hidden: true });
    this.live = new Live({
      path: match.path, secrets: match.secrets, heard: (message) => match.hear(message), state: (name) => this.#state(name),
      // The first time, ask for the last few events too, so that the last move can be shown.
      seq: () => (match.events.size > 0 ? match.page.seq : Math.max(0, match.page.seq - 2)),
    });
    match.on('joined', () => this.#rejoin());
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

  /** @param {'connecting' | 'open' | 'lost' | 'over'} name */
  #state(name) {
    const { match, notice } = this;
    this.root.dataset.connection = name;
    const lost = name === 'lost';
    // The server may come back with newer pages.
    if (name === 'open' && !notice.hidden) checkVersion();
    if (lost) fill(notice, match.t(match.page.clock ? 'match.lost_clock' : 'match.lost'));
    if (name === 'connecting') return;
    notice.hidden = !lost;
    match.publish('lost', lost);
  }
}
