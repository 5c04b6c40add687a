//! The table of Splendor: cards, chips, nobles, the effect of an action, and the text a bot reads.

use super::{Mistake, Nobles, RefereeFaultKind, SplitMix};
use std::fmt::Write;
use std::sync::LazyLock;

/// Counts of red, green, blue, white, black.
pub(super) type Colours = [usize; 5];
/// The same, and gold.
pub(super) type Chips = [usize; 6];

const GOLD: usize = 5;

#[derive(Clone, Debug)]
pub(super) struct Card {
    pub level: usize,
    pub bonus: usize,
    pub points: i32,
    pub cost: Colours,
}

/// By id; 0 is no card.
pub(super) static CARDS: LazyLock<Vec<Card>> = LazyLock::new(|| {
    let blank = Card { level: 0, bonus: 0, points: 0, cost: [0; 5] };
    let rows = include_str!("../data/splendor_cards.csv").lines().skip(1).enumerate().map(|(index, line)| {
        let cells: Vec<&str> = line.trim().split(',').collect();
        let number = |cell: usize| cells[cell].parse::<usize>().expect("the table holds numbers");
        assert_eq!(number(0), index + 1, "ids are in order");
        let colours = ["red", "green", "blue", "white", "black"];
        let bonus = colours.iter().position(|&name| name == cells[2]).expect("a colour");
        let cost = [4, 5, 6, 7, 8].map(number);
        Card { level: number(1), bonus, points: number(3) as i32, cost }
    });
    std::iter::once(blank).chain(rows).collect()
});

/// Needs of the nobles, by id; 0 is no noble. Each is worth 3 points.
pub(super) static NOBLES: LazyLock<Vec<Colours>> = LazyLock::new(|| {
    let rows =
        include_str!("../data/splendor_nobles.csv").lines().skip(1).enumerate().map(|(index, line)| {
            let numbers: Vec<usize> =
                line.trim().split(',').map(|cell| cell.parse().expect("the table holds numbers")).collect();
            assert_eq!((numbers[0], numbers[1]), (index + 1, 3));
            [2, 3, 4, 5, 6].map(|cell| numbers[cell])
        });
    std::iter::once([0; 5]).chain(rows).collect()
});

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PlayerArea {
    pub chips: Chips,
    /// In order of purchase.
    pub bought: Vec<usize>,
    /// With: was it drawn blind?
    pub reserved: Vec<(usize, bool)>,
    pub nobles: Vec<usize>,
}

impl PlayerArea {
    pub(crate) fn points(&self) -> i32 {
        self.bought.iter().map(|&id| CARDS[id].points).sum::<i32>() + 3 * self.nobles.len() as i32
    }

    pub(crate) fn bonuses(&self) -> Colours {
        let mut bonuses = [0; 5];
        for &id in &self.bought {
            bonuses[CARDS[id].bonus] += 1;
        }
        bonuses
    }

