// Passkeys and recovery codes on the account's page: what there is, a new one, an end of one.

/** @import {OwnPasskey, Translate} from '../types.ts' */

import { ask } from '../lib/api.js';
import { copied, save, twice } from '../lib/controls.js';
import { all, fill, h, required } from '../lib/dom.js';
import { day, when } from '../lib/matches/lists.js';
import { me } from '../lib/session.js';
import { browserName, deviceTrouble, madePasskey, passkeyHindrance } from './account/device.js';

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
    const why = passkeyHindrance(t);
    for (const place of all('.no-passkeys')) fill(place, why).hidden = !why;
    required('#passkey').hidden = Boolean(why);
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
    let credential;
    try {
      credential = await madePasskey(options);
    } catch (error) {
      this.say(deviceTrouble(error, this.t));
      return;
    }
    await ask('/v1/me/passkeys', { who, body: { name, ceremony, credential } });
    form.reset();
    await this.show();
    fill(required('.done', HTMLElement, form), this.t('account.passkey.done'));
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
