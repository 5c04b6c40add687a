//! Compares the judge with results: matches between the levels of an engine, how much each level loses by the judge, and how
//! often the side that the judge finds weaker loses the match.

use std::collections::BTreeMap;

use clap::Args;
use engines::erased::{AnyGame, FinishedMatch, FinishedMove};
use engines::game::{Seat, Turn, Viewer};
use engines::games;
use engines::judge::{JudgedSeat, LocalJudgeHost, MatchEnd, MatchToJudge, MoveClass, judge};
use engines::rng::{Rng, Seed};
use engines::search::{Level, Limits, Patient};
use indicatif::ProgressBar;

/// Settings of `judge-check`.
#[derive(Args)]
pub(crate) struct JudgeCheckArgs {
    /// The game's short name
    game: String,
    /// Deals for each pair of levels; each is played twice, with the seats exchanged
    #[arg(long, value_name = "N", default_value_t = 10)]
    deals: u64,
    /// Nodes by which the judge values a move. Default: set by the game
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The decisions of one level.
#[derive(Default)]
struct LevelSum {
    matches: u32,
    score: f64,
    loss: f64,
    accuracy: f64,
    decisions: u32,
    classes: [u32; 5],
}

impl LevelSum {
    fn add(&mut self, seat: &JudgedSeat, score: f64) {
        let decisions = f64::from(seat.decisions);
        self.matches += 1;
        self.score += score;
        self.loss += decisions * seat.mean_loss.unwrap_or(0.0);
        self.accuracy += decisions * seat.accuracy.unwrap_or(0.0);
        self.decisions += seat.decisions;
        self.classes.iter_mut().zip(seat.classes).for_each(|(sum, count)| *sum += count);
    }

    fn line(&self, level: Level) -> String {
        let decisions = f64::from(self.decisions.max(1));
        let classes = self.classes.map(|count| format!("{:.1}", 100.0 * f64::from(count) / decisions));
        let matches = f64::from(self.matches.max(1));
        format!(
            "| {level} | {:.1} | {:.2} | {:.1} | {} |",
            100.0 * self.score / matches,
            100.0 * self.loss / decisions,
            self.accuracy / decisions,
            classes.join(" | ")
        )
    }
}

/// How often the side that is worse by a measure loses a decided match.
#[derive(Default)]
struct Agreement {
    lost: u32,
    won: u32,
    equal: u32,
}

impl Agreement {
    /// `worse`: how much worse the loser was, above 0 if it was.
    fn add(&mut self, worse: f64) {
        match worse {
            worse if worse > 0.0 => self.lost += 1,
            worse if worse < 0.0 => self.won += 1,
            _ => self.equal += 1,
        }
    }

