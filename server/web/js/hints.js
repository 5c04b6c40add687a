// Hints: what an engine thinks of my position, shown as it thinks. It stops when the position changes.

import { ask, sentence } from './api.js';
import { fill, h } from './dom.js';
import { lines } from './lines.js';

const THINK_MS = 4000;
const MOVES = 4;

// A chance to win, as people read it.
export function percent(value) {
  return `${Math.round(100 * value)} %`;
}

// A list of moves that an engine considered, the best first, each with its value.
export function ranked(candidates, words) {
  return h('ol', { class: 'ranked' }, candidates.map((move) =>
    h('li', {}, h('span', { class: 'move' }, words(move.move)),
      h('meter', { min: '0', max: '1', value: String(move.value), 'aria-hidden': 'true' }),
      h('span', { class: 'value' }, percent(move.value)))));
}

export class Hints {
  #abort = null;
  #page = null;

  // `words(move)`: a move of the position that is shown, in words; `mark(move)`: shows on the board how it is made.
  constructor(root, { t, game, words, mark }) {
    Object.assign(this, { root, t, game, words, mark });
    const click = () => (this.#abort ? this.#stop() : this.#ask());
    this.button = h('button', { type: 'button', click }, t('hint.ask'));
    this.found = h('div', { class: 'found', 'aria-live': 'polite' });
    fill(root, this.button, this.found);
  }

  show(page) {
    const asked = page.hints === true && page.stage === 'running' && page.you !== null && page.turn === page.you;
    this.root.hidden = !asked;
    if (this.#page?.ply !== page.ply || !asked) {
      this.#stop();
      fill(this.found);
      if (asked) fill(this.button, this.t('hint.ask'));
    }
    this.#page = page;
  }

  #stop() {
    this.#abort?.abort();
    this.#abort = null;
    fill(this.button, this.t('hint.again'));
  }

  async #ask() {
    const abort = new AbortController();
    this.#abort = abort;
    const { t } = this;
    fill(this.button, t('hint.stop'));
    fill(this.found, h('p', {}, t('hint.thinking')));
    try {
      const body = { position: this.#page.position, think_ms: THINK_MS, candidates: MOVES };
      const answer = await ask(`/v1/games/${this.game.slug}/analysis`, { body, raw: true, signal: abort.signal });
      for await (const frame of lines(answer)) {
        if (abort !== this.#abort) return;
        if (frame.type === 'failed') throw new Error(frame.problem.detail);
        this.#show(frame);
      }
    } catch (error) {
      if (abort !== this.#abort) return;
      fill(this.found, h('p', { class: 'trouble' }, sentence(error, t)));
    }
    if (abort === this.#abort) this.#stop();
  }

  #show(frame) {
    const { t } = this;
    const best = frame.candidates.length > 0 ? frame.candidates : [frame];
    fill(this.found, ranked(best, this.words),
      h('p', { class: 'soft' }, t(frame.type === 'done' ? 'hint.done' : 'hint.so_far',
        { seconds: (frame.elapsed_ms / 1000).toFixed(1), engine: frame.engine })));
    this.mark(best[0].move);
  }
}
