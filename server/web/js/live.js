// Follows a match: over a WebSocket, over a stream of lines where there can be none; comes back by itself, and tells in
// which state the connection is. Nothing is told twice, nothing is skipped.

import { lines } from './lines.js';

const OVER = 1000;
// A server that is back gives players two seconds to come back, in which no clock runs: a page is back by then.
const [FIRST_MS, MOST_MS] = [400, 1_000];
// A socket that was never open so many times in a row is taken for impossible; it is tried again now and then.
const HOPELESS = 2;

export class Live {
  #socket = null;
  #abort = null;
  #timer = null;
  #failed = 0;
  #neverOpen = 0;
  #stopped = false;

  // `path`: of the match in the API; `secrets()`: `{token, key}`; `seq()`: the last event that is known;
  // `heard(frame)`: a page or an event came; `state(name)`: `connecting`, `open`, `lost`, `over`.
  constructor({ path, secrets, seq, heard, state }) {
    Object.assign(this, { path, secrets, seq, heard, state });
    addEventListener('online', () => this.#soon(0));
    addEventListener('offline', () => this.#drop());
    document.addEventListener('visibilitychange', () => {
      // A page that comes back to the front may have slept through the end of its connection.
      if (document.visibilityState === 'visible' && this.#timer !== null && navigator.onLine) this.#soon(0);
    });
  }

  start() {
    this.#stopped = false;
    this.state('connecting');
    this.#connect();
  }

  // Once more from the start, with other secrets.
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
    clearTimeout(this.#timer);
    this.#timer = null;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#abort?.abort();
    this.#abort = null;
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
      else this.#lost();
    };
  }

  async #stream() {
    const abort = new AbortController();
    this.#abort = abort;
    const { token, key } = this.secrets();
    const headers = { accept: 'application/x-ndjson' };
    if (token) headers.authorization = `Bearer ${token}`;
    if (key) headers['match-key'] = key;
    let ended = false;
    try {
      const answer = await fetch(`${this.path}/events?since=${this.seq()}`, { headers, signal: abort.signal });
      if (!answer.ok) throw new Error(answer.statusText);
      this.#up();
      for await (const frame of lines(answer)) {
        if (abort !== this.#abort) return;
        this.heard(frame);
        ended = frame.type === 'ended' || frame.stage === 'over';
      }
    } catch {
      // The same as an end too early.
    }
    if (abort !== this.#abort) return;
    if (ended) this.#over();
    else this.#lost();
  }

  #up() {
    this.#failed = 0;
    this.state('open');
  }

  #over() {
    this.#socket = null;
    this.state('over');
  }

  // The network is gone: what still seems open is not.
  #drop() {
    if (this.#stopped || (!this.#socket && !this.#abort)) return;
    this.#leave();
    this.#lost();
  }

  #lost() {
    this.#socket = null;
    this.state('lost');
    const wait = Math.min(MOST_MS, FIRST_MS * 2 ** this.#failed) * (0.75 + Math.random() / 2);
    this.#failed += 1;
    // Without a network there is nothing to try; the browser tells when it is back.
    if (navigator.onLine) this.#soon(wait);
  }

  #soon(ms) {
    if (this.#stopped || (this.#socket && this.#timer === null)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), ms);
  }
}

// Resolves when there is a network, as far as the browser knows.
export function online() {
  return navigator.onLine ? Promise.resolve() : new Promise((done) => addEventListener('online', done, { once: true }));
}
