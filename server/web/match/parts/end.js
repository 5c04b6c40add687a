// The panel at the end of a match: how it ended and why, the score in the game's terms, and the next actions. It covers the
// board and can be closed.

/** @import {MatchEvent, Opaque, Page} from '../../types.ts' */
/** @import {MatchStore} from '../../lib/matches/match-store.js' */

import { fill, h } from '../../lib/dom.js';
import { causes, headline, outcome, seatName } from '../../lib/matches/match-text.js';
import { signed } from '../../lib/texts.js';

export class End {
  /**
   * @param {HTMLElement} root
   * @param {MatchStore} match
   * @param {HTMLElement} rating the line that says what the match has changed in the viewer's rating
   */
  constructor(root, match, rating) {
    const { t } = match;
    this.root = root;
    this.match = match;
    this.t = t;
    match.on('result', (result) => {
      if (result) this.#show(match.page, result.events, result.view);
      else this.#close();
    });
    match.on('rematch', () => this.#rematch(match.page));
    const button = (/** @type {string} */ key, /** @type {() => void} */ click) =>
      h('button', { type: 'button', click }, t(key));
    this.again = h('button', { type: 'button', class: 'main', click: () => match.publish('again') }, t('match.rematch'));
    // In a tournament the next game is there.
    this.onward = h('a', { class: 'button main', hidden: true }, t('match.tournament'));
    this.wanted = h('p', { class: 'wanted', role: 'status', hidden: true }, t('match.rematch_wanted'));
    this.share = button('end.share', () => this.#share());
    this.content = h('div', { class: 'content' });
    fill(root,
      h('button', { type: 'button', class: 'close', 'aria-label': t('end.close'), title: t('end.close'),
        click: () => this.#close() }, '×'),
      this.content, rating, this.wanted,
      h('div', { class: 'buttons' }, this.onward, this.again, button('end.review', () => this.#review()), this.share));
    root.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      this.#close();
    });
  }

  /**
   * Shows the panel. `events`: those of the whole match; `view`: its last position.
   * @param {Page} page
   * @param {MatchEvent[]} events
   * @param {Opaque} view
   */
  #show(page, events, view) {
    const { t, match: { board } } = this;
    const points = page.result?.points;
    const told = points && view ? board.ending?.(view, board.t, points) : null;
    const why = causes(page, events, t);
    if (why.length === 0) why.push(told?.why ?? (page.result?.reason ? t('match.why', { reason: page.result.reason }) : ''));
    fill(this.content, h('h2', { class: outcome(page) }, headline(page, t)),
      why.filter(Boolean).map((text) => h('p', { class: 'why' }, text)),
      told && this.#score(page, told.rows));
    this.again.hidden = page.you === null;
    this.onward.hidden = !page.tournament;
    if (page.tournament) this.onward.href = `/tournaments/${page.tournament.id}`;
    this.again.classList.toggle('main', !page.tournament);
    this.#rematch(page);
    this.root.hidden = false;
    const active = document.activeElement;
    // The panel takes the focus from the board that it covers, but from nothing else.
    if (active === document.body || this.root.parentElement?.contains(active)) this.root.focus({ preventScroll: true });
    this.match.publish('result_open', true);
  }

  /**
   * Shows whether another player wants a rematch.
   * @param {Page} page
   */
  #rematch(page) {
    this.wanted.hidden = !page.rematch || page.you === null;
    fill(this.again, this.t(page.rematch ? 'match.rematch_accept' : 'match.rematch'));
  }

  /** Hides the panel. */
  #close() {
    if (this.root.hidden) return;
    this.root.hidden = true;
    this.match.publish('result_open', false);
  }

  /**
   * The parts of each seat's score, and their sum.
   * @param {Page} page
   * @param {{label: string, values: (number | string)[]}[]} rows
   */
  #score(page, rows) {
    const { t } = this;
    const points = page.result?.points ?? [];
    const first = (/** @type {number} */ seat) => page.result?.ranks[seat] === 1;
    const line = (/** @type {string} */ label, /** @type {(number | string)[]} */ values) => h('tr', {},
      h('th', { scope: 'row' }, label), values.map((value, seat) => h('td', { class: first(seat) && 'first' }, signed(value))));
    return h('table', { class: 'score' },
      h('caption', { class: 'ear' }, t('end.score')),
      h('thead', {}, h('tr', {}, h('td', {}), page.seats.map((seat) =>
        h('th', { scope: 'col', class: first(seat.seat) && 'first' }, seatName(seat, t))))),
      h('tbody', {}, rows.map(({ label, values }) => line(label, values))),
      rows.length > 0 && h('tfoot', {}, line(t('end.total'), points)));
  }

  #review() {
    this.#close();
    this.match.publish('replay');
  }

  // The system's own choice of ways to share, or the clipboard.
  async #share() {
    const { t } = this;
    const url = location.href;
    try {
      if (navigator.share) await navigator.share({ title: document.title, url });
      else {
        await navigator.clipboard.writeText(url);
        fill(this.share, t('match.copied'));
      }
    } catch (error) {
      // The visitor has closed the system's choice.
      if (error instanceof DOMException && error.name === 'AbortError') return;
      fill(this.share, t('replay.by_hand'));
    }
    setTimeout(() => fill(this.share, t('end.share')), 2500);
  }
}
