// The signed-in player on every page with a header: the name, and notices of challenges and matches, which the server sends
// as they happen. `begin.js` loads it on pages with a module of their own; the other pages load it directly.

import { all, fill, h } from '../dom.js';
import { Live } from '../live.js';
import { Notices } from './notices.js';
import { checked, me, myToken, onSession } from '../session.js';
import { file, loadTexts } from '../texts.js';

// After this many failed connections in a row, the server is asked whether the key is valid.
const SUSPICIOUS = 4;

// The place of the name in the header, and its text for guests. Pages that are shown in other sites have no header.
const account = document.querySelector('a.account');
const guest = account?.textContent;

/** Shows the signed-in player in the page's header, and hides the buttons that challenge that player. */
function showName() {
  const name = me()?.name;
  if (account) fill(account, name ? h('span', { class: 'signed-in' }, name) : guest);
  for (const button of all('[data-challenge]')) button.hidden = button.dataset.challenge === name;
}

/** Follows the control connection of the player who is signed in. */
async function follow() {
  if (!me()) return;
  let player;
  try {
    player = await checked();
  } catch {
    // The server cannot be reached: the connection below tries again.
    player = me();
  }
  showName();
  const notices = new Notices(await loadTexts());
  if (!player) {
    notices.signedOut();
    return;
  }
  let failures = 0;
  const live = new Live({
    path: '/v1/me', secrets: () => ({ token: myToken() }), seq: () => 0,
    heard: (event) => notices.heard(/** @type {any} */ (event)),
    state: async (name) => {
      if (name === 'open') failures = 0;
      if (name !== 'lost') return;
      notices.forget();
      failures += 1;
      // The key may have been replaced on another device.
      if (failures % SUSPICIOUS !== 0 || await checked().catch(me)) return;
      live.stop();
      showName();
      notices.signedOut();
    },
  });
  live.start();
  onSession(() => (me() ? live.restart() : live.stop()));
}

/**
 * Begins a challenge if a button for it was pressed.
 * @param {MouseEvent} event
 */
async function pressed(event) {
  const button = event.target instanceof Element ? event.target.closest('[data-challenge]') : null;
  if (!(button instanceof HTMLElement)) return;
  if (!me()) {
    location.assign(`/account?next=${encodeURIComponent(location.pathname + location.search)}`);
    return;
  }
  /** @type {typeof import('./challenge.js')} */
  const { challenge } = await import(file('lib/page/challenge.js'));
  challenge(button.dataset, await loadTexts());
}

if (account) {
  showName();
  document.addEventListener('click', pressed);
  follow().catch(() => {
    // The server cannot be reached; the page's own module says so.
  });
}
