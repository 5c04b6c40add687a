// A match in words: the players, the events, the result.

/** @import {BoardSeat, MatchEvent, Opaque, Page, PageSeat, Translate} from '../types.ts' */

/**
 * The name shown for a seat.
 * @param {PageSeat} seat
 * @param {Translate} t
 */
export function seatName(seat, t) {
  if (seat.engine) return t('match.engine', { level: t(`level.${seat.engine.level}`), engine: seat.engine.name });
  if (seat.kind === 'open') return t('match.free');
  return seat.name ?? t(seat.kind === 'guest' ? 'match.guest' : 'match.reserved');
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

/**
 * How a match ended, in a sentence or two.
 * @param {Page} page
 * @param {Translate} t
 */
export function resultText(page, t) {
  if (['aborted', 'abandoned', 'cancelled', 'terminated'].includes(page.ended ?? '')) {
    return t(`match.ended.${page.ended}`);
  }
  const { ranks, points, reason } = page.result ?? { ranks: [] };
  const first = page.seats.filter((seat) => ranks[seat.seat] === 1);
  const names = first.map((seat) => seatName(seat, t));
  const score = points ? t('match.points', { points: order(ranks).map((seat) => points[seat]).join(' : ') }) : '';
  const given = page.ended === 'walkover' ? t('match.given_up') : '';
  const why = given || (reason ? t('match.why', { reason }) : '');
  let who = t('match.no_winner');
  if (page.seats.length === 1 && points) who = t('match.alone_over');
  else if (first.length === 1 && first[0].seat === page.you) who = t('match.you_won');
  else if (first.length === 1) who = t('match.won', { name: names[0] });
  else if (first.length > 1) who = t('match.shared', { names: names.join(', ') });
  return [who, score, why].filter(Boolean).join(' ');
}

/**
 * The seats in the order of their ranks.
 * @param {number[]} ranks
 */
function order(ranks) {
  return ranks.map((_, seat) => seat).sort((a, b) => ranks[a] - ranks[b] || a - b);
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
      return t('match.joined', { name: event.name ?? t('match.guest') });
    case 'left':
      return t('match.left');
    case 'resumed':
      return t('match.resumed');
    default:
      return '';
  }
}
