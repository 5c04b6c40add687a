//! The preview of a match: the position as its game draws it, below a line with the names of the players and the score. Draws any
//! name: one that is too long is written smaller, then shortened.

use std::fmt::Write;
use std::sync::{Arc, LazyLock};

use engines::picture::{SIZE, background};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

/// The height of the line with the names, and of its letters; the least size of letters; the room beside a text.
const LINE: f32 = 76.0;
const LETTERS: f32 = 36.0;
const SMALLEST: f32 = 22.0;
const MARGIN: f32 = 20.0;
/// The background of the line, and its ink: of a player, and of the winner.
const BAND: &str = "#22262c";
const INK: &str = "#ffffff";
const WON: &str = "#ffd66b";

#[derive(Debug)]
pub(in crate::web) struct PlayerLine {
    /// The name that the pages show.
    pub name: String,
    /// The points, if the match is over.
    pub points: Option<String>,
    /// Whether the player has won.
    pub won: bool,
}

/// How texts are drawn: in the font that the program has, and for other scripts in the fonts of the machine.
pub(in crate::web) fn options() -> &'static Options<'static> {
    static OPTIONS: LazyLock<Options<'static>> = LazyLock::new(|| {
        let mut fonts = Database::new();
        fonts.load_font_data(dejavu::sans::bold().to_vec());
        fonts.load_system_fonts();
        Options { fontdb: Arc::new(fonts), font_family: FONT.to_owned(), ..Options::default() }
    });
    &OPTIONS
}

const FONT: &str = "DejaVu Sans";

/// The preview as SVG. `picture`: of the position, as its game draws it; without players, it is the preview itself.
pub(in crate::web) fn preview(picture: &str, players: &[PlayerLine]) -> String {
    if players.is_empty() {
        return picture.to_owned();
    }
    let (width, height) = SIZE;
    let ground = background(picture).unwrap_or(BAND);
    let below = height as f32 - LINE;
    let inner =
        picture.replacen("<svg ", &format!("<svg y=\"{LINE}\" width=\"{width}\" height=\"{below}\" "), 1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\">\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>\
         <rect width=\"{width}\" height=\"{LINE}\" fill=\"{BAND}\"/>{inner}"
    );
    let column = width as f32 / players.len() as f32;
    for (place, player) in players.iter().enumerate() {
        let left = place as f32 * column;
        let ink = if player.won { WON } else { INK };
        let mut room = column - 2.0 * MARGIN;
        if let Some(points) = &player.points {
            let (text, size, long) = fitted(points, room / 3.0);
            write_text(&mut svg, &text, size, left + column - MARGIN - long, ink);
            room -= long + MARGIN;
        }
        let (text, size, _) = fitted(&player.name, room);
        write_text(&mut svg, &text, size, left + MARGIN, ink);
    }
    svg.push_str("</svg>");
    svg
}

fn write_text(svg: &mut String, text: &str, size: f32, left: f32, ink: &str) {
    let line = LINE / 2.0 + size * 0.36;
    // Writing to a string cannot fail.
    let _ = write!(svg, "{}", element(text, size, left, line, ink));
}

fn element(text: &str, size: f32, left: f32, line: f32, ink: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<text x=\"{left}\" y=\"{line}\" font-family=\"{FONT}\" font-weight=\"bold\" font-size=\"{size}\" fill=\"{ink}\" \
         xml:space=\"preserve\">{escaped}</text>"
    )
}

/// A text that is at most this long, the size of its letters, and its length: smaller letters, then fewer of them.
fn fitted(text: &str, room: f32) -> (String, f32, f32) {
    let text: String = text.chars().filter(|sign| !sign.is_control()).collect();
    let long = length(&text, LETTERS);
    let size = (LETTERS * room / long.max(1.0)).clamp(SMALLEST, LETTERS);
    let mut shown = text.clone();
    let mut long = length(&shown, size);
    while long > room && !shown.is_empty() {
        let kept = shown.chars().count().saturating_sub(2);
        shown = shown.chars().take(kept).chain(['…']).collect();
        if kept == 0 {
            shown.clear();
        }
        long = length(&shown, size);
    }
    (shown, size, long)
}

/// How long a text is, as it is drawn; 0 if nothing of it can be drawn.
fn length(text: &str, size: f32) -> f32 {
    let (width, height) = SIZE;
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\">{}</svg>",
        element(text, size, 0.0, height as f32 / 2.0, INK)
    );
    let tree = Tree::from_str(&svg, options());
    tree.map_or(0.0, |tree| tree.root().abs_bounding_box().right())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of every kind that players may have.
    const NAMES: [&str; 8] = [
        "Ana",
        "<script>alert(1)</script> & so on, a name of 40",
        "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
        "Ștefănuță-Gheorghița von Ätherwölkchen",
        "Александра Константиновна Преображенская",
        "Χρυσόστομος",
        "王小明王小明王小明王小明王小明王小明王小明",
        "مريم بنت عبد الرحمن",
    ];

    #[test]
    fn names_are_no_longer_than_their_room() {
        for name in NAMES {
            for room in [120.0, 260.0, 540.0] {
                let (text, size, long) = fitted(name, room);
                assert!(
                    long <= room && (SMALLEST..=LETTERS).contains(&size),
                    "{name} in {room}: {text} {size} {long}"
                );
            }
        }
        assert_eq!(fitted("Ana", 300.0).0, "Ana");
        assert!(fitted(NAMES[2], 260.0).0.ends_with('…'));
    }

    #[test]
    fn preview_has_every_player_inside_its_bounds() {
        let picture = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 630\"><rect width=\"1200\" height=\"630\" fill=\"#abc\"/></svg>";
        for count in 1..=4 {
            let player = |name: &&str| PlayerLine {
                name: (*name).to_owned(),
                points: Some("−125".to_owned()),
                won: true,
            };
            let svg = preview(picture, &NAMES[..count].iter().map(player).collect::<Vec<_>>());
            let tree = Tree::from_str(&svg, options()).unwrap();
            assert_eq!((tree.size().width(), tree.size().height()), (1200.0, 630.0));
            let bounds = tree.root().abs_bounding_box();
            assert!(
                bounds.left() >= 0.0
                    && bounds.right() <= 1200.0
                    && bounds.top() >= 0.0
                    && bounds.bottom() <= 630.0,
                "{bounds:?}"
            );
            assert_eq!(svg.matches("<text ").count(), 2 * count);
        }
    }

    #[test]
    fn pictures_of_all_games_stay_inside_their_bounds() {
        use engines::game::Viewer;
        use engines::rng::{Rng, Seed};
        for game in engines::games::GAMES {
            let info = game.info();
            for seats in info.min_seats..=info.max_seats {
                let mut rng = Rng::new(&Seed::from(5));
                let mut table = game.deal(&game.options_for(seats).unwrap(), &Seed::from(5)).unwrap();
                let mut ply = 0;
                loop {
                    let goes_on = table.play_random(&mut rng);
                    ply += 1;
                    if goes_on && ply % 9 > 0 {
                        continue;
                    }
                    let svg = table.view(Viewer::Spectator).picture().unwrap();
                    let bounds = Tree::from_str(&svg, options()).unwrap().root().abs_bounding_box();
                    let inside = bounds.left() >= 0.0
                        && bounds.top() >= 0.0
                        && bounds.right() <= 1200.0
                        && bounds.bottom() <= 630.0;
                    assert!(inside, "{} with {seats}, ply {ply}: {bounds:?}", info.slug);
                    if !goes_on {
                        break;
                    }
                }
            }
        }
    }
}
