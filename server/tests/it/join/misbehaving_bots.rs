//! Misbehaving bots: the match goes on, and only they get the official penalty.

use std::path::Path;
use std::time::{Duration, Instant};

use engines::erased::AnyGame;
use engines::game::Process;
use engines::games::GAMES;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::json;

use super::environment::{CreatedMatch, JoinServer, LIMIT, OtherSeats, order};
use super::undisturbed;

/// The first game of its kind in which one mistake of a bot ends the match, or costs it the move.
fn game(process: Process) -> &'static dyn AnyGame {
    *GAMES.iter().find(|game| game.info().process == process).unwrap()
}

fn made(place: &JoinServer, game: &dyn AnyGame, move_ms: Option<u64>) -> CreatedMatch {
    let mut order = order(game, game.info().bot_seats[0], 4);
    if let Some(ms) = move_ms {
        order["clock"] = json!({"move_ms": ms});
    }
    place.make(&order)
}

/// Lets this script play; returns the kinds of its mistakes, and the shim's notes.
fn plays(place: &JoinServer, process: Process, script: &str, move_ms: Option<u64>) -> (Vec<String>, String) {
    let game = game(process);
    let made = made(place, game, move_ms);
    let seat = u64::from(game.info().bot_seats[0]);
    let _rivals = OtherSeats::play(place, &made, seat);
    let notes = place.join(&made, seat, &JoinServer::script(script)).plays_to_the_end();
    (place.fouls(&made), notes)
}

#[test]
fn mistake_of_a_bot_started_per_match_ends_the_match() {
    let place = JoinServer::open("bad-bot-match");
    for (script, kind, move_ms) in [
        ("echo nonsense; sleep 1000", "bad_line", None),
        ("yes", "bad_line", None),
        ("yes | tr -d '\\n'", "bad_line", None),
        ("printf '\\377\\376\\n'; cat > /dev/null", "bad_line", None),
        ("echo state; echo 0 g 0; exec sleep 1000", "illegal_move", None),
        ("exit 3", "crash", None),
        ("kill -9 $$", "crash", None),
        ("printf half; sleep 1000", "time", Some(400)),
        ("exec sleep 1000", "time", Some(400)),
        ("cat > /dev/null", "time", Some(400)),
    ] {
        let (fouls, notes) = plays(&place, Process::PerMatch, script, move_ms);
        assert_eq!(fouls, [kind], "{script}: {notes}");
    }
}

#[test]
fn mistakes_of_a_bot_started_per_move_cost_the_move() {
    let place = JoinServer::open("bad-bot-move");
    for (script, kind, move_ms) in [
        ("cat > /dev/null; echo nonsense", "bad_line", None),
        ("cat > /dev/null; echo 1 2", "bad_line", None),
        ("cat > /dev/null; echo 4 90", "illegal_move", None),
        ("exit 3", "crash", None),
        ("exec sleep 1000", "time", Some(150)),
    ] {
        let (fouls, notes) = plays(&place, Process::PerMove, script, move_ms);
        let own = fouls.iter().take_while(|foul| *foul != "out").count();
        assert!(own > 2 && fouls[..own].iter().all(|foul| foul == kind), "{script}: {fouls:?}, {notes}");
    }
}

/// The bot answers three times and ends. A second process would play on to the end.
#[test]
fn bot_that_ends_during_its_dialogue_has_crashed_and_is_not_started_again() {
    let place = JoinServer::open("bad-bot-again");
    for game in GAMES.iter().filter(|game| game.info().process == Process::PerMatch) {
        let (slug, seat) = (game.info().slug, game.info().bot_seats[0]);
        let expected = undisturbed(&place, *game, seat, 4);
        let made = made(&place, *game, None);
        let starts = place.folder.join(slug);
        let bot = place.player(*game, 1).join(" ");
        let _rivals = OtherSeats::play(&place, &made, u64::from(seat));
        let cut = "(read -r a; echo $a; read -r b; echo $b; read -r c; echo $c)";
        let file = starts.display();
        let script = format!("if [ -e {file} ]; then exec {bot}; fi; echo >> {file}; {bot} | {cut}; exit 5");
        let notes = place.join(&made, u64::from(seat), &JoinServer::script(&script)).plays_to_the_end();
        assert!(notes.contains("the bot has ended: exit status: 5"), "{notes}");
        assert_eq!(place.fouls(&made), ["crash"], "{slug}: {notes}");
        assert!(expected.starts_with(&place.moves(&made)), "{slug}: the moves before the crash count");
        let record = place.get(&format!("{}/record", made.path));
        let events = record["events"].as_array().unwrap();
        let foul = events.iter().find(|event| event["type"] == "fouled").unwrap();
        assert!(foul["detail"].as_str().unwrap().contains("exit status: 5"), "{foul}");
        assert_eq!(std::fs::read_to_string(&starts).unwrap(), "\n", "{slug}: one process");
    }
}

/// A service manager sends the same signal to the shim and to the bot. The shim is stopped meanwhile, so that it finds
/// both at once.
#[test]
fn bot_that_is_stopped_together_with_the_shim_has_not_crashed() {
    let place = JoinServer::open("bad-bot-service");
    for process in [Process::PerMatch, Process::PerMove] {
        let game = game(process);
        let (slug, seat) = (game.info().slug, u64::from(game.info().bot_seats[0]));
        let made = made(&place, game, None);
        let _rivals = OtherSeats::play(&place, &made, seat);
        let file = place.folder.join(slug);
        let script = format!("echo $$ > {}; exec sleep 1000", file.display());
        let shim = place.join(&made, seat, &JoinServer::script(&script));
        let bot = pid_in(&file);
        shim.signal(Signal::STOP);
        kill_process(bot, Signal::TERM).unwrap();
        shim.signal(Signal::TERM);
        shim.signal(Signal::CONT);
        let (status, notes) = shim.end();
        assert_eq!(status, Some(1), "{slug}: {notes}");
        place.join(&made, seat, &place.player(game, 1)).plays_to_the_end();
        assert_eq!(place.fouls(&made), [""; 0], "{slug}: {notes}");
    }
}

#[test]
fn bot_that_a_signal_ends_alone_has_crashed() {
    let place = JoinServer::open("bad-bot-signal");
    let (fouls, notes) = plays(&place, Process::PerMatch, "kill -TERM $$; sleep 1000", None);
    assert_eq!(fouls, ["crash"], "{notes}");
}

fn pid_in(file: &Path) -> Pid {
    let start = Instant::now();
    loop {
        if let Ok(text) = std::fs::read_to_string(file)
            && let Some(pid) = text.trim().parse().ok().and_then(Pid::from_raw)
        {
            return pid;
        }
        assert!(start.elapsed() < LIMIT, "the bot does not start");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn stopping_the_shim_stops_the_bot_and_its_children() {
    let place = JoinServer::open("bad-bot-stop");
    let game = game(Process::PerMatch);
    for signal in [Signal::TERM, Signal::INT] {
        let made = made(&place, game, None);
        let file = place.folder.join(format!("signal-{}", signal.as_raw()));
        let script = format!("sleep 1000 & echo $! > {}; trap '' INT TERM; sleep 1000", file.display());
        let bot = place.join(&made, u64::from(game.info().bot_seats[0]), &JoinServer::script(&script));
        let child = pid_in(&file);
        bot.signal(signal);
        let (status, notes) = bot.end();
        assert_eq!(status, Some(1), "{notes}");
        let start = Instant::now();
        while test_kill_process(child).is_ok() {
            assert!(start.elapsed() < LIMIT, "what the bot started is still there");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
