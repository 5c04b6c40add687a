// The seats that this browser holds, by match, in its own storage. A token never goes into a URL; the key of a private
// match goes into the fragment of a link, which browsers do not send.

/** @import {Admission, Held} from '../../types.ts' */

const STORE = 'kibitz.seats';

/** @returns {Record<string, Held>} */
function read() {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? '{}') ?? {};
  } catch {
    return {};
  }
}

/** @param {Record<string, Held>} all */
function write(all) {
  try {
    localStorage.setItem(STORE, JSON.stringify(all));
  } catch {
    // Without storage the seat is lost when the page is closed.
  }
}

/**
 * Stores the seats and secrets from creating or joining a match.
 * @param {string} id the match
 * @param {Admission} admission the API's answer
 * @param {string} [game] the game's short name
 */
export function keep(id, admission, game) {
  const all = read();
  const before = all[id] ?? {};
  const seats = admission.seats?.flatMap(({ seat }) => (seat === undefined ? [] : [seat])) ?? [];
  all[id] = {
    token: admission.seats?.find((seat) => seat.token)?.token ?? before.token,
    key: admission.key ?? before.key,
    seats: seats.length ? seats : before.seats ?? [],
    game: game ?? before.game,
    at: Date.now(),
  };
  write(all);
  return all[id];
}

/**
 * The stored seats and secrets of this match; an empty object if there are none.
 * @param {string} id
 */
export function of(id) {
  return read()[id] ?? {};
}

/** The matches with stored seats or secrets, newest first. */
export function list() {
  const all = Object.entries(read()).map(([id, held]) => ({ id, ...held }));
  return all.sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
}

/**
 * Forgets the stored seats and secrets of a match.
 * @param {string} id
 */
export function forget(id) {
  const all = read();
  delete all[id];
  write(all);
}

/**
 * The guest name that this browser's user last entered. `name`: stores another one.
 * @param {string} [name]
 */
export function myName(name) {
  try {
    if (name !== undefined) localStorage.setItem('kibitz.name', name);
    return localStorage.getItem('kibitz.name') ?? '';
  } catch {
    return name ?? '';
  }
}

/**
 * The link to a match; with the key in its fragment if the match is private.
 * @param {string} id
 * @param {string} [key]
 */
export function link(id, key) {
  return `/matches/${id}${key ? `#key=${key}` : ''}`;
}
