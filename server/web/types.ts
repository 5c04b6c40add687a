/**
 * Types that the pages and the boards share. Those of the API name only the fields that the pages read; /openapi.json
 * describes all of them.
 */

/** A position, a move or an event's detail of some game: only that game's board knows its shape. */
export type Opaque = any;

/**
 * A text: one, or several by the plural form of a number. `{n: {one: '...', other: '...'}}`: the value `n` decides.
 */
export type Text = string | Record<string, Record<string, string>>;

/** Looks up a text by key and replaces each `{name}` in it by the value of that name. */
export type Translate = (key: string, values?: Record<string, unknown>) => string;

/** The content that `h` and `fill` of dom.js accept; null, undefined and false are left out. */
export type Child = Node | string | number | null | undefined | false | readonly Child[];

/** A class name, or a list of them; falsy entries are left out. */
export type ClassList = string | number | boolean | null | undefined | readonly ClassList[];

/** The attributes that `h` of dom.js accepts. */
export interface Attributes {
  class?: ClassList;
  data?: Record<string, string | number | undefined>;
  style?: Record<string, string | number>;
  click?: (event: MouseEvent) => unknown;
  submit?: (event: SubmitEvent) => unknown;
  [name: string]: string | number | boolean | null | undefined | ClassList | Record<string, string | number | undefined>
    | ((event: any) => unknown);
}

/** The element that `h` of dom.js makes for a tag. `title` is SVG's. */
export type ElementOf<Tag extends string> = Tag extends 'title' ? SVGTitleElement
  : Tag extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag]
  : Tag extends keyof SVGElementTagNameMap ? SVGElementTagNameMap[Tag]
  : HTMLElement;

/** The caller's secrets for the API: a seat's or player's token, and the key of a private match. */
export interface Secrets {
  token?: string;
  key?: string;
}

/** The seats and secrets of a match in this browser (seats.js). `at`: when they were stored, in milliseconds since 1970. */
export interface Held extends Secrets {
  seats?: number[];
  game?: string;
  at?: number;
}

/** The request of early.js for the page's match, for the holder of these secrets. */
export interface Early extends Secrets {
  answer: Promise<Response>;
}

declare global {
  interface Window {
    kibitzEarly?: Early;
  }
}

/** The API's answer to creating or joining a match. */
export interface Admission {
  id?: string;
  key?: string;
  seats?: { seat?: number; token?: string }[];
}

/** An `application/problem+json` answer. */
export interface Problem {
  status?: number;
  code?: string;
  detail: string;
  retry_after_ms?: number;
  ply?: number;
  match?: Page;
}

/** A game as `GET /v1/games` lists it. `bot_seats`: the seats that a program of the contest can take. */
export interface Game {
  perfect_information: boolean;
  slug: string;
  title: string;
  max_seats: number;
  bot_seats: number[];
  /** Other seats for bots that know the mirror dialogue. */
  mirror_seats: number[];
  /** The best one first. */
  engines: { name: string; version: number }[];
  formats: { name: string }[];
}

/** One seat of a match's page. `title`: the engine's name for people, added by the pages. */
export interface PageSeat {
  seat: number;
  kind: string;
  name?: string | null;
  guest?: number | null;
  engine?: { name: string; level: string; title?: string } | null;
  /** The hosted program that plays for a bot. */
  program?: { number: number; hash: string };
  out: boolean;
  connected?: boolean;
  /** The end of the player's vacation, where it counts. */
  vacation_until_ms?: number;
}

/** The clocks of a match. Times in milliseconds; `since_ms`, `now_ms` and `paused_until_ms` since 1970. */
export interface Clock {
  running: number | null;
  left_ms: (number | null)[];
  move_ms?: number | null;
  since_ms: number | null;
  now_ms: number;
  paused?: string | null;
  paused_until_ms?: number;
}

/** A legal move: the game's own value, and its notation, by which the API accepts it. */
export interface LegalMove {
  move: Opaque;
  notation: string;
}

/** A move, or a notation that the API found illegal, as `legal-moves` answers. */
export type CheckedMove = LegalMove & { legal: boolean; why?: string };

