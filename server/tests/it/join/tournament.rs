//! Tournaments of real programs behind `kibitz-shim play`, some of which crash, hang, play illegal moves or lose
//! their connection, while the server is killed three times. No bot loses a game to a fault of the infrastructure, and
//! the standings are those of the records.

use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engines::erased::AnyGame;
use engines::games::GAMES;
use serde_json::{Value, json};

use super::environment::{JoinServer, read_json};
use super::online::{Online, ask, until};
use crate::tournaments::standings::assert_follow_from;

/// With `KIBITZ_LONG_TOURNAMENT=1` ten bots play every game in every format, with `KIBITZ_LONG_TOURNAMENT=GAME` this game;
/// otherwise six bots play a round robin of [`GAME`], in which a foul ends the game. Two of them are written in C and in JavaScript
/// from the contest's statement alone.
const LONG: &str = "KIBITZ_LONG_TOURNAMENT";
const GAME: &str = "azul";

/// How long a whole tournament may take: only a hang lasts as long.
const LIMIT: Duration = Duration::from_secs(1800);

/// A proxy that can lose all its connections for a while.
struct Outage {
    port: u16,
    is_down: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Outage {
    fn start(to: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (is_down, open) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (down, list) = (Arc::clone(&is_down), Arc::clone(&open));
        // It lives as long as the test program.
        std::thread::spawn(move || {
            for ours in listener.incoming().map_while(Result::ok) {
                let Ok(theirs) = TcpStream::connect(("127.0.0.1", to)) else { continue };
                if down.load(Ordering::Relaxed) {
                    continue;
                }
                list.lock().unwrap().extend([ours.try_clone().unwrap(), theirs.try_clone().unwrap()]);
                pass(&ours, &theirs);
                pass(&theirs, &ours);
            }
        });
        Self { port, is_down, open }
    }

    /// Breaks all connections, and takes no new ones for this long.
    fn last(&self, time: Duration) {
        self.is_down.store(true, Ordering::Relaxed);
        for stream in self.open.lock().unwrap().drain(..) {
            // It may be closed already.
            let _ = stream.shutdown(Shutdown::Both);
        }
        std::thread::sleep(time);
        self.is_down.store(false, Ordering::Relaxed);
    }
}

/// Forwards bytes in one direction until either end closes.
fn pass(from: &TcpStream, to: &TcpStream) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    std::thread::spawn(move || {
        // The proxy exists to break connections.
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
        let _ = from.shutdown(Shutdown::Both);
    });
}

/// A way in which a bot misbehaves. Its first processes do it; a folder marks each of them.
#[derive(Clone, Copy)]
struct Fault {
    bot: &'static str,
    /// The kind of foul that it commits.
    foul: &'static str,
    /// The program that it runs instead of playing.
    program: &'static str,
    /// How many of its processes do it.
    processes: u32,
}

/// The crash of a bot is no foul if its opponent ends the match before it owes a move. The two other faults can do that in
/// four of its games, so that at least two of six crashes count.
const FAULTS: [Fault; 3] = [
    Fault { bot: "crasher", foul: "crash", program: "exit 3", processes: 6 },
    Fault { bot: "sleeper", foul: "time", program: "exec sleep 1000", processes: 2 },
    Fault { bot: "cheater", foul: "bad_line", program: "echo nonsense; exec sleep 1000", processes: 2 },
];

/// The program of a bot, which misbehaves like this or not at all.
fn program(
    place: &JoinServer,
    game: &dyn AnyGame,
    name: &str,
    seed: u64,
    fault: Option<Fault>,
) -> Vec<String> {
    let player = place.player(game, seed).join(" ");
    let Some(fault) = fault else { return JoinServer::script(&format!("exec {player}")) };
    let marks = place.folder.join(name);
    std::fs::create_dir_all(&marks).unwrap();
    let tests: String = (0..fault.processes)
        .map(|n| marks.join(n.to_string()))
        .map(|mark| format!("if mkdir {} 2>/dev/null; then {}; fi\n", mark.display(), fault.program))
        .collect();
    JoinServer::script(&format!("{tests}exec {player}"))
}

/// The bots in C and in JavaScript that were written from the contest's statement alone: names and programs.
fn foreign_programs(place: &JoinServer, game: &dyn AnyGame) -> [(String, Vec<String>); 2] {
    let slug = game.info().slug;
    let source = |end: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/bots/{slug}.{end}"));
    let compiled = place.folder.join(format!("{slug}-bot"));
    let status = Command::new("cc")
        .args(["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O1", "-o"])
        .arg(&compiled)
        .arg(source("c"))
        .status();
    assert!(status.unwrap().success(), "the bot in C is compiled");
    let words = |parts: &[&Path]| parts.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    [("c".to_owned(), words(&[&compiled])), ("js".to_owned(), words(&[Path::new("node"), &source("js")]))]
}

/// A bot of an owner of its own: its token.
pub(super) fn bot(place: &JoinServer, name: &str) -> String {
    let owner = place.post("/v1/players", &json!({ "name": format!("owner-of-{name}") }));
    let made = ask(place, owner["token"].as_str().unwrap(), "/v1/me/bots", Some(json!({ "name": name })));
    made["token"].as_str().unwrap().to_owned()
}

