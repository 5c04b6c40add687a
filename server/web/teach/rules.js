// The rules of a game with a picture and an example for each: in a drawer beside the board, and on the game's page. The
// game has the pictures and the texts.

/** @import {Board, Opaque, Translate} from '../types.ts' */

import { style } from '../board/board.js';
import { fill, h } from '../lib/dom.js';
import { file } from '../lib/texts.js';

/**
 * The place of a rule's picture. The rule's example says in words what it shows.
 * @param {Element} picture
 */
const framed = (picture) => h('div', { class: 'picture', 'aria-hidden': 'true' }, picture);

/**
 * Puts the pictures into the rules that the server has rendered.
 * @param {HTMLElement} root the rules
 * @param {Board} board
 */
export async function illustrate(root, board) {
  const module = await board.rules?.();
  for (const [id, picture] of module?.rules(board.t) ?? []) {
    root.querySelector(`[data-rule="${id}"] > .picture`)?.replaceWith(framed(picture));
  }
}

// The keys on a board and in a replay, and the text that says what each does.
const KEYS = [
  [['←', '→', '↑', '↓'], 'keys.move'], [['Enter'], 'keys.choose'], [['⌫'], 'keys.back'], [['Esc'], 'keys.none'],
  [['Ctrl + Enter'], 'keys.play'], [['←', '→', 'Home', 'End'], 'keys.replay'], [['Space'], 'keys.run'], [['?'], 'keys.help'],
];

/**
 * The keys that a board understands.
 * @param {Translate} t
 */
const keys = (t) => h('section', { class: 'keys' }, h('h3', {}, t('keys.title')),
  h('dl', {}, KEYS.map(([names, text]) => h('div', {},
    h('dt', {}, [names].flat().map((name) => h('kbd', {}, name))), h('dd', {}, t(String(text)))))));

export class Rules {
  /** @type {Promise<void> | null} */
  #loaded = null;

  /**
   * `title`: the game's name; `options`: of the match; `lessons`: the address of the game's lessons, if it has any.
   * @param {{t: Translate, board: Board, title: string, options: Opaque, lessons: string | null}} about
   */
  constructor({ t, board, title, options, lessons }) {
    this.options = options;
    this.lessons = lessons;
    this.t = t;
    this.board = board;
    this.title = title;
    this.body = h('div', { class: 'body' });
    /** @type {HTMLDialogElement} */
    this.root = h('dialog', { class: 'drawer', 'aria-labelledby': 'rules-title' },
      h('header', {}, h('h2', { id: 'rules-title' }, t('rules.title', { game: title })),
        h('button', { type: 'button', class: 'close', 'aria-label': t('rules.close'), title: t('rules.close'),
          click: () => this.root.close() }, '×')),
      this.body);
    // A press beside the drawer closes it.
    this.root.addEventListener('click', ({ target }) => {
      if (target === this.root) this.root.close();
    });
  }

  /** Whether the game has rules with pictures. */
  get known() {
    return this.board.rules !== undefined;
  }

  /** A button that opens the rules. */
  button() {
    return h('button', { type: 'button', class: 'ask', 'aria-label': this.t('rules.open'), title: this.t('rules.open'),
      'aria-keyshortcuts': '?', hidden: !this.known, click: () => this.open() }, '?');
  }

  /** Makes the key `?` open the rules, except in a field where the visitor writes. */
  listen() {
    document.addEventListener('keydown', (event) => {
      const writing = event.target instanceof Element && event.target.closest('input, textarea, select');
      if (event.key !== '?' || event.defaultPrevented || writing || !this.known) return;
      event.preventDefault();
      if (this.root.open) this.root.close();
      else this.open();
    });
  }

  /** Shows the rules, which are loaded the first time. */
  async open() {
    if (!this.root.isConnected) document.body.append(this.root);
    this.#loaded ??= this.#load();
    try {
      await this.#loaded;
    } catch {
      // The server does not answer: the next press asks again.
      this.#loaded = null;
      fill(this.body, h('p', { role: 'alert' }, this.t('trouble.network')));
    }
    if (!this.root.open) this.root.showModal();
  }

  async #load() {
    const { board } = this;
    const [module] = await Promise.all([board.rules?.(), style(file('teach/teach.css'))]);
    const { t } = board;
    // A game without a contest has no variant: its text is then the key.
    const variant = t('rule.variant');
    // The match goes on in its own tab.
    const lessons = this.lessons && h('p', { class: 'lessons' }, h('a', { href: this.lessons, target: '_blank' }, this.t('rules.lessons')));
    fill(this.body, (board.options?.(this.options) ?? []).map((option) => h('p', { class: 'of-match' }, t(`${option}.about`))), lessons,
    (module?.rules(t) ?? []).map(([id, picture]) => h('section', { class: 'rule' },
      h('h3', {}, t(`rule.${id}.title`)), framed(picture),
      h('div', {}, h('p', {}, t(`rule.${id}`)), h('p', { class: 'example' }, t(`rule.${id}.example`))))),
    keys(this.t), variant !== 'rule.variant' && h('p', { class: 'variant' }, variant));
  }
}
