// A match in words: the players, the events, the result.

/** @import {Board, BoardSeat, Game, MatchEvent, Opaque, Page, PageSeat, Translate} from '../../types.ts' */

import { language } from '../texts.js';
import { guestName } from './guests.js';

/**
 * The name shown for a seat.
 * @param {PageSeat} seat
 * @param {Translate} t
 */
export function seatName(seat, t) {
  if (seat.engine) return seat.engine.title ?? t(`engine.${seat.engine.level}`);
  if (seat.kind === 'open') return t('match.free');
  return seat.name ?? (seat.kind === 'guest' ? guestName(seat, t) : t('match.reserved'));
}

/**
 * That a player is on vacation, with the last day: one that ends at midnight has none of the next day.
 * @param {number} until its end, Unix time in milliseconds
 * @param {Translate} t
 */
export function vacationText(until, t) {
  return t('match.vacation', { date: new Date(until - 1).toLocaleDateString(language(), { day: 'numeric', month: 'short' }) });
}

/**
 * The name of an engine for people; the engine's own name if the game has none. `engine`: its name, which its version may
 * follow. `board`: its `t` translates the game's texts.
 * @param {string} engine
 * @param {Pick<Board, 't'>} board
 */
export function engineName(engine, board) {
  const [name] = engine.split(' ');
  const key = `engine.${name}`;
  const text = board.t(key);
  return text === key ? name : text;
}

/**
 * The name of an engine that plays at a level: "Easy engine", if it is the game's best one; any other has its own name before the
 * level.
 * @param {string} engine its name
 * @param {string} level
 * @param {Pick<Game, 'engines'> | undefined} game
 * @param {Pick<Board, 't'>} board whose `t` translates the game's texts
 * @param {Translate} t
 */
export function engineAt(engine, level, game, board, t) {
  if (engine === game?.engines[0]?.name) return t(`engine.${level}`);
  return t('engine.level', { engine: engineName(engine, board), level: t(`level.${level}`) });
}

/**
 * The name of a player for people: that of a built-in engine (`GAME:ENGINE:VERSION:LEVEL`) in words, any other as it is. An engine of
 * an earlier version says which.
 * @param {string} name
 * @param {Pick<Game, 'engines'> | undefined} game
 * @param {Pick<Board, 't'>} board whose `t` translates the game's texts
 * @param {Translate} t
 */
export function playerName(name, game, board, t) {
  const [, engine, version, level] = name.split(':');
  if (!level) return name;
  const shown = engineAt(engine, level, game, board, t);
  const present = game?.engines.find((one) => one.name === engine)?.version;
  return present === undefined || String(present) === version ? shown : t('engine.of_version', { name: shown, version });
}

/**
 * The page with titles for its engines where the level alone does not name them: other engines than the game's main one, and
 * several of the same name, which get the number of their seat.
 * @param {Page} page
 * @param {Game} game
 * @param {Board} board
 * @param {Translate} t
 * @returns {Page}
 */
export function withEngineNames(page, game, board, t) {
  const names = page.seats.map(({ engine }) => {
    return engine ? engineAt(engine.name, engine.level, game, board, t) : null;
  });
  const seats = page.seats.map((seat, i) => {
    const name = names[i];
    if (!seat.engine || name === null) return seat;
    const alone = names.indexOf(name) === names.lastIndexOf(name);
    return { ...seat, engine: { ...seat.engine, title: alone ? name : `${name}\u00a0${i + 1}` } };
  });
  return { ...page, seats };
}

/**
 * The seats as boards expect them.
 * @param {Page} page
 * @param {Translate} t
 * @returns {BoardSeat[]}
 */
export function boardSeats(page, t) {
  return page.seats.map((seat) => ({ name: seatName(seat, t), kind: seat.kind, out: seat.out }));
}

// The ends without a result.
const NO_RESULT = ['aborted', 'abandoned', 'guests_left', 'cancelled', 'terminated'];