/// The bots of a tournament of this game, online, and the proxy of the one that loses its connection.
fn start(
    place: &JoinServer,
    game: &dyn AnyGame,
    format: &Value,
    is_long: bool,
) -> (Vec<(String, String)>, Vec<Online>, Outage) {
    let slug = game.info().slug;
    let outage = Outage::start(place.server.address.port());
    let good = if is_long { 4 } else { 0 };
    let mut names: Vec<(String, Option<Fault>)> = (0..good).map(|n| (format!("good{n}"), None)).collect();
    names.extend(FAULTS.map(|fault| (fault.bot.to_owned(), Some(fault))));
    names.push(("lonely".to_owned(), None));
    let full_name = |name: &str| format!("{name}-{slug}-{}", &format["kind"].as_str().unwrap()[..2]);
    let own = (1..).zip(names).map(|(seed, (name, fault))| {
        let name = full_name(&name);
        let program = program(place, game, &name, seed, fault);
        (name, program)
    });
    let foreign = foreign_programs(place, game).map(|(name, program)| (full_name(&name), program));
    let (mut bots, mut online) = (Vec::new(), Vec::new());
    for (name, program) in own.chain(foreign) {
        let token = bot(place, &name);
        let url = match name.starts_with("lonely") {
            true => format!("http://127.0.0.1:{}", outage.port),
            false => place.url(),
        };
        let mut flags = vec!["--concurrent", "2", "--no-ladder"];
        if !game.info().mirror_seats.is_empty() {
            flags.extend(["--referee", "mirror=yes"]);
        }
        online.push(Online::start_at(&url, &token, slug, &flags, &program));
        bots.push((name, token));
    }
    (bots, online, outage)
}

/// Creates the tournament, enters the bots and starts it; returns its path.
fn begin(
    place: &JoinServer,
    game: &dyn AnyGame,
    format: &Value,
    bots: &[(String, String)],
    is_long: bool,
) -> String {
    let slug = game.info().slug;
    let kind = format["kind"].as_str().unwrap();
    let owner = place.post("/v1/players", &json!({ "name": format!("host-{slug}-{}", &kind[..2]) }));
    let owner = owner["token"].as_str().unwrap().to_owned();
    // Longer than any interruption, and than a move takes on a slow machine.
    let move_ms = if is_long { 45_000 } else { 20_000 };
    let wanted = json!({ "title": "Programs", "game": slug, "format": format,
        "clock": { "move_ms": move_ms }, "rated": true, "per_entrant": 2, "max_running": 8, "grace_ms": 600_000 });
    let page = ask(place, &owner, "/v1/tournaments", Some(wanted));
    let path = format!("/v1/tournaments/{}", page["id"].as_str().unwrap());
    for (_, token) in bots {
        let mirror = !game.info().mirror_seats.is_empty();
        let entered = ask(place, token, &format!("{path}/entries"), Some(json!({ "mirror": mirror })));
        assert!(entered["entrants"].is_array(), "{entered}");
    }
    if kind == "gauntlet" {
        let engine = game.engines().into_iter().find(|engine| engine.name == "random").unwrap();
        let opponent = format!("{slug}:random:{}:easy", engine.version);
        let opponent = json!({ "name": opponent, "opponent": true });
        ask(place, &owner, &format!("{path}/entries"), Some(opponent));
    }
    let start = ureq::post(format!("{}{path}/start", place.url()));
    start.header("authorization", format!("Bearer {owner}")).send_empty().unwrap();
    path
}

fn finished(page: &Value) -> usize {
    page["games"].as_array().unwrap().iter().filter(|game| game["stage"] == "finished").count()
}

/// The tournament as it is now. The server may be away for a moment.
fn page(place: &JoinServer, path: &str) -> Value {
    until(|| {
        let reply = ureq::get(format!("{}{path}", place.url())).call().ok()?;
        read_json(reply)
    })
}

