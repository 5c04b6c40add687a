//! Checks that a table is possible: chips, cards, nobles, and hands against the turns played.

use super::board::{ALL_GOLD, Board, HAND_LIMIT, RESERVE_LIMIT, ROUNDS, SEATS, chips_of_a_color, covers};
use super::cards::{CARDS, CHIPS, GOLD, LEVEL_SIZES, LEVELS, NOBLES, card, noble};
use crate::game::Seat;

impl Board {
    /// Checks that the table is possible. `sees`: the seat whose reserved cards are all known.
    ///
    /// # Errors
    /// Names the field and says what is allowed.
    pub fn check(&self, sees: Option<Seat>) -> Result<(), String> {
        let players = self.hands.len();
        if !(1..=SEATS).contains(&players) {
            return Err(format!("players: 1 to 4, not {players}"));
        }
        if self.to_move.index() >= players {
            return Err(format!("to_move: there are seats 0 to {}", players - 1));
        }
        if self.round > ROUNDS || (self.round == ROUNDS && self.to_move != Seat(0)) {
            return Err("round: counted from 0, at most 100 rounds".to_owned());
        }
        self.check_chips()?;
        self.check_cards(sees)?;
        self.check_nobles()?;
        for (seat, hand) in self.hands.iter().enumerate() {
            let turns = usize::from(self.round) + usize::from(seat < self.to_move.index());
            if hand.fewest_turns().is_none_or(|fewest| fewest > turns) || hand.nobles.len() > turns {
                return Err(format!("players[{seat}]: this hand is impossible after {turns} turns"));
            }
        }
        Ok(())
    }

    fn check_chips(&self) -> Result<(), String> {
        for kind in 0..CHIPS {
            let all = if kind == GOLD { ALL_GOLD } else { chips_of_a_color(self.hands.len()) };
            let owned = self.hands.iter().map(|hand| u32::from(hand.chips[kind]));
            if u32::from(self.bank[kind]) + owned.sum::<u32>() != u32::from(all) {
                let names = ["red", "green", "blue", "white", "black", "gold"];
                return Err(format!("chips: bank and players together have {all} {} chips", names[kind]));
            }
        }
        // This sum cannot overflow: no count above exceeds 7.
        match self.hands.iter().position(|hand| hand.held() > HAND_LIMIT) {
            Some(seat) => Err(format!("players[{seat}].chips: at most {HAND_LIMIT} after a turn")),
            None => Ok(()),
        }
    }

    fn check_cards(&self, sees: Option<Seat>) -> Result<(), String> {
        let mut seen = [false; CARDS + 1];
        let mut of_level = self.decks.map(u32::from);
        let mut know = |id: u8, field: &str| {
            if !(1..=CARDS).contains(&usize::from(id)) {
                return Err(format!("{field}: {id} is not a card: ids are 1 to 90"));
            }
            if std::mem::replace(&mut seen[usize::from(id)], true) {
                return Err(format!("{field}: card {id} is there twice"));
            }
            of_level[usize::from(card(id).level)] += 1;
            Ok(usize::from(card(id).level))
        };
        for (level, slots) in self.face_up.iter().enumerate() {
            let field = format!("levels[{level}].face_up");
            for id in slots {
                if *id == 0 && self.decks[level] > 0 {
                    return Err(format!("{field}: 0 is allowed only if the deck is empty"));
                }
                if *id != 0 && know(*id, &field)? != level {
                    return Err(format!("{field}: card {id} is of another level"));
                }
            }
        }
        let mut hidden = [0u32; LEVELS];
        for (seat, hand) in self.hands.iter().enumerate() {
            let field = |name| format!("players[{seat}].{name}");
            for id in &hand.cards {
                know(*id, &field("cards"))?;
            }
            if hand.reserved.len() > RESERVE_LIMIT {
                return Err(format!("{}: at most three cards are reserved", field("reserved")));
            }
            for what in &hand.reserved {
                match u8::try_from(*what) {
                    Ok(id) => know(id, &field("reserved")).map(|_| ())?,
                    Err(_) if sees == Some(Seat(seat as u8)) => {
                        return Err(format!("{}: a player knows its own cards", field("reserved")));
                    }
                    Err(_) if (-3..=-1).contains(what) => hidden[usize::from(what.unsigned_abs()) - 1] += 1,
                    Err(_) => {
                        return Err(format!(
                            "{}: a hidden card is -1, -2 or -3, its level",
                            field("reserved")
                        ));
                    }
                }
            }
        }
        for level in 0..LEVELS {
            let (there, all) = (of_level[level] + hidden[level], LEVEL_SIZES[level]);
            if there != u32::from(all) {
                return Err(format!(
                    "levels[{level}].deck: deck and visible cards of the level together are {all}, not {there}"
                ));
            }
        }
        Ok(())
    }

    fn check_nobles(&self) -> Result<(), String> {
        let mut seen = [false; NOBLES + 1];
        let all = self.nobles.iter().chain(self.hands.iter().flat_map(|hand| &hand.nobles));
        let mut count = 0;
        for id in all {
            if !(1..=NOBLES).contains(&usize::from(*id)) {
                return Err(format!("nobles: {id} is not a noble: ids are 1 to 10"));
            }
            if std::mem::replace(&mut seen[usize::from(*id)], true) {
                return Err(format!("nobles: noble {id} is there twice"));
            }
            count += 1;
        }
        let players = self.hands.len();
        if count != players + 1 {
            return Err(format!("nobles: a game of {players} has {} nobles, not {count}", players + 1));
        }
        for (seat, hand) in self.hands.iter().enumerate() {
            let bonuses = hand.bonuses();
            if let Some(id) = hand.nobles.iter().find(|id| !covers(&bonuses, &noble(**id).needs)) {
                return Err(format!(
                    "players[{seat}].nobles: the bought cards are not enough for noble {id}"
                ));
            }
        }
        Ok(())
    }
}
