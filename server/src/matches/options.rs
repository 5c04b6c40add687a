//! Settings of hosted matches.

use std::time::Duration;

use crate::domain::time::Millis;
use crate::matches::ledger::MAX_GRACE_MS;
use crate::matches::record::license::LicenseUrl;
use crate::store::DatabaseAddress;

/// The idle time that a caller may set, in milliseconds: a match ends when nothing happens in it for that long.
pub const IDLE_RANGE: std::ops::RangeInclusive<u64> = 1_000..=366 * 24 * 3_600_000;

/// Settings of hosted matches.
#[derive(Clone, Debug, clap::Args)]
pub struct HostOptions {
    /// The database with all matches and players: an SQLite file, which is created if it does not exist, or
    /// postgres://user@host/database, which any number of servers can share.
    #[arg(
        long,
        env = "KIBITZ_DATABASE",
        value_name = "FILE or URL",
        default_value = "kibitz.db",
        hide_env_values = true
    )]
    pub database: DatabaseAddress,
    /// A match that has not begun, or has no clock, ends when nothing happens in it for this long, in milliseconds. Its
    /// creator can set another time.
    #[arg(long, env = "KIBITZ_IDLE_MS", value_name = "MS", default_value_t = 24 * 3_600_000,
          value_parser = clap::value_parser!(u64).range(IDLE_RANGE))]
    pub idle_ms: u64,
    /// A match in which nothing happens is removed from memory after this long, in milliseconds, unless it has viewers.
    #[arg(long, env = "KIBITZ_UNLOAD_AFTER_MS", value_name = "MS", default_value_t = 60_000,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub unload_after_ms: u64,
    /// The most matches created by one address that are not over.
    #[arg(long, env = "KIBITZ_MAX_MATCHES_PER_ADDRESS", value_name = "N", default_value_t = 1000)]
    pub max_matches_per_address: usize,
    /// The most matches of one player that are not over: created by the player, agreed on with another one, found by quick
    /// pairing, or of the player's tournaments. A bot's matches count for its owner.
    #[arg(long, env = "KIBITZ_MAX_MATCHES_PER_PLAYER", value_name = "N", default_value_t = 500)]
    pub max_matches_per_player: usize,
    /// The most seats that one address may have taken, by joining, in matches that are not over.
    #[arg(long, env = "KIBITZ_MAX_SEATS_PER_ADDRESS", value_name = "N", default_value_t = 256)]
    pub max_seats_per_address: usize,
    /// The most seats that one address may have taken, by joining, in matches that have not begun.
    #[arg(long, env = "KIBITZ_MAX_WAITING_SEATS_PER_ADDRESS", value_name = "N", default_value_t = 32)]
    pub max_waiting_seats_per_address: usize,
    /// After a downtime the clock of the seat to move stays stopped for this long, in milliseconds, so that its player can
    /// reconnect.
    #[arg(long, env = "KIBITZ_RECONNECT_GRACE_MS", value_name = "MS", default_value_t = 2_000,
          value_parser = clap::value_parser!(u64).range(0..=MAX_GRACE_MS))]
    pub reconnect_grace_ms: u64,
    /// Milliseconds to add to the system's clock; for tests.
    #[arg(
        long,
        env = "KIBITZ_CLOCK_OFFSET_MS",
        value_name = "MS",
        default_value_t = 0,
        hide = true,
        allow_hyphen_values = true
    )]
    pub clock_offset_ms: i64,
    /// The most running matches between engines that one address created.
    #[arg(long, env = "KIBITZ_ENGINE_MATCHES", value_name = "N", default_value_t = 4)]
    pub engine_matches: usize,
    /// A match between engines ends without a result after this time, in milliseconds, counted from its creation or from
    /// when the last person or bot left it.
    #[arg(long, env = "KIBITZ_ENGINE_MATCH_MS", value_name = "MS", default_value_t = 3_600_000,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub engine_match_ms: u64,
    /// A match in which only guests sit ends without a result when none of them has been connected for this long, in
    /// milliseconds; 0: never.
    #[arg(long, env = "KIBITZ_GUEST_ABSENCE_MS", value_name = "MS", default_value_t = 900_000)]
    pub guest_absence_ms: u64,
    /// The most rated matches that two players, or their owners, begin with each other on a day (UTC).
    #[arg(long, env = "KIBITZ_MAX_RATED_PER_PAIR", value_name = "N", default_value_t = 50,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_rated_per_pair: u32,
    /// The most bots of one player.
    #[arg(long, env = "KIBITZ_MAX_BOTS_PER_PLAYER", value_name = "N", default_value_t = 20)]
    pub max_bots_per_player: u32,
    /// The most tournaments of one organizer that are not over.
    #[arg(long, env = "KIBITZ_MAX_TOURNAMENTS_PER_PLAYER", value_name = "N", default_value_t = 10)]
    pub max_tournaments_per_player: u32,
    /// Lists do not show a match of guests any more when all of them left this long ago, in milliseconds.
    #[arg(skip = 60_000_i64)]
    pub deserted_ms: Millis,
    /// The licence of the records that downloads contain: its address, such as that of CC0.
    /// Downloads name it in the header `Link`.
    #[arg(long, env = "KIBITZ_DATA_LICENSE", value_name = "URL")]
    pub data_license: Option<LicenseUrl>,
    /// Players may say only ready phrases to each other, no text of their own.
    #[arg(long, env = "KIBITZ_NO_CHAT_TEXT")]
    pub no_chat_text: bool,
    /// Spectators cannot talk to each other.
    #[arg(long, env = "KIBITZ_NO_SPECTATOR_CHAT")]
    pub no_spectator_chat: bool,
    /// How many events a spectator may fall behind before its stream is closed. The stream of a seat may lag less.
    #[arg(skip = 256_usize)]
    pub behind: usize,
}

impl HostOptions {
    /// How long an idle match stays in memory.
    pub fn unload_after(&self) -> Duration {
        Duration::from_millis(self.unload_after_ms)
    }
}
