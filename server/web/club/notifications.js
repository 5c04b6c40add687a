// Notifications while no page is open, on the account's page: in this browser, what for, a try; and the player's other browsers.

/** @import {OwnSubscription, Translate} from '../types.ts' */

import { ask } from '../lib/api.js';
import { twice } from '../lib/controls.js';
import { all, fill, h, required } from '../lib/dom.js';
import { day, when } from '../lib/matches/lists.js';
import { forget, ownId, ownSubscription, repair, told } from '../lib/push/subscription.js';
import { me } from '../lib/session.js';
import { language } from '../lib/texts.js';
import { browserName } from './account/device.js';

const PATH = '/v1/me/push-subscriptions';

/** The part of the page with the notifications. */
export class Notifications {
  #place = required('#notifications');
  /** @type {string | null} */
  #key = null;
  /** @type {OwnSubscription | undefined} */
  #here;

  /**
   * @param {Translate} t
   * @param {(act: () => Promise<unknown>) => void} attempt acts, and shows what goes wrong
   */
  constructor(t, attempt) {
    this.t = t;
    this.attempt = attempt;
    this.#press('.on', () => this.#begin());
    this.#press('.try', () => this.#try());
    this.#press('.off', () => this.#end());
    for (const box of this.#boxes()) box.addEventListener('change', () => attempt(() => this.#choose()));
  }

  /** Shows what there is. */
  async show() {
    const { t } = this;
    let subscriptions = await this.#listed();
    const own = ownId();
    const known = () => subscriptions.find(({ id }) => id === own);
    // The browser may have another subscription than the server knows, or the server none that its push service knows.
    if (this.#key && await repair(!known()).catch(() => false)) subscriptions = await this.#listed();
    this.#here = await ownSubscription() ? known() : undefined;
    const why = this.#hindrance();
    fill(required('.no-push', HTMLElement, this.#place), why).hidden = !why;
    required('.here', HTMLElement, this.#place).hidden = Boolean(why);
    for (const box of this.#boxes()) if (this.#here) box.checked = this.#here.kinds.includes(box.name);
    for (const [button, shown] of /** @type {[string, boolean][]} */ ([['.on', !this.#here], ['.try', Boolean(this.#here)], ['.off', Boolean(this.#here)]])) {
      required(button, HTMLElement, this.#place).hidden = !shown;
    }
    const others = subscriptions.filter((one) => one !== this.#here);
    fill(required('ul', HTMLElement, this.#place),
      others.length ? others.map((one) => this.#line(one)) : h('li', { class: 'soft' }, t('account.push.none')));
  }

  async #listed() {
    /** @type {{public_key: string | null, subscriptions: OwnSubscription[]}} */
    const { public_key: key, subscriptions } = await ask(PATH, { who: me() ?? {} });
    this.#key = key;
    return subscriptions;
  }

  /** Subscribes again with the player's new key, if this browser is notified. */
  async renew() {
    const subscription = await ownSubscription();
    if (this.#here && subscription) await this.#add(subscription, this.#here.kinds);
  }

  /** Ends the notifications in this browser, also where the server cannot be asked. */
  async leave() {
    const id = ownId();
    const who = me();
    if (id && who) await ask(`${PATH}/${id}`, { who, method: 'DELETE' }).catch(() => {});
    await forget().catch(() => {});
  }

  /** The reason why this browser cannot be notified; empty: there is none. */
  #hindrance() {
    const { t } = this;
    if (!this.#key) return t('account.push.server_off');
    const known = window.isSecureContext && 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
    if (!known) return t('account.push.unknown');
    return Notification.permission === 'denied' ? t('account.push.denied') : '';
  }

  async #begin() {
    const { t } = this;
    this.#done('');
    if (await Notification.requestPermission() !== 'granted') {
      await this.show();
      this.#done(t('account.push.refused'));
      return;
    }
    const registration = await navigator.serviceWorker.register('/service-worker.js');
    await navigator.serviceWorker.ready;
    // One of another player, or for a former key of this server.
    await forget();
    try {
      const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: this.#key });
      await this.#add(subscription, this.#chosen());
    } catch (error) {
      await forget().catch(() => {});
      if (!(error instanceof DOMException)) throw error;
      this.#done(t('account.push.failed'));
      return;
    }
    await this.show();
    this.#done(t('account.push.done'));
  }

  /**
   * @param {PushSubscription} subscription
   * @param {string[]} kinds
   */
  async #add(subscription, kinds) {
    const { endpoint, keys } = subscription.toJSON();
    const body = { name: browserName(this.t), endpoint, keys, language: language(), kinds };
    /** @type {OwnSubscription} */
    const added = await ask(PATH, { who: me() ?? {}, body });
    await told(added.id, subscription);
  }

  async #choose() {
    if (!this.#here) return;
    await ask(`${PATH}/${this.#here.id}`, { who: me() ?? {}, method: 'PUT', body: { kinds: this.#chosen() } });
    await this.show();
    this.#done(this.t('account.about.done'));
  }

  async #try() {
    this.#done('');
    if (!this.#here) return;
    await ask(`${PATH}/${this.#here.id}/test`, { who: me() ?? {}, post: true });
    this.#done(this.t('account.push.tried'));
  }

  async #end() {
    await this.leave();
    await this.show();
    this.#done('');
  }

  /** @param {OwnSubscription} subscription of another browser */
  #line({ id, name, kinds, created_ms, delivered_ms }) {
    const { t } = this;
    const facts = [t('account.push.since', { date: day(created_ms).textContent ?? '' }),
      delivered_ms === null ? t('account.push.undelivered') : t('account.push.delivered', { date: when(delivered_ms).textContent ?? '' }),
      kinds.map((kind) => t(`account.push.${kind}`)).join(', ')].filter(Boolean);
    return h('li', {}, h('strong', {}, name), h('span', { class: 'soft' }, facts.join(' · ')),
      h('span', { class: 'buttons' }, twice(t('account.push.remove'), t('account.push.remove.sure'), t, () => this.attempt(async () => {
        await ask(`${PATH}/${id}`, { who: me() ?? {}, method: 'DELETE' });
        await this.show();
      }))));
  }

  #boxes() {
    return /** @type {HTMLInputElement[]} */ (all('input[type="checkbox"]', this.#place));
  }

  #chosen() {
    return this.#boxes().filter(({ checked }) => checked).map(({ name }) => name);
  }

  /** @param {string} text */
  #done(text) {
    fill(required('.done', HTMLElement, this.#place), text);
  }

  /**
   * @param {string} button
   * @param {() => Promise<unknown>} act
   */
  #press(button, act) {
    required(button, HTMLElement, this.#place).addEventListener('click', () => this.attempt(act));
  }
}
