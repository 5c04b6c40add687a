// The boards that games bring, held to what ../../web/README.md says they owe: in hundreds of positions of the API, and
// through whole matches as seats and spectators see them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { clash } from '../../web/js/picker.js';
import { board, drawn } from './paper.js';

const URL_ = process.env.KIBITZ_URL;

async function api(path, body, token) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(URL_ + path, body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) });
  const told = await answer.json();
  assert.ok(answer.ok, `${path}: ${JSON.stringify(told)}`);
  return told;
}

const { games } = await api('/v1/games');
const seats = [0, 1, 2, 3].map((n) => ({ name: `Seat & <${n}>`, kind: 'engine', out: false }));

// What a position and its legal moves owe; `at`: where it is, for what goes wrong.
function owes(made, view, moves, ctx, at) {
  const routes = moves.map(({ move }) => ({ move, path: made.paths(move, view) }));
  assert.equal(clash(routes), null, `${at}: two moves are made in the same way`);
  const next = new Set(routes.flatMap(({ path }) => path[0]));
  const { targets, pieces } = drawn(made, view, { seats, next, ...ctx });
  assert.equal(new Set(pieces).size, pieces.length, `${at}: a piece is in two places: ${twice(pieces)}`);
  for (const [target, label] of targets) assert.ok(label, `${at}: ${target} has no name for the ear`);
  for (const { move, path } of routes) {
    assert.ok(path.length > 0 && path.every((group) => group.length > 0), `${at}: ${JSON.stringify(path)}`);
    for (const target of path[0]) assert.ok(targets.has(target), `${at}: ${target} is not on the board`);
    assert.match(made.say(move, view, made.t), /\S/, at);
    // What comes later may be shown only when it can be chosen.
    path.slice(1).forEach((group, i) => {
      const picked = path.slice(0, i + 1).flat();
      const now = drawn(made, view, { seats, next: new Set(group), ...ctx, picked }).targets;
      for (const target of group) assert.ok(now.has(target), `${at}: ${target} is not on the board after ${picked}`);
    });
  }
}

const twice = (list) => list.filter((one, i) => list.indexOf(one) !== i).join(' ');

for (const { slug, title } of games) {
  const made = await board(slug);
  if (!made) continue;

  test(`${title}: every legal move can be made in hundreds of positions`, { timeout: 300_000 }, async () => {
    const { schemas } = await api(`/v1/games/${slug}`);
    assert.ok(schemas.view, 'the schema of a view is told');
    let positions = 0;
    for (let seed = 1; seed <= 20; seed += 1) {
      const far = (await api(`/v1/games/${slug}/positions`, { seed, plies: 1000 })).ply;
      for (let part = 0; part < 12; part += 1) {
        const plies = Math.round((far * part) / 11);
        const { position, seat } = await api(`/v1/games/${slug}/positions`, { seed, plies });
        const { moves } = await api(`/v1/games/${slug}/legal-moves`, { position });
        assert.ok(moves.length > 0);
        owes(made, position, moves, { me: seat, turn: seat }, `seed ${seed}, ply ${plies}`);
        positions += 1;
      }
    }
    assert.ok(positions >= 200);
  });

  test(`${title}: a whole match, as a seat and as a spectator`, { timeout: 300_000 }, async () => {
    const { id, seats: [{ token }] } = await api('/v1/matches', {
      game: slug, seed: '7', seats: [{ kind: 'me', name: 'Ana' }, { kind: 'engine', level: 'easy', nodes: 50 }],
    });
    let dice = 7;
    let ply = -1;
    for (;;) {
      const page = await api(`/v1/matches/${id}`, undefined, token);
      if (page.stage === 'over') break;
      if (page.turn === 0 && page.ply > ply) {
        dice = (dice * 48271) % 2147483647;
        ply = page.ply;
        const { notation } = page.legal_moves[dice % page.legal_moves.length];
        await api(`/v1/matches/${id}/moves`, { ply, notation }, token);
      } else {
        await new Promise((done) => setTimeout(done, 5));
      }
    }
    for (const [me, held] of [[0, token], [null, undefined]]) {
      const frames = await events(id, held);
      let before = null;
      for (const { type, seat, move, position, legal_moves: moves, turn } of frames) {
        if (!position || type === 'match') continue;
        const last = type === 'moved' ? { seat, move, before } : null;
        const at = `me ${me}, after ${JSON.stringify(move)}`;
        owes(made, position, moves ?? [], { me, turn: turn ?? null, last }, at);
        if (last) {
          assert.match(made.say(move, before, made.t), /\S/, at);
          const steps = made.steps?.(before, move, position) ?? [];
          steps.forEach((view, step) => {
            const { pieces } = drawn(made, view, { seats, me, turn: turn ?? null, last, step });
            assert.equal(new Set(pieces).size, pieces.length, `${at}, step ${step}: ${twice(pieces)}`);
          });
        }
        before = position;
      }
      assert.ok(frames.length > 5);
    }
  });
}

// All events of a match that is over, as whoever holds this token sees them.
async function events(id, token) {
  const headers = { accept: 'application/x-ndjson', ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`${URL_}/v1/matches/${id}/events?since=0`, { headers });
  const lines = (await answer.text()).split('\n').filter((line) => line.trim());
  return lines.map((line) => JSON.parse(line));
}
