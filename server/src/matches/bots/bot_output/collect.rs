//! Collects what the client of a bot says about its output during one dialogue. Pure.

use std::collections::{BTreeMap, BTreeSet};

use engines::arena::ErrorLine;
use engines::game::Seat;

use crate::domain::token;
use crate::matches::bots::bot_output::{OutputLine, PUBLIC_PREFIX, TurnOutput};
use crate::matches::record::RecordedLine;
use crate::store::KeptTurn;

/// The longest line, in bytes.
const MAX_LINE: usize = 1024;
/// The most text of one turn, in bytes.
const MAX_OF_TURN: usize = 4 << 10;
/// The most text that the store keeps of one seat, as JSON, in bytes: the escapes of JSON count too, and clients send at most
/// half of it.
const MAX_OF_SEAT: u32 = 512 << 10;
/// How many turns with figures alone are stored together, so that they cost next to nothing.
const TURNS_TOGETHER: usize = 32;

/// What a bot wrote and used, as far as it is not stored.
#[derive(Debug)]
pub(super) struct OutputCollector {
    seat: Seat,
    /// Moves made when the dialogue began. What a bot writes for earlier turns, which it only plays again, does not replace
    /// what it wrote then.
    began_at: u32,
    /// The turns that are not stored yet, and the last one, which may go on.
    turns: BTreeMap<u32, TurnOutput>,
    unsaved: BTreeSet<u32>,
    /// Whether lines, not only figures, are not stored.
    has_lines: bool,
}

impl OutputCollector {
    /// Before the first remark. `began_at`: moves made so far.
    pub(super) fn new(seat: Seat, began_at: u32) -> Self {
        Self { seat, began_at, turns: BTreeMap::new(), unsaved: BTreeSet::new(), has_lines: false }
    }

    /// Takes a remark of the client: `err PLY MS TEXT`, `cut PLY` or `used PLY CPU_MS MEMORY_KIB`. Returns `false` for every
    /// other remark. `ply`: moves made so far; remarks about later turns are ignored.
    pub(super) fn take(&mut self, remark: &str, ply: u32) -> bool {
        let Some((what, rest)) = remark.split_once(' ') else { return false };
        if !matches!(what, "err" | "cut" | "used") {
            return false;
        }
        let (turn, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        if let Some(turn) = turn.parse().ok().filter(|turn| *turn <= ply) {
            let output =
                self.turns.entry(turn).or_insert_with(|| TurnOutput { ply: turn, ..TurnOutput::default() });
            let changed = match what {
                "err" => output.add_line(rest),
                "cut" => !std::mem::replace(&mut output.cut, true),
                _ => output.set_usage(rest),
            };
            if changed {
                self.unsaved.insert(turn);
                self.has_lines |= what != "used";
            }
        }
        true
    }

    /// Takes the turns to store now: as soon as there are lines, or enough figures; `all`: whatever there is.
    pub(super) fn take_unsaved(&mut self, all: bool) -> Vec<KeptTurn> {
        if !all && !self.has_lines && self.unsaved.len() < TURNS_TOGETHER {
            return Vec::new();
        }
        self.has_lines = false;
        let unsaved = std::mem::take(&mut self.unsaved);
        let kept = |ply: &u32| {
            let output = self.turns.get(ply)?.stored(self.seat);
            Some(KeptTurn { output, replaces: *ply >= self.began_at, most_of_seat: MAX_OF_SEAT })
        };
        let turns = unsaved.iter().filter_map(kept).collect();
        let last = self.turns.last_key_value().map(|(ply, _)| *ply);
        self.turns.retain(|ply, _| Some(*ply) == last);
        turns
    }
}

/// What a hosted program wrote in a turn; `None`: nothing.
pub(in crate::matches) fn of_program(seat: Seat, ply: u32, lines: &[ErrorLine]) -> Option<KeptTurn> {
    let mut output = TurnOutput { ply, ..TurnOutput::default() };
    for line in lines {
        output.add_text(line.ms, &line.text);
    }
    let wrote = !lines.is_empty();
    wrote.then(|| KeptTurn { output: output.stored(seat), replaces: true, most_of_seat: MAX_OF_SEAT })
}

/// The lines of a record, which does not tell when in their turns they were written.
pub(in crate::matches) fn of_record(lines: &[RecordedLine]) -> Vec<KeptTurn> {
    let mut turns: BTreeMap<(Seat, u32), TurnOutput> = BTreeMap::new();
    for RecordedLine { seat, ply, text } in lines {
        let turn =
            turns.entry((*seat, *ply)).or_insert_with(|| TurnOutput { ply: *ply, ..TurnOutput::default() });
        turn.add_text(0, &format!("{PUBLIC_PREFIX}{text}"));
    }
    let kept = |((seat, _), turn): ((Seat, u32), TurnOutput)| KeptTurn {
        output: turn.stored(seat),
        replaces: true,
        most_of_seat: MAX_OF_SEAT,
    };
    turns.into_iter().map(kept).collect()
}

impl TurnOutput {
    /// Adds a line, given as `MS TEXT`. `false`: nothing has changed.
    fn add_line(&mut self, line: &str) -> bool {
        let (ms, text) = line.split_once(' ').unwrap_or((line, ""));
        ms.parse().is_ok_and(|ms| self.add_text(ms, text))
    }

