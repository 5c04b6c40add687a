//! Dialogues without faults.

use crate::referee::bot;
use crate::server::ScriptedServer;
use std::time::Duration;

#[test]
fn dialogue_sends_every_parameter() {
    let server = ScriptedServer::open();
    let url = format!("{}/base/", server.url());
    let args = [
        "azul", "--server", &url, "--think", "250", "--nodes", "9", "--seed", "7", "--level", "easy",
        "--option", "a b=1&2",
    ];
    let mut bot = bot(&args);
    let mut session = server.session();
    assert_eq!(session.path, "/base/v1/games/azul/stdio?think_ms=250&nodes=9&seed=7&level=easy&a%20b=1%262");
    bot.write("30000\n");
    session.expect_lines(&["< 30000"]);
    session.send("# thinking\n> 1 g 2");
    assert_eq!(bot.line(), "1 g 2");
    bot.write("29000\n");
    session.expect_lines(&["< 29000"]);
    session.send("> 2 b 1");
    session.send("> MELD_NEW [ 5♠ 6♠ 7♠ ]\n> DISCARD A♥");
    assert_eq!([bot.line(), bot.line(), bot.line()], ["2 b 1", "MELD_NEW [ 5♠ 6♠ 7♠ ]", "DISCARD A♥"]);
    session.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn only_given_parameters_are_sent() {
    let server = ScriptedServer::open();
    let bot = bot(&["ioiwari", "--server", &server.url()]);
    let session = server.session();
    assert_eq!(session.path, "/v1/games/ioiwari/stdio");
    session.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn lines_written_together_are_sent_in_one_message() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["azul", "--server", &server.url()]);
    let mut session = server.session();
    bot.write("30000\n1\nrestock\n0 0 1 1 2\n");
    assert_eq!(session.receive(), "< 30000\n< 1\n< restock\n< 0 0 1 1 2");
    session.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn line_written_in_pieces_is_one_line() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["buraco", "--server", &server.url()]);
    let mut session = server.session();
    for byte in "[ 6♠ 7♠ ]\r\n\n".as_bytes() {
        bot.write([*byte]);
        std::thread::sleep(Duration::from_millis(1));
    }
    session.expect_lines(&["< [ 6♠ 7♠ ]", "< "]);
    session.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn invalid_utf8_is_replaced() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["buraco", "--server", &server.url()]);
    let mut session = server.session();
    bot.write(b"p1.\xff\n");
    session.expect_lines(&["< p1.\u{fffd}"]);
    session.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn server_may_send_the_first_line() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["azul", "--server", &server.url()]);
    let mut session = server.session();
    session.send("> state");
    assert_eq!(bot.line(), "state");
    bot.write("30000\n");
    assert_eq!(session.receive(), "< 30000", "the server knows its own line");
    session.reset();
    // A server that does not know yet that the dialogue continues may repeat its opening.
    let mut session = server.session();
    session.send("> state");
    assert_eq!(session.receive(), "> state\n< 30000");
    session.send("> 1 g 2");
    assert_eq!(bot.line(), "1 g 2");
    session.close(1000, "");
    assert_eq!(bot.end().status, Some(0));
}

#[test]
fn host_name_is_looked_up() {
    let server = ScriptedServer::open();
    let url = format!("http://localhost:{}", server.address.port());
    let mut bot = bot(&["septica", "--server", &url]);
    bot.write("7 8 9 10\n");
    let mut session = server.session();
    session.expect_lines(&["< 7 8 9 10"]);
    session.send("> 7");
    assert_eq!(bot.line(), "7");
    session.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn kept_setting_is_sent_by_the_next_process() {
    let server = ScriptedServer::open();
    let memory = std::env::temp_dir().join(format!("kibitz-shim-test-{}", std::process::id()));
    let folder = memory.to_str().expect("a plain path");
    let args = ["g", "--option", "x=1", "--memory", folder, "--server", &server.url()];
    for query in ["x=1", "x=1&base=0"] {
        let mut bot = bot(&args);
        bot.write("1\n");
        let mut session = server.session();
        assert_eq!(session.path, format!("/v1/games/g/stdio?{query}"));
        session.expect_lines(&["< 1"]);
        session.send("# keep base=0\n# keep x=2\n> 7");
        assert_eq!(bot.line(), "7");
        session.close(1000, "");
        bot.end().expect(0, 0);
    }
    std::fs::remove_dir_all(memory).expect("it was written");
}
