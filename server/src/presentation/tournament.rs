//! A tournament as all callers see it. It contains the secret only when the tournament is over.

use engines::arena::stats::Estimate;
use engines::erased::AnyOptions;
use num::{BigInt, ToPrimitive};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::app::App;
use crate::domain::schema;
use crate::domain::schema::{AnyPlayerName, GameSlug, HEX};
use crate::domain::time::Millis;
use crate::domain::{PlayerKind, PlayerRef, TournamentId, TournamentStage};
use crate::error::Error;
use crate::matches::clock::ClockSpec;
use crate::matches::names::Names;
use crate::presentation::scores::{self, ExactShown, ScoresShown};
use crate::tournaments::event::{Contest, Dealing, Format};
use crate::tournaments::ledger::{GameState, Tournament, TournamentGame};
use crate::tournaments::service::LoadedTournament;
use crate::tournaments::{GamePoints, Standings, StandingsLine, rounded};

/// A tournament as anyone may see it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TournamentPage {
    /// The tournament.
    #[schemars(with = "schema::MatchId")]
    pub(crate) id: String,
    /// Its title; empty if it was removed.
    pub(crate) title: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    pub(crate) game: String,
    /// The options of every deal, by the game's schema; null: the usual ones.
    #[schemars(with = "Option<AnyOptions>")]
    options: Option<Value>,
    /// The name of the player who created it.
    #[schemars(with = "AnyPlayerName")]
    pub(crate) organizer: String,
    /// The stage of its life.
    pub(crate) stage: TournamentStage,
    /// The system that pairs opponents.
    pub(crate) format: Format,
    /// Seats of a table.
    pub(crate) seats: usize,
    /// The contest whose points a gauntlet counts; null in other formats.
    contest: Option<Contest>,
    /// How often the entrants of a pairing play from every seat.
    pub(crate) deals: u32,
    /// Which games have the same deal.
    pub(crate) dealing: Dealing,
    /// The time control of every game.
    pub(crate) clock: ClockSpec,
    /// Whether the games change the players' ratings.
    pub(crate) rated: bool,
    /// The most games that are played at the same time.
    max_running: usize,
    /// The most games that a person or bot plays at the same time.
    per_entrant: usize,
    /// How long a game waits for its players, in milliseconds.
    grace_ms: u64,
    /// How long after the start games wait for absent players, in milliseconds; null: not at all.
    pub(crate) window_ms: Option<u64>,
    /// The time until which games wait for absent players now, in milliseconds since 1970: the end of the window, or in a Swiss
    /// tournament that of this round's share; null: there is no window, or it has not begun.
    pub(crate) waits_until_ms: Option<Millis>,
    /// The time at which it starts by itself, in milliseconds since 1970; null: when its organizer starts it.
    pub(crate) starts_ms: Option<Millis>,
    /// The most entrants.
    max_entrants: usize,
    /// The time of its creation, in milliseconds since 1970.
    created_ms: Millis,
    /// The place of its last event.
    pub(crate) seq: u32,
    /// SHA-256 of the bytes of the salt followed by those of the secret, hexadecimal: published from the beginning.
    #[schemars(regex(pattern = HEX))]
    pub(crate) commitment: String,
    /// The secret, hexadecimal, when the tournament is over. The seed of deal N is HMAC-SHA256 of the text `deal N` with the
    /// secret's bytes as the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = HEX))]
    pub(crate) secret: Option<String>,
    /// The salt of the commitment, hexadecimal, when the tournament is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = HEX))]
    pub(crate) salt: Option<String>,
    /// The entrants. Other lists refer to them by their places in this one, from 0.
    pub(crate) entrants: Vec<EntrantShown>,
    /// The standings, the best first.
    pub(crate) standings: Vec<StandingShown>,
    /// For each two entrants who have played each other, in both directions: their games.
    pub(crate) crosstable: Vec<CrosstableCell>,
    /// Entrants without opponents in a round.
    byes: Vec<Bye>,
    /// The games of all rounds paired so far, in the order in which they are to be played.
    pub(crate) games: Vec<GameShown>,
}

/// A player who has entered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntrantShown {
    #[schemars(with = "AnyPlayerName")]
    pub(crate) name: String,
    /// Whether it is a person, a bot or a built-in engine.
    pub(crate) kind: PlayerKind,
    /// The rating at the time of entry, which orders entrants of equal points in a Swiss tournament.
    rating: i64,
    /// Whether the entrant still takes part.
    pub(crate) takes_part: bool,
    /// Whether it is a fixed opponent of a gauntlet, which has no place in the standings.
    pub(crate) opponent: bool,
}

