// One press on a game begins a match: a player with a name is paired, a guest plays against an engine.

/** @import {Admission, Translate} from '../types.ts' */

import { ask, freshKey, sentence } from '../lib/api.js';
import { clockOf } from '../lib/clock-choice.js';
import { all, fill, required } from '../lib/dom.js';
import { keep, link } from '../lib/matches/seats.js';
import { othersAfter, paired } from '../lib/pairing.js';
import { me } from '../lib/session.js';

// The level of a guest's opponent.
const LEVEL = 'medium';

/**
 * Makes the buttons work.
 * @param {Translate} t
 */
export function quick(t) {
  const [wait, trouble] = ['.quick-wait', '.quick-trouble'].map((one) => required(one));
  const say = required('.quick-say');
  required('.guest', HTMLElement, say).hidden = me() !== null;
  required('.player', HTMLElement, say).hidden = me() === null;
  const clock = clockOf(required('.quick').dataset.clock ?? '');
  const status = required('.status', HTMLElement, wait);
  const buttons = all('[data-quick]');
  /** @type {AbortController | null} */
  let waiting = null;
  required('button', HTMLButtonElement, wait).addEventListener('click', () => waiting?.abort());
  const tick = (/** @type {number} */ seconds) => fill(status, t('lobby.pair.status_all', { seconds, after: othersAfter() }));

  /** @param {string} game */
  async function begin(game) {
    const abort = new AbortController();
    waiting = abort;
    for (const button of buttons) button.toggleAttribute('disabled', true);
    trouble.hidden = true;
    wait.hidden = me() === null;
    try {
      location.assign(me() ? link(await paired({ game, clock }, { all: true, signal: abort.signal, tick })) : await alone(game));
    } catch (error) {
      if (!abort.signal.aborted) fill(trouble, sentence(error, t)).hidden = false;
    } finally {
      wait.hidden = true;
      for (const button of buttons) button.toggleAttribute('disabled', false);
    }
  }

  /**
   * A guest's match against an engine: its address.
   * @param {string} game
   */
  async function alone(game) {
    const seats = [{ kind: 'me' }, { kind: 'engine', level: LEVEL }];
    const options = JSON.parse(required(`[data-quick="${game}"]`).dataset.options ?? '{}');
    /** @type {Admission & {id: string}} */
    const admission = await ask('/v1/matches', { body: { game, seats, options, clock }, again: freshKey() });
    keep(admission.id, admission, game);
    return link(admission.id);
  }

  for (const button of buttons) button.addEventListener('click', () => begin(button.dataset.quick ?? ''));
}
