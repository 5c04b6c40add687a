// Looks for a rematch of a finished match.

// How often a finished match is asked for a rematch, by a player and by a spectator, and for how long.
const [AGAIN_MS, AGAIN_WATCHED_MS, AGAIN_FOR_MS] = [1_000, 5_000, 600_000];

export class RematchWatch {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  /** @param {{known: () => boolean, look: () => Promise<void>}} options `known()`: whether there is one; `look()`: asks for it */
  constructor({ known, look }) {
    this.known = known;
    this.look = look;
  }

  /**
   * Begins, unless it has begun.
   * @param {boolean} player whether the viewer played in the match
   */
  start(player) {
    if (this.#timer !== undefined) return;
    const until = Date.now() + AGAIN_FOR_MS;
    this.#timer = setInterval(async () => {
      if (this.known() || Date.now() > until) clearInterval(this.#timer);
      else if (document.visibilityState === 'visible' && navigator.onLine) await this.look();
    }, player ? AGAIN_MS : AGAIN_WATCHED_MS);
  }
}
