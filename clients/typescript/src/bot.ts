// Keeps a bot online: one control connection stays open, on which the server offers challenges and names the bot's matches.

import { Client } from './client.js';
import { ApiError, Unreachable } from './errors.js';
import type { GameSlug, Schemas } from './operations.js';
import { PERSISTENT_RETRIES, Retries, sleep } from './retry.js';
import { type Choose, playSeat } from './seat.js';

/** What this file needs of a WebSocket: that of browsers and of Node 22, or that of the package `ws`. */
export interface SocketLike {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
}

export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike;

export interface BotOptions<G extends GameSlug = GameSlug> extends Omit<Schemas['Policy'], 'games'> {
  /** The games that the bot plays. */
  games: G[];
  /** Ends the play; the seats of running matches stay taken. */
  signal?: AbortSignal;
  /** Gets one line for each thing worth a note. Default: `console.error`. */
  note?: (text: string) => void;
  /** The WebSocket of the runtime, if it has none of its own: Node before 22 needs that of the package `ws`. */
  WebSocket?: SocketConstructor;
}

// A newer program of the same bot has taken over. Coming back would take it away again.
const TAKEN_OVER = 4410;
// Refusals of the policy after which no other attempt can succeed.
const FINAL_REFUSALS = new Set(['unknown_game', 'bad_field', 'bad_json', 'not_a_bot', 'play_scope_needed']);
// A challenge waits for this long, in milliseconds, for a seat that is being freed.
const FREED_WITHIN_MS = 2000;
// A WebSocket does not show the server's pings. The server answers a policy, so it is sent again this often, in milliseconds.
const BEAT_MS = 20_000;
// A connection on which nothing has come for this long is lost.
const SILENCE_MS = 45_000;
const LOST = 1006;

type ControlMessage = Schemas['LobbyEvent'] | Schemas['ControlAnswer'];

/** A bot that is online, and its matches. */
class OnlineBot {
  private readonly running = new Map<string, Promise<void>>();
  // Matches that begin when there is room for them.
  private readonly waiting: string[] = [];
  // Challenges that were accepted and whose match is not known yet.
  private readonly accepted = new Set<string>();
  // Challenges that wait for room, with the timer that declines each.
  private readonly held = new Map<string, ReturnType<typeof setTimeout>>();
  // Matches that cannot go on in this program.
  private readonly givenUp = new Set<string>();
  private readonly retries = new Retries(PERSISTENT_RETRIES);
  private readonly stopped = new AbortController();
  private readonly note: (text: string) => void;
  private readonly policy: Schemas['Policy'];
  private readonly Socket: SocketConstructor;
  private socket: SocketLike | undefined;
  private wasOnline = false;

