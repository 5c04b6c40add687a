//! The address of a database: a file, or a PostgreSQL server.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The address of a database, as `--database` gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseAddress {
    /// An SQLite file: a path, `sqlite:path` or `sqlite://path`.
    File(PathBuf),
    /// A PostgreSQL server: `postgres://user@host/database`.
    Postgres(PostgresUrl),
}

/// The URL of a PostgreSQL database. It may contain a password, so it is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(String);

impl PostgresUrl {
    /// The whole URL, with its password. It must not be logged.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PostgresUrl(..)")
    }
}

impl FromStr for DatabaseAddress {
    /// A URL that is wrong is refused when it is opened: an error here would show it, with its password.
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(PostgresUrl(text.to_owned())));
        }
        let path = text.strip_prefix("sqlite://").or_else(|| text.strip_prefix("sqlite:")).unwrap_or(text);
        Ok(Self::File(PathBuf::from(path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> DatabaseAddress {
        let Ok(address) = text.parse();
        address
    }

    #[test]
    fn paths_and_urls_name_databases() {
        for (text, path) in [
            ("kibitz.db", "kibitz.db"),
            ("/srv/kibitz.db", "/srv/kibitz.db"),
            ("sqlite:///srv/kibitz.db", "/srv/kibitz.db"),
            ("sqlite://kibitz.db", "kibitz.db"),
            ("sqlite:kibitz.db", "kibitz.db"),
        ] {
            assert_eq!(parsed(text), DatabaseAddress::File(path.into()), "{text}");
        }
        for text in ["postgres://ann:secret@db.example/kibitz", "postgresql:///kibitz?host=/run"] {
            let DatabaseAddress::Postgres(url) = parsed(text) else { panic!("{text}") };
            assert_eq!(url.reveal(), text);
            assert_eq!(format!("{url:?}"), "PostgresUrl(..)", "no password is shown");
        }
    }
}
