//! The heap as a picture.

use crate::picture::Picture;

const COLUMNS: u8 = 8;

/// Draws the counters in rows, and their number above.
pub(super) fn picture(counters: u8) -> String {
    let mut picture = Picture::new("#2f4858");
    picture.text(&counters.to_string(), [600.0, 100.0], 90.0, "#fff");
    for counter in 0..counters {
        let [column, row] = [counter % COLUMNS, counter / COLUMNS].map(f32::from);
        let at = [180.0 + 120.0 * column, 260.0 + 120.0 * row];
        picture.disc(at, 50.0, "#b9770e");
        picture.disc(at, 42.0, "#f0b429");
    }
    picture.finish()
}
