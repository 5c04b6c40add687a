// What can be edited in a position of Splendor. Every change keeps what must hold together: the chips and cards of the game
// are always all there, nobles stay only with players who have the bonuses, and enough rounds have been played.

/** @import {EditField, EditPiece, Translate} from '/web/types.ts' */
/** @import {Colour, ChipColour} from './cards.js' */
/** @import {Player, View} from './moves.js' */

import { h } from '/web/lib/dom.js';
import { back, face, label, nobleTile } from './card.js';
import { COLOURS, KINDS, card } from './cards.js';
import { HAND_LIMIT, held } from './moves.js';
import { attracts, bank, idsOf, rounds, settle, unseen } from './settle.js';

const [CARDS, NOBLES, RESERVED, SEATS] = [90, 10, 3, 4];
const LEVELS = [1, 2, 3];

// Nearly nothing is hidden: the board may be seen from each seat.
export const open = true;

/** @param {View} view */
export const mover = (view) => view.to_move;

/**
 * @param {View} view
 * @param {string[]} names
 * @param {Translate} t
 * @returns {EditField[]}
 */
export function fields(view, names, t) {
  return [
    ...LEVELS.flatMap((level) => view.levels[level - 1].face_up.map((_, at) => slotField(view, level, at, t))),
    tableNobles(view, t),
    ...KINDS.flatMap((kind) => view.players.map((_, seat) => chipField(view, seat, kind, names[seat], t))),
    ...view.players.flatMap((_, seat) => [
      ...COLOURS.map((colour) => boughtField(view, seat, colour, names[seat], t)),
      reservedField(view, seat, names[seat], t), ownNobles(view, seat, names[seat], t),
    ]),
    ...tableFields(view, names, t),
  ];
}

/** @param {Element} drawn */
const sample = (drawn) => h('span', { class: 'board-splendor sample alone' }, drawn);

/**
 * A card, or a hidden card of a level if the id is negative.
 * @param {EditPiece} id
 * @param {Translate} t
 */
const cardPiece = (id, t) => {
  const of = Number(id);
  return {
    value: of, label: of < 0 ? t('reserved.back', { level: -of }) : label(of, t),
    picture: () => sample(of < 0 ? back(-of) : face(of, t)),
  };
};
/**
 * @param {EditPiece} id
 * @param {Translate} t
 */
const noblePiece = (id, t) => {
  const tile = () => nobleTile(Number(id), t);
  return { value: Number(id), label: tile().getAttribute('aria-label') ?? '', picture: () => sample(tile()) };
};

/**
 * The position with a change of one player.
 * @param {View} view
 * @param {number} seat
 * @param {Partial<Player>} change
 */
const withPlayer = (view, seat, change) => ({ ...view, players: view.players.map((one, i) => (i === seat ? { ...one, ...change } : one)) });

/**
 * The position without some cards: their places on the table are free.
 * @param {View} view
 * @param {number[]} ids
 * @returns {View}
 */
function without(view, ids) {
  const stays = (/** @type {number} */ id) => !ids.includes(id);
  return {
    ...view, levels: view.levels.map((level) => ({ ...level, face_up: level.face_up.map((id) => (stays(id) ? id : 0)) })),
    players: view.players.map((player) => ({ ...player, cards: player.cards.filter(stays), reserved: player.reserved.filter(stays) })),
  };
}

/**
 * A place on the table. A card that lies elsewhere changes places with the one that was here.
 * @param {View} view
 * @param {number} level
 * @param {number} at
 * @param {Translate} t
 * @returns {EditField}
 */
