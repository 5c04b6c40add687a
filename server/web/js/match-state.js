// A match as this viewer knows it: its page, and what becomes of it with every event. Pure.

const TELLS_POSITION = new Set(['started', 'moved', 'fouled']);

// The page after an event. An event that the page has already told changes nothing.
export function apply(page, event) {
  if (event.seq <= page.seq) return page;
  const next = { ...page, seq: event.seq };
  const seats = (seat, change) => page.seats.map((was) => (was.seat === seat ? { ...was, ...change } : was));
  if (TELLS_POSITION.has(event.type)) {
    next.stage = 'running';
    next.turn = event.turn;
    next.position = event.position;
    next.legal_moves = event.legal_moves;
    next.clock = event.clock;
    if (event.type !== 'started' && (event.type === 'moved' || event.instead)) next.ply = event.ply + 1;
  }
  switch (event.type) {
    case 'joined':
      next.seats = seats(event.seat, { kind: event.kind, name: event.name });
      break;
    case 'left':
      next.seats = seats(event.seat, { kind: 'open', name: null });
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

// The move of an event, where it made one: what was played, or what was played instead by a penalty.
export function moveOf(event) {
  if (event.type === 'moved') return event.move;
  return event.type === 'fouled' ? event.instead?.move ?? null : null;
}

// The positions of a match, one after another, as far as these events tell them: `{ply, position, turn, event, move,
// seat, before}`; `before`: the position before the move, null where it is not known.
export function frames(events) {
  const all = [];
  for (const event of events) {
    if (TELLS_POSITION.has(event.type)) {
      all.push({
        ply: event.type === 'started' ? 0 : event.ply + 1, position: event.position, turn: event.turn, event,
        move: moveOf(event), seat: event.seat ?? null, before: all.at(-1)?.position ?? null,
      });
    } else if (event.type === 'ended' && event.position && all.length > 0) {
      // What was hidden may be shown at the end.
      Object.assign(all.at(-1), { position: event.position, turn: null });
    }
  }
  return all;
}

// What led to a position, as boards are told it.
export function lastOf(frame) {
  return frame?.move && frame.before ? { seat: frame.seat, move: frame.move, before: frame.before } : null;
}

// The difference between the host's time and ours, from the times that it tells: each was told a moment ago, so the
// largest is the best.
export function offset(known, told_ms, here_ms) {
  return Math.max(known ?? -Infinity, told_ms - here_ms);
}

// Whether the clock of the seat to move stands at this time of the host: it cannot store moves, or was away and gives
// the player time to come back.
export function paused(clock, host_ms) {
  return clock.running !== null && Boolean(clock.paused) && !(clock.paused_until_ms <= host_ms);
}

// What the seat to move has used of its time. A clock that stands has used what it had when that was told.
function used(clock, host_ms) {
  if (clock.since_ms === null) return 0;
  if (!clock.paused) return Math.max(0, host_ms - clock.since_ms);
  return clock.now_ms - clock.since_ms + Math.max(0, host_ms - (clock.paused_until_ms ?? host_ms));
}

// What is left to a seat, in milliseconds: `{all, move}`, for all its moves and for this one; null: no such limit.
export function left(clock, seat, host_ms) {
  const gone = clock.running === seat ? used(clock, host_ms) : 0;
  const all = clock.left_ms[seat] === null ? null : Math.max(0, clock.left_ms[seat] - gone);
  const running = clock.running === seat;
  const move = clock.move_ms === undefined || clock.move_ms === null || !running ? null
    : Math.max(0, clock.move_ms - gone);
  return { all, move };
}

// A time as people read it: "4:05", "1:02:03", and tenths at the end: "9.4".
export function time(ms) {
  if (ms < 10_000) return (Math.floor(ms / 100) / 10).toFixed(1);
  const seconds = Math.floor(ms / 1000);
  const two = (number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
