//! `kibitz-shim play`: bots that stay online, with real servers and real processes.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engines::erased::AnyGame;
use engines::game::Process;
use engines::games::GAMES;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::environment::{CreatedMatch, JoinServer, LIMIT, read_json};
use crate::end_to_end::shim;

/// `kibitz-shim play` and the bots behind it.
pub(super) struct Online {
    child: Child,
    stderr: Option<JoinHandle<String>>,
}

impl Online {
    pub(super) fn start(place: &JoinServer, token: &str, game: &str, flags: &[&str], bot: &[String]) -> Self {
        Self::start_at(&place.url(), token, game, flags, bot)
    }

    /// As [`Self::start`], with the server at this URL.
    pub(super) fn start_at(url: &str, token: &str, game: &str, flags: &[&str], bot: &[String]) -> Self {
        let mut child = Command::new(shim())
            .args(["play", url, "--game", game])
            .args(flags)
            .arg("--")
            .args(bot)
            .env("KIBITZ_TOKEN", token)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let stderr = std::thread::spawn(move || {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).unwrap();
            String::from_utf8_lossy(&text).into_owned()
        });
        Self { child, stderr: Some(stderr) }
    }

    /// Waits for its end; returns the exit status and its notes.
    pub(super) fn end(mut self) -> (Option<i32>, String) {
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < LIMIT, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        let status = self.child.wait().unwrap().code();
        (status, self.stderr.take().unwrap().join().unwrap())
    }

    #[track_caller]
    pub(super) fn ends_by_sigterm(self) -> String {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        let (status, notes) = self.end();
        assert_eq!(status, Some(0), "{notes}");
        notes
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Online {
    /// A failing test leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request with a token; tries again while the server is away.
pub(super) fn ask(place: &JoinServer, token: &str, path: &str, body: Option<Value>) -> Value {
    until(|| {
        let url = format!("{}{path}", place.url());
        let header = format!("Bearer {token}");
        let reply = match &body {
            Some(body) => ureq::post(url)
                .header("authorization", header)
                .header("content-type", "application/json")
                .send(body.to_string()),
            None => ureq::get(url).header("authorization", header).call(),
        };
        read_json(reply.ok()?)
    })
}

/// Waits for this.
#[track_caller]
pub(super) fn until<T>(mut attempt: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = attempt() {
            return found;
        }
        assert!(start.elapsed() < LIMIT, "it does not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Two bots of different people: the tokens with which programs act for them, and do nothing else.
pub(super) fn bots(place: &JoinServer) -> [String; 2] {
    ["one", "two"].map(|name| {
        let owner = place.post("/v1/players", &json!({ "name": format!("owner-of-{name}") }));
        let owner = owner["token"].as_str().unwrap();
        ask(place, owner, "/v1/me/bots", Some(json!({ "name": name })));
        let wanted = json!({ "name": "shim", "scope": format!("bot:{name}") });
        let made = ask(place, owner, "/v1/me/tokens", Some(wanted));
        made["token"].as_str().unwrap().to_owned()
    })
}

pub(super) fn wait_online(place: &JoinServer, names: &[&str]) {
    wait_online_at(&place.url(), names);
}

fn wait_online_at(server: &str, names: &[&str]) {
    until(|| {
        let url = format!("{server}/v1/bots");
        let reply = ureq::get(url).call().ok()?;
        let list: Value = read_json(reply)?;
        let online: Vec<&str> =
            list["bots"].as_array()?.iter().filter_map(|bot| bot["name"].as_str()).collect();
        (online == names).then_some(())
    });
}

/// The first challenges the second; returns the match.
pub(super) fn challenge(place: &JoinServer, challenger: &str, body: &Value) -> CreatedMatch {
    let made = until(|| {
        let made = ask(place, challenger, "/v1/players/two/challenges", Some(body.clone()));
        made["id"].as_str().map(str::to_owned)
    });
    let id = until(|| {
        let shown = ask(place, challenger, &format!("/v1/challenges/{made}"), None);
        assert!(["open", "accepted"].contains(&shown["stage"].as_str().unwrap()), "{shown}");
        shown["match"].as_str().map(str::to_owned)
    });
    CreatedMatch { path: format!("/v1/matches/{id}"), tokens: Vec::new() }
}

pub(super) fn wait_over(place: &JoinServer, made: &CreatedMatch) -> Value {
    until(|| {
        let reply = ureq::get(format!("{}{}", place.url(), made.path)).call().ok()?;
        let page: Value = read_json(reply)?;
        (page["stage"] == "over").then_some(page)
    })
}

/// The first game of its kind in which bots can hold both seats.
fn game(process: Process) -> &'static dyn AnyGame {
    let both = |game: &dyn AnyGame| [0, 1].iter().all(|seat| game.info().bot_seats.contains(seat));
    *GAMES.iter().find(|game| game.info().process == process && both(**game)).unwrap()
}

fn slow(place: &JoinServer, game: &dyn AnyGame, seed: u64) -> Vec<String> {
    JoinServer::script(&format!("sleep 0.05; exec {}", place.player(game, seed).join(" ")))
}

#[test]
fn two_bots_play_rated_matches_although_server_and_shim_are_killed() {
    let mut place = JoinServer::open("online");
    let [one, two] = bots(&place);
    let game = game(Process::PerMatch);
    let slug = game.info().slug;
    let order = json!({ "game": slug, "rated": true, "seat": 0, "clock": { "initial_ms": 3_600_000 } });
    let first = Online::start(&place, &one, slug, &["--concurrent", "2"], &slow(&place, game, 1));
    let second = Online::start(&place, &two, slug, &["--concurrent", "2"], &slow(&place, game, 2));
    wait_online(&place, &["one", "two"]);
    let matches = [challenge(&place, &one, &order), challenge(&place, &one, &order)];
    place.server.kill_and_restart();
    second.kill();
    let second = Online::start(&place, &two, slug, &["--concurrent", "2"], &slow(&place, game, 2));
    for made in &matches {
        let page = wait_over(&place, made);
        assert_eq!(page["ended"], "played", "{page}");
        assert_eq!(place.fouls(made), [""; 0]);
    }
    // Afterwards they play on.
    wait_online(&place, &["one", "two"]);
    let third = challenge(&place, &one, &order);
    assert_eq!(wait_over(&place, &third)["ended"], "played");
    let played = place.get("/v1/players/two")["ratings"][0]["played"].clone();
    assert_eq!(played, 3);
    first.ends_by_sigterm();
    second.ends_by_sigterm();
    wait_online(&place, &[]);
}

#[test]
fn bots_started_per_move_play_as_by_join() {
    let place = JoinServer::open("online-move");
    let Some(game) = GAMES.iter().find(|game| game.info().process == Process::PerMove) else { return };
    let slug = game.info().slug;
    let owner = place.post("/v1/players", &json!({ "name": "ann" }))["token"].as_str().unwrap().to_owned();
    let made = ask(&place, &owner, "/v1/me/bots", Some(json!({ "name": "two" })));
    let bot = Online::start(&place, made["token"].as_str().unwrap(), slug, &[], &place.player(*game, 1));
    wait_online(&place, &["two"]);
    let made = challenge(&place, &owner, &json!({ "game": slug }));
    until(|| {
        let page = ask(&place, &owner, &made.path, None);
        if page["stage"] == "over" {
            return Some(());
        }
        let mv = page["legal_moves"].as_array()?.first()?["notation"].clone();
        if page["turn"] == page["you"] {
            let url = format!("{}{}/moves", place.url(), made.path);
            let mv = json!({ "notation": mv, "ply": page["ply"] });
            let header = format!("Bearer {owner}");
            let sent =
                ureq::post(url).header("authorization", header).header("content-type", "application/json");
            // A move that came twice is refused; the next page shows it.
            let _ = sent.send(mv.to_string());
        }
        None
    });
    assert_eq!(place.fouls(&made), [""; 0]);
    bot.ends_by_sigterm();
}

/// A program that ends slowly keeps its seat for a moment after the last move.
#[test]
fn challenge_right_after_a_match_waits_for_the_seat() {
    let place = JoinServer::open("online-again");
    let [one, two] = bots(&place);
    let game = game(Process::PerMatch);
    let slug = game.info().slug;
    let lingers = format!("trap '' INT; {}; sleep 0.3", place.player(game, 1).join(" "));
    let first = Online::start(&place, &one, slug, &["--concurrent", "3"], &place.player(game, 2));
    let second = Online::start(&place, &two, slug, &[], &JoinServer::script(&lingers));
    wait_online(&place, &["one", "two"]);
    for _ in 0..4 {
        let made = challenge(&place, &one, &json!({ "game": slug, "seat": 0 }));
        assert_eq!(wait_over(&place, &made)["ended"], "played");
    }
    // While a match goes on, a challenge is declined.
    let long = JoinServer::script(&format!("sleep 1000; {}", place.player(game, 1).join(" ")));
    second.ends_by_sigterm();
    wait_online(&place, &["one"]);
    let second = Online::start(&place, &two, slug, &[], &long);
    wait_online(&place, &["one", "two"]);
    challenge(&place, &one, &json!({ "game": slug, "seat": 0 }));
    let made = ask(&place, &one, "/v1/players/two/challenges", Some(json!({ "game": slug, "seat": 0 })));
    let path = format!("/v1/challenges/{}", made["id"].as_str().unwrap());
    let shown = until(|| Some(ask(&place, &one, &path, None)).filter(|shown| shown["stage"] != "open"));
    assert_eq!(
        (&shown["stage"], &shown["reason"]),
        (&json!("declined"), &json!("plays 1 of at most 1 matches now"))
    );
    second.ends_by_sigterm();
    first.ends_by_sigterm();
}

#[test]
fn bot_that_crashes_or_hangs_loses_its_match_and_stays_online() {
    let place = JoinServer::open("online-bad");
    let [one, two] = bots(&place);
    let game = game(Process::PerMatch);
    let slug = game.info().slug;
    let good = Online::start(&place, &one, slug, &["--concurrent", "3"], &place.player(game, 1));
    let clock = json!({ "move_ms": 3000 });
    // The bad bot has the first move.
    for (script, foul, clock) in [
        ("exit 3", "crash", Value::Null),
        ("exec sleep 1000", "time", clock),
        ("echo nonsense; sleep 1000", "bad_line", Value::Null),
    ] {
        let bad = Online::start(&place, &two, slug, &[], &JoinServer::script(script));
        wait_online(&place, &["one", "two"]);
        let made = challenge(&place, &one, &json!({ "game": slug, "clock": clock, "seat": 1 }));
        wait_over(&place, &made);
        assert!(place.fouls(&made).contains(&foul.to_owned()), "{script}: {:?}", place.fouls(&made));
        wait_online(&place, &["one", "two"]);
        bad.ends_by_sigterm();
        wait_online(&place, &["one"]);
    }
    good.ends_by_sigterm();
}

#[test]
fn bot_declines_what_it_has_no_room_for() {
    let place = JoinServer::open("online-busy");
    let [one, two] = bots(&place);
    let game = game(Process::PerMatch);
    let slug = game.info().slug;
    let bot = Online::start(&place, &two, slug, &[], &JoinServer::script("exec sleep 1000"));
    wait_online(&place, &["two"]);
    challenge(&place, &one, &json!({ "game": slug }));
    let id = ask(&place, &one, "/v1/players/two/challenges", Some(json!({ "game": slug })))["id"].clone();
    let path = format!("/v1/challenges/{}", id.as_str().unwrap());
    let declined = until(|| {
        let shown = ask(&place, &one, &path, None);
        (shown["stage"] != "open").then_some(shown)
    });
    assert_eq!(
        (&declined["stage"], &declined["reason"]),
        (&json!("declined"), &json!("plays 1 of at most 1 matches now"))
    );
    bot.ends_by_sigterm();
}

#[test]
fn bots_of_a_dead_server_are_offline_on_the_others() {
    let mut place = JoinServer::open("online-dead");
    let [one, _] = bots(&place);
    let other = place.server.beside();
    let bot = Online::start(&place, &one, "azul", &[], &JoinServer::script("cat"));
    wait_online_at(&other.url(), &["one"]);
    place.server.kill();
    wait_online_at(&other.url(), &[]);
    place.server.begin();
    wait_online_at(&other.url(), &["one"]);
    bot.ends_by_sigterm();
    wait_online_at(&other.url(), &[]);
}

#[test]
fn wrong_use_is_one_sentence() {
    let place = JoinServer::open("online-wrong");
    let [one, _] = bots(&place);
    let person = place.post("/v1/players", &json!({ "name": "ann" }))["token"].as_str().unwrap().to_owned();
    let cat = JoinServer::script("cat");
    let read = ask(&place, &person, "/v1/me/tokens", Some(json!({ "name": "reader", "scope": "read" })));
    for (token, game, bot, part) in [
        (read["token"].as_str().unwrap(), "ioiwari", &cat, "play_scope_needed"),
        (one.as_str(), "chess", &cat, "unknown_game"),
        (&person, "ioiwari", &cat, "not_a_bot"),
        ("kbp_nonsense", "ioiwari", &cat, "401"),
        (&one, "ioiwari", &vec!["./no-such-program".to_owned()], "no-such-program"),
    ] {
        let (status, notes) = Online::start(&place, token, game, &[], bot).end();
        assert_eq!(status, Some(2), "{notes}");
        assert!(notes.contains(part) && notes.lines().count() == 1, "{notes}");
    }
}

#[test]
fn second_program_of_a_bot_takes_over_and_the_first_stops() {
    let place = JoinServer::open("taken-over");
    let [one, two] = bots(&place);
    let game = game(Process::PerMatch);
    let slug = game.info().slug;
    let order = json!({ "game": slug, "seat": 0, "clock": { "initial_ms": 3_600_000 } });
    let rival = Online::start(&place, &one, slug, &["--concurrent", "2"], &slow(&place, game, 1));
    let first = Online::start(&place, &two, slug, &["--concurrent", "2"], &slow(&place, game, 2));
    wait_online(&place, &["one", "two"]);
    let matches = [challenge(&place, &one, &order), challenge(&place, &one, &order)];
    let second = Online::start(&place, &two, slug, &["--concurrent", "2"], &slow(&place, game, 2));
    let (status, notes) = first.end();
    assert!(status.is_some_and(|status| status != 0), "{notes}");
    assert!(notes.contains("another program plays for this bot now"), "{notes}");
    assert!(notes.contains("a newer one has started"), "{notes}");
    for made in &matches {
        let page = wait_over(&place, made);
        assert_eq!(page["ended"], "played", "{page}");
        assert_eq!(place.fouls(made), [""; 0]);
    }
    second.ends_by_sigterm();
    rival.ends_by_sigterm();
}

#[test]
fn second_program_in_a_seat_takes_over_and_the_first_stops() {
    let place = JoinServer::open("seat-taken-over");
    let game = game(Process::PerMatch);
    let engine = json!({ "kind": "engine", "nodes": 60 });
    let made =
        place.make(&json!({ "game": game.info().slug, "seats": [{ "kind": "me" }, engine], "seed": 2 }));
    // It would play for a minute.
    let first = place.join(
        &made,
        0,
        &JoinServer::script(&format!("sleep 1; exec {}", place.player(game, 1).join(" "))),
    );
    until(|| place.get(&made.path)["seats"][0]["connected"].as_bool().filter(|connected| *connected));
    place.join(&made, 0, &place.player(game, 1)).plays_to_the_end();
    let notes = first.fails();
    assert!(notes.contains("another program has taken this seat over"), "{notes}");
    assert_eq!(place.fouls(&made), [""; 0]);
}

#[test]
fn bot_has_at_most_as_many_processes_as_its_author_allows() {
    let place = JoinServer::open("at-most");
    let [one, two] = bots(&place);
    let game = game(Process::PerMatch);
    let slug = game.info().slug;
    let order = json!({ "game": slug, "seat": 0 });
    let rival = Online::start(&place, &one, slug, &["--concurrent", "2"], &slow(&place, game, 1));
    let first = Online::start(&place, &two, slug, &["--concurrent", "2"], &slow(&place, game, 2));
    wait_online(&place, &["one", "two"]);
    let matches = [challenge(&place, &one, &order), challenge(&place, &one, &order)];
    first.kill();
    let second = Online::start(&place, &two, slug, &["--concurrent", "1"], &slow(&place, game, 2));
    for made in &matches {
        assert_eq!(wait_over(&place, made)["ended"], "played");
        assert_eq!(place.fouls(made), [""; 0]);
    }
    let notes = second.ends_by_sigterm();
    assert!(notes.contains("waits until another one ends (--concurrent)"), "{notes}");
    rival.ends_by_sigterm();
}
