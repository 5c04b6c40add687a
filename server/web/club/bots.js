// The bots' page: links to the visitor's bots, to which programs can be uploaded; and a button beside each block of commands copies it.

/** @import {Translate} from '../types.ts' */

import { ask } from '../lib/api.js';
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
  if (me()) await showOwn(required('.own-bots'), t);
});

/**
 * Links the visitor's bots.
 * @param {HTMLElement} place
 * @param {Translate} t
 */
async function showOwn(place, t) {
  /** @type {{bots: {name: string}[]}} */
  const { bots } = await ask('/v1/me/bots', { who: me() ?? {} });
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
