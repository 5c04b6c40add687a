// The tokens for programs on the account's page: what there is, a new one, an end of one; and the browsers that have signed in, whose
// tokens are in the same list.

/** @import {OwnToken, Translate} from '../types.ts' */

import { ask } from '../lib/api.js';
import { copied, twice } from '../lib/controls.js';
import { all, fill, h, required } from '../lib/dom.js';
import { day, when } from '../lib/matches/lists.js';
import { me } from '../lib/session.js';

const BOT = 'bot:';

/** The part of the page with the tokens. */
export class Tokens {
  #place = required('#tokens');

  /**
   * @param {Translate} t
   * @param {(act: () => Promise<unknown>) => void} attempt acts, and shows what goes wrong
   */
  constructor(t, attempt) {
    this.t = t;
    this.attempt = attempt;
  }

  /** Shows the tokens that there are. */
  async show() {
    const { t } = this;
    /** @type {{tokens: OwnToken[]}} */
    const { tokens } = await ask('/v1/me/tokens', { who: me() ?? {} });
    const [signIns, others] = [true, false].map((wanted) => tokens.filter(({ scope }) => (scope === 'account') === wanted));
    fill(required('ul', HTMLElement, this.#place),
      others.length ? others.map((token) => this.#line(token)) : h('li', { class: 'soft' }, t('account.tokens.none')));
    fill(required('#sign-ins ul'),
      signIns.length ? signIns.map((token) => this.#signIn(token)) : h('li', { class: 'soft' }, t('account.sign_ins.none')));
  }

  /**
   * Offers a token for each of these bots.
   * @param {{name: string}[]} bots
   */
  offer(bots) {
    const select = required('[name="scope"]', HTMLSelectElement, this.#place);
    for (const option of all('option', select)) if (option.dataset.bot !== undefined) option.remove();
    select.append(...bots.map(({ name }) => h('option', { value: BOT + name, data: { bot: name } }, this.#scope(BOT + name))));
  }

  /**
   * Makes the token that the form describes, and shows it: the server never shows it again.
   * @param {HTMLFormElement} form
   */
  async make(form) {
    const { t } = this;
    const choice = new FormData(form);
    const lifetime = Number(choice.get('lifetime'));
    const body = { name: String(choice.get('name')).trim(), scope: String(choice.get('scope')), ...(lifetime ? { lifetime_ms: lifetime } : {}) };
    /** @type {OwnToken & {token: string}} */
    const made = await ask('/v1/me/tokens', { who: me() ?? {}, body });
    const place = required('.token', HTMLElement, this.#place);
    fill(place, h('p', { role: 'status' }, t('account.token.made', { name: made.name })), copied(made.token, t('account.token.label'), t));
    place.hidden = false;
    form.reset();
    await this.show();
  }

  /** @param {OwnToken} token */
  #line({ id, name, scope, expires_ms, used_ms }) {
    const { t } = this;
    const facts = [this.#scope(scope)];
    if (expires_ms !== null) {
      const date = day(expires_ms).textContent ?? '';
      facts.push(t(expires_ms > Date.now() ? 'account.token.expires' : 'account.token.expired', { date }));
    }
    facts.push(this.#use(used_ms));
    return h('li', {}, h('strong', {}, name), h('span', { class: 'soft' }, facts.join(' · ')),
      h('span', { class: 'buttons' }, twice(t('account.token.revoke'), t('account.token.revoke.sure'), t, () => this.attempt(async () => {
        await ask(`/v1/me/tokens/${id}`, { who: me() ?? {}, method: 'DELETE' });
        required('.token', HTMLElement, this.#place).hidden = true;
        await this.show();
      }))));
  }

  /** @param {OwnToken} token of a browser that has signed in */
  #signIn({ id, name, created_ms, used_ms }) {
    const { t } = this;
    const facts = [t('account.sign_in.since', { date: day(created_ms).textContent ?? '' }), this.#use(used_ms)];
    // This browser signs out below.
    const isThis = id === me()?.id;
    return h('li', {}, h('strong', {}, name), h('span', { class: 'soft' }, facts.join(' · ')),
      h('span', { class: 'buttons' }, isThis ? t('account.sign_in.this')
        : twice(t('account.sign_in.end'), t('account.sign_in.end.sure'), t, () => this.attempt(async () => {
          await ask(`/v1/me/tokens/${id}`, { who: me() ?? {}, method: 'DELETE' });
          await this.show();
        }))));
  }

  /** @param {number | null} used_ms */
  #use(used_ms) {
    const { t } = this;
    return used_ms === null ? t('account.token.unused') : t('account.token.used', { date: when(used_ms).textContent ?? '' });
  }

  /**
   * What a token of this scope may do, in words.
   * @param {string} scope
   */
  #scope(scope) {
    const { t } = this;
    return scope.startsWith(BOT) ? t('account.token.scope.bot', { name: scope.slice(BOT.length) }) : t(`account.token.scope.${scope}`);
  }
}
