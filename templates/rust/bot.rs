//! A bot for Splendor in Rust. It buys the best card that it can pay; otherwise it takes chips for the card that brings it forward most.
//!
//! The contest starts one process for each move: it reads the table, prints one action, and ends. A file that it writes
//! (`std::fs::write("memory.txt", ...)`) is there in the next move of the same match.

use std::io::Read;

/// Seven digits for each card, in the order of their numbers: its bonus, its points, and its cost by colour. The colours are red, green,
/// blue, white and black; the sixth kind of chip is gold.
const CARDS: &str = "\
000003010300002000003300030040030000001200100012020000123020001401200001000401100004214000031040004100400\
002002010202002002002300020240020200001111101011120110113011101401111000011211010112202101130121014011210\
000102210201022022010300220140102200010013100131020131003000131403100102000051205000220050032500004200050\
036000013060002300600330006043000060200035120350022003503250003423500002024101200241221002432410024224100\
012002311003222132200312300241022300120303113203021032033130320410303204070001400700240007034000074470000\
053700015037002500370350003745700030436300140363024003633430036446300303035331330353233303533533034335330";

const GOLD: usize = 5;
const MOST_CHIPS: i32 = 10;

struct Card {
    number: i32,
    bonus: usize,
    points: i32,
    cost: [i32; 5],
}

impl Card {
    /// The card with this number, from 1.
    fn of(number: i32) -> Self {
        let digits = &CARDS.as_bytes()[(number as usize - 1) * 7..][..7];
        let digit = |place: usize| i32::from(digits[place] - b'0');
        let cost = [digit(2), digit(3), digit(4), digit(5), digit(6)];
        Self { number, bonus: digit(0) as usize, points: digit(1), cost }
    }
}

/// What the bot sees that it uses.
#[derive(Default)]
struct Table {
    bank: [i32; 6],
    /// The own chips and bonuses.
    chips: [i32; 6],
    bonus: [i32; 5],
    /// The cards that the bot may buy: those on the table and its own reserved ones.
    cards: Vec<Card>,
}

impl Table {
    fn read(text: &str) -> Option<Self> {
        let mut numbers = text.split_whitespace().map_while(|word| word.parse::<i32>().ok());
        let mut next = || numbers.next();
        let mut table = Self::default();
        let (players, id, round) = (next()?, next()?, next()?);
        // One version of the referee counts players and rounds from 0, the other from 1.
        let own = if round == 0 || id == 0 { id } else { id - 1 };
        for count in &mut table.bank {
            *count = next()?;
        }
        for _level in 0..3 {
            next()?; // How many cards lie face down.
            for _ in 0..4 {
                let number = next()?;
                if number > 0 {
                    table.cards.push(Card::of(number));
                }
            }
        }
        for _noble in 0..next()? {
            next()?;
        }
        for player in 0..players {
            for kind in 0..6 {
                let count = next()?;
                if player == own {
                    table.chips[kind] = count;
                }
            }
            for _ in 0..next()? {
                let bought = next()?;
                if player == own {
                    table.bonus[Card::of(bought).bonus] += 1;
                }
            }
            for _ in 0..next()? {
                let reserved = next()?;
                if player == own && reserved > 0 {
                    table.cards.push(Card::of(reserved));
                }
            }
            for _noble in 0..next()? {
                next()?;
            }
        }
        Some(table)
    }

    /// The chips of each colour that the bot lacks for a card, gold left aside.
    fn lacks(&self, card: &Card) -> [i32; 5] {
        std::array::from_fn(|c| (card.cost[c] - self.bonus[c] - self.chips[c]).max(0))
    }

    fn lacks_in_all(&self, card: &Card) -> i32 {
        self.lacks(card).iter().sum()
    }

    fn action(&self) -> String {
        let payable = self.cards.iter().filter(|card| self.lacks_in_all(card) <= self.chips[GOLD]);
        if let Some(best) = payable.max_by_key(|card| (card.points, -card.cost.iter().sum::<i32>())) {
            return format!("4 {}", best.number);
        }
        // A point is worth as much as a chip and a half.
        let target = self.cards.iter().min_by_key(|card| 2 * self.lacks_in_all(card) - 3 * card.points);
        self.take(target)
    }

    /// Takes up to three chips of different colours, and gives back those that are too many and that the target does not need.
    fn take(&self, target: Option<&Card>) -> String {
        let lacks = target.map_or([0; 5], |card| self.lacks(card));
        let held: i32 = self.chips.iter().sum();
        let mut colours: Vec<usize> = (0..5).filter(|c| self.bank[*c] > 0).collect();
        // The colours that it lacks first; others only while there is room.
        colours.sort_by_key(|c| -lacks[*c]);
        let mut taken: Vec<usize> = Vec::new();
        for c in colours.into_iter().take(3) {
            if lacks[c] > 0 || held + (taken.len() as i32) < MOST_CHIPS {
                taken.push(c);
            }
        }
        let spare = |c: usize| match target {
            Some(card) => (self.chips[c] - (card.cost[c] - self.bonus[c]).max(0)).max(0),
            None => self.chips[c],
        };
        let mut spares = (0..5).flat_map(|c| (0..spare(c)).map(move |_| c));
        let mut back: Vec<usize> = Vec::new();
        while held + taken.len() as i32 - back.len() as i32 > MOST_CHIPS {
            match spares.next() {
                Some(c) => back.push(c),
                None => drop(taken.pop()),
            }
        }
        let mut words = vec!["1".to_owned(), taken.len().to_string()];
        words.extend(taken.iter().chain(&back).map(usize::to_string));
        words.join(" ")
    }
}

fn main() {
    let mut text = String::new();
    // An input that cannot be read is an empty one: the bot passes.
    let _ = std::io::stdin().read_to_string(&mut text);
    println!("{}", Table::read(&text).map_or("1 0".to_owned(), |table| table.action()));
}
