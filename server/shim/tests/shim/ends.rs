//! Every way in which a dialogue ends.

use crate::referee::{PROGRAM, ShimProcess, bot, command};
use crate::server::ScriptedServer;
use rustix::process::Signal;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

#[test]
fn program_waits_for_the_answer_after_the_end_of_input() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["splendor", "--server", &server.url()]);
    bot.write("2 1\r\n1\r\n4 4 4");
    bot.end_input();
    let mut session = server.session();
    session.expect_lines(&["< 2 1", "< 1", "< 4 4 4", "."]);
    bot.assert_silent();
    session.send("> 1 3 0 1 2");
    assert_eq!(bot.line(), "1 3 0 1 2");
    session.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn input_may_be_a_file() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("input_may_be_a_file.txt");
    File::create(&path).unwrap().write_all(b"2 1\n1\n").unwrap();
    let server = ScriptedServer::open();
    let mut command = command(Path::new(PROGRAM), &["splendor", "--server", &server.url()]);
    let child = command
        .stdin(File::open(&path).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut session = server.session();
    session.expect_lines(&["< 2 1", "< 1", "."]);
    session.send("> 1 0");
    session.close(1000, "");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(0), b"1 0\n".to_vec(), vec![]));
}

#[test]
fn server_that_keeps_refusing_counts_as_unreachable() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["buraco", "--server", &server.url(), "--patience", "2000"]);
    bot.write("p1 p2\n");
    bot.end_input();
    server.refuse("503 Service Unavailable", "Retry-After: 9\r\n", "");
    bot.end().expect(1, 2);
}

#[test]
fn signals_end_the_program_with_status_0() {
    for signal in [Signal::INT, Signal::TERM] {
        let server = ScriptedServer::open();
        let mut bot = bot(&["buraco", "--server", &server.url()]);
        bot.write("p1 p2\n");
        let mut session = server.session();
        session.expect_lines(&["< p1 p2"]);
        bot.signal(signal);
        bot.end().expect(0, 0);
        session.expect_disconnect();
    }
}

#[test]
fn signals_end_the_program_while_the_server_is_away() {
    let server = ScriptedServer::open_on_own_address();
    let bot = bot(&["buraco", "--server", &server.url()]);
    server.session().close(1012, "restart");
    let address = server.address;
    drop(server);
    let server = ScriptedServer::open_at(address);
    server.refuse("503 Service Unavailable", "", "");
    drop(server);
    bot.signal(Signal::INT);
    bot.end().expect(0, 1);
}

#[test]
fn closed_standard_output_ends_the_program() {
    for asked in [false, true] {
        let server = ScriptedServer::open();
        let (bot, stdout) = ShimProcess::start_without_reader(command(
            Path::new(PROGRAM),
            &["azul", "--server", &server.url()],
        ));
        let mut session = server.session();
        drop(stdout);
        if asked {
            // The program may have exited already.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| session.send("> state")));
        }
        bot.end().expect(0, 0);
        session.expect_disconnect();
    }
}

#[test]
fn answer_and_close_may_arrive_together() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    bot.write("4 3 2 4 2 3 2\n");
    let mut session = server.session();
    session.expect_lines(&["< 4 3 2 4 2 3 2"]);
    session.send("> 2");
    session.close(1000, "over");
    let end = bot.end();
    assert_eq!((end.status, end.stdout, end.stderr.as_str()), (Some(0), vec!["2".to_owned()], ""));
}
