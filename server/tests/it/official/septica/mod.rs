//! Septica's judge: plays the computer's seat in a series of matches against one bot, and checks every card.

#[cfg(test)]
mod tests;

use super::process::{BotChild, Goodbye, Split, Stderr};
use super::{ANSWER_TIMEOUT, Mistake, RefereeFaultKind, Report, SeatBot, SplitMix, integer};
use std::time::{Duration, Instant};

/// The bot's seat.
pub(crate) const PLAYER: usize = 0;
/// The judge's.
pub(crate) const COMPUTER: usize = 1;

/// Whether the judge awaits the 0 that ends a trick which the player led and cannot continue. The statement leaves
/// this open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastZero {
    Awaited,
    /// Even when the computer has no card to answer with.
    AwaitedUnanswered,
    /// Not when deck and both hands are empty, the very end of a match.
    NotAtTheEnd,
    /// Not when deck and player's hand are empty, whatever the computer holds.
    NotFromAnEmptyHand,
    /// Not when the player's hand is empty, whatever the deck holds.
    NeverFromAnEmptyHand,
    /// Not when either hand is empty, even if the player could go on with a cut.
    NeverWithAnEmptyHand,
}

/// All of them.
pub(crate) const LAST_ZEROS: [LastZero; 6] = [
    LastZero::Awaited,
    LastZero::AwaitedUnanswered,
    LastZero::NotAtTheEnd,
    LastZero::NotFromAnEmptyHand,
    LastZero::NeverFromAnEmptyHand,
    LastZero::NeverWithAnEmptyHand,
];

/// The way in which a deck that cannot fill both hands is dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Draw {
    /// One card each in turn.
    InTurn,
    WinnerFirst,
    LoserFirst,
    PlayerFirst,
    ComputerFirst,
}

/// All of them.
pub(crate) const DRAWS: [Draw; 5] =
    [Draw::InTurn, Draw::WinnerFirst, Draw::LoserFirst, Draw::PlayerFirst, Draw::ComputerFirst];

/// The way in which the computer plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComputerStyle {
    Random,
    /// The rule published on the solution page; sensible moves where the page gives no rule.
    Page,
}

/// A series of matches. Points: the matches that the player did not lose, and the others. The player must win half.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub player: SeatBot,
    pub matches: usize,
    pub seed: u64,
    pub last_zero: LastZero,
    pub draw: Draw,
    pub style: ComputerStyle,
    /// For one token.
    pub limit: Duration,
}

/// The player's side of the dialogue.
struct BotDialogue {
    /// None: cards at random.
    process: Option<BotChild>,
    /// Written, but not yet handed over.
    pending: String,
    limit: Duration,
    decisions: Vec<Duration>,
}

/// One match.
struct SingleMatch {
    hands: [Vec<u8>; 2],
    deck: Vec<u8>,
    /// 10s and 14s taken.
    taken: [usize; 2],
    cards: usize,
}

impl Match {
    pub(crate) fn new(player: SeatBot, seed: u64) -> Match {
        Match {
            player,
            matches: 1000,
            seed,
            last_zero: LastZero::Awaited,
            draw: Draw::InTurn,
            style: ComputerStyle::Page,
            limit: ANSWER_TIMEOUT,
        }
    }

    pub(crate) fn play(&self) -> Report {
        let mut report = Report::new(2);
        report.ended = "all matches played".to_owned();
        let process = match &self.player {
            SeatBot::Random => Ok(None),
            SeatBot::Child(bot) => BotChild::start(bot, Split::Tokens, Stderr::Free).map(Some),
        };
        let mut saved = 0;
        match process {
            Err(mistake) => report.fault(PLAYER, mistake),
            Ok(process) => {
                let limit = self.limit;
                let mut dialogue =
                    BotDialogue { process, pending: String::new(), limit, decisions: Vec::new() };
                let mut rng = SplitMix::new(self.seed);
                for number in 1..=self.matches {
                    match self.one(&mut dialogue, &mut rng) {
                        Ok(taken) => saved += i32::from(taken[PLAYER] >= taken[COMPUTER]),
                        Err((kind, why)) => {
                            report.ended = format!("a fault in match {number}");
                            report.fault(PLAYER, (kind, format!("match {number}: {why}")));
                            break;
                        }
                    }
                }
                dialogue.flush();
                dialogue.decisions.iter().for_each(|&spent| report.decided(PLAYER, spent));
                if let Some(mut process) = dialogue.process {
                    let surplus = report.close(PLAYER, &mut process, Goodbye::EndOfInput);
                    if report.faults.is_empty() && !surplus.is_empty() {
                        let why = format!("printed after the end: {surplus:?}");
                        report.fault(PLAYER, (RefereeFaultKind::Malformed, why));
                    }
                }
            }
        }
        report.points = vec![saved, self.matches as i32 - saved];
        let won = 2 * report.points[PLAYER] >= self.matches as i32 && report.faults.is_empty();
        report.lose(if won { COMPUTER } else { PLAYER });
        report
    }

