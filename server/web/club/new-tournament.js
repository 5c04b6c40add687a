// The form that creates a tournament.

/** @import {Translate} from '../types.ts' */

import { ask, freshKey, sentence } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { clockOf } from '../lib/clock-choice.js';
import { fill, h, required } from '../lib/dom.js';
import { me, myToken } from '../lib/session.js';
import { language, loadTexts } from '../lib/texts.js';

const form = required('#new', HTMLFormElement);
const trouble = required('.trouble', HTMLElement, form);
const field = (/** @type {string} */ name) => required(`[name="${name}"]`, HTMLInputElement, form);
const label = (/** @type {string} */ name) =>
  /** @type {HTMLElement} */ (required(`[name="${name}"]`, HTMLElement, form).closest('label'));
const list = (/** @type {string} */ name) => required(`[name="${name}"]`, HTMLSelectElement, form);
// Describes the chosen format in a sentence or two.
const say = h('p', { class: 'soft', id: 'format-say' });

/**
 * Shows the fields that the chosen game and format have.
 * @param {Translate} t
 */
function refresh(t) {
  const game = list('game').selectedOptions[0]?.dataset ?? {};
  const format = list('format').value;
  const [sampled, gauntlet] = ['sampled_round_robin', 'gauntlet'].map((kind) => format === kind);
  fill(say, t(`tournaments.format.${format}.say`),
    gauntlet && ` ${t(game.contest === undefined ? 'tournaments.points.result' : 'tournaments.points.contest')}`);
  const most = game.seats ?? '2';
  Object.assign(field('seats'), { max: most, value: String(Math.min(Number(field('seats').value), Number(most))) });
  const shown = {
    seats: most !== '2', rounds: format === 'swiss', games: sampled || gauntlet, hours: sampled, pairings: format === 'ladder',
    deals: !sampled && !gauntlet, dealing: !gauntlet,
  };
  for (const [name, applies] of Object.entries(shown)) {
    label(name).hidden = !applies;
    // The browser checks the value of a hidden field, but not of a disabled one.
    Object.assign(form.elements.namedItem(name) ?? {}, { disabled: !applies });
  }
  // Deals can be mirrored only where they hide nothing and where the players of a table change seats.
  const mirror = required('[name="dealing"] [value="mirror"]', HTMLOptionElement, form);
  mirror.disabled = mirror.hidden = sampled || game.mirror === undefined;
  if (gauntlet || (mirror.disabled && mirror.selected)) list('dealing').value = '';
  refreshGames(t, gauntlet, sampled, gauntlet && game.onlySeat !== undefined ? 1 : Number(field('seats').value));
}

/**
 * The number of games: against each fixed opponent of a gauntlet, or of each player. A time replaces it.
 * @param {Translate} t
 * @param {boolean} gauntlet
 * @param {boolean} sampled
 * @param {number} seats as many games are played from each of this many seats; in a gauntlet, of those that the contest gives its bots
 */
function refreshGames(t, gauntlet, sampled, seats) {
  const games = field('games');
  const [name] = label('games').childNodes;
  name.textContent = t(gauntlet ? 'tournaments.games_against_each' : 'tournaments.games_each');
  if (sampled) games.disabled = field('hours').value !== '';
  games.min = games.step = String(seats);
  games.required = gauntlet || sampled;
  if (Number(games.value) % seats !== 0) games.value = String(seats * Math.ceil(Number(games.value) / seats));
}

/** The tournament that the form asks for, as the API takes it. */
function order() {
  const choice = new FormData(form);
  const number = (/** @type {string} */ name) => Number(field(name).value);
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
    seats: number('seats'), deals: choice.has('deals') ? number('deals') : 1,
    ...(choice.get('dealing') ? { dealing: choice.get('dealing') } : {}), rated: choice.has('rated'),
    max_entrants: number('max_entrants'), max_running: number('max_running'), per_entrant: number('per_entrant'),
    grace_ms: 60_000 * number('grace'), ...(choice.get('window') ? { window_ms: 3_600_000 * number('window') } : {}),
    ...(choice.get('starts') ? { starts_ms: new Date(String(choice.get('starts'))).getTime() } : {}),
  };
}

begin(async () => {
  const t = await loadTexts();
  required('#sign-in').hidden = me() !== null;
  // A title to begin with: the game and the date.
  const title = field('title');
  const today = new Date().toLocaleDateString(language(), { day: 'numeric', month: 'short', year: 'numeric' });
  let proposed = '';
  const propose = () => {
    if (title.value !== proposed) return;
    title.value = proposed = t('tournaments.title.usual', { game: list('game').selectedOptions[0]?.text, date: today });
  };
  form.addEventListener('change', () => {
    refresh(t);
    propose();
  });
  // The browser can show the fault of a field only where it can focus the field.
  form.addEventListener('invalid', ({ target }) => {
    if (target instanceof HTMLElement) target.closest('details')?.setAttribute('open', '');
  }, true);
  label('format').after(say);
  list('format').setAttribute('aria-describedby', say.id);
  refresh(t);
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
