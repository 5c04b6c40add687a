//! `/v1/puzzles`: find the move in positions of analysed matches.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use engines::erased::{AnyMove, AnyOptions, AnyPosition, MoveInput, MoveText};
use engines::game::Seat;
use engines::judge::ProvenMove;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::analysis::puzzles::{JudgedTry, Puzzle, PuzzleSolver};
use crate::app::App;
use crate::catalogue::Offer;
use crate::domain::PuzzleId;
use crate::domain::schema::{GameSlug, MatchId};
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::matches::ledger::Caller;
use crate::presentation::rating::RatingShown;
use crate::request::caller::{Plays, Reads};
use crate::request::extract::{Payload, UrlQuery, unknown};
use crate::request::json::{Json, NO_STORE};
use crate::request::path::PuzzleOf;
use crate::store::{PuzzleRating, StoredPuzzleTry};

/// A puzzle without its solution.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PuzzlePage {
    /// The puzzle.
    id: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// The options of the match from which it comes, in the game's schema.
    #[schemars(with = "AnyOptions")]
    options: Value,
    /// The seat to move.
    seat: Seat,
    /// The position as that seat saw it.
    #[schemars(with = "AnyPosition")]
    position: Value,
    /// The moves to choose from: all that the game lists for the position.
    moves: Vec<MoveText>,
    /// How hard it is: a rating on the scale of those of its solvers.
    rating: RatingShown,
    /// First tries of players.
    tries: u64,
    /// How many of them were right.
    solved: u64,
    /// The caller as a solver of this game's puzzles; `null` for callers whose tries do not count: guests and bots.
    solver: Option<PuzzleSolverShown>,
}

/// A player as a solver of a game's puzzles.
#[derive(Serialize, JsonSchema)]
struct PuzzleSolverShown {
    /// The rating, which is kept apart from that of matches.
    rating: RatingShown,
    /// The tries that counted.
    tries: u64,
    /// How many of them were right.
    solved: u64,
    /// The player's first try of this puzzle; `null`: none yet.
    tried: Option<CountedTry>,
}

/// The first try of a player, which counts.
#[derive(Serialize, JsonSchema)]
struct CountedTry {
    /// Whether the move was right.
    right: bool,
    /// The player's rating before it.
    before: RatingShown,
    /// The player's rating after it.
    after: RatingShown,
}

/// A move to try.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "notation": "1" }))]
pub(crate) struct PuzzleTryRequest {
    /// The move, by the game's schema. Either this or `notation` is required.
    #[serde(rename = "move")]
    #[schemars(with = "Option<AnyMove>")]
    mv: Option<Value>,
    /// The move in the notation of the official protocol.
    notation: Option<String>,
}

/// The verdict on a try, with the solution.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PuzzleTryAnswer {
    /// Whether the move is right: the best one, or as good.
    right: bool,
    /// The move that was tried, with its value.
    tried: ProvenMove,
    /// The best move.
    best: MoveText,
    /// All moves with their values, the best first.
    moves: Vec<ProvenMove>,
    /// Name and version of the engine that valued them.
    engine: String,
    /// The nodes by which each move was valued, in the engine's own measure.
    nodes: u64,
    /// Version of the judge's own rules.
    judge: u32,
    /// The match from which the puzzle comes.
    #[serde(rename = "match")]
    #[schemars(with = "MatchId")]
    match_id: String,
    /// Moves of the match made before it.
    ply: u32,
    /// The move that was made in the match.
    played: MoveText,
    /// What the try has changed; `null`: it does not count, because the caller is no person with an account, or has tried before.
    counted: Option<CountedTry>,
    /// The rating of the puzzle after it.
    rating: RatingShown,
}

impl From<StoredPuzzleTry> for CountedTry {
    fn from(StoredPuzzleTry { solved, before, after }: StoredPuzzleTry) -> Self {
        Self { right: solved, before: before.into(), after: after.into() }
    }
}

impl From<PuzzleSolver> for PuzzleSolverShown {
    fn from(PuzzleSolver { rating, tried }: PuzzleSolver) -> Self {
        let PuzzleRating { rating, tries, solved } = rating;
        Self { rating: rating.into(), tries, solved, tried: tried.map(CountedTry::from) }
    }
}

impl PuzzlePage {
    fn of(puzzle: Puzzle, solver: Option<PuzzleSolver>) -> Self {
        let Puzzle { stored, content } = puzzle;
        let mut moves: Vec<MoveText> = content.moves.into_iter().map(|one| one.mv).collect();
        // They are stored with the best one first.
        moves.sort_by(|a, b| a.notation.cmp(&b.notation));
        Self {
            id: stored.id.to_string(),
            game: stored.game,
            options: content.options,
            seat: content.seat,
            position: content.position,
            moves,
            rating: stored.rating.into(),
            tries: stored.tries,
            solved: stored.solved,
            solver: solver.map(PuzzleSolverShown::from),
        }
    }
}