function slotField(view, level, at, t) {
  const id = view.levels[level - 1].face_up[at];
  const hidden = unseen(view, level);
  return {
    id: `slot:${level}:${at}`, targets: [`slot:${level}:${at}`], group: t('edit.slot', { level, place: at + 1 }), label: t('edit.card'),
    note: t('edit.slot.note'), kind: 'choice', value: id,
    choices: idsOf(level).map((one) => ({ ...cardPiece(one, t), off: id === 0 && hidden.includes(one) })),
    set: (chosen) => {
      const other = Number(chosen);
      const swap = (/** @type {number} */ one) => (one === other ? id : one === id ? other : one);
      if (other === id) return view;
      return settle({
        ...view, levels: view.levels.map((one, i) => ({ ...one, face_up: one.face_up.map((up, place) => (
          i === level - 1 && place === at ? other : up === other ? id : up)) })),
        players: view.players.map((player) => ({
          ...player, cards: player.cards.map(swap).filter((one) => one !== 0), reserved: player.reserved.map(swap).filter((one) => one !== 0),
        })),
      });
    },
  };
}

/**
 * @param {View} view
 * @param {Translate} t
 * @returns {EditField}
 */
function tableNobles(view, t) {
  const owned = view.players.flatMap(({ nobles }) => nobles);
  const places = view.nobles.map((_, i) => `noble:${i}`);
  return {
    id: 'nobles', targets: places, group: t('nobles'), label: t('nobles'), kind: 'pieces', value: view.nobles, least: view.nobles.length,
    most: view.nobles.length, places, piece: (id) => noblePiece(id, t),
    choices: () => all(NOBLES).map((id) => ({ ...noblePiece(id, t), off: owned.includes(id) })),
    // A noble that lies there already changes places.
    set: (nobles) => {
      const now = /** @type {number[]} */ (nobles);
      const at = now.findIndex((id, i) => id !== view.nobles[i]);
      return settle({ ...view, nobles: now.map((id, i) => (i !== at && id === now[at] ? view.nobles[at] : id)) });
    },
  };
}

/** @param {number} count */
const all = (count) => Array.from({ length: count }, (_, i) => i + 1);

/**
 * @param {View} view
 * @param {number} seat
 * @param {ChipColour} kind
 * @param {string} who
 * @param {Translate} t
 * @returns {EditField}
 */
function chipField(view, seat, kind, who, t) {
  const player = view.players[seat];
  const value = player.chips[kind];
  const room = Math.min(bank(view, kind), HAND_LIMIT - held(player));
  // Each gold chip came with a reserved card.
  const gold = kind === 'gold' ? player.reserved.length + player.cards.length - value : room;
  return {
    id: `chips:${seat}:${kind}`, targets: [`column:${seat}:${kind}`, `bank:${kind}`], group: t('edit.chips', { colour: t(kind) }), label: who,
    note: t(kind === 'gold' ? 'edit.gold.note' : 'edit.chips.note', { limit: HAND_LIMIT }), kind: 'count', value, least: 0, most: value + Math.max(0, Math.min(room, gold)),
    set: (n) => settle(withPlayer(view, seat, { chips: { ...player.chips, [kind]: n } })),
  };
}

/**
 * The cards of one colour that a player has bought.
 * @param {View} view
 * @param {number} seat
 * @param {Colour} colour
 * @param {string} who
 * @param {Translate} t
 * @returns {EditField}
 */
function boughtField(view, seat, colour, who, t) {
  const { cards } = view.players[seat];
  const value = cards.filter((id) => card(id).bonus === colour);
  const ids = all(CARDS).filter((id) => card(id).bonus === colour);
  return {
    id: `bought:${seat}:${colour}`, targets: [`column:${seat}:${colour}`], group: t('edit.bought', { colour: t(colour), who }), label: t('edit.cards'),
    kind: 'pieces', value, most: ids.length, piece: (id) => cardPiece(id, t),
    choices: () => ids.map((id) => ({ ...cardPiece(id, t), off: value.includes(id) })),
    set: (chosen) => {
      const now = /** @type {number[]} */ (chosen);
      const stay = cards.filter((id) => card(id).bonus !== colour || now.includes(id));
      const come = now.filter((id) => !cards.includes(id));
      return settle(withPlayer(without(view, come), seat, { cards: [...stay, ...come] }));
    },
  };
}

