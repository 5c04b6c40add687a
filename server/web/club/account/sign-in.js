// Signing in on the account's page: with a new name, a passkey, a recovery code, the key, or a link with the key. A browser that signs in
// gets a token of its own, so that it is listed and can be signed out alone. It keeps the key itself only if it has made it.

/** @import {Translate} from '../../types.ts' */

/** @typedef {{name: string, token: string, id?: string, expires_ms?: number, kept?: string}} SignIn `id` and `expires_ms`: of the token; without them it is the key. `kept`: the key, to be kept */

import { ask, freshKey } from '../../lib/api.js';
import { fill, required } from '../../lib/dom.js';
import { me, playerOf, signIn } from '../../lib/session.js';
import { browserName, deviceTrouble, passkeyHindrance, shownPasskey } from './device.js';

// The server accepts the answer of a passkey for ten minutes. A new offer begins before.
const OFFER_LASTS_MS = 9 * 60_000;

/** The forms for a visitor who is not signed in. */
export class SignInPart {
  // Ends the offer of passkeys at the field for the key.
  #offer = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #renewal;
  // A sign-in is under way, or has succeeded. Two at once would leave one that no browser uses.
  #busy = false;
  #done = false;

  /**
   * @param {Translate} t
   * @param {(act: () => Promise<unknown>) => void} attempt acts, and shows what goes wrong
   * @param {(text: string) => void} say shows a sentence
   */
  constructor(t, attempt, say) {
    this.t = t;
    this.attempt = attempt;
    this.say = say;
    required('#enter .passkey').hidden = Boolean(passkeyHindrance(t));
    // A server that takes no new players has no such form.
    if (document.querySelector('#create')) this.#form('#create', (form) => this.#create(form));
    this.#form('#enter', (form) => this.#enter(form));
    required('#enter .passkey').addEventListener('click', () => this.#anotherWay(() => this.#withPasskey()));
  }

  /**
   * @param {string} selector
   * @param {(form: HTMLFormElement) => Promise<void>} act
   */
  #form(selector, act) {
    const form = required(selector, HTMLFormElement);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#anotherWay(() => act(form));
    });
  }

  /** Offers the visitor's passkeys while they type into the field for the key, in browsers that can. */
  async offer() {
    const can = !passkeyHindrance(this.t) && await PublicKeyCredential.isConditionalMediationAvailable?.();
    if (!can) return;
    this.#withdraw();
    const { signal } = this.#offer;
    this.#renewal = setTimeout(() => this.offer(), OFFER_LASTS_MS);
    try {
      const { ceremony, options } = await ask('/v1/sign-in/passkey/options', { post: true, signal });
      const credential = await shownPasskey(options, { mediation: 'conditional', signal });
      clearTimeout(this.#renewal);
      // One that is refused is not offered again: a device may answer by itself.
      this.attempt(() => this.#alone(() => this.#answered(ceremony, credential)));
    } catch {
      // It was withdrawn, or the visitor has closed it. The button beside the field asks again, and says what is wrong.
    }
  }

  #withdraw() {
    clearTimeout(this.#renewal);
    this.#offer.abort();
    this.#offer = new AbortController();
  }

  /**
   * Signs in. A browser asks a device for one thing at a time, so that no passkey is offered meanwhile.
   * @param {() => Promise<unknown>} act
   */
  #anotherWay(act) {
    this.#withdraw();
    this.attempt(() => this.#alone(async () => {
      try {
        await act();
      } finally {
        if (!me()) this.offer();
      }
    }));
  }

  /** @param {() => Promise<unknown>} act not begun while another one is under way */
  async #alone(act) {
    if (this.#busy) return;
    this.#busy = true;
    try {
      await act();
    } finally {
      this.#busy = this.#done;
    }
  }

  /**
   * Asks whether to sign in with the key of a link. False: no player has this key.
   * @param {string} key
   */
  async asked(key) {
    const player = await playerOf(key);
    if (!player) {
      this.say(this.t('account.no_key'));
      return false;
    }
    const place = required('#confirm');
    fill(required('.name', HTMLElement, place), player.name);
    required('.yes', HTMLElement, place).addEventListener('click', () => this.attempt(() => this.#alone(() => this.#withKey(player, key))));
    required('.no', HTMLElement, place).addEventListener('click', () => location.reload());
    place.hidden = false;
    return true;
  }

  /** @param {HTMLFormElement} form */
  async #create(form) {
    const { name, again } = nameOf(form);
    const invitation = field(form, 'invitation') || undefined;
    const { token: key } = await ask('/v1/players', { body: { name, invitation }, again });
    // The name is not lost if the next request fails: then the browser is signed in with the key itself.
    signIn({ name, token: key });
    const made = await this.#sessionOf(key).catch(() => ({ name, token: key }));
    this.#go('id' in made ? { ...made, kept: key } : made, '?new');
  }

  /** @param {HTMLFormElement} form */
  async #enter(form) {
    const { t } = this;
    const text = field(form, 'key');
    if (isRecoveryCode(text)) {
      this.#go(await ask('/v1/sign-in/recovery-code', { body: { code: text, name: browserName(t) } }));
      return;
    }
    // A pasted link has the key in its fragment.
    const key = /kbp_[\w-]{43}/.exec(text)?.[0] ?? text;
    const player = key.startsWith('kbt_') ? null : await playerOf(key);
    if (player) await this.#withKey(player, key);
    else this.say(t(key.startsWith('kbt_') ? 'account.program_token' : 'account.no_key'));
  }

  /**
   * @param {{name: string, owner?: string | null}} player whose key it is
   * @param {string} key
   */
  async #withKey({ name, owner }, key) {
    // A bot has no sign-ins.
    this.#go(owner ? { name, token: key } : await this.#sessionOf(key));
  }

  /**
   * @param {string} key
   * @returns {Promise<SignIn>}
   */
  #sessionOf(key) {
    return ask('/v1/sign-in/token', { body: { token: key, name: browserName(this.t) } });
  }

  async #withPasskey() {
    const { ceremony, options } = await ask('/v1/sign-in/passkey/options', { post: true });
    let credential;
    try {
      credential = await shownPasskey(options);
    } catch (error) {
      this.say(deviceTrouble(error, this.t));
      return;
    }
    await this.#answered(ceremony, credential);
  }

  /**
   * @param {string} ceremony
   * @param {object} credential
   */
  async #answered(ceremony, credential) {
    this.#go(await ask('/v1/sign-in/passkey', { body: { ceremony, credential, name: browserName(this.t) } }));
  }

  /**
   * Signs in, and returns to the page that the visitor came from.
   * @param {SignIn} made
   * @param {string} [query] of this page
   */
  #go({ name, token, id, expires_ms: until, kept }, query = '') {
    signIn({ name, token, id, until, kept });
    this.#done = true;
    const next = new URLSearchParams(location.search).get('next');
    // Only a path of this server.
    if (next && /^\/(?![/\\])/.test(next) && !query) location.assign(next);
    else location.assign(`/account${query}${query && next ? `&next=${encodeURIComponent(next)}` : ''}`);
  }
}

/** @param {string} text whether it can be a recovery code */
const isRecoveryCode = (text) => /^[0-9a-z]{5}(?:[-\s]*[0-9a-z]{5}){3}$/i.test(text);

/**
 * The name in a form, and an idempotency key: a request that is repeated after a network failure creates nothing twice.
 * @param {HTMLFormElement} form
 */
export function nameOf(form) {
  const name = field(form, 'name');
  if (form.dataset.asked !== name) Object.assign(form.dataset, { asked: name, again: freshKey() });
  return { name, again: form.dataset.again };
}

/**
 * What is in a field of a form.
 * @param {HTMLFormElement} form
 * @param {string} name
 */
export function field(form, name) {
  return String(new FormData(form).get(name) ?? '').trim();
}
