// The events of a match from its beginning, as one viewer may see them.

/** @import {MatchEvent, Secrets, StreamMessage} from '../types.ts' */

import { Refused, ask } from '../lib/api.js';
import { lines } from '../lib/lines.js';

/**
 * The events of a match up to the one numbered `upto`, in order. `seat`: as this seat saw them, once the match is over;
 * null: as the caller may see them.
 * @param {string} path the match in the API
 * @param {{who?: Secrets, upto: number, seat?: number | null, signal?: AbortSignal}} options
 */
export async function history(path, { who, upto, seat, signal }) {
  const query = seat === undefined || seat === null ? '' : `&seat=${seat}`;
  const headers = { accept: 'application/x-ndjson' };
  const answer = await ask(`${path}/events?since=0${query}`, { who, signal, raw: true, headers });
  /** @type {MatchEvent[]} */
  const events = [];
  for await (const line of lines(answer)) {
    /** @type {StreamMessage} */
    const message = line;
    if (message.type === 'closed') throw new Refused({ detail: message.detail, code: 'closed' });
    if (!['match', 'clock', 'presence', 'chat'].includes(message.type)) events.push(/** @type {MatchEvent} */ (message));
    if (events.length >= upto) break;
  }
  return events;
}
