//! Puzzles: positions of analysed public matches in which one move is clearly better than all others. They are made with the analysis,
//! by its host, and stored with it. A puzzle tells nothing that its seat could not know, and its solution only after a try.

use engines::erased::{MoveInput, MoveText};
use engines::game::Seat;
use engines::judge::{JudgeError, MatchAnalysis, MatchToJudge, ProvenMove, find_puzzles};
use engines::rng::{Rng, Seed};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::analysis::host::{HostEnd, PoolHost};
use crate::catalogue::{Catalogue, Offer};
use crate::domain::time::{DAY_MS, Millis};
use crate::domain::{PlayerRef, PuzzleId};
use crate::error::{Code, Error};
use crate::matches::ledger::Caller;
use crate::matches::record::Record;
use crate::matches::service::Matches;
use crate::store::{
    NewPuzzle, NextPuzzle, PuzzleRating, PuzzleTry, StoreChange, StoredPuzzle, StoredPuzzleTry, WantedPuzzle,
    refused_by_store,
};

/// The most puzzles of a match. They bound the engine time that its puzzles cost.
const MOST_OF_MATCH: usize = 3;

/// The puzzles of this server.
pub struct Puzzles {
    /// The hosted matches, with their database.
    pub matches: &'static Matches,
    /// The games on offer.
    pub games: &'static Catalogue,
}

/// The content of a puzzle as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub struct PuzzleContent {
    /// The options of the match.
    pub options: Value,
    /// The seat to move.
    pub seat: Seat,
    /// The view of that seat.
    pub position: Value,
    /// The move that was made in the match.
    pub played: MoveText,
    /// All moves of the puzzle with their values, the best first.
    pub moves: Vec<ProvenMove>,
    /// Name and version of the engine that valued them.
    pub engine: String,
    /// The nodes by which each move was valued, in the engine's own measure.
    pub nodes: u64,
    /// Version of the judge's own rules.
    pub judge: u32,
}

/// A puzzle with its content, which holds the solution.
#[expect(missing_docs, reason = "`content` says all")]
pub struct Puzzle {
    /// Its row.
    pub stored: StoredPuzzle,
    pub content: PuzzleContent,
}

/// What a caller has to do with the puzzles of a game.
pub struct PuzzleSolver {
    /// The caller's rating.
    pub rating: PuzzleRating,
    /// The caller's first try of the puzzle.
    pub tried: Option<StoredPuzzleTry>,
}

/// What a player tried at a puzzle, and what the engine says of it.
pub struct JudgedTry {
    /// The puzzle after it.
    pub puzzle: Puzzle,
    /// The move that was tried, with its value.
    pub tried: ProvenMove,
    /// The try as it is stored, if it counted: the first one of a player.
    pub counted: Option<StoredPuzzleTry>,
}

/// Makes the puzzles of a match that was just analysed. A private match has none. Searches with the host of the analysis.
pub(super) fn make(
    record: &Record,
    offer: &Offer,
    judged: (&MatchToJudge, &MatchAnalysis),
    host: &mut PoolHost,
    now_ms: Millis,
) -> Result<Vec<NewPuzzle>, HostEnd> {
    let Some(creation) = record.creation().filter(|creation| !creation.private) else {
        return Ok(Vec::new());
    };
    let (finished, analysis) = judged;
    let found = match find_puzzles(offer.game, finished, analysis, MOST_OF_MATCH, host) {
        Ok(found) => found,
        Err(JudgeError::Stopped(why)) => return Err(host.end.take().unwrap_or(HostEnd::Failed(why))),
        // The analysis is good without puzzles.
        Err(JudgeError::Refused(refusal)) => {
            tracing::warn!(game = %record.game, why = %refusal, "the puzzles of a match could not be made");
            return Ok(Vec::new());
        }
    };
    let made = found.into_iter().map(|one| {
        let content = PuzzleContent {
            options: creation.options.clone(),
            seat: one.seat,
            position: one.position,
            played: one.played,
            moves: one.moves,
            engine: analysis.engine.clone(),
            nodes: analysis.nodes,
            judge: analysis.judge,
        };
        NewPuzzle {
            id: PuzzleId::fresh(),
            ply: one.ply,
            game: record.game.clone(),
            made_ms: now_ms,
            body: serde_json::to_string(&content).expect("a puzzle is plain values with text keys"),
        }
    });
    Ok(made.collect())
}

/// The player whose tries count: a person. Bots would move the ratings of puzzles away from what is hard for people.
fn person(caller: &Caller) -> Option<&PlayerRef> {
    caller.player.as_ref().filter(|player| player.owner.is_none() && !player.is_engine())
}

/// The place of a day, counted in days since 1970, in the random order of puzzles. It never changes.
fn place_of(day: i64) -> i64 {
    let random = Rng::new(&Seed::from(day.unsigned_abs())).next_u64();
    i64::try_from(random % PuzzleId::PLACES).unwrap_or(0)
}

fn no_such_puzzle(detail: &str) -> Error {
    Error::new(Code::NoSuchPuzzle, detail)
}

impl Puzzle {
    fn read(stored: StoredPuzzle) -> Result<Self, Error> {
        let broken = |e| Error::new(Code::Internal, format!("puzzle {}: {e}", stored.id));
        let content = serde_json::from_str(&stored.body).map_err(broken)?;
        Ok(Self { stored, content })
    }
}

