// How Splendor's moves are chosen, described and shown step by step, and what a player's cards are worth. Pure: it draws
// nothing.

/** @import {Translate} from '/web/types.ts' */
/** @import {Amounts, Colour, ChipColour} from './cards.js' */
/** @typedef {{chips: Record<ChipColour, number>, cards: number[], nobles: number[], reserved: number[]}} Player a hidden reserved
 * card is the negative of its level */
/** @typedef {{to_move: number, round: number, players: Player[], chips: Record<ChipColour, number>, nobles: number[], viewer?: {seat: number} | 'spectator',
 *   levels: {deck: number, face_up: number[]}[]}} Position */
/** @typedef {number | string | null} Drawn the card that a deck gives: its id if it goes to the table, else the piece that
 * it becomes among the reserved cards */
/** @typedef {Position & {doing?: {seat: number, change: Record<ChipColour, number>, card: number | null,
 *   drawn: Drawn[]}}} View `doing` is for the drawing alone: whose chips change by how many, and which cards go where */
/** @typedef {{returns?: ChipColour[]} & ({action: 'take', colors: Colour[]} | {action: 'take_two', color: Colour}
 *   | {action: 'reserve', card: number} | {action: 'reserve_top', level: number} | {action: 'buy', card: number}
 *   | {action: 'void'})} Move */

import { COLOURS, KINDS, card, noble } from './cards.js';

export const GOAL = 15;
export const HAND_LIMIT = 10;
export const ROUNDS = 100;

/**
 * How many bonuses of each colour a player's cards give.
 * @param {Player} player
 * @returns {Amounts}
 */
export const bonuses = ({ cards }) => {
  const found = { red: 0, green: 0, blue: 0, white: 0, black: 0 };
  for (const id of cards) found[card(id).bonus] += 1;
  return found;
};
/** @param {Player} player */
export const points = ({ cards, nobles }) => (
  [...cards.map(card), ...nobles.map(noble)].reduce((sum, one) => sum + one.points, 0)
);
/**
 * The number of chips that a player holds.
 * @param {Player} player
 */
export const held = ({ chips }) => KINDS.reduce((sum, kind) => sum + chips[kind], 0);
/**
 * The player whose choice the words are about: the viewer, who may choose before the turn.
 * @param {View} view
 */
export const chooser = (view) => (typeof view.viewer === 'object' ? view.viewer.seat : view.to_move);
/** @param {View} view */
export const isOver = (view) => (
  view.to_move === 0 && (view.round >= ROUNDS || view.players.some((player) => points(player) >= GOAL))
);

/**
 * The chips that a player pays for a card: bonuses first, then chips of the colour, then gold; null if the player cannot
 * pay.
 * @param {Player} player
 * @param {number} id
 */
export function price(player, id) {
  const bonus = bonuses(player);
  const paid = { red: 0, green: 0, blue: 0, white: 0, black: 0, gold: 0 };
  for (const colour of COLOURS) {
    const due = Math.max(0, card(id).cost[colour] - bonus[colour]);
    paid[colour] = Math.min(due, player.chips[colour]);
    paid.gold += due - paid[colour];
  }
  return paid.gold <= player.chips.gold ? paid : null;
}

// The second and third chip of a kind have targets of their own, so that each chosen chip can be taken back.
export const chipTarget = (/** @type {ChipColour} */ colour, n = 1) => (n === 1 ? `chip:${colour}` : `chip:${colour}:${n}`);
export const returnTarget = (/** @type {ChipColour} */ colour, n = 1) => (n === 1 ? `return:${colour}` : `return:${colour}:${n}`);

/** @param {Move} move */
export function paths(move) {
  /** @type {Partial<Record<ChipColour, number>>} */
  const seen = {};
  const returned = (move.returns ?? []).map((colour) => {
    const n = (seen[colour] ?? 0) + 1;
    seen[colour] = n;
    return returnTarget(colour, n);
  });
  return [...action(move), returned].filter((group) => group.length > 0);
}

/**
 * The path of a move without the chips that it returns.
 * @param {Move} move
 */
function action(move) {
  switch (move.action) {
    case 'take': return [move.colors.length > 0 ? move.colors.map((colour) => chipTarget(colour)) : ['pass']];
    case 'take_two': return [[chipTarget(move.color)], [chipTarget(move.color, 2)]];
    case 'reserve': return [[`card:${move.card}`], ['reserve']];
    case 'reserve_top': return [[`deck:${move.level}`]];
    case 'buy': return [[`card:${move.card}`]];
    default: return [['void']];
  }
}

// Words.

/**
 * An enumeration: "a, b and c".
 * @param {string[]} parts
 * @param {Translate} t
 */
export const list = (parts, t) => (
  parts.length < 2 ? parts.join('') : t('list', { most: parts.slice(0, -1).join(', '), last: parts.at(-1) })
);

