// The ratings of the players at the table, and what the match has changed in them.

/** @import {MatchRatings, SeatRating} from '../../types.ts' */
/** @import {MatchStore} from '../../lib/matches/match-store.js' */

import { ask } from '../../lib/api.js';
import { fill, h } from '../../lib/dom.js';

// The server stores the change of a rating with the end of the match; a sealed match changes ratings later.
const AFTER_MS = [300, 1_500, 5_000];

/**
 * A rating as text: "1543", with "?" while it says little.
 * @param {Pick<SeatRating, 'points' | 'provisional'>} rating
 */
export const ratingText = ({ points, provisional }) => `${points}${provisional ? '?' : ''}`;

/**
 * The change of a rating with its sign.
 * @param {{before: number, after: number}} change
 */
export function changeText({ before, after }) {
  const gain = after - before;
  return gain < 0 ? `\u2212${-gain}` : `+${gain}`;
}

export class Ratings {
  /** @type {(SeatRating | null)[]} */
  #seats = [];
  #waiting = false;

  /** @param {MatchStore} match */
  constructor(match) {
    this.match = match;
    /** The line for the panel of the result. */
    this.line = h('p', { class: 'rating-change', role: 'status', hidden: true });
    let known = '';
    match.on('changed', () => {
      const { page } = match;
      // The players, and whether the match is over.
      const now = JSON.stringify([page.stage === 'over', page.seats.map(({ kind, name }) => [kind, name])]);
      if (now === known) return;
      known = now;
      this.#ask(page.stage === 'over' && page.rated ? AFTER_MS : []);
    });
  }

  /**
   * The rating of a seat as an element; null: the seat has none.
   * @param {number} seat
   */
  of(seat) {
    const rating = this.#seats[seat];
    if (!rating) return null;
    const { t } = this.match;
    const { change } = rating;
    return h('span', { class: 'rating', title: rating.provisional && t('board.provisional') },
      h('span', { class: 'ear' }, `${t('board.rating')} `), h('span', { class: 'base' }, change ? String(change.after) : ratingText(rating)),
      change && h('span', { class: ['change', change.after < change.before ? 'fell' : 'rose'] }, ` ${changeText(change)}`));
  }

  /**
   * Asks for the ratings, and again after these times until the change is there.
   * @param {number[]} again in milliseconds
   */
  async #ask(again) {
    if (this.#waiting) return;
    this.#waiting = true;
    try {
      for (const wait of again.length > 0 ? again : [0]) {
        if (wait > 0) await new Promise((done) => setTimeout(done, wait));
        /** @type {MatchRatings} */
        const { seats } = await ask(`${this.match.path}/ratings`, { who: this.match.secrets() });
        this.#seats = seats;
        this.match.publish('ratings');
        if (again.length === 0 || seats.some((seat) => seat?.change)) break;
      }
      await this.#say();
    } catch {
      // A table without ratings is still a table.
    } finally {
      this.#waiting = false;
    }
  }

  // Says what the match has changed for the viewer.
  async #say() {
    const { match, line } = this;
    const { t, page } = match;
    const own = page.you === null ? null : this.#seats[page.you];
    const change = own?.change;
    if (!own || !change) return;
    const streak = await wins(own.name, page.game);
    fill(line, t('end.rating', { rating: String(change.after), change: changeText(change) }),
      change.best && ` ${t('end.best')}`, streak >= STREAK && ` ${t('end.streak', { count: streak })}`);
    line.hidden = false;
  }
}

// From this many wins in a row on they are said.
const STREAK = 3;

/**
 * How many of the player's last matches of the game were won in a row.
 * @param {string} name
 * @param {string} game
 */
async function wins(name, game) {
  const { matches } = await ask(`/v1/players/${encodeURIComponent(name)}/matches?game=${game}&stage=over&limit=20`);
  const lost = matches.findIndex((/** @type {{seats: {name?: string, rank?: number}[]}} */ { seats }) =>
    seats.find((seat) => seat.name === name)?.rank !== 1);
  return lost === -1 ? matches.length : lost;
}
