// The control connection of the player who is signed in: notices of challenges and matches, as they happen.

import { Live } from '../live.js';
import { Notices } from './notices.js';
import { checked, me, myToken, onSession } from '../session.js';
import { file, loadTexts } from '../texts.js';

// After this many failed connections in a row, the server is asked whether the key is valid.
const SUSPICIOUS = 4;

/**
 * Follows the connection. `showName`: called when the player may have become another one.
 * @param {() => void} showName
 */
export async function control(showName) {
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
  repairPush();
  onSession(() => (me() ? live.restart() : live.stop()));
}

/** Checks that the server knows where to notify this browser, if it does. */
async function repairPush() {
  if (!localStorage.getItem('kibitz.push')) return;
  /** @type {typeof import('../push/subscription.js')} */
  const { repair } = await import(file('lib/push/subscription.js'));
  // The next page tries again.
  await repair().catch(() => {});
}
