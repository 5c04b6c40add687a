// The form that creates a tournament.

import { ask, freshKey, sentence } from './api.js';
import { begin } from './begin.js';
import { clockOf } from './challenge.js';
import { fill, h, required } from './dom.js';
import { me, myToken } from './session.js';
import { loadTexts } from './texts.js';

const form = required('#new', HTMLFormElement);
const trouble = required('.trouble', HTMLElement, form);
const field = (/** @type {string} */ name) => required(`[name="${name}"]`, HTMLInputElement, form);
const label = (/** @type {string} */ name) => /** @type {HTMLElement} */ (field(name).closest('label'));

/** Shows the fields that the chosen game and format have. */
function refresh() {
  const select = required('[name="game"]', HTMLSelectElement, form);
  const most = select.selectedOptions[0]?.dataset.seats ?? '2';
  Object.assign(field('seats'), { max: most, value: String(Math.min(Number(field('seats').value), Number(most))) });
  label('seats').hidden = most === '2';
  // Deals can be mirrored only where they hide nothing.
  const mirror = required('[name="dealing"] [value="mirror"]', HTMLOptionElement, form);
  mirror.disabled = mirror.hidden = select.selectedOptions[0]?.dataset.mirror === undefined;
  if (mirror.disabled && mirror.selected) required('[name="dealing"]', HTMLSelectElement, form).value = '';
  const format = new FormData(form).get('format');
  label('rounds').hidden = format !== 'swiss';
  const [sampled, gauntlet] = ['sampled_round_robin', 'gauntlet'].map((kind) => format === kind);
  label('games').hidden = !sampled && !gauntlet;
  label('hours').hidden = !sampled;
  label('deals').hidden = sampled || gauntlet;
  if (gauntlet) required('[name="dealing"]', HTMLSelectElement, form).value = '';
  required('[name="dealing"]', HTMLSelectElement, form).disabled = gauntlet;
  // As many games from each seat; in a gauntlet, from each that the contest gives its bots.
  const seats = gauntlet && select.selectedOptions[0]?.dataset.onlySeat !== undefined ? 1 : Number(field('seats').value);
  field('games').min = field('games').step = String(seats);
  field('games').required = gauntlet || (sampled && field('hours').value === '');
  if (Number(field('games').value) % seats !== 0) field('games').value = String(seats * Math.ceil(Number(field('games').value) / seats));
  label('pairings').hidden = format !== 'ladder';
}

/** The tournament that the form asks for, as the API takes it. */
function order() {
  const choice = new FormData(form);
  const number = (/** @type {string} */ name) => Number(choice.get(name));
  const kind = String(choice.get('format'));
  /** @type {Record<string, object>} */
  const details = {
    swiss: { rounds: number('rounds') }, ladder: { pairings: number('pairings') },
    gauntlet: { games: number('games') },
    sampled_round_robin: choice.get('hours') ? { hours: number('hours') } : { games: number('games') },
  };
  const format = { kind, ...details[kind] };
  return {
    title: String(choice.get('title')).trim(), game: choice.get('game'), format, clock: clockOf(String(choice.get('clock'))),
    seats: number('seats'), deals: label('deals').hidden ? 1 : number('deals'), ...(choice.get('dealing') ? { dealing: choice.get('dealing') } : {}), rated: choice.has('rated'),
    max_entrants: number('max_entrants'), max_running: number('max_running'), per_entrant: number('per_entrant'),
    grace_ms: 60_000 * number('grace'), ...(choice.get('window') ? { window_ms: 3_600_000 * number('window') } : {}),
  };
}

begin(async () => {
  const t = await loadTexts();
  required('#sign-in').hidden = me() !== null;
  // A title to begin with: the game and the date.
  const title = field('title');
  const select = required('[name="game"]', HTMLSelectElement, form);
  let proposed = '';
  const propose = () => {
    if (title.value !== proposed) return;
    title.value = proposed = t('tournaments.title.usual', { game: select.selectedOptions[0]?.text, date: new Date().toLocaleDateString() });
  };
  form.addEventListener('change', () => {
    refresh();
    propose();
  });
  refresh();
  propose();
  // Sent again after a failure of the network, the same order creates no second tournament.
  /** @type {{asked: string, again: string} | null} */
  let attempt = null;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    trouble.hidden = true;
    form.toggleAttribute('data-busy', true);
    const body = order();
    const asked = JSON.stringify(body);
    if (attempt?.asked !== asked) attempt = { asked, again: freshKey() };
    try {
      const { id } = await ask('/v1/tournaments', { who: { token: myToken() }, body, again: attempt.again });
      location.assign(`/tournaments/${id}`);
    } catch (error) {
      fill(trouble, h('span', {}, sentence(error, t))).hidden = false;
    } finally {
      form.toggleAttribute('data-busy', false);
    }
  });
  form.inert = false;
});
