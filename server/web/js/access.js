// The viewer's access to a match: what this browser holds in it, and its page.

/** @import {Page, Secrets} from '../types.ts' */

import { Refused, ask } from './api.js';
import { keep, of } from './seats.js';

export class Access {
  // A token that the API does not know.
  /** @type {string | undefined} */
  #refused;

  /** @param {string} id */
  constructor(id) {
    this.id = id;
    this.path = `/v1/matches/${id}`;
    const key = new URLSearchParams(location.hash.slice(1)).get('key');
    if (key && of(id).key !== key) keep(id, { key });
  }

  /** @returns {Secrets} */
  secrets = () => {
    const { token, key } = of(this.id);
    return { token: token === this.#refused ? undefined : token, key };
  };

  /**
   * The page of the match. A token that the API does not know is dropped.
   * @returns {Promise<Page>}
   */
  async load() {
    try {
      return await ask(this.path, { who: this.secrets() });
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'bad_token')) throw error;
      this.#refused = this.secrets().token;
      return ask(this.path, { who: this.secrets() });
    }
  }
}