/**
 * The end of a match for the viewer, or for the player who won it, in a few words.
 * @param {Page} page
 * @param {Translate} t
 */
export function headline(page, t) {
  if (NO_RESULT.includes(page.ended ?? '') || !page.result) return t('match.no_result');
  const { ranks, points } = page.result;
  const first = page.seats.filter((seat) => ranks[seat.seat] === 1);
  const mine = first.some(({ seat }) => seat === page.you);
  if (page.seats.length === 1 && points) return t('match.alone_over');
  if (first.length === 0) return t('match.no_winner');
  if (first.length === 1 && mine) return t('match.you_won');
  if (first.length === page.seats.length) return t('match.draw');
  if (first.length > 1) return t('match.shared', { names: first.map((seat) => seatName(seat, t)).join(', ') });
  if (page.you !== null) return t('match.you_lost');
  return t('match.won', { name: seatName(first[0], t) });
}

/**
 * The outcome for the viewer, as a class name: `won`, `lost` or `even`.
 * @param {Page} page
 */
export function outcome(page) {
  const ranks = page.result?.ranks;
  if (!ranks || page.you === null || !ranks.includes(1)) return 'even';
  if (ranks[page.you] !== 1) return 'lost';
  return ranks.filter((rank) => rank === 1).length > 1 ? 'even' : 'won';
}

/**
 * The causes that ended a match other than the game's rules, one sentence for each player concerned: a player resigned,
 * left, or broke a rule. Empty if the match was played to its end.
 * @param {Page} page
 * @param {MatchEvent[]} events the events of the match, in order
 * @param {Translate} t
 */
export function causes(page, events, t) {
  const say = (/** @type {string} */ key, /** @type {number} */ seat) => (seat === page.you ? t(`end.you.${key}`)
    : t(`end.${key}`, { name: seatName(page.seats[seat], t) }));
  if (page.ended === 'abandoned') {
    const turn = events.flatMap((event) => ('turn' in event && event.turn !== null ? [event.turn] : [])).at(-1);
    if (turn !== undefined) return [say('abandoned', turn)];
  }
  if (NO_RESULT.includes(page.ended ?? '')) return [t(`match.ended.${page.ended}`)];
  const causes = events.flatMap((event) => (event.type === 'went_out' ? [say(event.why, event.seat)] : []));
  // A foul ends the match if nothing was played instead.
  const last = events.filter(({ type }) => type === 'moved' || type === 'fouled').at(-1);
  if (last?.type === 'fouled' && !last.instead && last.seat !== undefined && last.kind !== 'out') {
    causes.push(say(last.kind, last.seat));
  }
  return causes;
}

/**
 * An event in words; '' for an event that needs none.
 * @param {MatchEvent} event
 * @param {Page} page
 * @param {Opaque} before the position before the event, if it is known
 * @param {(move: Opaque, view: Opaque) => string} move a move in the game's words
 * @param {Translate} t
 * @returns {string}
 */
export function eventText(event, page, before, move, t) {
  const name = event.seat === undefined ? '' : seatName(page.seats[event.seat], t);
  switch (event.type) {
    case 'moved':
      return before ? move(event.move, before) : event.notation;
    case 'fouled': {
      const instead = event.instead && before ? move(event.instead.move, before) : '';
      const what = t(`match.foul.${event.kind}`, { detail: event.detail });
      return instead ? `${what}. ${t('match.instead', { move: instead })}` : what;
    }
    case 'went_out':
      return t(`match.out.${event.why}`, { name });
    case 'joined':
      return t('match.joined', { name: event.name ?? guestName(event, t) });
    case 'left':
      return t('match.left');
    case 'taken_back':
      return t('match.taken_back', { name });
    case 'resumed':
      return t(event.vacation ? 'match.resumed.vacation' : 'match.resumed');
    default:
      return '';
  }
}