/** The result of a match, by seat. */
export interface Result {
  ranks: number[];
  points?: number[] | null;
  reason?: string | null;
}

export type Stage = 'open' | 'running' | 'over';

/** A match as it is now, for one viewer. */
export interface Page {
  type: 'match';
  id: string;
  game: string;
  stage: Stage;
  hints: boolean;
  rated?: boolean;
  tournament?: { id: string };
  /** The match began with a position, from this match and ply, or given by its creator. */
  options: Opaque;
  from_position?: { of: { match: string; ply: number } | null };
  seq: number;
  ply: number;
  turn: number | null;
  you: number | null;
  seats: PageSeat[];
  clock: Clock | null;
  position: Opaque;
  legal_moves: LegalMove[];
  result: Result | null;
  ended: string | null;
  seed?: string;
  salt?: string;
  rematch: string | null;
}

/** The fields that all events of a match have. */
interface EventBase {
  seq: number;
  at_ms?: number;
  seat?: number;
}

/** The fields of the events that change the position. */
interface Turn extends EventBase {
  turn: number | null;
  position: Opaque;
  legal_moves: LegalMove[];
  clock: Clock | null;
}

export type StartedEvent = Turn & { type: 'started' };
export type MovedEvent = Turn & { type: 'moved'; ply: number; move: Opaque; notation: string };
export type FouledEvent = Turn
  & { type: 'fouled'; ply: number; kind: string; detail?: string; instead: LegalMove | null };
/** `ply`: how many moves stay. */
export type TakenBackEvent = Turn & { type: 'taken_back'; ply: number };
/** An event that changes the position. */
export type PositionEvent = StartedEvent | MovedEvent | FouledEvent | TakenBackEvent;

/** An event of a match, as one viewer may see it. */
export type MatchEvent = PositionEvent
  | (EventBase & { type: 'joined'; seat: number; kind: string; name?: string | null; guest?: number | null })
  | (EventBase & { type: 'left'; seat: number })
  | (EventBase & { type: 'went_out'; seat: number; why: string })
  | (EventBase & { type: 'referee_set'; seat: number; settings: Record<string, string> })
  | (EventBase & { type: 'resumed'; vacation?: boolean; clock?: Clock | null })
  | (EventBase & { type: 'ended'; how: string; result: Result | null; seed?: string; salt?: string; position: Opaque });

/**
 * A message: a ready phrase or a text; or who deleted it. `n`: its number. `seat`: the player who sent it; without it, `player` is the
 * name of the spectator who did.
 */
export interface ChatMessage {
  n: number;
  seat?: number;
  player?: string;
  at_ms: number;
  phrase?: string;
  text?: string;
  deleted?: 'author' | 'operator';
}

/** A line of the official dialogue of a seat. `used_ms`, `fuel`: what the seat used, where the line is its decision. */
export interface DialogueLine {
  ply: number;
  kind: 'read' | 'printed' | 'remark' | 'end';
  text: string;
  used_ms?: number;
  fuel?: number;
}

/** What a bot wrote to standard error, and used, in one turn. */
export interface BotTurn {
  ply: number;
  lines: { ms: number; text: string }[];
  cut?: boolean;
  cpu_ms?: number;
  memory_kib?: number;
}

/** What a bot wrote in a match. `all`: whether it is more than the public lines. */
export interface BotOutput {
  seat: number;
  all: boolean;
  turns: BotTurn[];
}

/** What a visitor can report to the operator. */
export type Reported =
  | { kind: 'match'; match: string }
  | { kind: 'player'; name: string }
  | { kind: 'chat'; match: string; n: number }
  | { kind: 'tournament'; tournament: string };

/**
 * One message of a match's stream: its page, an event, the clocks, the connected seats, a message of the chat, or the reason
 * that the stream was closed.
 */
export type StreamMessage = Page | MatchEvent
  | { type: 'clock'; seq?: undefined; clock: Clock }
  | { type: 'presence'; seq?: undefined; connected: number[]; vacations?: { seat: number; until_ms: number }[] }
  | { type: 'chat'; seq?: undefined; message: ChatMessage }
  | { type: 'closed'; seq?: undefined; detail: string };

