// Tips during a match against engines. The game says which tips fit the position; this module shows one a turn, marks its
// targets, and remembers which tips have been shown.

/** @import {Page, Scene, Tip} from '../types.ts' */
/** @import {MatchStore} from '../lib/matches/match-store.js' */
/** @typedef {{on: boolean, seen: string[]}} Progress whether tips are wanted, and which have been shown */

import { style } from '../board/board.js';
import { fill, h } from '../lib/dom.js';
import { file } from '../lib/texts.js';

const STORE = 'kibitz.tips';

/**
 * The progress with a game's tips that this browser has stored.
 * @param {string} game
 * @returns {Progress}
 */
function progress(game) {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? '{}')[game] ?? { on: false, seen: [] };
  } catch {
    return { on: false, seen: [] };
  }
}

/**
 * @param {string} game
 * @param {Progress} now
 */
function keep(game, now) {
  let all = {};
  try {
    all = JSON.parse(localStorage.getItem(STORE) ?? '{}');
  } catch {
    // The stored value cannot be read: it is replaced.
  }
  localStorage.setItem(STORE, JSON.stringify({ ...all, [game]: now }));
}

/**
 * Begins the tips of a game from the first.
 * @param {string} game
 */
export const restart = (game) => keep(game, { on: true, seen: [] });

export class Guide {
  /** @type {Page | null} */
  #page = null;
  // The tip of this ply, and whether it has been put away.
  /** @type {{ply: number, tip: Tip | null, away: boolean}} */
  #now = { ply: -1, tip: null, away: false };

  /**
   * @param {HTMLElement} root
   * @param {MatchStore} match
   */
  constructor(root, match) {
    const { t, board } = match;
    const game = match.game.slug;
    this.root = root;
    this.match = match;
    this.board = board;
    this.game = game;
    match.on('changed', () => this.#show(match.page));
    match.on('scene', (scene) => this.#scene(scene));
    this.text = h('p', { role: 'status' });
    fill(root, h('div', { class: 'words' }, h('b', {}, t('tip.title')), ' ', this.text),
      h('div', { class: 'choices' },
        h('button', { type: 'button', class: 'off', click: () => this.#turn(false) }, t('tip.off')),
        h('button', { type: 'button', class: 'read', click: () => this.#away() }, t('tip.read'))));
    root.hidden = true;
    /** @type {HTMLInputElement} */
    this.wanted = h('input', { type: 'checkbox', change: () => this.#turn(this.wanted.checked) });
    this.wanted.checked = progress(game).on;
    this.setting = h('label', { class: 'at-once', hidden: board.tips === undefined }, this.wanted, t('tip.setting'));
  }

  /** @param {Page} page */
  #show(page) {
    this.#page = page;
    if (!this.#fits()) this.root.hidden = true;
    this.setting.hidden = this.board.tips === undefined || page.hints !== true;
  }

  // Tips are for matches that allow hints: those without other people.
  #fits() {
    const page = this.#page;
    return page !== null && page.hints === true && page.stage === 'running' && page.you !== null && page.turn === page.you
      && this.board.tips !== undefined && progress(this.game).on;
  }

  /**
   * Called when the board shows a scene.
   * @param {Scene} scene
   */
  async #scene({ view, me, moves }) {
    const page = this.#page;
    if (!this.#fits() || page === null || me === null || moves.length === 0) return;
    if (this.#now.ply !== page.ply) {
      const [module] = await Promise.all([this.board.tips?.(), style(file('teach/teach.css'))]).catch(() => []);
      // The match has moved on, or the module could not be loaded: the next turn tries again.
      if (!module || this.#page?.ply !== page.ply) return;
      // The scene may have been drawn a second time meanwhile.
      if (this.#now.ply !== page.ply) this.#choose(page.ply, module.tips(view, me, moves, this.board.t));
    }
    const { tip, away } = this.#now;
    this.root.hidden = !tip || away || !this.#fits();
    if (!tip || this.root.hidden) return;
    const text = this.board.t(`tip.${tip.id}`, tip.values);
    if (this.text.textContent !== text) fill(this.text, text);
    this.match.publish('mark', tip.targets ?? []);
  }

  /**
   * Chooses the first tip that has not been shown yet.
   * @param {number} ply
   * @param {Tip[]} tips
   */
  #choose(ply, tips) {
    const { on, seen } = progress(this.game);
    const tip = tips.find(({ id }) => !seen.includes(id)) ?? null;
    this.#now = { ply, tip, away: false };
    if (tip) keep(this.game, { on, seen: [...seen, tip.id] });
  }

  #away() {
    this.#now.away = true;
    this.root.hidden = true;
    this.match.publish('mark', []);
  }

  /** @param {boolean} on */
  #turn(on) {
    keep(this.game, { on, seen: on ? [] : progress(this.game).seen });
    this.wanted.checked = on;
    if (on) this.#now.ply = -1;
    else this.#away();
  }
}
