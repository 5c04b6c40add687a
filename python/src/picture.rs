//! The pictures of tables as pixels.

use engines::picture::SIZE;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::error::CallError;

/// A picture as pixels of red, green, blue and opacity, row by row.
pub(crate) struct Pixels {
    pixmap: Pixmap,
}

/// The failure to draw, which is a fault of the picture.
fn undrawable(reason: impl ToString) -> CallError {
    CallError::Refused("internal", format!("a picture cannot be drawn: {}", reason.to_string()))
}

impl Pixels {
    /// Draws an SVG of the games' size, `width` pixels wide.
    ///
    /// # Errors
    /// `bad_value` for a width of 0 or more than 4800; `internal`.
    pub(crate) fn draw(svg: &str, width: u32) -> Result<Self, CallError> {
        if !(1..=4 * SIZE.0).contains(&width) {
            return Err(CallError::bad_value(format!("a picture is 1 to {} pixels wide", 4 * SIZE.0)));
        }
        let tree = Tree::from_str(svg, &Options::default()).map_err(undrawable)?;
        let scale = width as f32 / tree.size().width();
        let height = ((tree.size().height() * scale) as u32).max(1);
        let mut pixmap = Pixmap::new(width, height).ok_or_else(|| undrawable("its size is 0"))?;
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
        Ok(Self { pixmap })
    }

    /// The picture as a PNG file.
    ///
    /// # Errors
    /// `internal`.
    pub(crate) fn png(&self) -> Result<Vec<u8>, CallError> {
        self.pixmap.encode_png().map_err(undrawable)
    }

    /// Height, width, and the colours without opacity, row by row: the background is opaque.
    pub(crate) fn rgb(&self) -> (usize, usize, Vec<u8>) {
        let colours =
            self.pixmap.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
        (self.pixmap.height() as usize, self.pixmap.width() as usize, colours.collect())
    }
}
