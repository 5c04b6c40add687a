// The state of a match on its page, and what the parts of the page tell each other. A part reads `page`, listens to the
// topics that concern it, and publishes what it wants; it knows no other part.

/** @import {Board, ChatMessage, Game, LegalMove, MatchEvent, Opaque, Page, Scene, Secrets, StreamMessage, Translate} from '../../types.ts' */

import { apply } from './match-state.js';
import { withEngineNames } from './match-text.js';

/** @typedef {'connection' | 'store' | 'clock' | 'seat'} Subject what a condition is about */

/**
 * The topics with their values. The store publishes the first ones, when the state has changed:
 * - `time`: the host's time in milliseconds, from a message that has just arrived;
 * - `changed`: the match has changed, by this event, or as a whole (null);
 * - `status`: the clocks, or who is connected, have changed, and nothing else;
 * - `chat`: a message of the chat has arrived;
 * - `rematch`: there is a rematch now.
 *
 * The page and its parts publish the others:
 * - `settled`: the change is on the screen; the last move of a match is animated before;
 * - `scene`: the stage shows this scene, which may lie between two moves;
 * - `lost`: whether the connection is lost;
 * - `condition`: what keeps the match from going on as usual, in words; null: nothing any more;
 * - `ratings`: the ratings of the players are known, or have changed;
 * - `joined`: this browser has other secrets for the match;
 * - `announce`: say this text to screen readers;
 * - `mark`: mark these targets; `hint`: show these recommended moves, the best first; `look`: show only the one at this
 *   place, or all (null);
 * - `sound`: play the sound of an occasion; `notify`: notify a player whose page is hidden;
 * - `ahead`: what the viewer may choose, or has chosen, before the turn has changed; `plan`: the viewer chooses this move before the
 *   turn, null: none; `premove`: send this move, which was chosen so; `dropped`: why such a move is not made, in words;
 * - `again`: start a rematch, or join it; `replay`: show the match from its start;
 * - `shown`: the position after this many moves is on the board; null: the current one; `go`: show the position after this many moves;
 * - `result`: open the panel of the result for these events and this last position; null: close it;
 * - `result_open`: whether that panel is open.
 * @typedef {{time: number | undefined, changed: MatchEvent | null, status: undefined, chat: ChatMessage, rematch: undefined,
 *   settled: undefined, scene: Scene, lost: boolean, ratings: undefined,
 *   condition: {about: Subject, text: string | null}, joined: undefined, announce: string, mark: string[], hint: Opaque[],
 *   look: number | null, sound: 'turn' | 'move' | 'end' | 'chat', notify: string, ahead: undefined,
 *   plan: LegalMove | null, premove: LegalMove, dropped: string, again: undefined, replay: undefined, shown: number | null, go: number,
 *   result: {events: MatchEvent[], view: Opaque} | null, result_open: boolean}} Topics
 */

export class MatchStore {
  /** The events that are known, by seq. @type {Map<number, MatchEvent>} */
  events = new Map();

  /** The moves that the viewer may choose before the turn in this position, and the chosen one.
   * @type {{position: Opaque, moves: LegalMove[], chosen: LegalMove | null} | null} */
  ahead = null;

  /** @type {Map<string, ((value: any) => void)[]>} */
  #listeners = new Map();

  /**
   * `access`: the match in the API, and what this browser holds in it. The first state is `page`, which no listener has
   * heard of: `take` it when the parts are there.
   * @param {{t: Translate, access: {id: string, path: string, secrets: () => Secrets, load: () => Promise<Page>}, page: Page,
   *   game: Game, board: Board}} options
   */
  constructor({ t, access, page, game, board }) {
    this.t = t;
    this.id = access.id;
    this.path = access.path;
    this.secrets = access.secrets;
    this.load = () => access.load();
    this.page = page;
    this.game = game;
    this.board = board;
  }

  /**
   * Calls `listener` with each value of a topic. Listeners are called in the order in which they were added.
   * @template {keyof Topics} Name
   * @param {Name} name
   * @param {(value: Topics[Name]) => void} listener
   */
  on(name, listener) {
    this.#listeners.set(name, [...this.#listeners.get(name) ?? [], listener]);
  }

  /**
   * @template {keyof Topics} Name
   * @param {Name} name
   * @param {undefined extends Topics[Name] ? [value?: Topics[Name]] : [value: Topics[Name]]} value
   */
  publish(name, ...value) {
    for (const listener of this.#listeners.get(name) ?? []) listener(value[0]);
  }

  /**
   * Handles a message of the stream, or one that answers a request.
   * @param {StreamMessage} message
   */
  hear(message) {
    const { page } = this;
    if (message.type === 'match') {
      if (message.seq >= page.seq || message.you !== page.you) this.take(message);
    } else if (message.type === 'clock') {
      this.publish('time', message.clock.now_ms);
      this.#status({ clock: message.clock });
    } else if (message.type === 'presence') {
      const vacation = (/** @type {number} */ seat) => message.vacations?.find((one) => one.seat === seat)?.until_ms;
      this.#status({ seats: page.seats.map((seat) => (['player', 'guest'].includes(seat.kind) && !seat.program
        ? { ...seat, connected: message.connected.includes(seat.seat), vacation_until_ms: vacation(seat.seat) } : seat)) });
    } else if (message.type === 'chat') {
      this.publish('chat', message.message);
    } else if (message.seq !== undefined) {
      this.#event(message);
    }
  }

  /**
   * Replaces the known state of the match by its current page.
   * @param {Page} page
   */
  take(page) {
    if (page.you !== this.page.you) this.events.clear();
    this.page = withEngineNames(page, this.game, this.board, this.t);
    this.publish('time', page.clock?.now_ms);
    this.publish('changed', null);
  }

  /**
   * There is a rematch.
   * @param {string} rematch its id
   */
  foundRematch(rematch) {
    this.page = { ...this.page, rematch };
    this.publish('rematch');
  }

  /** @param {MatchEvent} event */
  #event(event) {
    if (this.events.has(event.seq) || event.seq > this.page.seq + 1) return;
    this.events.set(event.seq, event);
    const after = apply(this.page, event);
    const fresh = after !== this.page;
    if (fresh) this.publish('time', event.at_ms);
    this.page = after;
    this.publish('changed', fresh ? event : null);
  }

  /** @param {Partial<Page>} change */
  #status(change) {
    this.page = { ...this.page, ...change };
    this.publish('status');
  }
}
