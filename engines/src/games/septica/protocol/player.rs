//! The player's side, in either seat. It reads tokens, not lines, and refuses only tokens that are neither card nor command; then
//! `recovery.rs` continues. It tolerates impossible positions, because a mistake about one match costs at most that match.

use std::collections::VecDeque;
use std::time::Duration;

use super::super::rules::{CARDS, COMPUTER, Draws, HAND, Move, PLAYER, PublicTable, Rank};
use super::super::{Septica, View};
use super::zero::{SETTINGS, TrickSituation, ZeroKnowledge};
use crate::game::{BadOptions, Seat, View as _, Viewer};
use crate::protocol::{Awaits, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError, Settings};

/// How long to wait for a line that may come without a `0` of ours.
const UNPROMPTED_LINE_TIMEOUT: Duration = Duration::from_millis(300);
/// Matches in a row in the contest.
pub(super) const MATCHES: u32 = 1000;

/// The kind of token that must come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExpectedToken {
    /// One of the four cards of a new match.
    Hand,
    /// A card of the computer, or a command.
    Next,
    /// The number of cards drawn, after a command that names the leader.
    Count { leader: Seat },
    /// A drawn card; `left` are still to come.
    Drawn { leader: Seat, read: usize, left: usize },
    /// A number of the score; `left` are still to come.
    Score { left: u8 },
    /// Nothing: the dialogue is over.
    End,
}

/// The player's side of the dialogue, over many matches in a row.
pub(crate) struct PlayerDialogue {
    /// The own seat in this match: the computer's if the first command says that we lead, as in the mirror dialogue.
    own: Seat,
    matches: u32,
    draws: Draws,
    /// The knowledge about zeros for which the computer waits.
    zeros: ZeroKnowledge,
    /// Finished matches.
    played: u32,
    /// Tokens that are read but not used.
    pub(super) tokens: VecDeque<i64>,
    pub(super) expected: ExpectedToken,
    /// The situation in which we are waiting to learn whether the computer waits for us.
    unsure: Option<TrickSituation>,
    /// The view of the decision that is due.
    asked: Option<Box<View>>,
    pub(super) hand: Vec<Rank>,
    /// Unreadable cards of the own hand.
    pub(super) unreadable: usize,
    /// Contradictions of the rules that were not reported yet.
    doubts: Lines,
    /// Whether this match has reported an impossible position. The positions after the first are usually impossible too.
    reported: bool,
    /// Cards in the computer's hand, counted by the rules and the lines read.
    pub(super) theirs: usize,
    /// Cards in the deck, counted in the same way.
    deck: usize,
    leader: Seat,
    pub(super) trick: Vec<Rank>,
    pub(super) taken: [Vec<Rank>; 2],
    pub(super) past: Vec<Vec<Rank>>,
}

impl PlayerDialogue {
    /// A dialogue with these settings: each of [`SETTINGS`] is `auto`, `yes` or `no`; `draws` is `player` or `split`;
    /// `matches` is a number from 1.
    ///
    /// # Errors
    /// If a setting is unknown or its value is not allowed.
    pub(crate) fn new(settings: &Settings) -> Result<Self, BadOptions> {
        settings.only(&[&["draws", "matches"][..], &SETTINGS].concat())?;
        let matches = match settings.0.get("matches").map(|n| (n, n.parse::<u32>())) {
            None => MATCHES,
            Some((_, Ok(n))) if n > 0 => n,
            Some((text, _)) => {
                return Err(BadOptions(format!("matches cannot be '{text}': it is a whole number from 1")));
            }
        };
        let zeros = ZeroKnowledge::new(settings)?;
        let draws = match settings.choice("draws", &["player", "split"])? {
            "split" => Draws::Split,
            _ => Draws::Player,
        };
        Ok(Self {
            own: PLAYER,
            matches,
            draws,
            zeros,
            played: 0,
            tokens: VecDeque::new(),
            expected: ExpectedToken::Hand,
            unsure: None,
            asked: None,
            hand: Vec::new(),
            unreadable: 0,
            doubts: Lines::new(),
            reported: false,
            theirs: HAND,
            deck: 0,
            leader: COMPUTER,
            trick: Vec::new(),
            taken: [Vec::new(), Vec::new()],
            past: Vec::new(),
        })
    }

    pub(super) fn new_match(&mut self) {
        self.own = PLAYER;
        self.reported = false;
        self.hand.clear();
        self.unreadable = 0;
        self.trick.clear();
        self.taken.iter_mut().for_each(Vec::clear);
        self.past.clear();
        self.theirs = HAND;
        self.deck = CARDS - 2 * HAND;
        self.leader = COMPUTER;
    }