impl From<JudgedTry> for PuzzleTryAnswer {
    fn from(JudgedTry { puzzle, tried, counted }: JudgedTry) -> Self {
        let Puzzle { stored, content } = puzzle;
        Self {
            right: tried.right,
            best: content.moves.first().map_or_else(|| tried.mv.clone(), |best| best.mv.clone()),
            tried,
            moves: content.moves,
            engine: content.engine,
            nodes: content.nodes,
            judge: content.judge,
            match_id: stored.match_id.to_string(),
            ply: stored.ply,
            played: content.played,
            counted: counted.map(CountedTry::from),
            rating: stored.rating.into(),
        }
    }
}

/// The game of a query, and the puzzle that is not wanted again.
fn query(
    app: &'static App,
    query: UrlQuery,
    takes_except: bool,
) -> Result<(&'static Offer, Option<PuzzleId>), Error> {
    let (mut game, mut except) = (None, None);
    for (name, value) in query.0 {
        match name.as_str() {
            "game" => game = Some(app.games.find(&value)?),
            "except" if takes_except => {
                let bad = || Error::new(Code::BadQuery, "except: must be the id of a puzzle");
                except = Some(PuzzleId::parse(&value).ok_or_else(bad)?);
            }
            _ => return Err(unknown(&name, if takes_except { "game and except" } else { "game" })),
        }
    }
    let game = game.ok_or_else(|| Error::new(Code::BadQuery, "game: the short name of a game is needed"))?;
    Ok((game, except))
}

async fn shown(app: &'static App, puzzle: Puzzle, caller: &Caller) -> Result<Response, Error> {
    let solver = app.puzzles.solver(caller, &puzzle.stored).await?;
    Ok(([NO_STORE], Json(PuzzlePage::of(puzzle, solver))).into_response())
}

/// Get the puzzle of a game for today.
///
/// It is the same for all callers on one day (UTC). A game has none (`no_such_puzzle`) until a public match of it was analysed in which
/// a seat missed a move that is clearly better than all others.
#[utoipa::path(get, path = "/v1/puzzles/daily", operation_id = "dailyPuzzle", tag = "puzzles",
    security((), ("token" = ["read"])),
    params(openapi::PuzzleGameQuery),
    responses((status = 200, description = "The puzzle.", body = PuzzlePage), openapi::Refusals))]
pub(crate) async fn daily(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    url: UrlQuery,
) -> Result<Response, Error> {
    let (offer, _) = query(app, url, false)?;
    let puzzle = app.puzzles.expect_daily(offer.info.slug).await?;
    shown(app, puzzle, &caller).await
}

/// Get another puzzle of a game.
///
/// A person gets the one whose rating is nearest to their own, among those that they have not tried. Guests and bots get any.
#[utoipa::path(get, path = "/v1/puzzles/next", operation_id = "nextPuzzle", tag = "puzzles",
    security((), ("token" = ["read"])),
    params(openapi::PuzzleGameQuery, openapi::ExceptQuery),
    responses((status = 200, description = "The puzzle.", body = PuzzlePage), openapi::Refusals))]
pub(crate) async fn next(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    url: UrlQuery,
) -> Result<Response, Error> {
    let (offer, except) = query(app, url, true)?;
    let puzzle = app.puzzles.next(offer.info.slug, &caller, except).await?;
    shown(app, puzzle, &caller).await
}

/// Get a puzzle, without its solution.
#[utoipa::path(get, path = "/v1/puzzles/{id}", operation_id = "getPuzzle", tag = "puzzles",
    security((), ("token" = ["read"])),
    params(openapi::PuzzlePath),
    responses((status = 200, description = "The puzzle.", body = PuzzlePage), openapi::Refusals))]
pub(crate) async fn read(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    PuzzleOf(id): PuzzleOf,
) -> Result<Response, Error> {
    let puzzle = app.puzzles.get(&id).await?;
    shown(app, puzzle, &caller).await
}

/// Try a move in a puzzle.
///
/// The answer is the solution: the values of all moves. A move is right if it is the engine's, or loses less than 1 point of winning
/// probability beside it. The first try of a person with an account counts: player and puzzle are rated as if they had played a match
/// against each other. These ratings are kept apart from those of matches.
#[utoipa::path(post, path = "/v1/puzzles/{id}/tries", operation_id = "tryPuzzle", tag = "puzzles",
    security((), ("token" = ["play"])),
    params(openapi::PuzzlePath),
    request_body = PuzzleTryRequest,
    responses((status = 200, description = "The verdict and the solution.", body = PuzzleTryAnswer), openapi::Refusals))]
pub(crate) async fn attempt(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    PuzzleOf(id): PuzzleOf,
    payload: Payload,
) -> Result<Response, Error> {
    let request: PuzzleTryRequest = payload.json()?;
    let tried = match (&request.mv, &request.notation) {
        (Some(mv), None) => MoveInput::Json(mv),
        (None, Some(notation)) => MoveInput::Notation(notation),
        _ => return Err(Error::new(Code::BadField, "exactly one of move and notation is required")),
    };
    let judged = app.puzzles.judge_try(&id, &caller, tried).await?;
    Ok(([NO_STORE], Json(PuzzleTryAnswer::from(judged))).into_response())
}
