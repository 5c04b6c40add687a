// Septica without a page: which choice makes a move, a move in words, who takes a trick, which card is which.

// Whether a card cuts in a trick that began with `led`.
export const cuts = (card, led) => card === 7 || card === led;

// Whether a card counts a point.
export const counts = (card) => card === 10 || card === 14;

export const points = (cards) => cards.filter(counts).length;

// The seat that takes a trick if it ends here: the follower if the last card is its and cuts, else the leader.
export function taker(leader, trick) {
  const answered = trick.length > 0 && trick.length % 2 === 0;
  return answered && cuts(trick.at(-1), trick[0]) ? 1 - leader : leader;
}

// Whose card is awaited.
const mover = (view) => (view.trick.length % 2 === 0 ? view.leader : 1 - view.leader);

// Whether the leader may stop, or cut once more.
export const mayStop = (view) => view.trick.length > 0 && view.trick.length % 2 === 0;

export function paths(move) {
  return [[move === 'stop' ? 'stop' : `card:${move.card}`]];
}

export function say(move, view, t) {
  const worth = points(view.trick);
  if (move === 'stop') return t(worth > 0 ? 'say.stop.points' : 'say.stop', { n: worth });
  const card = t(`name.${move.card}`);
  if (view.trick.length === 0) return t('say.lead', { card });
  if (mayStop(view)) return t('say.again', { card });
  return t(cuts(move.card, view.trick[0]) ? 'say.cut' : 'say.give', { card });
}

// A card that ends the trick is seen lying there before the trick is taken.
export function steps(before, move, after) {
  if (move === 'stop' || after.trick.length > 0) return [];
  const seat = mover(before);
  const hands = before.hands.map((n, at) => (at === seat ? n - 1 : n));
  const hand = before.viewer?.seat === seat ? without(before.hand, move.card) : before.hand;
  return [{ ...before, trick: [...before.trick, move.card], hands, hand }];
}

function without(cards, card) {
  const at = cards.indexOf(card);
  return cards.filter((_, i) => i !== at);
}

// Names for the cards that stay the same while they lie in a hand, in the trick and among those taken. Cards that the
// viewer holds are told apart by rank; those of others only by when they are played, since nobody sees them before.
// `{trick: [name], taken: [{rank, name}] per seat, own: (rank, copy) => name, back: (seat, place) => name}`.
export function pieces(view, me) {
  const played = [0, 0];
  const ranks = new Map();
  const nameOf = (seat, card) => {
    const place = played[seat];
    played[seat] += 1;
    if (seat !== me) return `${seat}:${place}`;
    ranks.set(card, (ranks.get(card) ?? 0) + 1);
    return `own:${card}:${ranks.get(card) - 1}`;
  };
  const taken = [[], []];
  let leader = 0;
  for (const trick of view.past ?? []) {
    const named = trick.map((card, i) => ({ rank: card, name: nameOf(i % 2 === 0 ? leader : 1 - leader, card) }));
    leader = taker(leader, trick);
    taken[leader].push(...named);
  }
  for (const seat of [0, 1]) {
    // Where the past is not told, and where a hand was taken at the end.
    const left = [...view.taken[seat]];
    for (const { rank } of taken[seat]) left.splice(left.indexOf(rank), 1);
    left.forEach((rank, i) => taken[seat].push({ rank, name: `untold:${seat}:${i}` }));
  }
  const trick = view.trick.map((card, i) => nameOf(i % 2 === 0 ? view.leader : 1 - view.leader, card));
  return {
    trick,
    taken,
    own: (rank, copy) => `own:${rank}:${(ranks.get(rank) ?? 0) + copy}`,
    back: (seat, place) => `${seat}:${played[seat] + place}`,
  };
}
