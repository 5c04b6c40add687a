// How each kind of stream goes on after a cut. Pure: it sees values and says what to ask for next.

import { ApiError, type Problem, Unreachable } from './errors.js';
import type { Schemas } from './operations.js';

export interface ResumeParameters {
  query?: Record<string, string | number>;
  headers?: Record<string, string>;
}

/** The place that a stream has reached. */
export interface Resumption<T> {
  /** Whether nothing more can come. */
  over: boolean;
  /** What to ask for so that the stream goes on here. */
  parameters(): ResumeParameters;
  /** A connection is about to begin. */
  begins(): void;
  /** Takes the next value; whether the caller has not seen it. Throws if the value says that the stream ends here. */
  isNew(value: T): boolean;
  /** The connection has ended as it should. Throws if more must come. */
  ends(): void;
}

/** Of a match: its page comes once, then each event once and in order, whatever connection it comes on. */
export class EventResumption implements Resumption<Schemas['StreamFrame']> {
  over = false;
  private seq: number | undefined;
  private resumed = false;
  private pageDue = true;
  private pageIsLast = false;

  constructor(private readonly since: number | undefined) {
    this.seq = since;
  }

  parameters(): ResumeParameters {
    if (this.resumed) return { headers: { 'last-event-id': String(this.seq) } };
    return this.since === undefined ? {} : { query: { since: this.since } };
  }

  begins(): void {
    this.pageDue = true;
  }

  isNew(frame: Schemas['StreamFrame']): boolean {
    if (frame.type === 'match') {
      this.pageDue = false;
      this.pageIsLast = frame.stage === 'over';
      const first = !this.resumed;
      if (first) this.seq = this.since ?? frame.seq;
      this.resumed = true;
      return first;
    }
    if (frame.type === 'closed') throw closed(frame);
    if (!('seq' in frame)) return true;
    if (this.seq !== undefined && frame.seq <= this.seq) return false;
    this.seq = frame.seq;
    this.over = frame.type === 'ended';
    return true;
  }

  ends(): void {
    // A connection that brings nothing is the status 204: there are no events after this one.
    if (!this.pageDue && !this.pageIsLast) throw new Unreachable('the stream has ended before its last event');
    this.over = true;
  }
}

/** Of a download of records, which can begin after a match. */
export class RecordResumption implements Resumption<Schemas['Record']> {
  over = false;

  constructor(private after: string | undefined) {}

  parameters(): ResumeParameters {
    return this.after === undefined ? {} : { query: { after: this.after } };
  }

  begins(): void {
    // Nothing to prepare: the next record is new.
  }

  isNew(record: Schemas['Record']): boolean {
    this.after = record.id;
    return true;
  }

  ends(): void {
    this.over = true;
  }
}

// The reasons for the end of a stream after which the same request can succeed.
const TEMPORARY_ENDS = new Set(['too_slow', 'stopping', 'internal', 'store_unavailable']);

/** The error for the frame that ends a stream early. */
export function closed({ code, detail }: Schemas['Closed']): ApiError | Unreachable {
  if (TEMPORARY_ENDS.has(code)) return new Unreachable(`the server has ended the stream (${code}): ${detail}`);
  const status = code === 'banned' ? 403 : 401;
  return new ApiError({ type: 'about:blank', title: 'The stream has ended', status, code: code as Problem['code'], detail });
}
