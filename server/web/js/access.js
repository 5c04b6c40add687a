// The viewer's access to a match: what this browser holds in it, and its page.

/** @import {Page, Secrets} from '../types.ts' */

import { Refused, ask } from './api.js';
import { keep, of } from './seats.js';
import { myToken } from './session.js';

export class Access {
  // Tokens that the API does not know.
  /** @type {Set<string>} */
  #refused = new Set();

  /** @param {string} id */
  constructor(id) {
    this.id = id;
    this.path = `/v1/matches/${id}`;
    const key = new URLSearchParams(location.hash.slice(1)).get('key');
    if (key && of(id).key !== key) keep(id, { key });
  }

  /**
   * The token of the seat, else that of the player who is signed in.
   * @returns {Secrets}
   */
  secrets = () => {
    const { token, key } = of(this.id);
    return { token: [token, myToken()].find((one) => one && !this.#refused.has(one)), key };
  };

  /**
   * The page of the match. A token that the API does not know is dropped.
   * @returns {Promise<Page>}
   */
  async load() {
    try {
      return await ask(this.path, { who: this.secrets() });
    } catch (error) {
      const { token } = this.secrets();
      if (!(token && error instanceof Refused && error.code === 'bad_token')) throw error;
      this.#refused.add(token);
      return this.load();
    }
  }
}
