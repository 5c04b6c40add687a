//! A table as a picture: the few shapes that the games' previews of links are made of, as SVG. Numbers and letters are
//! lines, so drawing needs no font. It knows no game.

use std::fmt::Write;

/// Width and height of a picture.
pub const SIZE: (u32, u32) = (1200, 630);

/// A picture in the making. Lengths are in pixels, colours as in SVG.
pub struct Picture {
    svg: String,
}

impl Picture {
    /// A picture of this background.
    pub fn new(background: &str) -> Self {
        let (width, height) = SIZE;
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\">\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{background}\"/>"
        );
        Self { svg }
    }

    /// A rectangle with round corners.
    pub fn rect(&mut self, [x, y, width, height]: [f32; 4], fill: &str) {
        let radius = width.min(height) * 0.12;
        self.add(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\" fill=\"{fill}\"/>"
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

    /// A shape of SVG path data in a square of side 24, enlarged to this size, with its middle here.
    pub fn shape(&mut self, path: &str, [x, y]: [f32; 2], size: f32, fill: &str) {
        let (left, top, scale) = (x - size / 2.0, y - size / 2.0, size / 24.0);
        self.add(format_args!(
            "<path d=\"{path}\" transform=\"translate({left} {top}) scale({scale})\" fill=\"{fill}\"/>"
        ));
    }

    /// A number, or the rank of a card, of this height, with its middle here.
    pub fn text(&mut self, text: &str, [x, y]: [f32; 2], height: f32, colour: &str) {
        let scale = height / 6.0;
        let count = text.chars().count() as f32;
        let mut left = x - (count * 4.0 + (count - 1.0) * 2.0) * scale / 2.0;
        let top = y - height / 2.0;
        for sign in text.chars() {
            let path = glyph(sign);
            self.add(format_args!(
                "<path d=\"{path}\" transform=\"translate({left} {top}) scale({scale})\" fill=\"none\" \
                 stroke=\"{colour}\" stroke-width=\"1\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
            ));
            left += 6.0 * scale;
        }
    }

    /// A playing card with its rank in the middle. With a suit, which is a shape and a colour, rank and suit are at the
    /// left, where the next card does not cover them.
    pub fn card(&mut self, [x, y]: [f32; 2], width: f32, rank: &str, suit: Option<(&str, &str)>) {
        let height = width * 1.4;
        self.rect([x + 3.0, y + 5.0, width, height], "#0003");
        self.rect([x, y, width, height], "#fffdf6");
        match suit {
            Some((shape, colour)) => {
                let left = x + width * 0.25;
                self.text(rank, [left, y + height * 0.2], height * 0.18, colour);
                self.shape(shape, [left, y + height * 0.48], width * 0.34, colour);
            }
            None => self.text(rank, [x + width / 2.0, y + height / 2.0], height * 0.36, "#2b4a3f"),
        }
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

/// A sign as lines in a box of 4 by 6; a dash for an unknown sign.
fn glyph(sign: char) -> &'static str {
    match sign {
        '0' => "M1 0H3L4 1V5L3 6H1L0 5V1Z",
        '1' => "M1 1L2 0V6M1 6H3",
        '2' => "M0 1L1 0H3L4 1V2L0 6H4",
        '3' => "M0 0H4L2 2.500H3L4 3.500V5L3 6H1L0 5",
        '4' => "M3 6V0L0 4H4",
        '5' => "M4 0H0V2.500H3L4 3.500V5L3 6H1L0 5",
        '6' => "M3.5 0L1 2L0 4V5L1 6H3L4 5V4L3 3H1L0 4",
        '7' => "M0 0H4L1.5 6",
        '8' => "M1 0H3L4 1V2L3 3H1L0 2V1ZM1 3H3L4 4V5L3 6H1L0 5V4Z",
        '9' => "M4 2L3 3H1L0 2V1L1 0H3L4 1V2L3 4L.5 6",
        'A' => "M0 6L2 0L4 6M1 4H3",
        'J' => "M3 0V5L2 6H1L0 5M1.5 0H4",
        'K' => "M0 0V6M4 0L0 3.500M1.3 2.500L4 6",
        'Q' => "M1 0H3L4 1V5L3 6H1L0 5V1ZM2.500 4L4 6",
        _ => "M1 3H3",
    }
}

/// The colours of the backgrounds of the two seats' places.
pub const SEATS: [&str; 2] = ["#ffffff2e", "#0000002e"];