    /// Uses the queued tokens until an own decision is due.
    fn use_tokens(&mut self, out: &mut Lines) -> Result<PlayerAwaits<Septica>, ProtocolError> {
        while self.asked.is_none() && self.expected != ExpectedToken::End {
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
            None if self.expected == ExpectedToken::End => Awaits::Nothing,
            None if self.unsure.is_none() => Awaits::Entry,
            None => Awaits::EntryWithin(UNPROMPTED_LINE_TIMEOUT),
        }
    }

    pub(super) fn token(&mut self, number: i64, out: &mut Lines) -> Result<(), ProtocolError> {
        let unsure = self.unsure.take();
        match self.expected {
            ExpectedToken::Hand => {
                let card = card(number)?;
                if self.hand.is_empty() && self.unreadable == 0 {
                    self.new_match();
                }
                self.hand.push(card);
                self.begin_if_dealt();
            }
            ExpectedToken::Next => return self.next(number, unsure, out),
            ExpectedToken::Count { leader } if number == 0 && self.leads_first(leader) => {
                self.own = COMPUTER;
                self.expected = ExpectedToken::Next;
                self.ask(out);
            }
            ExpectedToken::Count { leader } => match usize::try_from(number) {
                Ok(left) if left <= CARDS => self.draw(leader, 0, left, out),
                _ => return Err(ProtocolError(format!("{number} cards cannot be drawn"))),
            },
            ExpectedToken::Drawn { leader, read, left } => {
                self.hand.push(card(number)?);
                self.draw(leader, read + 1, left - 1, out);
            }
            // The computer counts the score. A different own count changes nothing.
            ExpectedToken::Score { left: 1 } => {
                self.played += 1;
                self.hand.clear();
                self.unreadable = 0;
                self.expected =
                    if self.played < self.matches { ExpectedToken::Hand } else { ExpectedToken::End };
            }
            ExpectedToken::Score { left } => self.expected = ExpectedToken::Score { left: left - 1 },
            ExpectedToken::End => {}
        }
        Ok(())
    }

    /// Whether a command that gives the lead to `leader` is the first line after the hand, and gives it to us.
    fn leads_first(&self, leader: Seat) -> bool {
        let is_first = self.trick.is_empty() && self.past.is_empty() && self.unreadable == 0;
        is_first && leader == self.own && self.own == PLAYER
    }

    /// Begins the match after the fourth card of the hand.
    pub(super) fn begin_if_dealt(&mut self) {
        if self.hand.len() + self.unreadable == HAND {
            self.expected = ExpectedToken::Next;
        }
    }

    /// Reads a card of the computer or a command. `unsure`: the situation in which we were waiting when it came.
    fn next(
        &mut self,
        number: i64,
        unsure: Option<TrickSituation>,
        out: &mut Lines,
    ) -> Result<(), ProtocolError> {
        if let (2..=4, Some(situation)) = (number, unsure) {
            // The computer ended the trick itself.
            self.zeros.learn(situation, false);
        }
        match number {
            // A `0` of the computer adds nothing to its next command.
            0 => self.unsure = unsure,
            2 => self.expected = ExpectedToken::Count { leader: self.own.other() },
            3 => self.expected = ExpectedToken::Count { leader: self.own },
            4 => self.expected = ExpectedToken::Score { left: 2 },
            _ => {
                if self.trick.len() + self.taken.iter().map(Vec::len).sum::<usize>() > 2 * CARDS {
                    return Err(ProtocolError::new("this match has had far more cards than the game has"));
                }
                self.trick.push(card(number)?);
                self.theirs = self.theirs.saturating_sub(1);
                self.react(out);
            }
        }
        Ok(())
    }

    /// Reacts to a card of the computer: answers it, goes on with our trick or ends it.
    pub(super) fn react(&mut self, out: &mut Lines) {
        if self.leader != self.own {
            self.ask(out);
        } else if self.trick.len().is_multiple_of(2) {
            self.go_on_or_end(out);
        }
    }

    /// Goes on with our trick or ends it if the computer waits for us; waits if that is not yet known.
    fn go_on_or_end(&mut self, out: &mut Lines) {
        let situation = self.situation();
        match self.zeros.computer_waits(situation) {
            Some(true) => self.go_on_or_stop(situation, out),
            Some(false) => {}
            None => self.unsure = Some(situation),
        }
    }

    /// Asks whether to go on with our trick, if that is legal, or ends it.
    fn go_on_or_stop(&mut self, situation: TrickSituation, out: &mut Lines) {
        if situation.may_go_on {
            self.ask(out);
        } else {
            out.push(Move::Stop.to_string());
        }
    }

