// Analysis of a finished match: what each move was worth, the verification of the record, and the record to download.

/** @import {Frame, Game, MoveClass, Opaque, Page, Secrets, Translate} from '../types.ts' */

import { ask, sentence } from '../lib/api.js';
import { patiently } from '../lib/patience.js';
import { save } from '../lib/controls.js';
import { fill, h } from '../lib/dom.js';
import { Judge } from './judge.js';

export class Analysis {
  /**
   * `views(seat)`: resolves to the frames as that seat saw them; `names`: the seats' names; `go(ply, better)`: called when
   * a ply is chosen; `better`: a move to show there; `judged(classes)`: called with the classes of all moves.
   * @param {Element} root
   * @param {{page: Page, path: string, t: Translate, game: Game, secrets: () => Secrets,
   *   views: (seat: number) => Promise<Frame[]>, words: (move: Opaque, view: Opaque) => string, names: string[],
   *   go: (ply: number, better?: Opaque) => void, judged: (classes: Map<number, MoveClass>) => void}} options
   */
  constructor(root, { page, path, t, game, secrets, views, words, names, go, judged }) {
    this.page = page;
    this.path = path;
    this.t = t;
    this.game = game;
    this.secrets = secrets;
    const judge = h('div', {});
    this.truth = h('p', { class: 'truth', role: 'status' }, t('analysis.checking'));
    fill(root, h('h2', {}, t('analysis.title')), judge, h('h2', {}, t('analysis.record')), this.truth, this.#downloads());
    this.judge = new Judge(judge, { page, path, t, secrets, views, words, names, go, judged });
    // The records of a tournament become public when it is over, so the visitor starts the check.
    if (page.tournament) fill(this.truth, h('button', { type: 'button', click: () => this.#verify() }, t('analysis.check')));
    else this.#verify();
  }

  /**
   * @param {Frame[]} frames the frames that are shown
   * @param {number} at the ply that is shown
   */
  show(frames, at) {
    this.judge.show(frames, at);
  }

  async #verify() {
    const { t } = this;
    try {
      const verdict = await patiently(() => ask(`${this.path}/record/verify`, { who: this.secrets() }));
      fill(this.truth, h('strong', {}, t(verdict.true ? 'analysis.true' : 'analysis.untrue')), ' ',
        verdict.true ? t('analysis.checked', { moves: this.page.ply }) : verdict.detail);
      this.truth.classList.toggle('bad', !verdict.true);
    } catch (error) {
      fill(this.truth, sentence(error, t));
    }
  }

  // Buttons that download the record, and the record in each of the game's own formats.
  #downloads() {
    const { t } = this;
    const get = (/** @type {string | null} */ format, /** @type {string} */ label) => h('button', { type: 'button', click: async () => {
      const query = format ? `?format=${encodeURIComponent(format)}` : '';
      try {
        const answer = await ask(`${this.path}/record${query}`, { who: this.secrets(), raw: true });
        const named = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '');
        save(await answer.blob(), named?.[1] ?? 'record');
      } catch (error) {
        fill(this.truth, sentence(error, t));
      }
    } }, label);
    // The contest's formats can only tell matches that were dealt.
    return h('p', { class: 'downloads' }, get(null, t('analysis.download')),
      !this.page.from_position && this.game.formats.map(({ name }) => get(name, t('analysis.download_as', { format: name }))));
  }
}
