// Which card is which: the same names before and after a move, so that cards are seen to go from place to place. The
// two copies of a card look the same, so they are numbered by where they lie; hidden cards by when they come out.

const laid = (view, seat) => view.melds[seat].flat().length + view.pile.length;

// `{hand, known: [[..]], melds: [[[..]]], pile, back: (seat, place) => name}`, each name where its card stands in the
// view. `me`: the viewer's seat, null for a spectator. `last`: as the board's `ctx.last`.
export function pieces(view, me, last) {
  const seen = new Map();
  const name = (card) => {
    const copy = seen.get(card) ?? 0;
    seen.set(card, copy + 1);
    return `${card}:${copy}`;
  };
  const seats = me === 1 ? [1, 0] : [0, 1];
  const named = { hand: view.hand.map(name), known: [[], []], melds: [[], []], pile: [] };
  for (const seat of seats) {
    if (seat !== me) named.known[seat] = view.known[seat].map(name);
    named.melds[seat] = view.melds[seat].map((meld) => meld.map(name));
  }
  // The top first: a card that was just laid down is the copy that was in the hand.
  named.pile = [...view.pile].reverse().map(name).reverse();
  named.back = (seat, place) => `back:${seat}:${laid(view, seat) + place}`;
  if (last && last.seat !== me) uncovered(view, last, named);
  return named;
}

// The cards that another seat has just laid down come from its hidden cards, unless they were known.
function uncovered(view, { seat, move, before }, named) {
  if (move === 'get_stock' || move.get_discard) return;
  const known = [...before.known[seat]];
  const cards = (move.discard ? [move.discard.card] : (move.meld_new ?? move.meld_join).cards).filter((card) => {
    const at = known.indexOf(card);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
  const from = laid(before, seat);
  cards.forEach((card, i) => {
    const meld = move.meld_join?.meld ?? view.melds[seat].length - 1;
    const place = move.discard ? [view.pile, named.pile] : [view.melds[seat][meld], named.melds[seat][meld]];
    const at = place[0].lastIndexOf(card);
    if (at >= 0) place[1][at] = `back:${seat}:${from + i}`;
  });
}
