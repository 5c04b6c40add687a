//! The best move so far, which a server sends while it thinks, and which is played if its answer does not come in time.

use crate::referee::bot;
use crate::server::ScriptedServer;

#[test]
fn best_move_so_far_is_played_when_its_time_has_come() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["buraco", "--server", &server.url()]);
    let mut session = server.session();
    bot.write("a b\na\n");
    session.expect_lines(&["< a b", "< a"]);
    session.send("# best 300 GET_STOCK");
    // A better one does not delay the answer.
    session.send("# best 3600000 GET_DISCARD [ 5♠ 6♠ ]");
    assert_eq!(bot.line(), "GET_DISCARD [ 5♠ 6♠ ]");
    bot.write("[ 4♠ ]\n");
    // The answer of the first session, if it still comes, is dropped.
    session.expect_disconnect();
    let mut session = server.session();
    let mut received = session.receive();
    if !received.ends_with("< [ 4♠ ]") {
        received = format!("{received}\n{}", session.receive());
    }
    assert_eq!(received, "< a b\n< a\n> GET_DISCARD [ 5♠ 6♠ ]\n< [ 4♠ ]");
    session.send("> DISCARD 4♠");
    assert_eq!(bot.line(), "DISCARD 4♠");
    session.close(1000, "");
    let end = bot.end();
    end.expect(0, 1);
    assert!(end.stderr.contains("its best move so far is played"), "{end:?}");
}

#[test]
fn answer_in_time_takes_the_place_of_the_best_move() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["buraco", "--server", &server.url()]);
    let mut session = server.session();
    bot.write("a\n");
    session.expect_lines(&["< a"]);
    // Remarks of another form are for people.
    session
        .send("# best\n# best 1\n# best x GET_STOCK\n# best 1  \n# best -1 GET_STOCK\n# best 99999999999 x");
    bot.assert_silent();
    session.send("# best 400 GET_STOCK\n> DISCARD 5♠");
    assert_eq!(bot.line(), "DISCARD 5♠");
    session.answer_pings_for(std::time::Duration::from_millis(600));
    bot.assert_silent();
    session.close(1000, "");
    bot.end().expect(0, 0);
}
