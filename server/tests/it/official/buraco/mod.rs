//! Buraco's referee: two processes, commands and answers. It accepts and crashes in the same cases as the real referee.

mod rules;
mod table;
#[cfg(test)]
mod tests;

use super::process::{BotChild, Goodbye, Split, Stderr};
use super::{Mistake, RefereeFaultKind, Report, SeatBot, SplitMix};
pub(crate) use rules::{Card, cards};
use rules::{Rules, arrange};
use std::time::{Duration, Instant};
pub(crate) use table::RefereeTable;
use table::{brackets, list};

/// One match.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub seats: [SeatBot; 2],
    pub seed: u64,
    /// None: at random.
    pub starter: Option<usize>,
    /// None: shuffled by the seed.
    pub deal: Option<RefereeTable>,
    /// The hand's line comes in brackets: the real referee's way, though its text shows none.
    pub hand_in_brackets: bool,
    /// The answer to GET_DISCARD holds the top card: the text's way, not the real referee's.
    pub top_in_answer: bool,
    /// For one command.
    pub limit: Duration,
    /// The way in which bots learn that the match is over: a signal, or end of input.
    pub goodbye: Goodbye,
    /// Whether the built-in player lists a 2 twice that it holds once; the real referee does not notice.
    pub doubles: bool,
}

type BotPair = [Option<BotChild>; 2];

impl Match {
    pub(crate) fn new(seats: [SeatBot; 2], seed: u64) -> Match {
        Match {
            seats,
            seed,
            starter: None,
            deal: None,
            hand_in_brackets: true,
            top_in_answer: false,
            limit: Duration::from_secs(3),
            goodbye: Goodbye::Interrupt,
            doubles: false,
        }
    }

    pub(crate) fn play(&self) -> Report {
        self.play_out().0
    }

    fn play_out(&self) -> (Report, RefereeTable) {
        let mut rng = SplitMix::new(self.seed);
        let dealt = RefereeTable::deal(&mut rng);
        let mut table = self.deal.clone().unwrap_or(dealt);
        let random = rng.below(2);
        let starter = self.starter.unwrap_or(random);
        let mut report = Report::new(2);
        let mut players = [None, None];
        let mut fault = None;
        for (seat, who) in self.seats.iter().enumerate() {
            if let SeatBot::Child(bot) = who {
                match BotChild::start(bot, Split::Lines, Stderr::Free) {
                    Ok(process) => players[seat] = Some(process),
                    Err(mistake) => fault = fault.or(Some((seat, mistake))),
                }
            }
        }
        if fault.is_none() {
            self.greet(&table, &mut players);
            fault = self.turns(&mut table, starter, &mut players, &mut rng, &mut report).err();
        }
        report.points = table.points().to_vec();
        match fault {
            Some((seat, mistake)) => {
                report.ended = "a fault".to_owned();
                report.fault(seat, mistake);
                report.lose(seat);
            }
            None => {
                let points = report.points.clone();
                report.rank(&points);
            }
        }
        for (seat, process) in players.iter_mut().enumerate() {
            if let Some(process) = process {
                // The real referee does not read any more either.
                report.close(seat, process, self.goodbye);
            }
        }
        (report, table)
    }

    fn ids(&self) -> [String; 2] {
        [0, 1].map(|seat| match &self.seats[seat] {
            SeatBot::Child(bot) => format!("p{}.{}", seat + 1, bot.name()),
            SeatBot::Random => format!("p{}.random", seat + 1),
        })
    }

    fn greet(&self, table: &RefereeTable, players: &mut BotPair) {
        let ids = self.ids();
        for (seat, process) in players.iter_mut().enumerate() {
            let hand = &table.hands[seat];
            let hand = if self.hand_in_brackets { brackets(hand) } else { list(hand) };
            let text = format!("{}\n{}\n{hand}\n{}\n", ids.join(" "), ids[seat], list(&table.pile));
            if let Some(process) = process {
                process.say(&text);
            }
        }
    }

