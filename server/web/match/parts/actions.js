// The actions of a viewer in a match besides moves: take a seat, invite, leave, resign, call the match off, play again.

/** @import {Page, PageSeat} from '../../types.ts' */
/** @import {MatchStore} from '../../lib/matches/match-store.js' */

import { ask, freshKey, sentence } from '../../lib/api.js';
import { copied, qr, twice } from '../../lib/controls.js';
import { fill, h } from '../../lib/dom.js';
import { keep, link, myName } from '../../lib/matches/seats.js';
import { me, myToken } from '../../lib/session.js';

export class Actions {
  #shown = '';
  #ply = 0;
  // The idempotency key of joining: sent again, the request takes no second seat.
  #again = freshKey();

  /**
   * `picture`: the address of the game's picture, or null.
   * @param {Element} root
   * @param {MatchStore} match
   * @param {string | null} picture
   */
  constructor(root, match, picture) {
    this.match = match;
    this.t = match.t;
    this.picture = picture;
    match.on('changed', () => this.#show(match.page));
    match.on('rematch', () => this.#show(match.page));
    match.on('again', () => this.#rematch());
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    this.box = h('div', { class: 'doings' });
    fill(root, this.box, this.trouble);
  }

  /** @param {Page} page */
  #show(page) {
    const { t } = this;
    const mine = page.you !== null;
    const out = page.you !== null && page.seats[page.you].out;
    const free = page.seats.filter((seat) => seat.kind === 'open');
    const kept = !mine && page.seats.some((seat) => seat.kind === 'reserved' && seat.name === me()?.name);
    // Drawn again only when other actions are possible: a button must not vanish while it is pressed.
    this.#ply = page.ply;
    const back = this.#canTakeBack(page);
    const shape = JSON.stringify([page.stage, mine, free.map((s) => s.seat), page.ply === 0, page.rematch,
      out, kept, back]);
    if (shape === this.#shown) return;
    this.#shown = shape;
    const does = (/** @type {string} */ act) => () => this.#do(act);
    fill(this.box,
      page.tournament && h('p', {}, h('a', { href: `/tournaments/${page.tournament.id}` }, t('match.tournament'))),
      page.stage === 'open' && this.picture && h('img', { class: 'cover', src: this.picture, alt: '', width: '400', height: '300' }),
      page.stage === 'open' && this.#waiting(mine, free),
      page.stage === 'open' && kept && [h('p', {}, t('match.kept')),
        h('button', { type: 'button', class: 'main', click: () => this.#join('') }, t('match.take'))],
      page.stage === 'open' && mine && twice(t('match.leave'), t('match.leave_sure'), t, does('leave')),
      back && h('button', { type: 'button', click: () => this.#takeBack() }, t('match.take_back')),
      page.stage === 'running' && mine && page.ply === 0
        && twice(t('match.abort'), t('match.abort_sure'), t, does('abort')),
      page.stage === 'running' && mine && !out
        && twice(t('match.resign'), t('match.resign_sure'), t, does('resign')),
      page.rematch && !mine
        && h('p', {}, h('a', { href: link(page.rematch, this.match.secrets().key) }, t('match.watch_rematch'))));
  }

  /**
   * Whether the viewer may take a move back: against engines alone, where they may be asked and no clock runs.
   * @param {Page} page
   */
  #canTakeBack(page) {
    const others = page.seats.filter(({ seat }) => seat !== page.you);
    return page.stage === 'running' && page.you !== null && page.hints && !page.clock
      && others.every(({ engine }) => engine) && page.ply > (page.turn === page.you ? 1 : 0);
  }

  async #takeBack() {
    await this.#try(async () => this.match.hear(await ask(`${this.match.path}/take-back`, { who: this.match.secrets(), body: { ply: this.#ply } })));
  }

  /**
   * The actions of a match with free seats: invite, join, and the command for a program.
   * @param {boolean} mine whether the viewer has a seat
   * @param {PageSeat[]} free
   */
  #waiting(mine, free) {
    const { t } = this;
    const parts = [];
    if (mine && free.length > 0) parts.push(this.#invitation());
    if (free.length > 0 && !mine) {
      const player = me()?.name;
      const name = h('input', { name: 'name', value: player ? '' : myName(), maxlength: '32', autocomplete: 'nickname' });
      const submit = (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        this.#join(name.value.trim());
      };
      const form = h('form', { class: 'join', submit },
        player ? h('p', {}, t('match.join_as', { name: player })) : h('label', {}, t('match.your_name'), name),
        h('button', { class: 'main' }, t('match.join')));
      parts.push(h('p', {}, t('match.free_seats', { count: free.length })), form);
    }
    const bots = free.filter((seat) => this.match.game.bot_seats.includes(seat.seat));
    if (bots.length > 0) parts.push(this.#bot());
    return parts;
  }

  #invitation() {
    const { t } = this;
    const url = new URL(link(this.match.id, this.match.secrets().key), location.href).href;
    const code = h('div', { class: 'code' });
    // Without the picture the link can still be copied.
    qr(url, t('match.qr')).then((picture) => fill(code, h('p', { class: 'scan' }, t('match.scan')), picture), () => {});
    return h('div', { class: 'invite' },
      h('div', {}, h('p', { class: 'lead' }, t('match.invite')), copied(url, t('match.link'), t, this.#share(url))), code);
  }

  /**
   * A button for the system's own ways to share; browsers without them have only the copy.
   * @param {string} url
   */
  #share(url) {
    const { t, match: { game } } = this;
    if (!('share' in navigator)) return null;
    return h('button', { type: 'button', click: async () => {
      try {
        await navigator.share({ title: game.title, text: t('match.share_text', { game: game.title }), url });
      } catch {
        // The visitor has closed the choice, or the system refused: the link can still be copied.
      }
    } }, t('match.share'));
  }

  // The command with which a program takes a seat.
  #bot() {
    const { t } = this;
    const { key } = this.match.secrets();
    const command = `kibitz-shim join ${location.origin}${this.match.path}${key ? ` --key ${key}` : ''} -- ./my-bot`;
    return h('details', { class: 'bot' }, h('summary', {}, t('match.bot')), h('p', {}, t('match.bot_how')),
      copied(command, t('match.command'), t));
  }

  /** @param {string} name */
  async #join(name) {
    await this.#try(async () => {
      const body = name ? { name } : {};
      const admission = await ask(`${this.match.path}/join`, { who: this.match.secrets(), body, again: this.#again });
      if (name) myName(name);
      keep(this.match.id, admission, this.match.game.slug);
      this.match.publish('joined');
    });
  }

  /** @param {string} act */
  async #do(act) {
    await this.#try(async () => this.match.hear(await ask(`${this.match.path}/${act}`, { who: this.match.secrets(), post: true })));
  }

  /** Starts the rematch, or joins the one that another player wants. */
  async #rematch() {
    await this.#try(async () => {
      const who = this.match.secrets();
      const { id } = await ask(`${this.match.path}/rematch`, { who, post: true });
      // The token of the player who is signed in is kept elsewhere.
      const token = who.token === myToken() ? undefined : who.token;
      keep(id, { seats: [{ token }], key: who.key }, this.match.game.slug);
      location.assign(link(id, who.key));
    });
  }

  /** @param {() => Promise<void>} act */
  async #try(act) {
    this.trouble.hidden = true;
    try {
      await act();
    } catch (error) {
      fill(this.trouble, sentence(error, this.t));
      this.trouble.hidden = false;
    }
  }
}
