//! The one checked way to play a move, and why it refuses one. Knows no protocol, no search, no clock.

use crate::game::{Foul, Game, Outcome, Seat, State, Turn, View, Viewer};
use crate::rng::Rng;

/// The reason why a move cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The match is over.
    #[error("the match is over")]
    Over,
    /// It is another seat's turn.
    #[error("it is seat {0}'s turn")]
    NotYourTurn(Seat),
    /// The rules forbid it here.
    #[error("not a legal move here: {mv}{}", rule.iter().map(|rule| format!(": {rule}")).collect::<String>())]
    Rules {
        /// The move, as the official protocol writes it.
        mv: String,
        /// See [`Game::broken_rule`].
        rule: Option<String>,
    },
}

impl Illegal {
    /// The reason why the rules forbid this move of the viewer, who is to move.
    pub fn rules<G: Game>(view: &G::View, mv: &G::Move) -> Self {
        Self::Rules { mv: mv.to_string(), rule: G::broken_rule(view, mv) }
    }
}

/// A match in progress: the state, the number of moves made, and the one checked way to play a move.
#[derive(Clone, Debug)]
pub struct Table<G: Game> {
    state: G::State,
    ply: u32,
    fouled: Option<Outcome>,
}

impl<G: Game> Table<G> {
    /// A match that begins with `state`.
    pub fn new(state: G::State) -> Self {
        Self { state, ply: 0, fouled: None }
    }

    /// The full state.
    pub fn state(&self) -> &G::State {
        &self.state
    }

    /// Number of moves made so far.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// The seat whose decision is awaited.
    pub fn turn(&self) -> Turn {
        if self.fouled.is_some() { Turn::Over } else { self.state.turn() }
    }

    /// The result, when the match is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.fouled.clone().or_else(|| self.state.outcome())
    }

    /// Plays a move of `seat`.
    ///
    /// # Errors
    /// [`Illegal`], with the table untouched.
    pub fn play(&mut self, seat: Seat, mv: &G::Move) -> Result<(), Illegal> {
        self.expect_turn(seat)?;
        let view = self.state.view(Viewer::Seat(seat));
        if !view.is_legal(mv) {
            return Err(Illegal::rules::<G>(&view, mv));
        }
        self.state.play(mv);
        self.ply += 1;
        Ok(())
    }

    /// Plays one of the listed legal moves of the seat to move, each equally likely. Returns it; `None`: the match is over.
    pub fn play_random(&mut self, rng: &mut Rng) -> Option<G::Move> {
        if self.turn() == Turn::Over {
            return None;
        }
        let mut moves = Vec::new();
        self.state.list_legal(&mut moves);
        let chosen = rng.below(moves.len());
        let mv = moves.swap_remove(chosen);
        // A listed move is legal, so it needs no second check.
        self.state.play(&mv);
        self.ply += 1;
        Some(mv)
    }

    /// Applies the official penalty to `seat`, which is to move. Returns the move played instead, if the match goes on.
    ///
    /// # Errors
    /// [`Illegal`] when it is not that seat's turn.
    pub fn foul(&mut self, seat: Seat, reason: &str) -> Result<Option<G::Move>, Illegal> {
        self.expect_turn(seat)?;
        match G::foul(&self.state, seat, reason) {
            Foul::Play(mv) => self.play(seat, &mv).map(|()| Some(mv)),
            Foul::End(outcome) => {
                self.fouled = Some(outcome);
                Ok(None)
            }
        }
    }

    fn expect_turn(&self, seat: Seat) -> Result<(), Illegal> {
        match self.turn() {
            Turn::Of(s) if s == seat => Ok(()),
            Turn::Of(s) => Err(Illegal::NotYourTurn(s)),
            Turn::Over => Err(Illegal::Over),
        }
    }
}