/** A position of a match, and the event that led to it. `before`: the position before the move; null where it is unknown. */
export interface Frame {
  ply: number;
  position: Opaque;
  turn: number | null;
  event: PositionEvent;
  move: Opaque;
  seat: number | null;
  before: Opaque;
}

/** The move that led to a position. */
export interface LastMove {
  seat: number;
  move: Opaque;
  before: Opaque;
}

/** A move that the engine considered, and its value from 0 to 1. */
export interface Candidate extends LegalMove {
  value: number;
  visits?: number;
}

/** An engine's decision. `nodes` is 0 where it had no choice. */
export interface Decision extends Candidate {
  nodes: number;
  candidates: Candidate[];
}

/** One line of a streamed analysis. */
export type AnalysisMessage = { type: 'failed'; problem: Problem }
  | (Decision & { type: 'found' | 'done'; elapsed_ms: number; engine: string });

/** How good a move was. */
export type MoveClass = 'best' | 'good' | 'inaccuracy' | 'mistake' | 'blunder';

/** A move of a match, and what it was worth; null where there was no choice. */
export interface JudgedDecision {
  ply: number;
  seat: number;
  played: LegalMove;
  value: { before: number; after: number; loss: number; class: MoveClass; best: LegalMove; line: LegalMove[] } | null;
}

/** How well a seat played, and what made its result: parts that add up to it. */
export interface JudgedSeat {
  seat: number;
  classes: number[];
  accuracy: number | null;
  account: { start: number; own: number; others: number; luck: number; correction: number; result: number } | null;
}

/** The analysis of a match. `costliest`: plies. */
export interface MatchAnalysis {
  engine: string;
  nodes: number;
  decisions: JudgedDecision[];
  seats: JudgedSeat[];
  costliest: number[];
}

/** How far the analysis of a match is. */
export type MatchAnalysisAnswer = { stage: 'none' | 'failed' } | { stage: 'pending'; judged: number; moves: number; yours: boolean }
  | { stage: 'done'; analysis: MatchAnalysis };

/** A match in a list. */
export interface ListEntry {
  id: string;
  game: string;
  stage: Stage;
  seq?: number;
  turn?: number | null;
  you?: number | null;
  seats: (Omit<PageSeat, 'seat' | 'out' | 'connected'> & { rank?: number | null; points?: number | null })[];
  result?: Result | null;
  sealed?: boolean;
  /** The time control; of a match's page, also how the clocks are. */
  clock?: ClockTerms | (ClockTerms & Clock) | null;
  rated?: boolean;
  created_ms: number;
  ended_ms?: number | null;
}

/** A player's page in the API. */
export interface PlayerPage {
  name: string;
  kind: string;
  vacation_until_ms?: number;
  ratings: { game: string; points: number; margin: number; provisional: boolean; played: number; rank: number | null }[];
}

/** The rating of the player in a seat, and what the match has changed in it. */
export interface SeatRating {
  name: string;
  points: number;
  margin: number;
  provisional: boolean;
  played: number;
  change?: { before: number; after: number; best: boolean };
}

/** The ratings of the players of a match, by seat. */
export interface MatchRatings {
  seats: (SeatRating | null)[];
}

/** One page of a list of matches. `next`: pass it as `before` to get more. */
export interface MatchList {
  matches: ListEntry[];
  next?: string | null;
}

/** A seat as boards know it. */
export interface BoardSeat {
  name: string;
  kind: string;
  out: boolean;
}

/** The second argument of a board's `draw`; README.md describes each field. */
export interface BoardContext<View = Opaque, Move = Opaque> {
  me: number | null;
  seats: BoardSeat[];
  turn: number | null;
  t: Translate;
  picked: string[];
  next: Set<string>;
  last: { seat: number; move: Move; before: View } | null;
  step?: number;
  moves?: LegalMove[];
  edit?: boolean;
}

/** For a board's `prompt` and `buttons`: the chosen targets, the next possible ones, the complete move, the legal moves. */
export interface Chosen<Move = Opaque> {
  picked: string[];
  next: Set<string>;
  move?: Move | null;
  moves?: LegalMove[];
}

