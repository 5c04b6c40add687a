//! The player's side. It reads tokens, not lines, and is tolerant: it refuses only what is no card and no command
//! (`tolerant.rs` goes on from there), because a wrong belief about one match costs at most that one.

use std::collections::VecDeque;
use std::time::Duration;

use super::super::rules::{CARDS, COMPUTER, Draws, HAND, Move, Open, PLAYER, Rank};
use super::super::{Septica, View};
use super::zero::{SETTINGS, Situation, Zeros};
use crate::game::{BadOptions, Seat, View as _, Viewer};
use crate::protocol::{Awaits, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError, Settings};

/// How long to wait for what may come without a `0` of ours.
const PATIENCE: Duration = Duration::from_millis(300);
/// Matches in a row in the contest.
const MATCHES: u32 = 1000;

/// What is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// The four cards of a new match.
    Hand,
    /// A card of the computer, or a command.
    Next,
    /// The number of cards drawn, after a command that says who leads.
    Count { leader: Seat },
    /// The drawn cards, so many to come.
    Drawn { leader: Seat, read: usize, left: usize },
    /// The score, so many numbers to come.
    Score { left: u8 },
    /// Nothing any more.
    End,
}

/// The player's side of the dialogue, over many matches in a row.
pub struct Bot {
    matches: u32,
    draws: Draws,
    /// What is known about the zeros that the computer awaits.
    zeros: Zeros,
    played: u32,
    pub(super) tokens: VecDeque<i64>,
    pub(super) reading: Reading,
    /// We wait to learn whether the computer awaits our word in this situation.
    unsure: Option<Situation>,
    /// A decision is awaited.
    asked: Option<Box<View>>,
    pub(super) hand: Vec<Rank>,
    /// Cards of the own hand that could not be read.
    pub(super) unread: usize,
    /// What contradicted the rules, not told yet.
    doubts: Lines,
    /// Numbers of cards as the rules and what we read let us count them.
    pub(super) theirs: usize,
    deck: usize,
    leader: Seat,
    pub(super) trick: Vec<Rank>,
    pub(super) taken: [Vec<Rank>; 2],
    pub(super) past: Vec<Vec<Rank>>,
}

impl Bot {
    /// A bot with these settings: each of [`SETTINGS`] = auto, yes or no; `draws` = player or split; `matches`,
    /// from 1.
    ///
    /// # Errors
    /// When a setting is unknown or has no such value.
    pub fn new(settings: &Settings) -> Result<Self, BadOptions> {
        settings.only(&[&["draws", "matches"][..], &SETTINGS].concat())?;
        let matches = match settings.0.get("matches").map(|n| (n, n.parse::<u32>())) {
            None => MATCHES,
            Some((_, Ok(n))) if n > 0 => n,
            Some((text, _)) => {
                return Err(BadOptions(format!("matches cannot be '{text}': it is a number from 1")));
            }
        };
        let zeros = Zeros::new(settings)?;
        let draws = match settings.choice("draws", &["player", "split"])? {
            "split" => Draws::Split,
            _ => Draws::Player,
        };
        Ok(Self {
            matches,
            draws,
            zeros,
            played: 0,
            tokens: VecDeque::new(),
            reading: Reading::Hand,
            unsure: None,
            asked: None,
            hand: Vec::new(),
            unread: 0,
            doubts: Lines::new(),
            theirs: HAND,
            deck: 0,
            leader: COMPUTER,
            trick: Vec::new(),
            taken: [Vec::new(), Vec::new()],
            past: Vec::new(),
        })
    }

    pub(super) fn new_match(&mut self) {
        self.hand.clear();
        self.unread = 0;
        self.trick.clear();
        self.taken.iter_mut().for_each(Vec::clear);
        self.past.clear();
        self.theirs = HAND;
        self.deck = CARDS - 2 * HAND;
        self.leader = COMPUTER;
    }

    /// Uses the tokens that came, as far as no decision of ours is due first.
    fn read_on(&mut self, out: &mut Lines) -> Result<PlayerAwaits<Septica>, ProtocolError> {
        while self.asked.is_none() && self.reading != Reading::End {
            let Some(number) = self.tokens.pop_front() else { break };
            if let Err(e) = self.token(number, out) {
                self.tokens.push_front(number);
                return Err(e);
            }
        }
        Ok(self.step())
    }