/// An entrant's line of the standings.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StandingShown {
    /// The place, from 1. Entrants whom no tie-break separates share it.
    pub(crate) place: usize,
    pub(crate) entrant: usize,
    /// The sum of the points of all games, and a pairing's points for each bye.
    pub(crate) points: f64,
    /// Games with points.
    pub(crate) games: usize,
    /// Games won alone.
    pub(crate) won: usize,
    /// First tie-break, the direct encounter: the mean results against the entrants with the same points, added up; null if
    /// not all of them have met.
    pub(crate) direct: Option<f64>,
    /// Second tie-break where opponents differ: the points of all opponents, each game counted; null in a round robin.
    pub(crate) buchholz: Option<f64>,
    /// Next tie-break: the points of the opponents, each multiplied by the result against them; null in a gauntlet.
    pub(crate) sonneborn_berger: Option<f64>,
    /// Points and tie-breaks again, exact.
    pub(crate) exact: ExactShown,
    /// The mean of the points of a game with its 95% interval; null without a game.
    pub(crate) score: Option<Interval>,
    /// The likelihood that this entrant is stronger than the next one in the standings.
    pub(crate) superiority: Option<f64>,
    /// In a gauntlet: by how many points of a game this entrant is ahead of the next one, on the deals that both have played.
    pub(crate) ahead: Option<Interval>,
}

/// A mean with its 95% interval.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct Interval {
    pub(crate) mean: f64,
    /// The lower end; null: unknown.
    pub(crate) low: Option<f64>,
    /// The upper end; null: unknown.
    pub(crate) high: Option<f64>,
}

/// The games of one entrant against another.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CrosstableCell {
    pub(crate) entrant: usize,
    /// The other one.
    pub(crate) opponent: usize,
    /// Games in which both took part.
    pub(crate) games: u32,
    /// 1 for each game in which the entrant finished before the other, and 1/2 where they shared a place.
    pub(crate) points: f64,
}

/// An entrant without opponents in a round.
#[derive(Debug, Serialize, JsonSchema)]
struct Bye {
    round: u32,
    entrant: usize,
}

/// A game of a pairing: its seats, its match, its result.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GameShown {
    /// The round, from 1.
    pub(crate) round: u32,
    /// The number of the deal: games with the same number have the same seed.
    pub(crate) deal: u64,
    /// The entrants by seat.
    pub(crate) seats: Vec<usize>,
    pub(crate) stage: GameStage,
    /// Its match, if one was created and counts.
    #[serde(rename = "match")]
    #[schemars(with = "Option<schema::MatchId>")]
    pub(crate) match_id: Option<String>,
    /// Whether it is sealed: its match and result are for its players alone until all games of its deal are finished.
    pub(crate) sealed: bool,
    #[serde(flatten)]
    pub(crate) scores: ScoresShown,
    /// The seats that forfeited it; then it was not played.
    forfeited: Vec<usize>,
    /// The points of each seat: its score, with `duplicate` deals compared with the other scores of the same deal from the
    /// same seat.
    pub(crate) points: Option<Vec<f64>>,
}

/// How far a game has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GameStage {
    /// It has not begun.
    Waiting,
    /// Its match is open or running.
    Running,
    /// It counts.
    Finished,
    /// It has no result and counts for no entrant.
    Void,
}

/// The page of a tournament.
///
/// # Errors
/// `no_such_tournament`, `store_unavailable`.
pub(crate) async fn read(app: &App, id: &TournamentId) -> Result<TournamentPage, Error> {
    let loaded = app.tournaments.look(app.matches, id).await?;
    Ok(TournamentPage::of(&loaded, app.matches.names()))
}

/// The current name of a player of a tournament.
pub(crate) fn name_of(names: &Names, id: &TournamentId, player: &PlayerRef) -> String {
    names.within(id.as_str(), &player.id).unwrap_or_else(|| player.name.clone())
}

