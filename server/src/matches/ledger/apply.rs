//! Folds events into a match. An event that contradicts the state is refused and changes nothing: a broken log is
//! reported, never continued.

use std::collections::BTreeMap;

use engines::erased::AnyGame;
use engines::game::{Seat, Turn};

use crate::domain::Stage;
use crate::domain::time::Millis;
use crate::domain::token;
use crate::matches::clock::Clocks;
use crate::matches::event::{
    Created, EndKind, Ended, Event, FoulKind, Fouled, Holder, LoggedEvent, MoveTimes, Moved, OutReason,
    SeatSetup,
};
use crate::matches::ledger::create::{has_no_identity, is_free};
use crate::matches::ledger::decide::may_take_back;
use crate::matches::ledger::result::foul_reason;
use crate::matches::ledger::turn_times::TurnTimes;
use crate::matches::ledger::{Deed, InvalidLog, Ledger, Mark, SeatNow, SeatTurn, Uncommitted};

type Check = Result<(), String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(what()) }
}

impl Ledger {
    /// Folds a whole log.
    ///
    /// # Errors
    /// When the log contradicts itself or the game.
    pub fn load(game: &dyn AnyGame, log: &[LoggedEvent]) -> Result<Self, InvalidLog> {
        let (first, rest) =
            log.split_first().ok_or_else(|| InvalidLog { seq: 0, what: "the log is empty".into() })?;
        let mut ledger = Self::begin(game, first)?;
        rest.iter().try_for_each(|stamped| ledger.apply(stamped))?;
        Ok(ledger)
    }

    fn begin(game: &dyn AnyGame, first: &LoggedEvent) -> Result<Self, InvalidLog> {
        let bad = |what: String| InvalidLog { seq: first.seq, what };
        if first.seq != 0 {
            return Err(bad("the first event is missing".into()));
        }
        let Event::Created(created) = &first.event else {
            return Err(bad("the first event must be `created`".into()));
        };
        let table = check_created(game, created).map_err(bad)?;
        let seat = |chair: &SeatSetup| SeatNow {
            chair: chair.clone(),
            out: false,
            missed: 0,
            referee: BTreeMap::new(),
        };
        let seats: Vec<SeatNow> = created.seats.iter().map(seat).collect();
        // The dealt state is in the log; here it is the table.
        let created = Created { state: serde_json::Value::Null, ..Created::clone(created) };
        let start = may_take_back(&created).then(|| table.fork());
        Ok(Self {
            start,
            clocks: Clocks::new(created.clock, seats.len()),
            marks: vec![Mark::default(); seats.len()],
            created,
            table,
            seats,
            stage: Stage::Open,
            next: 1,
            created_ms: first.at_ms,
            last_ms: first.at_ms,
            dropped_out_ms: first.at_ms,
            idle_from: first.at_ms,
            turn_times: None,
            acts: Vec::new(),
            begun: false,
            taken_back: 0,
            ended: None,
        })
    }

    /// Folds a stored event.
    ///
    /// # Errors
    /// When it contradicts the state; then nothing has changed.
    pub fn apply(&mut self, stamped: &LoggedEvent) -> Result<(), InvalidLog> {
        self.apply_uncommitted(stamped, None)
    }

