//! The summary of a run's records. Only counts; `table` makes the text.

use std::collections::BTreeMap;

use serde::Serialize;

use super::calibration::Calibration;
use super::copies::{different_matches, different_starts};
use super::score::{by_deal, independent, pairs, score_of, wins_and_draws};
use super::stats::{Estimate, clustered, elo, estimate, percentile};
use super::trial::Trial;
use super::versus::Versus;
use crate::arena::plan::RunPlan;
use crate::arena::record::{ArenaRecord, FaultKind};
use crate::arena::sprt::Standing;

/// Total thinking time, in microseconds, below which no speed is given: times are whole microseconds.
const MEASURABLE_US: u64 = 5_000;

/// A run, counted.
#[derive(Clone, Debug, Serialize)]
pub struct RunSummary {
    /// Matches that count.
    pub games: usize,
    /// Deals they were played on.
    pub deals: usize,
    /// Deals with different starts.
    pub starts: usize,
    /// Matches of which none repeats another of the same line-up move for move.
    pub different_games: usize,
    /// The number of matches that do not count, by reason.
    pub voided: BTreeMap<String, usize>,
    /// Matches of the plan that were not played.
    pub not_played: usize,
    /// The players, in the order they were named.
    pub players: Vec<PlayerSummary>,
    /// For two players at two seats: complete deals by the score of the first player, 0, 1/2, 1, 3/2, 2 of 2.
    pub pairs: Option<[usize; 5]>,
    /// For more than two players at two seats: each against each.
    pub versus: Vec<Versus>,
    /// The state of the test, if there is one.
    pub sprt: Option<Standing>,
}

/// A player, counted. A player that holds several seats of a match is counted once for each.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerSummary {
    /// The name before the `=` on the command line.
    pub name: String,
    /// The text that describes it.
    pub spec: String,
    /// Name and version of the engine, if the player is one of ours.
    pub engine: Option<String>,
    /// Seats held in matches that count.
    pub played: usize,
    /// Won alone.
    pub wins: usize,
    /// Shared with others, or without a winner.
    pub draws: usize,
    /// The others.
    pub losses: usize,
    /// Share of the wins of the matches it played in, with the 95% interval over deals.
    pub score: Option<Estimate>,
    /// The share that its seats alone would give it.
    pub fair: f64,
    /// At two seats: the Elo difference to the other player, or to the field of the others, with its interval;
    /// infinite ends are `null`.
    pub elo: Option<Estimate>,
    /// Mean of the game's own points, with the 95% interval over deals.
    pub points: Option<Estimate>,
    /// The same by seat.
    pub seats: Vec<SeatSummary>,
    /// Number of decisions.
    pub decisions: usize,
    /// Time of a decision in milliseconds: half of them took at most this.
    pub p50_ms: f64,
    /// 99 of 100 took at most this.
    pub p99_ms: f64,
    /// The longest.
    pub max_ms: f64,
    /// Nodes of all decisions, if they are counted.
    pub nodes: Option<u64>,
    /// Nodes a second of thinking; `None` if all of it was too short to measure.
    pub nodes_per_s: Option<f64>,
    /// Mean processor time of a decision in milliseconds, of a program.
    pub cpu_ms: Option<f64>,
    /// The most memory that one of its processes had resident, in KiB, if it is a program and the system says it.
    pub peak_kib: Option<u64>,
    /// How well its values match the results, if it gave any.
    pub calibration: Option<Calibration>,
    /// Mistakes by kind.
    pub faults: FaultCount,
    /// Actions that a mistake voided while the match went on.
    pub voided_actions: usize,
    /// Mistakes that ended the match: the others won it without playing on.
    pub forfeits: usize,
}

/// Mistakes by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FaultCount {
    /// Moves the rules forbid.
    pub illegal_move: usize,
    /// Lines the dialogue does not allow.
    pub bad_line: usize,
    /// Too late.
    pub time: usize,
    /// Ended.
    pub crash: usize,
}

impl FaultCount {
    fn add(&mut self, kind: FaultKind) {
        *match kind {
            FaultKind::IllegalMove => &mut self.illegal_move,
            FaultKind::BadLine => &mut self.bad_line,
            FaultKind::Time => &mut self.time,
            FaultKind::Crash => &mut self.crash,
        } += 1;
    }

    /// How many of this kind.
    pub fn of(&self, kind: FaultKind) -> usize {
        match kind {
            FaultKind::IllegalMove => self.illegal_move,
            FaultKind::BadLine => self.bad_line,
            FaultKind::Time => self.time,
            FaultKind::Crash => self.crash,
        }
    }

    /// All of them.
    pub fn total(&self) -> usize {
        FaultKind::ALL.iter().map(|k| self.of(*k)).sum()
    }
}

/// A player in one seat.
#[derive(Clone, Debug, Serialize)]
pub struct SeatSummary {
    /// The seat, counted from 0.
    pub seat: usize,
    /// Matches in it.
    pub games: usize,
    /// Mean share of the win.
    pub score: f64,
    /// Mean of the game's own points.
    pub points: f64,
}

