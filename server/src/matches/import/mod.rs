//! Takes matches and ratings of another server into a database. Each record is checked by the rules, and its match is written
//! whole or not at all. What is there already stays as it is.

mod players;
mod ratings;

use std::collections::HashMap;
use std::sync::Arc;

use engines::erased::AnyGame;
use engines::games;
use futures_util::future::join_all;

use crate::domain::names::is_of_deleted;
use crate::domain::time::Millis;
use crate::domain::{MatchId, PlayerRef};
use crate::matches::bots::bot_output;
use crate::matches::event::{LoggedEvent, SeatSetup};
use crate::matches::import::players::{ImportedPlayers, deleted};
use crate::matches::ledger::Ledger;
use crate::matches::listing;
use crate::matches::record::{Record, check, plain};
use crate::matches::registry::{LogError, parse, to_store};
use crate::store::{Append, KeptTurn, RatedResult, Store, StoreChange, StoreError};

pub use ratings::RatingLine;

/// How many results are counted at a time.
const RESULTS: usize = 100;

/// A line of a file of records.
#[derive(Clone, Debug)]
pub struct RecordLine {
    /// Its number, from 1.
    pub number: u64,
    /// The record.
    pub text: Vec<u8>,
}

/// Why something was not taken.
#[derive(Debug)]
pub enum ImportError {
    /// It is wrong, or contradicts the database; one sentence.
    Refused(String),
    /// The import cannot go on; one sentence.
    Failed(String),
}

impl From<StoreError> for ImportError {
    fn from(e: StoreError) -> Self {
        Self::Failed(format!("the database cannot be used: {e}"))
    }
}

/// What an import has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchImportSummary {
    /// Matches that were added.
    pub added: u64,
    /// Matches that were there already.
    pub present: u64,
    /// Players who got an account.
    pub players: u64,
    /// Results that now count for ratings.
    pub results: u64,
    /// Ratings that are not what the results of the files make of them, and were taken as they are.
    pub ratings: u64,
}

/// An import under way.
pub struct MatchImport {
    store: Arc<dyn Store>,
    players: ImportedPlayers,
    /// The results of all rated matches that were read.
    results: Vec<EndedResult>,
    summary: MatchImportSummary,
}

/// The result of a rated match.
#[derive(Clone, Debug)]
struct EndedResult {
    /// When the match ended.
    at_ms: Millis,
    id: MatchId,
    result: RatedResult,
}

struct CheckedMatch {
    id: MatchId,
    /// What to write; `None`: it is in the database.
    append: Option<Append>,
    /// What its bots wrote for the public, unless that is in the database.
    lines: Vec<KeptTurn>,
    rated: Option<EndedResult>,
}

impl MatchImport {
    /// Begins. `owners`: by the name of each bot, its owner's. `same_players`: whether a name means the player who has it in the
    /// database; otherwise that is so only for players whom an import has added.
    pub fn new(store: Arc<dyn Store>, owners: HashMap<String, String>, same_players: bool) -> Self {
        let players = ImportedPlayers::new(Arc::clone(&store), owners, same_players);
        Self { store, players, results: Vec::new(), summary: MatchImportSummary::default() }
    }

    /// Adds the matches of these records of a game. Returns the lines that were refused, each with the reason.
    ///
    /// # Errors
    /// One sentence; then some of the matches may have been added.
    pub async fn add(&mut self, game: &str, lines: &[RecordLine]) -> Result<Vec<(u64, String)>, String> {
        let (mut refused, mut checked) = (Vec::new(), Vec::new());
        for line in lines {
            match self.check(game, &line.text).await {
                Ok(found) => checked.push((line, found)),
                Err(ImportError::Refused(why)) => refused.push((line.number, plain(&why))),
                Err(ImportError::Failed(why)) => return Err(why),
            }
        }
        let appends = checked.iter().map(|(_, found)| async {
            match &found.append {
                Some(append) => self.store.append(append.clone()).await.map(|_| true),
                None => Ok(false),
            }
        });
        let appended = join_all(appends).await;
        for ((line, found), done) in checked.into_iter().zip(appended) {
            let done = match done {
                Ok(is_new) => self.finish(found, is_new).await,
                // Another line of these has the same match, or a match here is the rematch already.
                Err(StoreError::Conflict) => self.check_again(game, &line.text).await,
                Err(failed) => Err(failed.into()),
            };
            match done {
                Ok(()) => {}
                Err(ImportError::Refused(why)) => refused.push((line.number, plain(&why))),
                Err(ImportError::Failed(why)) => return Err(why),
            }
        }
        refused.sort_unstable();
        Ok(refused)
    }

    async fn check_again(&mut self, game: &str, text: &[u8]) -> Result<(), ImportError> {
        let found = self.check(game, text).await?;
        if found.append.is_some() {
            let why = format!("match {}: the database has another rematch of the same match", found.id);
            return Err(ImportError::Refused(why));
        }
        self.finish(found, false).await
    }

    /// Notes a match that is in the database now.
    async fn finish(&mut self, found: CheckedMatch, is_new: bool) -> Result<(), ImportError> {
        if !found.lines.is_empty() {
            self.store.change(StoreChange::KeepBotOutput { id: found.id, turns: found.lines }).await?;
        }
        self.results.extend(found.rated);
        self.summary.added += u64::from(is_new);
        self.summary.present += u64::from(!is_new);
        Ok(())
    }

