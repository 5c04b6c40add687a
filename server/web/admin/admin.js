// The operator's page, with the admin token: what the server does now, and the lists and actions of `kibitz admin`. English, as these
// commands are. The token stays in this tab and is sent to the server's admin API and `/metrics` only.

/** @import {Translate} from '../types.ts' */
/** @import {Action, Field, List} from './lists.js' */

import { begin } from '../lib/page/begin.js';
import { Refused, ask } from '../lib/api.js';
import { copied } from '../lib/controls.js';
import { fill, h, required } from '../lib/dom.js';
import { loadTexts } from '../lib/texts.js';
import { LISTS } from './lists.js';
import { showLoad } from './load.js';

const STORE = 'kibitz.admin';
const LOAD = 'load';
const DAY_MS = 86_400_000;
const TIMES = [['1 hour', DAY_MS / 24], ['1 day', DAY_MS], ['7 days', 7 * DAY_MS], ['30 days', 30 * DAY_MS], ['without end', 0]];

begin(async () => {
  const t = await loadTexts();
  if (document.querySelector('#enter')) new AdminPage(t).start();
});

class AdminPage {
  #form = required('#enter', HTMLFormElement);
  #trouble = required('#main > .trouble');
  #place = required('#admin');
  #part = h('div', { class: 'part' });
  #dialog = h('dialog', { 'aria-labelledby': 'act-title' });
  #stop = () => {};
  #token = sessionStorage.getItem(STORE) ?? '';

  /** @param {Translate} t */
  constructor(t) {
    this.t = t;
  }

