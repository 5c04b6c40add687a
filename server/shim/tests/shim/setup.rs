//! How the program gets its options.

use crate::referee::{PROGRAM, ShimProcess, command};
use crate::server::ScriptedServer;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn played(mut command: Command, server: &ScriptedServer) -> String {
    command.env("KIBITZ_SERVER", server.url());
    let bot = ShimProcess::start(command);
    let session = server.session();
    let path = session.path.clone();
    session.close(1000, "");
    bot.end().expect(0, 0);
    path
}

/// The program under another name. A link: a copy could not always start ("Text file busy"), because a process that
/// another test forks meanwhile holds the copy open for writing.
fn renamed(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // A file that an earlier run has left may be of another build.
    let _ = std::fs::remove_file(&path);
    std::fs::hard_link(PROGRAM, &path).expect("the program can be linked");
    path
}

fn output(command: &mut Command) -> Output {
    command.output().expect("the program starts")
}

#[test]
fn environment_chooses_the_game() {
    let server = ScriptedServer::open();
    let mut command = command(Path::new(PROGRAM), &[]);
    command.env("KIBITZ_GAME", "buraco").env("KIBITZ_THINK_MS", "90").env("KIBITZ_OPTIONS", "base=1");
    assert_eq!(played(command, &server), "/v1/games/buraco/stdio?think_ms=90&base=1");
}

#[test]
fn file_name_chooses_the_game() {
    // A program built with a game ignores its file name.
    if option_env!("KIBITZ_GAME").is_some_and(|game| !game.is_empty()) {
        return;
    }
    let server = ScriptedServer::open();
    assert_eq!(played(command(&renamed("kibitz-azul"), &[]), &server), "/v1/games/azul/stdio");
    let mut other = command(&renamed("kibitz-azul"), &["buraco"]);
    assert_eq!(played(std::mem::replace(&mut other, Command::new("")), &server), "/v1/games/buraco/stdio");
}

#[test]
fn wrong_use_gives_one_sentence_and_status_2() {
    let no_server: &[&str] = &["azul", "--server", "nowhere"];
    for args in [
        no_server,
        &["azul", "--think", "x"],
        &["splendor", "--think", "x"],
        &["azul", "--what"],
        &["azul", "more"],
    ] {
        let output = output(&mut command(Path::new(PROGRAM), args));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{stderr}");
        assert!(stderr.starts_with("kibitz shim: ") && stderr.lines().count() == 1, "{stderr}");
    }
}

#[test]
fn help_and_version_are_printed() {
    let help = output(&mut command(Path::new(PROGRAM), &["--help"]));
    let version = output(&mut command(Path::new(PROGRAM), &["-V"]));
    assert!(help.status.success() && String::from_utf8(help.stdout).unwrap().contains("KIBITZ_SERVER"));
    assert_eq!(
        String::from_utf8(version.stdout).unwrap(),
        format!("kibitz-shim {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[cfg(not(feature = "tls"))]
#[test]
fn build_without_tls_refuses_https() {
    let output = output(&mut command(Path::new(PROGRAM), &["azul", "--server", "https://localhost"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("no TLS"));
}

#[test]
fn build_without_engines_refuses_offline() {
    let mut command = command(Path::new(PROGRAM), &["ioiwari", "--offline"]);
    let output = output(&mut command);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--features embedded"), "{output:?}");
}

#[test]
fn unknown_game_lists_the_games_offline_too() {
    let output = output(&mut command(Path::new(PROGRAM), &["chess", "--offline"]));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    let mut games: Vec<_> = engines::games::GAMES.iter().map(|game| game.info().slug).collect();
    games.sort_unstable();
    assert!(stderr.contains(&games.join(", ")), "{stderr}");
}

#[test]
fn program_named_after_its_build_has_no_game() {
    if option_env!("KIBITZ_GAME").is_some_and(|game| !game.is_empty()) {
        return;
    }
    let output = output(&mut command(&renamed("kibitz-shim-embedded"), &[]));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("no game chosen"), "{stderr}");
}
