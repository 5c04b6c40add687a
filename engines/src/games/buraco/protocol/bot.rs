//! The bot's side: follows the table by what the referee tells, and prints moves where it is asked for them.

use super::super::rules::{CARDS, Card, Move, Open, take_all};
use super::super::{Buraco, View};
use crate::game::{Seat, Turn, View as _, Viewer};
use crate::protocol::{Lines, Player, ProtocolError, Step};

/// What the next line is.
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
    hand: Vec<Card>,
    open: Option<Open>,
    /// Whether a turn has begun: the first one tells who starts.
    begun: bool,
}

impl Default for Bot {
    fn default() -> Self {
        Self { due: Due::Ids, ids: Vec::new(), seat: Seat(0), hand: Vec::new(), open: None, begun: false }
    }
}

fn error<T>(text: impl Into<String>) -> Result<T, ProtocolError> {
    Err(ProtocolError(text.into()))
}

fn card(text: &str) -> Result<Card, ProtocolError> {
    text.parse().map_err(ProtocolError)
}

/// A list of cards, with or without brackets, whatever the spaces.
fn cards(line: &str) -> Result<Vec<Card>, ProtocolError> {
    let words = line.split(|c: char| c.is_whitespace() || c == '[' || c == ']').filter(|w| !w.is_empty());
    words.take(CARDS + 1).map(card).collect()
}

impl Bot {
    fn open(&mut self) -> Result<&mut Open, ProtocolError> {
        self.open.as_mut().ok_or_else(|| ProtocolError("no match has begun".to_owned()))
    }

    fn hear(&mut self, line: &str) -> Result<Due, ProtocolError> {
        match &self.due {
            Due::Ids => {
                self.ids = line.split_whitespace().take(3).map(str::to_owned).collect();
                match &self.ids[..] {
                    [a, b] if a != b => Ok(Due::OwnId),
                    _ => error("the first line names two bots by different ids"),
                }
            }
            Due::OwnId => match self.ids.iter().position(|id| *id == line) {
                Some(seat) => {
                    self.seat = Seat(seat as u8);
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
            Due::Card => {
                self.hand.push(card(line)?);
                self.consistent()?;
                Ok(Due::Decision)
            }
            Due::Pile { rest, top } => {
                let mut told = cards(line)?;
                let mut known = rest.clone();
                if told.len() > known.len() {
                    take_all(&mut told, &[*top]);
                }
                told.sort_unstable();
                known.sort_unstable();
                if told != known {
                    return error("these are not the cards that lay in the pile");
                }
                Ok(Due::Decision)
            }
            Due::Decision => error("a line came where the bot is to move"),
            Due::End => Ok(Due::End),
        }
    }

    /// Both hands have the same number of cards, as far as anybody is told.
    fn begin(&mut self, top: Card) -> Result<Due, ProtocolError> {
        let hand = self.hand.len();
        if hand == 0 || 2 * hand >= CARDS {
            return error(format!("a hand has 1 to {} cards", (CARDS - 1) / 2));
        }
        let stock = CARDS - 1 - 2 * hand;
        self.open = Some(Open::new(Seat(0), hand as u8, top, stock as u8));
        self.consistent()?;
        Ok(Due::Turn)
    }

    fn turn(&mut self, line: &str) -> Result<Due, ProtocolError> {
        let Some(seat) = self.ids.iter().position(|id| *id == line) else {
            return error(format!("a turn begins with the id of a bot: {}", self.ids.join(" or ")));
        };
        let (own, seat, begun) = (self.seat, Seat(seat as u8), std::mem::replace(&mut self.begun, true));
        let open = self.open()?;
        if !begun {
            open.to_move = seat;
        } else if open.to_move != seat {
            return error(format!("it is not the turn of {line}"));
        }
        Ok(if seat == own { Due::Decision } else { Due::Command })
    }

    fn command(&mut self, line: &str) -> Result<Due, ProtocolError> {
        let mv: Move = line.parse().map_err(ProtocolError)?;
        let foe = self.seat.other();
        let possible = self.view()?.possible(foe);
        let open = self.open()?;
        if let Err(why) = open.check(&possible, &mv) {
            return error(format!("the opponent cannot play {mv}: {why}"));
        }
        open.play(&mv);
        let ended = open.turn() == Turn::Over || matches!(mv, Move::Discard { .. });
        Ok(if ended { Due::Turn } else { Due::Command })
    }

    fn view(&self) -> Result<View, ProtocolError> {
        let open = self.open.clone().ok_or_else(|| ProtocolError("no match has begun".to_owned()))?;
        Ok(View::new(open, Viewer::Seat(self.seat), self.hand.clone()))
    }

    /// No third copy of a card shows.
    fn consistent(&self) -> Result<(), ProtocolError> {
        self.view()?.check().map_err(ProtocolError)
    }

    fn step(&self) -> Step<Buraco> {
        match (&self.due, self.view()) {
            (Due::Decision, Ok(view)) if matches!(view.turn(), Turn::Of(_)) => {
                Step::Think { view: Box::new(view), clock: None }
            }
            _ => Step::Listen,
        }
    }
}

impl Player<Buraco> for Bot {
    fn start(&mut self, _: &mut Lines) -> Step<Buraco> {
        Step::Listen
    }

    fn line(&mut self, line: &str, _: &mut Lines) -> Result<Step<Buraco>, ProtocolError> {
        let line = line.trim();
        if !line.is_empty() {
            self.due = self.hear(line)?;
        }
        Ok(self.step())
    }

    fn played(&mut self, mv: &Move, out: &mut Lines) -> Step<Buraco> {
        out.push(mv.to_string());
        let Some(open) = &mut self.open else { return Step::Listen };
        let top = open.pile().last().copied();
        take_all(&mut self.hand, mv.cards());
        let rest = open.play(mv);
        self.hand.extend(&rest);
        self.due = match (mv, top) {
            _ if open.turn() == Turn::Over => Due::End,
            (Move::GetStock, _) => Due::Card,
            (Move::GetDiscard { .. }, Some(top)) => Due::Pile { rest, top },
            (Move::Discard { .. }, _) => Due::Turn,
            _ => Due::Decision,
        };
        self.step()
    }
}
