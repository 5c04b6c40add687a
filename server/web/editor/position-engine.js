// The engine of the analysis board: its opinion of the shown position, and of a move that the visitor chose.

/** @import {AnalysisMessage, Board, Candidate, LegalMove, Opaque, Translate} from '../types.ts' */
/** @import {Step} from './position-line.js' */
/** @import {Stage} from '../board/stage.js' */

import { Refused, ask } from '../lib/api.js';
import { bestFirst, chance, percent, ranked } from '../board/chance.js';
import { fill, h } from '../lib/dom.js';
import { lines } from '../lib/lines.js';
import { patiently } from '../lib/patience.js';
import { engineName } from '../lib/matches/match-text.js';

// How many moves are ranked; how many of them are shown on the board and in words; the thinking times on offer, in
// milliseconds.
const [MOVES, MARKED, TOLD] = [12, 4, 6];
const TIMES = [1000, 3000, 10_000];

export class PositionEngine {
  /** @type {Candidate[]} */
  #candidates = [];
  /** @type {AbortController | null} */
  #abort = null;

  /**
   * `step()`: the position that is shown; `names()`: the names of its seats; `attempt(act, stale)`: runs `act` and
   * shows its failure, unless it is stale.
   * @param {{board: Board, t: Translate, path: string, stage: Stage, step: () => Step, names: () => string[],
   *   attempt: (act: () => Promise<void>, stale: () => boolean) => Promise<void>}} options
   */
  constructor(options) {
    this.options = options;
    const { t } = options;
    this.button = h('button', { type: 'button', class: 'main', click: () => (this.#abort ? this.stop() : this.think()) }, t('position.ask'));
    this.always = h('input', { type: 'checkbox', checked: true });
    this.time = h('select', {}, TIMES.map((ms) => h('option', { value: String(ms) }, t('position.seconds', { seconds: ms / 1000 }))));
    this.found = h('div', { class: 'found', 'aria-live': 'polite' });
    this.yours = h('p', { class: 'yours', role: 'status' });
    this.root = h('section', { class: 'engine', 'aria-label': t('position.engine') },
      h('div', { class: 'asking' }, this.button, h('label', {}, t('position.time'), ' ', this.time)),
      h('label', { class: 'check' }, this.always, ' ', t('position.always')), this.yours, this.found);
    this.tell();
  }

  /** Whether the engine has ranked moves of the position, and the visitor wants it to go on after a move. */
  get follows() {
    return this.#candidates.length > 0 && this.always.checked;
  }

  /**
   * Says something about the visitor's move; by default how to make one.
   * @param {string} [text]
   */
  tell(text = this.options.t('position.compare')) {
    fill(this.yours, text);
  }

  /** Forgets the engine's opinion of another position. */
  reset() {
    this.stop();
    this.#candidates = [];
    fill(this.found);
    this.button.disabled = this.options.step().seat === null;
  }

  /** Thinks about the position. */
  async think() {
    const { t, path, step, attempt } = this.options;
    const abort = new AbortController();
    this.#abort = abort;
    fill(this.button, t('position.stop'));
    fill(this.found, h('p', {}, t('hint.thinking')));
    await attempt(async () => {
      const body = { position: step().position, think_ms: Number(this.time.value), candidates: MOVES };
      await patiently(async () => {
        const answer = await ask(`${path}/analysis`, { body, raw: true, signal: abort.signal });
        for await (const line of lines(answer)) {
          /** @type {AnalysisMessage} */
          const message = line;
          if (abort !== this.#abort) return;
          if (message.type === 'failed') throw new Refused(message.problem);
          this.#found(message);
        }
      }, { signal: abort.signal, waiting: (seconds) => fill(this.found, h('p', {}, t('busy.waiting', { seconds }))) });
    }, () => abort !== this.#abort);
    if (abort === this.#abort) this.stop();
  }

  /** Stops thinking. */
  stop() {
    this.#abort?.abort();
    this.#abort = null;
    fill(this.button, this.options.t('position.ask'));
  }

  /** @param {Exclude<AnalysisMessage, {type: 'failed'}>} message */
  #found(message) {
    const { t, board, stage, step, names } = this.options;
    this.#candidates = bestFirst(message);
    const { seat } = step();
    fill(this.found, seat !== null && chance(this.#candidates[0].value, seat, names(), t),
      ranked(this.#candidates.slice(0, TOLD), (move) => this.#words(move), (place) => stage.marks.focus(place)),
      h('p', { class: 'soft' }, t(message.type === 'done' ? 'hint.done' : 'hint.so_far',
        { seconds: Number((message.elapsed_ms / 1000).toFixed(1)), engine: engineName(message.engine, board) })));
    stage.rank(this.#candidates.slice(0, MARKED).map(({ move }) => move));
  }

  /** @param {Opaque} move */
  #words(move) {
    const { stage, step } = this.options;
    return stage.words(move, step().position);
  }

  /**
   * The comparison of a move with the engine's, in words.
   * @param {LegalMove} move
   */
  compare({ move, notation }) {
    const { t } = this.options;
    const all = this.#candidates;
    const rank = all.findIndex((candidate) => candidate.notation === notation);
    const words = { move: this.#words(move), rank: rank + 1, count: all.length };
    if (all.length === 0) return t('position.ask_first');
    if (rank === 0) return t('position.yours_best', words);
    if (rank > 0) return t('position.yours', { ...words, lost: percent(all[0].value - all[rank].value) });
    return t('position.yours_none', words);
  }
}