    /// Checks a record, and what the database has of its match.
    async fn check(&mut self, game: &str, text: &[u8]) -> Result<CheckedMatch, ImportError> {
        let record = read(game, text).map_err(ImportError::Refused)?;
        let named = |what: &str| ImportError::Refused(format!("match {}: {what}", record.id));
        let id = MatchId::parse(&record.id).ok_or_else(|| named("this is not the id of a match"))?;
        let stored = self.stored(&id).await?;
        let log = match &stored {
            Some(log) => {
                let here = Record::of(id.as_str(), log, Vec::new());
                if !here.is_some_and(|here| here.is_same_match(&record)) {
                    return Err(named("the database has another match with this id"));
                }
                log.clone()
            }
            None => self.log(&id, &record).await?,
        };
        let engines = find_game(&record.game).map_err(|why| named(&why))?;
        let ledger = Ledger::load(engines, &log).map_err(|e| named(&e.what))?;
        let Some((mut row, rated)) = listing::opened(&ledger) else { return Err(named("it is not over")) };
        let is_gone = |who: &PlayerRef| is_of_deleted(&who.name);
        let has_gone = row.players.iter().any(|(who, _)| is_gone(who));
        row.players.retain(|(who, _)| !is_gone(who));
        // Without a row for each player a result cannot count.
        let rated = rated.filter(|_| !has_gone).map(|result| EndedResult {
            at_ms: ledger.last_ms(),
            id: id.clone(),
            // The programs are not in the export.
            result: RatedResult { programs: Vec::new(), ..result },
        });
        let append = match stored {
            Some(_) => None,
            None => {
                self.add_engines(&ledger).await?;
                let events = to_store(&log);
                Some(Append {
                    id: id.clone(),
                    seq: 0,
                    events,
                    row: Some(row),
                    request: None,
                    rated: None,
                    begins: None,
                    faults: Vec::new(),
                    program_results: Vec::new(),
                })
            }
        };
        let mut lines = bot_output::of_record(&record.unverified.bot_lines);
        if append.is_none() && !lines.is_empty() && !self.store.bot_output(id.clone(), None).await?.is_empty()
        {
            lines.clear();
        }
        Ok(CheckedMatch { id, append, lines, rated })
    }

    /// The log of a match in the database.
    async fn stored(&self, id: &MatchId) -> Result<Option<Vec<LoggedEvent>>, ImportError> {
        let stored = self.store.log(id.clone(), 0).await?;
        let log = (0..).zip(&stored).map(|(seq, event)| parse(seq, event)).collect::<Result<Vec<_>, _>>();
        let broken = |(LogError::Unavailable(why) | LogError::Broken(why))| {
            ImportError::Failed(format!("match {id} in the database: {why}"))
        };
        log.map(|log| (!log.is_empty()).then_some(log)).map_err(broken)
    }

    /// The log that a record tells, with the players of this database.
    async fn log(&mut self, id: &MatchId, record: &Record) -> Result<Vec<LoggedEvent>, ImportError> {
        let created_ms = record.events.first().map_or(0, |entry| entry.at_ms);
        let mut players = HashMap::new();
        for name in record.players() {
            let who = match deleted(id, name) {
                Some(gone) => gone,
                None => self.players.find(name, created_ms).await?,
            };
            players.insert(name, who);
        }
        // Each name that the log has is a name that the record has.
        Ok(record.log(|name| players.get(name).cloned().unwrap_or_else(|| PlayerRef::new("", name))))
    }

    /// Adds the engines of a rated match as players.
    async fn add_engines(&self, ledger: &Ledger) -> Result<(), ImportError> {
        let created = ledger.created();
        let of_seat = |seat: &SeatSetup| match seat {
            SeatSetup::Engine(engine) if created.rated => {
                Some(listing::engine_player(created, engine).player())
            }
            _ => None,
        };
        let engines: Vec<_> = created.seats.iter().filter_map(of_seat).collect();
        if !engines.is_empty() {
            let at_ms = ledger.created_ms();
            self.store.change(StoreChange::AddEngines { engines, at_ms }).await?;
        }
        Ok(())
    }

    /// Counts the results of all rated matches that were read, in the order in which these ended. Call it after all matches were
    /// added.
    ///
    /// # Errors
    /// One sentence; a later import counts the rest.
    pub async fn count_results(&mut self) -> Result<(), String> {
        self.results.sort_by(|a, b| (a.at_ms, &a.id).cmp(&(b.at_ms, &b.id)));
        for results in self.results.chunks(RESULTS) {
            let change = |EndedResult { at_ms, id, result }: &EndedResult| {
                let (at_ms, id, result) = (*at_ms, id.clone(), result.clone());
                self.store.change(StoreChange::CountResult { id, at_ms, result })
            };
            // Requests reach the writer in the order in which they are made.
            for counted in join_all(results.iter().map(change)).await {
                self.summary.results += counted.map_err(|e| format!("the database cannot be used: {e}"))?;
            }
        }
        Ok(())
    }

    /// What was done so far.
    pub fn summary(&self) -> MatchImportSummary {
        MatchImportSummary { players: self.players.added, ..self.summary }
    }
}

fn find_game(slug: &str) -> Result<&'static dyn AnyGame, String> {
    games::find(slug).ok_or_else(|| format!("there is no game {slug:?} here"))
}

/// Reads a record of a public match of this game, and checks all of it.
fn read(game: &str, text: &[u8]) -> Result<Record, String> {
    let record = Record::read(text).map_err(|e| match e.event {
        Some(event) => format!("event {event}: {}", e.what),
        None => e.what,
    })?;
    let named = |what: String| format!("match {}: {what}", record.id);
    if record.game != game {
        return Err(named(format!("it is a match of {:?}, not of {game:?}", record.game)));
    }
    check(&record).map_err(|wrong| named(wrong.to_string()))?;
    match record.creation().is_some_and(|creation| creation.private) {
        true => Err(named("it is private".to_owned())),
        false => Ok(record),
    }
}
