// The matches of this visitor: those in which this browser holds a seat, and those of the player who is signed in.

/** @import {Held, ListEntry, MatchList} from '../../types.ts' */

import { Refused, ask } from '../api.js';
import { pointerReleased } from '../pointer.js';
import { list } from './seats.js';
import { myToken } from '../session.js';

const MOST = 20;
// Of the matches with days for a move, also older ones are shown.
const MOST_WITH_DAYS = 50;
// How often they are asked for while the page is visible.
const AGAIN_MS = 15_000;
const HOUR_MS = 3_600_000;

/** @typedef {Held & {id: string}} HeldMatch */
/** @typedef {{held: HeldMatch, entry: ListEntry | null, missing: boolean}} MyMatch `missing`: the server no longer knows the match */

/**
 * Shows the visitor's matches now, and again whenever they have changed.
 * @param {(found: MyMatch[]) => void} show gets the newest matches, the newest first
 */
export function followMine(show) {
  /** @type {string | undefined} */
  let shown;
  async function update() {
    const found = await myMatches();
    // A list that is filled moves what is below it.
    await pointerReleased();
    // The time that is left is told in hours.
    const content = JSON.stringify([Math.floor(Date.now() / HOUR_MS),
      found.map(({ entry }) => [entry?.id, entry?.seq, entry?.seats.map((seat) => seat.vacation_until_ms)])]);
    if (content === shown) return;
    shown = content;
    show(found);
  }
  const again = () => {
    if (!document.hidden) update();
  };
  update();
  document.addEventListener('visibilitychange', again);
  setInterval(again, AGAIN_MS);
}

/**
 * The newest matches of this visitor, and those with days for a move that are played, as the server knows them now, the newest first.
 * @returns {Promise<MyMatch[]>}
 */
async function myMatches() {
  const kept = list();
  const [newest, withDays] = await Promise.all([played(`limit=${MOST}`), played(`days=true&stage=running&limit=${MOST_WITH_DAYS}`)]);
  const both = [...kept, ...newest, ...withDays];
  const all = both.filter(({ id }, place) => both.findIndex((one) => one.id === id) === place);
  const shown = all.sort((a, b) => (b.at ?? 0) - (a.at ?? 0)).filter(({ id }, place) => place < MOST || withDays.some((one) => one.id === id));
  return Promise.all(shown.map(look));
}

/**
 * A match of this browser, as the server knows it now.
 * @param {HeldMatch} held
 * @returns {Promise<MyMatch>}
 */
async function look(held) {
  try {
    return { held, entry: await ask(`/v1/matches/${held.id}`, { who: { ...held, token: held.token ?? myToken() } }), missing: false };
  } catch (error) {
    return { held, entry: null, missing: error instanceof Refused && [404, 401].includes(error.status) };
  }
}

/**
 * The matches of the player who is signed in, on any device.
 * @param {string} query
 * @returns {Promise<HeldMatch[]>}
 */
async function played(query) {
  const token = myToken();
  if (!token) return [];
  try {
    /** @type {MatchList} */
    const { matches } = await ask(`/v1/me/matches?${query}`, { who: { token } });
    return matches.map(({ id, game, created_ms: at }) => ({ id, game, at }));
  } catch {
    // Signed out on another device, or the server cannot be reached.
    return [];
  }
}
