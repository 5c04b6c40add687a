// Notices that the server has other pages than this one, because it was updated while the page was open, and says so.

import { ask } from '../api.js';
import { h } from '../dom.js';
import { file, loadTexts } from '../texts.js';

// The version is asked for when the page is shown again after this long.
const AGAIN_MS = 600_000;

const own = /\/web\/v\.([0-9a-f]+)\//.exec(file(''))?.[1];
let asked = Date.now();
let said = false;

/** Asks for the version of the server's pages; if it is another one, the page offers to reload itself. */
export async function checkVersion() {
  if (own === undefined || said) return;
  asked = Date.now();
  try {
    const { version } = await ask('/web/version');
    if (version === own || said) return;
    said = true;
    const t = await loadTexts();
    document.body.append(h('div', { class: 'stale', role: 'status' }, h('p', {}, t('page.stale')),
      h('button', { type: 'button', class: 'main', click: () => location.reload() }, t('page.reload'))));
  } catch {
    // Without a server there is no other version.
    said = false;
  }
}

/** Checks the version whenever the page is shown again after a while. */
export function keepFresh() {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && Date.now() - asked > AGAIN_MS) checkVersion();
  });
}
