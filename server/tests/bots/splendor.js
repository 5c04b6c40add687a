// A bot for Splendor, written from the contest's protocol text: buys the best card that it can pay; otherwise takes chips, or
// reserves a card with the last of them. It must not use code of the engines.

import { readFileSync } from 'node:fs';
import process from 'node:process';

/** Seven digits for each card: its bonus, its points, and its cost by colour. */
const TABLE =
  '000003010300002000003300030040030000001200100012020000123020001401200001000401100004214000031040004100400' +
  '002002010202002002002300020240020200001111101011120110113011101401111000011211010112202101130121014011210' +
  '000102210201022022010300220140102200010013100131020131003000131403100102000051205000220050032500004200050' +
  '036000013060002300600330006043000060200035120350022003503250003423500002024101200241221002432410024224100' +
  '012002311003222132200312300241022300120303113203021032033130320410303204070001400700240007034000074470000' +
  '053700015037002500370350003745700030436300140363024003633430036446300303035331330353233303533533034335330';

const COLOURS = [0, 1, 2, 3, 4];
const digits = card => [...TABLE.slice((card - 1) * 7, card * 7)].map(Number);

const numbers = readFileSync(0, 'utf8').split(/\s+/).filter(Boolean).map(Number);
const take = count => numbers.splice(0, count);
const list = () => take(take(1)[0]);

const [players, id, round] = take(3);
const own = round === 0 || id === 0 ? id : id - 1;
const bank = take(6);
const faceUp = [0, 1, 2].flatMap(() => take(5).slice(1)).filter(card => card > 0);
list();
const boards = Array.from({ length: players }, () => {
  const board = { chips: take(6), cards: list(), reserved: list() };
  list();
  return board;
});
const { chips, cards, reserved } = boards[own];
const bonus = COLOURS.map(colour => cards.filter(card => digits(card)[0] === colour).length);
const held = chips.reduce((a, b) => a + b, 0);

const lacking = card => COLOURS.map(c => Math.max(0, digits(card)[2 + c] - bonus[c] - chips[c]));
const lacks = card => lacking(card).reduce((a, b) => a + b, 0);
const points = card => digits(card)[1];

function action() {
  const reach = [...faceUp, ...reserved.filter(card => card > 0)];
  const [best] = reach.filter(card => lacks(card) <= chips[5]).sort((a, b) => points(b) - points(a));
  if (best) return ['4', best];
  const [target] = [...reach].sort((a, b) => lacks(a) - lacks(b));
  const wanted = COLOURS.filter(c => target && lacking(target)[c] > 0);
  const double = wanted.find(c => lacking(target)[c] > 1 && bank[c] >= 4);
  if (double !== undefined && wanted.length === 1 && held <= 8) return ['2', double];
  const free = [...wanted, ...COLOURS.filter(c => !wanted.includes(c))].filter(c => bank[c] > 0);
  const taken = free.slice(0, Math.min(3, 10 - held));
  if (taken.length > 0) return ['1', taken.length, ...taken];
  // With ten chips, a reserved card brings gold, for which the chip is returned that the bot has most of.
  if (reserved.length < 3 && faceUp.length > 0) {
    const most = COLOURS.reduce((a, b) => (chips[b] > chips[a] ? b : a));
    if (bank[5] === 0 || chips[most] > 0) return ['3', faceUp[0], ...(bank[5] > 0 ? [most] : [])];
  }
  return ['1', 0];
}

process.stdout.write(`${action().join(' ')}\n`);
