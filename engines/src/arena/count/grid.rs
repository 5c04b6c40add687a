//! Tables as text.

use std::fmt::{self, Display};

use super::stats::Estimate;

/// Rows of cells under a head; the first column is flush left, the others right.
pub(super) struct Grid(pub(super) Vec<Vec<String>>);

impl Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.0.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| self.0.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|c| width(c).unwrap_or(0)).collect();
        for row in &self.0 {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(i, (text, w))| if i == 0 { format!("{text:<w$}") } else { format!("{text:>w$}") })
                .collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }
}

/// A row of these cells.
pub(super) fn row<T: Into<String>>(cells: impl IntoIterator<Item = T>) -> Vec<String> {
    cells.into_iter().map(Into::into).collect()
}

/// `62.5% [55.1, 69.9]`
pub(super) fn percent(e: Option<Estimate>) -> String {
    e.map_or("-".to_owned(), |e| {
        format!("{:.1}% [{:.1}, {:.1}]", 100.0 * e.mean, 100.0 * e.low, 100.0 * e.high)
    })
}
