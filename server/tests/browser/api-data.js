// Test data from the API: positions, and matches played to their end with pseudo-random moves.

import assert from 'node:assert/strict';

export const URL_ = process.env.KIBITZ_URL;

export async function api(path, body, token) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const asked = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(URL_ + path, asked);
  const content = await answer.json();
  assert.ok(answer.ok, `${path}: ${JSON.stringify(content)}`);
  return content;
}

// Positions of a game with their legal moves, from start to end of several deals: `{view, seat, moves, at}`.
export async function* positions(game, { seeds = 20, parts = 10, options } = {}) {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const far = (await api(`/v1/games/${game}/positions`, { seed, plies: 1000, options })).ply;
    for (let part = 0; part < parts; part += 1) {
      const plies = Math.round((far * part) / Math.max(1, parts - 1));
      const { position, seat } = await api(`/v1/games/${game}/positions`, { seed, plies, options });
      const { moves } = await api(`/v1/games/${game}/legal-moves`, { position });
      yield { view: position, seat, moves, at: `seed ${seed}, ply ${plies}` };
    }
  }
}

// A match against an engine, played to its end with pseudo-random moves of seat 0; `{id, token}`.
export async function played(game, seed) {
  const seats = [{ kind: 'me', name: 'Ana' }, { kind: 'engine', level: 'easy', nodes: 50 }];
  const { id, seats: [{ token }] } = await api('/v1/matches', { game, seed, seats });
  let dice = 7;
  let ply = -1;
  for (;;) {
    const page = await api(`/v1/matches/${id}`, undefined, token);
    if (page.stage === 'over') return { id, token };
    if (page.turn === 0 && page.ply > ply) {
      dice = (dice * 48271) % 2147483647;
      ply = page.ply;
      const { notation } = page.legal_moves[dice % page.legal_moves.length];
      await api(`/v1/matches/${id}/moves`, { ply, notation }, token);
    } else {
      await new Promise((done) => setTimeout(done, 5));
    }
  }
}

// The positions of a finished match as the holder of this token saw them: `{view, moves, turn, last}`, `last` as boards
// expect it.
export async function shown(id, token) {
  const headers = { accept: 'application/x-ndjson', ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`${URL_}/v1/matches/${id}/events?since=0`, { headers });
  const events = (await answer.text()).split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line));
  const frames = [];
  for (const { type, seat, move, position, legal_moves: moves, turn } of events) {
    if (type !== 'started' && type !== 'moved') continue;
    const last = type === 'moved' ? { seat, move, before: frames.at(-1).view } : null;
    frames.push({ view: position, moves, turn, last });
  }
  return frames;
}
