// The versions of a bot's program, for its owner: their facts, the reports of their checks, and what can be done with each.

/** @import {BotProgram, Child, Game, ProgramReport, ProgramResults, Translate} from '../../types.ts' */

import { ask, sentence } from '../../lib/api.js';
import { save, twice } from '../../lib/controls.js';
import { all, fill, h, required } from '../../lib/dom.js';
import { moment } from '../../lib/matches/lists.js';
import { me } from '../../lib/session.js';
import { hashShown, sizeOf, titleOf } from './program-text.js';

export class Versions {
  root = h('ol', { class: 'versions' });
  /** The elements that are shown, with what they show, by number. @type {Map<number, {element: HTMLElement, content: string}>} */
  #shown = new Map();
  /** The program whose report is open. @type {number | null} */
  #open = null;
  /** The program that the visitor has just changed. @type {number | null} */
  #changedNumber = null;

  /**
   * @param {{path: string, name: string, known: Map<string, Game>, t: Translate, changed: () => Promise<void>}} options `path`: of
   *   the bot; `name`: the bot's; `changed`: called after a change
   */
  constructor({ path, name, known, t, changed }) {
    this.path = path;
    this.name = name;
    this.known = known;
    this.t = t;
    this.changed = changed;
  }

  /**
   * Opens the report of this program when it comes.
   * @param {number} number
   */
  open(number) {
    this.#open = number;
  }

  /**
   * Shows the programs. The element of an unchanged one stays, and with it the keyboard focus.
   * @param {BotProgram[]} programs
   */
  show(programs) {
    const before = this.#shown;
    this.#shown = new Map(programs.map((program) => {
      const content = JSON.stringify(program);
      const known = before.get(program.number);
      // A note that is being written stays.
      const isKept = known?.content === content || (program.number !== this.#changedNumber && known?.element.querySelector('form'));
      return [program.number, known && isKept ? known : { element: this.#element(program), content }];
    }));
    const elements = [...this.#shown.values()].map(({ element }) => element);
    for (const old of all('li[data-number]', this.root)) if (!elements.includes(old)) old.remove();
    elements.forEach((element, place) => {
      if (this.root.children[place] !== element) this.root.insertBefore(element, this.root.children[place] ?? null);
    });
  }

  /** @param {BotProgram} program */
  #element(program) {
    const { t } = this;
    const { number, state, note, size, created_ms, published, disabled, report, results } = program;
    const trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    const title = h('h3', { tabindex: '-1' }, titleOf(program, this.known, t), ' ',
      h('span', { class: ['tag', state] }, t(`programs.state.${state}`)),
      published && [' ', h('span', { class: 'tag' }, t('programs.published'))]);
    return h('li', { data: { number } }, title,
      h('p', { class: 'facts' }, h('span', {}, moment(created_ms)), h('span', {}, sizeOf(size, t)), hashShown(program, t)),
      this.#results(results),
      this.#note(number, note, trouble),
      disabled !== undefined && h('p', { class: 'trouble' }, t('programs.disabled', { reason: disabled })),
      state === 'checking' && h('div', { class: 'checking' }, h('progress', { 'aria-label': t('programs.state.checking') }),
        h('p', { class: 'soft' }, t('programs.checking'))),
      report && this.#report(report, number),
      h('p', { class: 'buttons' }, this.#buttons(program, trouble)), trouble);
  }

  /**
   * @param {BotProgram} program
   * @param {HTMLElement} trouble
   */
  #buttons({ number, state, published, disabled }, trouble) {
    const { t } = this;
    const change = (/** @type {string} */ label, /** @type {object} */ body) => h('button', { type: 'button',
      'aria-label': t('programs.of', { action: t(label), number }),
      click: () => this.#act(trouble, number, () => this.#patch(number, body)) }, t(label));
    const isIdle = ['ready', 'retired'].includes(state) && disabled === undefined;
    return [
      isIdle && change('programs.activate', { state: 'active' }),
      state === 'active' && change('programs.retire', { state: 'retired' }),
      state !== 'checking' && state !== 'refused' && change(published ? 'programs.unpublish' : 'programs.publish', { published: !published }),
      h('button', { type: 'button', 'aria-label': t('programs.of', { action: t('programs.download'), number }),
        click: () => this.#act(trouble, null, () => this.#download(number)) }, t('programs.download')),
      twice(t('programs.delete'), t('programs.delete.sure', { number }), t, () => this.#act(trouble, number, () =>
        ask(`${this.path}/programs/${number}`, { who: me() ?? {}, method: 'DELETE' }))),
    ];
  }

  /**
   * @param {number} number
   * @param {object} body
   */
  #patch(number, body) {
    return ask(`${this.path}/programs/${number}`, { who: me() ?? {}, method: 'PATCH', body });
  }

  /** @param {number} number */
  async #download(number) {
    const answer = await ask(`${this.path}/programs/${number}/module`, { who: me() ?? {}, raw: true });
    save(await answer.blob(), `${this.name}-${number}.wasm`);
  }

  /**
   * Acts, and shows what goes wrong. `number`: the program that it changes; it gets the focus, because the button may be gone.
   * @param {HTMLElement} trouble
   * @param {number | null} number
   * @param {() => Promise<unknown>} act
   */
  async #act(trouble, number, act) {
    try {
      trouble.hidden = true;
      await act();
      if (number === null) return;
      this.#changedNumber = number;
      await this.changed();
      const next = this.#shown.get(number)?.element ?? this.root.querySelector('li');
      next?.querySelector('h3')?.focus({ preventScroll: true });
    } catch (error) {
      fill(trouble, sentence(error, this.t)).hidden = false;
    } finally {
      this.#changedNumber = null;
    }
  }

  /**
   * What the program has achieved. Its mistakes are among the faults of the bot, further down on the page.
   * @param {ProgramResults} results
   * @returns {Child}
   */
  #results({ won, drawn, lost, mistakes, rating }) {
    const { t } = this;
    const played = won + drawn + lost;
    return [
      played > 0 && h('p', { class: 'results' }, t('programs.results', { played, won, drawn, lost, mistakes }),
        mistakes > 0 && [' ', h('a', { href: '#faults' }, t('faults.title'))]),
      rating && h('p', { class: 'results' }, t('programs.rated', { ...rating, points: String(rating.points) })),
    ];
  }

