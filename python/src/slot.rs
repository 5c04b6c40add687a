//! One match of a vector: its table, the seat that the learning program holds, and the numbers that a step writes.

use engines::erased::{AnyGame, AnyTable, Refusal, RefusalCode};
use engines::game::{Outcome, Seat, Turn, Viewer};
use engines::rng::{Rng, Seed};
use serde_json::Value;

use crate::batch::{MOVES, deal_seed};
use crate::error::CallError;
use crate::opponent::Opponent;

/// What all matches of a vector share.
pub(crate) struct SlotRules {
    pub(crate) game: &'static dyn AnyGame,
    pub(crate) opponent: Opponent,
    pub(crate) seats: usize,
    pub(crate) observation_len: usize,
    pub(crate) action_count: usize,
    options: Value,
    seed: Seed,
    autoreset: bool,
    /// The number of matches side by side: match n of a round has deal n, the next round goes on from there.
    count: u64,
    /// The number of the first deal.
    first: u64,
}

impl SlotRules {
    /// Checks the options, and that the game has a numeric form.
    ///
    /// # Errors
    /// `no_encoding`, `bad_options`.
    pub(crate) fn new(
        game: &'static dyn AnyGame,
        options: Value,
        seed: Seed,
        opponent: Opponent,
        autoreset: bool,
        count: usize,
        first: u64,
    ) -> Result<Self, CallError> {
        let encoding = game.encoding().ok_or_else(Refusal::no_encoding)?;
        let (observation_len, action_count) = (encoding.observation_len(), encoding.action_count());
        let seats = usize::from(game.deal(&options, &seed)?.seats());
        let count = count as u64;
        Ok(Self {
            game,
            opponent,
            seats,
            observation_len,
            action_count,
            options,
            seed,
            autoreset,
            count,
            first,
        })
    }
}

/// One match of a vector.
pub(crate) struct Slot {
    table: Box<dyn AnyTable>,
    seed: Seed,
    deal: Seed,
    rng: Rng,
    /// The number of matches that this place has begun.
    episode: u64,
    /// The seat of the learning program; `None`: each in turn.
    own: Option<Seat>,
    /// The actions that are legal now.
    mask: Vec<bool>,
}

impl Slot {
    /// The first match of this place, before any move.
    ///
    /// # Errors
    /// `bad_options`.
    pub(crate) fn new(rules: &SlotRules, number: usize) -> Result<Self, CallError> {
        let deal = deal_seed(&rules.seed, rules.first + number as u64);
        let table = rules.game.deal(&rules.options, &deal)?;
        let mask = vec![false; rules.action_count];
        let rng = Rng::stream(&deal, MOVES);
        Ok(Self { table, seed: rules.seed, deal, rng, episode: 0, own: None, mask })
    }

    /// Begins again with the first deal of this place.
    ///
    /// # Errors
    /// `bad_options`; those of opponents.
    pub(crate) fn restart(
        &mut self,
        rules: &SlotRules,
        number: usize,
        seed: Option<Seed>,
    ) -> Result<(), CallError> {
        self.seed = seed.unwrap_or(self.seed);
        self.episode = 0;
        self.begin(rules, number as u64)
    }

    fn begin(&mut self, rules: &SlotRules, number: u64) -> Result<(), CallError> {
        let deal = rules.first + self.episode * rules.count + number;
        self.deal = deal_seed(&self.seed, deal);
        self.rng = Rng::stream(&self.deal, MOVES);
        self.table = rules.game.deal(&rules.options, &self.deal)?;
        // The seats take turns, from deal to deal.
        let seat = u8::try_from(deal % rules.seats as u64).expect("seats are few");
        self.own = (!matches!(rules.opponent, Opponent::Myself)).then_some(Seat(seat));
        self.episode += 1;
        self.play_others(rules)
    }

    /// Lets the opponents play until it is the learning program's turn.
    fn play_others(&mut self, rules: &SlotRules) -> Result<(), CallError> {
        let Some(own) = self.own else { return Ok(()) };
        while let Turn::Of(seat) = self.table.turn()
            && seat != own
        {
            rules.opponent.play(&mut *self.table, seat, &mut self.rng, &self.deal)?;
        }
        Ok(())
    }

    /// Refuses an action that is not legal now. In a match that is over, every action is ignored.
    ///
    /// # Errors
    /// `illegal_move`, `bad_move`.
    pub(crate) fn check(&self, action: i64, number: usize) -> Result<(), CallError> {
        if self.table.turn() == Turn::Over {
            return Ok(());
        }
        match usize::try_from(action).ok().and_then(|action| self.mask.get(action)) {
            Some(true) => Ok(()),
            Some(false) => {
                let detail = format!(
                    "action {action} of match {number} is not legal: choose one that the mask allows"
                );
                Err(CallError::refused(RefusalCode::IllegalMove, detail))
            }
            None => {
                let last = self.mask.len().saturating_sub(1);
                let detail = format!("action {action} of match {number}: the actions are 0 to {last}");
                Err(CallError::refused(RefusalCode::BadMove, detail))
            }
        }
    }

    /// Plays an action and the opponents' moves; after the end, begins the next match if the vector does so.
    ///
    /// # Errors
    /// Those of playing and of opponents.
    pub(crate) fn step(&mut self, rules: &SlotRules, number: usize, action: i64) -> Result<(), CallError> {
        match self.table.turn() {
            Turn::Over if rules.autoreset => self.begin(rules, number as u64),
            Turn::Over => Ok(()),
            Turn::Of(seat) => {
                let action = u32::try_from(action).expect("the action was checked");
                self.table.play_action(seat, action)?;
                self.play_others(rules)
            }
        }
    }

    /// Writes the row of this match: the observation and mask of the seat to move, or of the learning program's seat; the rewards
    /// of the seats, which sum to 0 and are 0 before the end; whether it is over; and the seat of the observation.
    ///
    /// # Errors
    /// `no_encoding`.
    pub(crate) fn write(
        &mut self,
        rules: &SlotRules,
        observation: &mut [i16],
        mask: &mut [bool],
        rewards: &mut [f32],
        over: &mut bool,
        turn: &mut i8,
    ) -> Result<(), CallError> {
        let mover = match self.table.turn() {
            Turn::Of(seat) => Some(seat),
            Turn::Over => None,
        };
        let seat = self.own.or(mover).unwrap_or(Seat(0));
        let view = self.table.view(Viewer::Seat(seat));
        view.observe_into(observation)?;
        view.mask_into(&mut self.mask)?;
        mask.copy_from_slice(&self.mask);
        *turn = i8::try_from(seat.0).expect("seats are few");
        *over = mover.is_none();
        rewards.fill(0.0);
        if let Some(outcome) = self.table.outcome() {
            let others = (rules.seats as f32 - 1.0).max(1.0);
            for (seat, reward) in (0u8..).zip(rewards.iter_mut()) {
                *reward = reward_of(&outcome, Seat(seat), others);
            }
        }
        Ok(())
    }

    /// The result, after the end.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.table.outcome()
    }

    /// The number of moves.
    pub(crate) fn ply(&self) -> u32 {
        self.table.ply()
    }
}

/// 1 for a win, shared by those who share the first place; the losers share -1. Without a winner all have 0.
pub(crate) fn reward_of(outcome: &Outcome, seat: Seat, others: f32) -> f32 {
    let won = outcome.ranks.contains(&1);
    if won { (outcome.score(seat) as f32 * (others + 1.0) - 1.0) / others } else { 0.0 }
}
