//! The summary as text for people.

use std::fmt::{self, Display};

use super::stats::{Estimate, percent};
use super::summary::{PlayerSummary, RunSummary};
use super::versus::Versus;
use crate::arena::record::FaultKind;
use crate::arena::sprt::{Hypothesis, Sprt, Standing};
use crate::grid::{Grid, row};

fn elo(e: Option<Estimate>) -> String {
    let one = |x: f64| if x.is_infinite() { format!("{x:+}") } else { format!("{x:+.0}") };
    e.map_or("-".to_owned(), |e| format!("{} [{}, {}]", one(e.mean), one(e.low), one(e.high)))
}

fn points(e: Option<Estimate>) -> String {
    e.map_or("-".to_owned(), |e| {
        let half = e.high - e.mean;
        if half.is_finite() { format!("{:.2} ±{half:.2}", e.mean) } else { format!("{:.2}", e.mean) }
    })
}

/// Large numbers with a letter: `12.3M`.
fn large(x: f64) -> String {
    match x {
        x if x >= 1e6 => format!("{:.1}M", x / 1e6),
        x if x >= 1e4 => format!("{:.0}k", x / 1e3),
        x => format!("{x:.0}"),
    }
}

fn ms(x: f64) -> String {
    if x < 10.0 { format!("{x:.2}") } else { format!("{x:.0}") }
}

impl Display for RunSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.games_line())?;
        writeln!(f, "{}", self.results())?;
        writeln!(f, "{}", self.by_seat())?;
        write!(f, "{}", self.play())?;
        if let Some([a, b, c, d, e]) = self.pairs {
            let first = &self.players[0].name;
            writeln!(
                f,
                "\ndeals by what {first} scored in the two games: 0: {a}  1/2: {b}  1: {c}  3/2: {d}  2: {e}"
            )?;
        }
        if !self.versus.is_empty() {
            write!(f, "\n{}\n{}", self.cross(), self.couples())?;
        }
        if let Some(standing) = self.sprt {
            writeln!(f, "\n{}", sprt(&standing))?;
        }
        for (why, times) in &self.voided {
            writeln!(f, "voided, {times} x: {why}")?;
        }
        Ok(())
    }
}

impl RunSummary {
    fn games_line(&self) -> String {
        let mut line = format!("{} games on {} deals", self.games, self.deals);
        if self.starts < self.deals {
            let plural = if self.starts == 1 { "" } else { "s" };
            line += &format!(" ({} different start{plural})", self.starts);
        }
        let voided: usize = self.voided.values().sum();
        if voided > 0 {
            line += &format!("; {voided} games VOIDED by faults of the machine: they count for no player");
        }
        if self.not_played > 0 {
            line += &format!("; {} games not played: the run ended early", self.not_played);
        }
        if self.different_games < self.games {
            let repeated = self.games - self.different_games;
            line += &format!(
                "\nWARNING: only {} games are different; {repeated} repeat another one move for move. A deal and its copies count as one \
                 deal in the intervals",
                self.different_games
            );
        }
        line
    }

    fn results(&self) -> Grid {
        let with_elo = self.players.iter().any(|p| p.elo.is_some());
        let mut head = row(["player", "games", "won", "drawn", "lost", "score [95%]"]);
        head.push(if with_elo { "Elo [95%]" } else { "fair share" }.to_owned());
        head.push("points".to_owned());
        let line = |p: &PlayerSummary| {
            let last = if with_elo { elo(p.elo) } else { format!("{:.1}%", 100.0 * p.fair) };
            let counts = [p.played, p.wins, p.draws, p.losses].map(|n| n.to_string());
            let mut cells = vec![p.name.clone()];
            cells.extend(counts);
            cells.extend([percent(p.score), last, points(p.points)]);
            cells
        };
        Grid([head].into_iter().chain(self.players.iter().map(line)).collect())
    }

