//! Septica's cards, state and moves. Knows no dialogue and no player's thinking.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Septica, View};
use crate::game::{Outcome, Seat, Turn, Viewer};
use crate::rng::{Rng, Seed};

/// Cards in the game: four of each rank.
pub const CARDS: usize = 32;
/// Cards a hand is filled up to.
pub const HAND: usize = 4;
/// Cards of one rank.
pub const COPIES: usize = 4;
/// The seat of the contest's computer; it leads the first trick.
pub const COMPUTER: Seat = Seat(0);
/// The seat of the contest's player.
pub const PLAYER: Seat = Seat(1);

/// A card's rank, 7 to 14; suits do not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Rank(u8);

impl JsonSchema for Rank {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SepticaRank".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "integer",
            "minimum": 7,
            "maximum": 14,
            "description": "A card's rank, 7 to 14; suits do not matter."
        })
    }
}

impl Rank {
    /// The rank that cuts whatever was led.
    pub const SEVEN: Self = Self(7);

    /// All ranks, ascending.
    pub fn all() -> impl Iterator<Item = Self> {
        (7..=14).map(Self)
    }

    /// The rank of this number, 7 to 14.
    pub fn new(number: i64) -> Option<Self> {
        (7..=14).contains(&number).then_some(Self(number as u8))
    }

    /// 0 for a 7, up to 7 for a 14.
    pub fn index(self) -> usize {
        usize::from(self.0 - 7)
    }

    /// The rank of this [`Self::index`].
    ///
    /// # Panics
    /// If `index` is more than 7.
    pub fn from_index(index: usize) -> Self {
        Self::new(index as i64 + 7).expect("an index of a rank is 0 to 7")
    }

    /// Whether taking this card is worth a point: the 10s and the 14s.
    pub fn is_point(self) -> bool {
        matches!(self.0, 10 | 14)
    }

    /// Whether this card cuts in a trick that began with `led`.
    pub fn cuts(self, led: Self) -> bool {
        self == led || self == Self::SEVEN
    }
}

impl TryFrom<u8> for Rank {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        Self::new(i64::from(number)).ok_or_else(|| format!("{number} is no card: the ranks are 7 to 14"))
    }
}

impl From<Rank> for u8 {
    fn from(rank: Rank) -> Self {
        rank.0
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// Plays a card of this rank.
    Card(Rank),
    /// The leader does not go on after a cut, so the other seat takes the trick.
    Stop,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Card(rank) => rank.fmt(f),
            Self::Stop => f.write_str("0"),
        }
    }
}

impl FromStr for Move {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let mv = match s.trim().parse::<i64>() {
            Ok(0) => Some(Self::Stop),
            Ok(number) => Rank::new(number).map(Self::Card),
            Err(_) => None,
        };
        mv.ok_or_else(|| "a move is a card, 7 to 14, or 0 to stop".to_owned())
    }
}

/// Who gets which of the last cards when the deck cannot fill both hands. The statement leaves it open; with the
/// two alternating ways both hands stay equal, with the other two they may not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShortDeck {
    /// One card each in turn, beginning with the seat that took the trick: the usual way at a table.
    #[default]
    WinnerAlternates,
    /// The seat that took the trick fills its hand first, then the other.
    WinnerFillsFirst,
    /// One card each in turn, beginning with seat 0, the contest's computer.
    ComputerAlternates,
    /// Seat 0, the contest's computer, fills its hand first, then the other.
    ComputerFillsFirst,
}

impl ShortDeck {
    /// All four ways, the default first.
    pub const ALL: [Self; 4] =
        [Self::WinnerAlternates, Self::WinnerFillsFirst, Self::ComputerAlternates, Self::ComputerFillsFirst];
}

/// What equal points are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Draws {
    /// The seats share the first place.
    #[default]
    Split,
    /// Seat 1, the contest's player, wins: so the contest counts them.
    Player,
}

