//! Vacations of people: begun now, for a time within the allowance of the calendar year, and ended at will. What they mean for a match
//! is decided there.

use time::{Date, Month, OffsetDateTime};

use crate::accounts::Accounts;
use crate::domain::PlayerRef;
use crate::domain::time::{DAY_MS, Millis, utc};
use crate::error::{Code, Error};
use crate::store::{PlannedVacation, StoreChange, VacationChange, refused_by_store};

const HOUR_MS: Millis = 3_600_000;

/// How far away the end of a vacation can be, in milliseconds: 366 days.
const LONGEST_MS: Millis = 366 * DAY_MS;

/// How often a change is tried while other requests of the player are faster.
const ATTEMPTS: u32 = 3;

/// The vacation of a player, and what is left of the allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VacationState {
    /// The vacation that goes on.
    pub current: Option<PlannedVacation>,
    /// The days of vacation in a calendar year.
    pub days_per_year: u32,
    /// The hours that are left of this year's days, after the planned end of the vacation that goes on.
    pub left_hours: Millis,
    /// The latest end of the vacation that goes on, or of one that begins now; `None`: none can begin now.
    pub latest_ms: Option<Millis>,
}

impl Accounts {
    /// The vacation of a player.
    ///
    /// # Errors
    /// `not_a_person`, `store_unavailable`.
    pub async fn vacation(&self, who: &PlayerRef) -> Result<VacationState, Error> {
        check_person(who)?;
        let all = self.vacations_of(who).await?;
        Ok(self.state(&all, self.matches.now().ms()))
    }

    /// Begins a vacation that ends at this time, or moves the end of the one that goes on.
    ///
    /// # Errors
    /// `vacation_off`, `no_vacation_left`, `bad_field`, `not_a_person`, `no_such_player`, `store_unavailable`.
    pub async fn take_vacation(&self, who: &PlayerRef, until_ms: Millis) -> Result<VacationState, Error> {
        check_person(who)?;
        for _ in 0..ATTEMPTS {
            let (all, now) = (self.vacations_of(who).await?, self.matches.now().ms());
            let state = self.state(&all, now);
            self.check_end(state, until_ms, now)?;
            let change = match state.current {
                Some(current) => moved_end(who, &all, current, until_ms, now),
                None => VacationChange::Begin {
                    player: who.id.clone(),
                    number: count(&all),
                    vacation: PlannedVacation { begun_ms: now, until_ms },
                },
            };
            if self.change(StoreChange::Vacation(change)).await? > 0 {
                return self.vacation(who).await;
            }
        }
        Err(Error::new(Code::NoSuchPlayer, "the account was deleted, or its vacation changed, meanwhile"))
    }

    /// Ends the vacation of a player now, if there is one.
    ///
    /// # Errors
    /// `not_a_person`, `store_unavailable`.
    pub async fn end_vacation(&self, who: &PlayerRef) -> Result<(), Error> {
        check_person(who)?;
        for _ in 0..ATTEMPTS {
            let (all, now) = (self.vacations_of(who).await?, self.matches.now().ms());
            let Some(current) = going_on(&all, now) else { return Ok(()) };
            let change = moved_end(who, &all, current, now, now);
            if self.change(StoreChange::Vacation(change)).await? > 0 {
                return Ok(());
            }
        }
        Err(Error::new(Code::NoSuchPlayer, "the account was deleted, or its vacation changed, meanwhile"))
    }

    async fn vacations_of(&self, who: &PlayerRef) -> Result<Vec<PlannedVacation>, Error> {
        self.matches.store().vacations(who.id.clone()).await.map_err(|e| refused_by_store(&e))
    }

    fn state(&self, all: &[PlannedVacation], now: Millis) -> VacationState {
        let current = going_on(all, now);
        let before = &all[..all.len() - usize::from(current.is_some())];
        let begun_ms = current.map_or(now, |vacation| vacation.begun_ms);
        VacationState {
            current,
            days_per_year: self.vacation_days,
            left_hours: left_hours(self.vacation_days, all, CalendarYear::of(now)),
            latest_ms: latest_end(self.vacation_days, before, begun_ms).filter(|latest_ms| *latest_ms > now),
        }
    }

    /// Checks the end of a vacation. A vacation can always be made shorter.
    fn check_end(&self, state: VacationState, until_ms: Millis, now: Millis) -> Result<(), Error> {
        if until_ms <= now {
            return Err(Error::new(Code::BadField, "until_ms: must be in the future"));
        }
        if state.current.is_some_and(|current| until_ms <= current.until_ms) {
            return Ok(());
        }
        let days = self.vacation_days;
        if days == 0 {
            return Err(Error::new(Code::VacationOff, "this server has no vacations (--vacation-days=0)"));
        }
        let Some(latest_ms) = state.latest_ms else {
            let detail = format!("the {days} days of vacation of this calendar year are used");
            return Err(Error::new(Code::NoVacationLeft, detail));
        };
        if until_ms > latest_ms {
            let detail = format!("until_ms: must be at most {latest_ms} ({})", utc(latest_ms));
            return Err(Error::new(Code::BadField, detail));
        }
        Ok(())
    }
}

fn check_person(who: &PlayerRef) -> Result<(), Error> {
    if who.owner.is_some() || who.is_engine() {
        return Err(Error::new(Code::NotAPerson, "only people have vacations"));
    }
    Ok(())
}