impl TournamentPage {
    /// The page of a tournament. `names`: the current names of players.
    pub(crate) fn of(loaded: &LoadedTournament, names: &Names) -> Self {
        let LoadedTournament { id, state, events, created_ms, .. } = loaded;
        let setup = &state.setup;
        let (is_over, standings) = (state.stage.is_over(), state.standings());
        Self {
            id: id.to_string(),
            title: setup.title.clone(),
            game: setup.game.clone(),
            options: setup.options.clone(),
            organizer: name_of(names, id, &setup.organizer),
            stage: state.stage,
            format: setup.format,
            seats: setup.seats,
            contest: setup.contest.clone(),
            deals: setup.deals,
            dealing: setup.dealing(),
            clock: setup.clock,
            rated: setup.rated,
            max_running: setup.max_running,
            per_entrant: setup.per_entrant,
            grace_ms: setup.grace_ms,
            window_ms: setup.window_ms,
            waits_until_ms: loaded.waits_until_ms(),
            starts_ms: setup.starts_ms,
            max_entrants: setup.max_entrants,
            created_ms: *created_ms,
            seq: events.saturating_sub(1),
            commitment: setup.commitment.clone(),
            secret: is_over.then(|| setup.secret.clone()),
            salt: is_over.then(|| setup.salt.clone()),
            entrants: entrants(id, state, names),
            crosstable: crosstable(&standings),
            standings: standing_lines(&standings),
            byes: state
                .byes
                .iter()
                .map(|(round, entrant)| Bye { round: *round, entrant: *entrant })
                .collect(),
            games: games(state),
        }
    }
}

fn entrants(id: &TournamentId, state: &Tournament, names: &Names) -> Vec<EntrantShown> {
    let shown = |entrant: &crate::tournaments::ledger::EntrantState| EntrantShown {
        name: name_of(names, id, &entrant.player),
        kind: match &entrant.player {
            player if player.is_engine() => PlayerKind::Engine,
            player if player.owner.is_some() => PlayerKind::Bot,
            _ => PlayerKind::Person,
        },
        // Ratings are far from the bounds of i64.
        rating: entrant.strength.round() as i64,
        takes_part: entrant.takes_part,
        opponent: entrant.opponent,
    };
    state.entrants.iter().map(shown).collect()
}

fn crosstable(standings: &Standings) -> Vec<CrosstableCell> {
    let cell = |((entrant, opponent), direct): (&(usize, usize), &crate::tournaments::Direct)| {
        let points = f64::from(direct.half_points) / 2.0;
        CrosstableCell { entrant: *entrant, opponent: *opponent, games: direct.games, points }
    };
    standings.crosstable.iter().map(cell).collect()
}

fn games(state: &Tournament) -> Vec<GameShown> {
    let mut points = state.points();
    let shown = |(number, game)| game_shown(state, number, game, points.remove(&number));
    state.games.iter().enumerate().map(shown).collect()
}

fn game_shown(
    state: &Tournament,
    number: usize,
    game: &TournamentGame,
    points: Option<Vec<GamePoints>>,
) -> GameShown {
    let sealed = state.is_sealed(number);
    let (stage, match_id, result) = match &game.state {
        GameState::Waiting => (GameStage::Waiting, None, None),
        GameState::Running(id) => (GameStage::Running, Some(id), None),
        GameState::Done { scores, forfeited, match_id } => {
            (GameStage::Finished, match_id.as_ref(), Some((scores, forfeited)).filter(|_| !sealed))
        }
        GameState::Void => (GameStage::Void, None, None),
    };
    // A game that had not finished when the tournament was aborted does not count.
    let ended_early = state.stage.is_over() && matches!(stage, GameStage::Waiting | GameStage::Running);
    GameShown {
        round: state.pairings[game.pairing].round,
        deal: game.deal,
        seats: game.seats.clone(),
        stage: if ended_early { GameStage::Void } else { stage },
        match_id: match_id.map(ToString::to_string),
        sealed,
        scores: ScoresShown::of(result.map(|(scores, _)| scores)),
        forfeited: result.map_or_else(Vec::new, |(_, forfeited)| forfeited.clone()),
        points: points.map(|points| points.iter().filter_map(GamePoints::to_f64).collect()),
    }
}

fn standing_lines(standings: &Standings) -> Vec<StandingShown> {
    let denominator = scores::denominator(standings);
    standings.lines.iter().map(|line| StandingShown::of(line, &denominator)).collect()
}

impl StandingShown {
    fn of(line: &StandingsLine, denominator: &BigInt) -> Self {
        Self {
            place: line.place,
            entrant: line.entrant,
            points: rounded(&line.points),
            games: line.games,
            won: line.won,
            direct: line.direct.as_ref().map(rounded),
            buchholz: line.buchholz.as_ref().map(rounded),
            sonneborn_berger: line.sonneborn.as_ref().map(rounded),
            exact: ExactShown::of(line, denominator),
            score: line.score.map(Interval::from),
            ahead: line.ahead.map(Interval::from),
            superiority: line.superiority.filter(|likelihood| likelihood.is_finite()),
        }
    }
}

impl From<Estimate> for Interval {
    fn from(Estimate { mean, low, high }: Estimate) -> Self {
        let known = |end: f64| end.is_finite().then_some(end);
        Self { mean, low: known(low), high: known(high) }
    }
}
