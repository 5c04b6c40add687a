// Follows a match: over a WebSocket, or over a stream of lines where WebSockets do not work. It reconnects by itself and
// reports the state of the connection. Every event is delivered once, in order.

/** @import {Secrets, StreamMessage} from '../types.ts' */

import { authHeaders } from './api.js';
import { lines } from './lines.js';

// The codes with which the server closes a socket: the match is over; the server stops; the caller may not follow any more.
const [OVER, STOPPING, NOT_ALLOWED] = [1000, 1001, 4403];
// After a restart the server stops all clocks for two seconds, so that players can reconnect; a page retries within
// that time.
const [FIRST_MS, MOST_MS] = [400, 1_000];
// After this many sockets in a row that never opened, the stream of lines is used; a socket is tried now and then.
const HOPELESS = 2;

export class Live {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {AbortController | null} */
  #abort = null;
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;
  #failed = 0;
  #neverOpen = 0;
  #stopped = false;

  /**
   * `path`: the match in the API; `seq()`: the last event that is known; `heard(message)`: called with every message;
   * `state(name, why)`: called with every change of the connection. `why` it was lost: the server is `stopping`, it `refused` to
   * open the connection or closed it because the caller has lost the right to it, or the network failed (`network`). A server
   * that cannot be reached looks like one that refuses.
   * @param {{path: string, secrets: () => Secrets, seq: () => number, heard: (message: StreamMessage) => void,
   *   state: (name: 'connecting' | 'open' | 'lost' | 'over', why?: 'stopping' | 'refused' | 'network') => void}} options
   */
  constructor({ path, secrets, seq, heard, state }) {
    this.path = path;
    this.secrets = secrets;
    this.seq = seq;
    this.heard = heard;
    this.state = state;
    addEventListener('online', () => this.#soon(0));
    addEventListener('offline', () => this.#drop());
    document.addEventListener('visibilitychange', () => {
      // A page in the background may have missed the end of its connection.
      if (document.visibilityState === 'visible' && this.#timer !== null && navigator.onLine) this.#soon(0);
    });
  }

  start() {
    this.#stopped = false;
    this.state('connecting');
    this.#connect();
  }

  // Connects again, with other secrets.
  restart() {
    this.#leave();
    this.#failed = 0;
    this.start();
  }

  stop() {
    this.#stopped = true;
    this.#leave();
  }

  #leave() {
    this.#calm();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#abort?.abort();
    this.#abort = null;
  }

  // Cancels the planned attempt.
  #calm() {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #connect() {
    this.#leave();
    if (this.#neverOpen >= HOPELESS && this.#failed % 4 !== 3) this.#stream();
    else this.#open();
  }

  #open() {
    const { token, key } = this.secrets();
    const protocols = ['kibitz', ...(token ? [`token.${token}`] : []), ...(key ? [`key.${key}`] : [])];
    const url = new URL(`${this.path}/live?since=${this.seq()}`, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url, protocols);
    this.#socket = socket;
    let open = false;
    socket.onopen = () => {
      open = true;
      this.#up();
      this.#neverOpen = 0;
    };
    socket.onmessage = (message) => {
      if (socket === this.#socket) this.heard(JSON.parse(message.data));
    };
    socket.onclose = (event) => {
      if (socket !== this.#socket) return;
      if (!open) this.#neverOpen += 1;
      if (event.code === OVER) this.#over();
      else if (event.code === STOPPING) this.#lost('stopping');
      else this.#lost(open && event.code !== NOT_ALLOWED ? 'network' : 'refused');
    };
  }

  async #stream() {
    const abort = new AbortController();
    this.#abort = abort;
    const { token, key } = this.secrets();
    const headers = { accept: 'application/x-ndjson', ...authHeaders({ token, key }) };
    let [open, ended] = [false, false];
    try {
      const answer = await fetch(`${this.path}/events?since=${this.seq()}`, { headers, signal: abort.signal });
      if (!answer.ok) throw new Error(answer.statusText);
      open = true;
      this.#up();
      for await (const line of lines(answer)) {
        /** @type {StreamMessage} */
        const frame = line;
        if (abort !== this.#abort) return;
        this.heard(frame);
        ended = frame.type === 'ended' || (frame.type === 'match' && frame.stage === 'over');
      }
    } catch {
      // A failure counts as an early end of the stream.
    }
    if (abort !== this.#abort) return;
    if (ended) this.#over();
    else this.#lost(open ? 'network' : 'refused');
  }

  #up() {
    this.#failed = 0;
    this.state('open');
  }

  #over() {
    this.#socket = null;
    this.state('over');
  }

  // The browser has lost the network, so a connection that seems open is dead.
  #drop() {
    if (this.#stopped || (!this.#socket && !this.#abort)) return;
    this.#leave();
    this.#lost('network');
  }

  /** @param {'stopping' | 'refused' | 'network'} why */
  #lost(why) {
    this.#socket = null;
    this.state('lost', why);
    const wait = Math.min(MOST_MS, FIRST_MS * 2 ** this.#failed) * (0.75 + Math.random() / 2);
    this.#failed += 1;
    // Without a network there is nothing to try; the browser reports its return.
    if (navigator.onLine) this.#soon(wait);
  }

  /** @param {number} ms */
  #soon(ms) {
    if (this.#stopped || (this.#socket && this.#timer === null)) return;
    this.#calm();
    this.#timer = setTimeout(() => this.#connect(), ms);
  }
}

/** Resolves when there is a network, as far as the browser knows. */
export async function online() {
  if (!navigator.onLine) await new Promise((done) => addEventListener('online', done, { once: true }));
}
