// The page of the visitor's own account: sign in; keep the key and take it to other devices; passkeys; notifications; vacation;
// describe yourself; bots; tokens for programs; blocked players; delete the account.

/** @import {Translate} from '../types.ts' */

import { ask, sentence } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { showBlocked } from './blocks.js';
import { copied, qr, save, twice } from '../lib/controls.js';
import { all, fill, h, required } from '../lib/dom.js';
import { Notifications } from './notifications.js';
import { Passkeys } from './passkeys.js';
import { checked, freshToken, keyRefused, me, myKey, myToken, onSession, playerLink, signIn, signOut } from '../lib/session.js';
import { loadTexts, withOwnTexts } from '../lib/texts.js';
import { Tokens } from './tokens.js';
import { field, nameOf, SignInPart } from './account/sign-in.js';
import { VacationPart } from './account/vacation.js';

/** @typedef {{name: string, about: {description?: string, source?: string, version?: string}}} Player */

class Account {
  #trouble = required('.account > .trouble');

  /** @param {Translate} t */
  constructor(t) {
    this.t = t;
    this.signInPart = new SignInPart(t, (act) => this.#try(act), (text) => this.#say(text));
    this.tokens = new Tokens(t, (act) => this.#try(act));
    this.passkeys = new Passkeys(t, (act) => this.#try(act), (text) => this.#say(text));
    this.notifications = new Notifications(t, (act) => this.#try(act));
    this.vacation = new VacationPart(t, (act) => this.#try(act));
    this.#form('#about', (form) => this.#describe(form));
    this.#form('#bot', (form) => this.#createBot(form));
    this.#form('#token', (form) => this.tokens.make(form));
    this.#form('#passkey', (form) => this.passkeys.add(form));
    this.#click('#key .show', () => this.#showKey());
    this.#click('#key .save', () => this.#saveKey());
    this.#click('#devices .show', () => this.#showLink());
    fill(required('#rotate'), twice(t('account.rotate'), t('account.rotate.sure'), t, () => this.#try(() => this.#rotate())));
    fill(required('#delete'), twice(t('account.delete'), t('account.delete.sure'), t, () => this.#try(() => this.#delete())));
  }

  /** Shows the account of the player who is signed in; else the forms. A link with a key asks whether to sign in. */
  async show() {
    const key = new URLSearchParams(location.hash.slice(1)).get('key');
    if (key) {
      // The key must not stay in the address bar.
      history.replaceState(null, '', location.pathname + location.search);
      if (![myToken(), myKey()].includes(key) && await this.signInPart.asked(key)) return;
    }
    const player = await checked();
    if (keyRefused()) this.#say(this.t('session.invalid'));
    required('#signed-out').hidden = Boolean(player);
    required('#signed-in').hidden = !player;
    if (player) this.#fill(player);
    else this.signInPart.offer();
  }

  // A browser that has signed in does not keep the key, unless it has made it.
  #showWays() {
    const { t } = this;
    const hasKey = Boolean(myKey());
    for (const place of all('.with-key')) place.hidden = !hasKey;
    for (const place of all('.without-key')) place.hidden = hasKey;
    const question = t(hasKey ? 'account.sign_out.sure' : 'account.sign_out.sure_other');
    fill(required('#sign-out'), twice(t('account.sign_out'), question, t, () => this.#try(() => this.#signOut())));
  }

  async #signOut() {
    // Before the key is forgotten: whoever uses this browser next must not see this player's notifications.
    await this.notifications.leave();
    const session = me();
    // Without the server the visitor signs out of this browser nevertheless.
    if (session?.id) await ask(`/v1/me/tokens/${session.id}`, { who: session, method: 'DELETE' }).catch(() => {});
    signOut();
    location.reload();
  }

  /** @param {Player} player */
  #fill(player) {
    const link = required('#signed-in a.name', HTMLAnchorElement);
    fill(link, player.name).href = playerLink(player.name);
    const asked = new URLSearchParams(location.search);
    required('#fresh').hidden = !asked.has('new');
    const next = asked.get('next');
    const onward = required('#fresh a', HTMLAnchorElement);
    onward.hidden = !next || !/^\/(?![/\\])/.test(next);
    if (next && !onward.hidden) onward.href = next;
    const form = required('#about', HTMLFormElement);
    required('[name="description"]', HTMLTextAreaElement, form).value = player.about.description ?? '';
    required('[name="source"]', HTMLInputElement, form).value = player.about.source ?? '';
    this.#showWays();
    this.#try(async () => {
      await this.passkeys.show();
      await this.notifications.show();
      await this.vacation.show();
      await this.#showBots();
      await this.tokens.show();
      await showBlocked(required('#blocked ul'), this.t, (act) => this.#try(act));
    });
  }

  async #showKey() {
    const place = required('#key .shown');
    fill(place, copied(myKey() ?? '', this.t('account.key'), this.t));
    place.hidden = false;
  }

  async #saveKey() {
    const session = me();
    if (!session) return;
    const text = `${this.t('account.file', { name: session.name, server: location.origin })}\n${myKey()}\n`;
    save(new Blob([text], { type: 'text/plain' }), `kibitz-${session.name}.txt`);
  }

  async #showLink() {
    const url = `${location.origin}/account#key=${myKey()}`;
    const place = required('#devices .shown');
    fill(place, await qr(url, this.t('account.devices.qr')), copied(url, this.t('account.devices.link'), this.t));
    place.hidden = false;
  }

  // This browser makes the new key and stores it before the request. If the answer is lost, it still has the valid key.
  async #rotate() {
    const session = me();
    if (!session) return;
    const next = freshToken();
    signIn({ ...session, next });
    await ask('/v1/me/token', { who: session, body: { token: next } });
    // A sign-in goes on.
    signIn(session.id ? { ...session, kept: next } : { name: session.name, token: next });
    await this.notifications.renew();
    this.#showWays();
    await this.#showKey();
    required('#devices .shown').hidden = true;
    fill(required('#rotate'), h('strong', { role: 'status' }, this.t('account.rotated')));
  }

  async #delete() {
    await ask('/v1/me', { who: me() ?? {}, method: 'DELETE' });
    await this.notifications.leave();
    signOut();
    location.assign('/');
  }

  /** @param {HTMLFormElement} form */
  async #describe(form) {
    const about = { description: field(form, 'description') || undefined, source: field(form, 'source') || undefined };
    await ask('/v1/me/about', { who: me() ?? {}, method: 'PUT', body: about });
    fill(required('.done', HTMLElement, form), this.t('account.about.done'));
  }

  async #showBots() {
    /** @type {{bots: Player[]}} */
    const { bots } = await ask('/v1/me/bots', { who: me() ?? {} });
    fill(required('#bots .bots'), bots.map((bot) => this.#bot(bot)));
    this.tokens.offer(bots);
  }

  /** @param {Player} bot */
  #bot({ name, about }) {
    const { t } = this;
    const path = `/v1/me/bots/${encodeURIComponent(name)}`;
    const who = () => me() ?? {};
    return h('li', {}, h('a', { href: playerLink(name) }, name), about.version && h('span', { class: 'soft' }, ` ${about.version}`),
      h('span', { class: 'buttons' }, h('a', { class: 'button', href: `${playerLink(name)}#programs` }, t('account.bot.upload')),
        twice(t('account.bot.rotate'), t('account.rotate.sure'), t, () => this.#try(async () => {
          this.#showToken(await ask(`${path}/token`, { who: who(), post: true }));
          await this.#showBots();
        })),
        twice(t('account.bot.delete'), t('account.bot.delete.sure', { name }), t, () => this.#try(async () => {
          await ask(path, { who: who(), method: 'DELETE' });
          await this.#showBots();
        }))));
  }

  /** @param {HTMLFormElement} form */
  async #createBot(form) {
    const { name, again } = nameOf(form);
    const version = field(form, 'version') || undefined;
    this.#showToken(await ask('/v1/me/bots', { who: me() ?? {}, body: { name, about: { version } }, again }));
    form.reset();
    await this.#showBots();
  }

  /**
   * Shows the token of a bot, which the server never shows again.
   * @param {{name: string, token: string}} bot
   */
  #showToken({ name, token }) {
    const { t } = this;
    const place = required('#bots .token');
    fill(place, h('p', { role: 'status' }, t('account.bot.token', { name })), copied(token, t('account.bot.token_label'), t));
    place.hidden = false;
  }

  /**
   * @param {string} selector
   * @param {(form: HTMLFormElement) => Promise<void>} act
   */
  #form(selector, act) {
    const form = required(selector, HTMLFormElement);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#try(() => act(form));
    });
  }

  /**
   * @param {string} selector
   * @param {() => Promise<void>} act
   */
  #click(selector, act) {
    required(selector, HTMLButtonElement).addEventListener('click', () => this.#try(act));
  }

  /** @param {() => Promise<unknown>} act */
  async #try(act) {
    this.#trouble.hidden = true;
    for (const done of all('.done')) fill(done);
    try {
      await act();
    } catch (error) {
      this.#say(sentence(error, this.t));
    }
  }

  /** @param {string} text */
  #say(text) {
    fill(this.#trouble, text).hidden = false;
    this.#trouble.scrollIntoView({ block: 'nearest' });
  }
}

begin(async () => {
  const page = new Account(withOwnTexts(await loadTexts(), 'account.'));
  await page.show();
  onSession(() => location.reload());
});
