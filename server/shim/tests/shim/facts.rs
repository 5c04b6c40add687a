//! Checks that the facts in the program and its README equal those of the engines' registry.
//! `KIBITZ_RECORD=1 cargo test -p kibitz-shim copied_facts` writes the copy in the source again.

use crate::referee::{PROGRAM, command};
use engines::dialogue::CountedTime;
use engines::erased::{AnyGame, usable};
use engines::game::Process;
use engines::games::GAMES;
use std::path::Path;
use std::time::Duration;

const README: &str = include_str!("../../README.md");

fn ms(time: Duration) -> u128 {
    time.as_millis()
}

/// The shorter of the contest's limits of a game.
fn limit(game: &dyn AnyGame) -> Option<Duration> {
    [game.info().move_limit, game.info().match_limit].into_iter().flatten().min()
}

/// The source of the copy.
fn table() -> String {
    let mut text = String::from(
        "//! Copied from the engines' registry; `tests/shim/facts.rs` checks the copy and can write it again.\n\n\
         use super::{GameFacts, SettingFacts};\n\n/// All games that this program was built with.\n\
         #[rustfmt::skip]\npub(crate) static GAMES: &[GameFacts] = &[\n",
    );
    for game in GAMES {
        let (info, dialogue) = (game.info(), game.dialogue());
        let fields = [
            ("slug", format!("{:?}", info.slug)),
            ("title", format!("{:?}", info.title)),
            ("contest", info.has_contest().to_string()),
            ("process_per_move", (info.process == Process::PerMove).to_string()),
            ("think_ms", ms(info.think).to_string()),
            ("move_limit_ms", format!("{:?}", info.move_limit.map(ms))),
            ("match_limit_ms", format!("{:?}", info.match_limit.map(ms))),
            ("longest_ms", format!("{:?}", limit(*game).map(usable).map(ms))),
            ("counts_processor_time", (dialogue.counts == CountedTime::Processor).to_string()),
            ("pass", format!("{:?}", dialogue.pass)),
        ];
        text.push_str("    GameFacts {\n");
        for (name, value) in fields {
            text.push_str(&format!("        {name}: {value},\n"));
        }
        text.push_str("        settings: &[\n");
        for setting in dialogue.settings {
            let (name, values) = (setting.name, setting.values.to_string());
            let (default, meaning) = (setting.default, setting.meaning);
            text.push_str("            SettingFacts {\n");
            for (field, value) in
                [("name", name), ("values", &values), ("default", default), ("meaning", meaning)]
            {
                text.push_str(&format!("                {field}: {value:?},\n"));
            }
            text.push_str("            },\n");
        }
        text.push_str("        ],\n    },\n");
    }
    text + "];\n"
}

#[test]
fn copied_facts_equal_the_registry() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/games/table.rs");
    if std::env::var_os("KIBITZ_RECORD").is_some() {
        std::fs::write(&path, table()).unwrap();
    }
    let copy = std::fs::read_to_string(&path).unwrap();
    assert_eq!(copy, table(), "write it again: KIBITZ_RECORD=1 cargo test -p kibitz-shim copied_facts");
}

/// The contest's limit as in the README's table.
fn limit_in_words(game: &dyn AnyGame) -> String {
    let seconds = |time: Duration| format!("{} s", time.as_secs_f64());
    let clock = if game.dialogue().counts == CountedTime::Processor { " of processor time" } else { "" };
    match (game.info().move_limit, game.info().match_limit) {
        (Some(limit), _) => format!("{}{clock} a move", seconds(limit)),
        (None, Some(limit)) => format!("{}{clock} for all moves of a match", seconds(limit)),
        (None, None) => "not known".to_owned(),
    }
}

#[test]
fn readme_has_every_setting_and_limit() {
    for game in GAMES {
        let info = game.info();
        let longest = limit(*game).map_or("none".to_owned(), |limit| format!("{} ms", ms(usable(limit))));
        let row =
            format!("| {} | {} ms | {} | {longest} |", info.title, ms(info.think), limit_in_words(*game));
        assert!(README.contains(&row) || !info.has_contest(), "the README lacks this row:\n{row}");
        for setting in game.dialogue().settings {
            let row = format!(
                "| {} | `{}` | {} | `{}` | {} |",
                info.title, setting.name, setting.values, setting.default, setting.meaning
            );
            assert!(README.contains(&row), "the README lacks this row:\n{row}");
        }
    }
}

#[test]
fn help_names_every_setting_and_limit_of_the_game() {
    let help = |args: &[&str]| {
        let output = command(Path::new(PROGRAM), args).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for game in GAMES {
        let (info, dialogue) = (game.info(), game.dialogue());
        let text = help(&[info.slug, "--help"]);
        let mut parts = vec![format!("{} ms a move without --think", ms(info.think))];
        assert_eq!(text.contains("Contest's limit"), info.has_contest(), "{text}");
        parts.extend(limit(*game).map(|limit| format!("{} ms", ms(limit))));
        parts.extend(limit(*game).map(|limit| format!("cut to {} ms", ms(usable(limit)))));
        parts.extend(dialogue.pass.map(|pass| format!("prints the pass, {pass},")));
        for setting in dialogue.settings {
            parts.push(format!("{}={}; default {}", setting.name, setting.values, setting.default));
            parts.push(setting.meaning.to_owned());
        }
        for part in parts {
            assert!(text.contains(&part), "{part:?} is not in\n{text}");
        }
    }
    let slugs: Vec<_> = GAMES.iter().map(|game| game.info().slug).collect();
    assert!(help(&["--help"]).contains(&format!("Games: {}\n", slugs.join(", "))));
}