    pub(super) fn step(&self) -> PlayerAwaits<Septica> {
        match &self.asked {
            Some(view) => Awaits::Decision(PlayerDecision { view: view.clone(), clock: None }),
            None if self.reading == Reading::End => Awaits::Nothing,
            None if self.unsure.is_none() => Awaits::Entry,
            None => Awaits::EntryWithin(PATIENCE),
        }
    }

    pub(super) fn token(&mut self, number: i64, out: &mut Lines) -> Result<(), ProtocolError> {
        let unsure = self.unsure.take();
        match self.reading {
            Reading::Hand => {
                let card = card(number)?;
                if self.hand.is_empty() && self.unread == 0 {
                    self.new_match();
                }
                self.hand.push(card);
                self.hand_read();
            }
            Reading::Next => return self.next(number, unsure, out),
            Reading::Count { leader } => match usize::try_from(number) {
                Ok(left) if left <= CARDS => self.draw(leader, 0, left, out),
                _ => return Err(ProtocolError(format!("{number} cards cannot be drawn"))),
            },
            Reading::Drawn { leader, read, left } => {
                self.hand.push(card(number)?);
                self.draw(leader, read + 1, left - 1, out);
            }
            // The score is the computer's to count; we know nothing better to do if ours differs.
            Reading::Score { left: 1 } => {
                self.played += 1;
                self.hand.clear();
                self.unread = 0;
                self.reading = if self.played < self.matches { Reading::Hand } else { Reading::End };
            }
            Reading::Score { left } => self.reading = Reading::Score { left: left - 1 },
            Reading::End => {}
        }
        Ok(())
    }

    /// A card of a new match was read; after the fourth the match begins.
    pub(super) fn hand_read(&mut self) {
        if self.hand.len() + self.unread == HAND {
            self.reading = Reading::Next;
        }
    }

    /// A card of the computer, or a command. `unsure`: what we waited to learn when it came.
    fn next(&mut self, number: i64, unsure: Option<Situation>, out: &mut Lines) -> Result<(), ProtocolError> {
        if let (2..=4, Some(situation)) = (number, unsure) {
            // The computer ended the trick without a word of ours.
            self.zeros.learn(situation, false);
        }
        match number {
            // A computer that says that it stops tells nothing that its next command does not.
            0 => self.unsure = unsure,
            2 => self.reading = Reading::Count { leader: COMPUTER },
            3 => self.reading = Reading::Count { leader: PLAYER },
            4 => self.reading = Reading::Score { left: 2 },
            _ => {
                if self.trick.len() + self.taken.iter().map(Vec::len).sum::<usize>() > 2 * CARDS {
                    return Err(ProtocolError::new("this match has had far more cards than there are"));
                }
                self.trick.push(card(number)?);
                self.theirs = self.theirs.saturating_sub(1);
                self.answered(out);
            }
        }
        Ok(())
    }

    /// The computer played a card: answer it, go on, or end our trick.
    pub(super) fn answered(&mut self, out: &mut Lines) {
        if self.leader == COMPUTER {
            self.ask(out);
        } else if self.trick.len().is_multiple_of(2) {
            self.go_on_or_end(out);
        }
    }

    /// It may be our turn in a trick that we led: speaks if the computer awaits it, waits if that is to be learned.
    fn go_on_or_end(&mut self, out: &mut Lines) {
        let situation = self.situation();
        match self.zeros.awaited(situation) {
            Some(true) => self.speak(situation, out),
            Some(false) => {}
            None => self.unsure = Some(situation),
        }
    }

    /// Goes on with the trick that we led, if we may and want to, or ends it.
    fn speak(&mut self, situation: Situation, out: &mut Lines) {
        if situation.may_go_on {
            self.ask(out);
        } else {
            out.push(Move::Stop.to_string());
        }
    }

    /// How the trick that we led looks now.
    fn situation(&self) -> Situation {
        let answered = self.trick.len().is_multiple_of(2);
        let cut = self.trick.last().is_some_and(|card| card.cuts(self.trick[0]));
        Situation {
            answered,
            may_go_on: answered && cut && !self.hand.is_empty(),
            own_hand_empty: self.hand.is_empty(),
            their_hand_empty: self.theirs == 0,
            deck_empty: self.deck == 0,
        }
    }

