//! A build with engines: offline, and as fallback for a server that does not answer.

use crate::referee::{ShimProcess, bot};
use crate::server::ScriptedServer;
use engines::erased::Awaits;
use engines::game::{Seat, Turn, Viewer};
use engines::games::GAMES;
use engines::protocol::{Entry, Settings};
use engines::rng::Seed;
use engines::search::{Limits, Patient};
use std::time::Duration;

const START: &str = "4 3 2 4 2 3 2";

/// Plays the opponent's first possible pit until the match is over. Returns everything the bot printed.
fn play(bot: &mut ShimProcess, start: [usize; 7]) -> Vec<String> {
    let mut pits = start;
    let mut printed = Vec::new();
    loop {
        let line = bot.line();
        sow(&mut pits, line.parse::<usize>().expect("a pit") - 1);
        printed.push(line);
        let Some(reply) = pits.iter().position(|beads| *beads > 0) else { return printed };
        sow(&mut pits, reply);
        bot.write(format!("{}\n", reply + 1));
        if pits == [0; 7] {
            return printed;
        }
    }
}

fn sow(pits: &mut [usize; 7], from: usize) {
    let mut hand = std::mem::take(&mut pits[from]);
    assert!(hand > 0, "an empty pit was played");
    let mut at = from;
    while hand > 0 {
        at = (at + 1) % 7;
        match (hand, pits[at]) {
            (1, 1..=4) => pits[at] = 0,
            (1, _) => {}
            (_, 5) => {
                pits[at] = 4;
                continue;
            }
            _ => pits[at] += 1,
        }
        hand -= 1;
    }
}

#[test]
fn engine_plays_a_whole_match_offline() {
    let mut bot = bot(&["ioiwari", "--offline"]);
    bot.write(format!("{START}\n"));
    let printed = play(&mut bot, [4, 3, 2, 4, 2, 3, 2]);
    assert!(printed.len() >= 2);
    bot.end().expect(0, 0);
}

#[test]
fn engine_plays_the_same_match_without_a_server() {
    let mut alone = bot(&["ioiwari", "--offline"]);
    alone.write(format!("{START}\n"));
    let expected = play(&mut alone, [4, 3, 2, 4, 2, 3, 2]);
    let server = ScriptedServer::open_on_own_address();
    let url = server.url();
    drop(server);
    let mut bot = bot(&["ioiwari", "--server", &url]);
    bot.write(format!("{START}\n"));
    assert_eq!(play(&mut bot, [4, 3, 2, 4, 2, 3, 2]), expected);
    bot.end().expect(0, 2);
}

#[test]
fn late_server_is_replaced_by_the_engine_and_gets_the_transcript() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    let mut session = server.session();
    bot.write(format!("{START}\n"));
    assert_eq!(session.receive(), format!("< {START}"));
    session.send("> 7");
    assert_eq!(bot.line(), "7", "the engine would have played another pit");
    // From 5 4 2 4 2 3 0; the server receives the move and does not answer in time.
    bot.write("5\n");
    assert_eq!(session.receive(), "< 5");
    let own = bot.line();
    let mut session = server.session();
    assert_eq!(session.receive(), format!("< {START}\n> 7\n< 5\n> {own}"));
    bot.signal(rustix::process::Signal::INT);
    assert_eq!(bot.end().status, Some(0));
}

#[test]
fn engine_continues_after_a_permanent_refusal() {
    let server = ScriptedServer::open();
    let mut bot = bot(&["ioiwari", "--server", &server.url()]);
    server.refuse("404 Not Found", "", "no such game");
    bot.write(format!("{START}\n"));
    assert!(!play(&mut bot, [4, 3, 2, 4, 2, 3, 2]).is_empty());
    let end = bot.end();
    end.expect(0, 1);
    assert!(end.stderr.contains("going on with the engine here"), "{end:?}");
}

/// The warning appears once on standard error, offline and with a server, without `--verbose`.
#[test]
fn line_against_the_rules_gives_one_warning() {
    let server = ScriptedServer::open();
    for args in [&["ioiwari", "--offline"][..], &["ioiwari", "--server", &server.url()]] {
        let mut bot = bot(args);
        bot.write(format!("{START}\n"));
        let served = args.len() > 2;
        let mut session = served.then(|| server.session());
        if let Some(session) = &mut session {
            session.expect_lines(&[&format!("< {START}")]);
            session.send("> 2");
        }
        let first = bot.line();
        bot.write(format!("{first}\n"));
        if let Some(session) = &mut session {
            session.expect_lines(&[&format!("< {first}")]);
            session.send("# warning the server's own words\n> 3");
        }
        assert_ne!(bot.line(), first, "an empty pit");
        bot.signal(rustix::process::Signal::INT);
        let end = bot.end();
        assert_eq!(end.status, Some(0));
        let warnings = end.stderr.lines().filter(|line| line.contains("the opponent cannot play")).count();
        assert_eq!((warnings, end.stderr.contains("own words")), (1, false), "{end:?}");
    }
}

