// Keeps what must hold together in an edited position of Splendor: all chips, cards and nobles of the game are there, each
// once, and each player has had enough turns. Pure.

/** @import {ChipColour} from './cards.js' */
/** @import {Player, View} from './moves.js' */

import { COLOURS, KINDS, card, noble } from './cards.js';
import { ROUNDS, bonuses } from './moves.js';

const FIRST = [1, 41, 71, 91];
const [GOLD, NOBLES] = [5, 10];
// Chips of a colour, by the number of players.
const CHIPS = [4, 4, 5, 7];

/**
 * The ids of the cards of a level.
 * @param {number} level
 */
export const idsOf = (level) => Array.from({ length: FIRST[level] - FIRST[level - 1] }, (_, i) => FIRST[level - 1] + i);

/**
 * The cards of a level that lie nowhere face up: they are in the deck, or hidden in a hand.
 * @param {View} view
 * @param {number} level
 */
export function unseen(view, level) {
  const seen = new Set([...view.levels.flatMap(({ face_up: up }) => up), ...view.players.flatMap(({ cards, reserved }) => [...cards, ...reserved])]);
  return idsOf(level).filter((id) => !seen.has(id));
}

/**
 * The chips of a kind that no player has.
 * @param {View} view
 * @param {ChipColour} kind
 */
export function bank(view, kind) {
  const chips = kind === 'gold' ? GOLD : CHIPS[view.players.length - 1];
  return view.players.reduce((left, player) => left - player.chips[kind], chips);
}

/**
 * The fewest turns in which a player can have got all this: one for each purchase and each reservation, and one for three
 * chips that no reservation brought.
 * @param {Player} player
 */
function turns({ cards, reserved, chips, nobles }) {
  const had = { red: 0, green: 0, blue: 0, white: 0, black: 0 };
  let taken = KINDS.reduce((sum, kind) => sum + chips[kind], 0);
  for (const id of cards) {
    for (const colour of COLOURS) taken += Math.max(0, card(id).cost[colour] - had[colour]);
    had[card(id).bonus] += 1;
  }
  const reservations = reserved.length + Math.max(0, chips.gold - reserved.length);
  const thirds = 3 * (cards.length + reservations) + Math.max(0, taken - reservations);
  return Math.max(Math.ceil(thirds / 3), nobles.length);
}

/**
 * Whether a player's bonuses meet the needs of a noble.
 * @param {Player} player
 * @param {number} id
 */
export function attracts(player, id) {
  const has = bonuses(player);
  return COLOURS.every((colour) => has[colour] >= noble(id).needs[colour]);
}

/**
 * The earliest and the latest round in which a position can be, from 0.
 * @param {View} view
 */
export function rounds({ players, to_move: mover }) {
  const least = Math.max(0, ...players.map((player, seat) => turns(player) - (seat < mover ? 1 : 0)));
  // Only the first seat is asked in the round after the last.
  return [least, mover === 0 ? ROUNDS : ROUNDS - 1];
}

/**
 * The position with everything in step.
 * @param {View} view
 * @returns {View}
 */
export function settle(view) {
  const players = view.players.map((player) => ({ ...player, chips: { ...player.chips } }));
  const nobles = [...view.nobles];
  for (const player of players) {
    const stays = (/** @type {number} */ id) => attracts(player, id);
    nobles.push(...player.nobles.filter((id) => !stays(id)));
    player.nobles = player.nobles.filter(stays);
    player.chips.gold = Math.min(player.chips.gold, player.reserved.length + player.cards.length);
  }
  const next = { ...view, players, nobles: counted(nobles, players) };
  for (const kind of KINDS) {
    // The last players give back what a smaller game does not have.
    for (const { chips } of [...players].reverse()) chips[kind] = Math.max(0, chips[kind] + Math.min(0, bank(next, kind)));
  }
  next.chips = /** @type {Record<ChipColour, number>} */ (Object.fromEntries(Object.keys(view.chips).map((kind) => [kind, bank(next, /** @type {ChipColour} */ (kind))])));
  showOwn(next);
  next.levels = view.levels.map((_, i) => dealt(next, i + 1));
  const [least, most] = rounds(next);
  return { ...next, round: Math.min(most, Math.max(view.round, least)) };
}

/**
 * The nobles on the table: with those of the players one more than players.
 * @param {number[]} nobles
 * @param {Player[]} players
 */
function counted(nobles, players) {
  const owned = players.flatMap((player) => player.nobles);
  const count = Math.max(0, players.length + 1 - owned.length);
  const table = nobles.slice(0, count);
  for (let id = 1; id <= NOBLES && table.length < count; id += 1) if (![...table, ...owned].includes(id)) table.push(id);
  return table;
}

/**
 * A player knows its own reserved cards: those hidden so far become cards that lie nowhere.
 * @param {View} view
 */
function showOwn(view) {
  const own = view.players[view.to_move];
  for (const [i, id] of own.reserved.entries()) {
    if (id < 0) own.reserved = own.reserved.with(i, unseen(view, -id)[0]);
  }
}

/**
 * The cards of a level: a free place gets a card of the deck, as long as there is one.
 * @param {View} view
 * @param {number} level
 */
function dealt(view, level) {
  const cards = unseen(view, level);
  const hidden = view.players.flatMap(({ reserved }) => reserved).filter((id) => id === -level).length;
  const up = view.levels[level - 1].face_up.map((id) => (id === 0 && cards.length > hidden ? cards.shift() ?? 0 : id));
  return { ...view.levels[level - 1], deck: cards.length - hidden, face_up: up };
}
