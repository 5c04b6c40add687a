// Finds the moves that freely chosen cards make: the board offers notations, the API says which of them are legal.

/** @import {Board, CheckedMove, LegalMove, Offer, Opaque} from '../types.ts' */

// How long after the last click the API is asked, so that fast clicks cost one request.
const CALM_MS = 120;
/** @type {Map<string, LegalMove>} */
const NOTHING = new Map();

export class Offers {
  /** @type {Map<string, Map<string, LegalMove>>} */
  #known = new Map();
  /** @type {Map<string, string | undefined>} */
  #why = new Map();
  /** @type {Opaque} */
  #view = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * `check` asks the API about notations; `changed` is called when more is known.
   * @param {Board} board
   * @param {(view: Opaque, notations: string[]) => Promise<CheckedMove[]>} check
   * @param {() => void} changed
   */
  constructor(board, check, changed) {
    this.board = board;
    this.check = check;
    this.changed = changed;
  }

  /**
   * Starts with another position, of which nothing is known.
   * @param {Opaque} view
   */
  of(view) {
    if (view === this.#view) return;
    this.#view = view;
    this.#known = new Map();
    this.#why = new Map();
    clearTimeout(this.#timer);
  }

  /**
   * The legal moves of these choices by the target that completes them; undefined while they are unknown.
   * @param {string[]} picked
   */
  known(picked) {
    return picked.length === 0 ? NOTHING : this.#known.get(key(picked));
  }

  /**
   * The API's reason why these choices make nothing; undefined while it has not been asked.
   * @param {string[]} picked
   */
  why(picked) {
    return this.#why.get(key(picked));
  }

  /**
   * Asks the API soon, unless the answer is known.
   * @param {string[]} picked
   */
  ask(picked) {
    clearTimeout(this.#timer);
    const choices = new Set(this.board.choices?.(this.#view));
    if (this.#known.has(key(picked)) || !picked.every((target) => choices.has(target))) return;
    const offers = this.board.offers?.(picked, this.#view) ?? [];
    if (offers.length === 0) {
      this.#known.set(key(picked), NOTHING);
      this.changed();
      return;
    }
    this.#timer = setTimeout(() => this.#ask(picked, offers), CALM_MS);
  }

  /**
   * @param {string[]} picked
   * @param {Offer[]} offers
   */
  async #ask(picked, offers) {
    const view = this.#view;
    let checked;
    try {
      checked = await this.check(view, offers.map((offer) => offer.notation));
    } catch {
      // The next click asks again.
      return;
    }
    if (view !== this.#view) return;
    /** @type {Map<string, LegalMove>} */
    const found = new Map();
    checked.forEach(({ legal, move, notation }, place) => {
      if (legal) found.set(offers[place].target, { move, notation });
    });
    this.#why.set(key(picked), checked[0]?.why);
    this.#known.set(key(picked), found);
    this.changed();
  }
}

/** @param {string[]} picked */
function key(picked) {
  return JSON.stringify([...picked].sort());
}
