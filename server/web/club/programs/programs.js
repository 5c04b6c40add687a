// The programs of a bot on its page: for its owner the upload, the versions, the fuel and the policy; for everybody else the
// programs that play and those that are published.

/** @import {BotProgram, BotPrograms, Game, PublicProgram, Translate} from '../../types.ts' */

import { ask, sentence } from '../../lib/api.js';
import { fill, h, required } from '../../lib/dom.js';
import { me } from '../../lib/session.js';
import { showPolicy } from './policy.js';
import { hashShown, titleOf } from './program-text.js';
import { uploadForm } from './upload.js';
import { Versions } from './versions.js';

// How long after an answer a running check is asked for again.
const REFRESH_MS = 1000;

/**
 * Fills the part.
 * @param {HTMLElement} root its `data-programs`: the bot's name; its `data-owner`: the owner's
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
export async function showPrograms(root, known, t) {
  const place = required('.program-list', HTMLElement, root);
  const name = root.dataset.programs ?? '';
  try {
    if (me() !== null && me()?.name === root.dataset.owner) await new OwnPrograms(place, name, known, t).show();
    else await showPublic(place, name, known, t);
  } catch (error) {
    fill(place, h('p', { class: 'trouble' }, sentence(error, t)));
  }
  root.hidden = place.childElementCount === 0;
  // The part was not there yet when the browser looked for it.
  if (location.hash === `#${root.id}`) root.scrollIntoView();
}

/**
 * Shows what everybody may know.
 * @param {HTMLElement} place
 * @param {string} name
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
async function showPublic(place, name, known, t) {
  const path = `/v1/players/${encodeURIComponent(name)}/programs`;
  /** @type {{programs: PublicProgram[]}} */
  const { programs } = await ask(path);
  if (programs.length === 0) return;
  fill(place, h('p', { class: 'soft' }, t('programs.public')), h('ul', { class: 'versions' }, programs.map((program) => h('li', {},
    h('h3', {}, titleOf(program, known, t), program.active && [' ', h('span', { class: 'tag active' }, t('programs.state.active'))],
      program.published && [' ', h('span', { class: 'tag' }, t('programs.published'))]),
    h('p', { class: 'facts' }, hashShown(program, t)),
    program.published && h('p', { class: 'buttons' },
      h('a', { class: 'button', href: `${path}/${program.number}/module`, download: true }, t('programs.download')))))));
}

/** The part for the owner. */
class OwnPrograms {
  #status = h('p', { class: 'soft', role: 'status' });
  #fuel = h('div', { class: 'fuel' });
  #policy = h('div', {});
  #none = h('p', { class: 'soft', hidden: true });
  /** The states that were shown, by number. @type {Map<number, string>} */
  #states = new Map();
  #hasPolicy = false;
  #asked = 0;

  /**
   * @param {HTMLElement} place
   * @param {string} name the bot's
   * @param {Map<string, Game>} known
   * @param {Translate} t
   */
  constructor(place, name, known, t) {
    this.t = t;
    this.known = known;
    this.path = `/v1/me/bots/${encodeURIComponent(name)}`;
    this.versions = new Versions({ path: this.path, name, known, t, changed: () => this.show() });
    fill(this.#none, t('programs.none'));
    const { form, choose } = uploadForm(`${this.path}/programs`, known, t, (program) => this.#uploaded(program));
    this.choose = choose;
    fill(place, h('p', {}, t('programs.say'), ' ', h('a', { href: '/bots#upload' }, t('programs.how'))), form, this.#status,
      this.#none, this.versions.root, this.#fuel, this.#policy);
  }

  /** Asks for the programs and shows them; again while one is checked. */
  async show() {
    const asked = (this.#asked += 1);
    /** @type {BotPrograms} */
    const { programs, fuel } = await ask(`${this.path}/programs`, { who: me() ?? {} });
    if (asked !== this.#asked) return;
    this.#announce(programs);
    this.versions.show(programs);
    this.#none.hidden = programs.length > 0;
    this.#showFuel(fuel, programs.length > 0);
    if (programs.length > 0 && !this.#hasPolicy) {
      this.#hasPolicy = true;
      this.choose(programs[0].game);
      showPolicy(this.#policy, this.path, this.known, this.t);
    }
    if (programs.some(({ state }) => state === 'checking')) this.#again();
  }

  // A failure of the network or the server may pass.
  #again() {
    const asked = this.#asked;
    setTimeout(() => {
      if (asked === this.#asked) this.show().catch(() => this.#again());
    }, REFRESH_MS);
  }

  /** @param {BotProgram} program */
  async #uploaded(program) {
    const isKnown = this.#states.has(program.number);
    this.versions.open(program.number);
    // Its check may have ended before the programs are asked for.
    if (!isKnown) this.#announce([program]);
    await this.show();
    if (isKnown) fill(this.#status, this.t('programs.known', { number: program.number }));
  }

  /**
   * Says the end of a check, and that one runs.
   * @param {BotProgram[]} programs
   */
  #announce(programs) {
    const { t } = this;
    for (const { number, state } of programs) {
      const before = this.#states.get(number);
      if (state === before) continue;
      const ended = before === 'checking';
      if (state === 'checking' || ended) fill(this.#status, t(`programs.now.${state}`, { number }));
      this.#states.set(number, state);
    }
  }

  /**
   * @param {BotPrograms['fuel']} fuel
   * @param {boolean} isShown
   */
  #showFuel({ used_s: used, allowance_s: allowance }, isShown) {
    const { t } = this;
    const minutes = (/** @type {number} */ seconds) => Number((seconds / 60).toFixed(seconds < 600 ? 1 : 0));
    const text = t('programs.fuel.used', { used: minutes(used), allowance: minutes(allowance) });
    fill(this.#fuel, isShown && [h('h3', {}, t('programs.fuel')),
      h('progress', { max: String(allowance), value: String(Math.min(used, allowance)), 'aria-label': t('programs.fuel') }),
      h('p', { class: 'soft' }, text, ' ', t('programs.fuel.say'))]);
  }
}
