// What the engine thinks of every position of a match, found one after another with a small budget, and kept for as long
// as the tab is open. Which of its moves cost a player most is read from it. Pure but for `think`.

// So much less than before is a turning point, and no more of them are named than these.
const TURN = 0.12;
const MOST = 5;

// Fetches the opinions of `spots`, in order. A spot: `{ply, seat, position}`, seen by the seat to move. `think(position)`:
// asks the engine, resolves to `{value, move, notation}`; `kept`: `{get, set}`; `found(opinions)`: one more is there.
export async function opinions(spots, { think, kept, found, signal }) {
  const all = [...kept.get()];
  found(all);
  for (const spot of spots.slice(all.length)) {
    if (signal.aborted) return all;
    const { value, move, notation } = await think(spot.position, signal);
    all.push({ ply: spot.ply, seat: spot.seat, value, move, notation });
    kept.set(all);
    found(all);
  }
  return all;
}

// The curve of each seat: `[{ply, value}]`. With two seats every opinion tells of both; else each of its own seat only.
// `ends`: the score of each seat at the end, or null.
export function curves(all, seats, plies, ends) {
  return Array.from({ length: seats }, (_, seat) => {
    const points = [];
    for (const { ply, seat: mover, value } of all) {
      if (mover === seat) points.push({ ply, value });
      else if (seats === 2) points.push({ ply, value: 1 - value });
    }
    if (ends && all.length > 0 && points.at(-1)?.ply !== plies) points.push({ ply: plies, value: ends[seat] });
    return points;
  });
}

// The score of each seat by its place: 1 alone at the top, shared equally, 0 for all others.
export function scores(ranks) {
  const first = ranks.filter((rank) => rank === 1).length;
  return ranks.map((rank) => (rank === 1 ? 1 / first : 0));
}

// The moves that cost the most, in the order of the match: `{ply, seat, lost, better}`. `played(ply)`: the notation of the
// move that was made there.
export function turning(all, lines, played) {
  const turns = [];
  for (const { ply, seat, value, move, notation } of all) {
    const after = lines[seat].find((point) => point.ply > ply);
    if (!after || notation === played(ply)) continue;
    const lost = value - after.value;
    if (lost >= TURN) turns.push({ ply, seat, lost, better: move });
  }
  return turns.sort((a, b) => b.lost - a.lost).slice(0, MOST).sort((a, b) => a.ply - b.ply);
}
