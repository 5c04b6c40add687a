//! Tables as text.

use std::fmt::{self, Display};

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

/// Rows of cells under a head; the first column is flush left, the others right.
pub(crate) struct Grid(pub(crate) Vec<Vec<String>>);

impl Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new();
        table.load_style(NOTHING).add_rows(&self.0);
        for (i, column) in table.column_iter_mut().enumerate() {
            column.set_padding((if i == 0 { 0 } else { 2 }, 0));
            column.set_cell_alignment(if i == 0 { CellAlignment::Left } else { CellAlignment::Right });
        }
        writeln!(f, "{}", table.trim_fmt())
    }
}

/// A row of these cells.
pub(crate) fn row<T: Into<String>>(cells: impl IntoIterator<Item = T>) -> Vec<String> {
    cells.into_iter().map(Into::into).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_whatever_their_letters() {
        let rows = [row(["player", "score"]), row(["Ana", "94.8% ±0.2"]), row(["日本", "5%"]), row(["x"])];
        let text = Grid(rows.into()).to_string();
        assert_eq!(text, "player       score\nAna     94.8% ±0.2\n日本            5%\nx\n");
    }
}
