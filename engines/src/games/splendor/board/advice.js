// In words: what the viewer may do, what a choice means, what the buttons do, and how a match ended.

/** @import {Chosen, Ending, Translate} from '/web/types.ts' */
/** @import {ChipColour} from './cards.js' */
/** @import {Move, Player, View} from './moves.js' */

import { COLOURS, KINDS, card, noble } from './cards.js';
import { GOAL, HAND_LIMIT, amounts, bonuses, chooser, counted, describe, list, points, price } from './moves.js';

/**
 * The cards that a player can pay now.
 * @param {View} view
 */
const payable = (view) => {
  const player = view.players[chooser(view)];
  const offered = [...view.levels.flatMap(({ face_up: cards }) => cards), ...player.reserved];
  return offered.filter((id) => id > 0 && price(player, id) !== null);
};

/**
 * The chips that a player lacks for a card, with gold used for as many as possible.
 * @param {Player} player
 * @param {number} id
 */
function missing(player, id) {
  const bonus = bonuses(player);
  const lack = COLOURS.map((colour) => Math.max(0, card(id).cost[colour] - bonus[colour] - player.chips[colour]));
  return lack.reduce((sum, n) => sum + n, 0) - player.chips.gold;
}

/**
 * What can be done now, or what the choice means.
 * @param {Chosen<Move>} chosen
 * @param {View} view
 * @param {Translate} t
 */
export function prompt({ picked, next, move }, view, t) {
  if ([...next].some((target) => target.startsWith('return:')) && !move) return t('prompt.return', { limit: HAND_LIMIT });
  if (picked.length === 0) {
    const count = payable(view).length;
    return t(count === 0 ? 'prompt.start' : count === 1 ? 'prompt.start.one' : 'prompt.start.buy', { count });
  }
  if (move?.returns?.length) return t('prompt.returned', { chips: amounts(counted(move.returns), t) });
  const [first] = picked;
  if (first.startsWith('deck:')) {
    return t(view.chips.gold > 0 ? 'prompt.top.gold' : 'prompt.top', { level: first.slice(5) });
  }
  if (first.startsWith('card:') && picked.length === 1) return onCard(Number(first.slice(5)), next, view, t);
  if (first.startsWith('card:')) return t('prompt.card.reserve', { card: describe(Number(first.slice(5)), t) });
  if (!first.startsWith('chip:')) return '';
  const chips = picked.filter((target) => target.startsWith('chip:')).map((target) => target.split(':'));
  const colours = list(chips.map(([, colour]) => t(colour)), t);
  if (chips.some(([, , second]) => second !== undefined)) return t('prompt.take_two', { colour: t(chips[0][1]) });
  if (next.size === 0) return t('prompt.take', { colours });
  return t(move ? 'prompt.take.or' : 'prompt.take.more', { colours });
}

/**
 * What can be done with a chosen card.
 * @param {number} id
 * @param {Set<string>} next
 * @param {View} view
 * @param {Translate} t
 */
function onCard(id, next, view, t) {
  const player = view.players[chooser(view)];
  const what = describe(id, t);
  if (!next.has('reserve')) return t('prompt.card.reserved', { card: what });
  if (price(player, id) !== null) return t('prompt.card', { card: what });
  const count = missing(player, id);
  return t(count === 1 ? 'prompt.card.lacks.one' : 'prompt.card.lacks', { count });
}

/**
 * What a move does, as the text of its button.
 * @param {Move} move
 * @param {View} view
 * @param {Translate} t
 */
export function verb(move, view, t) {
  switch (move.action) {
    case 'take': {
      const count = move.colors.length;
      return t(count === 0 ? 'pass' : count === 1 ? 'verb.take.one' : 'verb.take', { count });
    }
    case 'take_two': return t('verb.take', { count: 2 });
    case 'buy': {
      const paid = price(view.players[chooser(view)], move.card);
      const chips = paid && KINDS.some((kind) => paid[kind] > 0) ? payment(paid, t) : '';
      return t(chips === '' ? 'verb.buy.free' : 'verb.buy', { chips });
    }
    case 'void': return t('void');
    default: return t(view.chips.gold > 0 ? 'reserve.gold' : 'reserve');
  }
}

/**
 * Chips in short: "2 white, 1 gold".
 * @param {Record<ChipColour, number>} paid
 * @param {Translate} t
 */
const payment = (paid, t) => KINDS.filter((kind) => paid[kind] > 0)
  .map((kind) => amounts({ [kind]: paid[kind] }, t)).join(', ');

/**
 * The buttons beside the one that plays the chosen move.
 * @param {Chosen<Move>} chosen
 * @param {View} view
 * @param {Translate} t
 */
export const buttons = ({ picked }, view, t) => [
  { target: 'reserve', label: t(view.chips.gold > 0 ? 'reserve.gold' : 'reserve') },
  ...(picked.length === 0 ? [{ target: 'void', label: t('void') }] : []),
];

/**
 * How a match ended, and what the points come from.
 * @param {View} view
 * @param {Translate} t
 * @returns {Ending}
 */
export function ending(view, t) {
  const all = view.players.map(points);
  const most = Math.max(...all);
  const tied = most >= GOAL && all.filter((n) => n === most).length > 1;
  const sum = (/** @type {{points: number}[]} */ things) => things.reduce((all, one) => all + one.points, 0);
  const rows = [
    { label: t('score.cards'), values: view.players.map(({ cards }) => sum(cards.map(card))) },
    { label: t('score.nobles'), values: view.players.map(({ nobles }) => sum(nobles.map(noble))) },
  ];
  if (tied) rows.push({ label: t('score.tie'), values: view.players.map(({ cards }) => cards.length) });
  return { why: t(most >= GOAL ? 'why.goal' : 'why.rounds', { goal: GOAL }), rows };
}
