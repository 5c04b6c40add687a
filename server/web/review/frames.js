// The positions of a match as each seat sees them: those that the stream has delivered, and all of them once they are loaded.

/** @import {Frame, MatchEvent, Opaque, Page, Secrets} from '../types.ts' */

import { history } from './history.js';
import { frames } from '../lib/matches/match-state.js';

// The key of the frames in which all hands are open.
export const OPEN = 'open';

/** @typedef {{path: string, secrets: () => Secrets, page: Page, events: Map<number, MatchEvent>}} KnownMatch */

export class MatchFrames {
  // The frames of the whole match by the seat that sees them, once they are loaded.
  /** @type {Map<number | typeof OPEN | null, Frame[]>} */
  #whole = new Map();

  /** All events of the match, as far as the viewer may see them, once they are loaded. @type {MatchEvent[]} */
  events = [];

  /** @param {KnownMatch} match */
  constructor(match) {
    this.match = match;
  }

  /** Forgets the loaded frames: the viewer may now see more. */
  clear() {
    this.#whole.clear();
  }

  /** The frames that the stream has delivered. */
  known() {
    return frames([...this.match.events.values()].sort((a, b) => a.seq - b.seq));
  }

  /**
   * The frames as a seat sees them, if they are loaded; null: as the viewer sees them; OPEN: with all hands.
   * @param {number | typeof OPEN | null} seat
   */
  loaded(seat) {
    return this.#whole.get(seat);
  }

  /**
   * The whole match as seen from a seat; null: as the viewer sees it.
   * @param {number | null} seat
   */
  async seen(seat) {
    const { match } = this;
    const kept = this.#whole.get(seat);
    if (kept && (kept.at(-1)?.ply ?? -1) >= match.page.ply) return kept;
    const events = await history(match.path, { who: match.secrets(), upto: match.page.seq, seat });
    const loaded = frames(events);
    if (seat === null) this.events = events;
    this.#whole.set(seat, loaded);
    return loaded;
  }

  /**
   * The whole match as seen from a seat, with the hands of all.
   * @param {number} seat
   * @param {(view: Opaque, views: Opaque[]) => Opaque} reveal of the board
   */
  async open(seat, reveal) {
    const kept = this.#whole.get(OPEN);
    if (kept && (kept.at(-1)?.ply ?? -1) >= this.match.page.ply) return kept;
    const all = await Promise.all([null, ...this.match.page.seats.map((one) => one.seat)].map((one) => this.seen(one)));
    const [, ...views] = all;
    const open = views[seat].map((frame, at) => reveal(frame.position, views.map((frames_) => frames_[at]?.position ?? frame.position)));
    const frames_ = views[seat].map((frame, at) => ({ ...frame, position: open[at], before: frame.before === null ? null : open[at - 1] ?? frame.before }));
    this.#whole.set(OPEN, frames_);
    return frames_;
  }
}
