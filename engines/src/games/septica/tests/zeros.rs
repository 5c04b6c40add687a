//! A computer that ends some tricks itself and awaits the player's `0` in others, in every combination: the player's
//! side must learn each situation, answer nothing wrongly, and wait at most once for each. The computer here is
//! written from the statement alone and shares no code with the rules.

use std::collections::BTreeMap;

use super::Bot;
use crate::games::septica::Septica;
use crate::protocol::{Awaits, Lines, Player, PlayerAwaits, PlayerDecision, Settings};
use crate::rng::{Rng, Seed};

/// How cards are drawn when hands cannot both be filled, or are not filled on purpose.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Draw {
    InTurn,
    WinnerFirst,
    LoserFirst,
    PlayerFirst,
    ComputerFirst,
    /// The player gets one card a trick while the deck lasts, the computer fills its hand.
    PlayerOne,
}

const DRAWS: [Draw; 6] = [
    Draw::InTurn,
    Draw::WinnerFirst,
    Draw::LoserFirst,
    Draw::PlayerFirst,
    Draw::ComputerFirst,
    Draw::PlayerOne,
];

/// The situations that the statement leaves open, as the computer knows them: whether it answered the player's last
/// card, and whether the player's hand, its own hand and the deck are empty.
type Situation = (bool, [bool; 3]);

