// Opens a file of a finished match on the analysis board: chosen with a button, or dropped on the page. The server reads it, and
// stores nothing. If the server has the match itself, a link leads to its replay.

/** @import {FileAnswer, Translate} from '../types.ts' */
/** @import {Step} from './position-line.js' */

import { Refused, ask } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { link } from '../lib/matches/seats.js';
import { myToken } from '../lib/session.js';

export class MatchFile {
  /** @type {File | null} */
  #file = null;

  /**
   * `path`: of the game in the API; `show(steps)`: called with the positions of the match; `attempt(act)`: runs `act` and shows its
   * failure.
   * @param {{t: Translate, path: string, show: (steps: Step[]) => void, attempt: (act: () => Promise<void>) => Promise<void>}} options
   */
  constructor(options) {
    const { t } = options;
    this.options = options;
    /** @type {HTMLInputElement} */
    this.chooser = h('input', { type: 'file', id: 'match-file', change: () => this.open(this.chooser.files?.[0] ?? null) });
    /** @type {HTMLSelectElement} */
    this.choice = h('select', { id: 'match-of-file', change: () => this.#read(Number(this.choice.value)) });
    this.several = h('p', { class: 'asking', hidden: true }, h('label', { for: 'match-of-file' }, t('file.match')), this.choice);
    this.said = h('p', { class: 'soft', role: 'status' });
    this.replay = h('p', {});
    this.root = h('section', { 'aria-label': t('file.title') },
      h('label', { for: 'match-file' }, t('file.title')), h('p', { class: 'soft' }, t('file.say')), this.chooser, this.several, this.said, this.replay);
  }

  /**
   * Takes files that are dropped here.
   * @param {HTMLElement} place
   */
  listen(place) {
    const isFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files') ?? false;
    place.addEventListener('dragover', (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      place.classList.add('dropping');
    });
    for (const end of ['dragleave', 'drop']) place.addEventListener(end, () => place.classList.remove('dropping'));
    place.addEventListener('drop', (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      this.open(event.dataTransfer?.files[0] ?? null);
    });
  }

  /** @param {File | null} file */
  async open(file) {
    if (file === null) return;
    this.#file = file;
    fill(this.choice);
    await this.#read(0);
  }

  /** @param {number} wanted the number of the match in the file */
  async #read(wanted) {
    const { t, path, show, attempt } = this.options;
    const file = this.#file;
    if (file === null) return;
    fill(this.said);
    fill(this.replay);
    await attempt(async () => {
      /** @type {FileAnswer} */
      const answer = await ask(`${path}/files?match=${wanted}`, { file });
      if (file !== this.#file) return;
      if (this.choice.options.length !== answer.matches.length) {
        fill(this.choice, answer.matches.map((label, n) => h('option', { value: String(n) }, label || String(n + 1))));
      }
      this.choice.value = String(answer.shown);
      this.several.hidden = answer.matches.length < 2;
      const moves = answer.turns.filter(({ played }) => played !== null).length;
      fill(this.said, [file.name, t('file.moves', { count: moves }), answer.names.filter(Boolean).join(', '), ...answer.notes].filter(Boolean).join(' · '));
      show(steps(answer, t));
      if (answer.id !== null) await this.#offerReplay(answer.id, file);
    });
  }

  /**
   * Links to the replay of a match that the server has and shows.
   * @param {string} id
   * @param {File} file
   */
  async #offerReplay(id, file) {
    try {
      const { stage } = await ask(`/v1/matches/${id}`, { who: { token: myToken() } });
      if (stage === 'over' && file === this.#file) fill(this.replay, h('a', { href: link(id) }, this.options.t('file.replay')));
    } catch (error) {
      // The match is of another server, or was deleted.
      if (!(error instanceof Refused)) throw error;
    }
  }
}

/**
 * The positions of a match as a line of the analysis board.
 * @param {FileAnswer} answer
 * @param {Translate} t
 * @returns {Step[]}
 */
function steps({ turns, end }, t) {
  const last = (/** @type {FileAnswer['turns'][number] | undefined} */ turn) =>
    turn?.played ? { seat: turn.seat, move: turn.played.move, before: turn.position } : null;
  const note = (/** @type {string | undefined} */ fault) => (fault === undefined ? '' : t('file.fault', { what: fault }));
  const line = turns.map(({ seat, position, fault }, n) => ({
    position, seat, moves: [], unread: true, last: last(turns[n - 1]), points: null, note: note(fault),
  }));
  if (!end) return line;
  return [...line, { position: end.position, seat: null, moves: [], last: last(turns.at(-1)), points: end.points }];
}
