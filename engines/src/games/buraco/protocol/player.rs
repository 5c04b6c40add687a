//! The bot's side: follows the table by the referee's lines and prints commands in its own turns. The referee decides the
//! match, so the bot accepts lines that contradict the rules.

use super::super::Buraco;
use super::super::rules::{CARDS, Card, Move, bracketed, take_all};
use super::observed::ObservedTable;
use crate::game::{Seat, Turn};
use crate::protocol::{Awaits, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError};

/// The kind of line that must come next.
#[derive(Clone)]
enum ExpectedLine {
    /// The ids of all bots.
    Ids,
    OwnId,
    /// The own hand.
    Hand,
    /// The first card of the pile.
    FirstTop,
    /// The id of the seat whose turn begins.
    Turn,
    /// A command of the opponent.
    Command,
    /// No line: the bot must decide.
    Decision,
    /// The card drawn from the stock.
    Card,
    /// The cards taken from the pile: `rest`, with or without the top card.
    Pile {
        rest: Vec<Card>,
        top: Card,
    },
    /// No line: an own move has ended the match.
    End,
}

/// The bot's side.
pub(crate) struct PlayerDialogue {
    expected: ExpectedLine,
    ids: Vec<String>,
    seat: Seat,
    /// The own hand before the match begins; later the table has it.
    hand: Vec<Card>,
    table: Option<ObservedTable>,
    /// Whether a turn has begun. The first turn reveals the starting seat.
    begun: bool,
}

impl Default for PlayerDialogue {
    fn default() -> Self {
        Self {
            expected: ExpectedLine::Ids,
            ids: Vec::new(),
            seat: Seat(0),
            hand: Vec::new(),
            table: None,
            begun: false,
        }
    }
}

fn error<T>(text: impl Into<String>) -> Result<T, ProtocolError> {
    Err(ProtocolError(text.into()))
}

fn card(text: &str) -> Result<Card, ProtocolError> {
    text.parse().map_err(ProtocolError)
}

/// The words of a list of cards, with or without brackets: at most one more than there are cards.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| c.is_whitespace() || c == '[' || c == ']').filter(|w| !w.is_empty());
    words.take(CARDS + 1)
}

/// Reads a list of cards.
fn cards(line: &str) -> Result<Vec<Card>, ProtocolError> {
    words(line).map(card).collect()
}

/// The readable cards of a list.
fn readable(line: &str) -> Vec<Card> {
    words(line).filter_map(|word| word.parse().ok()).collect()
}

/// The cards that came from the pile, without the top card if the list has it.
fn without_top(mut listed: Vec<Card>, rest: &[Card], top: Card) -> Vec<Card> {
    if listed.len() > rest.len() {
        take_all(&mut listed, &[top]);
    }
    listed
}

impl PlayerDialogue {
    fn table(&mut self) -> Result<&mut ObservedTable, ProtocolError> {
        self.table.as_mut().ok_or_else(|| ProtocolError("no match has begun".to_owned()))
    }

    /// Reads a line. Returns the kind of line that must come next.
    ///
    /// # Errors
    /// If the line contradicts the protocol or the rules. Nothing has changed then.
    fn read(&mut self, line: &str) -> Result<ExpectedLine, ProtocolError> {
        match self.expected.clone() {
            ExpectedLine::Ids => {
                let ids: Vec<String> = line.split_whitespace().take(3).map(str::to_owned).collect();
                match &ids[..] {
                    [a, b] if a != b => self.ids = ids,
                    _ => return error("the first line must name two bots with different ids"),
                }
                Ok(ExpectedLine::OwnId)
            }
            ExpectedLine::OwnId => match self.seat_of(line) {
                Some(seat) => {
                    self.seat = seat;
                    Ok(ExpectedLine::Hand)
                }
                None => error(format!("the own id must be one of {}", self.ids.join(", "))),
            },
            ExpectedLine::Hand => {
                self.hand = cards(line)?;
                Ok(ExpectedLine::FirstTop)
            }
            ExpectedLine::FirstTop => self.begin_match(card(line)?),
            ExpectedLine::Turn => self.read_turn(line),
            ExpectedLine::Command => self.read_command(line),
            ExpectedLine::Card => self.read_drawn(card(line)?),
            ExpectedLine::Pile { rest, top } => {
                let (mut listed, mut known) = (without_top(cards(line)?, &rest, top), rest);
                listed.sort_unstable();
                known.sort_unstable();
                if listed != known {
                    return error(format!("{} lay in the pile, not {line}", bracketed(&known)));
                }
                Ok(ExpectedLine::Decision)
            }
            ExpectedLine::Decision => error("a line came when it was the bot's move"),
            ExpectedLine::End => error("a line came after the end of the match"),
        }
    }

