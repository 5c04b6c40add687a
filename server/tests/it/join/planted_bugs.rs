//! Bots with one planted bug of each kind in each game: what the pages read, and the commands, name the cause.

use std::path::PathBuf;
use std::process::Command;

use engines::erased::AnyGame;
use engines::games::GAMES;
use serde_json::{Value, json};

use super::environment::{CreatedMatch, JoinProcess, JoinServer, OtherSeats};
use super::online::{ask, until};
use crate::end_to_end::shim;

/// The line of the bot at which its bug shows.
const BUG_AT: usize = 4;

/// How long the slow bot sleeps, in milliseconds: much longer than an honest answer.
const SLEEP_MS: u64 = 400;

/// The nodes of a move's value in the analysis.
const NODES: &str = "600";

/// The seed of the deals.
const SEED: u64 = 9;

/// What the bot does wrong, from its line [`BUG_AT`] on.
enum Bug<'b> {
    /// Nothing.
    None,
    /// Ends by a signal, once.
    Crash,
    /// Thinks for long, twice.
    Slow,
    /// Prints this line instead of its own line of this number, once.
    Prints(&'b str, usize),
}

/// A registered bot, its owner, and the server.
struct Bench {
    place: JoinServer,
    owner: String,
    bot: String,
}

impl Bench {
    fn open() -> Self {
        let place = JoinServer::open_with("planted", &["--side-work-ms", "60000"]);
        let owner =
            place.post("/v1/players", &json!({ "name": "ann" }))["token"].as_str().unwrap().to_owned();
        let about =
            json!({ "name": "robo", "about": { "version": "1.6", "source": "https://example.org/robo" } });
        let bot = ask(&place, &owner, "/v1/me/bots", Some(about))["token"].as_str().unwrap().to_owned();
        Self { place, owner, bot }
    }

    /// The number of lines that the bot has printed, kept where each of its processes finds it.
    fn counter(&self) -> PathBuf {
        self.place.folder.join("lines")
    }

    /// The bot with a bug in front of an honest player. It says on standard error what it does.
    fn program(&self, game: &dyn AnyGame, bug: &Bug) -> Vec<String> {
        let counter = self.counter();
        let _ = std::fs::remove_file(&counter);
        let wrong = match bug {
            Bug::None => ":".to_owned(),
            Bug::Crash => {
                format!("[ $n -eq {BUG_AT} ] && {{ echo 'planted: crash' >&2; kill -SEGV $$; exit; }}")
            }
            Bug::Slow => {
                let seconds = SLEEP_MS as f64 / 1000.0;
                let last = BUG_AT + 1;
                format!(
                    "[ $n -ge {BUG_AT} ] && [ $n -le {last} ] && {{ echo 'planted: slow' >&2; sleep {seconds}; }}"
                )
            }
            Bug::Prints(text, at) => {
                format!("[ $n -eq {at} ] && {{ echo 'planted: line' >&2; line='{text}'; }}")
            }
        };
        let count = format!("n=$(($(cat {0} 2>/dev/null || echo 0) + 1)); echo $n > {0}", counter.display());
        let player = self.place.player(game, 1).join(" ");
        JoinServer::script(&format!(
            "ulimit -c 0; {player} | while IFS= read -r line; do {count}; {wrong}; printf '%s\\n' \"$line\"; done"
        ))
    }

    /// Plays a match of the bot against the test's own moves.
    fn play(&self, game: &dyn AnyGame, bug: &Bug, seed: u64) -> PlayedMatch {
        let seat = game.info().bot_seats[0];
        let mut seats = vec![json!({"kind": "me"}); usize::from(game.info().min_seats.max(2).max(seat + 1))];
        seats[usize::from(seat)] = json!({"kind": "player", "name": "robo"});
        let tokens =
            (0..seats.len() as u64).map(|at| (at, (at != u64::from(seat)).then(|| self.owner.clone())));
        let tokens = tokens.filter(|(_, token)| token.is_some()).collect();
        let order = json!({"game": game.info().slug, "seats": seats, "seed": seed});
        let made = ask(&self.place, &self.owner, "/v1/matches", Some(order));
        let made = CreatedMatch { path: made["url"].as_str().unwrap().to_owned(), tokens };
        let url = format!("{}{}", self.place.url(), made.path);
        let command = self.program(game, bug);
        let version = ["--bot-version", "1.7"];
        let running = JoinProcess::start(&url, &[("KIBITZ_TOKEN", &self.bot)], &version, &command);
        let rivals = OtherSeats::play(&self.place, &made, u64::from(seat));
        running.plays_to_the_end();
        drop(rivals);
        let record = self.place.get(&format!("{}/record", made.path));
        let file = self.place.folder.join("record.json");
        std::fs::write(&file, record.to_string()).unwrap();
        PlayedMatch { path: made.path, seat, record, file, command }
    }