    /// The situation of our trick.
    fn situation(&self) -> TrickSituation {
        let answered = self.trick.len().is_multiple_of(2);
        let cut = self.trick.last().is_some_and(|card| card.cuts(self.trick[0]));
        TrickSituation {
            answered,
            may_go_on: answered && cut && !self.hand.is_empty(),
            own_hand_empty: self.hand.is_empty(),
            their_hand_empty: self.theirs == 0,
            deck_empty: self.deck == 0,
        }
    }

    /// Handles `read` cards drawn after a trick, of which `left` are still to come. After the last one `leader` leads.
    pub(super) fn draw(&mut self, leader: Seat, read: usize, left: usize, out: &mut Lines) {
        if left > 0 {
            self.expected = ExpectedToken::Drawn { leader, read, left };
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
        self.expected = ExpectedToken::Next;
        if leader == self.own {
            self.ask(out);
        }
    }

    /// Asks for a decision. In an impossible position it plays by a rule of thumb instead, until the next match.
    fn ask(&mut self, out: &mut Lines) {
        if self.hand.is_empty() {
            return;
        }
        let mut hands = [self.hand.len().min(99) as u8; 2];
        hands[self.own.other().index()] = self.theirs.min(99) as u8;
        let open = PublicTable {
            leader: self.leader,
            trick: self.trick.clone(),
            taken: self.taken.clone(),
            past: self.past.clone(),
            hands,
            deck: self.deck.min(99) as u8,
        };
        let viewer = Viewer::Seat(self.own);
        // If the finished tricks contradict their takers, the position without them may still be possible.
        let without_past = PublicTable { past: Vec::new(), ..open.clone() };
        let view = View::new(open, self.hand.clone(), self.draws, viewer).or_else(|e| {
            if !std::mem::replace(&mut self.reported, true) {
                self.doubts.push(format!("the position is impossible: {e}"));
            }
            View::new(without_past, self.hand.clone(), self.draws, viewer)
        });
        match view {
            Ok(view) if view.turn() == crate::game::Turn::Of(self.own) => self.asked = Some(Box::new(view)),
            _ => {
                let may_stop = self.leader == self.own && !self.trick.is_empty();
                let worthless = |card: &&Rank| !card.is_point() && **card != Rank::SEVEN;
                let card = self.hand.iter().find(worthless).or(self.hand.first()).copied();
                self.print(if may_stop { Move::Stop } else { card.map_or(Move::Stop, Move::Card) }, out);
            }
        }
    }

    fn print(&mut self, mv: Move, out: &mut Lines) {
        out.push(mv.to_string());
        if let Move::Card(card) = mv {
            if let Some(at) = self.hand.iter().position(|c| *c == card) {
                self.hand.remove(at);
            }
            self.trick.push(card);
            // The computer has no card left to answer with.
            if self.leader == self.own && self.theirs == 0 {
                self.go_on_or_end(out);
            }
        }
    }
}

fn card(number: i64) -> Result<Rank, ProtocolError> {
    Rank::new(number).ok_or_else(|| ProtocolError(format!("{number} is not a card, 7 to 14")))
}

impl Player<Septica> for PlayerDialogue {
    fn start(&mut self, _: &mut Lines) -> PlayerAwaits<Septica> {
        self.step()
    }

    fn line(&mut self, line: &str, out: &mut Lines) -> Result<PlayerAwaits<Septica>, ProtocolError> {
        for token in line.split_whitespace() {
            let number = token.parse().map_err(|_| ProtocolError(format!("{token:?} is not a number")))?;
            self.tokens.push_back(number);
        }
        self.use_tokens(out)
    }

    fn cope(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<Septica> {
        self.read_leniently(line.unwrap_or_default(), out)
    }

    fn doubts(&mut self) -> Lines {
        std::mem::take(&mut self.doubts)
    }

    fn silence(&mut self, out: &mut Lines) -> PlayerAwaits<Septica> {
        if let Some(situation) = self.unsure.take() {
            self.zeros.learn(situation, true);
            self.go_on_or_stop(situation, out);
        }
        self.step()
    }

    fn eof(&mut self) -> Result<PlayerAwaits<Septica>, ProtocolError> {
        self.expected = ExpectedToken::End;
        self.asked = None;
        Ok(Awaits::Nothing)
    }

    fn played(&mut self, mv: &Move, out: &mut Lines) -> PlayerAwaits<Septica> {
        self.asked = None;
        self.print(*mv, out);
        match self.use_tokens(out) {
            Ok(step) => step,
            Err(e) => {
                self.doubts.push(e.0);
                self.read_leniently("", out)
            }
        }
    }
}