#[test]
fn unknown_games_and_settings_are_named() {
    let games: Vec<_> = GAMES.iter().map(|game| game.info().slug).collect();
    let games = games.join(", ");
    for (args, part) in [
        (["chess", "--offline", "--nodes", "5"], games.as_str()),
        (["ioiwari", "--offline", "--option", "x=1"], "no setting is called 'x'"),
        (["ioiwari", "--offline", "--level", "best"], "easy, medium, hard or max"),
    ] {
        let end = bot(&args).end();
        end.expect(2, 1);
        assert!(end.stderr.contains(part), "{end:?}");
    }
}

/// The first position of a match of two.
const POSITION: &str = "2 1\n1\n4 4 4 4 4 5\n36 1 2 3 4\n26 41 42 43 44\n16 71 72 73 74\n3 1 2 3\n\
                        0 0 0 0 0 0\n0\n0\n0\n0 0 0 0 0 0\n0\n0\n0\n";

#[test]
fn verbose_shows_value_nodes_and_depth_before_the_move() {
    for args in [&["--offline", "--option", "candidates=2"][..], &["--offline"]] {
        let mut bot = bot(&[&["splendor", "--nodes", "60", "--seed", "1", "--verbose"], args].concat());
        bot.write(POSITION);
        bot.end_input();
        let end = bot.end();
        assert_eq!((end.status, end.stdout.len()), (Some(0), 1), "{end:?}");
        let lines: Vec<_> = end.stderr.lines().collect();
        let mv = &end.stdout[0];
        // The referee keeps lines that begin with `kibitz ` in its saved game.
        assert!(lines[0].starts_with("kibitz shim: splendor "), "{end:?}");
        for part in [&format!(": {mv}, value 0."), " nodes, depth ", " ms of processor time"] {
            assert!(lines[0].contains(part), "{part}: {end:?}");
        }
        assert_eq!(lines.len(), if args.len() > 1 { 3 } else { 1 }, "{end:?}");
    }
}

#[test]
fn invalid_position_gives_a_pass() {
    for input in ["x y z\n", "", "2 1\n1\n"] {
        let mut bot = bot(&["splendor", "--offline"]);
        bot.write(input);
        bot.end_input();
        let end = bot.end();
        assert_eq!((end.status, end.stdout.as_slice()), (Some(0), &["1 0".to_owned()][..]), "{end:?}");
    }
}

/// A stopped process uses no processor time: the engine continues where it was stopped.
#[cfg(target_os = "linux")]
#[test]
fn thinking_time_is_processor_time_if_the_contest_counts_that() {
    use rustix::process::Signal;
    let think = Duration::from_secs(1);
    let mut bot = bot(&["splendor", "--offline", "--think", "1s", "--verbose"]);
    let start = std::time::Instant::now();
    bot.write(POSITION);
    bot.end_input();
    // It thinks for less than its time, and is then stopped for more than its time.
    std::thread::sleep(Duration::from_millis(200));
    bot.signal(Signal::STOP);
    std::thread::sleep(think + Duration::from_millis(300));
    bot.signal(Signal::CONT);
    let end = bot.end();
    let (status, stdout) = (end.status, end.stdout.len());
    assert_eq!((status, stdout), (Some(0), 1), "{end:?}");
    let told = end.stderr.split_once(" depth ").and_then(|(_, rest)| rest.split(' ').nth(1)).expect("a time");
    let used = Duration::from_millis(told.parse().expect("milliseconds"));
    // On a very busy machine the limit of wall time comes first.
    assert!(used >= think.mul_f64(0.9) || start.elapsed() >= think * 3, "only {used:?}: {end:?}");
}

/// Compares with the engines' library, with the same nodes and seed. Servers have the same test.
#[test]
fn program_decides_like_the_engines_library() {
    for game in GAMES {
        let slug = game.info().slug;
        let mut table = game.deal(&serde_json::json!({}), &Seed::from(3)).unwrap();
        let seat = Seat(game.info().bot_seats[0]);
        table.seat_bot(seat, &Settings::default()).unwrap();
        let mut session = game.session(&Settings::default()).unwrap();
        let mut bot = bot(&[slug, "--offline", "--nodes", "150", "--seed", "5", "--memory", "-"]);
        for opening in session.take_lines() {
            assert_eq!(bot.line(), opening);
            table.hear(seat, &opening).unwrap();
        }
        while table.turn() != Turn::Of(seat) {
            let Turn::Of(other) = table.turn() else { panic!("the match is over") };
            let mv = table.view(Viewer::Seat(other)).legal_moves().remove(0);
            table.play(other, &mv.notation).unwrap();
        }
        table.prompt(seat, Some(Duration::from_secs(30)));
        for line in table.take_lines(seat) {
            bot.write(format!("{line}\n"));
            session.push(vec![Entry::Read(line)]);
        }
        let Ok(Awaits::Decision(question)) = session.advance() else { panic!("a decision is due") };
        let seed = question.seed(&Seed::from(5));
        let limits = Limits { nodes: Some(150), seed, ..Limits::default() };
        let answer = question.position.think(None, limits, &Patient).unwrap();
        assert_eq!(bot.line(), answer.mv.notation, "{slug}");
        bot.end_input();
        assert_eq!(bot.end().status, Some(0));
    }
}
