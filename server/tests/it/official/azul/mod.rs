//! Azul's runner: two processes, one line a turn, one clock for all turns of a bot.

mod board;
#[cfg(test)]
mod tests;

use super::process::{BotChild, Goodbye, Split, Stderr};
use super::{Mistake, RefereeFaultKind, Report, SeatBot, SplitMix, integer};
pub(crate) use board::{COLOURS, Move, RefereeTable, Tiles};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The score of a seat that commits a fault.
pub(crate) const PENALTY: i32 = -50;

/// One match; the first seat begins.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub seats: [SeatBot; 2],
    pub seed: u64,
    /// For all turns of one bot together, from its start on.
    pub clock: Duration,
}

/// The content that a bot has asked to read each turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Update,
    State,
    Both,
}

#[derive(Clone, Debug)]
enum Update {
    Restock([Tiles; 5]),
    Move(Move),
}

struct Runner {
    process: BotChild,
    wish: Wish,
    left: Duration,
    /// The moves since its last turn.
    news: Vec<Update>,
}

impl Match {
    pub(crate) fn new(seats: [SeatBot; 2], seed: u64) -> Match {
        Match { seats, seed, clock: Duration::from_secs(30) }
    }

    pub(crate) fn play(&self) -> Report {
        let mut report = Report::new(2);
        let mut runners = [None, None];
        let mut fault = None;
        for (seat, who) in self.seats.iter().enumerate() {
            if let SeatBot::Child(bot) = who {
                match BotChild::start(bot, Split::Lines, Stderr::Metered) {
                    Ok(process) => {
                        runners[seat] =
                            Some(Runner { process, wish: Wish::State, left: self.clock, news: Vec::new() });
                    }
                    Err(mistake) => fault = fault.or(Some((seat, mistake))),
                }
            }
        }
        let mut rng = SplitMix::new(self.seed);
        let mut table = RefereeTable::new(&mut rng);
        if fault.is_none() {
            fault = self.rounds(&mut table, &mut runners, &mut rng, &mut report).err();
        }
        report.points = table.boards.iter().map(|board| board.score).collect();
        match fault {
            Some((seat, mistake)) => {
                report.ended = "a fault".to_owned();
                report.points[seat] = PENALTY;
                report.lose(seat);
                report.fault(seat, mistake);
            }
            None => {
                report.ended = "a complete row".to_owned();
                let keys = [0, 1].map(|seat| (report.points[seat], table.boards[seat].rows()));
                report.rank(&keys);
            }
        }
        for (seat, runner) in runners.iter_mut().enumerate() {
            if let Some(runner) = runner {
                // The runner ignores further lines; the process is ended.
                report.close(seat, &mut runner.process, Goodbye::Terminate);
            }
        }
        report
    }

    fn rounds(
        &self,
        table: &mut RefereeTable,
        runners: &mut [Option<Runner>; 2],
        rng: &mut SplitMix,
        report: &mut Report,
    ) -> Result<(), (usize, Mistake)> {
        for (seat, runner) in runners.iter_mut().enumerate() {
            if let Some(runner) = runner {
                runner.greet().map_err(|mistake| (seat, mistake))?;
            }
        }
        let tell = |runners: &mut [Option<Runner>; 2], update: &Update, except: Option<usize>| {
            for (seat, runner) in runners.iter_mut().enumerate() {
                if let Some(runner) = runner
                    && except != Some(seat)
                {
                    runner.news.push(update.clone());
                }
            }
        };
        let mut seat = 0;
        loop {
            tell(runners, &Update::Restock(table.displays), None);
            while !table.is_empty() {
                let (action, spent) = match &mut runners[seat] {
                    Some(runner) => runner.turn(table, seat).map_err(|mistake| (seat, mistake))?,
                    None => (random(table, seat, rng), Duration::ZERO),
                };
                report.decided(seat, spent);
                let legal = table.take(seat, action);
                legal.map_err(|why| (seat, (RefereeFaultKind::Illegal, format!("{action}: {why}"))))?;
                table.check();
                tell(runners, &Update::Move(action), Some(seat));
                seat = 1 - seat;
            }
            if let Some(starter) = table.tile() {
                seat = starter;
            }
            table.check();
            if table.boards.iter().any(|board| board.rows() > 0) {
                table.reward();
                return Ok(());
            }
            table.restock(rng);
            table.check();
        }
    }
}

impl Runner {
    /// Waits for the bot's choice before writing to it. The wait counts on its clock.
    fn greet(&mut self) -> Result<(), Mistake> {
        let (line, spent) = self.process.hear(self.process.born, self.left)?;
        self.left -= spent;
        self.wish = match line.trim_end() {
            "update" => Wish::Update,
            "state" => Wish::State,
            "both" => Wish::Both,
            _ => return Err((RefereeFaultKind::Malformed, format!("the first line is {line:?}"))),
        };
        Ok(())
    }

    fn turn(&mut self, table: &RefereeTable, seat: usize) -> Result<(Move, Duration), Mistake> {
        let text = turn_text(self.left, self.wish, &self.news, table, seat);
        self.news.clear();
        let since: Instant = self.process.say(&text);
        let (line, spent) = self.process.hear(since, self.left)?;
        self.left -= spent;
        self.process.drain();
        let action =
            read_move(&line).ok_or_else(|| (RefereeFaultKind::Malformed, format!("the line {line:?}")))?;
        Ok((action, spent))
    }
}

/// `d c l`.
fn read_move(line: &str) -> Option<Move> {
    let mut words = line.split_whitespace();
    let display = integer(words.next()?).filter(|display| (0..=5).contains(display))?;
    let colour = words.next()?;
    let colour = COLOURS.iter().position(|&name| name.to_string() == colour)?;
    let line = integer(words.next()?).filter(|line| (0..=5).contains(line))?;
    words.next().is_none().then_some(Move { display: display as usize, colour, line: line as usize })
}

/// The input of a bot at its turn.
fn turn_text(left: Duration, wish: Wish, news: &[Update], table: &RefereeTable, seat: usize) -> String {
    let mut text = format!("{}\n", left.as_millis());
    if wish != Wish::State {
        writeln!(text, "{}", news.len()).expect("a string takes all");
        for update in news {
            match update {
                Update::Restock(displays) => {
                    text.push_str("restock\n");
                    displays.iter().for_each(|display| text.push_str(&board::row(display)));
                }
                Update::Move(action) => {
                    writeln!(text, "move\n{action}").expect("a string takes all");
                }
            }
        }
    }
    if wish != Wish::Update {
        text.push_str(&table.text(seat));
    }
    text
}

/// A legal move, to the floor only when it must or one time in twenty.
fn random(table: &RefereeTable, seat: usize, rng: &mut SplitMix) -> Move {
    let legal = table.legal(seat);
    let lines: Vec<Move> = legal.iter().copied().filter(|action| action.line < 5).collect();
    let from = if lines.is_empty() || rng.chance(1, 20) { &legal } else { &lines };
    rng.pick(from).expect("there are tiles on the table")
}
