// Chooses the position on the stage: the current one, or an earlier one for replay, and the seat from which it is seen.
// Owns the scrubber, the list of moves and the choice of the seat.

/** @import {Frame, MatchEvent, Opaque} from '../types.ts' */
/** @import {MatchStore} from '../lib/matches/match-store.js' */
/** @import {Analysis} from './analysis.js' */

import { Refused, sentence } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { Evaluator } from './evaluate.js';
import { MatchFrames, OPEN } from './frames.js';
import { lastOf, moveOf } from '../lib/matches/match-state.js';
import { MoveList } from './move-list.js';
import { ALL, ReviewTools } from './tools.js';
import { currentScene, pastScene } from './scenes.js';
import { Scrubber } from './scrubber.js';
import { Stage } from '../board/stage.js';
import { eventText, seatName } from '../lib/matches/match-text.js';
import { file } from '../lib/texts.js';

export class Review {
  // The ply that is shown; null: the current position.
  /** @type {number | null} */
  #at = null;
  // The seat from which the match is seen: a seat, `all` of them, the viewer's with all hands open, or null for the viewer's own view.
  /** @type {number | typeof ALL | typeof OPEN | null} */
  #eyes = null;
  // The stages of the other seats, while all are shown.
  /** @type {{seat: number, box: HTMLElement, stage: Stage}[]} */
  #others = [];
  /** @type {Analysis | null} */
  #analysis = null;
  // The position that the analysis shows.
  /** @type {{all: Frame[], at: number}} */
  #analysed = { all: [], at: 0 };
  /** @type {Evaluator | null} */
  #evaluator = null;
  #over = false;
  // The seat to move in the shown position of a finished match.
  /** @type {number | null} */
  #shownTurn = null;
  // Whether the panel of the result has been shown, and whether it is open.
  #told = false;
  #resultOpen = false;

