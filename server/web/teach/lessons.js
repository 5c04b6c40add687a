// The lessons of a game: positions on its board, each with a task. The visitor makes a move; the lesson answers whether it is right,
// and why. The game's folder has the positions, the answers and their texts. This browser remembers which lessons are done.

/** @import {Board, Game, LegalMove, Lesson, LessonAnswer, Opaque, Scene, Translate} from '../types.ts' */

import { Refused, ask, sentence } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { board as boardOf } from '../board/board.js';
import { fill, h, required } from '../lib/dom.js';
import { games } from '../lib/matches/lists.js';
import { file, loadTexts, withOwnTexts } from '../lib/texts.js';
import { Stage } from '../board/stage.js';

const STORE = 'kibitz.lessons';
// The seed of what is drawn after a move: a lesson ends in the same position each time.
const SEED = 1;

/**
 * The lessons that are done in this browser: ids, by game.
 * @returns {Record<string, string[]>}
 */
function stored() {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? '{}');
  } catch {
    // The stored value cannot be read: the lessons begin again.
    return {};
  }
}

/**
 * The answer to a move: the first with a pattern of which it is one.
 * @param {Lesson} lesson
 * @param {string} notation
 */
function answerTo({ answers }, notation) {
  const found = answers.find(({ moves }) => moves.some((pattern) => fits(pattern, notation)));
  if (!found) throw new Error(`no answer to the move ${notation}`);
  return found;
}

/**
 * Whether a notation fits a pattern, in which `*` is any text.
 * @param {string} pattern
 * @param {string} notation
 */
function fits(pattern, notation) {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(notation);
}

class LessonsPage {
  // The lesson that is shown, with its legal moves and the seat of the learner.
  #at = 0;
  /** @type {LegalMove[]} */
  #moves = [];
  #seat = 0;

