// The player who is signed in with this browser. The player's key stays in the browser's own storage; it never goes into a
// URL that is sent.

import { Refused, ask } from './api.js';

const STORE = 'kibitz.player';

/**
 * @typedef {object} Session
 * @property {string} name
 * @property {string} token
 * @property {string} [id] of the token, if a sign-in made it; otherwise the token is the key
 * @property {number} [until] when such a token expires
 * @property {string} [kept] the key, if this browser keeps it beside such a token
 * @property {string} [next] a new key that the server may have taken already
 */

/**
 * The player who is signed in; null: none.
 * @returns {Session | null}
 */
export function me() {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? 'null');
  } catch {
    return null;
  }
}

/** The token of the player who is signed in, if there is one. */
export function myToken() {
  return me()?.token;
}

/** The key of the player who is signed in, if this browser keeps it. */
export function myKey() {
  const session = me();
  return session?.kept ?? (session?.id ? undefined : session?.token);
}

/**
 * Signs a player in.
 * @param {Session} session
 */
export function signIn(session) {
  localStorage.setItem(STORE, JSON.stringify(session));
  sessionStorage.removeItem(REFUSED);
}

/** Signs out. */
export function signOut() {
  try {
    localStorage.removeItem(STORE);
  } catch {
    // Without storage no player is signed in.
  }
}

/**
 * Calls `act` when another tab signs in or out.
 * @param {() => void} act
 */
export function onSession(act) {
  addEventListener('storage', ({ key }) => {
    if (key === STORE || key === null) act();
  });
}

/**
 * The player whose key this is; null: no player has it.
 * @param {string | undefined} token
 */
export async function playerOf(token) {
  if (!token) return null;
  try {
    return await ask('/v1/me', { who: { token } });
  } catch (error) {
    if (error instanceof Refused && [400, 401].includes(error.status)) return null;
    throw error;
  }
}

// Whether a page of this tab has found that the key is no longer valid. Each script of a page has its own copy of this
// module, so a variable would not do.
const REFUSED = 'kibitz.refused';

/** Whether the player was signed out because the key is no longer valid. */
export function keyRefused() {
  try {
    return sessionStorage.getItem(REFUSED) !== null;
  } catch {
    return false;
  }
}

/**
 * Asks the server for the player of the stored key, and signs out if the key is no longer valid. Null: none is signed in.
 */
export async function checked() {
  const session = me();
  if (!session) return null;
  const asked = JSON.stringify(session);
  let player = await playerOf(session.token);
  let { token, id, until, kept } = session;
  // The key was replaced, but the answer did not arrive. A sign-in goes on.
  if (await playerOf(session.next)) kept = session.next;
  if (!player && kept && (!id || (until && until < Date.now()))) {
    // The sign-in has expired, and was not ended by the player.
    player = await playerOf(kept);
    token = kept;
    id = until = kept = undefined;
  }
  // Another tab may have signed in meanwhile, or this one replaces the key.
  if (JSON.stringify(me()) !== asked) return checked();
  if (player) {
    signIn({ name: player.name, token, id, until, kept });
  } else {
    signOut();
    sessionStorage.setItem(REFUSED, 'yes');
  }
  return player;
}

/** A new key, made by this browser: 32 random bytes. */
export function freshToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const text = btoa(String.fromCharCode(...bytes));
  return `kbp_${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/**
 * A link to a player's page.
 * @param {string} name
 */
export function playerLink(name) {
  return `/players/${encodeURIComponent(name)}`;
}