    /// As [`Self::apply`]. `uncommitted`: the match after this event, if [`Self::decide_uncommitted`] has computed it.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub fn apply_uncommitted(
        &mut self,
        stamped: &LoggedEvent,
        uncommitted: Option<Uncommitted>,
    ) -> Result<(), InvalidLog> {
        self.fold(stamped, uncommitted).map_err(|what| InvalidLog { seq: stamped.seq, what })?;
        if let Some(times) = &mut self.turn_times {
            times.follow(stamped.at_ms);
        }
        self.next += 1;
        self.last_ms = stamped.at_ms;
        if matches!(stamped.event, Event::WentOut { .. }) {
            self.dropped_out_ms = stamped.at_ms;
        }
        if !matches!(stamped.event, Event::Resumed { .. }) {
            self.idle_from = stamped.at_ms;
        }
        Ok(())
    }

    fn fold(&mut self, stamped: &LoggedEvent, uncommitted: Option<Uncommitted>) -> Check {
        let LoggedEvent { seq, at_ms, event } = stamped;
        ensure(*seq == self.next, || format!("event {} was to come", self.next))?;
        ensure(self.stage != Stage::Over, || "event after the end of the match".into())?;
        match event {
            Event::Created(_) => Err("only the first event may be `created`".into()),
            Event::Joined { seat, holder } => self.fold_joined(*seat, holder),
            Event::Left { seat, removed } => self.fold_left(*seat, *removed),
            Event::Started => self.fold_started(*at_ms),
            Event::Moved(moved) => self.fold_moved(moved, *at_ms, uncommitted),
            Event::Fouled(fouled) => self.fold_fouled(fouled, *at_ms),
            Event::WentOut { seat, why } => self.drop_out(*seat, *why),
            Event::Resumed { away_ms, grace_ms, vacation } => {
                ensure(!vacation || self.vacation_counts(), || {
                    "a vacation does not stop the clock of this turn".into()
                })?;
                self.resume(*away_ms, *grace_ms, *at_ms);
                Ok(())
            }
            Event::TakenBack { seat, ply } => self.take_back(*seat, *ply, *at_ms),
            Event::RefereeSet { seat, settings } => self.fold_referee_set(*seat, settings),
            Event::Ended(ended) => self.fold_ended(ended),
        }
    }

    fn expect(&self, stage: Stage) -> Check {
        ensure(self.stage == stage, || format!("the match is {:?}", self.stage).to_lowercase())
    }

    fn fold_joined(&mut self, seat: Seat, holder: &Holder) -> Check {
        self.expect(Stage::Open)?;
        let now = self.seats.get_mut(seat.index()).ok_or_else(|| format!("there is no seat {seat}"))?;
        ensure(is_free(&now.chair), || format!("seat {seat} is taken"))?;
        ensure(!has_no_identity(holder), || "the holder has no token".into())?;
        now.chair = SeatSetup::Held { holder: holder.clone() };
        self.marks[seat.index()].since = self.next;
        Ok(())
    }

    fn fold_left(&mut self, seat: Seat, removed: bool) -> Check {
        self.expect(Stage::Open)?;
        let now = self.seats.get_mut(seat.index()).ok_or_else(|| format!("there is no seat {seat}"))?;
        let SeatSetup::Held { holder } = &now.chair else {
            return Err(format!("seat {seat} is not held"));
        };
        let mark = &mut self.marks[seat.index()];
        mark.removed.extend((removed && holder.player.is_some()).then(|| holder.clone()));
        mark.left = Some((self.next, holder.clone()));
        now.chair = SeatSetup::Open;
        Ok(())
    }

    fn fold_started(&mut self, at_ms: Millis) -> Check {
        self.expect(Stage::Open)?;
        ensure(self.is_full(), || "seats are free".into())?;
        (self.stage, self.begun) = (Stage::Running, true);
        self.give_turn(at_ms);
        Ok(())
    }

    fn fold_moved(&mut self, moved: &Moved, at_ms: Millis, uncommitted: Option<Uncommitted>) -> Check {
        let Moved { seat, ply, notation, times, left_ms } = moved;
        self.expect_turn(*seat, *ply)?;
        ensure(!self.seats[seat.index()].out, || format!("seat {seat} is out"))?;
        let clocks = self.charged(*seat, times, *left_ms)?;
        match uncommitted.filter(|decided| decided.seq == self.next && decided.mv.notation == *notation) {
            Some(decided) => self.table = decided.table,
            None => self.table.play(*seat, notation).map_err(|refusal| refusal.detail)?,
        }
        self.clocks = clocks;
        self.seats[seat.index()].missed = 0;
        self.acts.push(SeatTurn { seq: self.next, seat: *seat, deed: Deed::Moved(notation.as_str().into()) });
        self.give_turn(at_ms);
        Ok(())
    }

    fn fold_fouled(&mut self, fouled: &Fouled, at_ms: Millis) -> Check {
        let Fouled { seat, ply, kind, instead, times, left_ms, .. } = fouled;
        self.expect_turn(*seat, *ply)?;
        let is_out = self.seats[seat.index()].out;
        ensure(is_out == (*kind == FoulKind::Out), || format!("seat {seat} is out: {is_out}"))?;
        let clocks =
            if is_out { self.uncharged(*seat, *left_ms) } else { self.charged(*seat, times, *left_ms) }?;
        match instead {
            Some(notation) => self.table.play(*seat, notation).map_err(|refusal| refusal.detail)?,
            None => {
                let mut after = self.table.fork();
                let played =
                    after.foul(*seat, &foul_reason(*seat, *kind)).map_err(|refusal| refusal.detail)?;
                ensure(played.is_none(), || "the game goes on after this foul, with no move instead".into())?;
                self.table = after;
            }
        }
        self.clocks = clocks;
        let missed = &mut self.seats[seat.index()].missed;
        *missed = if *kind == FoulKind::Time { *missed + 1 } else { 0 };
        self.acts.push(SeatTurn { seq: self.next, seat: *seat, deed: Deed::Fouled(*kind) });
        self.give_turn(at_ms);
        Ok(())
    }

    fn drop_out(&mut self, seat: Seat, _why: OutReason) -> Check {
        self.expect(Stage::Running)?;
        let now = self.seats.get_mut(seat.index()).ok_or_else(|| format!("there is no seat {seat}"))?;
        ensure(!now.out, || format!("seat {seat} is out already"))?;
        ensure(matches!(now.chair, SeatSetup::Held { .. }), || format!("seat {seat} is an engine's"))?;
        now.out = true;
        self.marks[seat.index()].out = Some(self.next);
        Ok(())
    }

    fn fold_referee_set(&mut self, seat: Seat, settings: &BTreeMap<String, String>) -> Check {
        let now = self.seats.get_mut(seat.index()).ok_or_else(|| format!("there is no seat {seat}"))?;
        ensure(matches!(now.chair, SeatSetup::Held { .. }), || format!("seat {seat} is not held"))?;
        now.referee = settings.clone();
        let mark = &mut self.marks[seat.index()];
        mark.referee_set = Some(self.next);
        mark.referee_changes += 1;
        Ok(())
    }

    fn fold_ended(&mut self, ended: &Ended) -> Check {
        let running = self.stage == Stage::Running;
        let has_result = match ended.how {
            EndKind::Played => {
                ensure(running && self.table.outcome().is_some(), || "the game is not over".into())?;
                true
            }
            EndKind::Walkover => {
                ensure(running && self.is_walkover(), || "more than one seat takes part".into())?;
                true
            }
            EndKind::Aborted => {
                ensure(self.table.ply() == 0, || "it was taken back after the first move".into())?;
                false
            }
            EndKind::Cancelled => {
                ensure(self.stage == Stage::Open || self.is_of_engines(), || {
                    "its creator cannot end it any more".into()
                })?;
                false
            }
            EndKind::GuestsLeft => {
                ensure(self.is_of_guests(), || "not only guests sit in it".into())?;
                false
            }
            EndKind::Abandoned | EndKind::Terminated => false,
        };
        ensure(ended.result.is_some() == has_result, || {
            "an `ended` event needs a result exactly when the game was played to its end".into()
        })?;
        if let Some(result) = &ended.result {
            let fits = |length: usize| length == self.seats.len();
            let points = result.points.as_ref().is_none_or(|points| fits(points.len()));
            ensure(fits(result.ranks.len()) && points, || {
                "its result is for another number of seats".into()
            })?;
        }
        let revealed = ended.seed == self.created.seed && ended.salt == self.created.salt;
        ensure(revealed, || "the seed or the salt is another than at the beginning".into())?;
        self.stage = Stage::Over;
        self.turn_times = None;
        self.ended = Some(ended.clone());
        Ok(())
    }

    fn take_back(&mut self, seat: Seat, ply: u32, at_ms: Millis) -> Check {
        self.expect(Stage::Running)?;
        let back_to = self.taken_back_to(seat).map_err(|refused| refused.to_string())?;
        ensure(ply == back_to, || {
            format!("the moves from ply {back_to} on can be taken back, not from {ply}")
        })?;
        let kept = self.acts.get(..ply as usize).ok_or("the match has fewer moves")?;
        let mut table = self.start.as_ref().ok_or("no move can be taken back here")?.fork();
        for act in kept {
            if let Deed::Moved(notation) = &act.deed {
                table.play(act.seat, notation).map_err(|refusal| refusal.detail)?;
            }
        }
        self.table = table;
        self.acts.truncate(ply as usize);
        self.taken_back += 1;
        self.give_turn(at_ms);
        Ok(())
    }

    fn expect_turn(&self, seat: Seat, ply: u32) -> Check {
        self.expect(Stage::Running)?;
        let turn = self.turn().ok_or("the game is over")?;
        ensure(seat == turn, || format!("it is seat {turn}'s turn"))?;
        ensure(ply == self.table.ply(), || format!("the match is at ply {}", self.table.ply()))
    }

    fn charged(&self, seat: Seat, times: &MoveTimes, left_ms: Option<u64>) -> Result<Clocks, String> {
        let mut clocks = self.clocks.clone();
        let left = clocks.charge(seat, times.think_us / 1000);
        ensure(left == left_ms, || format!("left_ms is {left_ms:?}, not {left:?}"))?;
        Ok(clocks)
    }

    fn uncharged(&self, seat: Seat, left_ms: Option<u64>) -> Result<Clocks, String> {
        let left = self.clocks.left(seat);
        ensure(left == left_ms, || format!("left_ms is {left_ms:?}, not {left:?}"))?;
        Ok(self.clocks.clone())
    }

    fn give_turn(&mut self, at_ms: Millis) {
        let awaited = matches!(self.table.turn(), Turn::Of(_));
        self.turn_times = awaited.then(|| TurnTimes::decided(at_ms));
    }

    fn resume(&mut self, away_ms: u64, grace_ms: u64, now: Millis) {
        let away = i64::try_from(away_ms).unwrap_or(i64::MAX);
        let grace = i64::try_from(grace_ms).unwrap_or(i64::MAX);
        self.idle_from = moved_by(away, self.idle_from, now);
        if let Some(times) = &mut self.turn_times {
            times.resume(|from| moved_by(away, from, now), grace, now);
        }
    }
}

