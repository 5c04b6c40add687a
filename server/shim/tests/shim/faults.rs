//! Servers that are absent, die, hang, refuse, and dialogues that cannot go on.

use crate::referee::bot;
use crate::server::TestServer;
use std::time::{Duration, Instant};

#[test]
fn a_server_that_starts_later() {
    let server = TestServer::open_alone();
    let (url, address) = (server.url(), server.address);
    drop(server);
    let mut bot = bot(&["ioiwari", "--server", &url]);
    bot.write("4 3 2 4 2 3 2\n");
    std::thread::sleep(Duration::from_millis(300));
    let server = TestServer::open_at(address);
    let mut session = server.session();
    assert_eq!(session.hear(), "< 4 3 2 4 2 3 2");
    session.say("> 2");
    assert_eq!(bot.line(), "2");
    session.close(1000, "");
    let end = bot.end();
    end.expect(0, 2);
    assert!(end.stderr.contains("is away (connection refused)") && end.stderr.contains("is back"), "{end:?}");
}

#[test]
fn a_server_that_dies_is_told_everything_again() {
    let server = TestServer::open_alone();
    let (url, address) = (server.url(), server.address);
    let mut bot = bot(&["buraco", "--server", &url]);
    let mut session = server.session();
    bot.write("a b\na\n");
    session.hear_lines(&["< a b", "< a"]);
    session.say("> GET_STOCK");
    assert_eq!(bot.line(), "GET_STOCK");
    bot.write("5♠\n");
    session.hear_lines(&["< 5♠"]);
    drop(server);
    session.reset();
    // Written while nobody is there.
    bot.write("b\n");
    std::thread::sleep(Duration::from_millis(100));
    let server = TestServer::open_at(address);
    let mut session = server.session();
    assert_eq!(session.hear(), "< a b\n< a\n> GET_STOCK\n< 5♠\n< b");
    bot.assert_silent();
    session.say("> DISCARD 5♠");
    assert_eq!(bot.line(), "DISCARD 5♠");
    session.reset();
    // And once more, with the end of input in between.
    bot.end_input();
    let mut session = server.session();
    let mut heard = session.hear();
    if !heard.ends_with("\n.") {
        heard = format!("{heard}\n{}", session.hear());
    }
    assert_eq!(heard, "< a b\n< a\n> GET_STOCK\n< 5♠\n< b\n> DISCARD 5♠\n.");
    session.close(1000, "");
    assert_eq!(bot.end().status, Some(0));
}

#[test]
fn a_server_may_leave_and_come_back_by_every_code() {
    let server = TestServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    bot.write("4 3 2 4 2 3 2\n");
    for code in [1001, 1011, 1012, 1013] {
        let mut session = server.session();
        assert_eq!(session.hear(), "< 4 3 2 4 2 3 2");
        session.close(code, "soon");
    }
    let mut session = server.session();
    session.hear_lines(&["< 4 3 2 4 2 3 2"]);
    session.say("> 2");
    assert_eq!(bot.line(), "2");
    session.close(1000, "");
    // One incident, however often it was tried.
    bot.end().expect(0, 2);
}

#[test]
fn a_server_that_hangs_is_left() {
    let server = TestServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    bot.write("4 3 2 4 2 3 2\n");
    let mut hanging = server.session();
    hanging.hear_lines(&["< 4 3 2 4 2 3 2"]);
    // It does not read any more, so it does not answer pings.
    let mut session = server.session();
    assert_eq!(session.hear(), "< 4 3 2 4 2 3 2");
    session.say("> 2");
    assert_eq!(bot.line(), "2");
    session.close(1000, "");
    hanging.hung_up();
    bot.end().expect(0, 2);
}

