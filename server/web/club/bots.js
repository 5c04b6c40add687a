// The bots' page: a button beside each block of commands copies it.

import { begin } from '../lib/page/begin.js';
import { all, h } from '../lib/dom.js';
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
});

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
