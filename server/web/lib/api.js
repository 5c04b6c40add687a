// Calls the public API. A refusal is thrown as a `Refused`, which has the API's `code` and its sentence.

/** @import {Problem, Secrets, Translate} from '../types.ts' */

/** A refusal of the API; `status` is 0 if the server could not be reached. */
export class Refused extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail);
    this.name = 'Refused';
    this.status = problem.status ?? 0;
    this.code = problem.code ?? 'unreachable';
    this.detail = problem.detail;
    this.retry_after_ms = problem.retry_after_ms;
    this.ply = problem.ply;
    this.match = problem.match;
  }
}

/**
 * The headers that authenticate the caller.
 * @param {Secrets} [who]
 */
export function authHeaders(who) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (who?.token) headers.authorization = `Bearer ${who.token}`;
  if (who?.key) headers['match-key'] = who.key;
  return headers;
}

/**
 * @typedef {object} AskOptions
 * @property {Secrets} [who] the caller's secrets
 * @property {object} [body] a JSON body; makes the request a POST
 * @property {string} [text] a plain text as the body; makes the request a POST
 * @property {Blob} [file] a file as the body; makes the request a POST
 * @property {boolean} [post] POST without a body
 * @property {string} [method] another method than GET or POST
 * @property {string} [again] an Idempotency-Key
 * @property {AbortSignal} [signal]
 * @property {Record<string, string>} [headers]
 * @property {RequestCache} [cache] for answers that may be cached
 */

/**
 * Sends a request and returns the JSON of the response, null if it is empty; with `raw` the response itself, for the caller to read.
 * @overload
 * @param {string} path
 * @param {AskOptions & {raw: true}} options
 * @returns {Promise<Response>}
 */
/**
 * @overload
 * @param {string} path
 * @param {AskOptions} [options]
 * @returns {Promise<any>}
 */
/**
 * @param {string} path
 * @param {AskOptions & {raw?: boolean}} [options]
 */
export async function ask(path, { who, body, text, file, post, again, signal, raw, headers, cache = 'no-store',
  method = [body, text, file].some((sent) => sent !== undefined) || post ? 'POST' : 'GET' } = {}) {
  const sent = { ...authHeaders(who), ...headers };
  if (body !== undefined) sent['content-type'] = 'application/json';
  if (text !== undefined) sent['content-type'] = 'text/plain; charset=utf-8';
  if (file !== undefined) sent['content-type'] = 'text/plain';
  if (again) sent['idempotency-key'] = again;
  const content = text ?? file ?? (body && JSON.stringify(body));
  const answer = fetch(path, { method, headers: sent, body: content, signal, cache });
  return raw ? accepted(answer) : read(answer);
}

/**
 * The JSON of a response that has been asked for.
 * @param {Promise<Response>} asked
 */
export async function read(asked) {
  const answer = await accepted(asked);
  // The network may fail in the middle of a response.
  return answer.status === 204 ? null : reached(answer.json());
}

/**
 * A page as the server renders it now, in the visitor's language. Its scripts do not run. No other function
 * gets elements out of markup: it is the markup of this server's own page, which the browser parses as it arrives.
 * @param {string} path
 * @returns {Promise<Document>}
 */
export function rendered(path) {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open('GET', path);
    request.responseType = 'document';
    request.addEventListener('load', () => {
      const { status, response } = request;
      if (status === 200 && response) done(response);
      else fail(new Refused({ status, code: 'unreadable', detail: '' }));
    });
    request.addEventListener('error', () => fail(new Refused({ detail: '', code: 'unreachable' })));
    request.send();
  });
}

/**
 * A successful response.
 * @param {Promise<Response>} asked
 */
async function accepted(asked) {
  const answer = await reached(asked);
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

/**
 * The result of a promise of the network; a network failure becomes a `Refused`.
 * @template T
 * @param {Promise<T>} promise
 */
async function reached(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Refused({ detail: '', code: 'unreachable' });
  }
}

/**
 * An unsuccessful response as a `Refused`.
 * @param {Response} answer
 */
async function refusal(answer) {
  try {
    return new Refused(await answer.json());
  } catch {
    return new Refused({ status: answer.status, code: 'unreadable', detail: '' });
  }
}

/** A new idempotency key: a request sent twice with the same key takes effect once. */
export function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * An error as a sentence for people.
 * @param {unknown} error
 * @param {Translate} t
 */
export function sentence(error, t) {
  if (!(error instanceof Refused)) return t('trouble.server');
  if (error.code === 'unreachable') return t('trouble.network');
  // The details of the API are English and for programs. Where a field is wrong, they begin with its place.
  const field = /^(?:[\w[\]]+\.)*(\w+)(?:\[\d+\])?:/.exec(error.detail)?.[1];
  const [own, general] = [t(`problem.${error.code}.${field}`), t(`problem.${error.code}`)];
  if (own !== `problem.${error.code}.${field}`) return own;
  if (general === `problem.${error.code}`) return t('trouble.server');
  // The place of a fault in a text.
  const [, line, column] = /line (\d+),? column (\d+)/.exec(error.detail) ?? [];
  return line ? `${general} ${t('problem.at', { line, column })}` : general;
}
