//! Builds a record from the log of a match.

use crate::matches::event::{
    Created, Ended, EngineSeat, Event, Fouled, Holder, LoggedEvent, Moved, SeatSetup,
};
use crate::matches::record::{
    FORMAT, PersonKind, Record, RecordEntry, RecordedCreation, RecordedEvent, RecordedLine, RecordedSeat,
    UnverifiedPart,
};

impl Record {
    /// The record of the match with this log; `None` if the match is not over. `lines`: what its bots wrote for the public.
    pub fn of(id: &str, log: &[LoggedEvent], lines: Vec<RecordedLine>) -> Option<Self> {
        matches!(log.last()?.event, Event::Ended(_)).then(|| Self::so_far(id, log, lines))?
    }

    /// What the record of a match would be if its log ended here. It is not for its players: it has the seed. `None`: the log
    /// does not begin with the creation.
    pub fn so_far(id: &str, log: &[LoggedEvent], lines: Vec<RecordedLine>) -> Option<Self> {
        let Event::Created(created) = &log.first()?.event else { return None };
        Some(Self {
            format: FORMAT.to_owned(),
            id: id.to_owned(),
            game: created.game.clone(),
            commitment: created.commitment.clone(),
            seed: created.seed,
            salt: created.salt.clone(),
            events: log.iter().map(RecordEntry::of).collect(),
            unverified: UnverifiedPart { bot_lines: lines },
        })
    }
}

impl RecordEntry {
    fn of(stamped: &LoggedEvent) -> Self {
        Self { seq: stamped.seq, at_ms: stamped.at_ms, what: RecordedEvent::of(&stamped.event) }
    }
}

impl RecordedEvent {
    /// This event as a record holds it.
    pub fn of(event: &Event) -> Self {
        match event.clone() {
            Event::Created(created) => Self::Created(Box::new(RecordedCreation::of(*created))),
            Event::Joined { seat, holder } => {
                Self::Joined { seat, kind: PersonKind::of(&holder), name: name_of(holder) }
            }
            Event::Left { seat, removed } => Self::Left { seat, removed },
            Event::Started => Self::Started {},
            Event::Moved(Moved { seat, ply, notation, times, left_ms }) => {
                Self::Moved { seat, ply, notation, times, left_ms }
            }
            Event::Fouled(Fouled { seat, ply, kind, detail, instead, times, left_ms }) => {
                Self::Fouled { seat, ply, kind, detail, instead, times, left_ms }
            }
            Event::WentOut { seat, why } => Self::WentOut { seat, why },
            Event::Resumed { away_ms, grace_ms, vacation } => Self::Resumed { away_ms, grace_ms, vacation },
            Event::TakenBack { seat, ply } => Self::TakenBack { seat, ply },
            Event::RefereeSet { seat, settings } => Self::RefereeSet { seat, settings },
            Event::Ended(Ended { how, result, seed, salt }) => Self::Ended { how, result, seed, salt },
        }
    }
}

impl RecordedCreation {
    fn of(created: Created) -> Self {
        // Named one by one, so that a field added to the log is not published in records by accident.
        let Created {
            game,
            options,
            seats,
            clock,
            idle_ms,
            key,
            seed_from,
            seed: _,
            salt: _,
            commitment,
            state,
            rematch_of,
            hints,
            made_from: _,
            payer: _,
            creator: _,
            rated,
            tournament,
            ladder,
            position,
            position_of,
        } = created;
        let seats = seats.into_iter().map(RecordedSeat::of).collect();
        let private = key.is_some();
        Self {
            game,
            options,
            seats,
            clock,
            idle_ms,
            private,
            seed_from,
            commitment,
            state,
            rematch_of,
            hints,
            rated,
            tournament,
            ladder,
            position,
            position_of,
        }
    }
}

impl RecordedSeat {
    fn of(setup: SeatSetup) -> Self {
        match setup {
            SeatSetup::Engine(EngineSeat { engine, version, level, think_ms, nodes }) => {
                Self::Engine { engine, version, level, think_ms, nodes }
            }
            SeatSetup::Open => Self::Open {},
            SeatSetup::Reserved { holder } => {
                Self::Reserved { person: PersonKind::of(&holder), name: name_of(holder) }
            }
            SeatSetup::Held { holder: Holder { player: Some(player), program, .. } } => {
                Self::Player { name: player.name, program }
            }
            SeatSetup::Held { holder } => Self::Guest { name: holder.name },
        }
    }
}

impl PersonKind {
    fn of(holder: &Holder) -> Self {
        if holder.player.is_some() { Self::Player } else { Self::Guest }
    }
}

fn name_of(holder: Holder) -> Option<String> {
    holder.player.map(|player| player.name).or(holder.name)
}
