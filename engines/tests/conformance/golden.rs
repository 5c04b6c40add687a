//! Tests of recorded dialogues: the bot's side must replay each `golden/*.dialogue` of a game to its end and print the
//! recorded lines byte for byte. A first line `# settings: k=v ...` sets the player's settings. A first line that begins
//! with `# contradicts the rules` marks a dialogue in which the referee breaks our rules, which must make a remark.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use engines::erased::Awaits;
use engines::protocol::{Entry, Settings};
use engines::search::{Limits, Patient};

use crate::games_under_test;

#[test]
fn recorded_dialogues_are_replayed() {
    for game in games_under_test() {
        let slug = game.info().slug;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/games").join(slug).join("golden");
        let mut files = 0;
        for file in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|e| e != "dialogue") {
                continue;
            }
            files += 1;
            let text = fs::read_to_string(&path).unwrap();
            let name = path.display();
            let (bytes, most) = (Entry::bytes(&text), game.info().max_dialogue_bytes);
            assert!(bytes <= most, "{name} has {bytes} bytes, more than the limit of its game, {most}");
            let entries = Entry::parse_all(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(entries.iter().any(|e| matches!(e, Entry::Printed(_))), "{name} records no printed line");
            let mut session = game.session(&settings(&text)).unwrap();
            session.push(entries.clone());
            let end = session.advance().unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(session.take_lines(), Vec::<String>::new(), "{name} ends before its player");
            let (remarks, contradicts) =
                (session.take_remarks(), text.starts_with("# contradicts the rules"));
            assert_eq!(!remarks.is_empty(), contradicts, "{name}: {remarks:?}");
            assert_eq!(session.waiting(), 0, "{name}: a decision is missing");
            if entries.last() == Some(&Entry::End) {
                assert!(matches!(end, Awaits::Nothing), "{name} does not end");
            }
            if let Awaits::Decision(question) = end {
                let limits = Limits { nodes: Some(500), ..Limits::default() };
                let answer = question.position.think(None, limits, &Patient).unwrap();
                session.decide(&answer.mv.notation).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(session.take_lines()[0], answer.mv.notation, "{name} continues");
            }
        }
        assert!(files > 0, "{slug} has no recorded dialogue");
    }
}

fn settings(text: &str) -> Settings {
    let first = text.lines().next().unwrap_or_default();
    let pairs = first.strip_prefix("# settings:").unwrap_or_default().split_whitespace();
    Settings(
        pairs
            .filter_map(|p| p.split_once('='))
            .map(|(k, v)| (k.into(), v.into()))
            .collect::<BTreeMap<_, _>>(),
    )
}
