// The seats that this browser holds, by match, in its own storage: `{token, key, seats, game}`. A token never goes into
// a URL; the key of a private match goes into the part of a link that browsers do not send.

const STORE = 'kibitz.seats';

function read() {
  try {
    return JSON.parse(localStorage.getItem(STORE)) ?? {};
  } catch {
    return {};
  }
}

function write(all) {
  try {
    localStorage.setItem(STORE, JSON.stringify(all));
  } catch {
    // Without storage the seat is held as long as the page is open.
  }
}

// Keeps what making or joining a match has given: `admission` is the API's answer. `game`: its short name.
export function keep(id, admission, game) {
  const all = read();
  const before = all[id] ?? {};
  const seats = admission.seats?.map((seat) => seat.seat) ?? [];
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

// What is held in this match; an empty object where nothing is.
export function of(id) {
  return read()[id] ?? {};
}

// The matches in which something is held, the newest first: `[{id, token, key, seats, game}]`.
export function list() {
  const all = Object.entries(read()).map(([id, held]) => ({ id, ...held }));
  return all.sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
}

// Forgets what is held in a match.
export function forget(id) {
  const all = read();
  delete all[id];
  write(all);
}

// The name by which this browser's guest is called.
export function myName(name) {
  try {
    if (name !== undefined) localStorage.setItem('kibitz.name', name);
    return localStorage.getItem('kibitz.name') ?? '';
  } catch {
    return name ?? '';
  }
}

// The link to a match: with the key in its fragment where it is private.
export function link(id, key) {
  return `/matches/${id}${key ? `#key=${key}` : ''}`;
}
