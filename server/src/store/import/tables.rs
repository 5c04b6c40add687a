//! The tables that both databases have, and how their values are compared.

/// A kind of value that the two databases write differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A text or a whole number.
    Plain,
    /// True or false.
    Flag,
    /// A number with a fraction.
    Real,
    /// Bytes. As text: `\\x` and their hexadecimal digits.
    Bytes,
}
use Kind::{Bytes, Flag, Plain, Real};

/// A table that is copied.
#[derive(Debug)]
pub(super) struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [(&'static str, Kind)],
    /// The columns by which its rows are sorted.
    pub order: &'static str,
}

/// Before the matches, which refer to them.
pub(super) const PLAYERS: Table = Table {
    name: "players",
    columns: &[
        ("id", Plain),
        ("name", Plain),
        ("folded", Plain),
        ("key", Plain),
        ("created_ms", Plain),
        ("skeleton", Plain),
        ("renamed_ms", Plain),
        ("deleted_ms", Plain),
        ("kind", Plain),
        ("owner", Plain),
        ("about", Plain),
    ],
    order: "id",
};

/// Copied a few matches at a time, each with all its rows.
pub(super) const OF_MATCHES: [(Table, &str); 3] = [
    (
        Table {
            name: "matches",
            columns: &[
                ("nr", Plain),
                ("id", Plain),
                ("game", Plain),
                ("stage", Plain),
                ("private", Flag),
                ("created_ms", Plain),
                ("ended_ms", Plain),
                ("rematch_of", Plain),
                ("summary", Plain),
                ("players", Plain),
                ("wake_ms", Plain),
                ("shown_seq", Plain),
                ("shown_ms", Plain),
                ("never_begun", Flag),
            ],
            order: "nr",
        },
        "nr",
    ),
    (
        Table {
            name: "match_players",
            columns: &[
                ("match_nr", Plain),
                ("player", Plain),
                ("match_id", Plain),
                ("game", Plain),
                ("stage", Plain),
                ("private", Flag),
                ("worth", Real),
            ],
            order: "match_nr, player",
        },
        "match_nr",
    ),
    (
        Table {
            name: "events",
            columns: &[("match_nr", Plain), ("seq", Plain), ("at_ms", Plain), ("body", Plain)],
            order: "match_nr, seq",
        },
        "match_nr",
    ),
];

/// After the matches.
pub(super) const OTHERS: [Table; 29] = [
    Table {
        name: "analyses",
        columns: &[
            ("match_id", Plain),
            ("stage", Plain),
            ("asker", Plain),
            ("asked_ms", Plain),
            ("moves", Plain),
            ("judged", Plain),
            ("body", Plain),
        ],
        order: "match_id",
    },
    Table {
        name: "decisions",
        columns: &[
            ("match_id", Plain),
            ("ply", Plain),
            ("player", Plain),
            ("game", Plain),
            ("private", Flag),
            ("phase", Plain),
            ("kind", Plain),
            ("loss", Plain),
        ],
        order: "match_id, ply",
    },
    Table {
        name: "results",
        columns: &[("player", Plain), ("game", Plain), ("played", Plain), ("won", Plain), ("shared", Plain)],
        order: "player, game",
    },
    Table { name: "requests", columns: &[("key", Plain), ("asked", Plain), ("answer", Plain)], order: "key" },
    Table {
        name: "bans",
        columns: &[("network", Plain), ("reason", Plain), ("created_ms", Plain), ("until_ms", Plain)],
        order: "network",
    },
    Table {
        name: "chat",
        columns: &[
            ("match_id", Plain),
            ("n", Plain),
            ("seat", Plain),
            ("at_ms", Plain),
            ("said", Plain),
            ("author", Plain),
        ],
        order: "match_id, n",
    },
    Table {
        name: "bot_faults",
        columns: &[
            ("match_id", Plain),
            ("seq", Plain),
            ("player", Plain),
            ("game", Plain),
            ("seat", Plain),
            ("ply", Plain),
            ("kind", Plain),
            ("detail", Plain),
            ("instead", Plain),
            ("think_us", Plain),
            ("at_ms", Plain),
            ("version", Plain),
        ],
        order: "match_id, seq",
    },
    Table {
        name: "bot_output",
        columns: &[
            ("match_id", Plain),
            ("seat", Plain),
            ("ply", Plain),
            ("lines", Plain),
            ("cut", Flag),
            ("cpu_ms", Plain),
            ("memory_kib", Plain),
        ],
        order: "match_id, seat, ply",
    },
    Table {
        name: "blocks",
        columns: &[("player", Plain), ("blocked", Plain), ("at_ms", Plain)],
        order: "player, blocked",
    },
    Table {
        name: "tokens",
        columns: &[
            ("id", Plain),
            ("key", Plain),
            ("player", Plain),
            ("bot", Plain),
            ("name", Plain),
            ("scope", Plain),
            ("created_ms", Plain),
            ("expires_ms", Plain),
            ("used_ms", Plain),
        ],
        order: "id",
    },
    Table {
        name: "erasures",
        columns: &[("player", Plain), ("at_ms", Plain), ("match_nr", Plain)],
        order: "player",
    },
    Table {
        name: "restrictions",
        columns: &[
            ("player", Plain),
            ("kind", Plain),
            ("reason", Plain),
            ("created_ms", Plain),
            ("until_ms", Plain),
        ],
        order: "player, kind",
    },
    Table {
        name: "invitations",
        columns: &[
            ("key", Plain),
            ("note", Plain),
            ("uses", Plain),
            ("used", Plain),
            ("created_ms", Plain),
            ("until_ms", Plain),
        ],
        order: "key",
    },
    Table {
        name: "reports",
        columns: &[
            ("id", Plain),
            ("kind", Plain),
            ("subject", Plain),
            ("n", Plain),
            ("reporter", Plain),
            ("reason", Plain),
            ("created_ms", Plain),
        ],
        order: "id",
    },
    Table {
        name: "held_names",
        columns: &[("folded", Plain), ("skeleton", Plain), ("until_ms", Plain)],
        order: "folded",
    },
    Table {
        name: "rated_results",
        columns: &[
            ("nr", Plain),
            ("match_id", Plain),
            ("game", Plain),
            ("at_ms", Plain),
            ("seats", Plain),
            ("annulled_ms", Plain),
        ],
        order: "nr",
    },
    Table {
        name: "ratings",
        columns: &[
            ("player", Plain),
            ("game", Plain),
            ("kind", Plain),
            ("mu", Real),
            ("sigma", Real),
            ("played", Plain),
            ("last_ms", Plain),
            ("listed", Real),
        ],
        order: "player, game",
    },
    Table {
        name: "rating_history",
        columns: &[
            ("player", Plain),
            ("game", Plain),
            ("played", Plain),
            ("nr", Plain),
            ("mu", Real),
            ("sigma", Real),
            ("at_ms", Plain),
        ],
        order: "player, game, played",
    },
    Table {
        name: "rating_widenings",
        columns: &[("player", Plain), ("game", Plain), ("nr", Plain), ("times", Plain)],
        order: "player, game, nr",
    },
    Table {
        name: "programs",
        columns: &[
            ("bot", Plain),
            ("number", Plain),
            ("game", Plain),
            ("hash", Plain),
            ("size", Plain),
            ("note", Plain),
            ("created_ms", Plain),
            ("state", Plain),
            ("activate", Flag),
            ("referee", Plain),
            ("report", Plain),
            ("published", Flag),
            ("activated_ms", Plain),
        ],
        order: "bot, number",
    },
    Table {
        name: "banned_programs",
        columns: &[("hash", Plain), ("reason", Plain), ("created_ms", Plain)],
        order: "hash",
    },
    Table {
        name: "program_fuel",
        columns: &[("day", Plain), ("bot", Plain), ("fuel", Plain)],
        order: "day, bot",
    },
    Table {
        name: "program_uploads",
        columns: &[("day", Plain), ("owner", Plain), ("uploads", Plain)],
        order: "day, owner",
    },
    Table {
        name: "hosted_bots",
        columns: &[("bot", Plain), ("last_number", Plain), ("policy", Plain)],
        order: "bot",
    },
    Table {
        name: "versus",
        columns: &[
            ("player", Plain),
            ("game", Plain),
            ("opponent", Plain),
            ("played", Plain),
            ("won", Plain),
            ("drawn", Plain),
        ],
        order: "player, game, opponent",
    },
    Table {
        name: "rated_pairs",
        columns: &[("day", Plain), ("first", Plain), ("second", Plain), ("begun", Plain)],
        order: "day, first, second",
    },
    Table {
        name: "tournaments",
        columns: &[
            ("id", Plain),
            ("game", Plain),
            ("stage", Plain),
            ("organizer", Plain),
            ("created_ms", Plain),
            ("summary", Plain),
            ("events", Plain),
        ],
        order: "id",
    },
    Table {
        name: "tournament_events",
        columns: &[("tournament", Plain), ("seq", Plain), ("at_ms", Plain), ("body", Plain)],
        order: "tournament, seq",
    },
    Table {
        name: "challenges",
        columns: &[
            ("id", Plain),
            ("challenger", Plain),
            ("opponent", Plain),
            ("terms", Plain),
            ("created_ms", Plain),
            ("until_ms", Plain),
            ("stage", Plain),
            ("settled_ms", Plain),
            ("reason", Plain),
            ("match_id", Plain),
            ("tickets", Plain),
        ],
        order: "id",
    },
];

/// Copied one row at a time: modules are large.
pub(super) const FILES: Table =
    Table { name: "program_files", columns: &[("hash", Plain), ("module", Bytes)], order: "hash" };

/// The tables and columns that are not copied row by row: the secret and the version of accounts are set, the nodes are
/// gone with the connections that they held, and the rest is computed anew.
#[cfg(test)]
pub(super) const NOT_COPIED: [&str; 16] = [
    "settings",
    "servers",
    "presence",
    "match_presence",
    "duties",
    "tickets",
    "lobby_changes",
    "downtimes",
    "dead_nodes",
    "deleted_matches",
    "matches.keeper",
    "analyses.keeper",
    "programs.keeper",
    "events.position",
    "requests.made",
    "tournaments.keeper",
];

impl Table {
    /// Reads rows from SQLite, each as a JSON object. `condition`: selects the rows.
    pub(super) fn read(&self, condition: &str) -> String {
        let value = |(name, kind): &(&str, Kind)| format!("'{name}', {}", self.sqlite(name, *kind));
        let columns: Vec<_> = self.columns.iter().map(value).collect();
        let (name, order) = (self.name, self.order);
        format!("SELECT json_object({}) FROM {name} {condition} ORDER BY {order}", columns.join(", "))
    }

    /// Writes rows, given as a JSON list, to PostgreSQL, unless they are there.
    pub(super) fn write(&self) -> String {
        let columns: Vec<_> = self.columns.iter().map(|(name, _)| *name).collect();
        let (name, columns) = (self.name, columns.join(", "));
        format!(
            "INSERT INTO {name} ({columns}) SELECT {columns} FROM json_populate_recordset(NULL::{name}, $1::json)
             ON CONFLICT DO NOTHING"
        )
    }

    /// Reads the rows from SQLite as texts, to compare them.
    pub(super) fn texts_of_sqlite(&self, condition: &str) -> String {
        let columns =
            self.columns.iter().map(|(name, kind)| format!("CAST({} AS TEXT)", self.sqlite(name, *kind)));
        self.texts(columns.collect(), condition)
    }

    /// Reads the rows from PostgreSQL as texts, to compare them.
    pub(super) fn texts_of_postgres(&self, condition: &str) -> String {
        let columns = self.columns.iter().map(|(name, kind)| match kind {
            Plain | Real | Bytes => format!("{name}::text"),
            Flag => format!("{name}::int::text"),
        });
        self.texts(columns.collect(), condition)
    }

    fn texts(&self, columns: Vec<String>, condition: &str) -> String {
        // By the columns, not by the texts that have the same names.
        let order: Vec<_> = self.order.split(", ").map(|column| format!("{}.{column}", self.name)).collect();
        format!("SELECT {} FROM {} {condition} ORDER BY {}", columns.join(", "), self.name, order.join(", "))
    }

    /// A value as SQLite gives it. A match that a node held is due at once: no node holds it any more.
    fn sqlite(&self, name: &str, kind: Kind) -> String {
        match kind {
            Bytes => format!("'\\x' || lower(hex({name}))"),
            Real => format!("CASE WHEN {name} IS NOT NULL THEN printf('%!.17g', {name}) END"),
            _ if name == "wake_ms" => "iif(keeper IS NULL, wake_ms, 0)".to_owned(),
            _ => name.to_owned(),
        }
    }
}
