//! Tests the player's side against computers that end some tricks themselves and wait for the player's `0` in others, in
//! every combination. The player must learn each situation, make no mistake and wait at most once per situation. The
//! computer here follows the statement and shares no code with the rules.

use std::collections::BTreeMap;

use super::PlayerDialogue;
use crate::games::septica::Septica;
use crate::protocol::{Awaits, Lines, Player, PlayerAwaits, PlayerDecision, Settings};
use crate::rng::{Rng, Seed};

/// How the seats draw when the deck cannot fill both hands; `PlayerOne` leaves the hand unfilled on purpose.
#[derive(Clone, Copy, Debug, PartialEq)]
enum DrawOrder {
    InTurn,
    WinnerFirst,
    LoserFirst,
    PlayerFirst,
    ComputerFirst,
    /// The player gets one card a trick while the deck lasts, the computer fills its hand.
    PlayerOne,
}

const DRAWS: [DrawOrder; 6] = [
    DrawOrder::InTurn,
    DrawOrder::WinnerFirst,
    DrawOrder::LoserFirst,
    DrawOrder::PlayerFirst,
    DrawOrder::ComputerFirst,
    DrawOrder::PlayerOne,
];

/// A situation in the computer's view: whether it answered the player's last card, and whether the player's hand, its own
/// hand and the deck are empty.
type ComputerSituation = (bool, [bool; 3]);

/// The situations that the statement leaves open. In all others the computer waits for the player.
fn open_situations() -> Vec<ComputerSituation> {
    let mut all = Vec::new();
    for bits in 0..8 {
        let empty = [0, 1, 2].map(|bit| bits >> bit & 1 == 1);
        let [player, computer, _] = empty;
        if player || computer {
            all.push((true, empty));
        }
        if computer {
            all.push((false, empty));
        }
    }
    all
}

/// The reason why a contest broke off.
type ContestFailure = String;

const COMPUTER: usize = 0;
const PLAYER: usize = 1;

/// Matches in a row between the computer and one bot.
struct Contest {
    bot: PlayerDialogue,
    step: PlayerAwaits<Septica>,
    printed: Lines,
    /// Lines that the bot has not read yet.
    unread: Lines,
    rng: Rng,
    /// The situations in which the computer ends the trick itself.
    ends_itself: Vec<ComputerSituation>,
    draw: DrawOrder,
    hands: [Vec<u8>; 2],
    deck: Vec<u8>,
    /// Number of times that the bot waited for a line that did not come, by situation.
    waits: BTreeMap<(ComputerSituation, bool), u32>,
    /// Number of times that each situation came up.
    met: BTreeMap<ComputerSituation, u32>,
}

impl Contest {
    fn new(settings: &[(&str, &str)], ends_itself: &[ComputerSituation], draw: DrawOrder, seed: u64) -> Self {
        let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let mut bot = PlayerDialogue::new(&Settings(settings)).unwrap();
        let mut printed = Lines::new();
        let step = bot.start(&mut printed);
        Self {
            bot,
            step,
            printed,
            unread: Lines::new(),
            rng: Rng::stream(&Seed::from(seed), 11),
            ends_itself: ends_itself.to_vec(),
            draw,
            hands: [Vec::new(), Vec::new()],
            deck: Vec::new(),
            waits: BTreeMap::new(),
            met: BTreeMap::new(),
        }
    }

    fn situation(&self, answered: bool) -> ComputerSituation {
        (answered, [self.hands[PLAYER].is_empty(), self.hands[COMPUTER].is_empty(), self.deck.is_empty()])
    }

    /// Lets the bot read all lines. Only [`Self::number`] reports silence to it, when the computer waits.
    fn deliver(&mut self) {
        for line in std::mem::take(&mut self.unread) {
            self.step = self.bot.line(&line, &mut self.printed).unwrap();
        }
    }

    /// The bot's next number, for which the computer waits. `open`: a situation in which the bot may have to learn that
    /// the computer waits, and whether the bot may go on with the trick.
    fn number(&mut self, open: Option<(ComputerSituation, bool)>) -> Result<u8, ContestFailure> {
        self.deliver();
        for _ in 0..3 {
            if !self.printed.is_empty() {
                return Ok(self.printed.remove(0).parse().unwrap());
            }
            match &self.step {
                Awaits::Decision(PlayerDecision { view, .. }) => {
                    let mut moves = Vec::new();
                    crate::game::View::legal(&**view, &mut moves);
                    let mv = *self.rng.pick(&moves).unwrap();
                    self.step = self.bot.played(&mv, &mut self.printed);
                }
                Awaits::EntryWithin(_) if open.is_some() => {
                    *self.waits.entry(open.expect("it was just seen")).or_default() += 1;
                    self.step = self.bot.silence(&mut self.printed);
                }
                step => return Err(format!("the computer waits in {open:?}, the bot does {step:?}")),
            }
        }
        Err("the bot does not answer".to_owned())
    }