impl RunSummary {
    /// Counts the records.
    pub fn of(plan: &RunPlan, records: &[ArenaRecord]) -> Self {
        let counted: Vec<&ArenaRecord> = records.iter().filter(|r| r.outcome.is_some()).collect();
        let mut voided = BTreeMap::new();
        for why in records.iter().filter_map(|r| r.void.clone()) {
            *voided.entry(why).or_insert(0) += 1;
        }
        let compared = plan.players().len() >= 2 && plan.seats() == 2;
        let two = compared && plan.players().len() == 2;
        let sprt = Trial::of(plan).map(|mut trial| {
            // A test counts the matches up to the first missing one.
            let in_order = records.iter().zip(0..).take_while(|(r, game)| r.game == *game);
            in_order.for_each(|(r, _)| trial.add(r));
            trial.standing()
        });
        let decided = sprt.is_some_and(|s| s.accepted.is_some());
        let players = plan.players().iter().map(|p| {
            let mut player = count(&p.name, plan.seats(), records);
            player.spec = p.text.clone();
            player.engine = plan.engine_of(p);
            player.elo = player.score.filter(|_| compared).map(|s| Estimate {
                mean: elo(s.mean),
                low: elo(s.low),
                high: elo(s.high),
            });
            player
        });
        Self {
            games: counted.len(),
            deals: by_deal(&counted, |_| Some(0.0)).len(),
            starts: different_starts(&counted),
            different_games: different_matches(&counted),
            voided,
            not_played: if decided { 0 } else { (plan.games() as usize).saturating_sub(records.len()) },
            players: players.collect(),
            pairs: (two && plan.games_per_deal() == 2).then(|| pairs(&plan.players()[0].name, &counted)),
            versus: if compared && !two { Versus::all(plan, &counted) } else { Vec::new() },
            sprt,
        }
    }
}

fn count(name: &str, seats: usize, records: &[ArenaRecord]) -> PlayerSummary {
    let own: Vec<&ArenaRecord> =
        records.iter().filter(|r| r.outcome.is_some() && r.seats_of(name).next().is_some()).collect();
    let held: Vec<(&ArenaRecord, usize)> =
        own.iter().flat_map(|r| r.seats_of(name).map(move |s| (*r, s))).collect();
    let points = |r: &ArenaRecord, s: usize| r.outcome.as_ref().map_or(0.0, |o| f64::from(o.points[s]));
    let by_seat = (0..seats).filter_map(|seat| {
        let here: Vec<_> = held.iter().filter(|(_, s)| *s == seat).collect();
        let mean = |f: &dyn Fn(&ArenaRecord, usize) -> f64| {
            here.iter().map(|(r, s)| f(r, *s)).sum::<f64>() / here.len() as f64
        };
        (!here.is_empty()).then(|| SeatSummary {
            seat,
            games: here.len(),
            score: mean(&score_of),
            points: mean(&points),
        })
    });
    let share = |r: &ArenaRecord| Some(r.seats_of(name).map(|s| score_of(r, s)).sum());
    let mean_points = |r: &ArenaRecord| {
        let all: Vec<f64> = r.seats_of(name).map(|s| points(r, s)).collect();
        Some(all.iter().sum::<f64>() / all.len() as f64)
    };
    let (wins, draws) = wins_and_draws(held.iter().copied());
    let mut times: Vec<u64> = held.iter().flat_map(|(r, s)| r.seats[*s].times_us.iter().copied()).collect();
    let mut ms = |p: f64| percentile(&mut times, p).unwrap_or(0) as f64 / 1e3;
    let (p50_ms, p99_ms, max_ms) = (ms(0.5), ms(0.99), ms(1.0));
    let thought_us: u64 = times.iter().sum();
    let nodes =
        held.iter().filter_map(|(r, s)| r.seats[*s].nodes).fold(None, |n, m| Some(n.unwrap_or(0) + m));
    let mistakes = Mistakes::of(name, records);
    PlayerSummary {
        name: name.to_owned(),
        spec: String::new(),
        engine: None,
        played: held.len(),
        wins,
        draws,
        losses: held.len() - wins - draws,
        score: clustered(&independent(&own, share)),
        fair: if own.is_empty() { 0.0 } else { held.len() as f64 / (seats * own.len()) as f64 },
        elo: None,
        points: estimate(&independent(&own, mean_points)),
        seats: by_seat.collect(),
        decisions: times.len(),
        p50_ms,
        p99_ms,
        max_ms,
        nodes,
        nodes_per_s: nodes
            .filter(|_| thought_us >= MEASURABLE_US)
            .map(|n| n as f64 / (thought_us as f64 / 1e6)),
        cpu_ms: cpu_ms(&held),
        peak_kib: held.iter().filter_map(|(r, s)| r.seats[*s].peak_kib).max(),
        calibration: Calibration::of(name, records),
        faults: mistakes.by_kind,
        voided_actions: mistakes.voided_actions,
        forfeits: mistakes.forfeits,
    }
}

/// Mean processor time of a decision in the seats for which it is known, in milliseconds.
fn cpu_ms(held: &[(&ArenaRecord, usize)]) -> Option<f64> {
    let known = held.iter().map(|(r, s)| &r.seats[*s]);
    let known: Vec<_> = known.filter_map(|seat| Some((seat.cpu_us?, seat.times_us.len()))).collect();
    let decisions: usize = known.iter().map(|(_, decisions)| decisions).sum();
    let us: u64 = known.iter().map(|(us, _)| us).sum();
    (decisions > 0).then(|| us as f64 / 1e3 / decisions as f64)
}

/// A player's mistakes in all matches, voided ones too.
#[derive(Default)]
struct Mistakes {
    by_kind: FaultCount,
    /// Mistakes that only cost the action.
    voided_actions: usize,
    /// Mistakes that ended the match.
    forfeits: usize,
}

impl Mistakes {
    fn of(name: &str, records: &[ArenaRecord]) -> Self {
        let faults = records.iter().flat_map(|r| r.faults.iter().map(move |f| (r, f)));
        let mut mistakes = Self::default();
        for (_, fault) in faults.filter(|(r, f)| r.seats[usize::from(f.seat)].player == name) {
            mistakes.by_kind.add(fault.kind);
            match fault.instead {
                Some(_) => mistakes.voided_actions += 1,
                None => mistakes.forfeits += 1,
            }
        }
        mistakes
    }
}
