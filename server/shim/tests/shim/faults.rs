//! Servers that are unreachable, crash, hang or refuse, and dialogues that cannot continue.

use crate::referee::bot;
use crate::server::ScriptedServer;
use std::time::{Duration, Instant};

#[test]
fn server_that_starts_later_is_found() {
    let server = ScriptedServer::open_on_own_address();
    let (url, address) = (server.url(), server.address);
    drop(server);
    let mut bot = bot(&["ioiwari", "--server", &url]);
    bot.write("4 3 2 4 2 3 2\n");
    std::thread::sleep(Duration::from_millis(300));
    let server = ScriptedServer::open_at(address);
    let mut session = server.session();
    assert_eq!(session.receive(), "< 4 3 2 4 2 3 2");
    session.send("> 2");
    assert_eq!(bot.line(), "2");
    session.close(1000, "");
    let end = bot.end();
    end.expect(0, 2);
    assert!(end.stderr.contains("is away (connection refused)") && end.stderr.contains("is back"), "{end:?}");
}

#[test]
fn restarted_server_gets_the_whole_transcript() {
    let server = ScriptedServer::open_on_own_address();
    let (url, address) = (server.url(), server.address);
    let mut bot = bot(&["buraco", "--server", &url]);
    let mut session = server.session();
    bot.write("a b\na\n");
    session.expect_lines(&["< a b", "< a"]);
    session.send("> GET_STOCK");
    assert_eq!(bot.line(), "GET_STOCK");
    bot.write("5♠\n");
    session.expect_lines(&["< 5♠"]);
    drop(server);
    session.reset();
    // Written while there is no server.
    bot.write("b\n");
    std::thread::sleep(Duration::from_millis(100));
    let server = ScriptedServer::open_at(address);
    let mut session = server.session();
    assert_eq!(session.receive(), "< a b\n< a\n> GET_STOCK\n< 5♠\n< b");
    bot.assert_silent();
    session.send("> DISCARD 5♠");
    assert_eq!(bot.line(), "DISCARD 5♠");
    session.reset();
    // The same again, with the end of input in between.
    bot.end_input();
    let mut session = server.session();
    let mut received = session.receive();
    if !received.ends_with("\n.") {
        received = format!("{received}\n{}", session.receive());
    }
    assert_eq!(received, "< a b\n< a\n> GET_STOCK\n< 5♠\n< b\n> DISCARD 5♠\n.");
    session.close(1000, "");
    assert_eq!(bot.end().status, Some(0));
}

#[test]
fn every_temporary_close_code_leads_to_a_reconnect() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    bot.write("4 3 2 4 2 3 2\n");
    for code in [1001, 1011, 1012, 1013] {
        let mut session = server.session();
        assert_eq!(session.receive(), "< 4 3 2 4 2 3 2");
        session.close(code, "soon");
    }
    let mut session = server.session();
    session.expect_lines(&["< 4 3 2 4 2 3 2"]);
    session.send("> 2");
    assert_eq!(bot.line(), "2");
    session.close(1000, "");
    // There are two notes for any number of attempts.
    bot.end().expect(0, 2);
}

#[test]
fn hanging_server_is_disconnected() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    bot.write("4 3 2 4 2 3 2\n");
    let mut hanging = server.session();
    hanging.expect_lines(&["< 4 3 2 4 2 3 2"]);
    // It reads no more, so it does not answer pings.
    let mut session = server.session();
    assert_eq!(session.receive(), "< 4 3 2 4 2 3 2");
    session.send("> 2");
    assert_eq!(bot.line(), "2");
    session.close(1000, "");
    hanging.expect_disconnect();
    bot.end().expect(0, 2);
}

#[test]
fn thinking_server_stays_connected() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    bot.write("4 3 2 4 2 3 2\n");
    let mut session = server.session();
    session.expect_lines(&["< 4 3 2 4 2 3 2"]);
    session.answer_pings_for(Duration::from_secs(4));
    session.send("> 2");
    assert_eq!(bot.line(), "2");
    session.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn server_without_handshake_is_disconnected() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    bot.write("4 3 2 4 2 3 2\n");
    let _hanging = server.tcp();
    let mut session = server.session();
    session.expect_lines(&["< 4 3 2 4 2 3 2"]);
    session.send("> 2");
    assert_eq!(bot.line(), "2");
    session.close(1000, "");
    bot.end().expect(0, 2);
}