    /// `read` cards were drawn after a trick, `left` are to come. After the last one `leader` leads.
    pub(super) fn draw(&mut self, leader: Seat, read: usize, left: usize, out: &mut Lines) {
        if left > 0 {
            self.reading = Reading::Drawn { leader, read, left };
            return;
        }
        let needed = HAND.saturating_sub(self.theirs);
        let ours = (HAND + read).saturating_sub(self.hand.len());
        let total = (ours + needed).min(self.deck);
        let their_draw = total.saturating_sub(read).min(needed);
        self.theirs += their_draw;
        self.deck = self.deck.saturating_sub(read + their_draw);
        self.taken[leader.index()].extend(&self.trick);
        self.past.push(std::mem::take(&mut self.trick));
        self.leader = leader;
        self.reading = Reading::Next;
        if leader == PLAYER {
            self.ask(out);
        }
    }

    /// Asks for a decision. Where what we read cannot be, by the rules, any card will do until the next match.
    fn ask(&mut self, out: &mut Lines) {
        if self.hand.is_empty() {
            return;
        }
        let open = Open {
            leader: self.leader,
            trick: self.trick.clone(),
            taken: self.taken.clone(),
            past: self.past.clone(),
            hands: [self.theirs.min(99) as u8, self.hand.len().min(99) as u8],
            deck: self.deck.min(99) as u8,
        };
        let viewer = Viewer::Seat(PLAYER);
        // Where the tricks, as we heard them, contradict who was said to take them, the position may still be sound.
        let forgetful = Open { past: Vec::new(), ..open.clone() };
        let view = View::new(open, self.hand.clone(), self.draws, viewer).or_else(|e| {
            self.doubts.push(format!("the position cannot be: {e}"));
            View::new(forgetful, self.hand.clone(), self.draws, viewer)
        });
        match view {
            Ok(view) if view.turn() == crate::game::Turn::Of(PLAYER) => self.asked = Some(Box::new(view)),
            _ => {
                let may_stop = self.leader == PLAYER && !self.trick.is_empty();
                let worthless = |card: &&Rank| !card.is_point() && **card != Rank::SEVEN;
                let card = self.hand.iter().find(worthless).or(self.hand.first()).copied();
                self.say(if may_stop { Move::Stop } else { card.map_or(Move::Stop, Move::Card) }, out);
            }
        }
    }

    fn say(&mut self, mv: Move, out: &mut Lines) {
        out.push(mv.to_string());
        if let Move::Card(card) = mv {
            if let Some(at) = self.hand.iter().position(|c| *c == card) {
                self.hand.remove(at);
            }
            self.trick.push(card);
            // The computer should have no card to answer with.
            if self.leader == PLAYER && self.theirs == 0 {
                self.go_on_or_end(out);
            }
        }
    }
}

fn card(number: i64) -> Result<Rank, ProtocolError> {
    Rank::new(number).ok_or_else(|| ProtocolError(format!("{number} is no card, 7 to 14")))
}

impl Player<Septica> for Bot {
    fn start(&mut self, _: &mut Lines) -> PlayerAwaits<Septica> {
        self.step()
    }

    fn line(&mut self, line: &str, out: &mut Lines) -> Result<PlayerAwaits<Septica>, ProtocolError> {
        for token in line.split_whitespace() {
            let number = token.parse().map_err(|_| ProtocolError(format!("{token:?} is no number")))?;
            self.tokens.push_back(number);
        }
        self.read_on(out)
    }

    fn cope(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<Septica> {
        self.go_on_leniently(line.unwrap_or_default(), out)
    }

    fn doubts(&mut self) -> Lines {
        std::mem::take(&mut self.doubts)
    }

    fn silence(&mut self, out: &mut Lines) -> PlayerAwaits<Septica> {
        if let Some(situation) = self.unsure.take() {
            self.zeros.learn(situation, true);
            self.speak(situation, out);
        }
        self.step()
    }

    fn eof(&mut self) -> Result<PlayerAwaits<Septica>, ProtocolError> {
        self.reading = Reading::End;
        self.asked = None;
        Ok(Awaits::Nothing)
    }

    fn played(&mut self, mv: &Move, out: &mut Lines) -> PlayerAwaits<Septica> {
        self.asked = None;
        self.say(*mv, out);
        match self.read_on(out) {
            Ok(step) => step,
            Err(e) => {
                self.doubts.push(e.0);
                self.go_on_leniently("", out)
            }
        }
    }
}
