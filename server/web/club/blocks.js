// Blocks: the list on the account's page, and the button on another player's page.

/** @import {Translate} from '../types.ts' */

import { ask, sentence } from '../lib/api.js';
import { twice } from '../lib/controls.js';
import { fill, h } from '../lib/dom.js';
import { me, playerLink } from '../lib/session.js';

/** @returns {Promise<string[]>} the names of those whom the visitor has blocked */
async function blocked() {
  const list = await ask('/v1/me/blocks', { who: me() ?? {} });
  return list.blocked;
}

/**
 * Blocks a player, or ends the block.
 * @param {string} name
 * @param {'PUT' | 'DELETE'} method
 */
function change(name, method) {
  return ask(`/v1/me/blocks/${encodeURIComponent(name)}`, { who: me() ?? {}, method });
}

/**
 * Shows the players whom the visitor has blocked, each with a button that ends the block.
 * @param {HTMLElement} place
 * @param {Translate} t
 * @param {(act: () => Promise<unknown>) => void} attempt acts, and shows what goes wrong
 */
export async function showBlocked(place, t, attempt) {
  const names = await blocked();
  const line = (/** @type {string} */ name) => h('li', {}, h('a', { href: playerLink(name) }, name),
    h('span', { class: 'buttons' }, h('button', { type: 'button', 'aria-label': t('block.end.of', { name }), click: () => attempt(async () => {
      await change(name, 'DELETE');
      await showBlocked(place, t, attempt);
    }) }, t('block.end'))));
  fill(place, names.length ? names.map(line) : h('li', { class: 'soft' }, t('account.blocked.none')));
}

/**
 * Fills the place for the button that blocks a player, or ends the block: only for a visitor who is signed in as another person.
 * @param {HTMLElement} place its `data-block`: the name of the person
 * @param {Translate} t
 */
export async function offerBlock(place, t) {
  const name = place.dataset.block ?? '';
  if (!me() || me()?.name === name) return;
  const trouble = h('span', { class: 'trouble', role: 'alert' });
  const act = async (/** @type {'PUT' | 'DELETE'} */ method) => {
    fill(trouble);
    try {
      await change(name, method);
      show(method === 'PUT');
    } catch (error) {
      fill(trouble, sentence(error, t));
    }
  };
  const show = (/** @type {boolean} */ isBlocked) => fill(place, isBlocked
    ? [h('span', { class: 'soft', role: 'status' }, t('block.blocked', { name })), ' ', h('button', { type: 'button', click: () => act('DELETE') }, t('block.end'))]
    : twice(t('block.button', { name }), t('block.sure'), t, () => act('PUT')), ' ', trouble);
  show((await blocked()).includes(name));
}
