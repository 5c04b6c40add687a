// The viewer's access to a match: what this browser holds in it, and its page.

/** @import {Early, Page, Secrets} from '../types.ts' */

import { Refused, ask, read } from '../lib/api.js';
import { told } from '../lib/dom.js';
import { keep, of } from '../lib/matches/seats.js';
import { myToken } from '../lib/session.js';

export class Access {
  // Tokens that the API does not know.
  /** @type {Set<string>} */
  #refused = new Set();

  // The answer that early.js has asked for; it is read once.
  /** @type {Early | undefined} */
  #early = window.kibitzEarly;

  /**
   * @param {string} id
   * @param {{watching?: boolean}} [options] `watching`: as a spectator, even if this browser holds a seat
   */
  constructor(id, { watching = false } = {}) {
    this.id = id;
    this.watching = watching;
    this.path = `/v1/matches/${id}`;
    const key = new URLSearchParams(location.hash.slice(1)).get('key');
    if (key && !watching && of(id).key !== key) keep(id, { key });
  }

  /**
   * The token of the seat, else that of the player who is signed in.
   * @returns {Secrets}
   */
  secrets = () => {
    if (this.watching) return {};
    const { token, key } = of(this.id);
    return { token: [token, myToken()].find((one) => one && !this.#refused.has(one)), key };
  };

  /**
   * The page of the match. A token that the API does not know is dropped.
   * @returns {Promise<Page>}
   */
  async load() {
    const { token, key } = this.secrets();
    const early = this.#early;
    this.#early = undefined;
    try {
      if (early && early.token === token && early.key === key) return await read(early.answer);
      return await ask(this.path, { who: this.secrets() });
    } catch (error) {
      if (!(token && error instanceof Refused && error.code === 'bad_token')) throw error;
      this.#refused.add(token);
      return this.load();
    }
  }

  /**
   * The match as spectators see it, which the page contains if everyone may see it.
   * @returns {Page | null}
   */
  public() {
    return told('#page');
  }
}
