//! Ioiwari's judge: the bot is player 1, the judge answers with random moves.

use super::process::{BotChild, Goodbye, Split, Stderr};
use super::{ANSWER_TIMEOUT, Mistake, RefereeFaultKind, Report, SeatBot, SplitMix, integer};
use std::time::Duration;

/// Beads in the seven pits.
pub(crate) type Pits = [u8; 7];

/// One match. Seat 0 is the player; points are beads.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub player: SeatBot,
    pub seed: u64,
    /// None: one of the 357 starts at random.
    pub start: Option<Pits>,
    /// For one move.
    pub limit: Duration,
}

impl Match {
    pub(crate) fn new(player: SeatBot, seed: u64) -> Match {
        Match { player, seed, start: None, limit: ANSWER_TIMEOUT }
    }

    pub(crate) fn play(&self) -> Report {
        let mut rng = SplitMix::new(self.seed);
        let all = starts();
        let mut board =
            RefereeBoard { pits: self.start.unwrap_or_else(|| all[rng.below(all.len())]), banks: [0; 2] };
        let mut report = Report::new(2);
        let process = match &self.player {
            SeatBot::Random => Ok(None),
            SeatBot::Child(bot) => BotChild::start(bot, Split::Tokens, Stderr::Free).map(Some),
        };
        let mut fault = None;
        match process {
            Err(mistake) => fault = Some(mistake),
            Ok(mut process) => {
                fault = self.moves(&mut board, &mut process, &mut rng, &mut report).err().or(fault);
                if let Some(mut process) = process {
                    let surplus = report.close(0, &mut process, Goodbye::EndOfInput);
                    if fault.is_none() && !surplus.is_empty() {
                        fault = Some((
                            RefereeFaultKind::Malformed,
                            format!("printed after the end: {surplus:?}"),
                        ));
                    }
                }
            }
        }
        report.points = board.banks.map(i32::from).to_vec();
        let points = report.points.clone();
        report.rank(&points);
        report.ended = "the board is empty".to_owned();
        if let Some(mistake) = fault {
            report.ended = "a fault".to_owned();
            report.fault(0, mistake);
            report.lose(0);
        }
        report
    }