/** The reason that a match ended by its rules, and the parts of each seat's score. */
export interface Ending {
  why: string;
  rows: { label: string; values: (number | string)[] }[];
}

/** A target, and the notation of the move that choosing it next would make. */
export interface Offer {
  target: string;
  notation: string;
}

/** A rule's id, by which the game's texts are found, and its picture. */
export type RulePicture = [string, Element];

/** A tip that fits a position: its text is `tip.ID` of the game. `targets`: the targets on the board that it is about. */
export interface Tip {
  id: string;
  values?: Record<string, unknown>;
  targets?: string[];
  follows?(move: Opaque): boolean;
}

/** A possible value of a field of an edited position. `picture`: draws it; `off`: it cannot be chosen now. */
export interface EditChoice {
  value: string | number | null;
  label: string;
  picture?: () => Element;
  off?: boolean;
}

/** The members that all fields of an edited position have; README.md describes them. */
interface EditBase {
  id: string;
  targets: string[];
  group: string;
  label: string;
  note?: string;
  picture?: () => Element;
}

/** A part of a position that a visitor can change. `set(value)` returns the changed position. */
export type EditField = EditBase & (
  | { kind: 'count'; value: number; least: number; most: number; set(value: number): Opaque }
  | { kind: 'switch'; value: boolean; set(value: boolean): Opaque }
  | { kind: 'choice'; value: EditChoice['value']; choices: EditChoice[]; set(value: EditChoice['value']): Opaque }
  | { kind: 'pieces'; value: EditPiece[]; least?: number; most: number; places?: string[]; piece(value: EditPiece): EditChoice;
    choices(at: number | null): EditChoice[]; set(value: EditPiece[]): Opaque });

/** One of the pieces of a field: a card, a tile. */
export type EditPiece = string | number;

/** The exports of a game's edit.js. `names`: a name for each seat. */
export interface Edit {
  fields(view: Opaque, names: string[], t: Translate): EditField[];
  mover(view: Opaque): number;
  open?: boolean;
  fault?(view: Opaque, names: string[], t: Translate): string;
}

/** The exports of a game's board.js, and `t`, the game's own texts; README.md describes each function. */
export interface Board {
  draw(view: Opaque, ctx: BoardContext): Element;
  paths(move: Opaque, view: Opaque): string[][];
  say(move: Opaque, view: Opaque, t: Translate): string;
  ahead?(move: Opaque, view: Opaque, t: Translate): string;
  steps?(before: Opaque, move: Opaque, after: Opaque): Opaque[];
  offers?(picked: string[], view: Opaque): Offer[];
  choices?(view: Opaque): string[];
  prompt?(chosen: Chosen, view: Opaque, t: Translate): string;
  buttons?(chosen: Chosen, view: Opaque, t: Translate): { target: string; label: string }[];
  verb?(move: Opaque, view: Opaque, t: Translate): string;
  points?(view: Opaque): number[];
  ending?(view: Opaque, t: Translate, points: number[]): Ending;
  reveal?(view: Opaque, views: Opaque[]): Opaque;
  short?(target: string): string | null;
  forms?(picked: string[], view: Opaque, places: Set<string>, t: Translate): string;
  options?(options: Opaque): string[];
  rules?(): Promise<{ rules(t: Translate): RulePicture[] }>;
  tips?(): Promise<{ tips(view: Opaque, me: number, moves: LegalMove[], t: Translate): Tip[] }>;
  edit?(): Promise<Edit>;
  t: Translate;
}

/**
 * The content of the stage. `moves`: the viewer's legal moves; `ahead`: those that the viewer may choose before the turn, and the
 * one that is `chosen`; `still`: the viewer cannot move in it at all; `edit`: it is
 * being edited; `edit.next` has the elements that can be edited with their names, `edit.picked` the open ones.
 */
export interface Scene {
  view: Opaque;
  me: number | null;
  seats: BoardSeat[];
  turn: number | null;
  moves: LegalMove[];
  ahead?: { moves: LegalMove[]; chosen: LegalMove | null } | null;
  last: LastMove | null;
  still?: boolean;
  edit?: { next: Map<string, { what: string; whole: string }>; picked: string[] };
  step?: number;
}