    /// The chips that this player pays for a card: bonuses, then chips of the colour, then gold. None: too expensive.
    pub(crate) fn payment(&self, id: usize) -> Option<Chips> {
        let bonuses = self.bonuses();
        let mut paid = [0; 6];
        for colour in 0..5 {
            let due = CARDS[id].cost[colour].saturating_sub(bonuses[colour]);
            paid[colour] = due.min(self.chips[colour]);
            paid[GOLD] += due - paid[colour];
        }
        (paid[GOLD] <= self.chips[GOLD]).then_some(paid)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RefereeTable {
    pub bank: Chips,
    /// Face down; the next card is the last.
    pub decks: [Vec<usize>; 3],
    /// 0 is an empty slot.
    pub face_up: [[usize; 4]; 3],
    pub nobles: Vec<usize>,
    pub players: Vec<PlayerArea>,
}

fn illegal<T>(why: impl Into<String>) -> Result<T, Mistake> {
    Err((RefereeFaultKind::Illegal, why.into()))
}

fn malformed<T>(why: impl Into<String>) -> Result<T, Mistake> {
    Err((RefereeFaultKind::Malformed, why.into()))
}

impl RefereeTable {
    pub(crate) fn deal(players: usize, rng: &mut SplitMix) -> RefereeTable {
        assert!((1..=4).contains(&players), "one to four players");
        let chips = [4, 4, 5, 7][players - 1];
        let mut decks = [1, 2, 3].map(|level| {
            let mut deck: Vec<usize> = (1..CARDS.len()).filter(|&id| CARDS[id].level == level).collect();
            rng.shuffle(&mut deck);
            deck
        });
        let face_up =
            [0, 1, 2].map(|level: usize| [(); 4].map(|()| decks[level].pop().expect("a full deck")));
        let mut nobles: Vec<usize> = (1..NOBLES.len()).collect();
        rng.shuffle(&mut nobles);
        nobles.truncate(players + 1);
        let bank = [chips, chips, chips, chips, chips, 5];
        RefereeTable { bank, decks, face_up, nobles, players: vec![PlayerArea::default(); players] }
    }

    /// Does an action, noble included, or changes nothing at all.
    pub(crate) fn act(&mut self, seat: usize, action: &[i64], nobles: Nobles) -> Result<(), Mistake> {
        let mut next = self.clone();
        let used = next.start(seat, action)?;
        next.give_back(seat, &action[used..])?;
        if nobles == Nobles::EveryAction || action[0] == 4 {
            next.welcome(seat);
        }
        *self = next;
        Ok(())
    }

    /// The action without returns; gives the number of tokens used.
    fn start(&mut self, seat: usize, action: &[i64]) -> Result<usize, Mistake> {
        let token = |index: usize| {
            action.get(index).copied().ok_or((RefereeFaultKind::Malformed, "a token is missing".to_owned()))
        };
        match token(0)? {
            1 => {
                let count = usize::try_from(token(1)?).ok().filter(|&count| count <= 3);
                let Some(count) = count else { return illegal(format!("{} chips", action[1])) };
                for index in 2..2 + count {
                    let colour = colour(token(index)?)?;
                    if action[2..index].contains(&action[index]) {
                        return illegal(format!("colour {colour} twice"));
                    }
                    self.take(seat, colour, 1, 1)?;
                }
                Ok(2 + count)
            }
            2 => {
                let colour = colour(token(1)?)?;
                self.take(seat, colour, 2, 4)?;
                Ok(2)
            }
            3 => {
                if self.players[seat].reserved.len() >= 3 {
                    return illegal("a fourth reservation");
                }
                let target = token(1)?;
                let card = match target {
                    -3..=-1 => {
                        let deck = &mut self.decks[(-target - 1) as usize];
                        let Some(id) = deck.pop() else { return illegal("an empty deck") };
                        (id, true)
                    }
                    _ => (self.pick_up(target)?, false),
                };
                self.players[seat].reserved.push(card);
                if self.bank[GOLD] > 0 {
                    self.bank[GOLD] -= 1;
                    self.players[seat].chips[GOLD] += 1;
                }
                Ok(2)
            }
            4 => {
                let target = token(1)?;
                let own = self.players[seat].reserved.iter().position(|&(id, _)| id as i64 == target);
                let id = match own {
                    Some(index) => self.players[seat].reserved.remove(index).0,
                    None => self.pick_up(target)?,
                };
                let player = &mut self.players[seat];
                let Some(paid) = player.payment(id) else { return illegal(format!("card {id} is too dear")) };
                for (colour, count) in paid.into_iter().enumerate() {
                    player.chips[colour] -= count;
                    self.bank[colour] += count;
                }
                player.bought.push(id);
                Ok(2)
            }
            other => malformed(format!("action {other}")),
        }
    }

    fn take(&mut self, seat: usize, colour: usize, count: usize, at_least: usize) -> Result<(), Mistake> {
        if self.bank[colour] < at_least {
            return illegal(format!("only {} chips of colour {colour}", self.bank[colour]));
        }
        self.bank[colour] -= count;
        self.players[seat].chips[colour] += count;
        Ok(())
    }

    /// Takes a face-up card; the next of its deck comes into the same slot.
    fn pick_up(&mut self, target: i64) -> Result<usize, Mistake> {
        for level in 0..3 {
            for slot in 0..4 {
                let id = self.face_up[level][slot];
                if id != 0 && id as i64 == target {
                    self.face_up[level][slot] = self.decks[level].pop().unwrap_or(0);
                    return Ok(id);
                }
            }
        }
        illegal(format!("card {target} is not there"))
    }

    fn give_back(&mut self, seat: usize, colours: &[i64]) -> Result<(), Mistake> {
        let player = &mut self.players[seat];
        let surplus = player.chips.iter().sum::<usize>().saturating_sub(10);
        if colours.len() != surplus {
            return malformed(format!("{} tokens after the action, not {surplus}", colours.len()));
        }
        for &token in colours {
            let colour = colour(token)?;
            if player.chips[colour] == 0 {
                return illegal(format!("no chip of colour {colour} to return"));
            }
            player.chips[colour] -= 1;
            self.bank[colour] += 1;
        }
        Ok(())
    }

    /// The first noble in table order whose needs are met comes; one a turn.
    fn welcome(&mut self, seat: usize) {
        let bonuses = self.players[seat].bonuses();
        let met = |id: &usize| NOBLES[*id].iter().zip(&bonuses).all(|(need, bonus)| bonus >= need);
        if let Some(index) = self.nobles.iter().position(met) {
            let id = self.nobles.remove(index);
            self.players[seat].nobles.push(id);
        }
    }

    /// The input of the bot on `seat`.
    pub(crate) fn text(&self, seat: usize, round: usize, base: usize) -> String {
        let mut text = format!("{} {}\n{}\n", self.players.len(), seat + base, round + base);
        let mut line = |numbers: Vec<i64>| {
            let words: Vec<String> = numbers.iter().map(i64::to_string).collect();
            writeln!(text, "{}", words.join(" ")).expect("a string takes all");
        };
        let plain = |ids: &[usize]| ids.iter().map(|&id| id as i64).collect::<Vec<_>>();
        let counted = |ids: Vec<i64>| std::iter::once(ids.len() as i64).chain(ids).collect::<Vec<_>>();
        line(plain(&self.bank));
        for level in 0..3 {
            line([vec![self.decks[level].len() as i64], plain(&self.face_up[level])].concat());
        }
        line(counted(plain(&self.nobles)));
        for (index, player) in self.players.iter().enumerate() {
            let shown = |&(id, blind): &(usize, bool)| match blind && index != seat {
                true => -(CARDS[id].level as i64),
                false => id as i64,
            };
            line(plain(&player.chips));
            line(counted(plain(&player.bought)));
            line(counted(player.reserved.iter().map(shown).collect()));
            line(counted(plain(&player.nobles)));
        }
        text
    }

    /// No piece is lost or added: 90 cards, all chips, no hand over its limit.
    pub(crate) fn check(&self) {
        let mut cards: Vec<usize> = self.decks.iter().flatten().copied().collect();
        cards.extend(self.face_up.iter().flatten().filter(|&&id| id != 0));
        for player in &self.players {
            cards.extend(&player.bought);
            cards.extend(player.reserved.iter().map(|(id, _)| id));
            assert!(player.reserved.len() <= 3 && player.chips.iter().sum::<usize>() <= 10);
        }
        cards.sort_unstable();
        assert!(cards.into_iter().eq(1..=90), "all cards");
        let nobles = self.nobles.len() + self.players.iter().map(|player| player.nobles.len()).sum::<usize>();
        assert_eq!(nobles, self.players.len() + 1, "all nobles");
        let each = [4, 4, 5, 7][self.players.len() - 1];
        for colour in 0..6 {
            let held: usize = self.players.iter().map(|player| player.chips[colour]).sum();
            assert_eq!(held + self.bank[colour], if colour == GOLD { 5 } else { each }, "all chips");
        }
    }
}

fn colour(token: i64) -> Result<usize, Mistake> {
    match usize::try_from(token) {
        Ok(colour @ 0..=4) => Ok(colour),
        _ => illegal(format!("colour {token}")),
    }
}