#[test]
fn a_server_that_thinks_is_not_left() {
    let server = TestServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    bot.write("4 3 2 4 2 3 2\n");
    let mut session = server.session();
    session.hear_lines(&["< 4 3 2 4 2 3 2"]);
    session.answer_pings_for(Duration::from_secs(4));
    session.say("> 2");
    assert_eq!(bot.line(), "2");
    session.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn a_server_that_never_completes_the_handshake_is_left() {
    let server = TestServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    bot.write("4 3 2 4 2 3 2\n");
    let _hanging = server.tcp();
    let mut session = server.session();
    session.hear_lines(&["< 4 3 2 4 2 3 2"]);
    session.say("> 2");
    assert_eq!(bot.line(), "2");
    session.close(1000, "");
    bot.end().expect(0, 2);
}

#[test]
fn a_busy_server_is_asked_again_when_it_says() {
    let server = TestServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    bot.write("4 3 2 4 2 3 2\n");
    let body = r#"{"title":"busy","detail":"all 64 places are taken"}"#;
    let start = Instant::now();
    server.refuse("503 Service Unavailable", "Retry-After: 1\r\n", body);
    let mut session = server.session();
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
    session.hear_lines(&["< 4 3 2 4 2 3 2"]);
    session.say("> 2");
    assert_eq!(bot.line(), "2");
    session.close(1000, "");
    let end = bot.end();
    end.expect(0, 2);
    assert!(end.stderr.contains("503: all 64 places are taken"), "{end:?}");
}

#[test]
fn what_is_wrong_for_good_is_said_and_ends_it() {
    for (status, detail) in
        [("404 Not Found", "there is no game chess"), ("400 Bad Request", "level 50% is none")]
    {
        let server = TestServer::open();
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
fn a_dialogue_that_contradicts_the_protocol_ends_it() {
    let server = TestServer::open();
    let mut bot = bot(&["azul", "--server", &server.url()]);
    bot.write("nonsense\n");
    let mut session = server.session();
    session.hear_lines(&["< nonsense"]);
    session.close(4400, "line 1: the milliseconds left are no number");
    let end = bot.end();
    end.expect(1, 1);
    assert!(end.stderr.contains("milliseconds"), "{end:?}");
}

#[test]
fn a_warning_of_the_server_is_shown_without_being_asked_for() {
    let server = TestServer::open();
    let mut bot = bot(&["azul", "--server", &server.url()]);
    bot.write("nonsense\n");
    let mut session = server.session();
    session.hear_lines(&["< nonsense"]);
    session
        .say("# another remark\n# warning entry 1 of the dialogue: 50% of it is nonsense; going on\n> state");
    assert_eq!(bot.line(), "state");
    bot.signal(rustix::process::Signal::INT);
    let end = bot.end();
    assert_eq!(end.status, Some(0));
    assert!(end.stderr.contains("entry 1 of the dialogue: 50_ of it is nonsense"), "{end:?}");
    assert!(!end.stderr.contains("another remark"), "{end:?}");
}

#[test]
fn an_endless_line_ends_it() {
    let server = TestServer::open();
    let mut bot = bot(&["azul", "--server", &server.url()]);
    let _visit = server.session();
    bot.write([b'x'; 64 * 1024 + 1]);
    let end = bot.end();
    end.expect(1, 1);
    assert!(end.stderr.contains("65536"), "{end:?}");
}

#[test]
fn a_long_transcript_reaches_a_slow_server_whole() {
    let server = TestServer::open_alone();
    let (url, address) = (server.url(), server.address);
    drop(server);
    let mut bot = bot(&["septica", "--server", &url]);
    // More than any socket's buffers take at once.
    let line = "7".repeat(1000);
    let lines = 6000;
    bot.write(format!("{line}\n").repeat(lines));
    let server = TestServer::open_at(address);
    let mut session = server.session();
    std::thread::sleep(Duration::from_millis(200));
    let (mut heard, mut messages) = (0, 0);
    while heard < lines {
        let message = session.hear();
        assert!(message.lines().all(|heard| heard.strip_prefix("< ") == Some(&line)));
        heard += message.lines().count();
        messages += 1;
    }
    assert_eq!(heard, lines);
    assert!(messages < lines, "lines that wait travel together");
    session.say("> 7");
    assert_eq!(bot.line(), "7");
    session.close(1000, "");
    assert_eq!(bot.end().status, Some(0));
}

#[test]
fn remarks_are_shown_on_demand_and_rationed() {
    for (verbose, least) in [(true, 100), (false, 0)] {
        let server = TestServer::open();
        let url = server.url();
        let args = ["azul", "--server", &url, "--verbose"];
        let bot = bot(if verbose { &args } else { &args[..3] });
        let mut session = server.session();
        session.say(&"# 50% of the nodes\n".repeat(500));
        session.close(1000, "");
        let end = bot.end();
        assert!((least..=1000).contains(&end.stderr.len()), "{}", end.stderr);
    }
}
