// Ioiwari without a page: which choice makes a move, a move in words, a sowing bead by bead.

export const PITS = 7;
export const FULL = 5;

export function paths(move) {
  return [[`pit:${move.pit}`]];
}

// Sows from a pit (an index, 0 to 6). `places`: after each bead what the pits hold, what the own bank and the other's
// have gained, and what is left in the hand, `{pits, gained, hand, at}`; the first with the whole hand over the emptied
// pit. `own`, `other`: what the banks gain in all. `took`: the beads of the pit that the last bead takes, 0 where it
// takes none. `last`: the pit where it ends.
export function sow(pits, from) {
  const now = [...pits];
  let hand = now[from];
  let at = from;
  let own = 0;
  now[from] = 0;
  const places = [{ pits: [...now], gained: [0, 0], hand, at }];
  for (;;) {
    at = (at + 1) % PITS;
    if (hand === 1) {
      const took = now[at] >= 1 && now[at] < FULL ? now[at] : 0;
      if (took > 0) now[at] = 0;
      const gained = took > 0 ? [own + took + 1, 0] : [own, 1];
      places.push({ pits: now, gained, hand: 0, at });
      return { places, own: gained[0], other: gained[1], took, last: at };
    }
    if (now[at] === FULL) {
      now[at] -= 1;
      own += 1;
    } else {
      now[at] += 1;
      hand -= 1;
    }
    places.push({ pits: [...now], gained: [own, 0], hand, at });
  }
}

export function say(move, view, t) {
  const { own, other, took, last, places } = sow(view.pits, move.pit - 1);
  const words = { pit: move.pit, beads: places[0].hand, own, last: last + 1, took };
  if (other > 0) return t(own > 1 ? 'say.both' : own === 1 ? 'say.both.one' : 'say.other', words);
  return t(own === took + 1 ? 'say.takes' : 'say.more', words);
}

// Every bead on its way; the last place is the position after the move. `sowing` tells from where a hand sows, where it
// is, what is left in it, and whose it is.
export function steps(before, move) {
  const { places } = sow(before.pits, move.pit - 1);
  const seat = before.to_move;
  return places.slice(0, -1).map(({ pits, gained, hand, at }) => ({
    ...before,
    pits,
    banks: before.banks.map((n, i) => n + gained[i === seat ? 0 : 1]),
    sowing: { from: move.pit - 1, at, hand, seat },
  }));
}