/**
 * Amounts in words: "2 red and 1 gold".
 * @param {Partial<Record<ChipColour, number>>} given
 * @param {Translate} t
 */
export const amounts = (given, t) => list(
  KINDS.filter((kind) => (given[kind] ?? 0) > 0).map((kind) => t('amount', { count: given[kind], colour: t(kind) })), t,
);

/**
 * A card in words. `cost`: its cost in words; by default in short, as printed on the card.
 * @param {number} id
 * @param {Translate} t
 */
export function describe(id, t, cost = short(card(id).cost, t)) {
  const { level, bonus, points: worth } = card(id);
  const key = worth === 0 ? 'card.plain' : worth === 1 ? 'card.point' : 'card.points';
  return t(key, { level, colour: t(bonus), points: worth, cost });
}

/**
 * @param {Amounts} cost
 * @param {Translate} t
 */
const short = (cost, t) => COLOURS.filter((colour) => cost[colour] > 0)
  .map((colour) => `${cost[colour]}\u202f${t(`letter.${colour}`)}`).join(' ');

/** @param {ChipColour[]} colours */
export const counted = (colours) => {
  /** @type {Partial<Record<ChipColour, number>>} */
  const all = {};
  for (const colour of colours) all[colour] = (all[colour] ?? 0) + 1;
  return all;
};

/**
 * A move in words.
 * @param {Move} move
 * @param {View} view
 * @param {Translate} t
 */
export function say(move, view, t) {
  const done = words(move, view, t);
  const returns = move.returns ?? [];
  return returns.length === 0 ? done : t('say.returns', { done, chips: amounts(counted(returns), t) });
}

/**
 * A move that is chosen before the turn, in words.
 * @param {Move} move
 * @param {View} view
 * @param {Translate} t
 */
export const ahead = (move, view, t) => say(move, { ...view, to_move: chooser(view) }, t);

/**
 * A move in words, without the chips that it returns.
 * @param {Move} move
 * @param {View} view
 * @param {Translate} t
 */
function words(move, view, t) {
  switch (move.action) {
    case 'take': return move.colors.length === 0 ? t('say.pass')
      : t('say.take', { colours: list(move.colors.map((colour) => t(colour)), t) });
    case 'take_two': return t('say.take_two', { colour: t(move.color) });
    case 'reserve':
      return t(view.chips.gold > 0 ? 'say.reserve_gold' : 'say.reserve', { card: describe(move.card, t) });
    case 'reserve_top':
      return t(view.chips.gold > 0 ? 'say.reserve_top_gold' : 'say.reserve_top', { level: move.level });
    case 'buy': {
      const paid = amounts(price(view.players[view.to_move], move.card) ?? {}, t);
      return t(paid === '' ? 'say.buy_free' : 'say.buy', { card: describe(move.card, t), paid });
    }
    default: return t('say.void');
  }
}

/**
 * The name under which a reserved card is animated. A hidden card has no id: it is the n-th of its level.
 * @param {number} seat
 * @param {number[]} cards the reserved cards of the seat
 * @param {number} place the card's index in `cards`
 */
export function reservedPiece(seat, cards, place) {
  const id = cards[place];
  if (id > 0) return `card:${id}`;
  return `hidden:${seat}:${-id}:${cards.slice(0, place).filter((other) => other === id).length}`;
}

/**
 * A player's reserved cards before a purchase: the bought card, if it was hidden from the viewer, is revealed at its place.
 * @param {Player} was before the purchase
 * @param {Player} is after it
 * @param {Move} move
 */
function revealed(was, is, move) {
  if (move.action !== 'buy' || was.reserved.length === is.reserved.length) return was;
  const bought = was.reserved.findIndex((id, place) => id !== is.reserved[place]);
  return { ...was, reserved: was.reserved.map((id, place) => (place === bought ? move.card : id)) };
}

/**
 * The position between two: what the move takes is marked where it still lies.
 * @param {View} before
 * @param {Move} move
 * @param {View} after
 * @returns {View[]}
 */
export function steps(before, move, after) {
  const seat = before.to_move;
  const [was, is] = [before.players[seat], after.players[seat]];
  const change = { ...is.chips };
  for (const kind of KINDS) change[kind] -= was.chips[kind];
  const drawn = before.levels.map((level, i) => {
    const place = level.face_up.findIndex((id, slot) => id !== after.levels[i].face_up[slot]);
    if (place >= 0) return after.levels[i].face_up[place] || null;
    if (move.action !== 'reserve_top' || move.level !== i + 1) return null;
    return reservedPiece(seat, is.reserved, is.reserved.length - 1);
  });
  const players = before.players.map((player, i) => (i === seat ? revealed(was, is, move) : player));
  return [{ ...before, players, doing: { seat, change, card: 'card' in move ? move.card : null, drawn } }];
}