  /**
   * @param {Record<'stage' | 'review' | 'others' | 'analysis' | 'moves', HTMLElement>} parts
   * @param {MatchStore} match
   * @param {Stage} stage which nothing else gives scenes to show
   */
  constructor(parts, match, stage) {
    const { t } = match;
    this.parts = parts;
    this.match = match;
    this.stage = stage;
    match.on('changed', (event) => this.#show(event));
    match.on('ahead', () => this.#showAhead());
    match.on('replay', () => this.#fromStart());
    match.on('go', (ply) => this.go(ply));
    match.on('result_open', (open) => {
      this.#resultOpen = open;
      this.#offerResult();
    });
    this.t = t;
    this.frames = new MatchFrames(match);
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    this.controls = h('div', { class: 'scrubber', role: 'group', 'aria-label': t('replay.controls') });
    this.scrubber = new Scrubber(this.controls, { t, go: (ply, walk) => this.go(ply, walk) });
    this.open = h('button', { type: 'button', click: () => this.go(this.#plies()) }, t('replay.open'));
    this.tools = new ReviewTools({ t, back: () => this.go(null), result: () => this.#showEnd(), look: (eyes) => this.#look(eyes),
      play: () => this.#playFrom() });
    this.verdict = h('div', { class: 'evaluate', hidden: true });
    fill(parts.review, this.controls, this.verdict, this.tools.fold, this.tools.root, this.trouble);
    const list = h('div', {});
    fill(parts.moves, h('h2', {}, t('match.moves')), list, this.open);
    this.moves = new MoveList(list, { go: (ply) => this.go(ply), name: (seat) => this.#name(seat),
      words: (frame) => this.#words(frame.event, frame.before) });
    document.addEventListener('keydown', (event) => {
      if (this.#at !== null && !event.defaultPrevented && this.scrubber.key(event)) event.preventDefault();
    });
    const asked = new URLSearchParams(location.search).get('ply');
    this.asked = asked !== null && /^\d+$/.test(asked) ? Number(asked) : null;
  }

  /**
   * Called when the match has changed.
   * @param {MatchEvent | null} event the event that has just happened
   */
  #show(event) {
    const { page } = this.match;
    const { parts } = this;
    parts.stage.hidden = page.position === null;
    if (page.position === null) {
      for (const part of [parts.moves, parts.review, parts.analysis]) part.hidden = true;
      return;
    }
    if (page.stage === 'over' && !this.#over) {
      this.#over = true;
      this.frames.clear();
      if (this.#canOpen) this.#eyes = OPEN;
      // An address with a ply asks for that position, not for the result.
      this.#told = this.asked !== null && event === null;
      // Let the animation of the last move finish.
      this.stage.rest().then(() => this.go(this.asked ?? this.#at ?? page.ply));
    } else if (this.asked !== null) {
      this.go(this.asked);
    } else if (this.#at === null) {
      this.stage.show(currentScene(this.match, lastOf(this.frames.known().at(-1))), { walk: Boolean(event && moveOf(event)) });
      const what = event && this.#words(event, this.frames.known().at(-1)?.before);
      if (what) this.stage.tell(event.seat === undefined ? what : `${this.#name(event.seat)}: ${what}`);
    }
    this.#draw();
  }

  // Shows what the viewer may choose before the turn, once the last move has been animated.
  async #showAhead() {
    await this.stage.rest();
    if (this.#at === null && this.match.page.position !== null) this.stage.show(currentScene(this.match, lastOf(this.frames.known().at(-1))));
  }

  /**
   * Shows a ply; null: the current position.
   * @param {number | null} ply
   * @param {boolean} [walk] whether to animate the move
   */
  async go(ply, walk = false) {
    const { match } = this;
    this.asked = null;
    this.#at = ply;
    try {
      if (ply !== null) await this.#load();
    } catch (error) {
      fill(this.trouble, sentence(error, this.t));
      this.trouble.hidden = false;
      if (match.page.stage === 'over') {
        this.#plain();
        return;
      }
      this.#at = null;
    }
    if (this.#at !== ply) return;
    if (ply === null) this.#show(null);
    else this.#showAt(ply, walk);
    this.#address();
    if (match.page.stage === 'over' && !this.#told) this.#showEnd();
    else match.publish('result', null);
    this.#draw();
  }

  /**
   * Shows a position, and the move that was better there.
   * @param {number} ply
   * @param {Opaque} [better]
   */
  async #goTo(ply, better) {
    await this.go(ply);
    if (better && this.#at === ply) this.stage.rank([better]);
  }

  /** Shows the start of the match, and moves the focus to the button for the next move. */
  async #fromStart() {
    await this.go(0);
    this.scrubber.focus();
  }

  // Offers to open the panel of the result again.
  #offerResult() {
    this.tools.result.hidden = this.match.page.stage !== 'over' || this.#resultOpen;
  }

  // Shows the panel of the result over the last position.
  async #showEnd() {
    this.#told = true;
    const { page } = this.match;
    if (this.#at !== null && this.#at < this.#plies()) await this.go(this.#plies());
    const events = this.frames.events.length > 0 ? this.frames.events : [...this.match.events.values()];
    this.match.publish('result', { events, view: this.#frames().at(-1)?.position ?? page.position });
  }

  // Shows the last position if the earlier ones cannot be loaded.
  #plain() {
    this.#at = null;
    this.stage.show(currentScene(this.match, lastOf(this.frames.known().at(-1))));
    this.#draw();
  }

  /**
   * @param {number} at
   * @param {boolean} walk
   */
  #showAt(at, walk) {
    const { match } = this;
    const all = this.#frames();
    const place = Math.min(at, all.length - 1);
    this.#at = all[place].ply;
    this.stage.show(pastScene(match, all[place], this.#front), { walk });
    this.#evaluate(all[place], place);
    for (const { stage, seat } of this.#others) {
      const frame = this.frames.loaded(seat)?.[place];
      if (frame) stage.show(pastScene(match, frame, seat), { walk });
    }
  }

  /**
   * Asks the engine about the shown position of a finished match.
   * @param {Frame} frame
   * @param {number} place
   */
  #evaluate(frame, place) {
    const { match } = this;
    this.verdict.hidden = match.page.stage !== 'over' || match.page.result === null;
    if (this.verdict.hidden) return;
    this.#evaluator ??= new Evaluator(this.verdict, {
      t: this.t, game: match.game, names: match.page.seats.map(({ seat }) => this.#name(seat)),
      words: (move, view) => this.stage.words(move, view), rank: (moves) => this.stage.rank(moves),
    });
    const { turn, ply } = frame;
    this.#shownTurn = turn;
    this.tools.play.hidden = turn === null;
    this.#bench(turn, place);
    this.#evaluator.show(ply, turn, async () => (await this.frames.seen(turn))[place].position);
  }

  /**
   * Links to the analysis board with the shown position, as the seat to move sees it.
   * @param {number | null} turn
   * @param {number} place
   */
  async #bench(turn, place) {
    this.tools.bench.hidden = turn === null;
    if (turn === null) return;
    try {
      const view = (await this.frames.seen(turn))[place].position;
      this.tools.bench.href = `/games/${this.match.game.slug}/analysis#position=${encodeURIComponent(JSON.stringify(view))}`;
    } catch (error) {
      // Without the position there is nothing to link to.
      this.tools.bench.hidden = true;
      if (!(error instanceof Refused)) throw error;
    }
  }

  // Begins a match with the shown position of this one, with all cards as they were.
  async #playFrom() {
    const { match, t } = this;
    if (this.#at === null || this.#shownTurn === null) return;
    /** @type {typeof import('../lib/matches/play-from.js')} */
    const { playFrom } = await import(file('lib/matches/play-from.js'));
    playFrom({
      game: match.game.slug, position: { match: match.id, ply: this.#at }, names: match.page.seats.map(({ seat }) => this.#name(seat)),
      turn: this.#shownTurn, say: t(match.game.perfect_information ? 'from.as_it_was' : 'from.cards'), who: match.secrets(),
    }, t);
  }

  /** Whether the hands of all can be shown on one board. */
  get #canOpen() {
    return this.match.board.reveal !== undefined && this.match.page.seats.length > 1;
  }

  #frames() {
    return this.frames.loaded(this.#eyes === ALL ? 0 : this.#eyes) ?? this.frames.known();
  }

  /** The seat from which the board is drawn. */
  get #front() {
    if (this.#eyes === ALL) return 0;
    return this.#eyes === OPEN ? this.match.page.you ?? 0 : this.#eyes ?? this.match.page.you;
  }

  #plies() {
    return this.#frames().at(-1)?.ply ?? this.match.page.ply;
  }

  // Loads the whole match as seen from the chosen seats.
  async #load() {
    const { page } = this.match;
    if (this.#eyes === OPEN && this.match.board.reveal) {
      try {
        await this.frames.open(page.you ?? 0, this.match.board.reveal);
        return;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        // What the others held is not for this viewer yet: a tournament plays the same deal again.
        this.#eyes = null;
      }
    }
    if (this.#eyes === ALL) await Promise.all(page.seats.map(({ seat }) => this.frames.seen(seat)));
    else await this.frames.seen(this.#eyes === OPEN ? null : this.#eyes);
    this.trouble.hidden = true;
  }

  /**
   * Shows the match from another seat. `value`: an option of the choice.
   * @param {string} value
   */
  async #look(value) {
    this.#eyes = value === '' ? null : value === ALL || value === OPEN ? value : Number(value);
    try {
      await this.#load();
    } catch (error) {
      fill(this.trouble, sentence(error, this.t));
      this.trouble.hidden = false;
      this.#eyes = null;
    }
    const seats = this.#eyes === ALL ? this.match.page.seats.slice(1) : [];
    this.#others = seats.map(({ seat }) => {
      const root = h('div', {});
      const box = h('section', {}, h('h3', {}, this.t('replay.seen_by', { name: this.#name(seat) })), root);
      return { seat, box, stage: new Stage(root, { board: this.match.board, t: this.t }) };
    });
    fill(this.parts.others, this.#others.map(({ box }) => box));
    this.go(this.#at);
  }

  #draw() {
    const { parts, match } = this;
    const { page } = match;
    const over = page.stage === 'over';
    const all = this.#frames();
    parts.review.hidden = this.#at === null;
    this.open.hidden = this.#at !== null || all.length === 0 || page.ply === 0;
    this.#offerResult();
    this.tools.show(page, (seat) => this.#name(seat), this.#canOpen);
    if (over) this.tools.eyes.value = this.#eyes === null ? '' : String(this.#eyes);
    const at = this.#at;
    if (at !== null) this.scrubber.show(at, this.#plies());
    match.publish('shown', at ?? page.ply);
    parts.moves.hidden = page.ply === 0;
    this.moves.show(all, this.#at ?? page.ply, `${this.#eyes} ${all[0]?.event.seq}`);
    parts.analysis.hidden = !over || at === null || page.result === null;
    if (!parts.analysis.hidden && at !== null) this.#analyse(all, at);
  }

  /**
   * Shows a position in the analysis, which is loaded when a match is over.
   * @param {Frame[]} all
   * @param {number} at
   */
  async #analyse(all, at) {
    const { parts, match } = this;
    const { page } = match;
    this.#analysed = { all, at };
    if (!this.#analysis) {
      /** @type {typeof import('./analysis.js')} */
      const { Analysis: Loaded } = await import(file('review/analysis.js'));
      this.#analysis ??= new Loaded(parts.analysis, {
        page, path: match.path, t: this.t, game: match.game, secrets: match.secrets,
        views: (seat) => this.frames.seen(seat), words: (mv, view) => this.stage.words(mv, view),
        names: page.seats.map(({ seat }) => this.#name(seat)), go: (ply, better) => this.#goTo(ply, better),
        judged: (classes) => this.moves.mark(classes, (name) => this.t(`analysis.class.${name}`)),
      });
    }
    // Another position may have been chosen meanwhile.
    this.#analysis.show(this.#analysed.all, this.#analysed.at);
  }

  /**
   * An event in words.
   * @param {MatchEvent} event
   * @param {Opaque} before the position before it
   */
  #words(event, before) {
    const { match: { page }, stage } = this;
    return eventText(event, page, before, (move, view) => stage.words(move, view), this.t);
  }

  /** @param {number} seat */
  #name(seat) {
    const { page } = this.match;
    return seatName(page.seats[seat], this.t);
  }

  // Puts the shown ply into the page's address.
  #address() {
    const url = new URL(location.href);
    if (this.#at === null) url.searchParams.delete('ply');
    else url.searchParams.set('ply', String(this.#at));
    window.history.replaceState(null, '', url);
  }
}
