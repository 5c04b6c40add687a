// Asks the public API. What it refuses is thrown as a Refused, which knows the API's `code` and its sentence.

// What the API answered instead of doing what it was asked; `status` 0 where it could not be reached.
export class Refused extends Error {
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

// The headers that show who asks. `who`: `{token, key}`, both optional.
export function shown(who) {
  const headers = {};
  if (who?.token) headers.authorization = `Bearer ${who.token}`;
  if (who?.key) headers['match-key'] = who.key;
  return headers;
}

// Sends a request and gives what the answer holds. `options`: `who`; `body` (an object, for POST); `post` (POST
// without a body); `again` (an Idempotency-Key); `signal`; `raw` (the answer itself, to be read by the caller); `cache`
// (for what may be kept).
export async function ask(path, { who, body, post, again, signal, raw, headers, cache = 'no-store' } = {}) {
  const sent = { ...shown(who), ...headers };
  if (body !== undefined) sent['content-type'] = 'application/json';
  if (again) sent['idempotency-key'] = again;
  const method = body !== undefined || post ? 'POST' : 'GET';
  const content = body && JSON.stringify(body);
  const answer = await reached(fetch(path, { method, headers: sent, body: content, signal, cache }));
  if (!answer.ok) throw await refusal(answer);
  // The network may fail between the head of an answer and its end.
  return raw ? answer : reached(answer.json());
}

// What the network brings; a network that fails is a Refused too.
async function reached(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refused({ detail: '', code: 'unreachable' });
  }
}

// What an answer that is no success says.
async function refusal(answer) {
  try {
    return new Refused(await answer.json());
  } catch {
    return new Refused({ status: answer.status, code: 'unreadable', detail: '' });
  }
}

// A key for a request that may be sent again: the same key does nothing twice.
export function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

// What went wrong, in a sentence for people.
export function sentence(error, t) {
  return error.detail || t(error.code === 'unreachable' ? 'trouble.network' : 'trouble.server');
}