    fn one(&self, dialogue: &mut BotDialogue, rng: &mut SplitMix) -> Result<[usize; 2], Mistake> {
        let mut deck: Vec<u8> = (7..=14).flat_map(|rank| [rank; 4]).collect();
        rng.shuffle(&mut deck);
        let hands = [deck.split_off(28), deck.split_off(24)];
        let mut game = SingleMatch { hands, deck, taken: [0; 2], cards: 0 };
        dialogue.tell(&list(&game.hands[PLAYER]));
        let mut leader = COMPUTER;
        loop {
            let winner = self.trick(&mut game, leader, dialogue, rng)?;
            let drawn = game.draw(winner, self.draw);
            if game.hands.iter().all(Vec::is_empty) {
                assert_eq!((game.cards, game.taken[PLAYER] + game.taken[COMPUTER]), (32, 8));
                dialogue.tell(&format!("4 {} {}", game.taken[COMPUTER], game.taken[PLAYER]));
                return Ok(game.taken);
            }
            // A seat without cards cannot lead.
            leader = if game.hands[winner].is_empty() { 1 - winner } else { winner };
            let command = if leader == COMPUTER { 2 } else { 3 };
            let line = format!("{command} {} {}", drawn.len(), list(&drawn));
            dialogue.tell(line.trim_end());
        }
    }

    /// Plays one trick and gives its winner.
    fn trick(
        &self,
        game: &mut SingleMatch,
        leader: usize,
        dialogue: &mut BotDialogue,
        rng: &mut SplitMix,
    ) -> Result<usize, Mistake> {
        let follower = 1 - leader;
        let mut pile = Vec::new();
        let mut winner = leader;
        let mut card = match leader {
            COMPUTER => self.style.lead(&game.hands[COMPUTER], rng),
            _ => dialogue.card(&game.hands[PLAYER], rng)?,
        };
        let led = card;
        loop {
            game.play(leader, card, &mut pile);
            winner = if is_cut(card, led) { leader } else { winner };
            if leader == COMPUTER {
                dialogue.tell(&card.to_string());
            }
            if game.hands[follower].is_empty() {
                if leader == PLAYER && self.last_zero == LastZero::AwaitedUnanswered {
                    dialogue.go_on(&game.hands[PLAYER], led, false, rng)?;
                }
                break;
            }
            let answer = match follower {
                COMPUTER => self.style.answer(&game.hands[COMPUTER], led, rng),
                _ => dialogue.card(&game.hands[PLAYER], rng)?,
            };
            game.play(follower, answer, &mut pile);
            if follower == COMPUTER {
                dialogue.tell(&answer.to_string());
            }
            let cut = is_cut(answer, led);
            if cut {
                winner = follower;
            }
            let next = match leader {
                COMPUTER if cut => self.style.go_on(&game.hands[COMPUTER], led, &pile, rng),
                COMPUTER => None,
                _ if self.needs_no_zero(game) => None,
                _ => dialogue.go_on(&game.hands[PLAYER], led, cut, rng)?,
            };
            match next {
                Some(next) => card = next,
                None => break,
            }
        }
        game.taken[winner] += pile.iter().filter(|&&card| is_point(card)).count();
        game.cards += pile.len();
        Ok(winner)
    }

    fn needs_no_zero(&self, game: &SingleMatch) -> bool {
        let empty = game.deck.is_empty() && game.hands[PLAYER].is_empty();
        match self.last_zero {
            LastZero::Awaited | LastZero::AwaitedUnanswered => false,
            LastZero::NeverFromAnEmptyHand => game.hands[PLAYER].is_empty(),
            LastZero::NeverWithAnEmptyHand => game.hands.iter().any(Vec::is_empty),
            LastZero::NotAtTheEnd => empty && game.hands[COMPUTER].is_empty(),
            LastZero::NotFromAnEmptyHand => empty,
        }
    }
}

impl SingleMatch {
    fn play(&mut self, seat: usize, card: u8, pile: &mut Vec<u8>) {
        let index = self.hands[seat].iter().position(|&held| held == card).expect("the card was checked");
        self.hands[seat].remove(index);
        pile.push(card);
    }

    /// Fills the hands; gives the player's new cards.
    fn draw(&mut self, winner: usize, draw: Draw) -> Vec<u8> {
        let first = match draw {
            Draw::InTurn | Draw::WinnerFirst => winner,
            Draw::LoserFirst => 1 - winner,
            Draw::PlayerFirst => PLAYER,
            Draw::ComputerFirst => COMPUTER,
        };
        let mut drawn = Vec::new();
        let turns = if draw == Draw::InTurn { 4 } else { 1 };
        for seat in [first, 1 - first].repeat(turns) {
            for _ in 0..4 / turns {
                if self.hands[seat].len() < 4
                    && let Some(card) = self.deck.pop()
                {
                    self.hands[seat].push(card);
                    if seat == PLAYER {
                        drawn.push(card);
                    }
                }
            }
        }
        drawn
    }
}

