// The types of requests and answers, from the paths of /openapi.json.

import type { components, paths } from './schema.js';

export type Schemas = components['schemas'];
export type GameSlug = Schemas['GameSlug'];
export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

type Operation<P extends keyof paths, M extends Method> = Exclude<paths[P][M], undefined>;

/** The paths that have this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: [Operation<P, M>] extends [never] ? never : P;
}[keyof paths];

type Part<O, K extends string> = O extends { [key in K]?: infer T } ? Exclude<T, undefined> : never;
type Content<O> = Part<Part<O, 'requestBody'>, 'content'>;
type Parameters<O, K extends string> = Part<Part<O, 'parameters'>, K>;

/** A field that is required if its type has required fields, optional if it has only optional ones, absent if there is none. */
type Field<K extends string, T> = [T] extends [never] ? { [key in K]?: never }
  : object extends T ? { [key in K]?: T }
  : { [key in K]: T };

type Body<O> = Content<O> extends { 'application/json': infer T } ? T : string | Uint8Array;

/** What a request says: parameters of the path and of the query, and the body. */
export type RequestOf<P extends keyof paths, M extends Method> =
  & Field<'path', Parameters<Operation<P, M>, 'path'>>
  & Field<'query', Parameters<Operation<P, M>, 'query'>>
  & ([Content<Operation<P, M>>] extends [never] ? { body?: never }
    : Part<Operation<P, M>, 'requestBody'> extends never ? { body?: Body<Operation<P, M>> }
    : undefined extends (Operation<P, M> extends { requestBody?: infer R } ? R : undefined) ? { body?: Body<Operation<P, M>> }
    : { body: Body<Operation<P, M>> });

type Responses<P extends keyof paths, M extends Method> = Part<Operation<P, M>, 'responses'>;
type Json<R> = R extends { content: { 'application/json': infer T } } ? T
  : R extends { content: Record<string, unknown> } ? string
  : undefined;

/** The answer of a success: JSON, text for other types, `undefined` for a success without a body. */
export type AnswerOf<P extends keyof paths, M extends Method> = {
  [S in keyof Responses<P, M>]: S extends 200 | 201 | 204 ? Json<Responses<P, M>[S]> : never;
}[keyof Responses<P, M>];

/** View and move of each game. */
export interface GameTypes {
  azul: { view: Schemas['AzulView']; move: Schemas['AzulMove'] };
  buraco: { view: Schemas['BuracoView']; move: Schemas['BuracoMove'] };
  ioiwari: { view: Schemas['IoiwariView']; move: Schemas['IoiwariMove'] };
  septica: { view: Schemas['SepticaView']; move: Schemas['SepticaMove'] };
  splendor: { view: Schemas['SplendorView']; move: Schemas['SplendorMove'] };
}

// POST requests that give the same answer when they are sent again, as the documentation promises: with an Idempotency-Key,
const KEYED = new Set(['/v1/matches', '/v1/matches/{id}/join', '/v1/players', '/v1/me/bots', '/v1/tournaments']);
// or since a move names its ply.
const REPEATABLE = new Set(['/v1/matches/{id}/moves', '/v1/challenges/{id}/accept']);

/** Whether the request takes an Idempotency-Key. */
export function isKeyed(method: Method, path: string): boolean {
  return method === 'post' && KEYED.has(path);
}

/**
 * Whether the request may be sent again when its answer was lost. Requests about games compute and change nothing. A repeated
 * DELETE would find nothing and report an error.
 */
export function isRepeatable(method: Method, path: string): boolean {
  return method === 'get' || method === 'put' || (method === 'post' &&
    (KEYED.has(path) || REPEATABLE.has(path) || path.startsWith('/v1/games/')));
}
