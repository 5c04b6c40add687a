//! The bot's side: follows the table by what the referee tells, and prints moves where it is asked for them. The
//! referee decides: what it tells against the rules is believed.

use super::super::Buraco;
use super::super::rules::{CARDS, Card, Move, bracketed, take_all};
use super::record::Record;
use crate::game::{Seat, Turn};
use crate::protocol::{Awaits, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError};

/// What the next line is.
#[derive(Clone)]
enum Due {
    /// The ids of all bots.
    Ids,
    /// The own id.
    OwnId,
    /// The own hand.
    Hand,
    /// The first card of the pile.
    Top,
    /// The id of the seat whose turn begins, or the end.
    Turn,
    /// A command of the opponent.
    Command,
    /// No line: a decision.
    Decision,
    /// The card drawn from the stock.
    Card,
    /// The cards taken from the pile; these they must be, or these and the top card.
    Pile { rest: Vec<Card>, top: Card },
    /// Nothing that matters: the match is over by an own move.
    End,
}

/// The bot's side.
pub struct Bot {
    due: Due,
    ids: Vec<String>,
    seat: Seat,
    /// The own hand, until the match begins.
    hand: Vec<Card>,
    record: Option<Record>,
    /// Whether a turn has begun: the first one tells who starts.
    begun: bool,
}

impl Default for Bot {
    fn default() -> Self {
        Self { due: Due::Ids, ids: Vec::new(), seat: Seat(0), hand: Vec::new(), record: None, begun: false }
    }
}

fn error<T>(text: impl Into<String>) -> Result<T, ProtocolError> {
    Err(ProtocolError(text.into()))
}

fn card(text: &str) -> Result<Card, ProtocolError> {
    text.parse().map_err(ProtocolError)
}

/// The words of a list of cards, with or without brackets, whatever the spaces; one more at most than there are cards.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| c.is_whitespace() || c == '[' || c == ']').filter(|w| !w.is_empty());
    words.take(CARDS + 1)
}

/// A list of cards.
fn cards(line: &str) -> Result<Vec<Card>, ProtocolError> {
    words(line).map(card).collect()
}

/// The cards of a list that can be read.
fn readable(line: &str) -> Vec<Card> {
    words(line).filter_map(|word| word.parse().ok()).collect()
}

/// The cards that came from the pile, the top card left out where it is among them.
fn without_top(mut told: Vec<Card>, rest: &[Card], top: Card) -> Vec<Card> {
    if told.len() > rest.len() {
        take_all(&mut told, &[top]);
    }
    told
}

impl Bot {
    fn record(&mut self) -> Result<&mut Record, ProtocolError> {
        self.record.as_mut().ok_or_else(|| ProtocolError("no match has begun".to_owned()))
    }

    /// What is due after this line.
    ///
    /// # Errors
    /// When the line contradicts protocol or rules; nothing has changed then.
    fn hear(&mut self, line: &str) -> Result<Due, ProtocolError> {
        match self.due.clone() {
            Due::Ids => {
                let ids: Vec<String> = line.split_whitespace().take(3).map(str::to_owned).collect();
                match &ids[..] {
                    [a, b] if a != b => self.ids = ids,
                    _ => return error("the first line names two bots by different ids"),
                }
                Ok(Due::OwnId)
            }
            Due::OwnId => match self.seat_of(line) {
                Some(seat) => {
                    self.seat = seat;
                    Ok(Due::Hand)
                }
                None => error(format!("the own id is one of {}", self.ids.join(", "))),
            },
            Due::Hand => {
                self.hand = cards(line)?;
                Ok(Due::Top)
            }
            Due::Top => self.begin(card(line)?),
            Due::Turn => self.turn(line),
            Due::Command => self.command(line),
            Due::Card => self.drawn(card(line)?),
            Due::Pile { rest, top } => {
                let (mut told, mut known) = (without_top(cards(line)?, &rest, top), rest);
                told.sort_unstable();
                known.sort_unstable();
                if told != known {
                    return error(format!("{} lay in the pile, not {line}", bracketed(&known)));
                }
                Ok(Due::Decision)
            }
            Due::Decision => error("a line came where the bot is to move"),
            Due::End => error("a line came though the match is over"),
        }
    }

    fn seat_of(&self, id: &str) -> Option<Seat> {
        self.ids.iter().position(|known| known == id).map(|seat| Seat(seat as u8))
    }

    fn begin(&mut self, top: Card) -> Result<Due, ProtocolError> {
        let hand = self.hand.len();
        if hand == 0 || 2 * hand >= CARDS {
            return error(format!("a hand has 1 to {} cards", (CARDS - 1) / 2));
        }
        let record = Record::new(self.seat, self.hand.clone(), Some(top));
        record.consistent().map_err(ProtocolError)?;
        self.record = Some(record);
        Ok(Due::Turn)
    }

    fn turn(&mut self, line: &str) -> Result<Due, ProtocolError> {
        let Some(seat) = self.seat_of(line) else {
            return error(format!("a turn begins with the id of a bot: {}", self.ids.join(" or ")));
        };
        let (own, begun) = (self.seat, self.begun);
        let open = &mut self.record()?.open;
        if open.turn() == Turn::Over {
            return error("a turn begins though the match is over");
        }
        if !begun {
            open.to_move = seat;
        } else if open.to_move != seat {
            return error(format!("it is not the turn of {line}"));
        }
        self.begun = true;
        Ok(if seat == own { Due::Decision } else { Due::Command })
    }

