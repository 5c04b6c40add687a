// Passkeys and recovery codes on the account's page: what there is, a new one, an end of one, and signing in with them.

/** @import {OwnPasskey, Translate} from '../types.ts' */

import { ask } from '../lib/api.js';
import { copied, save, twice } from '../lib/controls.js';
import { all, fill, h, required } from '../lib/dom.js';
import { day, when } from '../lib/matches/lists.js';
import { me } from '../lib/session.js';

/** @typedef {{name: string, token: string, id: string}} SignIn */

/** The part of the page with the passkeys and the recovery codes. */
export class Passkeys {
  #place = required('#passkeys');
  #recovery = required('#recovery');

  /**
   * @param {Translate} t
   * @param {(act: () => Promise<unknown>) => void} attempt acts, and shows what goes wrong
   * @param {(text: string) => void} say shows a sentence
   */
  constructor(t, attempt, say) {
    this.t = t;
    this.attempt = attempt;
    this.say = say;
    const why = hindrance(t);
    for (const place of all('.no-passkeys')) fill(place, why).hidden = !why;
    required('#enter .passkey').hidden = required('#passkey').hidden = Boolean(why);
  }

  /** Shows what there is. */
  async show() {
    const { t } = this;
    /** @type {{passkeys: OwnPasskey[], recovery_codes_left: number}} */
    const { passkeys, recovery_codes_left: left } = await ask('/v1/me/passkeys', { who: me() ?? {} });
    fill(required('ul', HTMLElement, this.#place),
      passkeys.length ? passkeys.map((passkey) => this.#line(passkey)) : h('li', { class: 'soft' }, t('account.passkeys.none')));
    const name = required('#passkey [name="name"]', HTMLInputElement);
    if (!name.value) name.value = browserName(t);
    fill(required('.left', HTMLElement, this.#recovery), t('account.recovery.left', { left }));
    const make = () => this.attempt(() => this.#makeCodes());
    fill(required('.make', HTMLElement, this.#recovery), left
      ? twice(t('account.recovery.again'), t('account.recovery.sure'), t, make)
      : h('button', { type: 'button', click: make }, t('account.recovery.go')));
  }

  /**
   * Makes a passkey with the name in the form.
   * @param {HTMLFormElement} form
   */
  async add(form) {
    const who = me() ?? {};
    const name = String(new FormData(form).get('name')).trim();
    const { ceremony, options } = await ask('/v1/me/passkeys/options', { who, post: true });
    const made = await this.#ofDevice(() => navigator.credentials.create({ publicKey: {
      ...options,
      challenge: bytes(options.challenge),
      user: { ...options.user, id: bytes(options.user.id) },
      excludeCredentials: (options.excludeCredentials ?? []).map((/** @type {{id: string}} */ known) => ({ ...known, id: bytes(known.id) })),
    } }));
    if (!made) return;
    await ask('/v1/me/passkeys', { who, body: { name, ceremony, credential: answer(made, ['attestationObject']) } });
    form.reset();
    await this.show();
    fill(required('.done', HTMLElement, form), this.t('account.passkey.done'));
  }

  /**
   * Signs in with a passkey that the visitor chooses; null: there is none, or the visitor wants none.
   * @returns {Promise<SignIn | null>}
   */
  async signIn() {
    const { ceremony, options } = await ask('/v1/sign-in/passkey/options', { post: true });
    const shown = await this.#ofDevice(() => navigator.credentials.get({ publicKey: {
      ...options, challenge: bytes(options.challenge), allowCredentials: [],
    } }));
    if (!shown) return null;
    const credential = answer(shown, ['authenticatorData', 'signature', 'userHandle']);
    return ask('/v1/sign-in/passkey', { body: { ceremony, credential, name: browserName(this.t) } });
  }

  /**
   * What the visitor's device answers; null: nothing.
   * @param {() => Promise<Credential | null>} act
   */
  async #ofDevice(act) {
    try {
      return /** @type {PublicKeyCredential | null} */ (await act());
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      const known = error.name === 'InvalidStateError' ? 'there' : error.name === 'NotAllowedError' ? 'nothing' : 'failed';
      this.say(this.t(`account.passkey.${known}`));
      return null;
    }
  }

  /** @param {OwnPasskey} passkey */
  #line({ id, name, created_ms, used_ms }) {
    const { t } = this;
    const path = `/v1/me/passkeys/${id}`;
    const facts = [t('account.passkey.made', { date: day(created_ms).textContent ?? '' }),
      used_ms === null ? t('account.token.unused') : t('account.token.used', { date: when(used_ms).textContent ?? '' })];
    const rename = () => {
      const input = h('input', { value: name, required: true, maxlength: 40, 'aria-label': t('account.passkey.name') });
      fill(line, h('form', { class: 'buttons', submit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.attempt(async () => {
          await ask(path, { who: me() ?? {}, method: 'PUT', body: { name: input.value.trim() } });
          await this.show();
        });
      } }, input, h('button', {}, t('account.about.go'))));
      input.focus();
    };
    const line = h('li', {}, h('strong', {}, name), h('span', { class: 'soft' }, facts.join(' · ')),
      h('span', { class: 'buttons' }, h('button', { type: 'button', click: rename }, t('account.passkey.rename')),
        twice(t('account.passkey.remove'), t('account.passkey.remove.sure'), t, () => this.attempt(async () => {
          await ask(path, { who: me() ?? {}, method: 'DELETE' });
          await this.show();
        }))));
    return line;
  }

  // Makes new recovery codes, and shows them: the server never shows them again.
  async #makeCodes() {
    const { t } = this;
    const { name } = me() ?? { name: '' };
    /** @type {{codes: string[]}} */
    const { codes } = await ask('/v1/me/recovery-codes', { who: me() ?? {}, post: true });
    await this.show();
    const keep = () => {
      const text = `${t('account.recovery.file', { name, server: location.origin })}\n${codes.join('\n')}\n`;
      save(new Blob([text], { type: 'text/plain' }), `kibitz-${name}-recovery.txt`);
    };
    const place = required('.shown', HTMLElement, this.#recovery);
    fill(place, h('p', { role: 'status' }, t('account.recovery.made')),
      h('ol', { class: 'codes' }, codes.map((code) => h('li', {}, h('code', {}, code)))),
      copied(codes.join(' '), t('account.recovery'), t),
      h('p', {}, h('button', { type: 'button', click: keep }, t('account.recovery.save'))));
    place.hidden = false;
  }
}

