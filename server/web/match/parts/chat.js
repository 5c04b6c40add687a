// The chat of a match's players, or of its spectators: ready phrases first, and free text where the operator allows it. Messages come
// with the match's stream; the chat also asks for them, since the stream ends with the match. `/tv` shows one match after another.

/** @import {ChatMessage, Page, Secrets, Translate} from '../../types.ts' */
/** @import {MatchStore} from '../../lib/matches/match-store.js' */

import { Refused, ask, sentence } from '../../lib/api.js';
import { twice } from '../../lib/controls.js';
import { fill, h } from '../../lib/dom.js';
import { hasChat } from '../../lib/matches/match-state.js';
import { seatName } from '../../lib/matches/match-text.js';
import { reportButton } from '../../lib/page/report.js';
import { me } from '../../lib/session.js';

// How often players ask for messages, during the match and after it, and spectators, who may be many, while they see the list; how
// long a message is shown over the board; how long after its board the page of a spectator asks for the first time.
const [PERIOD_MS, PERIOD_OVER_MS, PERIOD_SPECTATOR_MS, BUBBLE_MS, SPECTATOR_WAITS_MS] = [12_000, 2_500, 30_000, 6_000, 2_000];
// How long the chat asks after the end of the match; how long a text counts as being written after its last change.
const [OVER_FOR_MS, WRITING_MS] = [600_000, 60_000];
const PHRASES = ['hello', 'good_luck', 'good_move', 'well_played', 'thanks', 'sorry', 'one_moment', 'good_game', 'play_again'];
// Those that make sense among spectators.
const SPECTATOR_PHRASES = ['hello', 'good_move', 'well_played', 'good_game'];
// The storage key under which a browser remembers to hide the messages of others.
const MUTED = 'kibitz.muted';
// A speech balloon with three dots.
const BALLOON = 'M4 4h16a1.5 1.5 0 0 1 1.5 1.5v10A1.5 1.5 0 0 1 20 17h-8.5L7 21v-4H4a1.5 1.5 0 0 1-1.5-1.5v-10A1.5 1.5 0 0 1 4 4zm4 5.3a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 0 0 0-2.6zm4 0a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 0 0 0-2.6zm4 0a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 0 0 0-2.6z';

export class Chat {
  /** @type {Map<number, ChatMessage>} */
  #messages = new Map();
  /** @type {Page | null} */
  #page = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #hide;
  #over = 0;
  /** @type {'players' | 'spectators' | null} Whose chat it is. */
  #room = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #next;
  /** Whether the list of messages is on the screen. */
  #seen = false;
  /** The last message that the player has seen. */
  #read = -1;
  /** The time of the last change of the text that is being written, in milliseconds since 1970. */
  #typed = 0;
  /** The match whose chat it is. @type {MatchStore | null} */
  #match = null;
  /** @type {() => Secrets} */
  #secrets = () => ({});

