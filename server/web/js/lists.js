// Lists of matches: one line each, that leads to the match.

import { fill, h } from './dom.js';
import { ask, sentence } from './api.js';
import { unpressed } from './press.js';
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
  const { engine } = seat;
  if (engine) return t('list.engine', { engine: engine.name, level: t(`level.${engine.level}`) });
  if (seat.kind === 'open') return t('list.open_seat');
  return seat.name ?? t('list.guest');
}

function seatOf(entry, seat, place, t) {
  const won = (seat.rank ?? entry.result?.ranks[place]) === 1;
  const points = seat.points ?? entry.result?.points?.[place];
  return h('span', { class: ['who', won && 'won', seat.kind === 'open' && 'free'] }, who(seat, t),
    won && h('span', { class: 'sign', title: t('list.won') }, '★', h('span', { class: 'ear' }, t('list.won'))),
    points !== undefined && h('span', { class: 'points' }, points));
}

// A match as a line: `entry` is an entry of a list, or a match's page. `held`: what this browser holds in it.
export function line(entry, known, t, held) {
  const game = known.get(entry.game);
  const mine = entry.stage === 'running' && held && entry.turn !== null && entry.turn === entry.you;
  return h('a', { class: ['match', entry.stage], href: link(entry.id, held?.key) },
    h('span', { class: 'game' }, game?.title ?? entry.game),
    h('span', { class: 'seats' }, entry.seats.map((one, place) => seatOf(entry, one, place, t))),
    h('span', { class: ['stage', mine && 'mine'] }, mine ? t('list.your_move') : t(`stage.${entry.stage}`), ' · ',
      when(entry.ended_ms ?? entry.created_ms)));
}

// Keeps a list filled with what the API lists under `query`, an object; `next` is the button for more. Gives a
// function that asks again, with another query if there is one.
export function keepFilled(place, known, t, { query = {}, path = '/v1/matches', none, next }) {
  let asked = query;
  let before;
  let round = 0;
  let told;
  const load = async (more) => {
    const mine = (round += 1);
    const given = Object.entries({ ...asked, before: more ? before : undefined }).filter(([, value]) => value);
    try {
      const list = await ask(`${path}?${new URLSearchParams(given)}`);
      await unpressed();
      if (mine !== round) return;
      // What is the same stays, with the keyboard's place in it.
      const tells = JSON.stringify(list);
      if (!more && tells === told) return;
      told = more ? undefined : tells;
      const lines = list.matches.map((entry) => line(entry, known, t));
      if (more) place.append(...lines);
      else fill(place, lines.length ? lines : h('p', { class: 'none' }, t(none)));
      before = list.next;
      if (next) next.hidden = !list.next;
    } catch (error) {
      if (mine !== round) return;
      told = undefined;
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
