//! Time as a number of executed instructions.

use std::time::Duration;

/// The fuel that a program may use in a second of its clock. Nearly every instruction of WebAssembly uses one unit. A current core
/// executes about twice as many a second (`cargo bench -p kibitz-sandbox`), so a program has about half of what it would have as a
/// process of such a machine. The rate is part of what a record means, so it never changes.
pub const FUEL_PER_SECOND: u64 = 4_000_000_000;

/// Fuel of one nanosecond.
const FUEL_PER_NANOSECOND: u64 = FUEL_PER_SECOND / 1_000_000_000;

/// The time that this much fuel is.
pub fn time_of(fuel: u64) -> Duration {
    Duration::from_nanos(fuel / FUEL_PER_NANOSECOND)
}

/// The fuel of this time; `u64::MAX` for times beyond 500 years.
pub fn fuel_of(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).map_or(u64::MAX, |ns| ns.saturating_mul(FUEL_PER_NANOSECOND))
}

/// How much longer than its clock a program may take. A machine is never as slow; instructions that cost much more than others are.
const WALL_FACTOR: u32 = 20;

/// How long a program may take at least, and where nothing limits its clock at most.
const WALL: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(24 * 3600));

/// The time of the machine in which a program must use this time of its clock; far more than it needs. `None`: no limit.
pub fn wall_of(time: Option<Duration>) -> Duration {
    time.map_or(WALL.1, |time| time.saturating_mul(WALL_FACTOR).clamp(WALL.0, WALL.1))
}

/// What a call of the system costs a program: about the instructions of a native call.
pub(crate) const CALL: u64 = 500;

/// What a call costs for each byte that it copies.
pub(crate) const BYTE: u64 = 1;
