// How Splendor's moves are chosen, said and shown step by step, and what a player's cards come to. Pure: it draws
// nothing.

import { COLOURS, KINDS, card, noble } from './cards.js';

export const GOAL = 15;
export const HAND_LIMIT = 10;
export const ROUNDS = 100;

export const bonuses = ({ cards }) => Object.fromEntries(
  COLOURS.map((colour) => [colour, cards.filter((id) => card(id).bonus === colour).length]),
);
export const points = ({ cards, nobles }) => (
  [...cards.map(card), ...nobles.map(noble)].reduce((sum, one) => sum + one.points, 0)
);
export const held = ({ chips }) => KINDS.reduce((sum, kind) => sum + chips[kind], 0);
export const isOver = (view) => (
  view.to_move === 0 && (view.round >= ROUNDS || view.players.some((player) => points(player) >= GOAL))
);

// The chips that a card takes from a player: bonuses first, then chips of the colour, then gold; null if they are too
// few.
export function price(player, id) {
  const bonus = bonuses(player);
  const paid = { gold: 0 };
  for (const colour of COLOURS) {
    const due = Math.max(0, card(id).cost[colour] - bonus[colour]);
    paid[colour] = Math.min(due, player.chips[colour]);
    paid.gold += due - paid[colour];
  }
  return paid.gold <= player.chips.gold ? paid : null;
}

// The second and third of a kind have names of their own, so that each chip that is chosen can be taken back.
export const chipTarget = (colour, n = 1) => (n === 1 ? `chip:${colour}` : `chip:${colour}:${n}`);
export const returnTarget = (colour, n = 1) => (n === 1 ? `return:${colour}` : `return:${colour}:${n}`);

export function paths(move) {
  const seen = {};
  const returned = (move.returns ?? []).map((colour) => {
    seen[colour] = (seen[colour] ?? 0) + 1;
    return returnTarget(colour, seen[colour]);
  });
  return [...action(move), returned].filter((group) => group.length > 0);
}

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

const list = (parts, t) => (
  parts.length < 2 ? parts.join('') : t('list', { most: parts.slice(0, -1).join(', '), last: parts.at(-1) })
);

// Amounts as words: "2 red and 1 gold".
export const amounts = (given, t) => list(
  KINDS.filter((kind) => given[kind] > 0).map((kind) => t('amount', { count: given[kind], colour: t(kind) })), t,
);

// A card in words; `cost`: what it costs, in words or, by default, as short as it stands on the card.
export function describe(id, t, cost = short(card(id).cost, t)) {
  const { level, bonus, points: worth } = card(id);
  const key = worth === 0 ? 'card.plain' : worth === 1 ? 'card.point' : 'card.points';
  return t(key, { level, colour: t(bonus), points: worth, cost });
}

const short = (cost, t) => COLOURS.filter((colour) => cost[colour] > 0)
  .map((colour) => `${cost[colour]}\u202f${t(`letter.${colour}`)}`).join(' ');

const counted = (colours) => {
  const all = {};
  for (const colour of colours) all[colour] = (all[colour] ?? 0) + 1;
  return all;
};

export function say(move, view, t) {
  const done = words(move, view, t);
  const returns = move.returns ?? [];
  return returns.length === 0 ? done : t('say.returns', { done, chips: amounts(counted(returns), t) });
}

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

// The moment before a move: what it takes is shown where it still lies. `doing` is for the drawing alone: whose chips
// change by how many, and which cards come to lie where.
export function steps(before, move, after) {
  const seat = before.to_move;
  const [was, is] = [before.players[seat], after.players[seat]];
  const change = Object.fromEntries(KINDS.map((kind) => [kind, is.chips[kind] - was.chips[kind]]));
  const drawn = before.levels.map((level, i) => {
    const place = level.face_up.findIndex((id, slot) => id !== after.levels[i].face_up[slot]);
    if (place >= 0) return after.levels[i].face_up[place] || null;
    if (move.action !== 'reserve_top' || move.level !== i + 1) return null;
    return { seat, place: was.reserved.length, id: is.reserved.at(-1) };
  });
  return [{ ...before, doing: { seat, change, card: move.card ?? null, drawn } }];
}