/// A time moved by a downtime of `away` milliseconds, never beyond `now`; a time beyond it stays.
fn moved_by(away: i64, from: Millis, now: Millis) -> Millis {
    from.saturating_add(away).min(now.max(from))
}

/// The table of a match with this first event.
fn check_created(
    game: &dyn AnyGame,
    created: &Created,
) -> Result<Box<dyn engines::erased::AnyTable>, String> {
    let slug = game.info().slug;
    ensure(created.game == slug, || format!("the game is {:?}, not {slug:?}", created.game))?;
    let table = game.restore(&created.state).map_err(|refusal| format!("state: {}", refusal.detail))?;
    ensure(usize::from(table.seats()) == created.seats.len(), || {
        format!("the table has {} seats, not {}", table.seats(), created.seats.len())
    })?;
    created.clock.map_or(Ok(()), |clock| clock.check())?;
    let salt = token::unhex(&created.salt).ok_or("salt: it is not 64 hexadecimal digits")?;
    ensure(token::commitment(&salt, &created.seed) == created.commitment, || {
        "the commitment is not to this seed and salt".into()
    })?;
    for chair in &created.seats {
        if let SeatSetup::Held { holder } | SeatSetup::Reserved { holder } = chair {
            ensure(!has_no_identity(holder), || "the holder of a seat has no token".into())?;
        }
    }
    Ok(table)
}