fn count(all: &[PlannedVacation]) -> u32 {
    u32::try_from(all.len()).unwrap_or(u32::MAX)
}

/// The last vacation, if it goes on.
fn going_on(all: &[PlannedVacation], now: Millis) -> Option<PlannedVacation> {
    all.last().copied().filter(|vacation| now < vacation.until_ms)
}

/// Moves the end of the last vacation.
fn moved_end(
    who: &PlayerRef,
    all: &[PlannedVacation],
    current: PlannedVacation,
    until_ms: Millis,
    now: Millis,
) -> VacationChange {
    let number = count(all).saturating_sub(1);
    VacationChange::MoveEnd { player: who.id.clone(), number, before_ms: current.until_ms, until_ms, now }
}

/// A calendar year, UTC, in milliseconds since 1970: its beginning and that of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CalendarYear {
    begin_ms: Millis,
    end_ms: Millis,
}

impl CalendarYear {
    fn of(ms: Millis) -> Self {
        let begin = |year| {
            let day = Date::from_calendar_date(year, Month::January, 1);
            day.map_or(Millis::MAX, |day| day.midnight().assume_utc().unix_timestamp().saturating_mul(1_000))
        };
        let year = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1_000)).map_or(1970, |time| time.year());
        Self { begin_ms: begin(year), end_ms: begin(year.saturating_add(1)) }
    }
}

/// The hours of a year's allowance that these vacations leave. The part of each vacation in the year counts in started hours.
fn left_hours(days: u32, vacations: &[PlannedVacation], year: CalendarYear) -> Millis {
    let parts = vacations.iter().map(|vacation| {
        let part = vacation.until_ms.min(year.end_ms) - vacation.begun_ms.max(year.begin_ms);
        part.max(0).saturating_add(HOUR_MS - 1) / HOUR_MS
    });
    (Millis::from(days) * 24).saturating_sub(parts.sum()).max(0)
}

/// The latest end of a vacation that begins at this time, after the others; `None`: none can begin then.
fn latest_end(days: u32, before: &[PlannedVacation], begun_ms: Millis) -> Option<Millis> {
    let mut end_ms = begun_ms;
    while end_ms < begun_ms.saturating_add(LONGEST_MS) {
        let year = CalendarYear::of(end_ms);
        let most_ms = end_ms.saturating_add(left_hours(days, before, year) * HOUR_MS);
        if most_ms < year.end_ms {
            end_ms = most_ms;
            break;
        }
        end_ms = year.end_ms;
    }
    let end_ms = end_ms.min(begun_ms.saturating_add(LONGEST_MS));
    (end_ms > begun_ms).then_some(end_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 January 2026 and 2027.
    const YEAR: CalendarYear = CalendarYear { begin_ms: 1_767_225_600_000, end_ms: 1_798_761_600_000 };

    fn vacation(begun_ms: Millis, length_ms: Millis) -> PlannedVacation {
        PlannedVacation { begun_ms, until_ms: begun_ms + length_ms }
    }

    #[test]
    fn calendar_year_has_its_first_and_last_moment() {
        assert_eq!(CalendarYear::of(YEAR.begin_ms), YEAR);
        assert_eq!(CalendarYear::of(YEAR.end_ms - 1), YEAR);
        assert_eq!(CalendarYear::of(YEAR.end_ms).begin_ms, YEAR.end_ms);
    }

    #[test]
    fn vacations_count_in_started_hours_of_their_year() {
        let left = |vacations: &[PlannedVacation]| left_hours(2, vacations, YEAR);
        assert_eq!(left(&[]), 48);
        assert_eq!(left(&[vacation(YEAR.begin_ms, 1)]), 47);
        assert_eq!(left(&[vacation(YEAR.begin_ms, HOUR_MS)]), 47);
        assert_eq!(left(&[vacation(YEAR.begin_ms, 1), vacation(YEAR.begin_ms + 5, HOUR_MS + 1)]), 45);
        assert_eq!(
            left(&[vacation(YEAR.end_ms - 2 * HOUR_MS, 5 * HOUR_MS)]),
            46,
            "three are of the next year"
        );
        assert_eq!(left(&[vacation(YEAR.begin_ms, 0), vacation(YEAR.end_ms, HOUR_MS)]), 48);
        assert_eq!(left(&[vacation(YEAR.begin_ms, 10 * DAY_MS)]), 0);
    }

    #[test]
    fn latest_end_uses_what_each_year_leaves() {
        let noon = YEAR.begin_ms + DAY_MS / 2;
        assert_eq!(latest_end(2, &[], noon), Some(noon + 2 * DAY_MS));
        assert_eq!(latest_end(2, &[vacation(YEAR.begin_ms, DAY_MS)], noon), Some(noon + DAY_MS));
        assert_eq!(latest_end(2, &[vacation(YEAR.begin_ms, 2 * DAY_MS)], noon), None);
        assert_eq!(latest_end(0, &[], noon), None);
        let evening = YEAR.end_ms - HOUR_MS;
        assert_eq!(latest_end(2, &[], evening), Some(YEAR.end_ms + 2 * DAY_MS));
        assert_eq!(latest_end(366, &[], noon), Some(noon + LONGEST_MS));
    }
}
