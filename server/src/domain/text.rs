//! The texts that people may write.

/// Whether a character changes how the text around it is shown: a control character, or a mark that changes the direction of
/// the text after it, which could make one text look like another.
pub fn alters_display(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
