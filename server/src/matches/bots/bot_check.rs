//! What a check match says of its bot, in plain words for its author. Knows no game by name.

use engines::game::Seat;

use crate::domain::MatchId;
use crate::error::Error;
use crate::matches::event::{Event, FoulKind, Fouled, LoggedEvent, Moved, SeatSetup};
use crate::matches::service::Matches;
use crate::store::refused_by_store;

/// The most mistakes that are shown in full. The third one contains the hint at a wrong setting, if there is one.
const SHOWN: usize = 3;

/// The most moves before a mistake that are shown.
const MOVES_SHOWN: usize = 12;

/// A check match, as far as its bot goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// The seat of the bot.
    pub seat: Seat,
    /// The number of its legal moves.
    pub legal: usize,
    /// Its mistakes, in order.
    mistakes: Vec<Mistake>,
    /// The times of its decisions in microseconds, in ascending order.
    times_us: Vec<u64>,
    /// The processor time of its processes in milliseconds, and the most memory that they had in KiB, where its side told.
    cpu_ms: Option<u64>,
    memory_kib: Option<u64>,
}

/// A decision that did not count.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mistake {
    kind: FoulKind,
    /// What was wrong, with the line that the bot wrote.
    detail: String,
    instead: Option<String>,
    /// The number of moves made before it.
    ply: u32,
    /// The last of them.
    before: Vec<String>,
}

impl CheckReport {
    /// Reads the log; `None`: it is not the log of a check match.
    pub fn of(log: &[LoggedEvent]) -> Option<Self> {
        let (first, rest) = log.split_first()?;
        let Event::Created(created) = &first.event else { return None };
        let is_bot = |setup: &SeatSetup| setup.holder().is_some();
        let seat = created.seats.iter().position(is_bot).filter(|_| created.is_check())?;
        let seat = Seat(u8::try_from(seat).ok()?);
        let mut checked = Self {
            seat,
            legal: 0,
            mistakes: Vec::new(),
            times_us: Vec::new(),
            cpu_ms: None,
            memory_kib: None,
        };
        let mut moves: Vec<String> = Vec::new();
        for stamped in rest {
            match &stamped.event {
                Event::Moved(Moved { seat: by, notation, times, .. }) => {
                    if *by == seat {
                        checked.legal += 1;
                        checked.times_us.push(times.think_us);
                    }
                    moves.push(notation.clone());
                }
                Event::Fouled(fouled) => {
                    if fouled.seat == seat && fouled.kind != FoulKind::Out {
                        checked.add_mistake(fouled, &moves);
                    }
                    moves.extend(fouled.instead.clone());
                }
                _ => {}
            }
        }
        checked.times_us.sort_unstable();
        Some(checked)
    }

    /// The same report with what the bot's processes have used, as its side told it.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn with_usage(self, matches: &Matches, id: &MatchId) -> Result<Self, Error> {
        let turns = matches.store().bot_output(id.clone(), Some(self.seat.0)).await;
        let turns = turns.map_err(|e| refused_by_store(&e))?;
        let cpu_ms = turns.iter().filter_map(|turn| turn.cpu_ms).reduce(u64::saturating_add);
        let memory_kib = turns.iter().filter_map(|turn| turn.memory_kib).max();
        Ok(Self { cpu_ms, memory_kib, ..self })
    }

    fn add_mistake(&mut self, fouled: &Fouled, moves: &[String]) {
        self.times_us.push(fouled.times.think_us);
        self.mistakes.push(Mistake {
            kind: fouled.kind,
            detail: fouled.detail.clone(),
            instead: fouled.instead.clone(),
            ply: fouled.ply,
            before: moves[moves.len().saturating_sub(MOVES_SHOWN)..].to_vec(),
        });
    }

    /// The report, line by line.
    pub fn report(&self) -> Vec<String> {
        let decisions = self.legal + self.mistakes.len();
        let mut lines = vec![match self.mistakes.len() {
            0 => format!("seat {}: {decisions} moves, all legal", self.seat),
            void => format!("seat {}: {void} of {decisions} moves were void", self.seat),
        }];
        if let (Some(longest), Some(median)) =
            (self.times_us.last(), self.times_us.get(self.times_us.len() / 2))
        {
            let (median, longest) = (median / 1000, longest / 1000);
            lines.push(format!("a move took {median} ms (median), {longest} ms at most"));
        }
        if let Some(ms) = self.cpu_ms {
            lines.push(format!("processor time of all moves: {ms} ms"));
        }
        if let Some(kib) = self.memory_kib {
            lines.push(format!("memory: {} MiB at most", kib.div_ceil(1024)));
        }
        for kind in [FoulKind::IllegalMove, FoulKind::BadLine, FoulKind::Time, FoulKind::Crash] {
            match self.mistakes.iter().filter(|mistake| mistake.kind == kind).count() {
                0 => {}
                count => lines.push(format!("{}: {count}", of_kind(kind))),
            }
        }
        lines.extend(self.mistakes.iter().take(SHOWN).map(Mistake::text));
        lines
    }
}

fn of_kind(kind: FoulKind) -> &'static str {
    match kind {
        FoulKind::IllegalMove => "illegal moves",
        FoulKind::BadLine => "lines that the dialogue does not allow",
        FoulKind::Time => "moves that came too late, or not at all",
        FoulKind::Crash => "crashes",
        FoulKind::Out => "turns after it had dropped out",
    }
}

impl Mistake {
    fn text(&self) -> String {
        let Self { detail, instead, ply, before, .. } = self;
        let mut text = format!("after {ply} moves: {detail}");
        if let Some(instead) = instead {
            text += &format!("; played instead: {instead}");
        }
        if !before.is_empty() {
            text += &format!("; the last moves before it: {}", before.join(", "));
        }
        text
    }
}
