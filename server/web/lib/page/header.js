// The signed-in player on every page with a header: the name, and notices of challenges and matches, which the server sends
// as they happen. `begin.js` loads it on pages with a module of their own; the other pages load it directly.

import { all, fill, h } from '../dom.js';
import { me } from '../session.js';
import { file, loadTexts } from '../texts.js';

// The place of the name in the header, and its text for guests. Pages that are shown in other sites have no header.
const account = document.querySelector('a.account');
const guest = account?.textContent;

/** Shows the signed-in player in the page's header, and hides the buttons that challenge that player. */
function showName() {
  const name = me()?.name;
  if (account) fill(account, name ? h('span', { class: 'signed-in' }, name) : guest);
  for (const button of all('[data-challenge]')) button.hidden = button.dataset.challenge === name;
}

/** Follows the control connection of the player who is signed in. A guest's page does not load what it needs. */
async function follow() {
  if (!me()) return;
  /** @type {typeof import('./control.js')} */
  const { control } = await import(file('lib/page/control.js'));
  await control(showName);
}

/**
 * Begins a challenge if a button for it was pressed.
 * @param {MouseEvent} event
 */
async function pressed(event) {
  const target = event.target instanceof Element ? event.target : null;
  const card = target?.closest('a[data-card]');
  // With another key or button the link opens the page of the player elsewhere.
  if (card instanceof HTMLElement && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0) {
    event.preventDefault();
    /** @type {typeof import('./player-card.js')} */
    const { showCard } = await import(file('lib/page/player-card.js'));
    await showCard(card, await loadTexts());
    return;
  }
  const button = target?.closest('[data-challenge]');
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