/// Waits until this many games are finished; returns the page then.
fn until_finished(place: &JoinServer, path: &str, enough: usize) -> Value {
    let start = Instant::now();
    loop {
        let page = page(place, path);
        if finished(&page) >= enough {
            return page;
        }
        assert!(start.elapsed() < LIMIT, "the games are not played: {page}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Checks the records of a tournament: fouls were committed by the bots that misbehave and by no other, and no bot left
/// a match otherwise. Returns how often each kind of foul was committed.
fn assert_only_own_faults(records: &[Value]) -> [usize; 3] {
    let mut counts = [0; 3];
    for record in records {
        let events = record["events"].as_array().unwrap();
        let name = |seat: &Value| {
            let joined = events.iter().find(|event| event["type"] == "joined" && event["seat"] == *seat);
            joined.unwrap()["name"].as_str().unwrap().to_owned()
        };
        for event in events.iter().filter(|event| event["type"] == "fouled" && event["kind"] != "out") {
            let (name, kind) = (name(&event["seat"]), event["kind"].as_str().unwrap());
            let known = FAULTS.iter().position(|fault| name.starts_with(fault.bot) && kind == fault.foul);
            let place =
                known.unwrap_or_else(|| panic!("{name} committed {kind}: {event} in {}", record["id"]));
            counts[place] += 1;
        }
        for event in events.iter().filter(|event| event["type"] == "went_out") {
            assert!(name(&event["seat"]).starts_with("sleeper"), "{event} in {}", record["id"]);
        }
        let ended = events.last().unwrap();
        assert!(ended["how"] == "played" || ended["how"] == "walkover", "{ended}");
    }
    counts
}

/// How the games of this bot began and ended, for the message of a failed test.
fn games_of_bot(bot: &str, records: &[Value]) -> Value {
    let events = |record: &Value| record["events"].as_array().unwrap().clone();
    let plays = |event: &Value| event["name"].as_str().is_some_and(|name| name.starts_with(bot));
    let games = records.iter().map(events).filter(|events| events.iter().any(plays));
    games
        .map(|events| events.into_iter().filter(|event| event["type"] != "moved").collect::<Value>())
        .collect()
}

/// The records of a tournament that is over.
fn records(place: &JoinServer, path: &str) -> Vec<Value> {
    let reply = ureq::get(format!("{}{path}/records", place.url())).call().unwrap();
    let text = reply.into_body().read_to_string();
    let text = text.unwrap_or_else(|e| panic!("the download breaks off: {e}; {:#?}", place.server.log()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn assert_verified(folder: &Path, record: &Value) {
    let file = folder.join("record.json");
    std::fs::write(&file, record.to_string()).unwrap();
    let verdict = Command::new(env!("CARGO_BIN_EXE_kibitz")).arg("verify").arg(&file).output();
    let verdict = verdict.unwrap();
    assert!(verdict.status.success(), "{}", String::from_utf8_lossy(&verdict.stdout));
}

/// Plays a tournament of this game, while the server is killed three times.
fn play(place: &mut JoinServer, game: &dyn AnyGame, format: &Value, is_long: bool) {
    let (bots, online, outage) = start(place, game, format, is_long);
    let path = begin(place, game, format, &bots, is_long);
    let games = games_of(format, bots.len());
    until_finished(place, &path, 2);
    let lost = std::thread::spawn(move || outage.last(Duration::from_secs(if is_long { 20 } else { 3 })));
    for part in 1..=3 {
        until_finished(place, &path, games * part / 5);
        place.server.kill_and_restart();
    }
    until_finished(place, &path, games);
    lost.join().unwrap();
    let page = until(|| Some(page(place, &path)).filter(|page| page["stage"] == "ended"));
    assert_eq!(page["games"].as_array().unwrap().len(), games);
    let records = records(place, &path);
    assert_eq!(records.len(), games, "no game was played twice");
    records.iter().for_each(|record| assert_verified(&place.folder, record));
    assert_follow_from(&page, &records);
    let counts = assert_only_own_faults(&records);
    // Whether a program that hangs or writes nonsense gets its penalty or is on its way out already depends on the kills.
    assert!(counts.iter().filter(|count| **count > 0).count() >= 2, "the faults happened: {counts:?}");
    assert!(counts[0] > 0, "crashes are penalties: {counts:?}; {:#}", games_of_bot("crasher", &records));
    online.into_iter().for_each(|online| drop(online.ends_by_sigterm()));
}

/// Every format, so that no tournament has more games than a round robin.
fn formats() -> [Value; 5] {
    [
        json!({ "kind": "round_robin" }),
        json!({ "kind": "sampled_round_robin", "games": 6 }),
        json!({ "kind": "gauntlet", "games": 4 }),
        json!({ "kind": "swiss", "rounds": 3 }),
        json!({ "kind": "ladder", "pairings": 3 }),
    ]
}

/// The number of games that this many entrants play; a pairing has one game for each of the two seats.
fn games_of(format: &Value, entrants: usize) -> usize {
    let number = |field: &str| format[field].as_u64().unwrap() as usize;
    match format["kind"].as_str().unwrap() {
        "round_robin" => entrants * (entrants - 1),
        "sampled_round_robin" => entrants * number("games") / 2,
        "gauntlet" => entrants * number("games"),
        "swiss" => entrants * number("rounds"),
        "ladder" => entrants * number("pairings"),
        other => panic!("{other} is not known"),
    }
}

#[test]
fn standings_of_faulty_programs_follow_from_their_records_although_the_server_is_killed() {
    let long = std::env::var(LONG).ok();
    let is_meant = |slug: &str| match long.as_deref() {
        None => slug == GAME,
        Some(name) => name == "1" || name == slug,
    };
    let mut place = JoinServer::open("tournament");
    let formats = formats();
    for game in GAMES.iter().filter(|game| is_meant(game.info().slug)) {
        for format in &formats[..if long.is_some() { formats.len() } else { 1 }] {
            let began = Instant::now();
            play(&mut place, *game, format, long.is_some());
            println!("{} {}: {:.0?}", game.info().slug, format["kind"], began.elapsed());
        }
    }
}