    /// The last fault, as the owner sees it; others see it without standard error.
    fn last_fault(&self, played: &PlayedMatch) -> Value {
        let own = ask(&self.place, &self.owner, "/v1/players/robo/faults?limit=1", None);
        let fault = own["faults"][0].clone();
        assert_eq!((&own["all"], &fault["match"]), (&json!(true), &json!(played.id())), "{own}");
        assert_eq!((&fault["version"], &fault["seat"]), (&json!("1.7"), &json!(played.seat)));
        let public = self.place.get("/v1/players/robo/faults?limit=1");
        assert_eq!((&public["all"], public["faults"][0].get("lines")), (&json!(false), None), "{public}");
        assert_eq!(public["faults"][0]["detail"], fault["detail"]);
        fault
    }

    /// The lines that the bot wrote on standard error with the planted words, by turn.
    fn planted_plies(&self, played: &PlayedMatch) -> Vec<u64> {
        let path = format!("{}/seats/{}/output", played.path, played.seat);
        let output = ask(&self.place, &self.owner, &path, None);
        let turns = output["turns"].as_array().unwrap().iter();
        let is_planted = |turn: &&Value| turn["lines"].to_string().contains("planted: ");
        turns.filter(is_planted).map(|turn| turn["ply"].as_u64().unwrap()).collect()
    }

    fn dialogue(&self, played: &PlayedMatch) -> Vec<Value> {
        let path = format!("{}/seats/{}/dialogue", played.path, played.seat);
        ask(&self.place, &self.owner, &path, None)["lines"].as_array().unwrap().clone()
    }

    /// Runs `kibitz replay` on the match with the same bot; the exit code and all output.
    fn replay(&self, played: &PlayedMatch, more: &[&str]) -> (Option<i32>, String) {
        let _ = std::fs::remove_file(self.counter());
        let seat = played.seat.to_string();
        let file = played.file.to_str().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
        command.args(["replay", file, "--seat", &seat]).args(more).arg("--").args(&played.command);
        said(&mut command)
    }

