//! The lessons of every game that has some: each position can be read, each answer is for a legal move, what an answer says of the
//! position after the move is true, and no text is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use engines::erased::AnyGame;
use engines::game::{Turn, Viewer};
use engines::rng::Seed;
use serde::Deserialize;
use serde_json::Value;

use crate::games_under_test;

/// The least and the greatest number of lessons of a game.
const NUMBER: std::ops::RangeInclusive<usize> = 5..=8;

/// The languages that have every text, and the one that has only those in which it differs from another.
const LANGUAGES: [&str; 3] = ["en", "pt", "ro"];
const VARIANT: (&str, &str) = ("pt-BR", "pt");

/// The longest text, in characters: on a phone it is above the board.
const LONGEST: usize = 180;

/// The seed of what is drawn after a move, which is that of `server/web/teach/lessons.js`.
const SEED: u64 = 1;

/// A lesson; `docs/lessons.md` describes its fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lesson {
    id: String,
    position: Value,
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    text: String,
    #[serde(default)]
    right: bool,
    moves: Vec<String>,
    /// By their JSON pointers: values of the learner's view after each of the moves.
    #[serde(default)]
    after: BTreeMap<String, Value>,
}

impl Answer {
    fn is_for(&self, notation: &str) -> bool {
        self.moves.iter().any(|pattern| fits(pattern, notation))
    }
}

/// Whether a notation fits a pattern, in which `*` is any text.
fn fits(pattern: &str, notation: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == notation,
        Some((before, rest)) => notation
            .strip_prefix(before)
            .is_some_and(|end| (0..=end.len()).any(|at| end.is_char_boundary(at) && fits(rest, &end[at..]))),
    }
}

/// The games with lessons, and the folder of each.
fn games_with_lessons() -> impl Iterator<Item = (&'static dyn AnyGame, PathBuf)> {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/games");
    let all = games_under_test().into_iter();
    all.map(move |game| (game, games.join(game.info().slug).join("lessons")))
        .filter(|(_, folder)| folder.exists())
}

fn lessons(folder: &Path) -> Vec<Lesson> {
    let path = folder.join("lessons.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The texts of a language; `None`: it has no file.
fn texts(folder: &Path, language: &str) -> Option<BTreeMap<String, String>> {
    let path = folder.join(format!("{language}.json"));
    let text = fs::read_to_string(&path).ok()?;
    Some(serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

#[test]
fn every_answer_of_a_lesson_is_for_a_legal_move_and_true() {
    for (game, folder) in games_with_lessons() {
        let slug = game.info().slug;
        let all = lessons(&folder);
        assert!(NUMBER.contains(&all.len()), "{slug}: {} lessons", all.len());
        let ids: BTreeSet<&str> = all.iter().map(|lesson| lesson.id.as_str()).collect();
        assert_eq!(ids.len(), all.len(), "{slug}: two lessons have one id");
        for lesson in &all {
            check(game, lesson).unwrap_or_else(|e| panic!("{slug}, lesson {}: {e}", lesson.id));
        }
    }
}

fn check(game: &dyn AnyGame, lesson: &Lesson) -> Result<(), String> {
    let position = game.position(&lesson.position).map_err(|e| e.to_string())?;
    let Turn::Of(seat) = position.turn() else { return Err("the match is over".to_owned()) };
    if position.viewer() != Viewer::Seat(seat) {
        return Err("the learner is not to move".to_owned());
    }
    // Moves that the list of a game omits, but that answers name.
    let named =
        lesson.answers.iter().flat_map(|answer| &answer.moves).filter(|pattern| !pattern.contains('*'));
    let mut moves: BTreeSet<String> = position.legal_notations().into_iter().collect();
    for notation in named {
        moves.insert(position.check(notation).map_err(|e| format!("{notation}: {e}"))?.notation);
    }
    let mut used = BTreeSet::new();
    for notation in &moves {
        let at = lesson.answers.iter().position(|answer| answer.is_for(notation));
        let at = at.ok_or_else(|| format!("no answer to {notation}"))?;
        used.insert(at);
        let mut table = position.guess(&Seed::from(SEED)).map_err(|e| e.to_string())?;
        table.play(seat, notation).map_err(|e| format!("{notation}: {e}"))?;
        let after = table.view(Viewer::Seat(seat)).to_json();
        for (pointer, value) in &lesson.answers[at].after {
            if after.pointer(pointer) != Some(value) {
                return Err(format!("{pointer} is not {value} after {notation}: {after}"));
            }
        }
    }
    let right = |wanted: bool| used.iter().filter(|at| lesson.answers[**at].right == wanted).count();
    if used.len() < lesson.answers.len() || right(true) == 0 || right(false) == 0 {
        return Err(format!("answers are not used, or no move is right, or none is wrong: {used:?}"));
    }
    // Moves that the list omits have an answer too.
    match lesson.answers.last() {
        Some(last) if !last.right && last.moves == ["*"] => Ok(()),
        _ => Err("the last answer must be a wrong one to all other moves, `*`".to_owned()),
    }
}

#[test]
fn lessons_have_their_texts_in_every_language() {
    for (game, folder) in games_with_lessons() {
        let mut needed = BTreeSet::new();
        for Lesson { id, answers, .. } in lessons(&folder) {
            needed.extend([id.clone(), format!("{id}.title"), format!("{id}.task")]);
            needed.extend(answers.iter().map(|answer| format!("{id}.{}", answer.text)));
        }
        let slug = game.info().slug;
        for language in LANGUAGES {
            let table =
                texts(&folder, language).unwrap_or_else(|| panic!("{slug}: {language}.json is missing"));
            assert_eq!(table.keys().cloned().collect::<BTreeSet<_>>(), needed, "{slug}, {language}");
            for (key, text) in table {
                assert!((3..=LONGEST).contains(&text.chars().count()), "{slug}, {language}, {key}: {text}");
            }
        }
        let (language, base) = VARIANT;
        let based = texts(&folder, base).unwrap_or_default();
        for (key, text) in texts(&folder, language).unwrap_or_default() {
            assert!(based.get(&key).is_some_and(|other| *other != text), "{slug}, {language}: {key}");
        }
    }
}

#[test]
fn pattern_fits_any_text_in_its_gaps() {
    for (pattern, notation, is_so) in [
        ("*", "3 b 4", true),
        ("3 *", "3 b 4", true),
        ("* b *", "3 b 4", true),
        ("* b", "3 b 4", false),
        ("3", "31", false),
        ("31", "31", true),
        ("1*1", "1", false),
    ] {
        assert_eq!(fits(pattern, notation), is_so, "{pattern} {notation}");
    }
}
