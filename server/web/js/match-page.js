// The page of a match: holds the known state of the match, and passes it to the parts of the page.

/** @import {Board, Game, LastMove, LegalMove, MatchEvent, Page, Scene, StreamMessage, Translate}
 *    from '../types.ts' */
/** @import {Access} from './access.js' */

import { Actions } from './actions.js';
import { Alerts } from './alerts.js';
import { ask } from './api.js';
import { Chat } from './chat.js';
import { fill, h } from './dom.js';
import { End } from './end.js';
import { checkVersion } from './fresh.js';
import { Guide } from './guide.js';
import { Hints } from './hints.js';
import { Live } from './live.js';
import { layout } from './match-layout.js';
import { apply } from './match-state.js';
import { boardSeats, engineName, headline, seatName, withEngineNames } from './match-text.js';
import { Players } from './players.js';
import { RematchWatch } from './rematch.js';
import { reportButton } from './report.js';
import { Review } from './review.js';
import { Rules } from './rules.js';
import { sendMove } from './send-move.js';
import { Stage } from './stage.js';

export class Match {
  // The events that are known, by seq.
  /** @type {Map<number, MatchEvent>} */
  events = new Map();
  /** @type {string | null} */
  #said = null;

  /**
   * Builds the page and follows the match.
   * @param {HTMLElement} root
   * @param {{t: Translate, access: Access, page: Page, game: Game, board: Board, picture: string | null}} loaded `picture`: the
   *   address of the game's picture
   */
  constructor(root, { t, access, page, game, board, picture }) {
    this.root = root;
    this.t = t;
    this.access = access;
    this.page = page;
    this.game = game;
    this.board = board;
    this.path = access.path;
    this.secrets = access.secrets;
    this.held = this.secrets().token;
    this.status = h('p', { class: 'status', role: 'status' });
    this.network = h('p', { class: 'network', role: 'status', hidden: true });
    this.quick = h('span', { class: 'quick-place' });
    this.chatPlace = h('span', { class: 'quick-place' });
    this.rules = new Rules({ t, board, title: game.title });
    this.rules.listen();
    const parts = layout(root, { t, game, header: [this.status, this.network, this.quick, this.chatPlace, this.rules.button()] });
    this.parts = parts;
    this.players = new Players(parts.players, t, (text) => this.stage.tell(text));
    this.stage = new Stage(parts.stage, { board, t, play: (move) => this.#play(move),
      shown: (scene) => {
        this.#points(scene);
        this.guide.scene(scene);
      },
      check: async (position, notations) =>
        (await ask(`/v1/games/${game.slug}/legal-moves`, { body: { position, notations } })).checked });
    this.actions = new Actions(parts.actions, { path: this.path, id: access.id, t, game, secrets: this.secrets,
      picture,
      changed: (message) => this.#heard(message), joined: () => this.#rejoin() });
    this.hints = new Hints(parts.hints, { t, game, words: (move) => this.stage.words(move, this.page.position),
      mark: (moves) => {
        this.stage.hint(moves[0]);
        this.stage.rank(moves);
      },
      look: (place) => this.stage.marks.focus(place), names: () => this.page.seats.map((seat) => seatName(seat, t)),
      engine: (name) => engineName(name, board) });
    fill(this.quick, this.hints.quick);
    this.guide = new Guide(parts.tip, { t, board, game: game.slug, mark: (targets) => this.stage.mark(targets) });
    this.chat = new Chat(parts.chat, { t, bubble: parts.bubble, id: access.id, path: this.path, secrets: this.secrets,
      heard: () => this.alerts.sound('chat') });
    fill(this.chatPlace, this.chat.link);
    this.end = new End(parts.end, { t, board, link: () => location.href, again: () => this.actions.rematch(),
      review: () => this.review.fromStart(), shown: () => this.review.endShown() });
    this.review = new Review(parts, this);
    const alerts = h('div', { class: 'alerts' });
    this.alerts = new Alerts(alerts, { t, id: access.id });
    fill(parts.report, reportButton({ kind: 'match', match: access.id }, t('report.match'), t, this.secrets));
    fill(parts.settings, this.stage.setting, this.guide.setting, alerts);
    this.live = new Live({
      path: this.path, secrets: this.secrets, heard: (message) => this.#heard(message),
      state: (name) => this.#connection(name),
      // The first time, ask for the last few events too, so that the last move can be shown.
      seq: () => (this.events.size > 0 ? this.page.seq : Math.max(0, this.page.seq - 2)),
    });
    this.rematch = new RematchWatch({ known: () => Boolean(this.page.rematch), look: () => this.#lookForRematch() });
    this.#take(page);
  }

  /** Opens the stream of events, unless the match is over. */
  follow() {
    if (this.page.stage !== 'over') this.live.start();
    addEventListener('storage', () => {
      if (this.secrets().token !== this.held) this.#rejoin();
    });
  }

  /**
   * Handles a message of the stream, or one that answers a request.
   * @param {StreamMessage} frame
   */
  #heard(frame) {
    if (frame.type === 'match') {
      if (frame.seq >= this.page.seq || frame.you !== this.page.you) this.#take(frame);
      return;
    }
    if (frame.type === 'clock') {
      // The clocks were paused or resumed; nothing else has changed.
      this.players.setServerTime(frame.clock.now_ms);
      this.page = { ...this.page, clock: frame.clock };
      this.players.show(this.page);
      return;
    }
    if (frame.type === 'presence') {
      this.page = { ...this.page, seats: this.page.seats.map((seat) => (seat.kind === 'player' || seat.kind === 'guest'
        ? { ...seat, connected: frame.connected.includes(seat.seat) } : seat)) };
      this.players.show(this.page);
      return;
    }
    if (frame.type === 'chat') {
      this.chat.take(frame.message);
      return;
    }
    if (frame.seq === undefined || this.events.has(frame.seq)) return;
    if (frame.seq > this.page.seq + 1) return;
    this.events.set(frame.seq, frame);
    const after = apply(this.page, frame);
    const fresh = after !== this.page;
    if (fresh) this.players.setServerTime(frame.at_ms);
    this.page = after;
    this.#show(fresh ? frame : null);
  }

  /**
   * Shows the page of the match that the viewer's own secrets give.
   * @param {Page} page
   */
  replace(page) {
    this.#take(page);
  }

  /**
   * Replaces the known state of the match by its current page.
   * @param {Page} page
   */
  #take(page) {
    if (page.you !== this.page.you) this.events.clear();
    this.page = withEngineNames(page, this.game, this.board, this.t);
    this.players.setServerTime(page.clock?.now_ms);
    this.#show(null);
  }

  /**
   * Shows the match.
   * @param {MatchEvent | null} event the event that has just happened
   */
  #show(event) {
    const { page } = this;
    this.root.dataset.stage = page.stage;
    this.root.dataset.ply = String(page.ply);
    this.actions.show(page);
    this.hints.show(page);
    this.guide.show(page);
    this.chat.show(page);
    this.parts.settings.hidden = page.you === null || page.stage === 'over';
    this.review.show(event);
    // Announces the result after the animation of the last move.
    if (page.stage === 'over' && event) this.stage.rest().then(() => this.#tell());
    else this.#tell();
    if (page.stage === 'over') this.rematch.start(page.you !== null);
  }

  // Shows whose turn it is, or the result.
  #tell() {
    const { page, t } = this;
    const mine = page.turn !== null && page.turn === page.you;
    this.players.show(page);
    let text = '';
    if (page.stage === 'over') text = headline(page, t);
    else if (page.stage === 'open') text = t('match.waiting');
    else if (mine) text = t('match.your_turn');
    else if (page.turn !== null) text = t('match.their_turn', { name: seatName(page.seats[page.turn], t) });
    if (text !== this.#said) {
      fill(this.status, text);
      if (this.#said !== null) this.#alert(mine, text);
    }
    this.#said = text;
    this.status.classList.toggle('mine', mine);
    document.title = t('page.title', { title: mine ? t('match.title_mine', { game: this.game.title }) : this.game.title });
  }

  /**
   * Alerts a player to an event.
   * @param {boolean} mine whether it is the viewer's turn
   * @param {string} text what to say
   */
  #alert(mine, text) {
    const { page, alerts } = this;
    if (page.stage === 'over') alerts.sound('end');
    else alerts.sound(mine ? 'turn' : 'move');
    if (page.you !== null && (mine || page.stage === 'over')) alerts.notify(this.game.title, text);
  }

  /**
   * Shows the points of the shown position beside the names; at the end, those of the result, in which hidden cards count.
   * @param {Scene} scene
   */
  #points({ view, turn, step }) {
    const { page, board } = this;
    const over = page.stage === 'over' && turn === null && step === undefined;
    this.players.points((over ? page.result?.points : null) ?? board.points?.(view) ?? null);
  }

