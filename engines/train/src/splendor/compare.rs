//! The command `splendor-measure`: paired games between networks, settings of the search and fixed opponents.

use std::path::Path;

use super::measure::{Contestant, paired};
use super::net;

/// The arguments of `splendor-measure`.
#[derive(clap::Args)]
pub(crate) struct MeasureArgs {
    /// A player: `greedy`, another engine that needs no time, `version-3:ITERATIONS`, or
    /// `FILE:ITERATIONS[,exploration=X][,untried=X][,first-outcomes=X][,outcome-growth=X][,expand-at=N][,worlds=N][,kept=N]
    /// [,least-prior=X][,most-nodes=N]`
    first: String,
    /// Its opponent, in the same form
    second: String,
    /// Number of players, 1 to 4. The opponent has all seats but one; with one seat, each plays the deal alone, and the
    /// one that needs fewer rounds scores
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=4))]
    seats: u8,
    /// Deals; each is played once with the first player in each seat
    #[arg(long, default_value_t = 200)]
    deals: u64,
    /// Threads that play at the same time
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seed of the deals
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The command.
pub(crate) fn run(args: &MeasureArgs) -> Result<(), String> {
    let [first, second] = [player(&args.first, args.seats)?, player(&args.second, args.seats)?];
    let score = paired([&first, &second], args.seats, args.deals, args.threads, args.seed);
    let [own, other] = score.thought;
    println!("{}: {score} against {} ({own:.2} : {other:.2} ms a move)", args.first, args.second);
    Ok(())
}

/// The player of a description, see [`MeasureArgs::first`].
pub(super) fn player(text: &str, seats: u8) -> Result<Contestant, String> {
    let Some((name, rest)) = text.split_once(':') else { return Contestant::instant(text) };
    let mut parts = rest.split(',');
    let iterations = number(parts.next().unwrap_or_default())? as u32;
    if name == "version-3" {
        return Ok(Contestant::Former(iterations));
    }
    let file = std::fs::read(Path::new(name)).map_err(|e| format!("cannot read {name}: {e}"))?;
    let mut player = Contestant::net(&net(&file, seats)?, iterations);
    let Contestant::Net { settings, .. } = &mut player else { return Ok(player) };
    for part in parts {
        let (key, value) = part.split_once('=').ok_or(format!("{part:?} is not KEY=VALUE"))?;
        let value = number(value)?;
        match key {
            "exploration" => settings.tree.exploration = value,
            "untried" => settings.tree.untried = value,
            "first-outcomes" => settings.tree.first_outcomes = value,
            "outcome-growth" => settings.tree.outcome_growth = value,
            "expand-at" => settings.tree.expand_at = (value as u32).max(1),
            "kept" => settings.kept = (value as usize).max(1),
            "least-prior" => settings.least_prior = value,
            "most-nodes" => settings.tree.most_nodes = (value as usize).max(1),
            "worlds" => settings.worlds = (value as usize).max(1),
            _ => return Err(format!("{key:?} is not a setting of the search")),
        }
    }
    Ok(player)
}

fn number(text: &str) -> Result<f32, String> {
    text.parse().map_err(|_| format!("{text:?} is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_of_players_are_read_or_refused() {
        assert!(matches!(player("version-3:150", 2), Ok(Contestant::Former(150))));
        assert!(matches!(player("greedy", 2), Ok(Contestant::Instant("greedy"))));
        for wrong in ["nobody", "version-3:many", "missing.net:100", "splendor"] {
            assert!(player(wrong, 2).is_err(), "{wrong}");
        }
    }
}
