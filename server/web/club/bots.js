// The bots' page: links to the visitor's bots, to which programs can be uploaded; the commands that put a bot online, filled in with
// a bot and its token; and a button beside each block of commands copies it.

/** @import {OwnToken, Translate} from '../types.ts' */

import { ask, sentence } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { all, fill, h, required } from '../lib/dom.js';
import { me, playerLink } from '../lib/session.js';
import { loadTexts } from '../lib/texts.js';

const SHOWN_MS = 1500;

begin(async () => {
  const t = await loadTexts();
  for (const pre of all('pre.commands')) {
    const button = h('button', { type: 'button', class: 'copy' }, t('bots.copy'));
    button.addEventListener('click', async () => {
      await copy(pre);
      button.textContent = t('bots.copied');
      setTimeout(() => { button.textContent = t('bots.copy'); }, SHOWN_MS);
    });
    const frame = h('div', { class: 'copied' });
    pre.replaceWith(frame);
    frame.append(pre, button);
  }
  const form = required('form.online', HTMLFormElement);
  const game = required('[name="game"]', HTMLSelectElement, form);
  const chosen = () => fillIn('game', game.value);
  game.addEventListener('change', chosen);
  // A browser may keep the choice when it reloads the page.
  chosen();
  if (!me()) return;
  /** @type {{bots: {name: string}[]}} */
  const { bots } = await ask('/v1/me/bots', { who: me() ?? {} });
  showOwn(required('.own-bots'), bots, t);
  offerToken(form, bots, t);
});

/**
 * Writes a value into the commands.
 * @param {string} what
 * @param {string} value
 */
function fillIn(what, value) {
  for (const place of all(`[data-fill="${what}"]`)) fill(place, value);
}

/**
 * Offers a token for one of the visitor's bots, or the way to a bot.
 * @param {HTMLFormElement} form
 * @param {{name: string}[]} bots
 * @param {Translate} t
 */
function offerToken(form, bots, t) {
  const status = required('#online ~ .status');
  const guest = required('.guest', HTMLAnchorElement, form);
  if (!bots.length) {
    guest.href = '/account#bots';
    fill(guest, t('bots.upload.go'));
    fill(status, t('bots.online.no_bot'));
    return;
  }
  guest.hidden = true;
  const bot = required('[name="bot"]', HTMLSelectElement, form);
  fill(bot, bots.map(({ name }) => h('option', { value: name }, name)));
  for (const part of ['.bot', '.make']) required(part, HTMLElement, form).hidden = false;
  fill(status, t('bots.online.choose'));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const name = bot.value;
    try {
      /** @type {OwnToken & {token: string}} */
      const made = await ask('/v1/me/tokens', { who: me() ?? {}, body: { name: 'kibitz-shim', scope: `bot:${name}` } });
      fillIn('token', made.token);
      fill(status, t('bots.online.made', { name }));
    } catch (error) {
      fill(status, sentence(error, t));
    }
  });
}

/**
 * Links the visitor's bots.
 * @param {HTMLElement} place
 * @param {{name: string}[]} bots
 * @param {Translate} t
 */
function showOwn(place, bots, t) {
  fill(place, bots.map(({ name }) => h('li', {}, h('a', { href: `${playerLink(name)}#programs` }, t('bots.upload.to', { name })))));
  place.hidden = bots.length === 0;
}

/**
 * Copies a block's text. The clipboard is available on secure connections only; elsewhere the text is selected, so that
 * the visitor can copy it.
 * @param {HTMLElement} pre
 */
async function copy(pre) {
  try {
    await navigator.clipboard.writeText(pre.textContent ?? '');
  } catch {
    getSelection()?.selectAllChildren(pre);
    document.execCommand('copy');
  }
}
