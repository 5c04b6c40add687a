// A bot for Septica, written from the contest's statement: cuts whenever it can. Also knows the mirror dialogue, in which
// "3 0" after the first cards says that the bot leads. It must not use code of the engines.

import process from 'node:process';

/** How long the bot waits to learn whether the computer expects a 0 for an empty hand, in milliseconds. */
const WAIT_MS = 300;

/** The numbers that were not used yet. */
const numbers = [];
let text = '', wake = null;

process.stdin.on('data', data => {
  const words = (text + data).split(/\s+/);
  text = words.pop();
  numbers.push(...words.filter(Boolean).map(Number));
  wake?.();
});
process.stdin.on('end', () => process.exit(0));

/** Waits for the next number; `ms`: at most this long. Resolves with whether there is one. */
const comes = ms => new Promise(resolve => {
  if (numbers.length > 0) {
    resolve(true);
    return;
  }
  const timer = ms === undefined ? null : setTimeout(() => resolve(false), ms);
  wake = () => {
    if (numbers.length === 0) return;
    clearTimeout(timer);
    wake = null;
    resolve(true);
  };
});

async function number() {
  await comes();
  return numbers.shift();
}

async function cards(count) {
  const drawn = [];
  while (drawn.length < count) drawn.push(await number());
  return drawn;
}

/** The order in which cards are given away: worthless ones first, then points, then 7s. */
const cost = card => (card === 7 ? 50 : card === 10 || card === 14 ? 40 : card);

/** Whether the computer waits for a 0 when the hand is empty; null: not known yet. */
let waitsForZero = null;

async function match() {
  const hand = await cards(4);
  let led = null, leads = false;
  const print = card => {
    if (card !== 0) hand.splice(hand.indexOf(card), 1);
    process.stdout.write(`${card}\n`);
  };
  const cheapest = () => [...hand].sort((a, b) => cost(a) - cost(b))[0];
  const cut = () => [led, 7].find(card => hand.includes(card));
  for (;;) {
    const x = await number();
    if (x === 4) {
      await cards(2);
      return;
    }
    if (x === 2 || x === 3) {
      hand.push(...await cards(await number()));
      leads = x === 3;
      led = null;
      if (leads && hand.length > 0) {
        led = cheapest();
        print(led);
      }
    } else if (leads) {
      const isCut = x === 7 || x === led;
      if (hand.length > 0) {
        print((isCut && cut()) || 0);
        continue;
      }
      waitsForZero ??= !await comes(WAIT_MS);
      if (waitsForZero) print(0);
    } else {
      led ??= x;
      if (hand.length > 0) print(cut() ?? cheapest());
    }
  }
}

for (;;) await match();
