//! Texts in Markdown.

/// A text as the content of a table's cell: on one line, and without a mark that would mean something there.
pub(in crate::cli) fn cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\r' | '\n' => cell.push(' '),
            '|' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '\\' | '&' => {
                cell.push('\\');
                cell.push(letter);
            }
            other => cell.push(other),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn cell_stays_in_its_table() {
        assert_eq!(cell("MELD_NEW [ 4♦ ]\n| <b>"), r"MELD\_NEW \[ 4♦ \] \| \<b\>");
    }
}
