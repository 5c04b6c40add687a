// The notices of the player who is signed in, at the edge of every page: challenges, and matches that wait.

/** @import {Challenge, Child, LobbyEvent, Game, Page, Translate} from '../../types.ts' */

import { ask, sentence } from '../api.js';
import { clockText } from '../clock-text.js';
import { fill, h } from '../dom.js';
import { games } from '../matches/lists.js';
import { pointerReleased } from '../pointer.js';
import { myToken, playerLink, me } from '../session.js';
import { link } from '../matches/seats.js';

const SECOND = 1000;

export class Notices {
  /** @type {Map<string, HTMLElement>} */
  #shown = new Map();
  /** @type {Map<string, Challenge>} */
  #open = new Map();
  /** @type {Promise<Map<string, Game>> | null} */
  #games = null;

  /** @param {Translate} t */
  constructor(t) {
    this.t = t;
    this.place = h('aside', { class: 'notices', 'aria-label': t('club.notices'), 'aria-live': 'polite' });
    document.body.append(this.place);
    setInterval(() => this.#tick(), SECOND);
  }

  /** Forgets the open challenges before a new connection, which begins with all of them. */
  forget() {
    this.#open.clear();
  }

  /** Says that the key in this browser is no longer valid, except on the account's page, which says so itself. */
  signedOut() {
    const { t } = this;
    this.#shown.clear();
    fill(this.place, location.pathname !== '/account' && h('section', { class: 'notice' }, h('p', {}, t('session.invalid')),
      h('p', {}, h('a', { class: 'button', href: '/account' }, t('nav.account')))));
  }

  /** @param {LobbyEvent} event */
  heard(event) {
    if (event.type === 'challenge') this.#challenge(event);
    else if (event.type === 'challenge_over') this.#settled(event);
    else if (event.type === 'match') this.#match(event);
    else if (event.type === 'match_over') this.#remove(event.id);
    else if (event.type === 'ready') {
      // Remove the challenges that were settled while there was no connection.
      for (const id of this.#shown.keys()) {
        if (this.#shown.get(id)?.dataset.stage === 'open' && !this.#open.has(id)) this.#remove(id);
      }
    }
  }

  /** @param {Challenge} challenge */
  async #challenge(challenge) {
    const { t } = this;
    this.#open.set(challenge.id, challenge);
    const { id, role } = challenge;
    const terms = await this.#terms(challenge);
    // After a new connection the notice is there already, perhaps with a half-written reason.
    if (!this.#open.has(id) || this.#shown.get(id)?.dataset.stage === 'open') return;
    const left = h('span', { class: 'left', data: { until: challenge.until_ms } });
    const trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    const act = (/** @type {string} */ what, /** @type {object} */ body = {}) => this.#act(id, what, body, trouble);
    const mine = role === 'challenger';
    const head = mine ? said(t('club.waiting'), challenge.opponent) : said(t('club.challenged'), challenge.challenger);
    // Hides the notice on this page; the next page shows it again.
    const later = h('button', { type: 'button', click: () => { this.#shown.get(id)?.toggleAttribute('hidden', true); } }, t('club.later'));
    /** @type {HTMLElement} */
    const buttons = h('div', { class: 'buttons' }, mine
      ? h('button', { type: 'button', click: () => act('withdraw') }, t('club.withdraw'))
      : [h('button', { type: 'button', class: 'main', click: () => act('accept') }, t('club.accept')),
        h('button', { type: 'button', click: () => fill(buttons, this.#decline(act)) }, t('club.decline'))], later);
    await this.#show(id, 'open', [h('p', {}, head), h('p', { class: 'soft' }, terms), left, buttons, trouble]);
    this.#tick();
  }

  /**
   * Asks for a reason.
   * @param {(what: string, body: object) => void} act
   */
  #decline(act) {
    const { t } = this;
    const submit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const reason = box.value.trim();
      act('decline', reason ? { reason } : {});
    };
    /** @type {HTMLInputElement} */
    const box = h('input', { name: 'reason', maxlength: '200', autocomplete: 'off' });
    setTimeout(() => box.focus());
    return h('form', { class: 'decline', submit }, h('label', {}, t('club.reason'), box), h('button', {}, t('club.decline')));
  }

  /**
   * @param {string} id
   * @param {string} what
   * @param {object} body
   * @param {HTMLElement} trouble
   */
  async #act(id, what, body, trouble) {
    try {
      const who = { token: myToken() };
      const plain = Object.keys(body).length === 0;
      /** @type {Challenge} */
      const after = await ask(`/v1/challenges/${id}/${what}`, { who, ...(plain ? { post: true } : { body }) });
      if (what === 'accept' && after.match) location.assign(link(after.match));
    } catch (error) {
      fill(trouble, sentence(error, this.t)).hidden = false;
    }
  }

  /** @param {Challenge} challenge */
  async #settled(challenge) {
    const { t } = this;
    this.#open.delete(challenge.id);
    const { id, role, stage, match, reason } = challenge;
    const mine = role === 'challenger';
    if (stage === 'accepted' && match) {
      this.#remove(id);
      if (!mine) return;
      // The challenger goes to the match, unless busy in another one or in another tab.
      const playing = document.querySelector('#match[data-stage="running"]');
      if (document.visibilityState === 'visible' && !playing) location.assign(link(match));
      else await this.#show(id, stage, [h('p', {}, said(t('club.accepted'), challenge.opponent)), this.#go(match)]);
      return;
    }
    // The player has just declined or withdrawn it.
    if (stage === (mine ? 'withdrawn' : 'declined')) {
      this.#remove(id);
      return;
    }
    const text = t(`club.over.${stage}`);
    const name = mine ? challenge.opponent : challenge.challenger;
    await this.#show(id, stage, [h('p', {}, said(text, name)), reason && h('p', {}, t('club.because', { reason })), this.#close(id)]);
  }

  /**
   * Shows that a match waits for the player, whose seat is kept.
   * @param {{id: string, stage: string}} event
   */
  async #match({ id, stage }) {
    const { t } = this;
    if (stage !== 'open' || location.pathname === link(id)) {
      this.#remove(id);
      return;
    }
    try {
      /** @type {Page} */
      const page = await ask(`/v1/matches/${id}`, { who: { token: myToken() } });
      if (page.stage !== 'open' || !page.seats.some((seat) => seat.kind === 'reserved' && seat.name === me()?.name)) return;
      const known = await this.#known();
      const title = known.get(page.game)?.title ?? page.game;
      const text = page.tournament ? 'club.seat_tournament' : 'club.seat';
      await this.#show(id, stage, [h('p', {}, t(text, { game: title })), this.#go(id)]);
    } catch {
      // Gone meanwhile.
    }
  }

  /** @param {string} match */
  #go(match) {
    return h('p', {}, h('a', { class: 'button main', href: link(match) }, this.t('club.go')));
  }

  /** @param {string} id */
  #close(id) {
    return h('div', { class: 'buttons' },
      h('button', { type: 'button', click: () => this.#remove(id) }, this.t('end.close')));
  }

  #known() {
    this.#games ??= games();
    return this.#games;
  }

  /**
   * The terms of a challenge, in words.
   * @param {Challenge} challenge
   */
  async #terms({ game, clock, rated, role, challenger_seat: seat }) {
    const { t } = this;
    const known = await this.#known();
    const first = (seat === 0) === (role === 'challenger');
    return [known.get(game)?.title ?? game, clockText(clock, t), t(rated ? 'club.rated' : 'club.unrated'),
      t(first ? 'club.first' : 'club.second')].join(' · ');
  }

  /**
   * @param {string} id
   * @param {string} stage
   * @param {Child[]} content
   */
  async #show(id, stage, content) {
    await pointerReleased();
    const before = this.#shown.get(id);
    const notice = h('section', { class: 'notice', data: { notice: id, stage } }, content);
    if (before) before.replaceWith(notice);
    else this.place.append(notice);
    this.#shown.set(id, notice);
  }

  /** @param {string} id */
  #remove(id) {
    this.#shown.get(id)?.remove();
    this.#shown.delete(id);
  }

  // Shows how long each challenge is still open.
  #tick() {
    for (const notice of this.#shown.values()) {
      const left = notice.querySelector('.left');
      if (!(left instanceof HTMLElement)) continue;
      const seconds = Math.max(0, Math.round((Number(left.dataset.until) - Date.now()) / SECOND));
      const minutes = Math.floor(seconds / 60);
      const time = `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
      const text = minutes >= 120 ? this.t('club.hours', { hours: Math.round(minutes / 60) }) : this.t('club.left', { time });
      if (left.textContent !== text) left.textContent = text;
    }
  }
}

/**
 * A sentence with the name of a player in it, as a link.
 * @param {string} text with {name} in it
 * @param {string} name
 */
function said(text, name) {
  const [before, after] = text.split('{name}');
  return [before, h('a', { href: playerLink(name) }, name), after];
}