/// What a deal may be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Who gets which of the last cards when the deck cannot fill both hands.
    pub short_deck: ShortDeck,
    /// What equal points are worth.
    pub draws: Draws,
}

/// What lies open: all that both seats and every spectator see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Open {
    /// Who led the trick, or leads it when no card of it was played.
    pub leader: Seat,
    /// The cards of the trick in the order they were played, the leader's first.
    pub trick: Vec<Rank>,
    /// The cards each seat has taken, ascending.
    pub taken: [Vec<Rank>; 2],
    /// The tricks that are over, the first one first, each in the order its cards were played. Empty as well where
    /// somebody made a position and did not tell.
    pub past: Vec<Vec<Rank>>,
    /// How many cards each seat holds.
    pub hands: [u8; 2],
    /// How many cards lie in the deck.
    pub deck: u8,
}

impl Open {
    /// Whose decision is awaited. Outside of a trick nobody's, once the hands are empty.
    pub fn turn(&self) -> Turn {
        if self.trick.is_empty() && self.hands == [0, 0] { Turn::Over } else { Turn::Of(self.mover()) }
    }

    /// Points taken so far, per seat.
    pub fn points(&self) -> [u8; 2] {
        [0, 1].map(|seat| points(&self.taken[seat]))
    }

    /// The moves of a seat that is to move and holds `hand`, each once: cards ascending, then the stop.
    pub fn moves(&self, hand: &[Rank], out: &mut Vec<Move>) {
        let go_on = self.trick.len().is_multiple_of(2);
        match self.trick.first() {
            Some(led) if go_on => {
                out.extend(Rank::all().filter(|r| r.cuts(*led) && hand.contains(r)).map(Move::Card));
                out.push(Move::Stop);
            }
            _ => out.extend(Rank::all().filter(|r| hand.contains(r)).map(Move::Card)),
        }
    }

    /// Whether such a table can be; the text names the field and says what is allowed.
    pub fn check(&self) -> Result<(), String> {
        let Self { leader, trick, taken, past: _, hands, deck } = self;
        if leader.0 > 1 {
            return Err("leader: there are seats 0 and 1".to_owned());
        }
        if trick.len() > 2 * HAND || taken.iter().any(|t| t.len() > CARDS) {
            return Err(format!("trick, taken: a trick has at most {} cards, the game {CARDS}", 2 * HAND));
        }
        let in_hands: usize = hands.iter().map(|n| usize::from(*n)).sum();
        let all = in_hands + usize::from(*deck) + trick.len() + taken[0].len() + taken[1].len();
        if all != CARDS {
            return Err(format!("hands, deck, trick, taken: there are {CARDS} cards in the game, not {all}"));
        }
        self.check_past().map_err(|e| format!("past: {e}"))?;
        if self.turn() == Turn::Over {
            return if *deck == 0 { Ok(()) } else { Err("deck: it is empty when the hands are".to_owned()) };
        }
        let follower = leader.other();
        // Of an odd number of cards the leader played one more.
        let played = |seat: Seat| (trick.len() + usize::from(seat == *leader)) / 2;
        let dealt = |seat: Seat| usize::from(hands[seat.index()]) + played(seat);
        let wrong = |n: usize| n > HAND || (*deck > 0 && n != HAND);
        if wrong(dealt(*leader)) || wrong(dealt(follower)) {
            return Err(format!(
                "hands: a seat begins a trick with {HAND} cards, or with fewer once the deck is empty"
            ));
        }
        if deck % 2 > 0 || taken.iter().any(|t| t.len() % 2 > 0) {
            return Err("deck, taken: cards are drawn and taken in pairs until the match ends".to_owned());
        }
        if taken[leader.index()].is_empty() && (*leader != COMPUTER || !taken[1].is_empty()) {
            return Err("leader: seat 0 leads first, later the seat that took the last trick".to_owned());
        }
        if trick.iter().skip(1).any(|card| !card.cuts(trick[0])) {
            return Err("trick: after its first card a trick that goes on has only cuts".to_owned());
        }
        let stuck = if trick.is_empty() { hands.contains(&0) } else { hands[self.mover().index()] == 0 };
        if stuck {
            return Err(
                "hands: the match is over, or the trick, when the seat to play has no card".to_owned()
            );
        }
        Ok(())
    }