/** A time control, in milliseconds. */
export interface ClockTerms {
  initial_ms?: number;
  increment_ms?: number;
  move_ms?: number;
}

/** A challenge, as one of its two players sees it. */
export interface Challenge {
  id: string;
  game: string;
  role: 'challenger' | 'opponent';
  stage: 'open' | 'accepted' | 'declined' | 'withdrawn' | 'expired' | 'failed';
  challenger: string;
  opponent: string;
  rated: boolean;
  clock: ClockTerms | null;
  challenger_seat: number;
  until_ms: number;
  reason: string | null;
  match: string | null;
}

/** An event of a player's control connection. */
export type LobbyEvent = (Challenge & { type: 'challenge' | 'challenge_over' })
  | { type: 'match'; id: string; game: string; stage: 'open' | 'running' }
  | { type: 'match_over'; id: string }
  | { type: 'ready' };

/** The data of a tournament that its page needs. `entrants`: the participants; `shown`: the name for people. */
export interface TournamentNow {
  seq: number;
  stage: 'registration' | 'running' | 'paused' | 'ended' | 'aborted';
  format: { kind: 'round_robin' | 'sampled_round_robin' | 'gauntlet' | 'swiss' | 'ladder' };
  organizer: string;
  /** whether it has a title */
  titled: boolean;
  /** whether its organizer can delete it */
  unplayed: boolean;
  /** whether bots can enter: a bot must be able to play from every seat */
  bots: boolean;
  /** whether bots that know the mirror dialogue can enter */
  mirror: boolean;
  entrants: { name: string; shown: string }[];
  /** the games that are being played: their players, and the same names for people */
  running: { match: string; players: string[]; shown: string[] }[];
}

/** What the check of a program has found. `lines`: the whole report, in English. */
export interface ProgramReport {
  passed: boolean;
  matches: number;
  moves: number;
  mistakes: number;
  lines: string[];
}

/** A program of a bot, as its owner sees it. */
export interface BotProgram {
  number: number;
  game: string;
  hash: string;
  size: number;
  note: string;
  created_ms: number;
  state: 'checking' | 'ready' | 'active' | 'retired' | 'refused';
  published: boolean;
  disabled?: string;
  report: ProgramReport | null;
  results: ProgramResults;
}

/** What a program has achieved in its matches, those of its check not counted. */
export interface ProgramResults {
  won: number;
  drawn: number;
  lost: number;
  mistakes: number;
  /** the bot's rating after the last rated match of the program; `null`: it has played none */
  rating: { played: number; points: number; margin: number } | null;
}

/** The programs of a bot, the newest first, and what they have used today of what they may use. */
export interface BotPrograms {
  programs: BotProgram[];
  fuel: { used_s: number; allowance_s: number };
}

/** A program of a bot that everybody may know. */
export interface PublicProgram {
  number: number;
  game: string;
  hash: string;
  size: number;
  created_ms: number;
  active: boolean;
  published: boolean;
}

/** The matches that a bot accepts. */
export interface BotPolicy {
  games: string[];
  concurrent: number;
  rated: 'any' | 'only' | 'never';
  clock_ms?: [number, number];
  unlimited: boolean;
  from: 'anyone' | 'people' | 'bots' | 'owner';
  ladder?: boolean;
}

/** A token for a program, as its owner's list has it. */
export interface OwnToken {
  id: string;
  name: string;
  /** `read`, `play`, `manage`, `bot:NAME`, or `account`: a sign-in. */
  scope: string;
  created_ms: number;
  expires_ms: number | null;
  used_ms: number | null;
}

/** A passkey of the player who asks. */
export interface OwnPasskey {
  id: string;
  name: string;
  created_ms: number;
  used_ms: number | null;
}

/** A browser in which the player who asks is notified. */
export interface OwnSubscription {
  id: string;
  name: string;
  /** `turn`, `reminder`, `challenge`, `tournament`. */
  kinds: string[];
  created_ms: number;
  delivered_ms: number | null;
}

/** A rating after a match. `played`: the number of the match among the player's rated matches of the game. */
export interface RatingPoint {
  played: number;
  match: string;
  at_ms: number;
  points: number;
  margin: number;
  provisional: boolean;
}

