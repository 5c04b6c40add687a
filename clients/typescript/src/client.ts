// The client: typed requests, retries, and streams that go on after a cut. It must not know what an operation means, apart from
// the few that have a method.

import { ApiError, refusal, Unreachable } from './errors.js';
import { randomKey } from './key.js';
import { readLines } from './lines.js';
import {
  type AnswerOf, type GameSlug, isKeyed, isRepeatable, type Method, type PathOf, type RequestOf, type Schemas,
} from './operations.js';
import { EventResumption, RecordResumption, type Resumption } from './resume.js';
import { Retries, type RetryPolicy, sleep, USUAL_RETRIES } from './retry.js';

export interface ClientOptions {
  /** Of a player, of a seat, or with a scope. Without it the caller is a guest. */
  token?: string | undefined;
  /** Of a private match. */
  key?: string | undefined;
  retry?: Partial<RetryPolicy> | undefined;
  /** How long an answer may take, in milliseconds; streams have no such limit. Default: a minute. */
  timeoutMs?: number | undefined;
  /** Is called before a request is sent again, with the number of attempts that have failed. */
  onRetry?: ((error: ApiError | Unreachable, failed: number) => void) | undefined;
}

export interface CallOptions {
  /** The key of a request that creates something. Default: a random one. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface FollowOptions {
  /** The `seq` after which the events begin. Default: only events from now on. */
  since?: number;
  /** After the end: the seat whose view the events show. */
  seat?: number;
  signal?: AbortSignal;
}

interface Loose {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** A client of one server. */
export class Client {
  /** The server's address, without a slash at its end. */
  readonly server: string;
  private readonly retry: RetryPolicy;
  private readonly timeoutMs: number;

  /** @throws {TypeError} if `server` is no address of HTTP. */
  constructor(server: string, private readonly options: ClientOptions = {}) {
    const url = new URL(server);
    if (!/^https?:$/.test(url.protocol) || url.search || url.hash) {
      throw new TypeError(`the server's address must be like http://127.0.0.1:8080, not ${server}`);
    }
    this.server = server.replace(/\/+$/, '');
    this.retry = { ...USUAL_RETRIES, ...options.retry };
    this.timeoutMs = options.timeoutMs ?? 60_000;
  }

  /** The token that the client sends. */
  get token(): string | undefined {
    return this.options.token;
  }

  /** A client for another caller, such as the holder of a seat. */
  withToken(token: string | undefined, key = this.options.key): Client {
    return new Client(this.server, { ...this.options, token, key });
  }

  /**
   * Any operation of the API, by its method and its path: `call('get', '/v1/matches/{id}', { path: { id } })`.
   * @throws {ApiError} for a refusal.
   * @throws {Unreachable} if no answer has come after all attempts.
   */
  async call<M extends Method, P extends PathOf<M>>(
    method: M, path: P, request: RequestOf<P, M>, options: CallOptions = {},
  ): Promise<AnswerOf<P, M>> {
    const loose = request as Loose;
    const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
    if (isKeyed(method, path)) headers['idempotency-key'] = options.idempotencyKey ?? await randomKey();
    const url = this.url(path, loose);
    const retries = new Retries(this.retry);
    for (;;) {
      try {
        return await this.once(method, url, loose.body, headers, options.signal) as AnswerOf<P, M>;
      } catch (error) {
        if (!isRepeatable(method, path) || !(error instanceof ApiError || error instanceof Unreachable)) throw error;
        const pause = retries.pause(error);
        if (pause === undefined) throw error;
        this.options.onRetry?.(error, retries.failed);
        await sleep(pause, options.signal);
      }
    }
  }

  /**
   * The match as it is now (type `match`), then its events as they happen, until it is over. A lost connection is replaced: no
   * event is lost, and none comes twice. Frames of the types `clock`, `presence` and `chat` have no `seq`; those are not repeated.
   */
  follow(id: string, { since, seat, signal }: FollowOptions = {}): AsyncGenerator<Schemas['StreamFrame'], void, undefined> {
    const query = seat === undefined ? {} : { seat };
    return this.resumed('/v1/matches/{id}/events', { path: { id }, query }, new EventResumption(since), signal);
  }

