// A match as this viewer knows it: its page, and the page after each event; positions; clocks. Pure.

/** @import {Clock, Frame, LastMove, MatchEvent, Page, PageSeat, PositionEvent} from '../../types.ts' */

const CHANGES_POSITION = new Set(['started', 'moved', 'fouled', 'taken_back']);

/**
 * Whether an event changes the position.
 * @param {MatchEvent} event
 * @returns {event is PositionEvent}
 */
function changesPosition(event) {
  return CHANGES_POSITION.has(event.type);
}

/**
 * The page after an event. An event that the page already includes changes nothing.
 * @param {Page} page
 * @param {MatchEvent} event
 * @returns {Page}
 */
export function apply(page, event) {
  if (event.seq <= page.seq) return page;
  const next = { ...page, seq: event.seq };
  const seats = (/** @type {number} */ seat, /** @type {Partial<PageSeat>} */ change) =>
    page.seats.map((was) => (was.seat === seat ? { ...was, ...change } : was));
  if (changesPosition(event)) {
    next.stage = 'running';
    next.turn = event.turn;
    next.position = event.position;
    next.legal_moves = event.legal_moves;
    next.clock = event.clock;
    if (event.type === 'taken_back') next.ply = event.ply;
    else if (event.type !== 'started' && (event.type === 'moved' || event.instead)) next.ply = event.ply + 1;
  }
  switch (event.type) {
    case 'joined':
      next.seats = seats(event.seat, { kind: event.kind, name: event.name, guest: event.guest });
      break;
    case 'left':
      next.seats = seats(event.seat, { kind: 'open', name: null, guest: null, connected: undefined, vacation_until_ms: undefined });
      break;
    case 'went_out':
      next.seats = seats(event.seat, { out: true });
      break;
    case 'resumed':
      next.clock = event.clock ?? page.clock;
      break;
    case 'ended':
      Object.assign(next, {
        stage: 'over', turn: null, legal_moves: [], result: event.result, ended: event.how,
        seed: event.seed, salt: event.salt, position: event.position ?? page.position,
        clock: page.clock && { ...page.clock, running: null, since_ms: null },
      });
      break;
  }
  return next;
}

const PEOPLE = ['guest', 'player', 'reserved'];

/**
 * Whether the viewer of a match has a chat: a spectator has one, and a player if there is another person.
 * @param {Page} page
 */
export function hasChat({ stage, you, seats }) {
  return stage !== 'open' && (you === null || seats.filter(({ kind }) => PEOPLE.includes(kind)).length > 1);
}

/**
 * The move of an event: the one played, or the one a penalty played instead; null if the event has none.
 * @param {MatchEvent} event
 */
export function moveOf(event) {
  if (event.type === 'moved') return event.move;
  return event.type === 'fouled' ? event.instead?.move ?? null : null;
}

/**
 * The positions of a match in order, as far as these events contain them.
 * @param {MatchEvent[]} events
 */
export function frames(events) {
  /** @type {Frame[]} */
  const all = [];
  for (const event of events) {
    const latest = all.at(-1);
    if (event.type === 'taken_back') {
      while ((all.at(-1)?.ply ?? 0) > event.ply) all.pop();
      // The earlier events are not known.
      if (all.at(-1)?.ply !== event.ply) {
        all.push({ ply: event.ply, position: event.position, turn: event.turn, event, move: null, seat: null, before: null });
      }
    } else if (changesPosition(event)) {
      all.push({
        ply: event.type === 'started' ? 0 : event.ply + 1, position: event.position, turn: event.turn, event,
        move: moveOf(event), seat: event.seat ?? null, before: latest?.position ?? null,
      });
    } else if (event.type === 'ended' && event.position && latest) {
      // The end may reveal hidden parts of the position.
      Object.assign(latest, { position: event.position, turn: null });
    }
  }
  return all;
}

/**
 * The move that led to a position, as boards expect it.
 * @param {Frame | undefined} frame
 * @returns {LastMove | null}
 */
export function lastOf(frame) {
  const { seat, move, before } = frame ?? {};
  return move && before ? { seat: seat ?? 0, move, before } : null;
}

/**
 * The host's clock minus ours, in milliseconds. Each message arrives a little after its timestamp, so the largest
 * difference is the most accurate.
 * @param {number | null} known
 * @param {number} host_ms
 * @param {number} here_ms
 */
export function offset(known, host_ms, here_ms) {
  return Math.max(known ?? -Infinity, host_ms - here_ms);
}

/**
 * Whether the running clock is paused at this time of the host: because the host cannot store moves, or because it was
 * away and gives the player time to reconnect.
 * @param {Clock} clock
 * @param {number} host_ms
 */
export function paused(clock, host_ms) {
  return clock.running !== null && Boolean(clock.paused)
    && (clock.paused_until_ms === undefined || clock.paused_until_ms > host_ms);
}

/**
 * The time that the seat to move has used, in milliseconds. A paused clock keeps its value from when the pause was
 * reported.
 * @param {Clock} clock
 * @param {number} host_ms
 */
function used(clock, host_ms) {
  if (clock.since_ms === null) return 0;
  if (!clock.paused) return Math.max(0, host_ms - clock.since_ms);
  return clock.now_ms - clock.since_ms + Math.max(0, host_ms - (clock.paused_until_ms ?? host_ms));
}

/**
 * The time that a seat has left, in milliseconds: `all` for all its moves, `move` for this one; null: no such limit.
 * @param {Clock} clock
 * @param {number} seat
 * @param {number} host_ms
 */
export function left(clock, seat, host_ms) {
  const running = clock.running === seat;
  const gone = running ? used(clock, host_ms) : 0;
  const bank = clock.left_ms[seat];
  const all = bank === null ? null : Math.max(0, bank - gone);
  const move = clock.move_ms === undefined || clock.move_ms === null || !running ? null
    : Math.max(0, clock.move_ms - gone);
  return { all, move };
}

/**
 * A time for people: "4:05", "1:02:03"; below ten seconds with tenths: "9.4".
 * @param {number} ms
 */
export function time(ms) {
  if (ms < 10_000) return (Math.floor(ms / 100) / 10).toFixed(1);
  const seconds = Math.floor(ms / 1000);
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