  async #lookForRematch() {
    try {
      const { rematch } = await this.access.load();
      if (!rematch) return;
      this.page = { ...this.page, rematch };
      this.actions.show(this.page);
      this.end.rematch(this.page);
      if (this.page.you !== null) {
        this.alerts.sound('turn');
        this.alerts.notify(this.game.title, this.t('match.rematch_wanted'));
      }
    } catch {
      // The next round asks again.
    }
  }

  /**
   * The current position as a scene for the stage.
   * @param {LastMove | null} last
   * @returns {Scene}
   */
  scene(last) {
    const { page } = this;
    return {
      view: page.position, me: page.you, seats: boardSeats(page, this.t), turn: page.turn, moves: page.legal_moves,
      last, still: page.stage === 'over',
    };
  }

  /**
   * Makes a move.
   * @param {LegalMove} move
   */
  async #play(move) {
    await sendMove(move, { t: this.t, path: this.path, secrets: this.secrets, ply: () => this.page.ply,
      heard: (message) => this.#heard(message), replace: (page) => this.#take(page) });
  }

  // The browser's secrets have changed: a seat was taken, here or in another tab.
  #rejoin() {
    this.held = this.secrets().token;
    this.live.restart();
  }

  /** @param {string} name */
  #connection(name) {
    this.root.dataset.connection = name;
    const lost = name === 'lost';
    // The server may come back with newer pages.
    if (name === 'open' && !this.network.hidden) checkVersion();
    if (lost) fill(this.network, this.t(this.page.clock ? 'match.lost_clock' : 'match.lost'));
    if (lost || name === 'open' || name === 'over') {
      this.network.hidden = !lost;
      this.players.lost(lost);
    }
  }
}
