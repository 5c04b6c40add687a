// Creates a match from the form of a game's page, stores the seat that it gives, and goes to the match.

/** @import {Admission, Translate} from '../types.ts' */

import { Refused, ask, freshKey, sentence } from '../lib/api.js';
import { clockOf } from '../lib/clock-choice.js';
import { all, required } from '../lib/dom.js';
import { restart } from '../teach/guide.js';
import { keep, link, myName } from '../lib/matches/seats.js';
import { me, myToken } from '../lib/session.js';

// The opponent of a match with tips.
const GUIDED = 'guided';

// Values of the choice of a clock: none, and the one of a rated match unless another is chosen.
const [NO_CLOCK, USUAL_CLOCK] = ['0 0 0', '600000 5000 0'];

/**
 * Makes a form work. `words`: a promise of the pages' texts, needed only for an error.
 * @param {HTMLFormElement} form
 * @param {Promise<Translate>} words
 */
export function start(form, words) {
  const trouble = required('.trouble', HTMLElement, form);
  const name = required('[name="name"]', HTMLInputElement, form);
  const player = me();
  name.value = player ? '' : myName();
  for (const label of all('label', form)) if (label.contains(name)) label.hidden = player !== null;
  const rated = required('[name="rated"]', HTMLInputElement, form);
  rated.disabled = player === null;
  required('#no-rating', HTMLElement, form).hidden = player !== null;
  const clock = required('[name="clock"]', HTMLSelectElement, form);
  // A rated match has a clock: the box chooses one.
  rated.addEventListener('change', () => {
    if (rated.checked && clock.value === NO_CLOCK) clock.value = USUAL_CLOCK;
  });
  const refresh = () => {
    const players = Number(new FormData(form).get('seats'));
    form.toggleAttribute('data-alone', players === 1);
    form.toggleAttribute('data-many', players > 2);
    for (const label of all('.mixed [data-seat]', form)) label.hidden = Number(label.dataset.seat) >= players;
    const why = unrated(form);
    for (const reason of all('[data-why]', form)) reason.hidden = !why.includes(reason.dataset.why ?? '');
    for (const button of all('button[name="against"]', form)) button.toggleAttribute('disabled', why.length > 0);
    if (why.length > 0) required('.more-choices', HTMLDetailsElement, form).open = true;
  };
  form.addEventListener('change', refresh);
  refresh();
  // The same order sent again, after a double click or a network failure, creates no second match.
  /** @type {{asked: string, key: string} | null} */
  let attempt = null;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const against = event.submitter instanceof HTMLButtonElement ? event.submitter.value : 'medium';
    const body = order(form, against);
    const asked = JSON.stringify(body);
    if (attempt?.asked !== asked) attempt = { asked, key: freshKey() };
    form.toggleAttribute('data-busy', true);
    trouble.hidden = true;
    try {
      /** @type {Admission & {id: string}} */
      const admission = await ask('/v1/matches', { who: { token: myToken() }, body, again: attempt.key });
      if (!player) myName(name.value.trim());
      keep(admission.id, admission, form.dataset.game);
      attempt = null;
      if (against === GUIDED) restart(form.dataset.game ?? '');
      location.assign(link(admission.id, admission.key));
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'unreachable')) attempt = null;
      // If the texts could not be loaded either, the page said so when it started.
      trouble.textContent = sentence(error, await words.catch(() => () => ''));
      trouble.hidden = false;
    } finally {
      form.toggleAttribute('data-busy', false);
    }
  });
  form.inert = false;
}

/**
 * The match that the form asks for, as the API takes it. `against`: the value of the pressed button.
 * @param {HTMLFormElement} form
 * @param {string} against
 */
export function order(form, against) {
  const choice = new FormData(form);
  const field = (/** @type {string} */ name) => String(choice.get(name) ?? '');
  const players = against === 'alone' ? 1 : Number(field('seats'));
  const name = field('name').trim();
  const me = name ? { kind: 'me', name } : { kind: 'me' };
  /** @type {{kind: string, name?: string, level?: string}[]} */
  const seats = [];
  for (let seat = 1; seat < players; seat += 1) {
    seats.push(opponent(against === 'mixed' ? field(`opponent${seat}`) : against));
  }
  const place = { first: 0, last: players - 1 }[field('seat')] ?? Math.floor(Math.random() * players);
  seats.splice(place, 0, me);
  const hints = { yes: true, no: false }[field('hints')];
  const clock = clockOf(field('clock'));
  const rated = choice.has('rated') ? { rated: true } : {};
  const options = chosenOptions(choice);
  return { game: form.dataset.game, seats, private: field('private') !== '', hints, ...options, ...(clock ? { clock } : {}), ...rated };
}

/**
 * The game's own options as the form has them; nothing if it has none, so that the usual ones hold.
 * @param {FormData} choice
 */
function chosenOptions(choice) {
  const options = [...choice].flatMap(([name, value]) => (name.startsWith('option.') ? [[name.slice('option.'.length), value]] : []));
  return options.length > 0 ? { options: Object.fromEntries(options) } : {};
}

/**
 * The reasons that the match cannot be rated as the form asks, as their keys on the page; the server has the same rules.
 * @param {HTMLFormElement} form
 */
function unrated(form) {
  const choice = new FormData(form);
  if (!choice.has('rated')) return [];
  const broken = {
    clock: choice.get('clock') === NO_CLOCK,
    private: choice.get('private') !== '',
    hints: choice.get('hints') === 'yes',
    alone: choice.get('seats') === '1',
  };
  return Object.entries(broken).filter(([, is]) => is).map(([why]) => why);
}

/** @param {string} who */
function opponent(who) {
  if (who === GUIDED) return { kind: 'engine', level: 'easy' };
  return who === 'friend' ? { kind: 'open' } : { kind: 'engine', level: who };
}