impl Puzzles {
    /// The puzzle of a game for today (UTC), the same for all callers of all nodes; `None`: the game has none.
    ///
    /// It is chosen among the puzzles made before today, so that it stays while others are made. Only if there is none, it is the first one
    /// that was made.
    ///
    /// # Errors
    /// `store_unavailable`; `internal` if it is damaged.
    pub async fn daily(&self, game: &str) -> Result<Option<Puzzle>, Error> {
        let day = self.matches.now().ms().div_euclid(DAY_MS);
        let found = self.matches.store().daily_puzzle(game.to_owned(), place_of(day), day * DAY_MS).await;
        found.map_err(|e| refused_by_store(&e))?.map(Puzzle::read).transpose()
    }

    /// The puzzle of a game for today.
    ///
    /// # Errors
    /// `no_such_puzzle`; as [`Self::daily`].
    pub async fn expect_daily(&self, game: &str) -> Result<Puzzle, Error> {
        let missing =
            || no_such_puzzle("the game has no puzzle yet: puzzles come from the analyses of public matches");
        self.daily(game).await?.ok_or_else(missing)
    }

    /// Another puzzle of a game: for a person one near their rating that they have not tried, otherwise any. `except`: not this one.
    ///
    /// # Errors
    /// `no_such_puzzle`; as [`Self::daily`].
    pub async fn next(&self, game: &str, caller: &Caller, except: Option<PuzzleId>) -> Result<Puzzle, Error> {
        let store = self.matches.store();
        let (wanted, missing) = match person(caller) {
            Some(player) => {
                let PuzzleRating { rating, .. } = self.rating(player, game).await?;
                let wanted = WantedPuzzle::Near { player: player.id.clone(), mu: rating.mu };
                (wanted, "the game has no other puzzle that you have not tried")
            }
            None => (WantedPuzzle::At(PuzzleId::fresh().place()), "the game has no other puzzle yet"),
        };
        let next = NextPuzzle { game: game.to_owned(), wanted, except };
        let found = store.next_puzzle(next).await.map_err(|e| refused_by_store(&e))?;
        Puzzle::read(found.ok_or_else(|| no_such_puzzle(missing))?)
    }

    /// A puzzle.
    ///
    /// # Errors
    /// `no_such_puzzle`; as [`Self::daily`].
    pub async fn get(&self, id: &PuzzleId) -> Result<Puzzle, Error> {
        let found = self.matches.store().puzzle(id.clone()).await.map_err(|e| refused_by_store(&e))?;
        Puzzle::read(found.ok_or_else(|| no_such_puzzle("there is no puzzle with this id"))?)
    }

    /// The caller's rating, and the caller's first try of a puzzle; `None`: the caller's tries do not count.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn solver(
        &self,
        caller: &Caller,
        puzzle: &StoredPuzzle,
    ) -> Result<Option<PuzzleSolver>, Error> {
        let Some(player) = person(caller) else { return Ok(None) };
        let rating = self.rating(player, &puzzle.game).await?;
        Ok(Some(PuzzleSolver { rating, tried: self.first_try(player, &puzzle.id).await? }))
    }

    /// Judges a move. The first try of a person counts for the ratings of the person and of the puzzle.
    ///
    /// # Errors
    /// `no_such_puzzle`; `bad_move`, `illegal_move`; `unproven_move` if the puzzle does not value the move; as [`Self::daily`].
    pub async fn judge_try(
        &self,
        id: &PuzzleId,
        caller: &Caller,
        tried: MoveInput<'_>,
    ) -> Result<JudgedTry, Error> {
        let puzzle = self.get(id).await?;
        let tried = self.proven(&puzzle, tried)?;
        let Some(player) = person(caller) else { return Ok(JudgedTry { puzzle, tried, counted: None }) };
        let first = PuzzleTry {
            puzzle: id.clone(),
            player: player.id.clone(),
            solved: tried.right,
            at_ms: self.matches.now().ms(),
        };
        let counted = self.matches.store().change(StoreChange::TryPuzzle(first)).await;
        if counted.map_err(|e| refused_by_store(&e))? == 0 {
            return Ok(JudgedTry { puzzle, tried, counted: None });
        }
        Ok(JudgedTry { puzzle: self.get(id).await?, tried, counted: self.first_try(player, id).await? })
    }

    /// A move of the puzzle with its value.
    fn proven(&self, puzzle: &Puzzle, tried: MoveInput<'_>) -> Result<ProvenMove, Error> {
        let offer = self.games.find(&puzzle.stored.game)?;
        let notation = offer.game.read_move(tried)?.text.notation;
        let content = &puzzle.content;
        if let Some(found) = content.moves.iter().find(|one| one.mv.notation == notation) {
            return Ok(found.clone());
        }
        offer.game.position(&content.position)?.check(&notation)?;
        let detail = "the move is legal, but the puzzle does not value it: choose one of its `moves`";
        Err(Error::new(Code::UnprovenMove, detail))
    }

    async fn rating(&self, player: &PlayerRef, game: &str) -> Result<PuzzleRating, Error> {
        let rating = self.matches.store().puzzle_rating(player.id.clone(), game.to_owned()).await;
        rating.map_err(|e| refused_by_store(&e))
    }

    async fn first_try(
        &self,
        player: &PlayerRef,
        puzzle: &PuzzleId,
    ) -> Result<Option<StoredPuzzleTry>, Error> {
        let tried = self.matches.store().puzzle_try(player.id.clone(), puzzle.clone()).await;
        tried.map_err(|e| refused_by_store(&e))
    }
}
