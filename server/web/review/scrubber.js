// Steps through the positions of a match: buttons, a slider, keys. It knows neither board nor API.

/** @import {Translate} from '../types.ts' */

import { fill, h } from '../lib/dom.js';

const PLAY_MS = 1100;
// The icons of the buttons, in a box of 24.
const SIGNS = {
  first: 'M5 5h2.5v14H5zM19 5v14l-10 -7z',
  back: 'M15 5l-8 7l8 7v-4l-4 -3l4 -3z',
  play: 'M7 4l12 8l-12 8z',
  pause: 'M6 5h4v14h-4zM14 5h4v14h-4z',
  next: 'M9 5l8 7l-8 7v-4l4 -3l-4 -3z',
  last: 'M5 5l10 7l-10 7zM16.5 5H19v14h-2.5z',
};

/** @typedef {keyof typeof SIGNS} SignName */

/** @param {SignName} name */
function sign(name) {
  return h('svg', { viewBox: '0 0 24 24', width: '20', height: '20', 'aria-hidden': 'true' },
    h('path', { d: SIGNS[name], fill: 'currentColor' }));
}

export class Scrubber {
  #plies = 0;
  #at = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  /**
   * `go(ply, walk)`: shows that ply; `walk`: it is the next one, so the move may be animated.
   * @param {Element} root
   * @param {{t: Translate, go: (ply: number, walk: boolean) => void}} options
   */
  constructor(root, { t, go }) {
    this.t = t;
    this.go = go;
    const button = (/** @type {SignName} */ name, /** @type {() => void} */ click) =>
      h('button', { type: 'button', 'aria-label': t(`replay.${name}`), title: t(`replay.${name}`), click }, sign(name));
    /** @type {HTMLInputElement} */
    this.slider = h('input', { type: 'range', min: '0', max: '0', value: '0', 'aria-label': t('replay.slider'),
      input: () => this.#to(Number(this.slider.value)) });
    this.playing = button('play', () => this.#toggle());
    this.nextButton = button('next', () => this.#to(this.#at + 1));
    this.place = h('output', {});
    this.buttons = h('div', { class: 'buttons' },
      button('first', () => this.#to(0)), button('back', () => this.#to(this.#at - 1)), this.playing,
      this.nextButton, button('last', () => this.#to(this.#plies)));
    fill(root, this.buttons, this.slider, this.place);
  }

  /**
   * Shows ply `at` of `plies`.
   * @param {number} at
   * @param {number} plies
   */
  show(at, plies) {
    [this.#at, this.#plies] = [at, plies];
    this.slider.max = String(plies);
    this.slider.value = String(at);
    const text = this.t('replay.place', { at, plies });
    this.slider.setAttribute('aria-valuetext', text);
    fill(this.place, text);
    if (at === plies) this.#pause();
  }

  /** Moves the focus to the button for the next move. */
  focus() {
    this.nextButton.focus();
  }

  /**
   * Handles a key pressed anywhere on the page; true if the key meant something here.
   * @param {KeyboardEvent} event
   */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof Element)) return false;
    const busy = event.target.closest('input, select, textarea, [contenteditable]');
    if (busy || (event.key === ' ' && event.target.closest('button, a, summary'))) return false;
    const to = { ArrowLeft: this.#at - 1, ArrowRight: this.#at + 1, Home: 0, End: this.#plies }[event.key];
    if (to !== undefined) this.#to(to);
    else if (event.key === ' ') this.#toggle();
    else return false;
    return true;
  }

  /** @param {number} ply */
  #to(ply) {
    this.#pause();
    this.#move(ply);
  }

  /** @param {number} ply */
  #move(ply) {
    const to = Math.min(this.#plies, Math.max(0, ply));
    if (to !== this.#at) this.go(to, to === this.#at + 1);
  }

  #toggle() {
    if (this.#timer !== undefined) {
      this.#pause();
      return;
    }
    if (this.#at === this.#plies) this.#move(0);
    this.#sign('pause');
    this.#timer = setInterval(() => this.#move(this.#at + 1), PLAY_MS);
  }

  #pause() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#sign('play');
  }

  /** @param {SignName} name */
  #sign(name) {
    fill(this.playing, sign(name));
    for (const attribute of ['aria-label', 'title']) this.playing.setAttribute(attribute, this.t(`replay.${name}`));
  }
}
