// The vacation of the player, on the account's page: begun, moved and ended there.

/** @import {Translate} from '../../types.ts' */

import { ask } from '../../lib/api.js';
import { twice } from '../../lib/controls.js';
import { fill, required } from '../../lib/dom.js';
import { day, moment } from '../../lib/matches/lists.js';
import { me } from '../../lib/session.js';

const PATH = '/v1/me/vacation';
const HOURS_OF_DAY = 24;

/** @typedef {{begun_ms: number | null, until_ms: number | null, days_per_year: number, left_hours: number, latest_ms: number | null}} Vacation */

/** The part of the page with the vacation. */
export class VacationPart {
  #place = required('#vacation');
  /** @type {Vacation | null} */
  #now = null;

  /**
   * @param {Translate} t
   * @param {(act: () => Promise<unknown>) => void} attempt acts, and shows what goes wrong
   */
  constructor(t, attempt) {
    this.t = t;
    this.attempt = attempt;
    required('form', HTMLFormElement, this.#place).addEventListener('submit', (event) => {
      event.preventDefault();
      attempt(() => this.#take());
    });
  }

  /** Shows what there is. */
  async show() {
    this.#fill(await ask(PATH, { who: me() ?? {} }));
  }

  /** @param {Vacation} vacation */
  #fill(vacation) {
    const { t } = this;
    this.#now = vacation;
    const { until_ms: until, days_per_year: days, left_hours: left, latest_ms: latest } = vacation;
    const going = until !== null;
    fill(required('.now', HTMLElement, this.#place), going ? t('account.vacation.now', { date: moment(until).textContent ?? '' }) : null).hidden = !going;
    fill(required('.left', HTMLElement, this.#place), days === 0 ? t('account.vacation.off')
      : t('account.vacation.left', { left: Math.floor(left / HOURS_OF_DAY), days }));
    const form = required('form', HTMLFormElement, this.#place);
    form.hidden = latest === null;
    fill(required('label > span', HTMLElement, form), t(going ? 'account.vacation.move' : 'account.vacation.until'));
    fill(required('button', HTMLElement, form), t(going ? 'account.vacation.move.go' : 'account.vacation.go'));
    fill(required('.end', HTMLElement, this.#place), twice(t('account.vacation.end'), t('account.vacation.end.sure'), t, () => this.attempt(() => this.#end())))
      .hidden = !going;
    if (latest === null) return;
    const input = this.#input();
    input.min = local(Date.now());
    // The last day need not be a whole one.
    input.max = local(latest);
    if (until !== null) input.value = local(until - 1);
  }

  /** Begins a vacation, or moves its end: the end of the chosen day here, or the last moment that is allowed. */
  async #take() {
    const [year, month, date] = this.#input().value.split('-').map(Number);
    const end = new Date(year, month - 1, date + 1).getTime();
    const until = Math.min(end, this.#now?.latest_ms ?? end);
    this.#fill(await ask(PATH, { who: me() ?? {}, method: 'PUT', body: { until_ms: until } }));
    fill(required('.done', HTMLElement, this.#place), this.t('account.vacation.done', { date: day(until - 1).textContent ?? '' }));
  }

  async #end() {
    await ask(PATH, { who: me() ?? {}, method: 'DELETE' });
    await this.show();
    fill(required('.done', HTMLElement, this.#place), null);
  }

  #input() {
    return required('input', HTMLInputElement, this.#place);
  }
}

/**
 * The day of a time here, as a field for dates has it.
 * @param {number} ms Unix time in milliseconds
 */
function local(ms) {
  const date = new Date(ms);
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
