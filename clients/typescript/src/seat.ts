// Plays one seat of one match: takes the seat, follows the match, asks the bot at its turns, and sends its moves. After a lost
// connection or a restart of the server the match goes on.

import type { Client } from './client.js';
import { ApiError, Unreachable } from './errors.js';
import { randomKey } from './key.js';
import type { GameSlug, GameTypes, Schemas } from './operations.js';
import { PERSISTENT_RETRIES, Retries, sleep } from './retry.js';

/** A turn of the bot. */
export interface BotTurn<G extends GameSlug = GameSlug> {
  game: G;
  match: string;
  seat: number;
  ply: number;
  /** The position as this seat may know it. */
  view: GameTypes[G]['view'];
  legalMoves: Schemas['MoveText'][];
  /** `null`: no limits. */
  clock: Schemas['ClockShown'] | null;
  /** Is aborted when the turn is over, for example because the time is up. */
  signal: AbortSignal;
}

/** A move as a bot may give it: one of the legal moves, the official notation, or an object with the API's JSON as `move`. */
export type BotMove<G extends GameSlug = GameSlug> = string | { notation: string } | { move: GameTypes[G]['move'] };

/** A bot: chooses a legal move. */
export type Choose<G extends GameSlug = GameSlug> = (turn: BotTurn<G>) => BotMove<G> | Promise<BotMove<G>>;

export interface SeatOptions {
  /** The seat to take. Default: the one that is kept for the player, else the first open one. */
  seat?: number;
  /** The name of a guest. */
  name?: string;
  /** Ends the play; the seat stays taken. */
  signal?: AbortSignal;
  /** Gets one line for each thing worth a note: mistakes of the bot, lost connections. Default: `console.error`. */
  note?: (text: string) => void;
}

// Refusals of a move that say that the turn is over, by the clock or by the end of the match.
const TOO_LATE = new Set(['stale_ply', 'time_up', 'match_over', 'not_your_turn']);

type TurnFrame = Pick<Schemas['TurnState'], 'turn' | 'position' | 'legal_moves' | 'clock'>;

/** A seat and the bot that holds it. */
class SeatPlayer {
  private seat: number | null = null;
  private game: GameSlug | undefined;
  private ply = 0;
  private turn: AbortController | undefined;

  constructor(
    private client: Client,
    private readonly id: string,
    private readonly choose: Choose,
    private readonly options: SeatOptions,
    private readonly note: (text: string) => void,
  ) {}

  async run(): Promise<Schemas['Result'] | null> {
    const page = await this.takeSeat();
    if (page.stage === 'over') return page.result;
    this.game = page.game;
    try {
      for await (const frame of this.client.follow(this.id, this.whileWanted)) {
        if (frame.type === 'ended') return frame.result;
        if (frame.type === 'match' && frame.stage === 'over') return frame.result;
        if (frame.type === 'left' && frame.seat === this.seat) return null;
        this.take(frame);
      }
    } finally {
      this.turn?.abort();
    }
    return (await this.page()).result;
  }

  /** The options of requests, which end with the play. */
  private get whileWanted(): { signal?: AbortSignal } {
    return this.options.signal ? { signal: this.options.signal } : {};
  }

  private page(): Promise<Schemas['MatchPage']> {
    return this.client.call('get', '/v1/matches/{id}', { path: { id: this.id } }, this.whileWanted);
  }

