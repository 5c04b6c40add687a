//! The numeric form of a game for learning programs: the fixed layout of observations and actions, and the trait by which a
//! game fills it. Knows no game and no search.

use serde::Serialize;

use crate::game::{Game, Seat, Turn, View, Viewer};

/// The layout of a game's observations and actions. It never changes within a version.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Encoding {
    /// Changes whenever a number of the layout gets another meaning.
    pub version: u32,
    /// The fields of an observation: they lie one after the other in one vector, each in row-major order.
    pub observation: &'static [ObservationField],
    /// The blocks of actions: the actions are numbered block after block from 0, row-major inside a block.
    pub actions: &'static [ActionBlock],
}

/// Numbers of one kind in an observation. Counts and flags are not scaled.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct ObservationField {
    /// One word of small letters and `_`.
    pub name: &'static str,
    /// The lengths of its axes, the outermost first.
    pub shape: &'static [usize],
    /// The least value.
    pub low: i16,
    /// The greatest value.
    pub high: i16,
    /// What the numbers say, and what each axis counts.
    pub meaning: &'static str,
}

/// Actions of one kind.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct ActionBlock {
    /// One word of small letters, digits and `_`.
    pub name: &'static str,
    /// The lengths of its axes, the outermost first.
    pub shape: &'static [usize],
    /// What the actions do, and what each axis counts.
    pub meaning: &'static str,
}

impl Encoding {
    /// Number of values of an observation.
    pub const fn observation_len(&self) -> usize {
        let (mut sum, mut i) = (0, 0);
        while i < self.observation.len() {
            sum += product(self.observation[i].shape);
            i += 1;
        }
        sum
    }

    /// Number of actions, legal or not.
    pub const fn action_count(&self) -> usize {
        self.first_action(self.actions.len())
    }

    /// Checks that an observation has values for all fields, within their ranges.
    ///
    /// # Errors
    /// Names the field and its values.
    pub fn check(&self, observation: &[i16]) -> Result<(), String> {
        let mut rest = observation;
        for ObservationField { name, shape, low, high, .. } in self.observation {
            let (values, after) =
                rest.split_at_checked(product(shape)).ok_or(format!("{name} is missing"))?;
            if !values.iter().all(|value| (low..=high).contains(&value)) {
                return Err(format!("{name} is {values:?}, not {low} to {high}"));
            }
            rest = after;
        }
        if rest.is_empty() { Ok(()) } else { Err(format!("{} values are left", rest.len())) }
    }

    /// The index of the first action of the block with this number; after the last block, the number of actions.
    pub const fn first_action(&self, block: usize) -> usize {
        let (mut sum, mut i) = (0, 0);
        while i < block {
            sum += product(self.actions[i].shape);
            i += 1;
        }
        sum
    }
}

const fn product(shape: &[usize]) -> usize {
    let (mut product, mut i) = (1, 0);
    while i < shape.len() {
        product *= shape[i];
        i += 1;
    }
    product
}

impl ObservationField {
    /// Numbers from 0 to `high`.
    pub const fn count(
        name: &'static str,
        shape: &'static [usize],
        high: i16,
        meaning: &'static str,
    ) -> Self {
        Self { name, shape, low: 0, high, meaning }
    }

    /// Flags: 1 if it holds, else 0.
    pub const fn flag(name: &'static str, shape: &'static [usize], meaning: &'static str) -> Self {
        Self::count(name, shape, 1, meaning)
    }

    /// Whether the viewer holds a seat. With [`Self::first_seat`] and [`Self::to_move`] it begins every observation; see
    /// [`ObservationWriter::begin`].
    pub const fn seated() -> Self {
        Self::flag(
            "seated",
            &[1],
            "1 if the viewer holds a seat; 0 for a spectator, for whom seat 0 comes first.",
        )
    }

    /// Which seat is number 0. `shape`: the greatest number of seats.
    pub const fn first_seat(shape: &'static [usize]) -> Self {
        Self::flag("first_seat", shape, "The seat with number 0.")
    }

    /// Which seat is to move. `shape`: the greatest number of seats.
    pub const fn to_move(shape: &'static [usize]) -> Self {
        Self::flag("to_move", shape, "The seat to move; all 0 when the match is over.")
    }
}

impl ActionBlock {
    /// Actions of one kind.
    pub const fn new(name: &'static str, shape: &'static [usize], meaning: &'static str) -> Self {
        Self { name, shape, meaning }
    }
}