    fn moves(
        &self,
        board: &mut RefereeBoard,
        process: &mut Option<BotChild>,
        rng: &mut SplitMix,
        report: &mut Report,
    ) -> Result<(), Mistake> {
        let mut news = board.pits.map(|pit| pit.to_string()).join(" ");
        loop {
            let (pit, spent) = match process {
                None => (board.random(rng), Duration::ZERO),
                Some(process) => {
                    let since = process.say(&format!("{news}\n"));
                    let (token, spent) = process.hear(since, self.limit)?;
                    let pit = integer(&token)
                        .and_then(|pit| usize::try_from(pit).ok())
                        .ok_or_else(|| (RefereeFaultKind::Malformed, format!("{token:?} is no pit")))?;
                    (pit, spent)
                }
            };
            report.decided(0, spent);
            if !(1..=7).contains(&pit) || board.pits[pit - 1] == 0 {
                return Err((RefereeFaultKind::Illegal, format!("pit {pit} of {:?}", board.pits)));
            }
            board.sow(pit, 0);
            if board.is_empty() {
                // The bot exits by itself; the end of input is a fallback.
                return Ok(());
            }
            let answer = board.random(rng);
            board.sow(answer, 1);
            report.decided(1, Duration::ZERO);
            news = answer.to_string();
            if board.is_empty() {
                if let Some(process) = process {
                    process.say(&format!("{news}\n"));
                }
                return Ok(());
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
struct RefereeBoard {
    pits: Pits,
    banks: [u8; 2],
}

impl RefereeBoard {
    fn is_empty(&self) -> bool {
        self.pits == [0; 7]
    }

    fn random(&self, rng: &mut SplitMix) -> usize {
        let legal: Vec<usize> = (1..=7).filter(|pit| self.pits[pit - 1] > 0).collect();
        rng.pick(&legal).expect("the board is not empty")
    }

    /// Empties a pit (1 to 7) for a player (0 or 1).
    fn sow(&mut self, pit: usize, player: usize) {
        let mut at = pit - 1;
        let mut hand = std::mem::take(&mut self.pits[at]);
        while hand > 1 {
            at = (at + 1) % 7;
            if self.pits[at] == 5 {
                self.pits[at] = 4;
                self.banks[player] += 1;
            } else {
                self.pits[at] += 1;
                hand -= 1;
            }
        }
        at = (at + 1) % 7;
        match self.pits[at] {
            1..=4 => self.banks[player] += std::mem::take(&mut self.pits[at]) + 1,
            _ => self.banks[1 - player] += 1,
        }
        assert!(self.pits.iter().all(|&pit| pit <= 5), "a pit never exceeds 5");
    }
}

/// All starts: 20 beads, two to four in each pit.
pub(crate) fn starts() -> Vec<Pits> {
    let boards = (0..3_usize.pow(7)).map(|code| {
        let mut rest = code;
        [(); 7].map(|()| {
            let pit = 2 + (rest % 3) as u8;
            rest /= 3;
            pit
        })
    });
    boards.filter(|pits| pits.iter().sum::<u8>() == 20).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::official::Bot;

    #[test]
    fn worked_game_is_reproduced() {
        let mut board = RefereeBoard { pits: [4, 3, 2, 4, 2, 3, 2], banks: [0; 2] };
        let moves = [
            (2, [4, 0, 3, 5, 0, 3, 2], [3, 0]),
            (3, [4, 0, 0, 4, 1, 4, 0], [3, 4]),
            (5, [4, 0, 0, 4, 0, 0, 0], [8, 4]),
            (4, [0, 0, 0, 0, 1, 1, 1], [8, 9]),
            (5, [0, 0, 0, 0, 0, 0, 1], [10, 9]),
            (7, [0; 7], [11, 9]),
        ];
        for (ply, (pit, pits, banks)) in moves.into_iter().enumerate() {
            board.sow(pit, ply % 2);
            assert_eq!(board, RefereeBoard { pits, banks }, "after {pit}");
        }
    }

    /// The best margin of the player to move, for every board, and the known results of exhaustive search.
    struct Solver(Vec<Option<i8>>);

    impl Solver {
        fn code(pits: &Pits) -> usize {
            pits.iter().fold(0, |code, &pit| code * 6 + usize::from(pit))
        }

        fn margin(&mut self, pits: &Pits, pit: usize) -> i8 {
            let mut board = RefereeBoard { pits: *pits, banks: [0; 2] };
            board.sow(pit, 0);
            board.banks[0] as i8 - board.banks[1] as i8 - self.value(&board.pits)
        }

        fn value(&mut self, pits: &Pits) -> i8 {
            if let Some(value) = self.0[Solver::code(pits)] {
                return value;
            }
            let legal: Vec<usize> = (1..=7).filter(|pit| pits[pit - 1] > 0).collect();
            let value = legal.into_iter().map(|pit| self.margin(pits, pit)).max().unwrap_or(0);
            self.0[Solver::code(pits)] = Some(value);
            value
        }
    }

    #[test]
    fn rules_give_the_known_exact_results() {
        let mut solver = Solver(vec![None; 6_usize.pow(7)]);
        let starts = starts();
        assert_eq!(starts.len(), 357);
        let (mut margins, mut winning) = ([0; 7], [0; 8]);
        for start in &starts {
            margins[solver.value(start) as usize] += 1;
            winning[(1..=7).filter(|&pit| solver.margin(start, pit) > 0).count()] += 1;
        }
        assert_eq!(margins, [0, 0, 140, 0, 133, 0, 84]);
        assert_eq!(winning, [0, 70, 112, 112, 56, 7, 0, 0]);
        assert_eq!(solver.value(&[4, 3, 2, 4, 2, 3, 2]), 2);
        assert_eq!(solver.0.iter().flatten().count(), 37_654, "reachable boards");
    }

    #[test]
    fn random_matches_end_and_keep_all_beads() {
        for seed in 0..200 {
            let report = Match::new(SeatBot::Random, seed).play();
            assert!(report.faults.is_empty(), "{report}");
            assert_eq!(report.points.iter().sum::<i32>(), 20);
            assert!(report.decisions.iter().sum::<usize>() <= 18);
        }
    }

    fn against(script: &str, start: Option<Pits>, limit_ms: u64, seed: u64) -> Report {
        let limit = Duration::from_millis(limit_ms);
        Match { start, limit, ..Match::new(SeatBot::Child(Bot::sh(script)), seed) }.play()
    }

    /// Keeps the board and plays the first pit that is not empty.
    const FIRST: &str = r#"
        read p1 p2 p3 p4 p5 p6 p7
        sow() {
            at=$1; eval "hand=\$p$at p$at=0"
            while [ $hand -gt 1 ]; do
                at=$((at % 7 + 1)); eval "pit=\$p$at"
                if [ $pit = 5 ]; then eval "p$at=4"; else eval "p$at=$((pit + 1))"; hand=$((hand - 1)); fi
            done
            at=$((at % 7 + 1)); eval "pit=\$p$at"
            if [ $pit != 5 ]; then eval "p$at=0"; fi
        }
        first() { choice=; for i in 1 2 3 4 5 6 7; do eval "[ \$p$i != 0 ]" && { choice=$i; return; }; done; exit; }
        while first; do
            printf '%s\r\n' $choice; sow $choice; first
            read reply || exit; sow $reply
        done"#;

    #[test]
    fn bot_plays_whole_matches() {
        for seed in 0..8 {
            let report = against(FIRST, None, 30_000, seed);
            assert!(report.faults.is_empty() && report.lingered.is_empty(), "{report}");
            assert_eq!(report.points.iter().sum::<i32>(), 20);
        }
    }

    #[test]
    fn faults_lose() {
        let start = Some([4, 3, 2, 4, 2, 3, 2]);
        let cases = [
            ("echo hello", RefereeFaultKind::Malformed),
            ("echo 02", RefereeFaultKind::Malformed),
            ("echo 0", RefereeFaultKind::Illegal),
            ("echo 8", RefereeFaultKind::Illegal),
            ("read a; while echo 2; do read b || exit; done", RefereeFaultKind::Illegal),
            ("read a; echo 2; read b", RefereeFaultKind::Died),
            ("kill -9 $$", RefereeFaultKind::Died),
            ("sleep 1000", RefereeFaultKind::TooSlow),
        ];
        for (script, kind) in cases {
            let report =
                against(script, start, if kind == RefereeFaultKind::TooSlow { 500 } else { 600_000 }, 1);
            let kinds: Vec<RefereeFaultKind> = report.faults.iter().map(|fault| fault.kind).collect();
            assert_eq!((kinds, report.winner), (vec![kind], Some(1)), "{script}: {report}");
        }
    }

    #[test]
    fn output_after_the_end_is_a_fault() {
        let last = Some([0, 0, 0, 0, 0, 0, 1]);
        let report = against("read a; echo 7", last, 20_000, 1);
        assert!(report.faults.is_empty() && report.points == [0, 1], "{report}");
        assert_eq!((report.winner, report.decisions.as_slice()), (Some(1), [1, 0].as_slice()));
        let report = against("read a; echo 7; read b; echo 1", last, 20_000, 1);
        assert_eq!(report.count(RefereeFaultKind::Malformed), 1, "{report}");
    }
}
