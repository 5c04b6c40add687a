// Client of a kibitz server: typed requests, streams that go on after a cut, and bots online.

export { type BotOptions, playBot, type SocketConstructor, type SocketLike } from './bot.js';
export { type CallOptions, Client, type ClientOptions, type FollowOptions } from './client.js';
export { ApiError, type Problem, Unreachable } from './errors.js';
export type { AnswerOf, GameSlug, GameTypes, Method, PathOf, RequestOf, Schemas } from './operations.js';
export type { RetryPolicy } from './retry.js';
export { type BotMove, type BotTurn, type Choose, playSeat, type SeatOptions } from './seat.js';
