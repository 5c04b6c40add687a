// A puzzle: a position of an analysed match in which one move is clearly best. The visitor makes a move on the board; the server
// answers whether it is right, with the values of all moves.

/** @import {Board, Game, LegalMove, Opaque, PuzzleShown, PuzzleSolver, PuzzleVerdict, Translate} from '../types.ts' */

import { Refused, ask, sentence } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { board as boardOf } from '../board/board.js';
import { percent, ranked } from '../board/chance.js';
import { fill, h, required } from '../lib/dom.js';
import { engineName } from '../lib/matches/match-text.js';
import { games } from '../lib/matches/lists.js';
import { link } from '../lib/matches/seats.js';
import { loadTexts, withOwnTexts } from '../lib/texts.js';
import { myToken } from '../lib/session.js';
import { Stage } from '../board/stage.js';

// How many moves are shown on the board and in words.
const [MARKED, TOLD] = [3, 6];

class PuzzlePage {
  /** @type {PuzzleShown | null} */
  #puzzle = null;

  /**
   * @param {HTMLElement} root
   * @param {{t: Translate, game: Game, board: Board}} loaded
   */
  constructor(root, { t, game, board }) {
    this.t = t;
    this.game = game;
    this.board = board;
    const { daily } = root.dataset;
    const place = h('section', { class: 'board', 'aria-label': t('match.board') });
    this.stage = new Stage(place, { board, t, play: (move) => this.#try(move), check: async (_, notations) => this.#checked(notations) });
    this.status = h('p', { class: 'status', role: 'status' });
    this.next = h('button', { type: 'button', click: () => this.#load(`next?${this.#query()}`) }, t('puzzle.next'));
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    this.solver = h('div', {});
    this.facts = h('div', { class: 'soft' });
    this.solution = h('section', { class: 'engine', 'aria-label': t('puzzle.values'), hidden: true });
    root.querySelector('noscript')?.remove();
    root.append(h('div', { class: 'bench' }, place, h('div', { class: 'tools' },
      this.status, this.solution, this.trouble,
      h('div', { class: 'asking' }, this.next, daily && h('a', { href: `/puzzles/${daily}` }, t('puzzle.daily'))),
      h('section', { 'aria-label': t('puzzle.title') }, this.solver, this.facts))));
  }

  /**
   * Shows the puzzle of the page, or the next one.
   * @param {string} [id]
   */
  async start(id) {
    await this.#load(id ?? `next?${this.#query()}`);
  }

  #query() {
    const query = new URLSearchParams({ game: this.game.slug });
    if (this.#puzzle) query.set('except', this.#puzzle.id);
    return query;
  }

  /** @param {string} path what to ask for, below `/v1/puzzles/` */
  async #load(path) {
    this.trouble.hidden = true;
    this.next.disabled = true;
    try {
      this.#show(await ask(`/v1/puzzles/${path}`, { who: { token: myToken() } }));
    } catch (error) {
      fill(this.trouble, isMissing(error) ? this.t('puzzle.none') : sentence(error, this.t));
      this.trouble.hidden = false;
    }
    this.next.disabled = false;
  }

  /** @param {PuzzleShown} puzzle */
  #show(puzzle) {
    const { t } = this;
    this.#puzzle = puzzle;
    history.replaceState(null, '', `/puzzles/${puzzle.id}`);
    this.solution.hidden = true;
    this.next.classList.remove('main');
    fill(this.status, t('puzzle.find', { seat: puzzle.seat + 1 }));
    this.status.classList.remove('solved', 'missed');
    this.#tell(puzzle.solver);
    const { rating, tries, solved } = puzzle;
    fill(this.facts, h('p', {}, t('puzzle.hard', { points: String(rating.points) })),
      tries > 0 && h('p', {}, t('puzzle.tries', { solved, tries })));
    this.#draw(puzzle.moves);
  }

  /**
   * What the visitor's try means for a rating.
   * @param {PuzzleSolver | null} solver
   */
  #tell(solver) {
    const { t } = this;
    fill(this.solver, !solver && !myToken() && h('p', {}, h('a', { href: `/account?next=${location.pathname}` }, t('puzzle.guest'))),
      solver && h('p', {}, h('b', {}, t('puzzle.rating', { points: String(solver.rating.points) }))),
      solver?.tried && h('p', {}, t('puzzle.again')));
  }

  /** @param {LegalMove[]} moves the moves to choose from; none: the puzzle is solved */
  #draw(moves) {
    const { position, seat } = shown(this.#puzzle);
    const length = this.board.points?.(position).length ?? this.game.max_seats;
    const seats = Array.from({ length }, (_, at) => ({ name: this.t('position.seat', { seat: at + 1 }), kind: 'guest', out: false }));
    this.stage.show({ view: position, me: seat, seats, turn: seat, moves, last: null });
  }

  /**
   * Which of these notations can be tried.
   * @param {string[]} notations
   */
  #checked(notations) {
    const { moves } = shown(this.#puzzle);
    return notations.map((notation) => {
      const found = moves.find((one) => one.notation === notation);
      return { notation, legal: found !== undefined, move: found?.move ?? null };
    });
  }

  /**
   * Sends a move, and shows the solution.
   * @param {LegalMove} move
   */
  async #try({ notation }) {
    const puzzle = shown(this.#puzzle);
    try {
      const verdict = await ask(`/v1/puzzles/${puzzle.id}/tries`, { body: { notation }, who: { token: myToken() } });
      this.#solved(puzzle, verdict);
    } catch (error) {
      throw new Error(isMissing(error) ? this.t('puzzle.gone') : sentence(error, this.t));
    }
  }

  /**
   * @param {PuzzleShown} puzzle
   * @param {PuzzleVerdict} verdict
   */
  #solved(puzzle, verdict) {
    const { t, stage } = this;
    const { moves, tried, best, engine, nodes, played, counted } = verdict;
    const words = (/** @type {Opaque} */ move) => stage.words(move, puzzle.position);
    this.#draw([]);
    stage.rank(moves.slice(0, MARKED).map(({ move }) => move));
    fill(this.status, this.#sentence(verdict, words));
    this.status.classList.add(tried.right ? 'solved' : 'missed');
    const where = `/games/${puzzle.game}/analysis#position=${encodeURIComponent(JSON.stringify(puzzle.position))}`;
    fill(this.solution,
      !tried.right && h('p', { class: 'yours' }, t('puzzle.best', { best: words(best.move) })),
      ranked(moves.slice(0, TOLD), words, (place) => stage.marks.focus(place)),
      h('p', { class: 'soft' }, t('puzzle.proof', { engine: engineName(engine, this.board), count: moves.length, nodes })),
      h('p', {}, t('puzzle.played', { move: words(played.move) })),
      h('p', {}, h('a', { href: `${link(verdict.match)}?ply=${verdict.ply}` }, t('puzzle.match', { ply: verdict.ply + 1 }))),
      h('p', {}, h('a', { href: where }, t('puzzle.bench'))));
    this.solution.hidden = false;
    // On a phone it is below the board.
    this.solution.scrollIntoView({ block: 'nearest' });
    this.next.classList.add('main');
    if (!counted) return;
    const { before, after } = counted;
    fill(this.solver, h('p', {}, h('b', {}, t('puzzle.changed', { before: String(before.points), after: String(after.points) }))));
  }

  /**
   * The verdict in words.
   * @param {PuzzleVerdict} verdict
   * @param {(move: Opaque) => string} words
   */
  #sentence({ right, tried, best, moves }, words) {
    const move = words(tried.move);
    if (right && tried.notation !== best.notation) return this.t('puzzle.as_good', { move, best: words(best.move) });
    if (right) return this.t('puzzle.right', { move });
    return this.t('puzzle.wrong', { move, value: percent(tried.value), lost: percent(moves[0].value - tried.value) });
  }
}

/**
 * Whether a request failed because there is no such puzzle.
 * @param {unknown} error
 */
const isMissing = (error) => error instanceof Refused && error.code === 'no_such_puzzle';

/**
 * The puzzle that is shown.
 * @param {PuzzleShown | null} puzzle
 */
function shown(puzzle) {
  if (!puzzle) throw new Error('no puzzle is shown');
  return puzzle;
}

begin(async () => {
  const root = required('#position');
  const [shared, known] = await Promise.all([loadTexts(), games()]);
  const t = withOwnTexts(shared, 'puzzle.');
  const game = known.get(root.dataset.game ?? '');
  if (!game) throw new Refused({ status: 404, code: 'unknown_game', detail: t('trouble.game') });
  const board = await boardOf(game.slug, root.dataset.own !== undefined, t);
  await new PuzzlePage(root, { t, game, board }).start(root.dataset.puzzle);
});