  constructor(private readonly client: Client, private readonly choose: Choose, private readonly options: BotOptions) {
    const { signal: _, note, WebSocket, ...policy } = options;
    this.note = note ?? ((text) => console.error(text));
    this.policy = policy;
    const own = (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
    const Socket = WebSocket ?? own;
    if (Socket === undefined) throw new Error('this runtime has no WebSocket: pass that of the package ws as the option WebSocket');
    this.Socket = Socket;
  }

  async run(): Promise<void> {
    const { signal } = this.options;
    const stop = (): void => this.stopped.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    try {
      await this.knowMirror();
      while (!this.stopped.signal.aborted) await this.holdOnce();
    } catch (error) {
      if (!this.stopped.signal.aborted) throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      this.stopped.abort();
      this.forgetChallenges();
      await Promise.allSettled(this.running.values());
    }
  }

  /** Unlike a program of the contest, a bot that sees views can hold every seat: where that matters, the policy says so. */
  private async knowMirror(): Promise<void> {
    const { games } = await this.client.call('get', '/v1/games', {}, { signal: this.stopped.signal });
    const own = games.filter(({ slug }) => this.options.games.includes(slug));
    if (own.length > 0 && own.every(({ mirror_seats: seats }) => seats.length > 0)) this.policy.referee ??= { mirror: 'yes' };
  }

  /** One control connection and the pause after it. Throws if no other attempt can succeed. */
  private async holdOnce(): Promise<void> {
    // A handshake that is refused says nothing: this request says why.
    await this.client.call('get', '/v1/me', {}, { signal: this.stopped.signal });
    const code = await this.hold();
    if (this.stopped.signal.aborted) return;
    if (code === TAKEN_OVER) throw new Error('another program plays for this bot now; only one can run at a time');
    const pause = this.retries.pause(new Unreachable(`the control connection was closed (${code})`));
    await sleep(pause ?? 0, this.stopped.signal);
  }

  /** One control connection, until it is closed: its code. */
  private hold(): Promise<number> {
    const url = `${this.client.server.replace(/^http/, 'ws')}/v1/me/live`;
    // Browsers cannot send headers with a WebSocket.
    const socket = new this.Socket(url, ['kibitz', `token.${this.client.token}`]);
    this.socket = socket;
    this.forgetChallenges();
    const stop = (): void => socket.close();
    this.stopped.signal.addEventListener('abort', stop, { once: true });
    let heard = performance.now();
    let beat: ReturnType<typeof setInterval> | undefined;
    return new Promise<number>((resolve, reject) => {
      const declare = (): void => this.send({ type: 'policy', policy: this.policy });
      socket.addEventListener('open', declare);
      beat = setInterval(() => {
        if (performance.now() - heard < SILENCE_MS) {
          declare();
          return;
        }
        // Its own end may take minutes.
        resolve(LOST);
        socket.close();
      }, BEAT_MS);
      socket.addEventListener('message', ({ data }) => {
        heard = performance.now();
        this.retries.succeeded();
        try {
          this.take(JSON.parse(String(data)) as ControlMessage);
        } catch (error) {
          reject(error);
          socket.close();
        }
      });
      socket.addEventListener('error', () => {
        // The event `close` follows.
      });
      socket.addEventListener('close', ({ code }) => resolve(code));
    }).finally(() => {
      clearInterval(beat);
      this.stopped.signal.removeEventListener('abort', stop);
      this.socket = undefined;
    });
  }

  private send(message: Schemas['ControlRequest']): void {
    // A lost message is no loss: the server names open challenges again on the next connection.
    try {
      this.socket?.send(JSON.stringify(message));
    } catch {
      this.note('a message was lost with its connection');
    }
  }

  private take(event: ControlMessage): void {
    switch (event.type) {
      case 'policy_set':
        if (!this.wasOnline) this.note(`online at ${this.client.server}, plays ${this.options.games.join(', ')}`);
        this.wasOnline = true;
        break;
      case 'refused':
        if (FINAL_REFUSALS.has(event.problem.code)) throw new ApiError(event.problem);
        this.note(`the server refuses: ${event.problem.detail}`);
        break;
      case 'challenge':
        if (event.role === 'opponent') this.challenged(event.id, event.game);
        break;
      case 'challenge_over':
        this.accepted.delete(event.id);
        this.release(event.id);
        break;
      case 'match':
        if (this.options.games.includes(event.game)) this.begin(event.id);
        break;
      case 'match_over': {
        const place = this.waiting.indexOf(event.id);
        if (place >= 0) this.waiting.splice(place, 1);
        break;
      }
      default: // There may be other types.
    }
  }

  /** On a new connection the server names all open challenges again. */
  private forgetChallenges(): void {
    this.accepted.clear();
    for (const id of [...this.held.keys()]) this.release(id);
  }

  private release(id: string): void {
    clearTimeout(this.held.get(id));
    this.held.delete(id);
  }

  /** Accepts a challenge if there is room for its match; otherwise the challenge waits a moment. */
  private challenged(id: string, game: GameSlug): void {
    if (!this.options.games.includes(game)) {
      this.send({ type: 'decline', id, reason: `plays only ${this.options.games.join(', ')}` });
      return;
    }
    const decline = (): void => {
      this.release(id);
      this.send({ type: 'decline', id, reason: `plays ${this.running.size} of at most ${this.most} matches now` });
    };
    this.held.set(id, setTimeout(decline, FREED_WITHIN_MS));
    this.acceptHeld();
  }

  private get most(): number {
    return this.options.concurrent ?? 1;
  }

  private acceptHeld(): void {
    for (const id of [...this.held.keys()]) {
      if (this.running.size + this.accepted.size + this.waiting.length >= this.most) return;
      this.release(id);
      this.accepted.add(id);
      this.send({ type: 'accept', id });
    }
  }

  /** Plays a match, unless it is being played, or there is no room for it. */
  private begin(id: string): void {
    if (this.running.has(id) || this.givenUp.has(id) || this.waiting.includes(id)) return;
    if (this.running.size >= this.most) {
      this.waiting.push(id);
      return;
    }
    this.note(`plays match ${id}`);
    this.running.set(id, this.play(id));
  }

  /** One match. What goes wrong in it ends no other one. */
  private async play(id: string): Promise<void> {
    try {
      const result = await playSeat(this.client, id, this.choose, { signal: this.stopped.signal, note: this.note });
      const summary = result === null ? 'no result' : `places ${result.ranks.join(' ')} (${result.reason})`;
      this.note(`match ${id} is over: ${summary}`);
    } catch (error) {
      if (this.stopped.signal.aborted) return;
      this.givenUp.add(id);
      this.note(`match ${id} cannot go on: ${error}`);
    } finally {
      this.running.delete(id);
      while (!this.stopped.signal.aborted && this.waiting.length > 0 && this.running.size < this.most) {
        this.begin(this.waiting.shift() ?? '');
      }
      this.acceptHeld();
    }
  }
}

/**
 * Keeps a bot online until the option `signal` is aborted. The seats of running matches stay taken: start it again to go on.
 * After a lost connection or a restart of the server it comes back and the matches go on, without a limit of attempts. A bot
 * that throws, or chooses an illegal move, resigns that match.
 * @throws {ApiError} if the server refuses the token or the policy.
 */
export async function playBot<G extends GameSlug>(
  choose: Choose<G>, server: string, token: string, options: BotOptions<G>,
): Promise<void> {
  const note = options.note ?? ((text) => console.error(text));
  const onRetry = ({ message }: Error, failed: number): void => {
    // Less and less often while the server is away.
    if ((failed & (failed - 1)) === 0) note(`${message}; attempt ${failed + 1} follows`);
  };
  const client = new Client(server, { token, retry: PERSISTENT_RETRIES, onRetry });
  await new OnlineBot(client, choose as unknown as Choose, { ...options, note } as unknown as BotOptions).run();
}
