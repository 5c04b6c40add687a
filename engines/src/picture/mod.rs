//! A table as a picture: the pieces of the games' boards at their places, as SVG. Numbers and letters are outlines, so drawing
//! needs no font. It knows no game.

mod art;
mod glyphs;

use std::fmt::Write;

pub use art::Art;

/// Width and height of a picture.
pub const SIZE: (u32, u32) = (1200, 630);

/// The ink of words on light places.
pub const INK: &str = "#22262c";

/// A picture in the making. Lengths are in pixels, colours as in SVG.
pub struct Picture {
    svg: String,
    art: Option<&'static Art>,
    /// The pieces that are defined, each with its number as the end of its id.
    defined: Vec<String>,
}

impl Picture {
    /// A picture of this background.
    pub fn new(background: &str) -> Self {
        Self::begin(None, background)
    }

    /// A picture of this background, with the pieces of a board.
    pub fn with(art: &'static Art, background: &str) -> Self {
        Self::begin(Some(art), background)
    }

    fn begin(art: Option<&'static Art>, background: &str) -> Self {
        let (width, height) = SIZE;
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\">\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{background}\"/><defs>{}</defs>",
            art.map_or("", |art| art.piece("defs"))
        );
        Self { svg, art, defined: Vec::new() }
    }

    /// A colour of the board.
    fn colour(&self, name: &str) -> &'static str {
        self.art.map_or("#fff", |art| art.colour(name))
    }

    /// A rectangle with round corners.
    pub fn rect(&mut self, place: [f32; 4], fill: &str) {
        self.framed(place, fill, "none");
    }

    /// A rectangle with round corners and an edge.
    pub fn framed(&mut self, [x, y, width, height]: [f32; 4], fill: &str, edge: &str) {
        let radius = width.min(height) * 0.08;
        self.add(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\" fill=\"{fill}\" stroke=\"{edge}\"/>"
        ));
    }

    /// Draws a filled circle.
    pub fn disc(&mut self, [x, y]: [f32; 2], radius: f32, fill: &str) {
        self.add(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\"/>"));
    }

    /// Draws a circle that is not filled.
    pub fn ring(&mut self, [x, y]: [f32; 2], radius: f32, width: f32, colour: &str) {
        self.add(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>"
        ));
    }

    /// A piece of the board whose drawing is this wide, with its corner here, so large. `opacity`: 0 to 1.
    pub fn piece(&mut self, name: &str, drawn: f32, [x, y]: [f32; 2], width: f32, opacity: f32) {
        let number = self.defined.iter().position(|known| known == name).unwrap_or_else(|| {
            let shapes = self.art.map_or("", |art| art.piece(name));
            let number = self.defined.len();
            self.add(format_args!("<defs><g id=\"piece-{number}\" class=\"{name}\">{shapes}</g></defs>"));
            self.defined.push(name.to_owned());
            number
        });
        let scale = width / drawn;
        let faint = if opacity < 1.0 { format!(" opacity=\"{opacity}\"") } else { String::new() };
        self.add(format_args!(
            "<use href=\"#piece-{number}\" transform=\"translate({x} {y}) scale({scale})\"{faint}/>"
        ));
    }

    /// A number, or the rank of a card, whose digits are this high, with its middle here.
    pub fn text(&mut self, text: &str, [x, y]: [f32; 2], height: f32, colour: &str) {
        let scale = height / glyphs::HEIGHT;
        let found: Vec<&glyphs::Glyph> = text.chars().filter_map(glyph).collect();
        let width: f32 = found.iter().map(|(_, width, _)| width * scale).sum();
        let (mut left, line) = (x - width / 2.0, y + height / 2.0);
        for (_, width, outline) in found {
            self.add(format_args!(
                "<path d=\"{outline}\" transform=\"translate({left} {line}) scale({scale})\" fill=\"{colour}\"/>"
            ));
            left += width * scale;
        }
    }

    /// The height at which a text is as wide as this, but at most `height`.
    pub fn fitting(text: &str, height: f32, room: f32) -> f32 {
        let width: f32 = text.chars().filter_map(glyph).map(|(_, width, _)| width).sum();
        height.min(room * glyphs::HEIGHT / width.max(1.0))
    }

    /// A card face up without content, as high as its width times 1.44: its shadow, its face and its edge.
    pub fn card(&mut self, [x, y]: [f32; 2], width: f32) {
        let height = width * 1.44;
        self.rect([x + 1.5, y + 2.5, width, height], "#0003");
        let (face, edge) = (self.colour("face"), self.colour("edge"));
        self.framed([x, y, width, height], face, edge);
    }

    /// The picture as SVG.
    pub fn finish(mut self) -> String {
        self.svg.push_str("</svg>");
        self.svg
    }

    fn add(&mut self, part: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.svg.write_fmt(part);
    }
}

/// The background of a picture: what its place around it has too.
pub fn background(svg: &str) -> Option<&str> {
    svg.split_once("fill=\"")?.1.split_once('"').map(|(fill, _)| fill)
}

fn glyph(sign: char) -> Option<&'static glyphs::Glyph> {
    glyphs::GLYPHS.iter().find(|(known, ..)| *known == sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_in_its_room() {
        let width = |text: &str, height: f32| -> f32 {
            text.chars().filter_map(glyph).map(|(_, width, _)| width * height / glyphs::HEIGHT).sum()
        };
        for text in ["7", "10", "−125", "1000000"] {
            let height = Picture::fitting(text, 40.0, 60.0);
            assert!(width(text, height) <= 60.01 && height <= 40.0, "{text}");
        }
        assert_eq!(Picture::fitting("7", 40.0, 600.0), 40.0);
    }

    #[test]
    fn every_sign_of_a_table_has_an_outline() {
        for sign in "0123456789AJQK−".chars() {
            assert!(glyph(sign).is_some(), "{sign}");
        }
    }

    #[test]
    fn background_is_the_first_colour() {
        assert_eq!(background(&Picture::new("#123456").finish()), Some("#123456"));
    }
}