    fn mover(&self) -> Seat {
        mover(self.leader, &self.trick)
    }

    /// Whether the tricks told lead to the cards taken and to who leads. When the match is over, a seat may have
    /// taken the rest of its hand besides.
    fn check_past(&self) -> Result<(), String> {
        if self.past.is_empty() {
            return Ok(());
        }
        let mut left = self.taken.clone();
        let mut leader = COMPUTER;
        for trick in &self.past {
            let Some(led) = trick.first() else { return Err("a trick has a card".to_owned()) };
            let mut between = trick.iter().skip(1).take(trick.len().saturating_sub(2));
            if between.any(|card| !card.cuts(*led)) {
                return Err("after its first card a trick that goes on has only cuts".to_owned());
            }
            leader = taker(leader, trick);
            let left = &mut left[leader.index()];
            for card in trick {
                let at = left.iter().position(|c| c == card);
                left.swap_remove(at.ok_or_else(|| format!("seat {leader} has not taken {card}"))?);
            }
        }
        let over = self.turn() == Turn::Over;
        if leader != self.leader || (!over && left.iter().any(|cards| !cards.is_empty())) {
            return Err("it leads to other cards taken, or to another leader".to_owned());
        }
        Ok(())
    }
}

/// Who takes a trick that is over: the follower if its card is the last and cut, else the leader.
fn taker(leader: Seat, trick: &[Rank]) -> Seat {
    let answered = trick.len().is_multiple_of(2);
    match (trick.first(), trick.last()) {
        (Some(led), Some(last)) if answered && last.cuts(*led) => leader.other(),
        _ => leader,
    }
}

/// Who plays the next card of this trick, or stops it.
fn mover(leader: Seat, trick: &[Rank]) -> Seat {
    if trick.len().is_multiple_of(2) { leader } else { leader.other() }
}

/// No rank has more than its four cards among these.
pub(super) fn at_most_four<'a>(cards: impl IntoIterator<Item = &'a Rank>) -> Result<(), String> {
    let mut counts = [0usize; 8];
    cards.into_iter().for_each(|c| counts[c.index()] += 1);
    match counts.iter().position(|n| *n > COPIES) {
        None => Ok(()),
        Some(i) => {
            Err(format!("there are {COPIES} cards of rank {}, not {}", Rank::from_index(i), counts[i]))
        }
    }
}

/// The number of 10s and 14s.
pub fn points(cards: &[Rank]) -> u8 {
    cards.iter().filter(|c| c.is_point()).count() as u8
}

/// The outcome of these points.
pub(super) fn outcome(points: [u8; 2], draws: Draws) -> Outcome {
    let outcome = Outcome::by_points(points.map(i32::from).to_vec(), "the hands are empty");
    match draws {
        Draws::Player if points[0] == points[1] => Outcome { ranks: vec![2, 1], ..outcome },
        _ => outcome,
    }
}

/// The whole truth of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub(super) options: Options,
    /// Per seat, ascending.
    pub(super) hands: [Vec<Rank>; 2],
    /// The next card is the last.
    pub(super) deck: Vec<Rank>,
    /// Per seat, ascending.
    pub(super) taken: [Vec<Rank>; 2],
    pub(super) leader: Seat,
    pub(super) trick: Vec<Rank>,
    /// The tricks that are over; not told in records of before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) past: Vec<Vec<Rank>>,
}