  /**
   * The note, and a form that changes it.
   * @param {number} number
   * @param {string} note
   * @param {HTMLElement} trouble
   */
  #note(number, note, trouble) {
    const { t } = this;
    const place = h('div', { class: 'note' });
    const change = note ? 'programs.note.edit' : 'programs.note.add';
    const calm = () => fill(place, note && h('span', {}, note), ' ', h('button', { type: 'button', class: 'quiet',
      'aria-label': t('programs.of', { action: t(change), number }), click: () => edit() }, t(change)));
    const edit = () => {
      const input = h('input', { value: note, maxlength: '200', autocomplete: 'off', 'aria-label': t('programs.note.of', { number }) });
      fill(place, h('form', { class: 'inline', submit: (event) => {
        event.preventDefault();
        if (input.value.trim() === note) back();
        else this.#act(trouble, number, () => this.#patch(number, { note: input.value.trim() }));
      } }, input, h('button', {}, t('programs.note.save')), h('button', { type: 'button', click: () => back() }, t('programs.note.cancel'))));
      input.focus();
    };
    const back = () => {
      calm();
      required('button', HTMLButtonElement, place).focus();
      // The program may have changed meanwhile. If the request fails, what is shown stays.
      this.changed().catch(() => {});
    };
    calm();
    return place;
  }

  /**
   * The report of a check: its result in a sentence, and below it the whole report, which is English.
   * @param {ProgramReport} report
   * @param {number} number
   */
  #report({ passed, matches, moves, mistakes, lines }, number) {
    const { t } = this;
    const result = passed ? (mistakes > 0 ? 'mistakes' : 'clean') : (matches > 0 ? 'refused' : 'no_match');
    // The first line names the game and the hash, and the last one says the result again.
    const told = lines.slice(1, -1);
    return h('details', { class: 'check-report', open: !passed || mistakes > 0 || this.#open === number },
      h('summary', { class: result }, t(`programs.report.${result}`)),
      matches > 0 && h('p', {}, t('programs.report.counts', { matches, moves, mistakes })),
      h('div', { class: 'report', lang: 'en', tabindex: '0', role: 'region', 'aria-label': t('programs.report.of', { number }) }, reportLines(told)));
  }
}

/**
 * The lines of a report: facts as a list, with what belongs to a fact below it.
 * @param {string[]} lines
 * @returns {Child}
 */
function reportLines(lines) {
  /** @type {{text: string, below: string[]}[]} */
  const facts = [];
  for (const line of lines) {
    const last = facts.at(-1);
    if (line.startsWith('    ') && last) last.below.push(line.slice(4));
    else facts.push({ text: line.trim(), below: [] });
  }
  return h('ul', {}, facts.map(({ text, below }) => h('li', {}, text, below.length > 0 && h('pre', {}, below.join('\n')))));
}
