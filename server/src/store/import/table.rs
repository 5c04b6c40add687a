//! A table that both databases have: how its rows are read, written and compared.

/// A kind of value that the two databases write differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// A text or a whole number.
    Plain,
    /// True or false.
    Flag,
    /// A number with a fraction.
    Real,
    /// Bytes. As text: `\\x` and their hexadecimal digits.
    Bytes,
}
use ValueKind::{Bytes, Flag, Plain, Real};

/// A table that is copied.
#[derive(Debug)]
pub(super) struct Table {
    pub name: &'static str,
    pub columns: &'static [(&'static str, ValueKind)],
    /// The columns by which its rows are sorted.
    pub order: &'static str,
}

impl Table {
    /// Reads rows from SQLite, each as a JSON object. `condition`: selects the rows.
    pub(super) fn read(&self, condition: &str) -> String {
        let value = |(name, kind): &(&str, ValueKind)| format!("'{name}', {}", self.sqlite(name, *kind));
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
    fn sqlite(&self, name: &str, kind: ValueKind) -> String {
        match kind {
            Bytes => format!("'\\x' || lower(hex({name}))"),
            Real => format!("CASE WHEN {name} IS NOT NULL THEN printf('%!.17g', {name}) END"),
            _ if name == "wake_ms" => "iif(holder IS NULL, wake_ms, 0)".to_owned(),
            _ => name.to_owned(),
        }
    }
}
