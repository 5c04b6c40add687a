//! Splendor's referee: a fresh process for every move, and every mistake is a pass.

mod table;
#[cfg(test)]
mod tests;

use super::process::{MoveRun, run_once};
use super::{
    ANSWER_TIMEOUT, Bot, Mistake, RefereeFault, RefereeFaultKind, Report, SeatBot, SplitMix, integer,
};
pub(crate) use table::{PlayerArea, RefereeTable};

/// The actions after which a noble comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nobles {
    /// After every valid action: the referee the contest was played with.
    EveryAction,
    /// After purchases only: older versions.
    Purchases,
}

/// One match of one to four players. Points are the game's; the winner needs 15.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub seats: Vec<SeatBot>,
    pub seed: u64,
    /// The first player number and round number in the header: 0 or 1.
    pub base: usize,
    pub nobles: Nobles,
    /// Wall time for one move. The real limit is 10 s of processor time; this one only ends a bot that hangs.
    pub move_limit: std::time::Duration,
    /// The match is over after this many rounds: 100, but tests may want fewer.
    pub rounds: usize,
}

impl Match {
    pub(crate) fn new(seats: Vec<SeatBot>, seed: u64) -> Match {
        Match { seats, seed, base: 1, nobles: Nobles::EveryAction, move_limit: ANSWER_TIMEOUT, rounds: 100 }
    }

    /// Plays to the end. Every fault but the last kind is an action that became a pass (see [`voided`]).
    pub(crate) fn play(&self) -> Report {
        let mut rng = SplitMix::new(self.seed);
        let table = RefereeTable::deal(self.seats.len(), &mut rng);
        self.play_from(table, rng).0
    }

    fn play_from(&self, mut table: RefereeTable, mut rng: SplitMix) -> (Report, RefereeTable) {
        let mut report = Report::new(self.seats.len());
        'rounds: for round in 0..self.rounds {
            for (seat, who) in self.seats.iter().enumerate() {
                let action = match who {
                    SeatBot::Random => {
                        report.decided(seat, std::time::Duration::ZERO);
                        Ok(random(&table, seat, &mut rng))
                    }
                    SeatBot::Child(bot) => match self.ask(bot, &table, seat, round, &mut report) {
                        Err(fatal) if fatal.0 == RefereeFaultKind::RefereeCrash => {
                            report.ended = format!("the referee crashed in round {round}");
                            report.fault(seat, fatal);
                            break 'rounds;
                        }
                        answer => answer,
                    },
                };
                if let Err((kind, why)) = action.and_then(|action| table.act(seat, &action, self.nobles)) {
                    if matches!(who, SeatBot::Child(_)) {
                        report.transcripts[seat].push_str(&format!("# voided: {why}\n"));
                    }
                    report.fault(seat, (kind, format!("round {round}: {why}")));
                }
                table.check();
            }
            if table.players.iter().any(|player| player.points() >= 15) {
                report.ended = format!("15 points after round {round}");
                break;
            }
        }
        if report.ended.is_empty() {
            report.ended = format!("{} rounds", self.rounds);
        }
        report.points = table.players.iter().map(PlayerArea::points).collect();
        let keys: Vec<(i32, i32)> =
            table.players.iter().map(|player| (player.points(), -(player.bought.len() as i32))).collect();
        report.rank(&keys);
        report.winner = report.winner.filter(|&seat| report.points[seat] >= 15);
        (report, table)
    }

    fn ask(
        &self,
        bot: &Bot,
        table: &RefereeTable,
        seat: usize,
        round: usize,
        report: &mut Report,
    ) -> Result<Vec<i64>, Mistake> {
        let input = table.text(seat, round, self.base);
        let transcript = &mut report.transcripts[seat];
        for line in input.lines() {
            transcript.push_str(&format!("< {line}\n"));
        }
        transcript.push_str(".\n");
        let run = run_once(bot, &input, self.move_limit)?;
        for line in String::from_utf8_lossy(&run.stdout).lines() {
            transcript.push_str(&format!("> {line}\n"));
        }
        // The content of the referee's saved game.
        for line in String::from_utf8_lossy(&run.stderr).lines().filter(|line| line.starts_with("kibitz ")) {
            transcript.push_str(&format!("# {line}\n"));
        }
        report.decided(seat, run.wall);
        read(&run)
    }
}

