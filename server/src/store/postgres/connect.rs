//! Connections to PostgreSQL: their settings, their names in messages, and how long anything may take.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use sqlx::{ConnectOptions, PgConnection, PgPool};

use crate::store::address::PostgresUrl;
use crate::store::database_error::DatabaseError;

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(1500);

/// How long a transaction may take; after that the connection counts as lost. Longer than another node can be in the way.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a read waits for a free connection.
const READ_TIMEOUT: Duration = Duration::from_secs(3);

/// Connections for reading.
const READERS: u32 = 8;

/// The options for connecting to this URL.
///
/// # Errors
/// A sentence about the error in the URL; it shows no password.
pub(super) fn options(url: &PostgresUrl) -> Result<PgConnectOptions, String> {
    let options = PgConnectOptions::from_str(url.reveal()).map_err(|e| e.to_string())?;
    let options = options
        .application_name("kibitz")
        // The server finds out soon that a node is gone, and ends its transaction.
        .options([
            ("tcp_keepalives_idle", "5"),
            ("tcp_keepalives_interval", "1"),
            ("tcp_keepalives_count", "3"),
            ("lock_timeout", "4000"),
            // A node that is frozen, or whose connection is silent, in the middle of a transaction blocks the others only
            // for this long, which is less than they wait for a lock. If it comes back, it finds its connection lost.
            ("idle_in_transaction_session_timeout", "2000"),
        ])
        .disable_statement_logging();
    // `prefer` would only delay each connection in a program without TLS.
    let without_tls = !cfg!(feature = "tls") && matches!(options.get_ssl_mode(), PgSslMode::Prefer);
    Ok(if without_tls { options.ssl_mode(PgSslMode::Disable) } else { options })
}

/// The database in messages: without a password.
pub(super) fn name(options: &PgConnectOptions) -> String {
    let (user, port) = (options.get_username(), options.get_port());
    let database = options.get_database().unwrap_or(user);
    match options.get_socket() {
        Some(folder) => format!("postgres://{user}@/{database}?host={}&port={port}", folder.display()),
        None => format!("postgres://{user}@{}:{port}/{database}", options.get_host()),
    }
}

pub(super) async fn connect(options: &PgConnectOptions) -> Result<PgConnection, DatabaseError> {
    in_time(CONNECT_TIMEOUT, options.connect()).await.map_err(|error| match error {
        sqlx::Error::Io(e) => DatabaseError::away(&e.to_string()),
        error => error.into(),
    })
}

/// Waits for the database, but not for ever.
pub(super) async fn in_time<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    let late = |_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into());
    tokio::time::timeout(limit, work).await.map_err(late)?
}

/// The connections for reading, made when they are needed. They also count for rate limits, which need not survive a crash.
pub(super) fn readers(options: &PgConnectOptions) -> PgPool {
    let options = options.clone().options([("synchronous_commit", "off"), ("statement_timeout", "5000")]);
    PgPoolOptions::new()
        .max_connections(READERS)
        .acquire_timeout(READ_TIMEOUT)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_lazy_with(options)
}