/** The history of a rating. */
export interface RatingHistory {
  played: number;
  history: RatingPoint[];
}

/** The decisions of a player in one phase and of one kind. */
export interface MistakeCount {
  phase: string;
  kind: string;
  decisions: number;
  mean_loss: number;
  mistakes: number;
}

/** A costly decision, with its position as the player saw it. */
export interface MistakeEntry {
  match: string;
  ply: number;
  phase: string;
  kind: string;
  played: LegalMove;
  value: { loss: number; class: MoveClass; best: LegalMove };
  position: Opaque;
}

/** The costly decisions of a player. */
export interface MistakeList {
  counts: MistakeCount[];
  accuracy: number | null;
  mistakes: MistakeEntry[];
  next: string | null;
}

/** A rating of a solver or of a puzzle. */
export interface PuzzleRating {
  points: number;
  margin: number;
  provisional: boolean;
}

/** The visitor as a solver of a game's puzzles. `tried`: the first try of the shown puzzle. */
export interface PuzzleSolver {
  rating: PuzzleRating;
  tries: number;
  solved: number;
  tried: CountedTry | null;
}

/** The first try of a player, with the player's rating before and after it. */
export interface CountedTry {
  right: boolean;
  before: PuzzleRating;
  after: PuzzleRating;
}

/** A puzzle without its solution. `solver`: `null` for visitors whose tries do not count. */
export interface PuzzleShown {
  id: string;
  game: string;
  seat: number;
  position: Opaque;
  moves: LegalMove[];
  rating: PuzzleRating;
  tries: number;
  solved: number;
  solver: PuzzleSolver | null;
}

/** A move of a puzzle with its value. */
export type ProvenMove = LegalMove & { value: number; right: boolean };

/** The verdict on a try, with the solution: all moves, the best first. */
export interface PuzzleVerdict {
  right: boolean;
  tried: ProvenMove;
  best: LegalMove;
  moves: ProvenMove[];
  engine: string;
  nodes: number;
  match: string;
  ply: number;
  played: LegalMove;
  counted: CountedTry | null;
}

/** A lesson: a position, and the answers to the moves that a visitor may make in it. */
export interface Lesson {
  id: string;
  position: Opaque;
  answers: LessonAnswer[];
}

/** The answer to the moves that fit one of the patterns. Its text is `ID.TEXT` of the game's lessons. */
export interface LessonAnswer {
  text: string;
  right?: boolean;
  moves: string[];
}

/** Results against opponents. */
/** The matches of a file, and one of them turn by turn. */
export interface FileAnswer {
  matches: string[];
  shown: number;
  id: string | null;
  names: string[];
  turns: { ply: number; seat: number; position: Opaque; played: { move: Opaque; notation: string } | null; fault?: string }[];
  end: { position: Opaque; points: number[] } | null;
  notes: string[];
}

/** A fault of a bot. `lines`: the last lines of its standard error in that turn, for its own side. */
export interface BotFault {
  match: string;
  game: string;
  seat: number;
  ply: number;
  kind: string;
  detail: string;
  instead: string | null;
  think_ms: number;
  at_ms: number;
  version: string | null;
  lines?: { ms: number; text: string }[];
}

/** A page of a bot's faults, and how many of each kind there are. `all`: also those that only its own side sees. */
export interface BotFaults {
  all: boolean;
  groups: { game: string; kind: string; version: string | null; count: number; first_ms: number; last_ms: number }[];
  faults: BotFault[];
  next: string | null;
}

/** A check match of a bot; `report`: empty until it is over. */
export interface BotCheck {
  match: string;
  game: string;
  seats: number;
  created_ms: number;
  report: string[];
}

/** The moves with which a player begins most often; `ply`: moves before it in the last match in which it was played. */
export interface FirstMoves {
  matches: number;
  moves: (LegalMove & { played: number; score: number; match: string; ply: number; position: Opaque })[];
}

export interface OpponentList {
  opponents: { name: string | null; kind: string; played: number; won: number; drawn: number; lost: number }[];
  next: string | null;
}
