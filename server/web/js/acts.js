// What a viewer can do in a match besides moving: take a seat, invite, leave, resign, take the match back, play again.

import { ask, freshKey, sentence } from './api.js';
import { fill, h } from './dom.js';
import { keep, link, myName } from './seats.js';

// A button that is asked about a second time before it does anything.
function twice(label, question, t, act) {
  const place = h('span', { class: 'twice' });
  const calm = () => fill(place, h('button', { type: 'button', click: () => sure() }, label));
  const sure = () => {
    fill(place, h('span', {}, question),
      h('button', { type: 'button', class: 'danger', click: act }, label),
      h('button', { type: 'button', click: () => { calm(); place.firstChild.focus(); } }, t('match.no')));
    place.querySelector('.danger').focus();
  };
  calm();
  return place;
}

// What can be done in a match, in `root`. `secrets()`: `{token, key}`; `changed(answer)`: the API answered with an
// event or page; `joined()`: a seat was taken.
export class Acts {
  #shown = '';
  // The join that was asked for: sent again, it takes no second seat.
  #again = freshKey();

  constructor(root, { path, id, t, game, secrets, changed, joined }) {
    Object.assign(this, { root, path, id, t, game, secrets, changed, joined });
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    this.box = h('div', { class: 'doings' });
    fill(root, this.box, this.trouble);
  }

  show(page) {
    const { t } = this;
    const mine = page.you !== null;
    const free = page.seats.filter((seat) => seat.kind === 'open');
    // Drawn anew only when something else can be done: nothing may vanish under a finger.
    const shape = JSON.stringify([page.stage, mine, free.map((s) => s.seat), page.ply === 0, page.rematch,
      mine && page.seats[page.you].out]);
    if (shape === this.#shown) return;
    this.#shown = shape;
    const does = (act) => () => this.#do(act);
    fill(this.box,
      page.stage === 'open' && this.#waiting(page, mine, free),
      page.stage === 'open' && mine && twice(t('match.leave'), t('match.leave_sure'), t, does('leave')),
      page.stage === 'running' && mine && page.ply === 0
        && twice(t('match.abort'), t('match.abort_sure'), t, does('abort')),
      page.stage === 'running' && mine && !page.seats[page.you].out
        && twice(t('match.resign'), t('match.resign_sure'), t, does('resign')),
      page.stage === 'over' && mine && this.#onceMore(page),
      page.rematch && !mine
        && h('p', {}, h('a', { href: link(page.rematch, this.secrets().key) }, t('match.watch_rematch'))));
  }

  // The part of a match whose seats are not all taken.
  #waiting(page, mine, free) {
    const { t } = this;
    const parts = [];
    if (mine) parts.push(this.#invitation());
    if (free.length > 0 && !mine) {
      const name = h('input', { name: 'name', value: myName(), maxlength: '32', autocomplete: 'nickname' });
      const submit = (event) => {
        event.preventDefault();
        this.#join(name.value.trim());
      };
      const form = h('form', { class: 'join', submit },
        h('label', {}, t('match.your_name'), name),
        h('button', { class: 'main' }, t('match.join')));
      parts.push(h('p', {}, t('match.free_seats', { count: free.length })), form);
    }
    const bots = free.filter((seat) => this.game.bot_seats.includes(seat.seat));
    if (bots.length > 0) parts.push(this.#bot());
    return parts;
  }

  #invitation() {
    const { t } = this;
    const url = new URL(link(this.id, this.secrets().key), location.href).href;
    return h('div', { class: 'invite' }, h('p', {}, t('match.invite')), this.#copied(url, t('match.link')));
  }

  // How a program takes a seat.
  #bot() {
    const { t } = this;
    const { key } = this.secrets();
    const command = `kibitz-shim join ${location.origin}${this.path}${key ? ` --key ${key}` : ''} -- ./my-bot`;
    return h('details', { class: 'bot' }, h('summary', {}, t('match.bot')), h('p', {}, t('match.bot_how')),
      this.#copied(command, t('match.command')));
  }

  #copied(text, label) {
    const { t } = this;
    const box = h('input', { readonly: true, value: text, 'aria-label': label, focus: () => box.select() });
    const button = h('button', { type: 'button', click: async () => {
      try {
        await navigator.clipboard.writeText(text);
        fill(button, t('match.copied'));
      } catch {
        // Without the right to write there, it is marked to be copied by hand.
        box.focus();
      }
    } }, t('match.copy'));
    return h('div', { class: 'copy' }, box, button);
  }

  #onceMore(page) {
    const { t } = this;
    return h('div', { class: 'again' },
      page.rematch && h('p', { role: 'status' }, t('match.rematch_wanted')),
      h('button', { type: 'button', class: 'main', click: () => this.#rematch() },
        t(page.rematch ? 'match.rematch_accept' : 'match.rematch')));
  }

  async #join(name) {
    await this.#try(async () => {
      const body = name ? { name } : {};
      const admission = await ask(`${this.path}/join`, { who: this.secrets(), body, again: this.#again });
      myName(name);
      keep(this.id, admission, this.game.slug);
      this.joined();
    });
  }

  async #do(act) {
    await this.#try(async () => this.changed(await ask(`${this.path}/${act}`, { who: this.secrets(), post: true })));
  }

  async #rematch() {
    await this.#try(async () => {
      const who = this.secrets();
      const { id } = await ask(`${this.path}/rematch`, { who, post: true });
      keep(id, { seats: [{ token: who.token }], key: who.key }, this.game.slug);
      location.assign(link(id, who.key));
    });
  }

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