  /**
   * `words`: the texts of the lessons.
   * @param {HTMLElement} root
   * @param {{t: Translate, game: Game, board: Board, lessons: Lesson[], words: Translate}} loaded
   */
  constructor(root, { t, game, board, lessons, words }) {
    this.t = t;
    this.game = game;
    this.board = board;
    this.lessons = lessons;
    this.words = words;
    this.path = `/v1/games/${game.slug}`;
    const place = h('section', { class: 'board', 'aria-label': t('match.board') });
    this.stage = new Stage(place, { board, t, play: (move) => this.#play(move),
      check: async (position, notations) => (await ask(`${this.path}/legal-moves`, { body: { position, notations } })).checked });
    this.list = h('ol', {});
    this.title = h('h2', {});
    this.about = h('p', { class: 'about' });
    this.status = h('p', { class: 'status', role: 'status' });
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    this.again = h('button', { type: 'button', click: () => this.#reset() }, t('lesson.again'));
    this.next = h('button', { type: 'button', class: 'main', click: () => this.#open(this.#at + 1) }, t('lesson.next'));
    this.play = h('a', { class: 'button main', href: `/games/${game.slug}#start` }, t('lesson.play'));
    this.puzzles = h('a', { class: 'button', href: root.dataset.puzzles }, t('lesson.puzzles'));
    this.section = h('section', { 'aria-label': t('lesson.title') }, this.title, this.about, this.status, this.trouble,
      h('div', { class: 'buttons' }, this.again, this.next, this.play, this.puzzles));
    root.querySelector('noscript')?.remove();
    root.append(h('div', { class: 'bench' },
      h('div', { class: 'tools' }, h('nav', { 'aria-label': t('lesson.list') }, this.list), this.section), place));
  }

  /** Shows the lesson of the address, else the first that is not done. */
  async start() {
    const named = () => this.lessons.findIndex(({ id }) => id === location.hash.slice(1));
    addEventListener('hashchange', () => {
      if (named() >= 0 && named() !== this.#at) this.#show(named());
    });
    const open = this.lessons.findIndex(({ id }) => !this.#done().includes(id));
    await this.#show(named() >= 0 ? named() : Math.max(open, 0));
  }

  #done() {
    return stored()[this.game.slug] ?? [];
  }

  /** @param {number} at */
  #open(at) {
    location.hash = this.lessons[at].id;
  }

  /** @param {number} at the place of the lesson to show */
  async #show(at) {
    this.#at = at;
    this.#moves = [];
    const { position } = this.lessons[at];
    this.#reset();
    try {
      const { moves, seat } = await ask(`${this.path}/legal-moves`, { body: { position } });
      // The visitor may have gone on.
      if (this.#at !== at) return;
      this.#moves = moves;
      this.#seat = seat;
      this.#draw({ view: position, turn: seat, moves, last: null });
    } catch (error) {
      fill(this.trouble, sentence(error, this.t)).hidden = false;
    }
  }

  // Shows the lesson before any move.
  #reset() {
    const { t, words } = this;
    const { id, position } = this.lessons[this.#at];
    fill(this.title, h('span', { class: 'soft' }, t('lesson.number', { n: this.#at + 1, count: this.lessons.length })), ' ', words(`${id}.title`));
    fill(this.about, words(id)).hidden = false;
    fill(this.status, words(`${id}.task`)).classList.remove('solved', 'missed');
    this.trouble.hidden = true;
    for (const part of [this.again, this.next, this.play, this.puzzles]) part.hidden = true;
    this.#listed();
    // A lesson without its moves is still being loaded.
    if (this.#moves.length > 0) this.#draw({ view: position, turn: this.#seat, moves: this.#moves, last: null });
  }

  #listed() {
    const done = this.#done();
    fill(this.list, this.lessons.map(({ id }, at) => h('li', {}, h('a', { href: `#${id}`, class: done.includes(id) && 'done',
      'aria-current': at === this.#at && 'step' }, h('b', {}, at + 1), ' ', h('span', { class: 'name' }, this.words(`${id}.title`)),
    done.includes(id) && h('span', { class: 'ear' }, ` (${this.t('lesson.done')})`)))));
  }

  /** @param {Pick<Scene, 'view' | 'turn' | 'moves' | 'last'>} shown */
  #draw({ view, turn, moves, last }) {
    const me = this.#seat;
    const length = this.board.points?.(view).length ?? this.game.max_seats;
    const name = (/** @type {number} */ seat) => (seat === me ? this.t('match.you') : this.t('position.seat', { seat: seat + 1 }));
    const seats = Array.from({ length }, (_, seat) => ({ name: name(seat), kind: 'guest', out: false }));
    this.stage.show({ view, me, seats, turn, moves, last }, { walk: last !== null });
  }

  /**
   * Plays a move, and shows the answer to it.
   * @param {LegalMove} chosen
   */
  async #play({ notation, move }) {
    const at = this.#at;
    const lesson = this.lessons[at];
    const before = lesson.position;
    const answer = answerTo(lesson, notation);
    /** @type {Opaque} */
    let next = null;
    try {
      next = await ask(`${this.path}/next-position`, { body: { position: before, notation, viewer: this.#seat, seed: SEED } });
    } catch (error) {
      throw new Error(sentence(error, this.t));
    }
    if (this.#at !== at) return;
    this.#draw({ view: next.position, turn: null, moves: [], last: { seat: this.#seat, move, before } });
    this.#tell(lesson, answer);
  }

  /**
   * @param {Lesson} lesson
   * @param {LessonAnswer} answer
   */
  #tell({ id }, { right, text }) {
    const { t } = this;
    const last = this.#at === this.lessons.length - 1;
    if (right && !this.#done().includes(id)) {
      localStorage.setItem(STORE, JSON.stringify({ ...stored(), [this.game.slug]: [...this.#done(), id] }));
    }
    this.#listed();
    this.about.hidden = true;
    fill(this.status, h('b', {}, t(right ? 'lesson.right' : 'lesson.wrong')), ' ', this.words(`${id}.${text}`));
    this.status.classList.add(right ? 'solved' : 'missed');
    this.again.hidden = false;
    this.next.hidden = !right || last;
    for (const link of [this.play, this.puzzles]) link.hidden = !right || !last;
    // On a small phone it is above the window. The focus moves after the stage has drawn its bar without a choice.
    this.section.scrollIntoView({ block: 'nearest' });
    requestAnimationFrame(() => (right && !last ? this.next : this.again).focus({ preventScroll: true }));
  }
}

begin(async () => {
  const root = required('#position');
  const slug = root.dataset.game ?? '';
  const folder = `games/${slug}/lessons/`;
  const [shared, known, lessons, words] = await Promise.all([loadTexts(), games(), ask(file(`${folder}lessons.json`), { cache: 'default' }), loadTexts(folder)]);
  const t = withOwnTexts(shared, 'lesson.');
  const game = known.get(slug);
  if (!game) throw new Refused({ status: 404, code: 'unknown_game', detail: t('trouble.game') });
  const board = await boardOf(slug, root.dataset.own !== undefined, t);
  await new LessonsPage(root, { t, game, board, lessons, words }).start();
});