  /** Joins, unless the caller has a seat; the match as the holder of the seat sees it. */
  private async takeSeat(): Promise<Schemas['MatchPage']> {
    let page: Schemas['MatchPage'];
    try {
      page = await this.page();
      this.seat = page.you;
      if (page.you !== null || page.stage === 'over') return page;
    } catch (error) {
      // The answer to the request to join says why a match cannot be seen.
      if (!(error instanceof ApiError && [403, 404].includes(error.status))) throw error;
    }
    const { seat, name } = this.options;
    try {
      const body = { ...seat === undefined ? {} : { seat }, ...name === undefined ? {} : { name } };
      const options = { ...this.whileWanted, idempotencyKey: await randomKey() };
      const joined = await this.client.call('post', '/v1/matches/{id}/join', { path: { id: this.id }, body }, options);
      const token = joined.seats[0]?.token;
      if (token) this.client = this.client.withToken(token);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'already_seated')) throw error;
    }
    page = await this.page();
    this.seat = page.you;
    return page;
  }

  private take(frame: Schemas['StreamFrame']): void {
    switch (frame.type) {
      case 'match':
        this.seat = frame.you;
        this.ply = frame.ply;
        if (frame.position !== null) this.beginTurn({ ...frame, position: frame.position });
        return;
      case 'moved':
        this.ply = frame.ply + 1;
        break;
      case 'fouled':
        // A foul that made no move leaves the ply as it is.
        this.ply = frame.instead === null ? frame.ply : frame.ply + 1;
        break;
      case 'taken_back':
        this.ply = frame.ply;
        break;
      case 'started':
        break;
      default:
        return;
    }
    this.beginTurn(frame);
  }

  /** Asks the bot if it is its turn. A decision of an earlier turn is not needed any more. */
  private beginTurn({ turn, position, legal_moves: legalMoves, clock }: TurnFrame): void {
    this.turn?.abort();
    if (turn === null || turn !== this.seat || this.game === undefined) return;
    const abort = new AbortController();
    this.turn = abort;
    const { game, id: match, ply, seat } = { game: this.game, id: this.id, ply: this.ply, seat: turn };
    void this.decide({ game, match, seat, ply, view: position, legalMoves, clock, signal: abort.signal });
  }

  /** Asks the bot, and plays its move. A bot that throws or breaks the rules loses this match and no other one. */
  private async decide(turn: BotTurn): Promise<void> {
    const { ply, signal } = turn;
    let move: BotMove;
    try {
      move = await this.choose(turn);
    } catch (error) {
      if (signal.aborted) return;
      const trace = error instanceof Error ? error.stack : error;
      this.note(`match ${this.id}, ply ${ply}: the bot has failed; it resigns: ${trace}`);
      await this.resign();
      return;
    }
    if (signal.aborted) return;
    const body: Schemas['PlayRequest'] = typeof move === 'string' ? { ply, notation: move }
      : 'notation' in move ? { ply, notation: move.notation } : { ply, move: move.move };
    try {
      await this.client.call('post', '/v1/matches/{id}/moves', { path: { id: this.id }, body }, { signal });
    } catch (error) {
      if (signal.aborted || (error instanceof ApiError && TOO_LATE.has(error.code))) return;
      this.note(`match ${this.id}, ply ${ply}: ${JSON.stringify(move)} is refused; the bot resigns: ${error}`);
      await this.resign();
    }
  }

  /** Gives up. To resign twice changes nothing, so a lost answer is asked for again. */
  private async resign(): Promise<void> {
    const retries = new Retries(PERSISTENT_RETRIES);
    for (;;) {
      try {
        await this.client.call('post', '/v1/matches/{id}/resign', { path: { id: this.id } }, this.whileWanted);
        return;
      } catch (error) {
        if (this.options.signal?.aborted) return;
        const pause = error instanceof Unreachable ? retries.pause(error) : undefined;
        if (pause === undefined) {
          this.note(`match ${this.id}: cannot resign: ${error}`);
          return;
        }
        await sleep(pause);
      }
    }
  }
}

/**
 * Plays one seat of a match to its end; the result, if the match has one.
 * @throws {ApiError} if the seat cannot be had or held.
 */
export function playSeat(
  client: Client, id: string, choose: Choose, options: SeatOptions = {},
): Promise<Schemas['Result'] | null> {
  return new SeatPlayer(client, id, choose, options, options.note ?? ((text) => console.error(text))).run();
}
