// The policy of a bot: the matches that its programs accept.

/** @import {BotPolicy, Child, Game, Translate} from '../../types.ts' */

import { ask, sentence } from '../../lib/api.js';
import { fill, h } from '../../lib/dom.js';
import { me } from '../../lib/session.js';

const RATED = /** @type {const} */ (['any', 'only', 'never']);
// The longest clock that the form can name, in milliseconds: no limit.
const LONGEST_MS = 1_000_000_000;
const FROM = /** @type {const} */ (['anyone', 'people', 'bots', 'owner']);

/**
 * Fills the part with the policy, which is asked for whenever the visitor opens it.
 * @param {HTMLElement} place
 * @param {string} path of the bot
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
export function showPolicy(place, path, known, t) {
  const form = h('div', {});
  /** @type {HTMLDetailsElement} */
  const box = h('details', { class: 'policy', toggle: async () => {
    if (!box.open) return;
    try {
      fill(form, policyForm(await ask(`${path}/policy`, { who: me() ?? {} }), path, known, t));
    } catch (error) {
      fill(form, h('p', { class: 'trouble', role: 'alert' }, sentence(error, t)));
    }
  } }, h('summary', {}, h('h3', {}, t('programs.policy'))), form);
  fill(place, box);
}

/**
 * @param {BotPolicy} policy
 * @param {string} path of the bot
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
function policyForm(policy, path, known, t) {
  const form = new PolicyForm(policy, known, t);
  const done = h('span', { class: 'done', role: 'status' });
  const trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    trouble.hidden = true;
    fill(done);
    try {
      await ask(`${path}/policy`, { who: me() ?? {}, method: 'PUT', body: form.policy() });
      fill(done, t('programs.policy.done'));
    } catch (error) {
      fill(trouble, sentence(error, t)).hidden = false;
    }
  };
  return h('form', { class: 'card', submit, 'aria-label': t('programs.policy') }, form.fields(), trouble,
    h('p', { class: 'buttons' }, h('button', {}, t('programs.policy.save')), done));
}

/** The fields of a policy. */
class PolicyForm {
  /**
   * @param {BotPolicy} policy
   * @param {Map<string, Game>} known
   * @param {Translate} t
   */
  constructor(policy, known, t) {
    this.t = t;
    const [least, most] = policy.clock_ms ?? [null, null];
    const seconds = (/** @type {number | null} */ ms) => h('input', { type: 'number', min: '0', max: String(LONGEST_MS / 1000), step: 'any',
      autocomplete: 'off', value: ms ? String(ms / 1000) : '' });
    const checked = (/** @type {boolean} */ is) => h('input', { type: 'checkbox', checked: is, autocomplete: 'off' });
    this.games = [...known.values()].filter(({ bot_seats: seats }) => seats.length > 0)
      .map(({ slug, title }) => ({ slug, title, box: checked(policy.games.includes(slug)) }));
    this.concurrent = h('input', { type: 'number', min: '1', max: '64', required: true, autocomplete: 'off', value: String(policy.concurrent) });
    this.rated = choice(RATED, policy.rated, (one) => t(`lobby.rated.${one}`));
    this.from = choice(FROM, policy.from, (one) => t(`programs.policy.from.${one}`));
    this.least = seconds(least);
    this.most = seconds(most === null || most >= LONGEST_MS ? null : most);
    this.unlimited = checked(policy.unlimited);
    this.ladder = checked(policy.ladder ?? true);
  }

  /** @returns {Child} */
  fields() {
    const { t } = this;
    const check = (/** @type {HTMLInputElement} */ box, /** @type {string} */ text) => h('label', { class: 'check' }, box, text);
    return [h('fieldset', {}, h('legend', {}, t('programs.policy.games')), this.games.map(({ title, box }) => check(box, title))),
      h('div', { class: 'fields' }, h('label', {}, t('programs.policy.rated'), this.rated), h('label', {}, t('programs.policy.from'), this.from),
        h('label', {}, t('programs.policy.least'), this.least), h('label', {}, t('programs.policy.most'), this.most),
        h('label', {}, t('programs.policy.concurrent'), this.concurrent)),
      check(this.unlimited, t('programs.policy.unlimited')), check(this.ladder, t('programs.policy.ladder'))];
  }

  /**
   * The policy that the form describes.
   * @returns {BotPolicy}
   */
  policy() {
    const [least, most] = [this.least, this.most].map(({ value }) => (value === '' ? null : Math.round(Number(value) * 1000)));
    const hasClock = least !== null || most !== null;
    return {
      games: this.games.filter(({ box }) => box.checked).map(({ slug }) => slug),
      concurrent: Number(this.concurrent.value),
      rated: /** @type {BotPolicy['rated']} */ (this.rated.value),
      ...(hasClock ? { clock_ms: /** @type {[number, number]} */ ([least ?? 0, most ?? LONGEST_MS]) } : {}),
      unlimited: this.unlimited.checked,
      from: /** @type {BotPolicy['from']} */ (this.from.value),
      ladder: this.ladder.checked,
    };
  }
}

/**
 * @template {string} T
 * @param {readonly T[]} all
 * @param {T} chosen
 * @param {(one: T) => string} name
 */
function choice(all, chosen, name) {
  return h('select', { autocomplete: 'off' }, all.map((one) => h('option', { value: one, selected: one === chosen }, name(one))));
}
