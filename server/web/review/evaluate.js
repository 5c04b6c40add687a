// Evaluation of each position while a visitor steps through a finished match: the chances, and the engine's moves on the
// board. The engine is asked from the view of the seat to move, when the visitor stays at a position for a moment.

/** @import {Decision, Game, Opaque, Translate} from '../types.ts' */

import { ask, sentence } from '../lib/api.js';
import { patiently } from '../lib/patience.js';
import { bestFirst, chance } from '../board/chance.js';
import { fill, h } from '../lib/dom.js';

const STORE = 'kibitz.evaluate';
// How long a position stays before the engine is asked, how long it thinks, and how many moves it shows.
const [STAY_MS, THINK_MS, MOVES] = [200, 400, 3];

export class Evaluator {
  /** @type {Map<number, Decision>} */
  #known = new Map();
  #ply = -1;
  /** @type {(() => void) | null} */
  #again = null;
  /** @type {AbortController | null} */
  #abort = null;

  /**
   * `names`: the names of the seats; `words(move, view)`: a move in words; `rank(moves)`: shows moves on the board.
   * @param {HTMLElement} root
   * @param {{t: Translate, game: Game, names: string[], words: (move: Opaque, view: Opaque) => string,
   *   rank: (moves: Opaque[]) => void}} options
   */
  constructor(root, { t, game, names, words, rank }) {
    this.root = root;
    this.t = t;
    this.game = game;
    this.names = names;
    this.words = words;
    this.rank = rank;
    /** @type {HTMLInputElement} */
    this.wanted = h('input', { type: 'checkbox', change: () => {
      localStorage.setItem(STORE, this.wanted.checked ? '1' : '');
      this.#ply = -1;
      this.#again?.();
    } });
    this.wanted.checked = localStorage.getItem(STORE) === '1';
    this.found = h('div', { class: 'found', 'aria-live': 'polite' });
    fill(root, h('label', { class: 'at-once' }, this.wanted, t('replay.evaluate')), this.found);
  }

  /**
   * Called when a position is shown. `turn`: the seat to move; `position()`: the position as that seat sees it.
   * @param {number} ply
   * @param {number | null} turn
   * @param {() => Promise<Opaque>} position
   */
  show(ply, turn, position) {
    this.#again = () => this.show(ply, turn, position);
    if (ply === this.#ply) return;
    this.#ply = ply;
    this.#abort?.abort();
    if (!this.wanted.checked || turn === null) {
      fill(this.found);
      this.rank([]);
      return;
    }
    const abort = new AbortController();
    this.#abort = abort;
    this.#find(ply, turn, position, abort.signal);
  }

  /**
   * @param {number} ply
   * @param {number} turn
   * @param {() => Promise<Opaque>} position
   * @param {AbortSignal} signal
   */
  async #find(ply, turn, position, signal) {
    try {
      if (!this.#known.has(ply)) {
        await new Promise((done) => setTimeout(done, STAY_MS));
        if (signal.aborted) return;
        this.root.toggleAttribute('data-busy', true);
        const body = { position: await position(), think_ms: THINK_MS, candidates: MOVES };
        this.#known.set(ply, await patiently(() => ask(`/v1/games/${this.game.slug}/move`, { body, signal }), {
          signal, waiting: (seconds) => {
            this.root.toggleAttribute('data-busy', false);
            fill(this.found, h('p', {}, this.t('busy.waiting', { seconds })));
          },
        }));
      }
      const view = await position();
      const decision = this.#known.get(ply);
      if (signal.aborted || !decision) return;
      const best = bestFirst(decision);
      fill(this.found, chance(decision.value, turn, this.names, this.t),
        h('p', {}, this.t('replay.best', { move: this.words(best[0].move, view) })));
      this.rank(best.map(({ move }) => move));
    } catch (error) {
      if (signal.aborted) return;
      fill(this.found, h('p', { class: 'trouble' }, sentence(error, this.t)));
    } finally {
      if (!signal.aborted) this.root.toggleAttribute('data-busy', false);
    }
  }
}
