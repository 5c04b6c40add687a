// A player's costliest decisions in a game: where the player loses most, by phase and kind, and each decision in words, with a
// link that opens its position on the analysis board.

/** @import {Board, MistakeCount, MistakeEntry, MistakeList, Translate} from '../types.ts' */

import { ask, sentence } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { board as boardOf } from '../board/board.js';
import { percent } from '../board/chance.js';
import { fill, h, required } from '../lib/dom.js';
import { loadTexts } from '../lib/texts.js';
import { link } from '../lib/matches/seats.js';
import { myToken } from '../lib/session.js';

const place = required('#mistakes');
const more = required('#next', HTMLButtonElement);
const player = place.dataset.player ?? '';
const game = place.dataset.game ?? '';
const path = `/v1/players/${encodeURIComponent(player)}/mistakes/${game}`;

/**
 * A chance in percent, with one decimal.
 * @param {number} loss
 * @param {Translate} t
 */
const points = (loss, t) => t('mistakes.points', { points: Math.round(1000 * loss) / 10 });

class Mistakes {
  #phase = '';
  #kind = '';
  #after = '';

  /** @param {{t: Translate, board: Board}} loaded */
  constructor({ t, board }) {
    this.t = t;
    this.board = board;
    this.table = h('div', {});
    this.list = h('ol', { class: 'mistakes' });
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    this.filters = h('div', { class: 'filters' });
    this.file = h('p', {});
    fill(place, this.table, this.filters, this.trouble, this.list, this.file);
    more.addEventListener('click', () => this.#load());
  }

  /** A phase or a kind in words: the game's, or the word of the API. */
  #label = (/** @type {'phase' | 'kind'} */ of, /** @type {string} */ word) => {
    const text = this.board.t(`${of}.${word}`);
    return text === `${of}.${word}` ? word.replaceAll('_', ' ') : text;
  };

  #query() {
    const query = new URLSearchParams();
    if (this.#phase) query.set('phase', this.#phase);
    if (this.#kind) query.set('kind', this.#kind);
    return query;
  }

  /** Shows the list from its beginning. */
  async start() {
    this.#after = '';
    fill(this.list);
    await this.#load();
  }

  async #load() {
    const { t } = this;
    const query = this.#query();
    if (this.#after) query.set('after', this.#after);
    try {
      /** @type {MistakeList} */
      const { counts, accuracy, mistakes, next } = await ask(`${path}?${query}`, { who: { token: myToken() } });
      this.trouble.hidden = true;
      this.#draw(counts, accuracy);
      this.list.append(...mistakes.map((one) => this.#entry(one)));
      if (this.list.childElementCount === 0 && counts.length > 0) this.list.append(h('li', { class: 'none' }, t('mistakes.no_costly')));
      this.#after = next ?? '';
      more.hidden = !next;
    } catch (error) {
      this.trouble.hidden = false;
      fill(this.trouble, sentence(error, t));
    }
  }

  /**
   * The accuracy, the table, and the choice of phase and kind.
   * @param {MistakeCount[]} counts
   * @param {number | null} accuracy
   */
  #draw(counts, accuracy) {
    const { t } = this;
    if (this.table.childElementCount > 0) return;
    if (counts.length === 0 || accuracy === null) {
      fill(this.table, h('p', { class: 'soft' }, t('mistakes.none')));
      return;
    }
    const lost = (/** @type {MistakeCount} */ { decisions, mean_loss: loss }) => decisions * loss;
    const rows = counts.toSorted((a, b) => lost(b) - lost(a)).map((one) => h('tr', {},
      h('th', { scope: 'row' }, `${this.#label('phase', one.phase)} · ${this.#label('kind', one.kind)}`),
      h('td', {}, one.decisions), h('td', {}, one.mistakes), h('td', {}, points(one.mean_loss, t))));
    const head = ['mistakes.where', 'mistakes.decisions', 'mistakes.mistakes', 'mistakes.mean'].map((key) => h('th', { scope: 'col' }, t(key)));
    const count = counts.reduce((sum, one) => sum + one.decisions, 0);
    fill(this.table, h('p', { class: 'accuracy' }, t('player.accuracy', { accuracy, count })), h('div', { class: 'wide', role: 'region', tabindex: '0', 'aria-label': t('mistakes.summary') },
      h('table', { class: 'results' }, h('caption', {}, t('mistakes.summary')), h('thead', {}, h('tr', {}, head)), h('tbody', {}, rows))));
    const choice = (/** @type {'phase' | 'kind'} */ of, /** @type {(value: string) => void} */ set) => {
      const words = [...new Set(counts.map((one) => one[of]))];
      /** @type {HTMLSelectElement} */
      const select = h('select', { change: () => { set(select.value); this.start(); } },
        h('option', { value: '' }, t(`mistakes.any_${of}`)), words.map((word) => h('option', { value: word }, this.#label(of, word))));
      return h('label', {}, t(`mistakes.${of}`), ' ', select);
    };
    fill(this.filters, choice('phase', (value) => { this.#phase = value; }), choice('kind', (value) => { this.#kind = value; }));
    fill(this.file, h('button', { type: 'button', click: () => this.#download() }, t('mistakes.suite')));
  }

  /**
   * A decision in words.
   * @param {MistakeEntry} one
   */
  #entry({ match, ply, phase, kind, played, value, position }) {
    const { t, board } = this;
    const words = (/** @type {MistakeEntry['played']} */ { move }) => board.say(move, position, board.t);
    const bench = `/games/${game}/analysis#position=${encodeURIComponent(JSON.stringify(position))}`;
    return h('li', { class: value.class },
      h('p', { class: 'was' }, h('b', {}, t('analysis.cost', { lost: percent(value.loss) })), ` ${words(played)}`),
      h('p', { class: 'better' }, t('analysis.better', { move: words(value.best) })),
      h('p', { class: 'soft' }, `${this.#label('phase', phase)} · ${this.#label('kind', kind)}`),
      h('p', { class: 'links' }, h('a', { href: bench }, t('mistakes.retry')), ' ',
        h('a', { href: `${link(match)}?ply=${ply}` }, t('mistakes.match', { ply: ply + 1 }))));
  }

  // The file may contain private matches, so the request needs the visitor's token.
  async #download() {
    const { t } = this;
    try {
      const answer = await ask(`${path}/suite?${this.#query()}`, { who: { token: myToken() }, raw: true });
      const href = URL.createObjectURL(await answer.blob());
      h('a', { href, download: `${game}.jsonl` }).click();
      URL.revokeObjectURL(href);
    } catch (error) {
      this.trouble.hidden = false;
      fill(this.trouble, sentence(error, t));
    }
  }
}

begin(async () => {
  const t = await loadTexts();
  const board = await boardOf(game, place.dataset.board !== undefined, t);
  await new Mistakes({ t, board }).start();
});