/// What the computer awaits in these situations; in all others it awaits the player's word.
fn situations() -> Vec<Situation> {
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

/// Why a run broke off.
type Fault = String;

const COMPUTER: usize = 0;
const PLAYER: usize = 1;

/// A run of matches between the computer and one bot.
struct Run {
    bot: Bot,
    step: PlayerAwaits<Septica>,
    said: Lines,
    /// Lines that the bot has not read yet.
    unread: Lines,
    rng: Rng,
    /// The situations in which the computer ends the trick itself.
    ends_itself: Vec<Situation>,
    draw: Draw,
    hands: [Vec<u8>; 2],
    deck: Vec<u8>,
    /// How often the bot waited for a line that did not come, by situation.
    waits: BTreeMap<(Situation, bool), u32>,
    /// How often each situation came up.
    met: BTreeMap<Situation, u32>,
}

impl Run {
    fn new(settings: &[(&str, &str)], ends_itself: &[Situation], draw: Draw, seed: u64) -> Self {
        let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let mut bot = Bot::new(&Settings(settings)).unwrap();
        let mut said = Lines::new();
        let step = bot.start(&mut said);
        Self {
            bot,
            step,
            said,
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

    fn situation(&self, answered: bool) -> Situation {
        (answered, [self.hands[PLAYER].is_empty(), self.hands[COMPUTER].is_empty(), self.deck.is_empty()])
    }

    /// The bot reads all lines. It is told of silence only by [`Self::number`], when the computer waits for it.
    fn deliver(&mut self) {
        for line in std::mem::take(&mut self.unread) {
            self.step = self.bot.line(&line, &mut self.said).unwrap();
        }
    }

    /// The bot's next number, which the computer waits for. `open`: the situation, where the bot may have to learn
    /// that the computer waits, and whether the bot may go on with the trick.
    fn number(&mut self, open: Option<(Situation, bool)>) -> Result<u8, Fault> {
        self.deliver();
        for _ in 0..3 {
            if !self.said.is_empty() {
                return Ok(self.said.remove(0).parse().unwrap());
            }
            match &self.step {
                Awaits::Decision(PlayerDecision { view, .. }) => {
                    let mut moves = Vec::new();
                    crate::game::View::legal(&**view, &mut moves);
                    let mv = *self.rng.pick(&moves).unwrap();
                    self.step = self.bot.played(&mv, &mut self.said);
                }
                Awaits::EntryWithin(_) if open.is_some() => {
                    *self.waits.entry(open.expect("it was just seen")).or_default() += 1;
                    self.step = self.bot.silence(&mut self.said);
                }
                step => return Err(format!("the computer waits in {open:?}, the bot does {step:?}")),
            }
        }
        Err("the bot never answers".to_owned())
    }

    fn card(&mut self) -> Result<u8, Fault> {
        let card = self.number(None)?;
        let hand = &mut self.hands[PLAYER];
        let at = hand.iter().position(|c| *c == card);
        at.map(|at| hand.remove(at)).ok_or_else(|| format!("{card} came where a card of {hand:?} was due"))
    }

    /// The player's word after its trick came to this point: a card to go on with, or `None` if the trick is over.
    fn word(&mut self, answered: bool, led: u8, cut: bool) -> Result<Option<u8>, Fault> {
        let situation = self.situation(answered);
        let open = situations().contains(&situation);
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

    /// Plays one trick; who takes it.
    fn trick(&mut self, leader: usize) -> Result<usize, Fault> {
        let mut winner = leader;
        let mut card = if leader == PLAYER { self.card()? } else { self.any(|_| true).unwrap() };
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
                    self.word(false, led, false)?;
                }
                return Ok(winner);
            }
            let answer = if leader == COMPUTER { self.card()? } else { self.any(|_| true).unwrap() };
            if leader == PLAYER {
                self.take(COMPUTER, answer);
                self.unread.push(answer.to_string());
            }
            let cut = cuts(&answer);
            winner = if cut { 1 - leader } else { winner };
            let next = match leader {
                COMPUTER => self.any(cuts).filter(|_| cut && self.draw != Draw::InTurn),
                _ => self.word(true, led, cut)?,
            };
            match next {
                Some(next) => card = next,
                None => return Ok(winner),
            }
        }
    }

    /// Any card of the computer's that is fit.
    fn any(&mut self, fit: impl Fn(&u8) -> bool) -> Option<u8> {
        let cards: Vec<u8> = self.hands[COMPUTER].iter().copied().filter(|c| fit(c)).collect();
        self.rng.pick(&cards).copied()
    }

    fn drawn(&mut self, winner: usize) -> Vec<u8> {
        let (first, rounds) = match self.draw {
            Draw::InTurn => (winner, 4),
            Draw::WinnerFirst => (winner, 1),
            Draw::LoserFirst => (1 - winner, 1),
            Draw::PlayerFirst => (PLAYER, 1),
            Draw::ComputerFirst | Draw::PlayerOne => (COMPUTER, 1),
        };
        let mut drawn = Vec::new();
        for seat in [first, 1 - first].repeat(rounds) {
            let most = if seat == PLAYER && self.draw == Draw::PlayerOne { 1 } else { 4 / rounds };
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

    fn one_match(&mut self) -> Result<(), Fault> {
        self.deck = (7..=14).flat_map(|rank| [rank; 4]).collect();
        self.rng.shuffle(&mut self.deck);
        self.hands = [self.deck.split_off(28), self.deck.split_off(24)];
        let hand: Vec<String> = self.hands[PLAYER].iter().map(ToString::to_string).collect();
        self.unread.push(hand.join(" "));
        let mut leader = COMPUTER;
        loop {
            let winner = self.trick(leader)?;
            if let Some(surplus) = self.said.first() {
                return Err(format!("{surplus} is too much after a trick that seat {leader} led"));
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

    fn play(&mut self, matches: u32) -> Result<(), Fault> {
        for number in 0..matches {
            self.one_match().map_err(|e| format!("match {number}, {:?}: {e}", self.draw))?;
        }
        self.deliver();
        if self.said.is_empty() { Ok(()) } else { Err(format!("{:?} came after the end", self.said)) }
    }
}

/// The settings that state all this beforehand, and the situations each of them covers.
fn groups() -> Vec<(&'static str, Vec<Situation>)> {
    let of = |fits: &dyn Fn(&Situation) -> bool| situations().into_iter().filter(|s| fits(s)).collect();
    vec![
        ("final_zero", of(&|s| *s == (true, [true, true, true]))),
        ("empty_hand_zero", of(&|s| *s == (true, [true, false, true]))),
        ("deck_left_zero", of(&|s| matches!(s, (true, [true, _, false])))),
        ("last_card_zero", of(&|s| matches!(s, (true, [false, ..])))),
        ("unanswered_zero", of(&|s| !s.0)),
    ]
}

#[test]
fn every_mixture_of_computers_is_learned_with_one_wait_for_each_situation() {
    let mut met = BTreeMap::new();
    for draw in DRAWS {
        for bits in 0..32u32 {
            let chosen = groups().into_iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            let ends_itself: Vec<Situation> = chosen.flat_map(|(_, (_, group))| group).collect();
            let mut run = Run::new(&[], &ends_itself, draw, u64::from(bits));
            run.play(150).unwrap_or_else(|e| panic!("ends itself {ends_itself:?}: {e}"));
            assert!(run.waits.values().all(|waits| *waits == 1), "{draw:?}: {:?}", run.waits);
            for (situation, times) in run.met {
                *met.entry(situation).or_insert(0) += times;
            }
        }
    }
    // Each group of situations came up; with an empty deck each single one.
    for (name, group) in groups() {
        assert!(group.iter().any(|s| met.contains_key(s)), "{name}: {met:?}");
    }
    for situation in situations().iter().filter(|(_, empty)| empty[2]) {
        assert!(met.contains_key(situation), "{situation:?}: {met:?}");
    }
}

/// The situations of one group may differ too.
#[test]
fn any_situation_may_differ_from_all_others() {
    for draw in DRAWS {
        for (i, situation) in situations().iter().enumerate() {
            let others: Vec<Situation> = situations().into_iter().filter(|s| s != situation).collect();
            for ends_itself in [&others[..], &[*situation]] {
                let mut run = Run::new(&[], ends_itself, draw, 50 + i as u64);
                run.play(150).unwrap_or_else(|e| panic!("ends itself {ends_itself:?}: {e}"));
                assert!(run.waits.values().all(|waits| *waits == 1), "{draw:?}: {:?}", run.waits);
            }
        }
    }
}

#[test]
fn a_computer_that_is_known_beforehand_is_never_waited_for() {
    for draw in DRAWS {
        for bits in 0..32u32 {
            let chosen = |i: usize| bits >> i & 1 == 1;
            let groups = groups();
            let settings: Vec<(&str, &str)> = groups
                .iter()
                .enumerate()
                .map(|(i, (name, _))| (*name, if chosen(i) { "no" } else { "yes" }))
                .collect();
            let ends_itself: Vec<Situation> = groups
                .iter()
                .enumerate()
                .filter(|(i, _)| chosen(*i))
                .flat_map(|(_, (_, group))| group.clone())
                .collect();
            let mut run = Run::new(&settings, &ends_itself, draw, u64::from(bits));
            run.play(100).unwrap_or_else(|e| panic!("{settings:?}: {e}"));
            assert!(run.waits.is_empty(), "{settings:?}: {:?}", run.waits);
        }
    }
}
