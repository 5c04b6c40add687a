//! Random openings: if a game has the same deal for every seed, or few different ones, the arena makes the first moves of each
//! deal itself, for both sides, so that the matches differ. Knows games through [`crate::erased`] alone; decides nothing about players.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::erased::{AnyGame, AnyTable, Refusal, fingerprint};
use crate::game::{Seat, Turn, Viewer};
use crate::rng::{Rng, Seed};

/// The number of a deal's first stream of openings, far above those that deals and decisions use.
const STREAM: u64 = 1 << 60;
/// How often an opening is drawn that ends the match.
const DRAWS: u64 = 1000;
/// A game with fewer different deals than this has usual openings.
const FEW_DEALS: u64 = 100;
/// Deals in a sample.
const DEALS: u64 = 32;
/// Openings in a sample.
const OPENINGS: u64 = 256;
/// Random matches in a sample.
const MATCHES: u64 = 33;
/// Usual openings are as long as needed for this many different starts: with fewer, many deals of a long run would coincide.
const WANTED_STARTS: u64 = 5000;
/// More moves than any match has.
const ENDLESS: u32 = 20_000;
/// Openings of which all must be such that the dialogue can tell them.
const TOLD: u64 = 4;

/// The game and its options, from which all deals come.
#[derive(Clone, Copy)]
pub(super) struct Dealer<'g> {
    pub game: &'g dyn AnyGame,
    pub options: &'g Value,
}

/// A match before the first move of its players.
pub struct DealtMatch {
    /// The match, which begins (ply 0) with the position after the opening.
    pub table: Box<dyn AnyTable>,
    /// The moves of the opening, in the official notation.
    pub opening: Vec<String>,
}

impl Dealer<'_> {
    /// The match of this seed after this many random moves. They follow from the seed. If they end the match, others are drawn.
    ///
    /// # Errors
    /// If the options are wrong, or random play always ends the match before that; one sentence.
    pub(super) fn deal(&self, seed: &Seed, plies: u32) -> Result<DealtMatch, String> {
        if plies == 0 {
            return Ok(DealtMatch { table: self.plain(seed)?, opening: Vec::new() });
        }
        for draw in 0..DRAWS {
            let mut table = self.plain(seed)?;
            let opening = play_randomly(table.as_mut(), plies, &mut Rng::stream(seed, STREAM + draw))?;
            if table.turn() != Turn::Over {
                let table = self.game.restore(&table.state_json()).map_err(|e| e.detail)?;
                return Ok(DealtMatch { table, opening });
            }
        }
        Err(format!(
            "openings of {plies} moves are too long: in each of {DRAWS} random ones the match was over"
        ))
    }

    fn plain(&self, seed: &Seed) -> Result<Box<dyn AnyTable>, String> {
        self.game.deal(self.options, seed).map_err(|e| e.detail)
    }

    /// The length of the openings of a run, in moves, and a note if deals are the same nevertheless. `asked`: the length that
    /// the user wants; `None`: openings only where few deals differ. `programs`: the seats of foreign bots.
    ///
    /// # Errors
    /// If there can be no openings of this length; one sentence.
    pub(super) fn choose(
        &self,
        asked: Option<u32>,
        programs: &[Seat],
    ) -> Result<(u32, Option<String>), String> {
        let deals = self.different_starts(0, DEALS)?;
        let plies = match asked {
            Some(plies) => plies,
            None if deals < FEW_DEALS => self.usual_plies()?,
            None => 0,
        };
        self.deal(&Seed::from(0), plies)?;
        let untold = programs.iter().find(|seat| plies > 0 && !self.can_tell(**seat, plies));
        let why = match (untold, asked, plies) {
            (Some(seat), ..) => format!(
                "the official dialogue cannot tell a program in seat {seat} that its match begins after an opening"
            ),
            (None, Some(0), _) => "no opening is played".to_owned(),
            (None, _, 0) => "a match is too short for an opening".to_owned(),
            (None, ..) => return Ok((plies, None)),
        };
        if untold.is_some() && asked.is_some() {
            return Err(why);
        }
        let which = match deals {
            1 => "EVERY DEAL IS THE SAME MATCH",
            ..FEW_DEALS => "FEW DEALS DIFFER",
            _ => return Ok((0, None)),
        };
        Ok((0, Some(format!("{which}: {why}; games that are equal move for move count once"))))
    }

    /// The length of usual openings, in moves: the shortest with which every seat moves equally often and starts seldom coincide,
    /// but at most half a match.
    fn usual_plies(&self) -> Result<u32, String> {
        let round = u32::from(self.plain(&Seed::from(0))?.seats());
        let longest = self.usual_length()? / 2;
        let mut plies = 0;
        while plies + round <= longest && self.different_starts(plies, OPENINGS)? < WANTED_STARTS {
            plies += round;
        }
        Ok(plies)
    }

    /// The median number of moves of random matches.
    fn usual_length(&self) -> Result<u32, String> {
        let mut lengths = Vec::new();
        for n in 0..MATCHES {
            let seed = Seed::from(n);
            let mut table = self.plain(&seed)?;
            play_randomly(table.as_mut(), ENDLESS, &mut Rng::stream(&seed, STREAM))?;
            lengths.push(table.ply());
        }
        lengths.sort_unstable();
        Ok(lengths[lengths.len() / 2])
    }

    /// The number of different starts after openings of this length, estimated from a sample as if all were equally likely: n
    /// starts have n (n - 1) / 2 pairs, of which one in as many as there are different starts is equal.
    fn different_starts(&self, plies: u32, sample: u64) -> Result<u64, String> {
        let mut times: BTreeMap<u64, u64> = BTreeMap::new();
        let mut equal_pairs = 0;
        for n in 0..sample {
            let dealt = self.deal(&Seed::from(n), plies)?;
            let before = times.entry(fingerprint(&dealt.table.state_json())).or_default();
            equal_pairs += *before;
            *before += 1;
        }
        Ok(sample * (sample - 1) / 2 / equal_pairs.max(1))
    }

    /// Whether the official dialogue can tell a bot in this seat that its match begins after an opening.
    fn can_tell(&self, seat: Seat, plies: u32) -> bool {
        (0..TOLD)
            .all(|n| self.deal(&Seed::from(n), plies).is_ok_and(|dealt| dealt.table.can_tell(seat).is_ok()))
    }
}

/// Plays this many random moves, fewer if the match ends. Returns them.
fn play_randomly(table: &mut dyn AnyTable, plies: u32, rng: &mut Rng) -> Result<Vec<String>, String> {
    let mut moves = Vec::new();
    while table.ply() < plies
        && let Turn::Of(seat) = table.turn()
    {
        moves.push(play_one(table, seat, rng).map_err(|e| e.detail)?);
    }
    Ok(moves)
}

/// Plays one of the listed moves of the seat to move, each equally likely. Returns it.
fn play_one(table: &mut dyn AnyTable, seat: Seat, rng: &mut Rng) -> Result<String, Refusal> {
    let moves = table.view(Viewer::Seat(seat)).legal_moves();
    let mv = rng.pick(&moves).expect("the seat to move has a legal move").notation.clone();
    table.play(seat, &mv)?;
    Ok(mv)
}