    fn by_seat(&self) -> Grid {
        let mut rows = vec![row(["by seat", "seat", "games", "score", "points"])];
        for p in &self.players {
            for s in &p.seats {
                let score = format!("{:.1}%", 100.0 * s.score);
                let cells = [p.name.clone(), s.seat.to_string(), s.games.to_string(), score];
                rows.push(cells.into_iter().chain([format!("{:.2}", s.points)]).collect());
            }
        }
        Grid(rows)
    }

    fn play(&self) -> Grid {
        let with_programs = self.players.iter().any(|p| p.cpu_ms.is_some());
        let mut head = row(["play", "decisions", "p50 ms", "p99 ms", "max ms", "nodes/s"]);
        if with_programs {
            head.extend(["cpu ms", "memory MiB"].map(str::to_owned));
        }
        head.extend(FaultKind::ALL.map(|k| k.name().to_owned()));
        head.extend(["voided actions", "forfeits"].map(str::to_owned));
        let line = |p: &PlayerSummary| {
            let mut cells = vec![p.name.clone(), p.decisions.to_string()];
            cells.extend([p.p50_ms, p.p99_ms, p.max_ms].map(ms));
            cells.push(p.nodes_per_s.map_or("-".to_owned(), large));
            if with_programs {
                cells.push(p.cpu_ms.map_or("-".to_owned(), ms));
                let mib = |kib: u64| format!("{:.1}", kib as f64 / 1024.0);
                cells.push(p.peak_kib.map_or("-".to_owned(), mib));
            }
            cells.extend(FaultKind::ALL.map(|k| p.faults.of(k).to_string()));
            cells.extend([p.voided_actions, p.forfeits].map(|n| n.to_string()));
            cells
        };
        Grid([head].into_iter().chain(self.players.iter().map(line)).collect())
    }

    /// Each against each: the score of the row's player against the column's player.
    fn cross(&self) -> Grid {
        let names = || self.players.iter().map(|p| p.name.clone());
        let cell = |row: usize, column: usize| {
            let found = self.versus.iter().find_map(|v| match (v.first, v.second) {
                (a, b) if (a, b) == (row, column) => Some(v.score?.mean),
                (a, b) if (a, b) == (column, row) => Some(1.0 - v.score?.mean),
                _ => None,
            });
            found.map_or_else(|| "-".to_owned(), |mean| format!("{:.1}%", 100.0 * mean))
        };
        let all = self.players.len();
        let line = |(i, name): (usize, String)| {
            [name].into_iter().chain((0..all).map(|column| cell(i, column))).collect::<Vec<_>>()
        };
        let head = ["against".to_owned()].into_iter().chain(names()).collect();
        Grid([head].into_iter().chain(names().enumerate().map(line)).collect())
    }

    fn couples(&self) -> Grid {
        let head = row(["each against each", "games", "won", "drawn", "lost", "score [95%]", "Elo [95%]"]);
        let line = |v: &Versus| {
            let [a, b] = [v.first, v.second].map(|p| self.players[p].name.as_str());
            let counts = [v.games, v.wins, v.draws, v.losses].map(|n| n.to_string());
            let name = [format!("{a} - {b}")];
            name.into_iter().chain(counts).chain([percent(v.score), elo(v.elo)]).collect()
        };
        Grid([head].into_iter().chain(self.versus.iter().map(line)).collect())
    }
}

/// `SPRT of 0 and 5 Elo (alpha 0.05, beta 0.05): LLR +2.96 [-2.94, +2.94] after 812 deals: H1 accepted, 5 Elo`
fn sprt(standing: &Standing) -> String {
    let test = &standing.test;
    let end = match standing.accepted {
        Some(Hypothesis::H0) => format!("H0 accepted, {} Elo", test.elo0),
        Some(Hypothesis::H1) => format!("H1 accepted, {} Elo", test.elo1),
        None => "undecided".to_owned(),
    };
    let Sprt { elo0, elo1, alpha, beta } = test;
    format!("SPRT of {elo0} and {elo1} Elo (alpha {alpha}, beta {beta}): {standing}: {end}")
}