    fn card(&mut self) -> Result<u8, ContestFailure> {
        let card = self.number(None)?;
        let hand = &mut self.hands[PLAYER];
        let at = hand.iter().position(|c| *c == card);
        at.map(|at| hand.remove(at)).ok_or_else(|| format!("{card} came instead of a card of {hand:?}"))
    }

    /// The player's choice at this point of its trick: a card to go on with, or `None` if the trick is over.
    fn choice(&mut self, answered: bool, led: u8, cut: bool) -> Result<Option<u8>, ContestFailure> {
        let situation = self.situation(answered);
        let open = open_situations().contains(&situation);
        if open {
            *self.met.entry(situation).or_default() += 1;
            if self.ends_itself.contains(&situation) {
                return Ok(None);
            }
        }
        let cuts = |card: &u8| *card == 7 || *card == led;
        let may_go_on = cut && !self.hands[PLAYER].is_empty();
        match self.number(open.then_some((situation, may_go_on)))? {
            0 => Ok(None),
            card if may_go_on && cuts(&card) && self.hands[PLAYER].contains(&card) => {
                self.take(PLAYER, card);
                Ok(Some(card))
            }
            card => Err(format!("{card} came in {situation:?} from {:?}", self.hands[PLAYER])),
        }
    }

    fn take(&mut self, seat: usize, card: u8) {
        let at = self.hands[seat].iter().position(|c| *c == card).unwrap();
        self.hands[seat].remove(at);
    }

    /// Plays one trick and returns the seat that takes it.
    fn trick(&mut self, leader: usize) -> Result<usize, ContestFailure> {
        let mut winner = leader;
        let mut card = if leader == PLAYER { self.card()? } else { self.random_card(|_| true).unwrap() };
        let led = card;
        loop {
            if leader == COMPUTER {
                self.take(COMPUTER, card);
                self.unread.push(card.to_string());
            }
            let cuts = |c: &u8| *c == 7 || *c == led;
            winner = if cuts(&card) { leader } else { winner };
            if self.hands[1 - leader].is_empty() {
                if leader == PLAYER {
                    self.choice(false, led, false)?;
                }
                return Ok(winner);
            }
            let answer = if leader == COMPUTER { self.card()? } else { self.random_card(|_| true).unwrap() };
            if leader == PLAYER {
                self.take(COMPUTER, answer);
                self.unread.push(answer.to_string());
            }
            let cut = cuts(&answer);
            winner = if cut { 1 - leader } else { winner };
            let next = match leader {
                COMPUTER => self.random_card(cuts).filter(|_| cut && self.draw != DrawOrder::InTurn),
                _ => self.choice(true, led, cut)?,
            };
            match next {
                Some(next) => card = next,
                None => return Ok(winner),
            }
        }
    }

    /// A random card of the computer's that fits.
    fn random_card(&mut self, fit: impl Fn(&u8) -> bool) -> Option<u8> {
        let cards: Vec<u8> = self.hands[COMPUTER].iter().copied().filter(|c| fit(c)).collect();
        self.rng.pick(&cards).copied()
    }

    fn drawn(&mut self, winner: usize) -> Vec<u8> {
        let (first, rounds) = match self.draw {
            DrawOrder::InTurn => (winner, 4),
            DrawOrder::WinnerFirst => (winner, 1),
            DrawOrder::LoserFirst => (1 - winner, 1),
            DrawOrder::PlayerFirst => (PLAYER, 1),
            DrawOrder::ComputerFirst | DrawOrder::PlayerOne => (COMPUTER, 1),
        };
        let mut drawn = Vec::new();
        for seat in [first, 1 - first].repeat(rounds) {
            let most = if seat == PLAYER && self.draw == DrawOrder::PlayerOne { 1 } else { 4 / rounds };
            for _ in 0..most {
                if self.hands[seat].len() < 4
                    && let Some(card) = self.deck.pop()
                {
                    self.hands[seat].push(card);
                    drawn.extend((seat == PLAYER).then_some(card));
                }
            }
        }
        drawn
    }

    fn one_match(&mut self) -> Result<(), ContestFailure> {
        self.deck = (7..=14).flat_map(|rank| [rank; 4]).collect();
        self.rng.shuffle(&mut self.deck);
        self.hands = [self.deck.split_off(28), self.deck.split_off(24)];
        let hand: Vec<String> = self.hands[PLAYER].iter().map(ToString::to_string).collect();
        self.unread.push(hand.join(" "));
        let mut leader = COMPUTER;
        loop {
            let winner = self.trick(leader)?;
            if let Some(surplus) = self.printed.first() {
                return Err(format!("{surplus} is surplus after a trick that seat {leader} led"));
            }
            let drawn = self.drawn(winner);
            if self.hands.iter().all(Vec::is_empty) {
                self.unread.push("4 0 8".to_owned());
                return Ok(());
            }
            leader = if self.hands[winner].is_empty() { 1 - winner } else { winner };
            let cards: String = drawn.iter().map(|card| format!(" {card}")).collect();
            self.unread.push(format!("{} {}{cards}", if leader == COMPUTER { 2 } else { 3 }, drawn.len()));
        }
    }

