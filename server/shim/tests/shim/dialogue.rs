//! Lines in, lines out, when nothing goes wrong.

use crate::referee::bot;
use crate::server::House;
use std::time::Duration;

#[test]
fn a_dialogue_with_every_parameter() {
    let house = House::open();
    let url = format!("{}/base/", house.url());
    let args = [
        "azul", "--server", &url, "--think", "250", "--nodes", "9", "--seed", "7", "--level", "easy",
        "--option", "a b=1&2",
    ];
    let mut bot = bot(&args);
    let mut visit = house.visit();
    assert_eq!(visit.path, "/base/v1/games/azul/stdio?think_ms=250&nodes=9&seed=7&level=easy&a%20b=1%262");
    bot.write("30000\n");
    visit.hear_lines(&["< 30000"]);
    visit.say("# thinking\n> 1 g 2");
    assert_eq!(bot.line(), "1 g 2");
    bot.write("29000\n");
    visit.hear_lines(&["< 29000"]);
    visit.say("> 2 b 1");
    visit.say("> MELD_NEW [ 5♠ 6♠ 7♠ ]\n> DISCARD A♥");
    assert_eq!([bot.line(), bot.line(), bot.line()], ["2 b 1", "MELD_NEW [ 5♠ 6♠ 7♠ ]", "DISCARD A♥"]);
    visit.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn only_what_was_given_is_sent() {
    let house = House::open();
    let bot = bot(&["ioiwari", "--server", &house.url()]);
    let visit = house.visit();
    assert_eq!(visit.path, "/v1/games/ioiwari/stdio");
    visit.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn lines_written_together_travel_together() {
    let house = House::open();
    let mut bot = bot(&["azul", "--server", &house.url()]);
    let mut visit = house.visit();
    bot.write("30000\n1\nrestock\n0 0 1 1 2\n");
    assert_eq!(visit.hear(), "< 30000\n< 1\n< restock\n< 0 0 1 1 2");
    visit.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn a_line_written_in_pieces_is_one_line() {
    let house = House::open();
    let mut bot = bot(&["buraco", "--server", &house.url()]);
    let mut visit = house.visit();
    for byte in "[ 6♠ 7♠ ]\r\n\n".as_bytes() {
        bot.write([*byte]);
        std::thread::sleep(Duration::from_millis(1));
    }
    visit.hear_lines(&["< [ 6♠ 7♠ ]", "< "]);
    visit.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    let house = House::open();
    let mut bot = bot(&["buraco", "--server", &house.url()]);
    let mut visit = house.visit();
    bot.write(b"p1.\xff\n");
    visit.hear_lines(&["< p1.\u{fffd}"]);
    visit.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn a_server_may_speak_first() {
    let house = House::open();
    let mut bot = bot(&["azul", "--server", &house.url()]);
    let mut visit = house.visit();
    visit.say("> state");
    assert_eq!(bot.line(), "state");
    bot.write("30000\n");
    assert_eq!(visit.hear(), "< 30000", "the server knows its own line");
    visit.reset();
    // Not knowing yet that the dialogue goes on, a server may open it again.
    let mut visit = house.visit();
    visit.say("> state");
    assert_eq!(visit.hear(), "> state\n< 30000");
    visit.say("> 1 g 2");
    assert_eq!(bot.line(), "1 g 2");
    visit.close(1000, "");
    assert_eq!(bot.end().status, Some(0));
}

#[test]
fn a_host_name_is_looked_up() {
    let house = House::open();
    let url = format!("http://localhost:{}", house.address.port());
    let mut bot = bot(&["septica", "--server", &url]);
    bot.write("7 8 9 10\n");
    let mut visit = house.visit();
    visit.hear_lines(&["< 7 8 9 10"]);
    visit.say("> 7");
    assert_eq!(bot.line(), "7");
    visit.close(1000, "");
    bot.end().expect(0, 0);
}

#[test]
fn what_a_server_asks_to_keep_is_told_by_the_next_process() {
    let house = House::open();
    let memory = std::env::temp_dir().join(format!("kibitz-shim-test-{}", std::process::id()));
    let file = memory.to_str().expect("a plain path");
    let args = ["g", "--option", "x=1", "--memory", file, "--server", &house.url()];
    for query in ["x=1", "x=1&base=0"] {
        let mut bot = bot(&args);
        bot.write("1\n");
        let mut visit = house.visit();
        assert_eq!(visit.path, format!("/v1/games/g/stdio?{query}"));
        visit.hear_lines(&["< 1"]);
        visit.say("# keep base=0\n# keep x=2\n> 7");
        assert_eq!(bot.line(), "7");
        visit.close(1000, "");
        bot.end().expect(0, 0);
    }
    std::fs::remove_file(memory).expect("it was written");
}
