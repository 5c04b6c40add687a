// The dialog that begins a match with a position: the visitor's seat, who has the others, and the clock.

/** @import {Admission, Opaque, Secrets, Translate} from '../../types.ts' */

import { ask, freshKey, sentence } from '../api.js';
import { clockChoice, clockOf } from '../clock-choice.js';
import { fill, h, required } from '../dom.js';
import { myToken } from '../session.js';
import { keep, link } from './seats.js';

const LEVELS = ['easy', 'medium', 'hard', 'max'];
const FRIEND = 'friend';
// The value of an option for a bot begins with this.
const BOT = 'bot:';

/**
 * @typedef {{game: string, position: Opaque, names: string[], turn: number, say: string, who?: Secrets}} Start
 *   `position`: as the API takes it; `names`: of the seats; `turn`: the seat to move; `say`: what is drawn at random; `who`: the
 *   secrets that show the position
 */

/**
 * Opens the dialog. It exists only while it is open.
 * @param {Start} start
 * @param {Translate} t
 */
export function playFrom({ game, position, names, turn, say, who }, t) {
  const trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
  const option = (/** @type {string} */ value, /** @type {string} */ text, selected = false) => h('option', { value, selected }, text);
  const seat = h('select', { name: 'seat' }, names.map((name, i) => option(String(i),
    i === turn ? t('from.to_move', { name }) : name, i === turn)));
  const against = h('select', { name: 'against' },
    LEVELS.map((level) => option(level, t(`engine.${level}`), level === 'medium')),
    option(FRIEND, t('from.friend')));
  // A bot can have one seat.
  if (names.length === 2) offerBots(game, against, t);
  const clocks = clockChoice();
  const close = () => dialog.close();
  const go = h('button', { class: 'main' }, t('from.go'));
  let again = freshKey();
  const form = h('form', { change: () => { again = freshKey(); }, submit: async (event) => {
    event.preventDefault();
    go.disabled = true;
    trouble.hidden = true;
    try {
      const seats = names.map((_, i) => (i === Number(seat.value) ? { kind: 'me' } : holder(against.value)));
      // A match with the cards of a private one is private, too.
      const clock = clockOf(required('select', HTMLSelectElement, clocks).value);
      const body = { game, position, seats, private: Boolean(who?.key), ...(clock ? { clock } : {}) };
      /** @type {Admission & {id: string}} */
      const admission = await ask('/v1/matches', { who: { ...who, token: myToken() ?? who?.token }, body, again });
      keep(admission.id, admission, game);
      location.assign(link(admission.id, admission.key));
    } catch (error) {
      fill(trouble, sentence(error, t)).hidden = false;
      go.disabled = false;
      trouble.scrollIntoView({ block: 'nearest' });
    }
  } }, h('h2', {}, t('from.title')), h('p', { class: 'soft' }, say),
  names.length > 1 && [h('label', {}, t('from.seat'), seat), h('label', {}, t('from.against'), against)], clocks, trouble,
  h('p', { class: 'buttons' }, go, h('button', { type: 'button', click: close }, t('report.cancel'))));
  /** @type {HTMLDialogElement} */
  const dialog = h('dialog', { class: 'from', 'aria-label': t('from.title'), close: () => dialog.remove() }, form);
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * A seat of the order.
 * @param {string} value of the chosen option
 */
function holder(value) {
  if (value === FRIEND) return { kind: 'open' };
  return value.startsWith(BOT) ? { kind: 'player', name: value.slice(BOT.length) } : { kind: 'engine', level: value };
}

/**
 * Adds the bots that are online and play the game.
 * @param {string} game
 * @param {HTMLSelectElement} select
 * @param {Translate} t
 */
async function offerBots(game, select, t) {
  try {
    /** @type {{bots: {name: string}[]}} */
    const { bots } = await ask(`/v1/bots?game=${encodeURIComponent(game)}`);
    const found = [...new Set(bots.map(({ name }) => name))];
    if (found.length === 0) return;
    select.append(h('optgroup', { label: t('from.bots') }, found.map((name) => h('option', { value: `${BOT}${name}` }, name))));
  } catch {
    // Without the list the other opponents remain.
  }
}