    fn seat_of(&self, id: &str) -> Option<Seat> {
        self.ids.iter().position(|known| known == id).map(|seat| Seat(seat as u8))
    }

    fn begin_match(&mut self, top: Card) -> Result<ExpectedLine, ProtocolError> {
        let hand = self.hand.len();
        if hand == 0 || 2 * hand >= CARDS {
            return error(format!("a hand has 1 to {} cards", (CARDS - 1) / 2));
        }
        let table = ObservedTable::new(self.seat, self.hand.clone(), Some(top));
        table.consistent().map_err(ProtocolError)?;
        self.table = Some(table);
        Ok(ExpectedLine::Turn)
    }

    fn read_turn(&mut self, line: &str) -> Result<ExpectedLine, ProtocolError> {
        let Some(seat) = self.seat_of(line) else {
            return error(format!("a turn begins with the id of a bot: {}", self.ids.join(" or ")));
        };
        let (own, begun) = (self.seat, self.begun);
        let public = &mut self.table()?.public;
        if public.turn() == Turn::Over {
            return error("a turn begins after the end of the match");
        }
        if !begun {
            public.to_move = seat;
        } else if public.to_move != seat {
            return error(format!("it is not the turn of {line}"));
        }
        self.begun = true;
        Ok(if seat == own { ExpectedLine::Decision } else { ExpectedLine::Command })
    }

    fn read_command(&mut self, line: &str) -> Result<ExpectedLine, ProtocolError> {
        let mv: Move = line.parse().map_err(ProtocolError)?;
        let table = self.table()?;
        if let Err(why) = table.check_opponent(&mv) {
            return error(format!("the opponent cannot play {mv}: {why}"));
        }
        table.public.play(&mv);
        table.top_known = matches!(mv, Move::Discard { .. });
        let ended = table.public.turn() == Turn::Over || matches!(mv, Move::Discard { .. });
        Ok(if ended { ExpectedLine::Turn } else { ExpectedLine::Command })
    }

    /// Takes the card that came from the stock.
    fn read_drawn(&mut self, card: Card) -> Result<ExpectedLine, ProtocolError> {
        let table = self.table()?;
        table.hand.push(card);
        if let Err(why) = table.consistent() {
            table.hand.pop();
            return error(format!("the {card} came from the stock; {why}"));
        }
        Ok(ExpectedLine::Decision)
    }

    /// Reads a line that [`Self::read`] refused as far as possible. Returns the kind of line that must come next.
    fn read_leniently(&mut self, line: &str) -> ExpectedLine {
        match self.expected.clone() {
            ExpectedLine::Ids => {
                self.ids = line.split_whitespace().take(2).map(str::to_owned).collect();
                if self.ids.len() == 2 { ExpectedLine::OwnId } else { ExpectedLine::Ids }
            }
            // An unknown own id replaces the first seat's id, so that the bot recognizes its own turns.
            ExpectedLine::OwnId => {
                self.ids[0] = line.to_owned();
                ExpectedLine::Hand
            }
            ExpectedLine::Hand => {
                self.hand = readable(line);
                if self.hand.is_empty() { ExpectedLine::Hand } else { ExpectedLine::FirstTop }
            }
            ExpectedLine::FirstTop => {
                let top = card(line).ok();
                let mut table = ObservedTable::new(self.seat, self.hand.clone(), top);
                table.accept_contradiction();
                self.table = Some(table);
                if self.seat_of(line).is_some() {
                    self.begin_turn(line, ExpectedLine::Turn)
                } else {
                    ExpectedLine::Turn
                }
            }
            expected if self.seat_of(line).is_some() => self.begin_turn(line, expected),
            expected => self.apply_leniently(line, expected),
        }
    }