    fn arena(&self, game: &dyn AnyGame, bug: &Bug) -> (Option<i32>, String) {
        let script = self.program(game, bug).pop().unwrap();
        let file = self.place.folder.join("bot.sh");
        std::fs::write(&file, script).unwrap();
        let bot = format!("Robo=cmd:sh {}", file.display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
        command.args(["arena", game.info().slug, "-p", &bot, "-p", "E=engine:nodes=20"]);
        said(command.args(["-n", "4", "-c", "1"]))
    }
}

fn said(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

/// A match of the bot that is over.
struct PlayedMatch {
    path: String,
    seat: u8,
    record: Value,
    file: PathBuf,
    command: Vec<String>,
}

impl PlayedMatch {
    fn id(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }

    /// The own moves, each with its ply.
    fn own_moves(&self) -> Vec<(u64, &str)> {
        let events = self.record["events"].as_array().unwrap().iter();
        let own = events.filter(|event| event["type"] == "moved" && event["seat"] == self.seat);
        own.map(|event| (event["ply"].as_u64().unwrap(), event["notation"].as_str().unwrap())).collect()
    }
}

/// The positions before the own turns of a match, as its file shows them.
fn own_turns(bench: &Bench, game: &dyn AnyGame, played: &PlayedMatch) -> Vec<Value> {
    let shown = ask_json(bench, &format!("/v1/games/{}/files", game.info().slug), &played.record);
    let turns = shown["turns"].as_array().unwrap().iter();
    turns.filter(|turn| turn["seat"] == played.seat).cloned().collect()
}

fn ask_json(bench: &Bench, path: &str, body: &Value) -> Value {
    ask(&bench.place, &bench.owner, path, Some(body.clone()))
}

/// A move of the game that its rules forbid in the position of this turn.
fn forbidden(bench: &Bench, game: &dyn AnyGame, turn: &Value, known: &[&str]) -> String {
    let body = json!({"position": turn["position"], "notations": known});
    let legal = ask_json(bench, &format!("/v1/games/{}/legal-moves", game.info().slug), &body);
    let checked = legal["checked"].as_array().unwrap();
    let refused = known.iter().zip(checked).find(|(_, checked)| checked["legal"] == false);
    refused.unwrap_or_else(|| panic!("all are legal: {legal}")).0.to_string()
}

fn crash_is_named(bench: &Bench, game: &dyn AnyGame) {
    let played = bench.play(game, &Bug::Crash, SEED);
    let fault = bench.last_fault(&played);
    let ply = fault["ply"].as_u64().unwrap();
    assert_eq!(fault["kind"], "crash");
    assert!(fault["detail"].as_str().unwrap().contains("signal: 11"), "{fault}");
    assert_eq!(fault["lines"][0]["text"], "planted: crash");
    assert_eq!(bench.planted_plies(&played)[0], ply);
    let foul =
        bench.dialogue(&played).into_iter().find(|line| line["text"].as_str().unwrap().starts_with("foul: "));
    assert!(
        foul.is_some_and(|foul| foul["ply"] == ply && foul["text"].as_str().unwrap().contains("signal: 11"))
    );
    let (code, text) = bench.replay(&played, &[]);
    assert_eq!(code, Some(3), "{text}");
    let line = text.lines().find(|line| line.contains("STILL THERE")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.starts_with(&format!("ply {ply}:")) && line.contains("signal: 11"), "{text}");
    assert!(text.contains("planted: crash"), "{text}");
    let (_, text) = bench.arena(game, &Bug::Crash);
    let named = text
        .lines()
        .find(|line| line.contains("Robo: crash: no move: signal: 11"))
        .unwrap_or_else(|| panic!("{text}"));
    let ply = named.split("ply ").nth(1).unwrap().split(':').next().unwrap();
    let error = text.lines().find(|line| line.contains("planted: crash")).unwrap();
    assert!(error.contains(&format!("ply {ply}, ")) && error.contains(" ms | "), "{text}");
    in_the_shim(bench, &played, &fault);
}

/// `kibitz-shim faults` says the same in words.
fn in_the_shim(bench: &Bench, played: &PlayedMatch, fault: &Value) {
    let mut command = Command::new(shim());
    let (code, text) =
        said(command.args(["faults", &bench.place.url(), "robo"]).env("KIBITZ_TOKEN", &bench.bot));
    assert_eq!(code, Some(0), "{text}");
    let link =
        format!("{}/matches/{}?seat={}&ply={}", bench.place.url(), played.id(), played.seat, fault["ply"]);
    for part in [&link, "version 1.7", "signal: 11", "referee", " ms | planted: crash"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Returns the match, whose moves are those of an honest bot.
fn slowness_is_named(bench: &Bench, game: &dyn AnyGame) -> PlayedMatch {
    let played = bench.play(game, &Bug::Slow, SEED);
    let planted = bench.planted_plies(&played);
    assert!(!planted.is_empty(), "{:?}", played.own_moves());
    let used = |line: &Value| Some((line["ply"].as_u64()?, line["used_ms"].as_u64()?));
    let times: Vec<(u64, u64)> = bench.dialogue(&played).iter().filter_map(used).collect();
    for ply in &planted {
        assert!(times.iter().any(|(at, ms)| at == ply && *ms >= SLEEP_MS), "ply {ply}: {times:?}");
    }
    let (code, text) = bench.replay(&played, &["--move-limit", &(SLEEP_MS / 2).to_string()]);
    // A busy machine can make an earlier answer late.
    let late = text.lines().find(|line| line.contains("no move after")).unwrap_or_else(|| panic!("{text}"));
    let at: u64 = late.strip_prefix("ply ").unwrap().split(':').next().unwrap().parse().unwrap();
    assert!(code == Some(3) && at <= planted[0], "{planted:?}: {text}");
    played
}

fn wrong_rule_is_named(bench: &Bench, game: &dyn AnyGame, honest: &PlayedMatch, turn: &Value) {
    let moves = honest.own_moves();
    let mut known: Vec<&str> = moves.iter().map(|(_, notation)| *notation).collect();
    known.sort_unstable();
    known.dedup();
    let illegal = forbidden(bench, game, turn, &known);
    let played = bench.play(game, &Bug::Prints(&illegal, BUG_AT), SEED);
    let fault = bench.last_fault(&played);
    assert_eq!((&fault["kind"], &fault["ply"]), (&json!("illegal_move"), &turn["ply"]), "{fault}");
    let detail = fault["detail"].as_str().unwrap();
    let rule = detail.strip_prefix(&format!("not a legal move here: {illegal}: "));
    assert!(rule.is_some_and(|rule| rule.contains(' ')), "the rule is named: {fault}");
    let (code, text) = bench.replay(&played, &[]);
    assert_eq!(code, Some(3), "{text}");
    assert!(
        text.lines().any(|line| line.starts_with(&format!("ply {}: THE FAULT IS STILL THERE", fault["ply"]))),
        "{text}"
    );
}

/// A bad move: the worst of those that the engine has tried most, and how much worse than the best it is.
fn worst(bench: &Bench, game: &dyn AnyGame, turn: &Value) -> (f64, String) {
    let limits = json!({"nodes": 2000, "candidates": 64, "seed": "0".repeat(64), "deadline_ms": 60_000});
    let mut body = json!({"position": turn["position"]});
    body.as_object_mut().unwrap().extend(limits.as_object().unwrap().clone());
    let answer = ask_json(bench, &format!("/v1/games/{}/move", game.info().slug), &body);
    let mut tried = answer["candidates"].as_array().unwrap().clone();
    tried.retain(|one| one["visits"].as_u64() > Some(0));
    tried.sort_by_key(|one| std::cmp::Reverse(one["visits"].as_u64()));
    tried.truncate(tried.len().div_ceil(2).max(2));
    let value = |one: &Value| one["value"].as_f64().unwrap();
    let worst = tried.iter().min_by(|a, b| value(a).total_cmp(&value(b))).unwrap_or(&answer);
    (value(&answer) - value(worst), worst["notation"].as_str().unwrap().to_owned())
}

/// The costliest own decision of an analysis: its ply.
fn costliest(analysis: &Value, seat: u8) -> u64 {
    let decisions = analysis["decisions"].as_array().unwrap().iter();
    let own = decisions.filter(|one| one["seat"] == seat && one["value"].is_object());
    let loss = |one: &&Value| one["value"]["loss"].as_f64().unwrap();
    own.max_by(|a, b| loss(a).total_cmp(&loss(b))).unwrap()["ply"].as_u64().unwrap()
}

/// Returns whether the analysis of the page was compared, too: that of a short match.
fn bad_evaluation_is_named(
    bench: &Bench,
    game: &dyn AnyGame,
    seeds: &[(u64, Vec<Value>)],
    first: usize,
) -> bool {
    // The turn of these honest matches at which a bad move costs most.
    let turns =
        seeds.iter().flat_map(|(seed, turns)| turns.iter().enumerate().map(move |turn| (*seed, turn)));
    let bad = turns.map(|(seed, (at, turn))| (worst(bench, game, turn), seed, at, turn["ply"].clone()));
    let ((_, notation), seed, at, ply) = bad.max_by(|a, b| a.0.0.total_cmp(&b.0.0)).unwrap();
    let played = bench.play(game, &Bug::Prints(&notation, BUG_AT + at - first), seed);
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
    let (_, text) =
        said(command.args(["analyse", "--json", "--nodes", NODES, played.file.to_str().unwrap()]));
    let analysis: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(costliest(&analysis, played.seat), ply, "{} {notation}: {text}", game.info().slug);
    let is_short = played.own_moves().len() < 10;
    if is_short {
        let path = format!("{}/analysis", played.path);
        ask(&bench.place, &bench.owner, &path, Some(json!({})));
        let now = || ask(&bench.place, &bench.owner, &path, None);
        let done = until(|| Some(now()).filter(|now| now["stage"] == "done"));
        assert_eq!(costliest(&done["analysis"], played.seat), ply, "{done}");
    }
    is_short
}

#[test]
fn cause_of_each_planted_bug_is_named_in_each_game() {
    let bench = Bench::open();
    let mut on_page = 0;
    for game in GAMES {
        crash_is_named(&bench, *game);
        let honest = slowness_is_named(&bench, *game);
        let turns = own_turns(&bench, *game, &honest);
        // Some bots write a line before their first move.
        let planted = bench.planted_plies(&honest)[0];
        let first = turns.iter().position(|turn| turn["ply"] == planted).unwrap();
        wrong_rule_is_named(&bench, *game, &honest, &turns[first]);
        let other = own_turns(&bench, *game, &bench.play(*game, &Bug::None, SEED + 1));
        let seeds = [(SEED, turns), (SEED + 1, other)];
        on_page += u32::from(bad_evaluation_is_named(&bench, *game, &seeds, first));
    }
    assert!(on_page > 0, "no match is short");
}
