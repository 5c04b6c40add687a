// What cards chosen freely might make: the board offers notations, the API tells which of them are legal.

// How long after a click the API is asked.
const CALM_MS = 120;
const NOTHING = new Map();

export class Offers {
  #known = new Map();
  #why = new Map();
  #view = null;
  #timer = null;

  // `board`: of board.js; `check(view, notations)`: resolves to what the API says of each; `changed()`: more is known.
  constructor(board, check, changed) {
    Object.assign(this, { board, check, changed });
  }

  // Begins with another position; nothing is known of it.
  of(view) {
    if (view === this.#view) return;
    this.#view = view;
    this.#known = new Map();
    this.#why = new Map();
    clearTimeout(this.#timer);
  }

  // The legal moves of these choices by the target that makes them; undefined where nobody has said yet.
  known(picked) {
    return picked.length === 0 ? NOTHING : this.#known.get(key(picked));
  }

  // Why these choices make nothing, as the API says it; undefined where it has not been asked.
  why(picked) {
    return this.#why.get(key(picked));
  }

  // Finds out, soon, unless it is known.
  ask(picked) {
    clearTimeout(this.#timer);
    const choices = new Set(this.board.choices(this.#view));
    if (this.#known.has(key(picked)) || !picked.every((target) => choices.has(target))) return;
    const offers = this.board.offers(picked, this.#view);
    if (offers.length === 0) {
      this.#known.set(key(picked), NOTHING);
      this.changed();
      return;
    }
    const view = this.#view;
    this.#timer = setTimeout(async () => {
      let checked;
      try {
        checked = await this.check(view, offers.map((offer) => offer.notation));
      } catch {
        // Whoever clicks again asks again.
        return;
      }
      if (view !== this.#view) return;
      const found = new Map();
      checked.forEach(({ legal, move, notation }, place) => {
        if (legal) found.set(offers[place].target, { move, notation });
      });
      this.#why.set(key(picked), checked[0]?.why);
      this.#known.set(key(picked), found);
      this.changed();
    }, CALM_MS);
  }
}

function key(picked) {
  return JSON.stringify([...picked].sort());
}