    /// Begins the turn that the referee announces, even against the rules.
    fn begin_turn(&mut self, line: &str, expected: ExpectedLine) -> ExpectedLine {
        let (Some(seat), Some(table)) = (self.seat_of(line), &mut self.table) else { return expected };
        // Two bots of the same name take turns; the first one begins.
        let same_names = self.ids.first() == self.ids.last();
        let seat = if same_names && self.begun { table.public.to_move } else { seat };
        table.begin_turn(seat);
        // If the opponent's turn had not ended, its discard is unknown.
        table.top_known &= !matches!(expected, ExpectedLine::Command);
        self.begun = true;
        if seat == self.seat { ExpectedLine::Decision } else { ExpectedLine::Command }
    }

    /// Applies a command of the opponent or an answer that contradicts the rules.
    fn apply_leniently(&mut self, line: &str, expected: ExpectedLine) -> ExpectedLine {
        let Some(table) = &mut self.table else { return expected };
        let card = card(line).ok();
        match (expected, line.parse::<Move>()) {
            // The stock seemed empty but was not.
            (ExpectedLine::Card | ExpectedLine::End, _) if card.is_some() => {
                table.hand.extend(card);
                table.public.to_move = self.seat;
                table.public.drawn = true;
                table.public.exhausted = false;
                table.count_hand();
                table.accept_contradiction();
                ExpectedLine::Decision
            }
            (ExpectedLine::Card, _) => {
                table.public.drawn = true;
                table.count_hand();
                table.accept_contradiction();
                ExpectedLine::Decision
            }
            (ExpectedLine::Pile { rest, top }, _) => {
                let came = without_top(readable(line), &rest, top);
                if words(line).next().is_none() || !came.is_empty() {
                    table.replace_pile_cards(&rest, &came);
                }
                table.accept_contradiction();
                ExpectedLine::Decision
            }
            (ExpectedLine::Turn | ExpectedLine::Command | ExpectedLine::End, Ok(mv)) => {
                table.apply_opponent(&mv);
                if matches!(mv, Move::Discard { .. }) { ExpectedLine::Turn } else { ExpectedLine::Command }
            }
            (ExpectedLine::Turn | ExpectedLine::Command, Err(_)) if line.starts_with("DISCARD") => {
                table.top_known = false;
                table.accept_contradiction();
                ExpectedLine::Turn
            }
            (expected, _) => expected,
        }
    }

    /// The next step: a line or a decision. If no possible position fits the referee's lines, prints the safest move at
    /// once.
    fn step(&mut self, out: &mut Lines) -> PlayerAwaits<Buraco> {
        while let (ExpectedLine::Decision, Some(table)) = (&self.expected, &self.table) {
            if let Some(view) = table.possible_view() {
                return Awaits::Decision(PlayerDecision { view: Box::new(view), clock: None });
            }
            let Some(mv) = table.safest_move() else { return Awaits::Entry };
            self.print(&mv, out);
        }
        Awaits::Entry
    }

    fn print(&mut self, mv: &Move, out: &mut Lines) {
        out.push(mv.to_string());
        let Some(table) = &mut self.table else { return };
        let top = table.public.pile().last().copied();
        let rest = table.play_own(mv);
        self.expected = match (mv, top) {
            _ if table.public.turn() == Turn::Over => ExpectedLine::End,
            (Move::GetStock, _) => ExpectedLine::Card,
            (Move::GetDiscard { .. }, Some(top)) => ExpectedLine::Pile { rest, top },
            (Move::Discard { .. }, _) => ExpectedLine::Turn,
            _ => ExpectedLine::Decision,
        };
    }
}

impl Player<Buraco> for PlayerDialogue {
    fn start(&mut self, _: &mut Lines) -> PlayerAwaits<Buraco> {
        Awaits::Entry
    }

    fn line(&mut self, line: &str, out: &mut Lines) -> Result<PlayerAwaits<Buraco>, ProtocolError> {
        let line = line.trim();
        if !line.is_empty() {
            self.expected = self.read(line)?;
        }
        Ok(self.step(out))
    }

    fn cope(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<Buraco> {
        let line = line.unwrap_or_default().trim();
        if !line.is_empty() {
            self.expected = self.read_leniently(line);
        }
        self.step(out)
    }

    fn played(&mut self, mv: &Move, out: &mut Lines) -> PlayerAwaits<Buraco> {
        self.print(mv, out);
        self.step(out)
    }
}