    fn play(&mut self, matches: u32) -> Result<(), ContestFailure> {
        for number in 0..matches {
            self.one_match().map_err(|e| format!("match {number}, {:?}: {e}", self.draw))?;
        }
        self.deliver();
        if self.printed.is_empty() { Ok(()) } else { Err(format!("{:?} came after the end", self.printed)) }
    }
}

/// The settings that state the situations beforehand, with the situations that each of them covers.
fn groups() -> Vec<(&'static str, Vec<ComputerSituation>)> {
    let of = |fits: &dyn Fn(&ComputerSituation) -> bool| {
        open_situations().into_iter().filter(|s| fits(s)).collect()
    };
    vec![
        ("final_zero", of(&|s| *s == (true, [true, true, true]))),
        ("empty_hand_zero", of(&|s| *s == (true, [true, false, true]))),
        ("deck_left_zero", of(&|s| matches!(s, (true, [true, _, false])))),
        ("last_card_zero", of(&|s| matches!(s, (true, [false, ..])))),
        ("unanswered_zero", of(&|s| !s.0)),
    ]
}

#[test]
fn every_combination_is_learned_with_one_wait_per_situation() {
    let mut met = BTreeMap::new();
    for draw in DRAWS {
        for bits in 0..32u32 {
            let chosen = groups().into_iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            let ends_itself: Vec<ComputerSituation> = chosen.flat_map(|(_, (_, group))| group).collect();
            let mut contest = Contest::new(&[], &ends_itself, draw, u64::from(bits));
            contest.play(150).unwrap_or_else(|e| panic!("ends itself {ends_itself:?}: {e}"));
            assert!(contest.waits.values().all(|waits| *waits == 1), "{draw:?}: {:?}", contest.waits);
            for (situation, times) in contest.met {
                *met.entry(situation).or_insert(0) += times;
            }
        }
    }
    // Every group of situations occurred, and with an empty deck every single one.
    for (name, group) in groups() {
        assert!(group.iter().any(|s| met.contains_key(s)), "{name}: {met:?}");
    }
    for situation in open_situations().iter().filter(|(_, empty)| empty[2]) {
        assert!(met.contains_key(situation), "{situation:?}: {met:?}");
    }
}

/// Situations of one group are learned separately.
#[test]
fn single_situation_may_differ_from_all_others() {
    for draw in DRAWS {
        for (i, situation) in open_situations().iter().enumerate() {
            let others: Vec<ComputerSituation> =
                open_situations().into_iter().filter(|s| s != situation).collect();
            for ends_itself in [&others[..], &[*situation]] {
                let mut contest = Contest::new(&[], ends_itself, draw, 50 + i as u64);
                contest.play(150).unwrap_or_else(|e| panic!("ends itself {ends_itself:?}: {e}"));
                assert!(contest.waits.values().all(|waits| *waits == 1), "{draw:?}: {:?}", contest.waits);
            }
        }
    }
}

#[test]
fn stated_situations_need_no_wait() {
    for draw in DRAWS {
        for bits in 0..32u32 {
            let chosen = |i: usize| bits >> i & 1 == 1;
            let groups = groups();
            let settings: Vec<(&str, &str)> = groups
                .iter()
                .enumerate()
                .map(|(i, (name, _))| (*name, if chosen(i) { "no" } else { "yes" }))
                .collect();
            let ends_itself: Vec<ComputerSituation> = groups
                .iter()
                .enumerate()
                .filter(|(i, _)| chosen(*i))
                .flat_map(|(_, (_, group))| group.clone())
                .collect();
            let mut contest = Contest::new(&settings, &ends_itself, draw, u64::from(bits));
            contest.play(100).unwrap_or_else(|e| panic!("{settings:?}: {e}"));
            assert!(contest.waits.is_empty(), "{settings:?}: {:?}", contest.waits);
        }
    }
}

/// A computer that draws in another order makes most positions impossible. One remark a match says so.
#[test]
fn impossible_positions_make_one_remark_a_match() {
    let mut most = BTreeMap::new();
    for draw in DRAWS {
        let mut contest = Contest::new(&[], &[], draw, 3);
        for number in 0..60 {
            contest.one_match().unwrap_or_else(|e| panic!("match {number}, {draw:?}: {e}"));
            contest.deliver();
            let remarks = contest.bot.doubts();
            assert!(remarks.len() <= 1, "match {number}, {draw:?}: {remarks:?}");
            *most.entry(format!("{draw:?}")).or_insert(0) += remarks.len();
        }
    }
    assert!(
        most.values().any(|remarks| *remarks > 1),
        "each match with such positions has its remark: {most:?}"
    );
}