    fn turns(
        &self,
        table: &mut RefereeTable,
        starter: usize,
        players: &mut BotPair,
        rng: &mut SplitMix,
        report: &mut Report,
    ) -> Result<(), (usize, Mistake)> {
        let ids = self.ids();
        let mut seat = starter;
        let all = table.count();
        loop {
            for process in players.iter_mut().flatten() {
                process.say(&format!("{}\n", ids[seat]));
            }
            loop {
                let (line, spent) = match &mut players[seat] {
                    None => {
                        let doubled = if self.doubles { doubled(table, seat) } else { None };
                        (doubled.unwrap_or_else(|| random(table, seat, rng)), Duration::ZERO)
                    }
                    Some(process) => {
                        process.hear(Instant::now(), self.limit).map_err(|mistake| (seat, mistake))?
                    }
                };
                report.decided(seat, spent);
                let done = table.obey(seat, &line, self.top_in_answer).map_err(|mistake| (seat, mistake))?;
                assert_eq!(table.count(), all, "no card is lost");
                for why in done.lenient {
                    report.fault(seat, (RefereeFaultKind::Lenient, why));
                }
                if let (Some(process), Some(answer)) = (&mut players[seat], &done.answer) {
                    process.say(&format!("{answer}\n"));
                }
                // An unanswered GET_STOCK ends the match before the opponent hears of it.
                let unheard = done.over.is_some() && line.trim() == "GET_STOCK";
                if let Some(process) = &mut players[1 - seat]
                    && !unheard
                {
                    let words: Vec<&str> = line.split_whitespace().collect();
                    process.say(&format!("{}\n", words.join(" ")));
                }
                if let Some(why) = done.over {
                    report.ended = why.to_owned();
                    return Ok(());
                }
                if done.passes {
                    break;
                }
            }
            seat = 1 - seat;
        }
    }
}

/// A command that lists a 2 twice though the hand holds it once.
fn doubled(table: &RefereeTable, seat: usize) -> Option<String> {
    let hand = &table.hands[seat];
    let once = |two: &&Card| two.rank == 2 && hand.iter().filter(|card| card == two).count() == 1;
    hand.iter().filter(once).find_map(|&two| {
        let forms = |cards: &[Card]| {
            let meld = [cards, &[two, two]].concat();
            meld.iter().any(|card| card.rank != 2) && arrange(&meld, Rules::Written).is_some()
        };
        let twos = brackets(&[two, two]);
        if !table.drawn {
            let top = *table.pile.last()?;
            return forms(&[top]).then(|| format!("GET_DISCARD {twos}"));
        }
        let new = hand.iter().find(|card| card.rank != 2 && forms(&[**card]));
        let new = new.map(|&card| format!("MELD_NEW {}", brackets(&[two, two, card])));
        let joined = || table.melds[seat].iter().position(|meld| forms(meld));
        new.or_else(|| joined().map(|index| format!("MELD_JOIN {index} {twos}")))
    })
}

/// The next command of the built-in player: mostly the stock, a meld or a join more often than not, any discard.
fn random(table: &RefereeTable, seat: usize, rng: &mut SplitMix) -> String {
    let hand = &table.hands[seat];
    if !table.drawn {
        let top = *table.pile.last().expect("the pile is never empty at the start of a turn");
        let with_top: Vec<Vec<Card>> =
            melds(&[&hand[..], &[top]].concat()).into_iter().filter(|meld| meld.contains(&top)).collect();
        if !with_top.is_empty() && rng.chance(1, 2) {
            let mut meld = with_top[rng.below(with_top.len())].clone();
            let index = meld.iter().position(|&card| card == top).expect("it was looked for");
            meld.remove(index);
            if meld.iter().all(|card| hand.contains(card)) {
                return format!("GET_DISCARD {}", brackets(&meld));
            }
        }
        return "GET_STOCK".to_owned();
    }
    if rng.chance(4, 5) {
        for (index, meld) in table.melds[seat].iter().enumerate() {
            for &card in hand {
                // A wild is spared for a new meld.
                if card.rank != 2 && arrange(&[&meld[..], &[card]].concat(), Rules::Written).is_some() {
                    return format!("MELD_JOIN {index} {}", brackets(&[card]));
                }
            }
        }
        let melds = melds(hand);
        if !melds.is_empty() {
            return format!("MELD_NEW {}", brackets(&melds[rng.below(melds.len())]));
        }
    }
    format!("DISCARD {}", hand[rng.below(hand.len())])
}

/// Melds of three among the cards, with one wild at most.
fn melds(cards: &[Card]) -> Vec<Vec<Card>> {
    let mut found = Vec::new();
    for suit in 0..4 {
        for low in 1..=12 {
            let wanted =
                [low, low + 1, low + 2].map(|place| Card { suit, rank: if place == 14 { 1 } else { place } });
            let mut meld: Vec<Card> = wanted.into_iter().filter(|card| cards.contains(card)).collect();
            if meld.len() == 2 {
                let wild = cards.iter().find(|card| card.rank == 2 && !meld.contains(card));
                meld.extend(wild);
            }
            if arrange(&meld, Rules::Written).is_some() {
                found.push(meld);
            }
        }
    }
    found
}