  start() {
    this.#place.append(h('nav', { class: 'tabs', 'aria-label': 'Parts' }), this.#part, this.#dialog);
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#token = String(new FormData(this.#form).get('token')).trim();
      this.#form.reset();
      this.#enter();
    });
    this.#form.inert = false;
    window.addEventListener('hashchange', () => this.#show());
    if (this.#token) this.#enter();
  }

  /** Asks whether the token is right, and shows the page. */
  #enter() {
    return this.#attempt(async () => {
      await this.#ask('/v1/admin/bans');
      sessionStorage.setItem(STORE, this.#token);
      this.#form.hidden = true;
      this.#place.hidden = false;
      this.#show();
    });
  }

  #leave() {
    this.#stop();
    this.#token = '';
    sessionStorage.removeItem(STORE);
    this.#place.hidden = true;
    this.#form.hidden = false;
  }

  /**
   * @param {string} path
   * @param {import('../lib/api.js').AskOptions} [options]
   */
  #ask(path, options = {}) {
    return ask(path, { ...options, who: { token: this.#token } });
  }

  /** Shows the part that the address names. */
  #show() {
    if (this.#place.hidden) return;
    this.#stop();
    this.#stop = () => {};
    const list = LISTS.find(({ id }) => `#${id}` === window.location.hash);
    const tab = (/** @type {string} */ id, /** @type {string} */ title) => h('a', { href: `#${id}`, 'aria-current': id === (list?.id ?? LOAD) && 'page' }, title);
    fill(required('nav', HTMLElement, this.#place), tab(LOAD, 'Load'), LISTS.map(({ id, title }) => tab(id, title)),
      h('button', { type: 'button', click: () => this.#leave() }, 'Forget the token'));
    fill(this.#trouble);
    this.#trouble.hidden = true;
    if (list) this.#showList(list);
    else {
      const place = h('div', {});
      fill(this.#part, h('h2', {}, 'Load'), place);
      this.#stop = showLoad(place, this.#token, (error) => this.#fail(error));
    }
  }

  /** @param {List} list */
  #showList(list) {
    const { add, columns } = list;
    const rows = h('tbody', {});
    const more = h('button', { type: 'button', hidden: true, click: () => this.#attempt(load) }, 'More');
    const none = h('p', { class: 'soft', hidden: true }, list.none);
    let next = '';
    const again = () => this.#showList(list);
    const load = async () => {
      const answer = await this.#ask(list.path + (next && `${list.path.includes('?') ? '&' : '?'}${list.page}=${encodeURIComponent(next)}`));
      rows.append(...answer[list.key].map((/** @type {any} */ entry) => this.#row(list, entry, again)));
      next = answer.next ?? '';
      more.hidden = !next;
      none.hidden = rows.childElementCount > 0;
    };
    const head = [...columns.map(([title]) => title), ''].map((title) => h(title ? 'th' : 'td', title ? { scope: 'col' } : {}, title));
    fill(this.#part, h('h2', {}, list.title), add && h('p', {}, this.#button(add, again)), none,
      h('div', { class: 'wide', role: 'region', tabindex: '0', 'aria-label': list.title }, h('table', { class: 'results' }, h('thead', {}, h('tr', {}, head)), rows)),
      h('p', { class: 'more' }, more));
    return this.#attempt(load);
  }

  /**
   * @param {List} list
   * @param {any} entry
   * @param {() => Promise<unknown>} again
   */
  #row({ columns, actions }, entry, again) {
    const cells = columns.map(([title, content], n) => (n === 0
      ? h('th', { scope: 'row', data: { title } }, content(entry)) : h('td', { data: { title } }, content(entry))));
    return h('tr', {}, cells, h('td', { class: 'buttons' }, actions(entry).map((action) => this.#button(action, again))));
  }

  /**
   * A button that opens the form of an action.
   * @param {Action} action
   * @param {() => Promise<unknown>} again shows the list again
   */
  #button(action, again) {
    return h('button', { type: 'button', click: () => this.#open(action, again) }, action.label);
  }

  /**
   * @param {Action} action
   * @param {() => Promise<unknown>} again
   */
  #open(action, again) {
    const { label, about, fields = [], hard, secret } = action;
    const trouble = h('p', { class: 'trouble', role: 'alert' });
    const close = () => this.#dialog.close();
    const act = async (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      fill(trouble);
      try {
        const answer = await this.#act(action, form);
        const shown = secret?.(answer);
        if (shown) fill(form, h('h2', { id: 'act-title' }, label), copied(shown, 'Shown only once', this.t),
          h('div', { class: 'buttons' }, h('button', { type: 'button', click: close }, 'Close')));
        else close();
        await again();
      } catch (error) {
        fill(trouble, sentenceOf(error));
      }
    };
    const form = h('form', { submit: act }, h('h2', { id: 'act-title' }, label), h('p', {}, about, hard && ' This cannot be undone.'), fields.map(control), trouble,
      h('div', { class: 'buttons' }, h('button', { class: hard ? 'danger' : 'main' }, label), h('button', { type: 'button', click: close }, 'Cancel')));
    fill(this.#dialog, form);
    this.#dialog.showModal();
  }

  /**
   * Sends the request of an action.
   * @param {Action} action
   * @param {HTMLFormElement} form
   */
  #act({ path, method, fields = [], body }, form) {
    const values = new FormData(form);
    /** @type {Record<string, string | number>} */
    const given = {};
    for (const { name, kind } of fields) {
      const value = String(values.get(name) ?? '').trim();
      if (kind === 'text' && value) given[name] = value;
      if (kind === 'time' && Number(value) > 0) given[name] = Number(value);
    }
    return this.#ask(path, { method, ...fields.length > 0 || body ? { body: { ...body, ...given } } : {} });
  }

  /**
   * Acts, and shows what goes wrong.
   * @param {() => Promise<unknown>} act
   */
  async #attempt(act) {
    try {
      fill(this.#trouble);
      this.#trouble.hidden = true;
      await act();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    fill(this.#trouble, sentenceOf(error));
    this.#trouble.hidden = false;
    if (error instanceof Refused && ['bad_token', 'token_needed'].includes(error.code)) this.#leave();
  }
}

/**
 * The control of a field.
 * @param {Field} field
 */
function control({ name, label, kind, required: must }) {
  return h('label', {}, label, kind === 'time'
    ? h('select', { name }, TIMES.map(([text, ms]) => h('option', { value: ms, selected: ms === DAY_MS }, text)))
    : h('input', { name, required: must, autocomplete: 'off', spellcheck: 'false' }));
}

/**
 * An error as a sentence. The page is English, as the details of the API are.
 * @param {unknown} error
 */
function sentenceOf(error) {
  if (!(error instanceof Refused)) throw error;
  return error.detail ? `${error.detail[0]?.toUpperCase()}${error.detail.slice(1)}.` : 'The server does not answer. Try again in a moment.';
}