/**
 * Whether this can be a recovery code.
 * @param {string} text
 */
export const isRecoveryCode = (text) => /^[0-9a-z]{5}(?:[-\s]*[0-9a-z]{5}){3}$/i.test(text);

/**
 * Signs in with a recovery code.
 * @param {string} code
 * @param {Translate} t
 * @returns {Promise<SignIn>}
 */
export const signInWithCode = (code, t) => ask('/v1/sign-in/recovery-code', { body: { code, name: browserName(t) } });

/**
 * The reason why no passkey can be used on this page; empty: there is none.
 * @param {Translate} t
 */
function hindrance(t) {
  const { host, origin } = required('div.account').dataset;
  const { protocol, port, hostname } = location;
  if (origin && origin !== location.origin) return t('account.passkey.elsewhere', { address: origin });
  if (!origin && hostname !== host) {
    const isThisMachine = /^127\.|^\[::1\]$/.test(hostname);
    return isThisMachine ? t('account.passkey.elsewhere', { address: `${protocol}//${host}${port && `:${port}`}` }) : t('account.passkey.off');
  }
  return window.isSecureContext && 'PublicKeyCredential' in window ? '' : t('account.passkey.unknown');
}

/**
 * The browser and its system, as people call them.
 * @param {Translate} t
 */
export function browserName(t) {
  const { userAgent } = navigator;
  const named = (/** @type {string[]} */ marks) => marks.find((mark) => userAgent.includes(mark.split('=')[0]))?.split('=').at(-1);
  // Browsers name others, too, so their order counts.
  const browser = named(['Edg=Edge', 'OPR=Opera', 'Firefox', 'Chrome', 'Safari']);
  const system = named(['Android', 'iPhone', 'iPad', 'Windows', 'CrOS=ChromeOS', 'Mac OS=macOS', 'Linux']);
  return [browser, system].filter(Boolean).join(', ') || t('account.sign_in.browser');
}

/**
 * An answer of a device in the form of the API.
 * @param {PublicKeyCredential} credential
 * @param {string[]} parts of the response
 */
function answer({ id, rawId, type, response }, parts) {
  /** @type {Record<string, ArrayBuffer | null>} */
  const given = /** @type {any} */ (response);
  const shown = ['clientDataJSON', ...parts].map((part) => [part, given[part] ? base64(given[part]) : null]);
  return { id, rawId: base64(rawId), type, response: Object.fromEntries(shown), clientExtensionResults: {} };
}

/** @param {string} text in URL-safe base 64 */
const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

/** @param {ArrayBuffer} buffer */
const base64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