    fn command(&mut self, line: &str) -> Result<Due, ProtocolError> {
        let mv: Move = line.parse().map_err(ProtocolError)?;
        let record = self.record()?;
        if let Err(why) = record.check_foe(&mv) {
            return error(format!("the opponent cannot play {mv}: {why}"));
        }
        record.open.play(&mv);
        record.top_known = matches!(mv, Move::Discard { .. });
        let ended = record.open.turn() == Turn::Over || matches!(mv, Move::Discard { .. });
        Ok(if ended { Due::Turn } else { Due::Command })
    }

    /// The card that came from the stock.
    fn drawn(&mut self, card: Card) -> Result<Due, ProtocolError> {
        let record = self.record()?;
        record.hand.push(card);
        if let Err(why) = record.consistent() {
            record.hand.pop();
            return error(format!("the {card} came from the stock; {why}"));
        }
        Ok(Due::Decision)
    }

    /// What is due after a line that [`Self::hear`] refused: the best that can be made of it.
    fn hear_leniently(&mut self, line: &str) -> Due {
        match self.due.clone() {
            Due::Ids => {
                self.ids = line.split_whitespace().take(2).map(str::to_owned).collect();
                if self.ids.len() == 2 { Due::OwnId } else { Due::Ids }
            }
            // Only the first seat's id can be mistaken for another without mistaking every turn.
            Due::OwnId => {
                self.ids[0] = line.to_owned();
                Due::Hand
            }
            Due::Hand => {
                self.hand = readable(line);
                if self.hand.is_empty() { Due::Hand } else { Due::Top }
            }
            Due::Top => {
                let top = card(line).ok();
                let mut record = Record::new(self.seat, self.hand.clone(), top);
                record.accept();
                self.record = Some(record);
                if self.seat_of(line).is_some() { self.turn_told(line, Due::Turn) } else { Due::Turn }
            }
            due if self.seat_of(line).is_some() => self.turn_told(line, due),
            due => self.play_told(line, due),
        }
    }

    /// The referee says whose turn it is, and it is right.
    fn turn_told(&mut self, line: &str, due: Due) -> Due {
        let (Some(seat), Some(record)) = (self.seat_of(line), &mut self.record) else { return due };
        // Two bots of one name take turns; one of them begins.
        let nameless = self.ids.first() == self.ids.last();
        let seat = if nameless && self.begun { record.open.to_move } else { seat };
        record.begin_turn(seat);
        // The card that ended the other turn was not told.
        record.top_known &= !matches!(due, Due::Command);
        self.begun = true;
        if seat == self.seat { Due::Decision } else { Due::Command }
    }

    /// A command of the opponent or an answer, against the rules.
    fn play_told(&mut self, line: &str, due: Due) -> Due {
        let Some(record) = &mut self.record else { return due };
        let card = card(line).ok();
        match (due, line.parse::<Move>()) {
            // A stock that seemed empty was not.
            (Due::Card | Due::End, _) if card.is_some() => {
                record.hand.extend(card);
                record.open.to_move = self.seat;
                record.open.drawn = true;
                record.open.exhausted = false;
                record.count_hand();
                record.accept();
                Due::Decision
            }
            (Due::Card, _) => {
                record.open.drawn = true;
                record.count_hand();
                record.accept();
                Due::Decision
            }
            (Due::Pile { rest, top }, _) => {
                let told = without_top(readable(line), &rest, top);
                if words(line).next().is_none() || !told.is_empty() {
                    record.exchange(&rest, &told);
                }
                record.accept();
                Due::Decision
            }
            (Due::Turn | Due::Command | Due::End, Ok(mv)) => {
                record.believe_foe(&mv);
                if matches!(mv, Move::Discard { .. }) { Due::Turn } else { Due::Command }
            }
            (Due::Turn | Due::Command, Err(_)) if line.starts_with("DISCARD") => {
                record.top_known = false;
                record.accept();
                Due::Turn
            }
            (due, _) => due,
        }
    }

    /// What comes next: a line, or a decision. Where no position can be made of what was told, the safest move is
    /// printed at once.
    fn step(&mut self, out: &mut Lines) -> PlayerAwaits<Buraco> {
        while let (Due::Decision, Some(record)) = (&self.due, &self.record) {
            if let Some(view) = record.reading() {
                return Awaits::Decision(PlayerDecision { view: Box::new(view), clock: None });
            }
            let Some(mv) = record.safest() else { return Awaits::Entry };
            self.print(&mv, out);
        }
        Awaits::Entry
    }

    fn print(&mut self, mv: &Move, out: &mut Lines) {
        out.push(mv.to_string());
        let Some(record) = &mut self.record else { return };
        let top = record.open.pile().last().copied();
        let rest = record.play_own(mv);
        self.due = match (mv, top) {
            _ if record.open.turn() == Turn::Over => Due::End,
            (Move::GetStock, _) => Due::Card,
            (Move::GetDiscard { .. }, Some(top)) => Due::Pile { rest, top },
            (Move::Discard { .. }, _) => Due::Turn,
            _ => Due::Decision,
        };
    }
}

impl Player<Buraco> for Bot {
    fn start(&mut self, _: &mut Lines) -> PlayerAwaits<Buraco> {
        Awaits::Entry
    }

    fn line(&mut self, line: &str, out: &mut Lines) -> Result<PlayerAwaits<Buraco>, ProtocolError> {
        let line = line.trim();
        if !line.is_empty() {
            self.due = self.hear(line)?;
        }
        Ok(self.step(out))
    }

    fn cope(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<Buraco> {
        let line = line.unwrap_or_default().trim();
        if !line.is_empty() {
            self.due = self.hear_leniently(line);
        }
        self.step(out)
    }

    fn played(&mut self, mv: &Move, out: &mut Lines) -> PlayerAwaits<Buraco> {
        self.print(mv, out);
        self.step(out)
    }
}