/// The actions of a seat that became passes.
pub(crate) fn voided(report: &Report, seat: usize) -> impl Iterator<Item = &RefereeFault> {
    report
        .faults
        .iter()
        .filter(move |fault| fault.seat == seat && fault.kind != RefereeFaultKind::RefereeCrash)
}

/// The integers a process printed.
fn read(run: &MoveRun) -> Result<Vec<i64>, Mistake> {
    let crash = |why: &str| Err((RefereeFaultKind::RefereeCrash, why.to_owned()));
    if run.stdout.contains(&b'%') || run.stderr.contains(&b'%') {
        return crash("a % was printed");
    }
    for line in run.stderr.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"kibitz ")) {
        if std::str::from_utf8(line).is_err() {
            return crash("a kibitz that is not UTF-8");
        }
    }
    let Some(status) = run.status else {
        return Err((RefereeFaultKind::TooSlow, format!("no end within {:?}", run.wall)));
    };
    let text = String::from_utf8_lossy(&run.stdout);
    let mut action = Vec::new();
    for token in text.split_ascii_whitespace() {
        action.push(
            integer(token)
                .ok_or_else(|| (RefereeFaultKind::Malformed, format!("{token:?} is not an integer")))?,
        );
    }
    if action.is_empty() && !status.success() {
        let stderr = String::from_utf8_lossy(&run.stderr);
        return Err((RefereeFaultKind::Died, format!("{status}, nothing printed; stderr: {stderr}")));
    }
    Ok(action)
}

/// A legal action at random: buys when it can, takes chips while there is room, else reserves or passes.
fn random(table: &RefereeTable, seat: usize, rng: &mut SplitMix) -> Vec<i64> {
    let player = &table.players[seat];
    let face_up = || table.face_up.iter().flatten().copied().filter(|&id| id != 0);
    let buys: Vec<usize> = face_up()
        .chain(player.reserved.iter().map(|&(id, _)| id))
        .filter(|&id| player.payment(id).is_some())
        .collect();
    if let Some(id) = rng.pick(&buys)
        && rng.chance(9, 10)
    {
        return vec![4, id as i64];
    }
    let held: usize = player.chips.iter().sum();
    let mut after = player.chips;
    let mut action;
    if player.reserved.len() < 3 && rng.chance(1, if held < 8 { 10 } else { 3 }) {
        let mut targets: Vec<i64> = face_up().map(|id| id as i64).collect();
        targets
            .extend((0..3).filter(|&level| !table.decks[level].is_empty()).map(|level| -(level as i64) - 1));
        let Some(target) = rng.pick(&targets) else { return vec![1, 0] };
        action = vec![3, target];
        after[5] += usize::from(table.bank[5] > 0);
    } else {
        let double: Vec<usize> = (0..5).filter(|&colour| table.bank[colour] >= 4).collect();
        if let Some(colour) = rng.pick(&double)
            && rng.chance(1, 4)
        {
            action = vec![2, colour as i64];
            after[colour] += 2;
        } else {
            let mut single: Vec<usize> = (0..5).filter(|&colour| table.bank[colour] > 0).collect();
            rng.shuffle(&mut single);
            single.truncate(3);
            action = vec![1, single.len() as i64];
            for colour in single {
                action.push(colour as i64);
                after[colour] += 1;
            }
        }
    }
    while after.iter().sum::<usize>() > 10 {
        let spare: Vec<usize> = (0..5).filter(|&colour| after[colour] > 0).collect();
        let colour = rng.pick(&spare).expect("there are only five gold chips");
        after[colour] -= 1;
        action.push(colour as i64);
    }
    action
}