  /**
   * A chat, which is hidden until it follows a match. `bubble`: where a new message to a player is shown for a moment.
   * @param {HTMLElement} root
   * @param {Translate} t
   * @param {HTMLElement} [bubble]
   */
  constructor(root, t, bubble = h('p', {})) {
    this.root = root;
    this.t = t;
    this.bubble = bubble;
    bubble.hidden = true;
    this.list = h('ol', { class: 'said', tabindex: '0', 'aria-label': t('chat.messages') });
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    this.text = h('input', { name: 'text', maxlength: '200', autocomplete: 'off', 'aria-label': t('chat.text'), placeholder: t('chat.text'),
      input: () => { this.#typed = Date.now(); } });
    this.form = h('form', { hidden: true, submit: (event) => {
      event.preventDefault();
      const text = this.text.value.trim();
      if (text !== '') this.#say({ text });
    } }, this.text, h('button', {}, t('chat.send')));
    /** @type {HTMLInputElement} */
    this.mute = h('input', { type: 'checkbox', change: () => {
      localStorage.setItem(MUTED, this.mute.checked ? '1' : '');
      this.bubble.hidden = true;
      this.#draw();
    } });
    this.mute.checked = localStorage.getItem(MUTED) === '1';
    this.unread = h('span', { class: 'unread', 'aria-hidden': 'true', hidden: true });
    this.link = this.#link();
    this.#count();
    this.secret = h('p', { class: 'soft' });
    this.phrases = h('div', { class: 'phrases' });
    this.signIn = h('p', { hidden: true }, h('a', { href: '/account', click: (event) => {
      event.preventDefault();
      location.assign(`/account?next=${encodeURIComponent(location.pathname + location.search)}`);
    } }, t('chat.sign_in')));
    fill(root, h('h2', {}, t('chat.title')), this.secret, this.list, this.phrases, this.form, this.signIn, this.trouble,
      h('label', { class: 'at-once' }, this.mute, t('chat.mute')));
    root.id = 'chat';
    root.hidden = true;
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.#seen = isIntersecting;
      if (isIntersecting) this.#seeAll();
    }).observe(this.list);
  }

  /**
   * Shows the chat of a match from now on, in place of the one before. A text that is being written stays.
   * @param {MatchStore} match
   * @param {() => Secrets} [secrets] of the visitor, if the page follows the match without them
   */
  follow(match, secrets = match.secrets) {
    clearTimeout(this.#next);
    this.#match = match;
    this.#secrets = secrets;
    this.#room = null;
    this.#over = 0;
    match.on('changed', () => { if (match === this.#match) this.#show(match.page); });
    match.on('chat', (message) => { if (match === this.#match) this.#take(message); });
    this.#show(match.page);
  }

  /** Whether the visitor is writing: there is a text that is not sent, and it was changed less than a minute ago. */
  get writing() {
    return !this.root.hidden && this.text.value.trim() !== '' && Date.now() - this.#typed < WRITING_MS;
  }

  /** The link to the chat in the head of the match, with the number of messages that were not seen yet. */
  #link() {
    return h('a', { class: 'to-chat', href: '#chat', hidden: true, click: (event) => {
      event.preventDefault();
      this.root.scrollIntoView({ block: 'center' });
      this.list.focus({ preventScroll: true });
    } }, h('svg', { viewBox: '0 0 24 24', width: '24', height: '24', 'aria-hidden': 'true' },
      h('path', { d: BALLOON, fill: 'currentColor', 'fill-rule': 'evenodd' })), this.unread);
  }

  /** Marks all messages so far as seen. */
  #seeAll() {
    this.#read = Math.max(-1, ...this.#messages.keys());
    this.#count();
  }

  /** Shows how many messages have not been seen yet. */
  #count() {
    const unread = this.#shown().filter((message) => message.n > this.#read && !this.#isMine(message)).length;
    const label = unread > 0 ? this.t('chat.unread', { count: unread }) : this.t('chat.title');
    this.link.setAttribute('aria-label', label);
    this.link.title = label;
    fill(this.unread, `${unread}`);
    this.unread.hidden = unread === 0;
  }

  /** The messages that the player wants to see, in their order. */
  #shown() {
    return [...this.#messages.values()].filter((message) => !message.deleted && (this.#isMine(message) || !this.mute.checked))
      .sort((a, b) => a.n - b.n);
  }

  /** @param {ChatMessage} message */
  #isMine({ seat, player }) {
    return seat === undefined ? player === me()?.name : seat === this.#page?.you;
  }

  /** @param {Page} page */
  #show(page) {
    this.#page = page;
    const room = page.you === null ? 'spectators' : 'players';
    if (page.stage === 'over' && this.#over === 0) this.#over = Date.now();
    if (!hasChat(page)) {
      this.#open(false);
      return;
    }
    if (this.#room === room) return;
    this.#enter(room);
  }

  /** @param {boolean} open */
  #open(open) {
    this.root.hidden = !open;
    this.link.hidden = !open;
  }

  /**
   * Shows the chat of the players, or of the spectators.
   * @param {'players' | 'spectators'} room
   */
  #enter(room) {
    this.#room = room;
    this.#messages.clear();
    this.#read = -1;
    this.#draw();
    this.#open(true);
    const writes = room === 'players' || this.#secrets().token !== undefined;
    this.signIn.hidden = writes || me() !== null;
    fill(this.secret, this.t(room === 'players' ? 'chat.secret' : 'chat.spectators'));
    const phrases = room === 'players' ? PHRASES : SPECTATOR_PHRASES;
    fill(this.phrases, (writes ? phrases : []).map((phrase) =>
      h('button', { type: 'button', click: () => this.#say({ phrase }) }, this.t(`chat.${phrase}`))));
    clearTimeout(this.#next);
    if (room === 'players') this.#ask(true);
    else this.#next = setTimeout(() => this.#ask(true), SPECTATOR_WAITS_MS);
  }

  /**
   * A message of the stream.
   * @param {ChatMessage} message
   */
  #take(message) {
    if (message.deleted) {
      this.#remove(message);
      return;
    }
    if (this.#messages.has(message.n)) return;
    this.#messages.set(message.n, message);
    this.#draw();
    if (this.#seen) this.#seeAll();
    if (this.#room !== 'players' || this.#isMine(message) || this.mute.checked) return;
    const text = this.#sentence(message);
    this.#match?.publish('sound', 'chat');
    fill(this.bubble, text);
    this.bubble.hidden = false;
    clearTimeout(this.#hide);
    this.#hide = setTimeout(() => { this.bubble.hidden = true; }, BUBBLE_MS);
  }

  /**
   * A message that its author or the operator has deleted.
   * @param {ChatMessage} message
   */
  #remove(message) {
    const before = this.#messages.get(message.n);
    this.#messages.set(message.n, message);
    if (!before || before.deleted) return;
    if (this.bubble.textContent === this.#sentence(before)) this.bubble.hidden = true;
    this.#draw();
  }

  /**
   * Asks for messages that the stream has not brought, again and again while the page, or for spectators the list, is visible.
   * @param {boolean} first
   */
  async #ask(first) {
    const from = first ? 0 : Math.max(-1, ...this.#messages.keys()) + 1;
    const [match, room, over] = [this.#match, this.#room, this.#over > 0];
    try {
      if (first || document.visibilityState === 'visible' && (room === 'players' || this.#seen)) {
        const { messages, text, room: of } = await ask(`${match?.path}/chat?from=${from}`, { who: this.#secrets() });
        // Another match is shown, or the visitor has just taken a seat: then the chat has asked again.
        if (match !== this.#match || room !== this.#room) return;
        // A player who watches the match as a spectator gets no chat.
        if (of !== room) {
          this.#open(false);
          return;
        }
        this.form.hidden = !text || this.phrases.childElementCount === 0;
        // Messages from before the page was opened are not announced.
        if (!first) for (const message of messages) this.#take(message);
        else if (messages.length > 0) {
          for (const message of messages) this.#messages.set(message.n, message);
          this.#draw();
          this.#seeAll();
        }
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (match !== this.#match || room !== this.#room) return;
      // The operator has switched the spectators' chat off.
      if (room === 'spectators' && ['token_needed', 'not_your_seat'].includes(error.code)) {
        this.#open(false);
        return;
      }
    }
    if (room !== this.#room || over && Date.now() - this.#over > OVER_FOR_MS) return;
    const period = over ? PERIOD_OVER_MS : PERIOD_MS;
    this.#next = setTimeout(() => this.#ask(false), room === 'spectators' ? PERIOD_SPECTATOR_MS : period);
  }

  /** @param {{phrase: string} | {text: string}} said */
  async #say(said) {
    this.trouble.hidden = true;
    const match = this.#match;
    try {
      const message = await ask(`${match?.path}/chat`, { who: this.#secrets(), body: said });
      if (match === this.#match) this.#take(message);
      if ('text' in said) this.text.value = '';
    } catch (error) {
      fill(this.trouble, error instanceof Refused && error.code === 'too_many' ? this.t('chat.too_many') : sentence(error, this.t));
      this.trouble.hidden = false;
    }
  }

  #draw() {
    const match = this.#match?.id ?? '';
    fill(this.list, this.#shown().map((message) => h('li', { class: this.#isMine(message) && 'mine' },
      h('b', {}, this.#name(message)), ' ', this.#words(message), ' ', this.#isMine(message) ? this.#unsay(message)
        : reportButton({ kind: 'chat', match, n: message.n }, this.t('report.chat', { text: this.#sentence(message) }),
          this.t, this.#secrets))));
    this.list.scrollTop = this.list.scrollHeight;
    this.#count();
  }

  /**
   * The button that deletes a message of the player's own.
   * @param {ChatMessage} message
   */
  #unsay({ n }) {
    return twice(this.t('chat.delete'), this.t('chat.delete.sure'), this.t, async () => {
      this.trouble.hidden = true;
      const match = this.#match;
      try {
        await ask(`${match?.path}/chat/${n}`, { who: this.#secrets(), method: 'DELETE' });
        const message = this.#messages.get(n);
        if (message && match === this.#match) this.#remove({ n, seat: message.seat, player: message.player, at_ms: message.at_ms, deleted: 'author' });
      } catch (error) {
        fill(this.trouble, sentence(error, this.t)).hidden = false;
      }
    });
  }

  /** @param {ChatMessage} message */
  #sentence(message) {
    return `${this.#name(message)}: ${this.#words(message)}`;
  }

  /** @param {ChatMessage} message */
  #name({ seat, player }) {
    const page = this.#page;
    return seat === undefined || !page ? player ?? '' : seatName(page.seats[seat], this.t);
  }

  /** @param {ChatMessage} message */
  #words({ phrase, text }) {
    return text ?? this.t(`chat.${phrase}`);
  }
}