impl State {
    pub(super) fn deal(options: &Options, seed: &Seed) -> Self {
        let mut deck: Vec<Rank> = Rank::all().flat_map(|rank| [rank; COPIES]).collect();
        Rng::new(seed).shuffle(&mut deck);
        let hands = [0, 1].map(|_| sorted(deck.split_off(deck.len() - HAND)));
        let taken = [Vec::new(), Vec::new()];
        Self { options: *options, hands, deck, taken, leader: COMPUTER, trick: Vec::new(), past: Vec::new() }
    }

    pub(super) fn open(&self) -> Open {
        Open {
            leader: self.leader,
            trick: self.trick.clone(),
            taken: self.taken.clone(),
            past: self.past.clone(),
            hands: [0, 1].map(|seat: usize| self.hands[seat].len() as u8),
            deck: self.deck.len() as u8,
        }
    }

    /// `taker` takes the trick and leads the next; the hands are filled. A seat that is left without a card ends
    /// the match: nobody can answer the other, which takes what it holds.
    fn take(&mut self, taker: Seat) {
        // A position that began without its past goes on without it.
        let untold = self.past.is_empty() && self.taken.iter().any(|cards| !cards.is_empty());
        self.taken[taker.index()].extend(&self.trick);
        self.past.push(std::mem::take(&mut self.trick));
        if untold {
            self.past.clear();
        }
        self.leader = taker;
        self.fill();
        if self.hands.iter().any(Vec::is_empty) {
            for (taken, hand) in self.taken.iter_mut().zip(&mut self.hands) {
                taken.append(hand);
            }
        }
        self.taken.iter_mut().chain(&mut self.hands).for_each(|cards| cards.sort_unstable());
    }

    fn fill(&mut self) {
        let (first, at_once) = match self.options.short_deck {
            ShortDeck::WinnerAlternates => (self.leader, 1),
            ShortDeck::WinnerFillsFirst => (self.leader, HAND),
            ShortDeck::ComputerAlternates => (COMPUTER, 1),
            ShortDeck::ComputerFillsFirst => (COMPUTER, HAND),
        };
        for _ in 0..HAND {
            for seat in [first, first.other()] {
                let hand = &mut self.hands[seat.index()];
                let wanted = at_once.min(HAND - hand.len()).min(self.deck.len());
                hand.extend(self.deck.drain(self.deck.len() - wanted..).rev());
            }
        }
    }
}

fn sorted(mut cards: Vec<Rank>) -> Vec<Rank> {
    cards.sort_unstable();
    cards
}

impl crate::game::State<Septica> for State {
    fn seats(&self) -> u8 {
        2
    }

    fn turn(&self) -> Turn {
        let over = self.trick.is_empty() && self.hands.iter().all(Vec::is_empty);
        if over { Turn::Over } else { Turn::Of(mover(self.leader, &self.trick)) }
    }

    fn play(&mut self, mv: &Move) {
        let follower = self.leader.other();
        let &Move::Card(card) = mv else {
            return self.take(follower);
        };
        let answers = !self.trick.len().is_multiple_of(2);
        let (seat, next) = if answers { (follower, self.leader) } else { (self.leader, follower) };
        let hand = &mut self.hands[seat.index()];
        if let Some(at) = hand.iter().position(|c| *c == card) {
            hand.remove(at);
        }
        self.trick.push(card);
        let cut = card.cuts(self.trick[0]);
        if self.hands[next.index()].is_empty() || (answers && !cut) {
            self.take(if answers && cut { follower } else { self.leader });
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.turn() == Turn::Over).then(|| outcome(self.open().points(), self.options.draws))
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn audit(&self) -> Result<(), String> {
        self.open().check()?;
        // The number of cards is right, so four of each at most is four of each.
        at_most_four(
            [&self.hands[0], &self.hands[1], &self.deck, &self.taken[0], &self.taken[1], &self.trick]
                .into_iter()
                .flatten(),
        )?;
        if self.hands.iter().chain(&self.taken).any(|cards| !cards.is_sorted()) {
            return Err("hands, taken: they are kept in ascending order".to_owned());
        }
        Ok(())
    }
}
