// A bot for Buraco, written from the course's text: lays down natural runs, takes the pile for one, and joins cards to its
// melds. It must not use code of the engines.

import process from 'node:process';

const RANKS = ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'];

const suit = card => card.slice(-1);
const rank = card => RANKS.indexOf(card.slice(0, -1));
const cardsIn = words => words.filter(word => word !== '[' && word !== ']');

let hand = [], pile = [], own = null, isOwnTurn = false;
const melds = [];

const has = (of, at) => hand.find(card => suit(card) === of && rank(card) === at);
const remove = card => hand.splice(hand.indexOf(card), 1);
const say = text => process.stdout.write(`${text}\n`);

/** The cards of the hand that follow a card of this suit and rank in this direction, the nearest first. */
function neighbours(of, from, step) {
  const found = [];
  for (let at = from + step, card = has(of, at); card; at += step, card = has(of, at)) found.push(card);
  return found;
}

/** The longest run through this card, without the card itself. */
const runWith = card => [...neighbours(suit(card), rank(card), -1), ...neighbours(suit(card), rank(card), 1)];

function note(cards) {
  const ranks = cards.map(rank);
  melds.push({ suit: suit(cards[0]), low: Math.min(...ranks), high: Math.max(...ranks) });
}

/** Begins a turn with its draw. */
function draw() {
  isOwnTurn = true;
  const top = pile[pile.length - 1];
  const run = top ? runWith(top) : [];
  if (run.length < 2) {
    say('GET_STOCK');
    return;
  }
  run.forEach(remove);
  note([top, ...run]);
  say(`GET_DISCARD [ ${run.join(' ')} ]`);
}

function joins() {
  melds.forEach((meld, index) => {
    for (const step of [-1, 1]) {
      const from = step < 0 ? meld.low : meld.high;
      const cards = neighbours(meld.suit, from, step);
      if (cards.length === 0) continue;
      cards.forEach(remove);
      if (step < 0) meld.low -= cards.length;
      else meld.high += cards.length;
      say(`MELD_JOIN ${index} [ ${cards.join(' ')} ]`);
    }
  });
}

/** Plays the rest of a turn, after these cards came. Nothing is allowed after the last card has left the hand. */
function finish(cards) {
  hand.push(...cards);
  isOwnTurn = false;
  if (hand.length === 0) return;
  joins();
  for (const card of [...hand]) {
    const run = hand.includes(card) ? runWith(card) : [];
    if (run.length < 2) continue;
    [card, ...run].forEach(remove);
    note([card, ...run]);
    say(`MELD_NEW [ ${[card, ...run].join(' ')} ]`);
  }
  if (hand.length === 0) return;
  // A 2 only if there is nothing else; otherwise a card without neighbours.
  const worth = card => (rank(card) === 1 ? 100 : 0) + runWith(card).length;
  const card = [...hand].sort((a, b) => worth(a) - worth(b))[0];
  remove(card);
  pile.push(card);
  say(`DISCARD ${card}`);
}

let lines = 0;
function handle(line) {
  const words = line.split(' ').filter(Boolean);
  lines += 1;
  if (lines === 2) own = line;
  else if (lines === 3) hand = cardsIn(words);
  else if (lines === 4) pile = cardsIn(words);
  else if (isOwnTurn && words[0] !== '[') finish(words);
  else if (isOwnTurn) {
    // The answer may contain the top card, which is in the new meld; the bot knows the pile anyway.
    const cards = pile.slice(0, -1);
    pile = [];
    finish(cards);
  } else if (line === own) draw();
  else if (words[0] === 'GET_DISCARD') pile = [];
  else if (words[0] === 'DISCARD') pile.push(words[1]);
}

let text = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', data => {
  const parts = (text + data).split(/\r?\n/);
  text = parts.pop();
  parts.filter(Boolean).forEach(handle);
});
process.stdin.on('end', () => process.exit(0));
