// The analysis of a finished match: asks the server for it, shows its progress, and then what each move was worth, what made
// the result, and the costliest moves.

/** @import {Frame, JudgedDecision, JudgedSeat, MatchAnalysis, MatchAnalysisAnswer, MoveClass, Opaque, Page, Secrets, Translate} from '../types.ts' */

import { ask, sentence } from '../lib/api.js';
import { patiently } from '../lib/patience.js';
import { fill, h } from '../lib/dom.js';
import { percent } from '../board/chance.js';
import { graph } from './graph.js';
import { MARKS, change, curves, scores } from './judged.js';

// How often to ask how far the analysis is.
const POLL_MS = 1000;
// How many moves of an expected line are named.
const LINE = 5;
/** @type {MoveClass[]} */
const CLASSES = ['best', 'good', 'inaccuracy', 'mistake', 'blunder'];

export class Judge {
  /** @type {Frame[]} */
  #frames = [];
  #at = 0;
  #asking = false;
  /** @type {MatchAnalysis | null} */
  #analysis = null;
  // The costliest moves in words, once the positions before them are loaded.
  /** @type {{ply: number, seat: number, better: Opaque, lines: string[]}[]} */
  #costliest = [];

  /**
   * `views(seat)`: resolves to the frames as that seat saw them; `names`: the seats' names; `words`: a move in words;
   * `go(ply, better)`: called when a ply is chosen; `better`: a move to show there; `judged(classes)`: called with the class of
   * each move, by the number of moves after it.
   * @param {HTMLElement} root
   * @param {{page: Page, path: string, t: Translate, secrets: () => Secrets, views: (seat: number) => Promise<Frame[]>,
   *   words: (move: Opaque, view: Opaque) => string, names: string[], go: (ply: number, better?: Opaque) => void,
   *   judged: (classes: Map<number, MoveClass>) => void}} options
   */
  constructor(root, { page, path, t, secrets, views, words, names, go, judged }) {
    this.root = root;
    root.tabIndex = -1;
    this.page = page;
    this.path = `${path}/analysis`;
    this.t = t;
    this.secrets = secrets;
    this.views = views;
    this.words = words;
    this.names = names;
    this.go = go;
    this.judged = judged;
    this.start = h('button', { type: 'button', hidden: true, click: () => this.#ask({ post: true }) }, t('analysis.ask'));
    this.stop = h('button', { type: 'button', hidden: true, click: () => this.#cancel() }, t('analysis.cancel'));
    this.progress = h('p', { class: 'soft', role: 'status' });
    this.chart = h('div', { class: 'chart' });
    this.turns = h('div', {});
    this.table = h('div', {});
    fill(root, h('p', { class: 'judging' }, this.start, this.stop), this.progress, this.chart, this.turns, this.table);
    // The analysis of a match of a tournament may be sealed, so the visitor asks first.
    if (page.tournament) this.start.hidden = false;
    else this.#ask({});
  }

  /**
   * @param {Frame[]} frames the frames that are shown
   * @param {number} at the ply that is shown
   */
  show(frames, at) {
    [this.#frames, this.#at] = [frames, at];
    this.#draw();
  }

  /**
   * Asks the server, with `post` for a new analysis, and goes on asking until it is done.
   * @param {{post?: boolean}} options
   */
  async #ask({ post }) {
    const { t } = this;
    // A button that is disabled would lose the focus.
    if (this.#asking) return;
    this.#asking = true;
    try {
      for (let first = true; ; first = false) {
        /** @type {MatchAnalysisAnswer} */
        const answer = await patiently(() => ask(this.path, { who: this.secrets(), post: post && first }), {
          waiting: (seconds) => fill(this.progress, t('busy.waiting', { seconds })),
        });
        const focused = document.activeElement === this.start || document.activeElement === this.stop;
        this.start.hidden = answer.stage === 'pending' || answer.stage === 'done';
        this.stop.hidden = !(answer.stage === 'pending' && answer.yours);
        // A button that disappears leaves the focus to the other one, or to the analysis.
        if (focused) [this.stop, this.start].find((button) => !button.hidden)?.focus();
        if (focused && answer.stage === 'done') this.root.focus();
        if (answer.stage === 'done') {
          fill(this.progress);
          await this.#take(answer.analysis);
          return;
        }
        if (answer.stage !== 'pending') {
          fill(this.progress, answer.stage === 'failed' && t('analysis.failed'));
          return;
        }
        fill(this.progress, t('analysis.progress', { done: answer.judged, all: answer.moves }));
        await new Promise((done) => setTimeout(done, POLL_MS));
      }
    } catch (error) {
      this.start.hidden = false;
      this.stop.hidden = true;
      fill(this.progress, sentence(error, t));
    } finally {
      this.#asking = false;
    }
  }

  async #cancel() {
    try {
      await patiently(() => ask(this.path, { who: this.secrets(), method: 'DELETE' }));
    } catch (error) {
      fill(this.progress, sentence(error, this.t));
    }
  }

  /** @param {MatchAnalysis} analysis */
  async #take(analysis) {
    const { t } = this;
    this.#analysis = analysis;
    this.judged(new Map(analysis.decisions.flatMap(({ ply, value }) => (value ? [/** @type {[number, MoveClass]} */ ([ply + 1, value.class])] : []))));
    fill(this.table, this.#seats(analysis), h('p', { class: 'soft' }, t('analysis.by', { engine: analysis.engine, nodes: analysis.nodes })));
    this.#draw();
    const costliest = analysis.costliest.map((ply) => analysis.decisions[ply]).map(async ({ ply, seat, played, value }) => {
      if (!value) return [];
      const view = (await this.views(seat)).find((frame) => frame.ply === ply)?.position;
      const { best: { move: better } } = value;
      const then = await this.#expected(value, view);
      return [{ ply, seat, better, lines: [
        `${t('analysis.cost', { lost: percent(value.loss) })} ${this.words(played.move, view)}`,
        t('analysis.better', { move: this.words(better, view) }),
        then.length > 0 ? t('analysis.expected', { moves: then.join(' → ') }) : '',
      ] }];
    });
    this.#costliest = (await Promise.all(costliest)).flat();
    this.#draw();
  }

  /**
   * The moves that are expected after the best one, in words, up to the first one that is not possible: what the player could
   * not see is drawn at random.
   * @param {NonNullable<JudgedDecision['value']>} value
   * @param {Opaque} view before the best move
   */
  async #expected({ best, line }, view) {
    const path = `/v1/games/${this.page.game}`;
    const after = async (/** @type {Opaque} */ position, /** @type {string} */ notation) => {
      if (position === null) return null;
      try {
        const { checked: [found] } = await patiently(() => ask(`${path}/legal-moves`, { body: { position, notations: [notation] } }));
        if (!found.legal) return null;
        return (await patiently(() => ask(`${path}/next-position`, { body: { position, notation, seed: 1 } }))).position;
      } catch {
        return null;
      }
    };
    const said = [];
    const then = line.slice(1, 1 + LINE);
    let position = then.length > 0 ? await after(view, best.notation) : null;
    for (const { move, notation } of then) {
      const next = await after(position, notation);
      if (next === null) break;
      said.push(this.words(move, position));
      position = next;
    }
    return said;
  }

  #draw() {
    const analysis = this.#analysis;
    if (analysis === null) return;
    const { t, page } = this;
    const plies = this.#frames.at(-1)?.ply ?? 0;
    const drawn = curves(analysis.decisions, page.seats.length, plies, page.result?.ranks ? scores(page.result.ranks) : null);
    const turns = analysis.costliest.map((ply) => analysis.decisions[ply]);
    fill(this.chart, graph({ curves: drawn, names: this.names, plies, turns, at: this.#at, go: this.go, t }));
    if (this.turns.childElementCount > 0 || this.#costliest.length < analysis.costliest.length) return;
    fill(this.turns, this.#costliest.length === 0 ? h('p', {}, t('analysis.no_turns')) : [
      h('h3', {}, t('analysis.turns')),
      h('ul', { class: 'turns' }, this.#costliest.map(({ ply, seat, better, lines: [was, instead, then] }) => h('li', {},
        h('button', { type: 'button', click: () => this.go(ply, better) }, t('analysis.turn', { ply: ply + 1, name: this.names[seat] })),
        h('span', { class: 'was' }, was), h('span', { class: 'better' }, instead), then && h('span', { class: 'soft' }, then)))),
    ]);
  }

  /**
   * A column for each seat: how well it played, and what made its result.
   * @param {MatchAnalysis} analysis
   */
  #seats({ seats }) {
    const { t } = this;
    const row = (/** @type {string} */ label, /** @type {(seat: JudgedSeat) => string} */ of) =>
      h('tr', {}, h('th', { scope: 'row' }, label), seats.map((seat) => h('td', {}, of(seat))));
    const head = (/** @type {string} */ label) => h('thead', {},
      h('tr', {}, h('th', { scope: 'col' }, label), seats.map(({ seat }) => h('th', { scope: 'col' }, this.names[seat]))));
    const classes = CLASSES.map((name, place) => row([t(`analysis.class.${name}`), MARKS[name]].filter(Boolean).join(' '),
      (seat) => String(seat.classes[place])));
    const parts = /** @type {const} */ (['own', 'others', 'luck', 'correction']);
    const account = (/** @type {JudgedSeat} */ { account: sums }, /** @type {typeof parts[number]} */ part) => (sums ? change(sums[part]) : '');
    return [
      h('table', { class: 'judged' }, head(t('analysis.played')), h('tbody', {},
        row(t('analysis.accuracy'), ({ accuracy }) => (accuracy === null ? '' : percent(accuracy / 100))), classes)),
      seats.some((seat) => seat.account) && h('table', { class: 'judged' }, head(t('analysis.account')), h('tbody', {},
        row(t('analysis.start'), ({ account: sums }) => (sums ? percent(sums.start) : '')),
        parts.map((part) => row(t(`analysis.${part}`), (seat) => account(seat, part))),
        row(t('analysis.result'), ({ account: sums }) => (sums ? percent(sums.result) : '')))),
    ];
  }
}
