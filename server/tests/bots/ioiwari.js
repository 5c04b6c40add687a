// A bot for Ioiwari, written from the olympiad's statement: looks three moves ahead. Also knows the mirror dialogue, which
// begins with a 0. It must not use code of the engines.

import process from 'node:process';
import { createInterface } from 'node:readline';

/** The pits after a move, and the beads that the mover gains less those of the opponent. */
function play(pits, pit) {
  const next = [...pits];
  let hand = next[pit], gain = 0, at = pit;
  next[pit] = 0;
  for (;;) {
    at = (at + 1) % 7;
    if (hand === 1) break;
    if (next[at] === 5) {
      next[at] -= 1;
      gain += 1;
    } else {
      next[at] += 1;
      hand -= 1;
    }
  }
  if (next[at] === 0 || next[at] === 5) return { next, gain: gain - 1 };
  gain += next[at] + 1;
  next[at] = 0;
  return { next, gain };
}

const filled = pits => [0, 1, 2, 3, 4, 5, 6].filter(pit => pits[pit] > 0);

/** The most that the player to move can gain in this many moves. */
function value(pits, depth) {
  const gains = filled(pits).map(pit => {
    const { next, gain } = play(pits, pit);
    return gain - (depth > 1 ? value(next, depth - 1) : 0);
  });
  return gains.length > 0 ? Math.max(...gains) : 0;
}

let pits = null, isMirror = false;
const numbers = [];

function answer() {
  let best = null, most = -Infinity;
  for (const pit of filled(pits)) {
    const { next, gain } = play(pits, pit);
    const total = gain - value(next, 2);
    if (total > most) [best, most] = [pit, total];
  }
  if (best === null) process.exit(0);
  pits = play(pits, best).next;
  process.stdout.write(`${best + 1}\n`);
}

for await (const line of createInterface({ input: process.stdin })) {
  numbers.push(...line.split(/\s+/).filter(Boolean).map(Number));
  if (pits === null) {
    if (numbers[0] === 0) {
      isMirror = true;
      numbers.shift();
    }
    if (numbers.length < 7) continue;
    pits = numbers.splice(0, 7);
    if (!isMirror) answer();
  }
  while (numbers.length > 0) {
    const pit = numbers.shift() - 1;
    if (pits[pit] > 0) pits = play(pits, pit).next;
    if (filled(pits).length > 0) answer();
  }
  if (filled(pits).length === 0) process.exit(0);
}