impl BotDialogue {
    fn tell(&mut self, line: &str) {
        self.pending.push_str(line);
        self.pending.push('\n');
    }

    fn flush(&mut self) -> Instant {
        let text = std::mem::take(&mut self.pending);
        self.process.as_mut().map_or_else(Instant::now, |process| process.say(&text))
    }

    /// The next integer of the bot; None if cards are played at random.
    fn ask(&mut self) -> Result<Option<i64>, Mistake> {
        let since = self.flush();
        let Some(process) = &mut self.process else {
            self.decisions.push(Duration::ZERO);
            return Ok(None);
        };
        let (token, spent) = process.hear(since, self.limit)?;
        self.decisions.push(spent);
        let number = integer(&token)
            .ok_or_else(|| (RefereeFaultKind::Malformed, format!("{token:?} is no integer")))?;
        Ok(Some(number))
    }

    /// A card, and never 0.
    fn card(&mut self, hand: &[u8], rng: &mut SplitMix) -> Result<u8, Mistake> {
        match self.ask()? {
            None => Ok(rng.pick(hand).expect("a hand with cards")),
            Some(number) => held(hand, number).ok_or_else(|| fault(hand, number, "a card is due")),
        }
    }

    /// The leading player goes on with a cut, or ends the trick with 0.
    fn go_on(&mut self, hand: &[u8], led: u8, cut: bool, rng: &mut SplitMix) -> Result<Option<u8>, Mistake> {
        let cuts: Vec<u8> = hand.iter().copied().filter(|&card| cut && is_cut(card, led)).collect();
        match self.ask()? {
            None if rng.chance(1, 2) => Ok(rng.pick(&cuts)),
            None | Some(0) => Ok(None),
            Some(number) => {
                let due = if cuts.is_empty() { "0 is due" } else { "a cut or 0 is due" };
                held(&cuts, number).map(Some).ok_or_else(|| fault(hand, number, due))
            }
        }
    }
}

impl ComputerStyle {
    fn lead(self, hand: &[u8], rng: &mut SplitMix) -> u8 {
        let count = |rank| hand.iter().filter(|&&card| card == rank).count();
        if self == ComputerStyle::Page {
            if let Some(rank) =
                [14, 10].into_iter().find(|&rank| count(rank) > 0 && count(rank) + count(7) >= 3)
            {
                return rank;
            }
            if count(7) >= 3 {
                return 7;
            }
        }
        self.throw(hand, 0, rng)
    }

    fn answer(self, hand: &[u8], led: u8, rng: &mut SplitMix) -> u8 {
        let cuts: Vec<u8> = hand.iter().copied().filter(|&card| is_cut(card, led)).collect();
        let cut = match self {
            ComputerStyle::Random => rng.chance(1, 2),
            ComputerStyle::Page => !is_point(led) || (2..=3).contains(&cuts.len()),
        };
        match rng.pick(&cuts) {
            Some(card) if cut => card,
            _ => self.throw(hand, led, rng),
        }
    }

    fn go_on(self, hand: &[u8], led: u8, pile: &[u8], rng: &mut SplitMix) -> Option<u8> {
        let cuts: Vec<u8> = hand.iter().copied().filter(|&card| is_cut(card, led)).collect();
        let wanted = match self {
            ComputerStyle::Random => rng.chance(1, 2),
            ComputerStyle::Page => pile.iter().any(|&card| is_point(card)),
        };
        rng.pick(&cuts).filter(|_| wanted)
    }

    /// A random card: the page's player keeps 7, 10, 14 and cuts while it can.
    fn throw(self, hand: &[u8], led: u8, rng: &mut SplitMix) -> u8 {
        let plain: Vec<u8> =
            hand.iter().copied().filter(|&card| !is_point(card) && !is_cut(card, led)).collect();
        let from = if self == ComputerStyle::Random || plain.is_empty() { hand } else { &plain };
        rng.pick(from).expect("a hand with cards")
    }
}

fn is_cut(card: u8, led: u8) -> bool {
    card == 7 || card == led
}

fn is_point(card: u8) -> bool {
    card == 10 || card == 14
}

fn held(hand: &[u8], number: i64) -> Option<u8> {
    hand.iter().copied().find(|&card| i64::from(card) == number)
}

fn fault(hand: &[u8], number: i64, due: &str) -> Mistake {
    (RefereeFaultKind::Illegal, format!("{number} from the hand {hand:?}: {due}"))
}

fn list(cards: &[u8]) -> String {
    cards.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
}
