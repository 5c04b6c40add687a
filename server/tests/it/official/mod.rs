//! The five contests' official referees, written a second time as an independent oracle for the programs that
//! are submitted to them. They follow the collected facts alone and must never use the engines or the codecs:
//! two halves that share a wrong rule agree with each other.
//!
//! Each game's `Match { seats, seed, .. }.play()` plays one match (Septica: a row of matches) between child
//! processes, called the way the contest calls them, and built-in random players, and gives a [`Report`].
//! A match never hangs: every wait has a limit, and running into it is a [`RefereeFault`].

pub(crate) mod azul;
pub(crate) mod buraco;
pub(crate) mod ioiwari;
pub(crate) mod process;
pub(crate) mod septica;
pub(crate) mod splendor;

pub(crate) use process::Bot;
use process::BotChild;
use std::fmt;
use std::time::Duration;

/// How long a referee without a limit of its own waits for a bot before it counts as hung.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// The player of a seat.
#[derive(Clone, Debug)]
pub(crate) enum SeatBot {
    /// A program, called as the contest calls it.
    Child(Bot),
    /// The referee's own player: honest legal moves, mostly at random.
    Random,
}

/// A bot's mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefereeFaultKind {
    /// The program could not be started.
    Start,
    /// It ended, or closed its output, when an answer was due.
    Died,
    /// No answer within the limit.
    TooSlow,
    /// Not in the protocol's form.
    Malformed,
    /// In form, but against the rules of the game.
    Illegal,
    /// The real referee accepts it against the written rules; bots must not rely on it. The match goes on.
    Lenient,
    /// The real referee itself would crash.
    RefereeCrash,
}

/// One fault of one seat.
#[derive(Clone, Debug)]
pub(crate) struct RefereeFault {
    /// The offender.
    pub seat: usize,
    pub kind: RefereeFaultKind,
    /// A description with the time, for error messages.
    pub detail: String,
}

/// A mistake before its seat is known.
pub(crate) type Mistake = (RefereeFaultKind, String);

/// The course and the result of a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    /// Points per seat, in the game's own measure.
    pub points: Vec<i32>,
    /// 1 for the best; equal seats share a rank.
    pub ranks: Vec<usize>,
    /// The only winner; none after a tie or without a winner.
    pub winner: Option<usize>,
    /// The reason why the match ended.
    pub ended: String,
    pub faults: Vec<RefereeFault>,
    /// Decisions made, per seat.
    pub decisions: Vec<usize>,
    /// The slowest decision of each seat.
    pub slowest: Vec<Duration>,
    /// Time spent in all decisions of each seat.
    pub thought: Vec<Duration>,
    /// Per seat, the lines that it read (`<`) and printed (`>`), with remarks (`#`); empty for built-in players.
    pub transcripts: Vec<String>,
    /// Seats whose process did not exit after the end of its input or a signal.
    pub lingered: Vec<usize>,
}

impl Report {
    fn new(seats: usize) -> Report {
        Report {
            points: vec![0; seats],
            ranks: vec![1; seats],
            decisions: vec![0; seats],
            slowest: vec![Duration::ZERO; seats],
            thought: vec![Duration::ZERO; seats],
            transcripts: vec![String::new(); seats],
            ..Report::default()
        }
    }

    fn fault(&mut self, seat: usize, (kind, detail): Mistake) {
        self.faults.push(RefereeFault { seat, kind, detail });
    }

    fn decided(&mut self, seat: usize, spent: Duration) {
        self.decisions[seat] += 1;
        self.thought[seat] += spent;
        self.slowest[seat] = self.slowest[seat].max(spent);
    }

    /// Ranks by the keys (greater is better); the winner is the only seat with rank 1.
    fn rank<K: Ord>(&mut self, keys: &[K]) {
        self.ranks = keys.iter().map(|key| 1 + keys.iter().filter(|other| *other > key).count()).collect();
        let first: Vec<usize> = (0..keys.len()).filter(|&seat| self.ranks[seat] == 1).collect();
        self.winner = if first.len() == 1 { Some(first[0]) } else { None };
    }

    /// The match is lost for one seat of two, without regard to the points.
    fn lose(&mut self, seat: usize) {
        self.ranks = vec![1; 2];
        self.ranks[seat] = 2;
        self.winner = Some(1 - seat);
    }

    /// Takes over the transcript and the times of the process.
    fn close(&mut self, seat: usize, process: &mut BotChild, goodbye: process::Goodbye) -> Vec<String> {
        let (left, surplus) = process.dismiss(goodbye);
        if !left {
            self.lingered.push(seat);
        }
        self.transcripts[seat] = std::mem::take(&mut process.transcript);
        surplus
    }

    /// Faults of one kind.
    pub(crate) fn count(&self, kind: RefereeFaultKind) -> usize {
        self.faults.iter().filter(|fault| fault.kind == kind).count()
    }

    /// Share of the points that the first seat got: in Septica, of the matches it did not lose.
    pub(crate) fn share(&self) -> f64 {
        f64::from(self.points[0]) / f64::from(self.points.iter().sum::<i32>().max(1))
    }
}

/// For error messages: the faults, and the end of every transcript.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "points {:?}, winner {:?}, ended: {}", self.points, self.winner, self.ended)?;
        for fault in &self.faults {
            writeln!(f, "seat {}: {:?}: {}", fault.seat, fault.kind, fault.detail)?;
        }
        for (seat, transcript) in self.transcripts.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            let lines: Vec<&str> = transcript.lines().collect();
            writeln!(f, "seat {seat}, the last of {} lines:", lines.len())?;
            for line in &lines[lines.len().saturating_sub(60)..] {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}

/// An integer in its shortest form only: no `01`, `+1`, `-0` or `1.0`.
fn integer(token: &str) -> Option<i64> {
    token.parse::<i64>().ok().filter(|number| number.to_string() == token)
}

/// Splitmix64: small, and the same on every machine.
#[derive(Clone, Debug)]
pub(crate) struct SplitMix(u64);

impl SplitMix {
    pub(crate) fn new(seed: u64) -> SplitMix {
        SplitMix(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound - 1`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True `part` times of `whole`.
    pub(crate) fn chance(&mut self, part: usize, whole: usize) -> bool {
        self.below(whole) < part
    }

    /// One of them, if there is any.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { Some(from[self.below(from.len())]) }
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

#[test]
fn integers_are_read_strictly() {
    assert_eq!(integer("-3"), Some(-3));
    assert_eq!(integer("0"), Some(0));
    for bad in ["01", "1.0", "+1", "-0", "", "x", "1e1", "٣", "99999999999999999999"] {
        assert_eq!(integer(bad), None, "{bad}");
    }
}

#[test]
fn ranks_are_shared() {
    let mut report = Report::new(4);
    report.rank(&[5, 7, 7, 1]);
    assert_eq!((report.ranks.as_slice(), report.winner), ([3, 1, 1, 4].as_slice(), None));
    report.rank(&[5, 8, 7, 1]);
    assert_eq!(report.winner, Some(1));
    report.fault(2, (RefereeFaultKind::Illegal, "a reason".to_owned()));
    assert!(report.to_string().contains("seat 2: Illegal: a reason"));
}
