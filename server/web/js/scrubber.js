// Goes through the positions of a match: buttons, a slider, keys. It knows neither board nor API.

import { fill, h } from './dom.js';

const PLAY_MS = 1100;

export class Scrubber {
  #plies = 0;
  #at = 0;
  #timer = null;

  // `go(ply, walk)`: shows that ply, `walk` when it is the next one.
  constructor(root, { t, go }) {
    Object.assign(this, { t, go });
    const button = (sign, name, click) =>
      h('button', { type: 'button', 'aria-label': t(name), title: t(name), click }, sign);
    this.slider = h('input', { type: 'range', min: '0', max: '0', value: '0', 'aria-label': t('replay.slider'),
      input: () => this.#to(Number(this.slider.value)) });
    this.playing = button('▶', 'replay.play', () => this.#toggle());
    this.place = h('output', {});
    this.buttons = h('div', { class: 'buttons' },
      button('⏮', 'replay.first', () => this.#to(0)), button('◀', 'replay.back', () => this.#to(this.#at - 1)), this.playing,
      button('▶▏', 'replay.next', () => this.#to(this.#at + 1)), button('⏭', 'replay.last', () => this.#to(this.#plies)));
    fill(root, this.buttons, this.slider, this.place);
  }

  show(at, plies) {
    [this.#at, this.#plies] = [at, plies];
    this.slider.max = String(plies);
    this.slider.value = String(at);
    const text = this.t('replay.place', { at, plies });
    this.slider.setAttribute('aria-valuetext', text);
    fill(this.place, text);
    if (at === plies) this.#pause();
  }

  // A key that was pressed somewhere on the page; true where it meant something.
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return false;
    const busy = event.target.closest('input, select, textarea, [contenteditable]');
    if (busy || (event.key === ' ' && event.target.closest('button, a, summary'))) return false;
    const to = { ArrowLeft: this.#at - 1, ArrowRight: this.#at + 1, Home: 0, End: this.#plies }[event.key];
    if (to !== undefined) this.#to(to);
    else if (event.key === ' ') this.#toggle();
    else return false;
    return true;
  }

  #to(ply) {
    this.#pause();
    this.#move(ply);
  }

  #move(ply) {
    const to = Math.min(this.#plies, Math.max(0, ply));
    if (to !== this.#at) this.go(to, to === this.#at + 1);
  }

  #toggle() {
    if (this.#timer) return this.#pause();
    if (this.#at === this.#plies) this.#move(0);
    fill(this.playing, '⏸');
    this.playing.setAttribute('aria-label', this.t('replay.pause'));
    this.#timer = setInterval(() => this.#move(this.#at + 1), PLAY_MS);
  }

  #pause() {
    clearInterval(this.#timer);
    this.#timer = null;
    fill(this.playing, '▶');
    this.playing.setAttribute('aria-label', this.t('replay.play'));
  }
}
