// A bot for Septica (mindcoding.ro) in JavaScript. It cuts when the trick has points, leads its cheapest card, and keeps its sevens.
//
// The dialogue, from the contest's statement: numbers from 7 to 14 are cards; 2, 3 and 4 are commands of the computer.
"use strict";

const SEVEN = 7, PASS = 0, DRAW = 2, DRAW_AND_LEAD = 3, MATCH_ENDS = 4;

// Numbers of the input, one after the other.
let numbers = [];
function next() {
  while (numbers.length === 0) {
    const line = readLine();
    if (line === null) throw undefined; // The input has ended, and so does the bot.
    numbers = line.split(/\s+/).filter((word) => word !== "").map(Number);
  }
  return numbers.shift();
}

const isPoint = (card) => card === 10 || card === 14;

let hand = [];

function draw(count) {
  for (; count > 0; count--) hand.push(next());
}

function play(card) {
  hand.splice(hand.indexOf(card), 1);
  print(card.toString());
  return card;
}

// The card that is least worth keeping: no points, no seven, and one of many of its rank.
function cheapest() {
  const cost = (card) =>
    card === SEVEN ? 50 : isPoint(card) ? 40 : card - 5 * hand.filter((other) => other === card).length;
  return hand.reduce((best, card) => (cost(card) < cost(best) ? card : best));
}

// A card that takes a trick that began with this one, a seven only if there is no other; undefined: there is none.
function cut(led) {
  return hand.find((card) => card === led) ?? hand.find((card) => card === SEVEN);
}

function match() {
  hand = [];
  draw(4);
  let leads = false;
  for (;;) {
    // Each turn of this loop is a trick.
    let led, points = 0;
    if (leads) {
      led = play(cheapest());
      points += isPoint(led);
    }
    for (;;) {
      const told = next();
      if (told === MATCH_ENDS) {
        next();
        next();
        return;
      }
      if (told === DRAW || told === DRAW_AND_LEAD) {
        draw(next());
        leads = told === DRAW_AND_LEAD && hand.length > 0;
        break;
      }
      points += isPoint(told);
      if (leads) {
        // After the answer to its lead, the bot may go on with a cut if it was cut, or end the trick.
        const wasCut = told === led || told === SEVEN;
        const card = wasCut && points > 0 ? cut(led) : undefined;
        if (card === undefined) print(PASS.toString());
        else points += isPoint(play(card));
      } else {
        led ??= told;
        if (hand.length === 0) continue;
        const card = points > 0 ? cut(led) : undefined;
        points += isPoint(play(card ?? cheapest()));
      }
    }
  }
}

try {
  for (;;) match();
} catch (end) {
  if (end !== undefined) throw end;
}
