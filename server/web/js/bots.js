// The bots' page: commands are copied with one click.

import { begin } from './begin.js';
import { h } from './dom.js';
import { words } from './words.js';

const SHOWN_MS = 1500;

begin(async () => {
  const t = await words();
  for (const pre of document.querySelectorAll('pre.commands')) {
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

// The clipboard is there on safe connections only; elsewhere the text is selected, to be copied by hand.
async function copy(pre) {
  try {
    await navigator.clipboard.writeText(pre.textContent);
  } catch {
    getSelection().selectAllChildren(pre);
    document.execCommand('copy');
  }
}