    /// Adds a line that was written after this many milliseconds. `false`: nothing has changed.
    fn add_text(&mut self, ms: u64, text: &str) -> bool {
        let text = token::hidden(text.to_owned());
        let end = text.floor_char_boundary(MAX_LINE);
        let text = text.get(..end).unwrap_or_default();
        let used: usize = self.lines.iter().map(|line| line.text.len()).sum();
        // An empty line counts, too.
        if used + self.lines.len() + text.len() > MAX_OF_TURN {
            return !std::mem::replace(&mut self.cut, true);
        }
        self.lines.push(OutputLine { ms, text: text.to_owned() });
        true
    }

    /// Sets what the processes have used, given as `CPU_MS MEMORY_KIB`. `false`: nothing has changed.
    fn set_usage(&mut self, usage: &str) -> bool {
        let figures = usage.split_once(' ');
        let parsed = figures.and_then(|(cpu, memory)| Some((cpu.parse().ok()?, memory.parse().ok()?)));
        let Some((cpu_ms, memory_kib)) = parsed.filter(|(cpu, memory): &(u64, u64)| {
            i64::try_from(*cpu).is_ok() && i64::try_from(*memory).is_ok()
        }) else {
            return false;
        };
        // 0: the client does not know it.
        let now = (Some(cpu_ms), Some(memory_kib).filter(|kib| *kib > 0));
        let before =
            (std::mem::replace(&mut self.cpu_ms, now.0), std::mem::replace(&mut self.memory_kib, now.1));
        before != now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(turns: &[KeptTurn]) -> Vec<(u32, &str, bool)> {
        turns.iter().map(|turn| (turn.output.ply, turn.output.lines.as_str(), turn.replaces)).collect()
    }

    #[test]
    fn remarks_become_turns() {
        let mut collector = OutputCollector::new(Seat(1), 4);
        for remark in ["err 2 0 again", "err 4 7 depth 9", "err 4 8 ", "used 4 30 900", "err 5 0 too early"] {
            assert!(collector.take(remark, 4), "{remark}");
        }
        for remark in ["ended exit status: 0", "err", "errata 4 5 x", "turn 4"] {
            assert!(!collector.take(remark, 4), "{remark}");
        }
        let turns = collector.take_unsaved(false);
        assert_eq!(texts(&turns), [(2, r#"[[0,"again"]]"#, false), (4, r#"[[7,"depth 9"],[8,""]]"#, true)]);
        assert_eq!((turns[1].output.cpu_ms, turns[1].output.memory_kib), (Some(30), Some(900)));
        assert_eq!(collector.take_unsaved(true), []);
        assert!(collector.take("err 4 9 more", 4));
        assert_eq!(
            texts(&collector.take_unsaved(false)),
            [(4, r#"[[7,"depth 9"],[8,""],[9,"more"]]"#, true)]
        );
    }

    #[test]
    fn figures_alone_are_stored_together() {
        let mut collector = OutputCollector::new(Seat(0), 0);
        let last = u32::try_from(TURNS_TOGETHER).unwrap() - 1;
        for ply in 0..last {
            collector.take(&format!("used {ply} 10 900"), last);
            collector.take(&format!("used {ply} x 900"), last);
            assert_eq!(collector.take_unsaved(false), []);
        }
        collector.take(&format!("used {last} 10 900"), last);
        assert_eq!(collector.take_unsaved(false).len(), TURNS_TOGETHER);
    }

    #[test]
    fn output_is_bounded_and_without_tokens() {
        let mut collector = OutputCollector::new(Seat(0), 0);
        let long = "x".repeat(100_000);
        for _ in 0..1000 {
            collector.take(&format!("err 3 0 {long}"), 3);
            collector.take("err 3 0", 3);
        }
        let turns = collector.take_unsaved(false);
        assert!(turns[0].output.cut && turns[0].output.lines.len() < 3 * MAX_OF_TURN);
        let seat = token::Token::fresh(token::TokenKind::Seat).unwrap();
        collector.take(&format!("err 4 0 my token is {}", seat.reveal()), 4);
        let turns = collector.take_unsaved(false);
        assert_eq!(turns[0].output.lines, r#"[[0,"my token is kbs_..."]]"#);
    }
}