#[test]
fn busy_server_is_asked_again_after_retry_after() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    bot.write("4 3 2 4 2 3 2\n");
    let body = r#"{"title":"busy","detail":"all 64 places are taken"}"#;
    let start = Instant::now();
    server.refuse("503 Service Unavailable", "Retry-After: 1\r\n", body);
    let mut session = server.session();
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
    session.expect_lines(&["< 4 3 2 4 2 3 2"]);
    session.send("> 2");
    assert_eq!(bot.line(), "2");
    session.close(1000, "");
    let end = bot.end();
    end.expect(0, 2);
    assert!(end.stderr.contains("503: all 64 places are taken"), "{end:?}");
}

#[test]
fn permanent_refusal_is_shown_and_ends_the_program() {
    for (status, detail) in
        [("404 Not Found", "there is no game chess"), ("400 Bad Request", "level 50% is none")]
    {
        let server = ScriptedServer::open();
        let mut bot = bot(&["chess", "--server", &server.url()]);
        bot.write("1\n");
        let body = format!(r#"{{"type":"about:blank","detail":"{detail}"}}"#);
        server.refuse(status, "Content-Type: application/problem+json\r\n", &body);
        let end = bot.end();
        end.expect(2, 1);
        assert!(end.stderr.contains(&detail.replace('%', "_")), "{end:?}");
    }
}

#[test]
fn contradictory_dialogue_ends_the_program() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["azul", "--server", &server.url()]);
    bot.write("nonsense\n");
    let mut session = server.session();
    session.expect_lines(&["< nonsense"]);
    session.close(4400, "line 1: the milliseconds left are no number");
    let end = bot.end();
    end.expect(1, 1);
    assert!(end.stderr.contains("milliseconds"), "{end:?}");
}

#[test]
fn warning_of_the_server_is_shown_without_verbose() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["azul", "--server", &server.url()]);
    bot.write("nonsense\n");
    let mut session = server.session();
    session.expect_lines(&["< nonsense"]);
    session.send(
        "# another remark\n# warning entry 1 of the dialogue: 50% of it is nonsense; going on\n> state",
    );
    assert_eq!(bot.line(), "state");
    bot.signal(rustix::process::Signal::INT);
    let end = bot.end();
    assert_eq!(end.status, Some(0));
    assert!(end.stderr.contains("entry 1 of the dialogue: 50_ of it is nonsense"), "{end:?}");
    assert!(!end.stderr.contains("another remark"), "{end:?}");
}

#[test]
fn too_long_line_ends_the_program() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["azul", "--server", &server.url()]);
    let _visit = server.session();
    bot.write([b'x'; 64 * 1024 + 1]);
    let end = bot.end();
    end.expect(1, 1);
    assert!(end.stderr.contains("65536"), "{end:?}");
}

#[test]
fn long_transcript_reaches_a_slow_server_completely() {
    let server = ScriptedServer::open_on_own_address();
    let (url, address) = (server.url(), server.address);
    drop(server);
    let mut bot = bot(&["septica", "--server", &url]);
    // More than the buffers of a socket.
    let line = "7".repeat(1000);
    let lines = 6000;
    bot.write(format!("{line}\n").repeat(lines));
    let server = ScriptedServer::open_at(address);
    let mut session = server.session();
    std::thread::sleep(Duration::from_millis(200));
    let (mut received, mut messages) = (0, 0);
    while received < lines {
        let message = session.receive();
        assert!(message.lines().all(|received| received.strip_prefix("< ") == Some(&line)));
        received += message.lines().count();
        messages += 1;
    }
    assert_eq!(received, lines);
    assert!(messages < lines, "lines that wait travel together");
    session.send("> 7");
    assert_eq!(bot.line(), "7");
    session.close(1000, "");
    assert_eq!(bot.end().status, Some(0));
}

#[test]
fn remarks_are_shown_if_verbose_and_limited() {
    for (verbose, least) in [(true, 100), (false, 0)] {
        let server = ScriptedServer::open();
        let url = server.url();
        let args = ["azul", "--server", &url, "--verbose"];
        let bot = bot(if verbose { &args } else { &args[..3] });
        let mut session = server.session();
        session.send(&"# 50% of the nodes\n".repeat(500));
        session.close(1000, "");
        let end = bot.end();
        assert!((least..=1000).contains(&end.stderr.len()), "{}", end.stderr);
    }
}
