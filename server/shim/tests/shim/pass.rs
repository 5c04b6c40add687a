//! The pass for a referee that counts silence as a crash: printed after every failure, and never as a second answer.

use crate::referee::{PROGRAM, ShimExit, ShimProcess, bot, command};
use crate::server::{ScriptedServer, TestSession};
use rustix::process::Signal;
use std::path::{Path, PathBuf};

/// The program after a referee has written the beginning of a position and ended the input.
fn asked(args: &[&str], server: &str) -> ShimProcess {
    let mut bot = bot(&[&["splendor", "--server", server], args].concat());
    bot.write("2 1\n1\n");
    bot.end_input();
    bot
}

/// Asserts the pass, status 0, and a note that says why.
fn assert_passed(end: &ShimExit, why: &str) {
    assert_eq!((end.status, end.stdout.as_slice()), (Some(0), ["1 0".to_owned()].as_slice()), "{end:?}");
    assert!(end.stderr.contains(why), "{end:?}");
}

#[test]
fn unreachable_server_gives_a_pass() {
    let server = ScriptedServer::open_on_own_address();
    let url = server.url();
    drop(server);
    assert_passed(&asked(&["--patience", "300ms"], &url).end(), "out of reach");
}

#[test]
fn every_refusal_of_a_server_gives_a_pass() {
    let server = ScriptedServer::open();
    let bot = asked(&[], &server.url());
    server.refuse("400 Bad Request", "", r#"{"detail":"no such setting"}"#);
    assert_passed(&bot.end(), "no such setting");
    for (code, reason) in [(4400, "number 3 is not one"), (4413, "too much"), (1000, "")] {
        let bot = asked(&[], &server.url());
        let mut session = server.session();
        session.expect_lines(&["< 2 1", "< 1", "."]);
        session.close(code, reason);
        assert_passed(&bot.end(), if reason.is_empty() { "without an answer" } else { reason });
    }
}

#[test]
fn server_without_answer_gives_a_pass() {
    let server = ScriptedServer::open();
    let bot = asked(&["--think", "100ms", "--patience", "100"], &server.url());
    let mut session = server.session();
    session.expect_lines(&["< 2 1", "< 1", "."]);
    // The server stays connected; the program waits for three times the thinking time.
    assert_passed(&bot.end(), "no answer");
}

#[test]
fn unreadable_input_gives_a_pass() {
    let server = ScriptedServer::open();
    let mut long = bot(&["splendor", "--server", &server.url()]);
    let _visit = server.session();
    long.write([b'1'; 64 * 1024 + 1]);
    assert_passed(&long.end(), "65536");
    let missing = ["splendor", "--server", &server.url().replace("http", "https"), "--ca", "/no/such/file"];
    assert_passed(&bot(&missing).end(), "passed with 1 0");
}

#[test]
fn printed_answer_is_not_followed_by_a_pass() {
    let server = ScriptedServer::open();
    let answered = |session: &mut TestSession, bot: &ShimProcess| {
        session.expect_lines(&["< 2 1", "< 1", "."]);
        session.send("> 1 3 0 1 2");
        assert_eq!(bot.line(), "1 3 0 1 2");
    };
    let bot = asked(&[], &server.url());
    let mut session = server.session();
    answered(&mut session, &bot);
    session.close(4400, "on second thoughts");
    bot.end().expect(1, 1);
    let bot = asked(&[], &server.url());
    let mut session = server.session();
    answered(&mut session, &bot);
    session.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn stopped_program_prints_no_pass() {
    let server = ScriptedServer::open();
    let bot = asked(&[], &server.url());
    let mut session = server.session();
    session.expect_lines(&["< 2 1", "< 1", "."]);
    bot.signal(Signal::INT);
    bot.end().expect(0, 0);
}

#[test]
fn game_without_a_pass_ends_with_status_1() {
    let server = ScriptedServer::open_on_own_address();
    let url = server.url();
    drop(server);
    let mut bot = bot(&["buraco", "--server", &url, "--patience", "300"]);
    bot.write("p1 p2\n");
    bot.end_input();
    let end = bot.end();
    end.expect(1, 2);
    assert!(end.stderr.contains("out of reach"), "{end:?}");
}

#[test]
fn cut_thinking_time_is_noted_once_and_sent() {
    let server = ScriptedServer::open();
    let bot = bot(&["splendor", "--server", &server.url(), "--think", "40000", "--verbose"]);
    let mut session = server.session();
    assert_eq!(session.path, "/v1/games/splendor/stdio?think_ms=9500&candidates=0");
    session.send("# splendor 5: 1 0, value 0.500, 12 nodes, depth 3, 2 ms\n> 1 0");
    assert_eq!(bot.line(), "1 0");
    session.close(1000, "");
    let end = bot.end();
    end.expect(0, 2);
    assert_eq!(end.stderr.matches("cut from 40000 to 9500 ms").count(), 1, "{end:?}");
    assert!(end.stderr.contains("value 0.500, 12 nodes, depth 3"), "{end:?}");
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It exists only after an earlier run.
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the folder can be made");
    path
}

#[test]
fn memory_is_in_the_users_cache_and_not_in_the_working_folder() {
    let (home, work) = (folder("memory-home"), folder("memory-work"));
    let server = ScriptedServer::open();
    for (home, query) in [
        (home.clone(), ""),
        (home.clone(), "?base_before=0"),
        // The program ignores a home that cannot be written to.
        ("/proc/no-such-home".into(), ""),
    ] {
        let mut command = command(Path::new(PROGRAM), &["splendor", "--server", &server.url()]);
        let mut bot = ShimProcess::start(std::mem::replace(
            command.env("HOME", &home).current_dir(&work),
            std::process::Command::new(""),
        ));
        bot.write("1\n");
        let mut session = server.session();
        assert_eq!(session.path, format!("/v1/games/splendor/stdio{query}"), "{}", home.display());
        // If the answer arrived before the referee's line was read, a second answer would be due.
        session.expect_lines(&["< 1"]);
        session.send("# keep base_before=0\n> 1 0");
        assert_eq!(bot.line(), "1 0");
        session.close(1000, "");
        bot.end().expect(0, 0);
    }
    assert_eq!(std::fs::read_dir(&work).expect("the folder is there").count(), 0);
    let files = std::fs::read_dir(home.join(".cache/kibitz-shim/splendor")).expect("the folder is there");
    let kept: Vec<String> =
        files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    assert_eq!(kept.first(), Some(&format!("# server {}\nbase_before=0\n", server.url())));
}
