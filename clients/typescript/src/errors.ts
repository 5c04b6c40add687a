// The errors of the client: refusals of the server with their stable codes, and a server that does not answer.

import type { components } from './schema.js';

export type Problem = components['schemas']['Problem'];

/** The server has refused a request. `code` is stable: /docs/problems of the server lists all codes. */
export class ApiError extends Error {
  /** The stable name of the error, such as `no_such_match`. */
  readonly code: string;
  /** The HTTP status. */
  readonly status: number;
  /** The milliseconds after which a retry may succeed, if the server names them. */
  readonly retryAfterMs: number | undefined;

  constructor(readonly problem: Problem, retryAfterMs?: number) {
    super(`${problem.code}: ${problem.detail}`);
    this.name = 'ApiError';
    this.code = problem.code;
    this.status = problem.status;
    this.retryAfterMs = problem.retry_after_ms ?? retryAfterMs;
  }

  /** The id by which the operator finds the request in the server's log. */
  get requestId(): string | undefined {
    return this.problem.request_id ?? undefined;
  }
}

/** The server gave no answer: it could not be reached, or the connection broke off. The request may have been carried out. */
export class Unreachable extends Error {
  readonly code = 'unreachable';

  constructor(detail: string, options?: ErrorOptions) {
    super(`unreachable: ${detail}`, options);
    this.name = 'Unreachable';
  }
}

/**
 * The error for an answer that is no success. An answer that is no problem of the API, such as a proxy's page, gets the code
 * `http_STATUS`.
 */
export function refusal(status: number, body: string, retryAfter: string | null): ApiError {
  let found: unknown;
  try {
    found = JSON.parse(body);
  } catch {
    found = null;
  }
  const seconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined;
  if (typeof found === 'object' && found !== null && 'code' in found && 'detail' in found) {
    return new ApiError(found as Problem, seconds);
  }
  const detail = body.trim().slice(0, 200) || 'the answer has no text';
  const problem = { type: 'about:blank', title: `HTTP status ${status}`, status, detail, code: `http_${status}` };
  return new ApiError(problem as unknown as Problem, seconds);
}