/**
 * @param {View} view
 * @param {number} seat
 * @param {string} who
 * @param {Translate} t
 * @returns {EditField}
 */
function reservedField(view, seat, who, t) {
  const { reserved } = view.players[seat];
  // The viewer knows its own cards.
  const hidden = seat === view.to_move ? [] : LEVELS.map((level) => -level);
  return {
    id: `reserved:${seat}`, targets: [`player:${seat}`, `column:${seat}:gold`], group: t('edit.reserved', { who }), label: t('edit.cards'), kind: 'pieces',
    value: reserved, places: reserved.map((_, i) => `reserved:${seat}:${i}`), most: RESERVED, piece: (id) => cardPiece(id, t),
    choices: () => [...hidden, ...all(CARDS)].map((id) => ({
      ...cardPiece(id, t), off: id < 0 ? view.levels[-id - 1].deck < 1 : reserved.includes(id),
    })),
    set: (chosen) => {
      const now = /** @type {number[]} */ (chosen);
      const come = now.filter((id) => id > 0 && !reserved.includes(id));
      return settle(withPlayer(without(view, come), seat, { reserved: now }));
    },
  };
}

/**
 * @param {View} view
 * @param {number} seat
 * @param {string} who
 * @param {Translate} t
 * @returns {EditField}
 */
function ownNobles(view, seat, who, t) {
  const player = view.players[seat];
  const others = view.players.flatMap(({ nobles }, i) => (i === seat ? [] : nobles));
  return {
    id: `own:${seat}`, targets: [`player:${seat}`, `column:${seat}:gold`], group: t('edit.nobles', { who }), label: t('nobles'), note: t('edit.nobles.note'),
    kind: 'pieces', value: player.nobles, places: player.nobles.map((_, i) => `own:${seat}:${i}`),
    most: view.nobles.length + player.nobles.length, piece: (id) => noblePiece(id, t),
    choices: () => all(NOBLES).map((id) => ({ ...noblePiece(id, t), off: !attracts(player, id) || others.includes(id) || player.nobles.includes(id) })),
    set: (chosen) => {
      const now = /** @type {number[]} */ (chosen);
      const back = player.nobles.filter((id) => !now.includes(id));
      const table = [...view.nobles.filter((id) => !now.includes(id)), ...back];
      return settle(withPlayer({ ...view, nobles: table }, seat, { nobles: now }));
    },
  };
}

/**
 * @param {View} view
 * @param {string[]} names
 * @param {Translate} t
 * @returns {EditField[]}
 */
function tableFields(view, names, t) {
  const [least, most] = rounds(view);
  return [
    {
      id: 'turn', targets: [], group: '', label: t('edit.turn'), kind: 'choice', value: view.to_move,
      choices: names.map((label, value) => ({ value, label })), set: (seat) => settle({ ...view, to_move: Number(seat), viewer: { seat: Number(seat) } }),
    },
    {
      id: 'round', targets: [], group: '', label: t('edit.round'), kind: 'count', value: view.round + 1,
      least: least + 1, most: most + 1, set: (n) => ({ ...view, round: n - 1 }),
    },
    {
      id: 'players', targets: [], group: '', label: t('edit.players'), kind: 'choice', value: view.players.length,
      choices: all(SEATS).map((value) => ({ value, label: String(value) })), set: (n) => resize(view, Number(n)),
    },
  ];
}

/**
 * The position with another number of players: new ones have nothing, what others had goes back.
 * @param {View} view
 * @param {number} count
 */
function resize(view, count) {
  const nothing = { red: 0, green: 0, blue: 0, white: 0, black: 0, gold: 0 };
  const players = Array.from({ length: count }, (_, i) => view.players[i] ?? { chips: nothing, cards: [], reserved: [], nobles: [] });
  const gone = view.players.slice(count).flatMap(({ nobles }) => nobles);
  const seat = Math.min(view.to_move, count - 1);
  return settle({ ...view, players, nobles: [...view.nobles, ...gone], to_move: seat, viewer: { seat } });
}
