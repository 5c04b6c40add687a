// The bar of the stage: a sentence about the possible choices or the current one; the buttons that make the move, take a
// choice back, or choose a target that the board offers as a button.

/** @import {Board, Scene, Translate} from '../types.ts' */
/** @import {Look, Ways} from './picker.js' */

import { fill, h } from '../lib/dom.js';
import { patch } from '../lib/patch.js';
import { name } from './targets.js';

/** @typedef {{scene: Scene, choice: Look, picked: string[], ways: Ways, sending: boolean,
 *   trouble: string, advice: string, why: string | undefined}} Said the content of the bar. `advice`: a recommended move in
 * words; `trouble`: why the last move failed; `why`: why the freely chosen cards make no move */

export class Bar {
  /**
   * `send()`: makes the chosen move; `back()`: takes the last choice back; `take(target)`: chooses a target by its button.
   * @param {{board: Board, t: Translate, place: Element, send: () => void, back: () => void,
   *   take: (target: string) => void}} options
   */
  constructor({ board, t, place, send, back, take }) {
    this.board = board;
    this.t = t;
    this.place = place;
    this.before = h('p', { class: 'before' });
    this.say = h('p', { class: 'say' });
    this.playButton = h('button', { type: 'button', class: 'main', click: send }, t('board.play'));
    this.backButton = h('button', { type: 'button', click: back }, t('board.back'));
    this.ways = h('span', { class: 'ways', click: ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null;
      if (button?.dataset.target !== undefined) take(button.dataset.target);
    } });
    this.talk = h('div', { class: 'talk' }, this.before, this.say);
    this.root = h('div', { class: 'bar', role: 'group', 'aria-label': t('board.bar'), hidden: true }, this.talk,
      h('div', { class: 'buttons' }, this.backButton, this.ways, this.playButton));
  }

  /** @param {Said} said */
  show(said) {
    const { t, board } = this;
    const { scene, choice, picked } = said;
    this.root.hidden = scene.me === null || scene.still === true;
    if (this.root.hidden) return;
    // What a choice makes is more important than what the page has put over the words.
    this.root.classList.toggle('chosen', picked.length > 0 || said.sending || said.trouble !== '');
    fill(this.say, this.#sentence(said));
    this.say.classList.toggle('bad', said.trouble !== '');
    const before = said.advice || this.#last(said);
    fill(this.before, before);
    this.before.title = before;
    this.before.classList.toggle('advice', said.advice !== '');
    this.playButton.disabled = !choice.move || Boolean(scene.ahead?.chosen);
    this.backButton.disabled = picked.length === 0 || said.sending;
    fill(this.backButton, t(scene.ahead?.chosen ? 'premove.withdraw' : 'board.back'));
    // While a move is sent, the buttons keep their words, so none of them moves.
    if (said.sending) return;
    const verb = choice.move && board.verb?.(choice.move.move, scene.view, board.t);
    fill(this.playButton, scene.ahead ? t(scene.ahead.chosen ? 'premove.set' : 'premove.plan') : verb || t('board.play'));
    const ways = board.buttons?.({ picked: [...picked], next: choice.next }, scene.view, board.t) ?? [];
    const buttons = ways.filter(({ target }) => choice.next.has(target)).map(({ target, label }) =>
      h('button', { type: 'button', class: !choice.move && 'way', data: { target } }, label));
    // A button must not vanish while it is pressed.
    patch(this.ways, h('span', {}, buttons));
    // If another button makes the move, this one is not needed.
    this.playButton.hidden = !choice.move && buttons.length > 0;
  }

  /**
   * The last move of another seat, while nothing is chosen.
   * @param {Said} said
   */
  #last({ scene, picked }) {
    const { last, me, seats } = scene;
    const name = last && last.seat !== me && picked.length === 0 ? seats[last.seat]?.name : undefined;
    if (!last || name === undefined) return '';
    return this.t('board.before', { name, move: this.#words(last.move, last.before) });
  }

  /**
   * @param {Scene['last']} move
   * @param {Scene['view']} view
   */
  #words(move, view) {
    return this.board.say(move, view, this.board.t);
  }

  /**
   * The sentence about the possible choices, or about the current one.
   * @param {Said} said
   */
  #sentence({ scene, choice, picked, ways, sending, trouble, why }) {
    const { t, board } = this;
    const { view, turn, seats, ahead } = scene;
    const moves = ahead?.moves ?? scene.moves;
    if (trouble) return trouble;
    if (sending) return t('board.sending');
    // A board's sentence may not fit a move before its turn.
    const early = ahead && (ahead.chosen ?? (choice.more ? null : choice.move));
    if (early) return t('premove.planned', { move: (board.ahead ?? board.say)(early.move, view, board.t) });
    if (ahead && picked.length === 0) return t('premove.offer', { name: seats[turn ?? 0]?.name ?? '' });
    const move = choice.move?.move ?? null;
    const told = choice.next.size > 0 || choice.move
      ? board.prompt?.({ picked: [...picked], next: choice.next, move, moves }, view, board.t) : '';
    if (told) return told;
    if (choice.move) {
      const words = this.#words(move, view);
      return choice.more ? t('board.or_more', { move: words }) : words;
    }
    if (picked.length > 0) return `${this.#list(picked)} ${this.#forms(picked, ways, view, why)}`;
    if (choice.next.size > 0) return t('board.choose');
    return turn === null ? '' : t('board.not_you', { name: seats[turn]?.name ?? '' });
  }

  /** @param {string[]} targets */
  #list(targets) {
    const what = targets.map((target) => this.board.short?.(target) ?? name(this.place, target)).join(', ');
    return this.t('board.chosen', { what });
  }

  /**
   * The moves that the freely chosen cards make, in words.
   * @param {string[]} picked
   * @param {Ways} ways
   * @param {Scene['view']} view
   * @param {string | undefined} why
   */
  #forms(picked, { choices, offered }, view, why) {
    const { t, board } = this;
    if (!choices || !picked.every((target) => choices.has(target))) return t('board.go_on');
    const found = offered?.(picked);
    if (found === undefined) return t('board.asking');
    const words = board.forms?.(picked, view, new Set(found.keys()), board.t);
    if (words) return words;
    if (found.size === 0) return t('board.forms_nothing', { why: why ?? '' }).trim();
    return t('board.forms', { where: [...found.keys()].map((target) => name(this.place, target)).join(', ') });
  }
}
