// Hints: the engine's opinion of the viewer's position, shown while the engine thinks. It stops when the position
// changes.

/** @import {AnalysisMessage, Opaque, Page} from '../../types.ts' */
/** @import {MatchStore} from '../../lib/matches/match-store.js' */

import { Refused, ask, sentence } from '../../lib/api.js';
import { bestFirst, chance, ranked } from '../../board/chance.js';
import { fill, h } from '../../lib/dom.js';
import { lines } from '../../lib/lines.js';
import { patiently } from '../../lib/patience.js';
import { engineName, seatName } from '../../lib/matches/match-text.js';

const THINK_MS = 4000;
const MOVES = 4;
// The icon of the quick button, in a box of 24.
const BULB = 'M12 2a7 7 0 0 0-4.5 12.4c.9.8 1.5 1.7 1.5 2.6h6c0-.9.6-1.8 1.5-2.6A7 7 0 0 0 12 2zM9 18.5h6v1.7H9zM10 21.4h4V23h-4z';

export class Hints {
  /** @type {AbortController | null} */
  #abort = null;
  /** @type {Page | null} */
  #page = null;

  /**
   * @param {HTMLElement} root
   * @param {MatchStore} match
   */
  constructor(root, match) {
    const { t } = match;
    this.root = root;
    this.match = match;
    this.t = t;
    match.on('changed', () => this.#follow(match.page));
    const click = () => (this.#abort ? this.#stop() : this.#ask());
    this.button = h('button', { type: 'button', click }, t('hint.ask'));
    // The same button beside the board, for screens on which the hints are below it.
    this.quick = h('button', { type: 'button', class: 'quick', 'aria-label': t('hint.ask'), title: t('hint.ask'), hidden: true, click },
      h('svg', { viewBox: '0 0 24 24', width: '22', height: '22', 'aria-hidden': 'true' }, h('path', { d: BULB, fill: 'currentColor' })));
    this.found = h('div', { class: 'found', 'aria-live': 'polite' });
    fill(root, this.button, this.found);
  }

  /** @param {Page} page */
  #follow(page) {
    const allowed = page.hints === true && page.stage === 'running' && page.you !== null && page.turn === page.you;
    this.root.hidden = !allowed;
    this.quick.hidden = !allowed;
    if (this.#page?.ply !== page.ply || !allowed) {
      this.#stop();
      fill(this.found);
      if (allowed) fill(this.button, this.t('hint.ask'));
    }
    this.#page = page;
  }

  #stop() {
    this.#abort?.abort();
    this.#abort = null;
    this.quick.classList.remove('busy');
    fill(this.button, this.t('hint.again'));
  }

  async #ask() {
    const abort = new AbortController();
    this.#abort = abort;
    const { t } = this;
    fill(this.button, t('hint.stop'));
    this.quick.classList.add('busy');
    fill(this.found, h('p', {}, t('hint.thinking')));
    try {
      const body = { position: this.#page?.position, think_ms: THINK_MS, candidates: MOVES };
      await patiently(async () => {
        const answer = await ask(`/v1/games/${this.match.game.slug}/analysis`, { body, raw: true, signal: abort.signal });
        for await (const line of lines(answer)) {
          /** @type {AnalysisMessage} */
          const message = line;
          if (abort !== this.#abort) return;
          if (message.type === 'failed') throw new Refused(message.problem);
          this.#show(message);
        }
      }, { signal: abort.signal, waiting: (seconds) => fill(this.found, h('p', {}, t('busy.waiting', { seconds }))) });
    } catch (error) {
      if (abort !== this.#abort) return;
      fill(this.found, h('p', { class: 'trouble' }, sentence(error, t)));
    }
    if (abort === this.#abort) this.#stop();
  }

  /** @param {Exclude<AnalysisMessage, {type: 'failed'}>} message */
  #show(message) {
    const { t, match } = this;
    const { board } = match;
    const names = match.page.seats.map((one) => seatName(one, t));
    const words = (/** @type {Opaque} */ move) => board.say(move, match.page.position, board.t);
    const best = bestFirst(message);
    const seat = this.#page?.you;
    fill(this.found, seat !== null && seat !== undefined && chance(best[0].value, seat, names, t),
      ranked(best, words, (place) => match.publish('look', place)),
      h('p', { class: 'soft' }, t(message.type === 'done' ? 'hint.done' : 'hint.so_far',
        { seconds: Number((message.elapsed_ms / 1000).toFixed(1)), engine: engineName(message.engine, board) })));
    match.publish('hint', best.map(({ move }) => move));
  }
}