    fn line(&self, measure: &str) -> String {
        let told = f64::from((self.lost + self.won).max(1));
        let percent = 100.0 * f64::from(self.lost) / told;
        format!("- {measure}: lost {} of {} ({percent:.0}%), equal in {}", self.lost, told, self.equal)
    }
}

/// All that is counted.
#[derive(Default)]
struct JudgeCheck {
    levels: BTreeMap<Level, LevelSum>,
    mistakes: Agreement,
    accuracy: Agreement,
    own: Agreement,
    luck: f64,
    correction: f64,
    accounts: u32,
}

/// Plays and judges the matches, and prints the figures as Markdown.
pub(crate) fn run(args: &JudgeCheckArgs) -> Result<(), String> {
    let game = games::find(&args.game).ok_or_else(|| format!("{:?} is no game", args.game))?;
    let nodes = args.nodes.unwrap_or(game.info().judge_nodes);
    let pairs: Vec<[Level; 2]> = Level::ALL
        .iter()
        .flat_map(|one| Level::ALL.iter().filter(move |other| *other > one).map(|other| [*one, *other]))
        .collect();
    let bar = ProgressBar::new(2 * args.deals * pairs.len() as u64);
    let mut check = JudgeCheck::default();
    for deal in 0..args.deals {
        let seed = Rng::stream(&Seed::from(args.seed), deal).seed();
        for [one, other] in &pairs {
            for levels in [[*one, *other], [*other, *one]] {
                let finished = played(game, &seed, levels).map_err(|e| e.to_string())?;
                let analysis = judge(game, &finished, nodes, &mut LocalJudgeHost(|_| {}));
                check.add(levels, &analysis.map_err(|e| e.to_string())?.seats, &finished);
                bar.inc(1);
            }
        }
    }
    bar.finish_and_clear();
    println!("{}", check.report());
    Ok(())
}

/// A match of two levels of the default engine.
fn played(
    game: &dyn AnyGame,
    seed: &Seed,
    levels: [Level; 2],
) -> Result<MatchToJudge, engines::erased::Refusal> {
    let options = game.options_for(2).unwrap_or_else(|| serde_json::json!({}));
    let mut table = game.deal(&options, seed)?;
    let (dealt, mut rng, mut moves) = (table.state_json(), Rng::new(seed), Vec::new());
    while let Turn::Of(seat) = table.turn() {
        let (nodes, level) = (Some(game.info().judge_nodes), levels[seat.index()]);
        let limits = Limits { nodes, seed: rng.seed(), level, candidates: 1 };
        let notation = table.view(Viewer::Seat(seat)).think(None, limits, &Patient)?.mv.notation;
        table.play(seat, &notation)?;
        moves.push(FinishedMove { seat, notation, mistake: None, remarks: Vec::new() });
    }
    let end = table.outcome().map(|outcome| MatchEnd {
        scores: (0..2).map(|seat| outcome.score(Seat(seat))).collect(),
        forfeited: Vec::new(),
    });
    let names = levels.map(|level| level.to_string()).to_vec();
    Ok(MatchToJudge { played: FinishedMatch { dealt, moves, names }, seed: *seed, end })
}

impl JudgeCheck {
    fn add(&mut self, levels: [Level; 2], seats: &[JudgedSeat], finished: &MatchToJudge) {
        let Some(MatchEnd { scores, .. }) = &finished.end else { return };
        for ((level, seat), score) in levels.iter().zip(seats).zip(scores) {
            self.levels.entry(*level).or_default().add(seat, *score);
            if let Some(account) = &seat.account {
                self.luck += account.luck.abs();
                self.correction += account.correction.abs();
                self.accounts += 1;
            }
        }
        let (winner, loser) = match scores[..] {
            [first, second] if first > second => (&seats[0], &seats[1]),
            [first, second] if first < second => (&seats[1], &seats[0]),
            _ => return,
        };
        let mistakes = |seat: &JudgedSeat| {
            f64::from(seat.classes[MoveClass::Mistake as usize] + seat.classes[MoveClass::Blunder as usize])
        };
        self.mistakes.add(mistakes(loser) - mistakes(winner));
        if let (Some(a), Some(b)) = (winner.accuracy, loser.accuracy) {
            self.accuracy.add(a - b);
        }
        if let (Some(a), Some(b)) = (&winner.account, &loser.account) {
            self.own.add(a.own - b.own);
        }
    }

    fn report(&self) -> String {
        let mut lines = vec![
            "| level | score | mean loss | accuracy | best | good | inaccuracy | mistake | blunder |"
                .to_owned(),
            "|---|---|---|---|---|---|---|---|---|".to_owned(),
        ];
        lines.extend(self.levels.iter().map(|(level, sum)| sum.line(*level)));
        lines.push(String::new());
        lines.push(self.mistakes.line("more mistakes and blunders"));
        lines.push(self.accuracy.line("lower accuracy"));
        lines.push(self.own.line("more lost by own moves"));
        let mean = |sum: f64| 100.0 * sum / f64::from(self.accounts.max(1));
        lines.push(format!(
            "- mean size of luck: {:.1} points, of corrections: {:.1}",
            mean(self.luck),
            mean(self.correction)
        ));
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weaker_levels_lose_more_by_the_judge() {
        let game = games::GAMES.iter().find(|game| game.info().perfect_information).unwrap();
        let mut check = JudgeCheck::default();
        for deal in 0..20 {
            for levels in [[Level::Easy, Level::Max], [Level::Max, Level::Easy]] {
                let finished = played(*game, &Seed::from(deal), levels).unwrap();
                let analysis = judge(*game, &finished, 1, &mut LocalJudgeHost(|_| {})).unwrap();
                check.add(levels, &analysis.seats, &finished);
            }
        }
        let [easy, max] = [Level::Easy, Level::Max].map(|level| &check.levels[&level]);
        assert!(easy.loss > 0.0 && max.loss == 0.0, "the solver makes no mistake");
        assert_eq!((check.mistakes.won, check.own.won), (0, 0), "{}", check.report());
        assert!(check.mistakes.lost > 0);
    }
}
