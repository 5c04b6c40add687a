// What has happened in a match, from its beginning: the events as one viewer may see them.

import { ask } from './api.js';
import { lines } from './lines.js';

// The events of a match up to its event `upto`, in order. `seat`: as this seat saw it, once the match is over; else as
// the caller may see it.
export async function history(path, { who, upto, seat, signal }) {
  const query = seat === undefined || seat === null ? '' : `&seat=${seat}`;
  const headers = { accept: 'application/x-ndjson' };
  const answer = await ask(`${path}/events?since=0${query}`, { who, signal, raw: true, headers });
  const events = [];
  for await (const frame of lines(answer)) {
    if (frame.type === 'closed') throw new Error(frame.detail);
    if (frame.type !== 'match') events.push(frame);
    if (events.length >= upto) break;
  }
  return events;
}
