// The page of the visitor's own account: create a name or sign in; keep the key and take it to other devices; passkeys;
// notifications; vacation; describe yourself; bots; tokens for programs; blocked players; delete the account.

/** @import {Translate} from '../types.ts' */

import { ask, freshKey, sentence } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { showBlocked } from './blocks.js';
import { copied, qr, save, twice } from '../lib/controls.js';
import { all, fill, h, required } from '../lib/dom.js';
import { Notifications } from './notifications.js';
import { isRecoveryCode, Passkeys, signInWithCode } from './passkeys.js';
import { checked, freshToken, keyRefused, me, myToken, onSession, playerLink, playerOf, signIn, signOut } from '../lib/session.js';
import { loadTexts, withOwnTexts } from '../lib/texts.js';
import { Tokens } from './tokens.js';
import { VacationPart } from './account/vacation.js';

/** @typedef {{name: string, about: {description?: string, source?: string, version?: string}}} Player */

class Account {
  #trouble = required('.account > .trouble');

  /** @param {Translate} t */
  constructor(t) {
    this.t = t;
    this.tokens = new Tokens(t, (act) => this.#try(act));
    this.passkeys = new Passkeys(t, (act) => this.#try(act), (text) => this.#say(text));
    this.notifications = new Notifications(t, (act) => this.#try(act));
    this.vacation = new VacationPart(t, (act) => this.#try(act));
    // A server that takes no new players has no such form.
    if (document.querySelector('#create')) this.#form('#create', (form) => this.#create(form));
    this.#form('#enter', (form) => this.#enter(form));
    this.#form('#about', (form) => this.#describe(form));
    this.#form('#bot', (form) => this.#createBot(form));
    this.#form('#token', (form) => this.tokens.make(form));
    this.#form('#passkey', (form) => this.passkeys.add(form));
    this.#click('#enter .passkey', async () => {
      const found = await this.passkeys.signIn();
      if (found) this.#in(found);
    });
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
      if (key !== myToken() && await this.#asked(key)) return;
    }
    const player = await checked();
    if (keyRefused()) this.#say(this.t('session.invalid'));
    required('#signed-out').hidden = Boolean(player);
    required('#signed-in').hidden = !player;
    if (player) this.#fill(player);
  }

  // A browser that has signed in with a passkey or a recovery code does not know the key.
  #showWays() {
    const { t } = this;
    const hasKey = Boolean(myToken()?.startsWith('kbp_'));
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

  /**
   * Asks whether to sign in with the key of a link. False: no player has this key.
   * @param {string} key
   */
  async #asked(key) {
    const player = await playerOf(key);
    if (!player) {
      this.#say(this.t('account.no_key'));
      return false;
    }
    const place = required('#confirm');
    fill(required('.name', HTMLElement, place), player.name);
    this.#click('#confirm .yes', async () => this.#in({ name: player.name, token: key }));
    this.#click('#confirm .no', async () => location.reload());
    place.hidden = false;
    return true;
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

  /** @param {HTMLFormElement} form */
  async #create(form) {
    const { name, again } = this.#attempt(form, 'name');
    const invitation = field(form, 'invitation') || undefined;
    const player = await ask('/v1/players', { body: { name, invitation }, again });
    this.#in(player, '?new');
  }

  /** @param {HTMLFormElement} form */
  async #enter(form) {
    const text = field(form, 'key');
    if (isRecoveryCode(text)) return this.#in(await signInWithCode(text, this.t));
    // A pasted link has the key in its fragment.
    const token = /kbp_[\w-]{43}/.exec(text)?.[0] ?? text;
    if (token.startsWith('kbt_')) return this.#say(this.t('account.program_token'));
    const player = await playerOf(token);
    if (!player) return this.#say(this.t('account.no_key'));
    return this.#in({ name: player.name, token });
  }

  /**
   * Signs in, and returns to the page that the visitor came from.
   * @param {{name: string, token: string, id?: string}} player
   * @param {string} [query] of this page
   */
  #in({ name, token, id }, query = '') {
    signIn({ name, token, id });
    const next = new URLSearchParams(location.search).get('next');
    // Only a path of this server.
    if (next && /^\/(?![/\\])/.test(next) && !query) location.assign(next);
    else location.assign(`/account${query}${query && next ? `&next=${encodeURIComponent(next)}` : ''}`);
  }

  async #showKey() {
    const place = required('#key .shown');
    fill(place, copied(myToken() ?? '', this.t('account.key'), this.t));
    place.hidden = false;
  }

  async #saveKey() {
    const session = me();
    if (!session) return;
    const text = `${this.t('account.file', { name: session.name, server: location.origin })}\n${session.token}\n`;
    save(new Blob([text], { type: 'text/plain' }), `kibitz-${session.name}.txt`);
  }

  async #showLink() {
    const url = `${location.origin}/account#key=${myToken()}`;
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
    signIn({ name: session.name, token: next });
    // From now on this browser is signed in with the key.
    if (session.id) await ask(`/v1/me/tokens/${session.id}`, { who: { token: next }, method: 'DELETE' });
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
    const { name, again } = this.#attempt(form, 'name');
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
   * The value of a form's field, and an idempotency key: a request that is repeated after a network failure creates nothing
   * twice.
   * @param {HTMLFormElement} form
   * @param {string} name
   */
  #attempt(form, name) {
    const value = field(form, name);
    if (form.dataset.asked !== value) Object.assign(form.dataset, { asked: value, again: freshKey() });
    return { name: value, again: form.dataset.again };
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

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function field(form, name) {
  return String(new FormData(form).get(name) ?? '').trim();
}

begin(async () => {
  const page = new Account(withOwnTexts(await loadTexts(), 'account.'));
  await page.show();
  onSession(() => location.reload());
});