/// The numeric form of a game's views and moves.
pub trait Encode<G: Game>: Sync {
    /// The layout.
    fn encoding(&self) -> &'static Encoding;

    /// Writes the observation of a view, any viewer's, to `out`: all that the viewer may know and that matters for a decision.
    /// Where a field counts seats, the viewer is first and the others follow in order of play.
    ///
    /// # Panics
    /// If `out` has not [`Encoding::observation_len`] values.
    fn observe(&self, view: &G::View, out: &mut [i16]);

    /// The index of a move of [`View::legal`]: each move of one view has its own. For other moves the result means nothing.
    fn index_of(&self, view: &G::View, mv: &G::Move) -> Option<usize>;

    /// Calls `each` with all moves of [`View::legal`] and their indices.
    fn each_action(&self, view: &G::View, each: &mut dyn FnMut(usize, G::Move)) {
        let mut moves = Vec::new();
        view.legal(&mut moves);
        for mv in moves {
            each(self.index_of(view, &mv).expect("every listed move has an index"), mv);
        }
    }

    /// The move of [`View::legal`] with this index.
    fn action_of(&self, view: &G::View, index: usize) -> Option<G::Move> {
        let mut found = None;
        self.each_action(view, &mut |i, mv| {
            if i == index {
                found = Some(mv);
            }
        });
        found
    }

    /// Writes to `out` whether each action is legal. All are `false` when it is not the viewer's turn.
    ///
    /// # Panics
    /// If `out` has not [`Encoding::action_count`] values.
    fn mask(&self, view: &G::View, out: &mut [bool]) {
        assert_eq!(out.len(), self.encoding().action_count(), "a mask has a value for each action");
        out.fill(false);
        self.each_action(view, &mut |index, _| out[index] = true);
    }
}

/// Writes the fields of an observation one after the other.
pub struct ObservationWriter<'a> {
    rest: &'a mut [i16],
    /// Number of seats.
    seats: usize,
    /// The seat that comes first.
    first: usize,
}

impl<'a> ObservationWriter<'a> {
    /// Begins the observation of a match with this many seats. Writes the fields [`ObservationField::seated`],
    /// [`ObservationField::first_seat`] and [`ObservationField::to_move`]; the latter two have `places` values.
    ///
    /// # Panics
    /// If `out` has another length than an observation, or a match has more seats than `places`.
    pub fn begin<G: Game>(
        encoding: &Encoding,
        out: &'a mut [i16],
        view: &G::View,
        seats: usize,
        places: usize,
    ) -> Self {
        assert_eq!(out.len(), encoding.observation_len(), "an observation has a fixed length");
        out.fill(0);
        let first = match view.viewer() {
            Viewer::Seat(seat) => seat.index(),
            Viewer::Spectator => 0,
        };
        let mut writer = Self { rest: out, seats, first };
        writer.put([u8::from(view.viewer() != Viewer::Spectator)]);
        writer.flag(places, Some(writer.place(Seat(0))));
        let mover = match view.turn() {
            Turn::Of(seat) => Some(writer.place(seat)),
            Turn::Over => None,
        };
        writer.flag(places, mover);
        writer
    }

    /// The place of a seat in the order that begins with the viewer, from 0.
    pub fn place(&self, seat: Seat) -> usize {
        (seat.index() + self.seats - self.first) % self.seats
    }

    /// The seats in that order.
    pub fn seats(&self) -> impl Iterator<Item = Seat> + Clone + use<> {
        let (seats, first) = (self.seats, self.first);
        (0..seats).map(move |place| Seat(((first + place) % seats) as u8))
    }

    /// The next `len` values, all 0, to write to.
    ///
    /// # Panics
    /// If fewer are left.
    pub fn take(&mut self, len: usize) -> &'a mut [i16] {
        let (taken, rest) = std::mem::take(&mut self.rest).split_at_mut(len);
        self.rest = rest;
        taken
    }

    /// Writes these values.
    ///
    /// # Panics
    /// If fewer are left.
    pub fn put<T: Into<i16>>(&mut self, values: impl IntoIterator<Item = T>) {
        values.into_iter().for_each(|value| self.take(1)[0] = value.into());
    }

    /// Writes `len` flags, of which only this one holds.
    pub fn flag(&mut self, len: usize, set: Option<usize>) {
        let places = self.take(len);
        if let Some(set) = set {
            places[set] = 1;
        }
    }

    /// Ends the observation.
    ///
    /// # Panics
    /// If values are left.
    pub fn finish(self) {
        assert!(self.rest.is_empty(), "{} values of the observation are missing", self.rest.len());
    }
}
