//! Chooses the seat to replay.

use engines::arena::{Recording, ReplayMatch};
use engines::game::Seat;

use crate::matches::record::match_file::{FoundContent, FoundMatch};
use crate::matches::record::plain;

/// What the user says about the seat.
pub(super) struct BotChoice<'a> {
    pub seat: Option<Seat>,
    pub name: Option<&'a str>,
}

/// A seat of a match, or a bot of a dialogue.
pub(super) struct ChosenSeat {
    pub seat: Seat,
    /// The name of its holder; it may be empty.
    pub name: String,
    pub recording: Recording,
}

impl BotChoice<'_> {
    /// The seats of a match that are to be replayed. Only with a name they can be none, or several.
    ///
    /// # Errors
    /// When the user has to choose, or there is no such seat; one sentence.
    pub(super) fn seats(&self, found: &FoundMatch) -> Result<Vec<ChosenSeat>, String> {
        let holders: Vec<(&str, bool)> = match &found.content {
            FoundContent::Match(recorded) => holders(recorded),
            FoundContent::Dialogues(all) => all.iter().map(|one| (one.name.as_str(), true)).collect(),
        };
        let chosen = self.places(&holders)?;
        let at = |place: usize| ChosenSeat {
            seat: Seat(place as u8),
            name: holders[place].0.to_owned(),
            recording: match &found.content {
                FoundContent::Match(recorded) => Recording::Match(recorded.clone()),
                FoundContent::Dialogues(all) => Recording::Dialogue(all[place].clone()),
            },
        };
        Ok(chosen.into_iter().map(at).collect())
    }

    fn places(&self, holders: &[(&str, bool)]) -> Result<Vec<usize>, String> {
        let all = || {
            let one = |(place, (name, _)): (usize, &(&str, bool))| match name.is_empty() {
                true => place.to_string(),
                false => format!("{place} ({})", plain(name)),
            };
            holders.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
        };
        if let Some(seat) = self.seat {
            let place = seat.index();
            return match place < holders.len() {
                true => Ok(vec![place]),
                false => Err(format!("there is no seat {place}; the seats are {}", all())),
            };
        }
        if let Some(name) = self.name {
            let is_named = |(_, (known, _)): &(usize, &(&str, bool))| known.eq_ignore_ascii_case(name);
            return Ok(holders.iter().enumerate().filter(is_named).map(|(place, _)| place).collect());
        }
        let bots: Vec<usize> = (0..holders.len()).filter(|place| holders[*place].1).collect();
        match bots.as_slice() {
            [only] => Ok(vec![*only]),
            _ => Err(format!("choose the bot with --seat or --name; the seats are {}", all())),
        }
    }
}

fn holders(recorded: &ReplayMatch) -> Vec<(&str, bool)> {
    recorded.seats.iter().map(|seat| (seat.name.as_str(), seat.is_bot)).collect()
}
