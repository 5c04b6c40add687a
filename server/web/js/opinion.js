// What the engine thinks of every decision of a match, each seen with the eyes of the seat that had to decide, found
// one after another with a small budget and kept for as long as the tab is open. Which moves cost most is read from
// it.

// So much less than the best is a turning point, and no more of them are named than these.
const TURN = 0.12;
const MOST = 5;

// Fetches the opinions of `spots`, in order. A spot: `{ply, seat, position, played}`, `played` being the notation of
// the move that was made. `think(position)`: asks the engine; `kept`: `{get, set}`; `found(opinions)`: one more is
// there.
export async function opinions(spots, { think, kept, found, signal }) {
  const all = [...kept.get()];
  found(all);
  for (const spot of spots.slice(all.length)) {
    if (signal.aborted) return all;
    all.push(opinion(spot, await think(spot.position, signal)));
    kept.set(all);
    found(all);
  }
  return all;
}

// An opinion: `{ply, seat, value, lost, better}`; `value`: null where the engine did not need to think, `lost`: how
// much less the move that was made is worth than the best, which is `better`.
export function opinion({ ply, seat, played }, { value, nodes, notation, move, candidates }) {
  if (nodes === 0) return { ply, seat, value: null, lost: 0, better: null };
  const known = candidates.find((candidate) => candidate.notation === played)?.value;
  // What is not among the best is worth no more than the last of them.
  const made = known ?? Math.min(value, ...candidates.map((candidate) => candidate.value));
  return { ply, seat, value, lost: notation === played ? 0 : Math.max(0, value - made), better: move };
}

// The curve of each seat, from its own opinions: `[{ply, value}]`. `ends`: the score of each seat at the end, or null.
export function curves(all, seats, plies, ends) {
  return Array.from({ length: seats }, (_, seat) => {
    const own = all.filter((one) => one.seat === seat && one.value !== null);
    const points = own.map(({ ply, value }) => ({ ply, value }));
    if (ends && points.length > 0) points.push({ ply: plies, value: ends[seat] });
    return points;
  });
}

// The score of each seat by its place: 1 alone at the top, shared equally, 0 for all others.
export function scores(ranks) {
  const first = ranks.filter((rank) => rank === 1).length;
  return ranks.map((rank) => (rank === 1 ? 1 / first : 0));
}

// The moves that cost the most, in the order of the match.
export function turning(all) {
  const turns = all.filter(({ lost }) => lost >= TURN);
  return turns.sort((a, b) => b.lost - a.lost).slice(0, MOST).sort((a, b) => a.ply - b.ply);
}
