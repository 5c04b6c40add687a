//! The beginning of a sample dialogue, with which a caller can try a game. The rules alone play it, without an engine.

use engines::erased::{AnyGame, Awaits, Refusal};
use engines::game::{Process, Seat, Turn, Viewer};
use engines::protocol::{Entry, Settings};
use engines::rng::Seed;
use serde_json::json;

/// The most entries of a sample: enough for the first decision of every game.
const ENTRIES: usize = 24;

/// A few entries of a dialogue in which every seat plays its first legal move. Empty if the game's dialogue does not allow
/// this.
pub(crate) fn dialogue(game: &dyn AnyGame) -> Vec<String> {
    let mut entries = Vec::new();
    if play(game, &mut entries).is_err() {
        entries.clear();
    }
    entries.truncate(ENTRIES);
    entries.iter().map(Entry::to_string).collect()
}

fn play(game: &dyn AnyGame, entries: &mut Vec<Entry>) -> Result<(), Refusal> {
    let Some(bot) = game.info().bot_seats.first().map(|seat| Seat(*seat)) else { return Ok(()) };
    let mut table = game.deal(&json!({}), &Seed::from(1))?;
    let mut session = game.session(&Settings::default())?;
    table.seat_bot(bot, &Settings::default())?;
    let mut prompted = None;
    while entries.len() < ENTRIES {
        let Turn::Of(seat) = table.turn() else { return Ok(()) };
        let ply = table.ply();
        if seat == bot && prompted != Some(ply) {
            table.prompt(bot, None);
            prompted = Some(ply);
        }
        let mut said = session.take_lines();
        if said.is_empty() {
            let read = table.take_lines(bot);
            if seat != bot && read.is_empty() {
                let first = table.view(Viewer::Seat(seat)).legal_moves().into_iter().next();
                table.play(seat, &first.map_or(String::new(), |mv| mv.notation))?;
                continue;
            }
            let mut heard: Vec<_> = read.into_iter().map(Entry::Read).collect();
            if seat == bot && game.info().process == Process::PerMove {
                heard.push(Entry::End);
            }
            entries.extend(heard.iter().cloned());
            session.push(heard);
            match session.advance()? {
                Awaits::Decision(question) => {
                    let first = question.position.legal_moves().into_iter().next();
                    session.decide(&first.map_or(String::new(), |mv| mv.notation))?;
                }
                Awaits::EntryWithin(_) => {
                    session.silence();
                }
                Awaits::Entry => {}
                Awaits::Nothing => return Ok(()),
            }
            said = session.take_lines();
        }
        if said.is_empty() && table.ply() == ply && seat == bot {
            return Ok(());
        }
        for line in said {
            entries.push(Entry::Printed(line.clone()));
            if let Some(mv) = table.hear(bot, &line)? {
                table.play(bot, &mv)?;
            }
        }
        if game.info().process == Process::PerMove && table.ply() != ply {
            return Ok(());
        }
    }
    Ok(())
}