  /**
   * The records of the matches of a game that were created in a month (`2026-11`), oldest first, while they arrive. A download
   * that breaks off goes on where it was.
   */
  records(
    game: GameSlug, month: string, { after, signal }: { after?: string; signal?: AbortSignal } = {},
  ): AsyncGenerator<Schemas['Record'], void, undefined> {
    const request = { path: { game }, query: { month } };
    return this.resumed('/v1/games/{game}/records', request, new RecordResumption(after), signal);
  }

  /** All public matches that fit, newest first, page by page. */
  async *matches(
    query: { game?: GameSlug; stage?: Schemas['Stage']; player?: string; limit?: number } = {},
  ): AsyncGenerator<Schemas['MatchEntry'], void, undefined> {
    let before: string | undefined;
    do {
      const page = await this.call('get', '/v1/matches', { query: before === undefined ? query : { ...query, before } });
      yield* page.matches;
      before = page.next ?? undefined;
    } while (before !== undefined);
  }

  /** The URL of a request. */
  private url(path: string, { path: names = {}, query = {} }: Loose): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(names[name])));
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const search = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)])).toString();
    return `${this.server}${filled}${search && `?${search}`}`;
  }

  private headers(more: Record<string, string>): Record<string, string> {
    const { token, key } = this.options;
    const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return { ...bearer, ...key === undefined ? {} : { 'match-key': key }, ...more };
  }

  /** Sends a request once. */
  private async once(
    method: Method, url: string, body: unknown, headers: Record<string, string>, signal?: AbortSignal,
  ): Promise<unknown> {
    const sent: RequestInit = { method: method.toUpperCase(), headers: this.headers(headers), redirect: 'manual' };
    if (typeof body === 'string' || body instanceof Uint8Array) {
      sent.body = body as BodyInit;
      sent.headers = { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/octet-stream', ...sent.headers };
    } else if (body !== undefined) {
      sent.body = JSON.stringify(body);
      sent.headers = { ...sent.headers, 'content-type': 'application/json' };
    }
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(new Error(`no answer within ${this.timeoutMs} ms`)), this.timeoutMs);
    const aborted = (): void => abort.abort(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', aborted, { once: true });
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, { ...sent, signal: abort.signal });
      text = await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      throw new Unreachable(`${this.server} does not answer`, { cause: error });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    }
    if (!response.ok) throw refusal(response.status, text, response.headers.get('retry-after'));
    if (text === '') return undefined;
    return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text;
  }

  /** The JSON values of a stream that goes on after a cut where it was. */
  private async *resumed<T>(
    path: string, request: Loose, resumption: Resumption<T>, signal?: AbortSignal,
  ): AsyncGenerator<T, void, undefined> {
    const retries = new Retries(this.retry);
    while (!resumption.over) {
      const { query = {}, headers = {} } = resumption.parameters();
      const url = this.url(path, { ...request, query: { ...request.query, ...query } });
      resumption.begins();
      try {
        for await (const line of this.lines(url, headers, signal)) {
          const value = JSON.parse(line) as T;
          if (!resumption.isNew(value)) continue;
          retries.succeeded();
          yield value;
        }
        resumption.ends();
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof ApiError || error instanceof Unreachable)) throw error;
        const pause = retries.pause(error);
        if (pause === undefined) throw error;
        this.options.onRetry?.(error, retries.failed);
        await sleep(pause, signal);
      }
    }
  }

  /** The lines of one answer. */
  private async *lines(
    url: string, headers: Record<string, string>, signal?: AbortSignal,
  ): AsyncGenerator<string, void, undefined> {
    const abort = new AbortController();
    const aborted = (): void => abort.abort(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', aborted, { once: true });
    try {
      const sent = this.headers({ accept: 'application/x-ndjson', ...headers });
      let response: Response;
      try {
        response = await fetch(url, { headers: sent, signal: abort.signal, redirect: 'manual' });
        if (!response.ok) throw refusal(response.status, await response.text(), response.headers.get('retry-after'));
      } catch (error) {
        if (error instanceof ApiError) throw error;
        throw new Unreachable(`${this.server} does not answer`, { cause: error });
      }
      yield* readLines(response, abort);
    } finally {
      signal?.removeEventListener('abort', aborted);
      abort.abort();
    }
  }
}
