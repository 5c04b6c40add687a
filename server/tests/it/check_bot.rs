//! `kibitz check-bot` as authors of bots run it: the real program, with real bots.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use engines::games;

use crate::join::environment::JoinServer;

/// Checks a bot for the game; returns the exit code and the report.
fn check(game: &str, options: &[&str], bot: &[String]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
    command.args(["check-bot", game]).args(options).arg("--").args(bot).stdin(Stdio::null());
    let Output { status, stdout, .. } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap())
}

/// The bot of the engines' tests with this fault.
fn sower(vice: &str) -> Vec<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engines/tests/bots/sower.sh");
    ["sh", script.to_str().unwrap(), vice].map(str::to_owned).to_vec()
}

#[test]
fn report_names_the_faults_of_a_bot_and_what_it_had_read() {
    let hopeless = "Every move of the bot was a mistake, so no more matches were played.";
    for (vice, says) in [
        // Every move of it is a mistake: more matches would say nothing.
        ("dies", &["matches: 2, 2 moves", "crashes: 2", "exit status: 3", "| no thanks", hopeless][..]),
        (
            "cheats",
            &[
                "illegal moves: 6",
                "not a legal move here: ",
                " is empty",
                "the moves of the match: ",
                "it had read",
            ],
        ),
        ("garbage", &["matches: 2, 2 moves", "lines that the dialogue does not allow: 2", "what?", hopeless]),
        ("late", &["moves that came too late, or not at all: "]),
    ] {
        let (code, report) = check("ioiwari", &["--move-limit", "2s"], &sower(vice));
        assert_eq!(code, Some(1), "{vice}: {report}");
        for text in says.iter().chain(&["The bot is not ready"]) {
            assert!(report.contains(text), "{vice} lacks {text:?}: {report}");
        }
    }
    let (code, report) = check("ioiwari", &["-n", "2"], &sower("chatters"));
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("| line 19999 of a long complaint"), "{report}");
    assert!(report.contains("2 seats: in seat 0") && report.contains("matches: 2"), "{report}");
    assert!(report.contains("ready: kibitz-shim play SERVER --game ioiwari -- sh"), "{report}");
    assert!(report.contains("mirror dialogue: the bot does not know it"), "{report}");
    #[cfg(target_os = "linux")]
    assert!(report.contains("MiB at most"), "{report}");
    let (code, report) = check("ioiwari", &[], &["./no-such-program".to_owned()]);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("cannot be started"), "{report}");
    assert_eq!(check("chess", &[], &sower("honest")).0, Some(2));
}

/// The program finds by itself that the bot knows only the version of the referee that counts from 0.
#[test]
fn settings_that_a_bot_needs_are_found() {
    let place = JoinServer::open("check-bot");
    let mut bot = place.player(games::find("splendor").unwrap(), 1);
    let (code, report) = check("splendor", &[], &bot);
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("settings of the dialogue: the defaults"), "{report}");
    assert!(report.contains("4 seats: in seat 0, 1, 2, 3"), "{report}");
    bot.extend(["--option", "base=0"].map(str::to_owned));
    let (code, report) = check("splendor", &[], &bot);
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("settings of the dialogue: base=0; with the defaults, "), "{report}");
    assert!(report.contains("--game splendor --referee base=0 -- "), "{report}");
    let (code, report) = check("splendor", &["--referee", "base=1"], &bot);
    assert_eq!(code, Some(1), "{report}");
}

/// The engines themselves are bots without faults in every game.
#[test]
fn programs_of_all_games_pass() {
    let place = JoinServer::open("check-bot-games");
    for game in games::GAMES {
        let slug = game.info().slug;
        let (code, report) = check(slug, &[], &place.player(*game, 1));
        assert_eq!(code, Some(0), "{report}");
        assert!(report.contains("it wrote nothing"), "{report}");
        // They know the mirror dialogue, where there is one.
        let has_mirror = !game.info().mirror_seats.is_empty();
        for text in ["mirror dialogue: the bot knows it", "--referee mirror=yes"] {
            assert_eq!(report.contains(text), has_mirror, "{report}");
        }
    }
}

/// A program for the sandbox is checked as an uploaded one is.
#[test]
fn program_for_the_sandbox_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/ioiwari.c");
    let program = crate::programs::compiled(folder.path(), &source).to_str().unwrap().to_owned();
    let (code, report) = check("ioiwari", &["-n", "2"], &[format!("wasm:{program}")]);
    assert_eq!(code, Some(0), "{report}");
    let ready =
        format!("ready: kibitz-shim upload SERVER --token-file FILE --bot NAME --game ioiwari {program}");
    assert!(report.contains(&ready) && !report.contains("memory"), "{report}");
    let (code, report) = check("ioiwari", &[], &["wasm:no-such-file".to_owned()]);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("There was no match: no-such-file"), "{report}");
}
