// The dialog that challenges a player to a match.

/** @import {Translate} from '../../types.ts' */

import { ask, freshKey, sentence } from '../api.js';
import { clockOf } from '../clock-choice.js';
import { all, fill, required } from '../dom.js';
import { myToken } from '../session.js';

/**
 * Opens the dialog. `data`: of the button that was pressed: the player's name, the game proposed, the games that a bot plays.
 * @param {DOMStringMap} data
 * @param {Translate} t
 */
export function challenge({ challenge: name = '', game, games }, t) {
  const dialog = required('#challenge', HTMLDialogElement);
  const form = required('form', HTMLFormElement, dialog);
  const trouble = required('.trouble', HTMLElement, form);
  fill(required('.name', HTMLElement, form), name);
  const select = required('[name="game"]', HTMLSelectElement, form);
  const offered = games?.split(' ');
  for (const option of select.options) option.disabled = option.hidden = offered !== undefined && !offered.includes(option.value);
  const playable = [...select.options].filter((option) => !option.disabled);
  select.value = playable.find((option) => option.value === game)?.value ?? playable[0]?.value ?? '';
  trouble.hidden = true;
  const again = freshKey();
  form.onsubmit = async (event) => {
    event.preventDefault();
    form.toggleAttribute('data-busy', true);
    try {
      const path = `/v1/players/${encodeURIComponent(name)}/challenges`;
      await ask(path, { who: { token: myToken() }, body: proposal(form), again });
      dialog.close();
    } catch (error) {
      fill(trouble, sentence(error, t)).hidden = false;
    } finally {
      form.toggleAttribute('data-busy', false);
    }
  };
  form.onchange = () => { trouble.hidden = true; };
  keepRated(form);
  required('.cancel', HTMLButtonElement, form).onclick = () => dialog.close();
  dialog.showModal();
}

/** @param {HTMLFormElement} form */
function proposal(form) {
  const choice = new FormData(form);
  const seat = String(choice.get('seat') ?? '');
  return { ...terms(form), ...(seat === '' ? {} : { seat: Number(seat) }), open_ms: Number(choice.get('open_ms')) };
}

/**
 * The game, the clock, and whether the match is rated, as a form has them.
 * @param {HTMLFormElement} form
 */
export function terms(form) {
  const choice = new FormData(form);
  const clock = clockOf(String(choice.get('clock') ?? ''));
  return { game: String(choice.get('game')), rated: choice.has('rated') && clock !== undefined, ...(clock ? { clock } : {}) };
}

/**
 * Only a match with a clock can be rated: without one the form says so.
 * @param {HTMLFormElement} form
 */
export function keepRated(form) {
  const clock = required('[name="clock"]', HTMLSelectElement, form);
  const rated = required('[name="rated"]', HTMLInputElement, form);
  const refresh = () => {
    rated.disabled = clockOf(clock.value) === undefined;
    for (const why of all('.why', form)) why.hidden = !rated.disabled;
  };
  clock.onchange = refresh;
  refresh();
}
