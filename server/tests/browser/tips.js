// Compares the tips of a first match with the engine. Plays matches between easy engines on the server KIBITZ_URL; in every position
// of theirs asks the game's tips, by the code that the pages run, and the best engine with a fixed budget of nodes.
// `node tips.js POSITIONS [GAME...]` prints the comparison as a table; scripts/check-tips starts the server for it.

import { fileURLToPath } from 'node:url';

import { board } from './fake-dom.js';
import { api, games, looked } from './visitor.js';

// Nodes of a decision, in the measure of each game's best engine: some tens of milliseconds. Of a player in the matches.
const NODES = { azul: 4_000, buraco: 20_000, ioiwari: 100_000, septica: 100_000, splendor: 4_000 };
const [USUAL, PLAYER] = [10_000, 300];
// The engine contradicts a tip if the best move that follows the tip is worth this much less than the best of all: a share of a win.
const MUCH = 0.05;
// The ranked moves to compare with.
const CANDIDATES = 64;

// The positions of a match between easy engines in which a seat decides, as this seat sees them: `{view, me, moves}`.
async function played(game, seats, seed) {
  const engine = { kind: 'engine', level: 'easy', nodes: PLAYER };
  const { id } = await api('/v1/matches', { body: { game, seed, seats: Array.from({ length: seats }, () => engine) } });
  for (let tries = 0; (await api(`/v1/matches/${id}`)).stage !== 'over'; tries += 1) {
    if (tries > 600) throw new Error(`the match ${id} does not end`);
    await new Promise((done) => setTimeout(done, 50));
  }
  const found = [];
  for (let me = 0; me < seats; me += 1) {
    for (const event of await looked(id, me)) {
      if (event.turn === me && event.legal_moves?.length > 1) found.push({ ply: event.ply ?? -1, view: event.position, me, moves: event.legal_moves });
    }
  }
  return found.sort((one, other) => one.ply - other.ply);
}

// What a position adds to the table: the tips that fit it, and what the engine says of each.
async function compared(game, { tips, t }, { view, me, moves }, seed, tally) {
  const found = tips(view, me, moves, t);
  let decision = null;
  for (const { id, follows } of found) {
    const row = tally[id] ??= { shown: 0, agree: 0, close: 0, contradict: 0, loss: 0 };
    row.shown += 1;
    // Without a move that follows, or with none that does not, there is nothing to compare.
    const held = follows ? moves.filter(({ move }) => follows(move)).length : 0;
    if (held === 0 || held === moves.length) continue;
    decision ??= await api(`/v1/games/${game}/move`, {
      body: { position: view, nodes: NODES[game] ?? USUAL, seed, candidates: CANDIDATES },
    });
    const best = decision.candidates[0]?.value ?? decision.value;
    const value = decision.candidates.find(({ move }) => follows(move))?.value;
    if (follows(decision.move)) row.agree += 1;
    else if (value !== undefined && best - value < MUCH) row.close += 1;
    else row.contradict += 1;
    row.loss += follows(decision.move) || value === undefined ? 0 : Math.max(0, best - value);
  }
}

// Compares at least this many positions of a game: `{positions, tally}`, the tally by tip.
export async function compare({ slug, min_seats: least, max_seats: most }, wanted) {
  const made = await board(slug);
  const { tips } = await made.tips();
  const tally = {};
  let positions = 0;
  for (let seed = 1; positions < wanted; seed += 1) {
    const seats = Math.min(Math.max(2, least), most);
    for (const position of (await played(slug, seats, String(seed))).slice(0, wanted - positions)) {
      await compared(slug, { tips, t: made.t }, position, String(seed), tally);
      positions += 1;
    }
  }
  return { positions, tally };
}

// The share of the compared positions in which the engine contradicts a tip; 0 if there are none.
export function contradicted({ agree, close, contradict }) {
  const all = agree + close + contradict;
  return all === 0 ? 0 : contradict / all;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [positions, ...named] = process.argv.slice(2);
  const per = Math.ceil(Number(positions) / (named.length || games.length));
  console.log('| game | tip | shown | compared | engine agrees | nearly as good | contradicts | mean loss |');
  console.log('|---|---|---|---|---|---|---|---|');
  for (const game of games.filter(({ slug }) => named.length === 0 || named.includes(slug))) {
    const { tally } = await compare(game, per);
    for (const [id, row] of Object.entries(tally)) {
      const all = row.agree + row.close + row.contradict;
      const share = (n) => (all === 0 ? '' : `${((100 * n) / all).toFixed(1)}%`);
      const loss = all === 0 ? '' : (row.loss / all).toFixed(3);
      console.log(`| ${game.slug} | \`${id}\` | ${row.shown} | ${all} | ${share(row.agree)} | ${share(row.close)} | ${share(row.contradict)} | ${loss} |`);
    }
  }
}
