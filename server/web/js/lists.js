// Lists of matches: one line each, that leads to the match.

import { fill, h } from './dom.js';
import { ask, sentence } from './api.js';
import { link } from './seats.js';

// The games by their short names.
export async function games() {
  const list = await ask('/v1/games');
  return new Map(list.games.map((game) => [game.slug, game]));
}

// What is shown of a time: the hour of today, else the day.
export function when(ms) {
  const date = new Date(ms);
  const today = date.toDateString() === new Date().toDateString();
  const shown = today
    ? date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
  return h('time', { datetime: date.toISOString(), title: date.toLocaleString() }, shown);
}

// Who sits in a seat, in words.
export function who(seat, t) {
  if (seat.kind === 'engine') return t('list.engine', { engine: seat.engine.name, level: t(`level.${seat.engine.level}`) });
  if (seat.kind === 'open') return t('list.open_seat');
  return seat.name ?? t('list.guest');
}

function seat(entry, seat, t) {
  const won = seat.rank === 1;
  return h('span', { class: ['who', won && 'won', seat.kind === 'open' && 'free'] }, who(seat, t),
    won && h('span', { class: 'sign', title: t('list.won') }, '★', h('span', { class: 'ear' }, t('list.won'))),
    seat.points !== undefined && h('span', { class: 'points' }, String(seat.points)));
}

// A match as a line. `held`: what this browser holds in it.
export function line(entry, known, t, held) {
  const game = known.get(entry.game);
  return h('a', { class: ['match', entry.stage], href: link(entry.id, held?.key) },
    h('span', { class: 'game' }, game?.title ?? entry.game),
    h('span', { class: 'seats' }, entry.seats.map((one) => seat(entry, one, t))),
    h('span', { class: 'stage' }, t(`stage.${entry.stage}`), ' ', when(entry.ended_ms ?? entry.created_ms)));
}

// Keeps a list filled with what the API lists under `query`, an object; `next` is the button for more. Gives a
// function that asks again, with another query if there is one.
export function keepFilled(place, known, t, { query = {}, path = '/v1/matches', none, next }) {
  let asked = query;
  let before;
  let round = 0;
  const load = async (more) => {
    const mine = (round += 1);
    const given = Object.entries({ ...asked, before: more ? before : undefined }).filter(([, value]) => value);
    try {
      const list = await ask(`${path}?${new URLSearchParams(given)}`);
      if (mine !== round) return;
      const lines = list.matches.map((entry) => line(entry, known, t));
      if (more) place.append(...lines);
      else fill(place, lines.length ? lines : h('p', { class: 'none' }, t(none)));
      before = list.next;
      if (next) next.hidden = !list.next;
    } catch (error) {
      if (mine !== round) return;
      fill(place, h('p', { class: 'none trouble' }, sentence(error, t)));
      if (next) next.hidden = true;
    }
  };
  next?.addEventListener('click', () => load(true));
  load(false);
  return (other) => {
    asked = other ?? asked;
    return load(false);
  };
}
