//! The command line, a real socket, and a whole run with its file.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Instant;

use clap::Parser;
use engines::arena::{Http, Post, PostResponse};

use crate::cli::arena::*;

#[derive(Parser)]
struct TestArgs {
    #[command(flatten)]
    args: ArenaArgs,
}

fn game() -> &'static str {
    GAMES[0].info().slug
}

fn parse(arguments: &[&str]) -> Result<ArenaArgs, String> {
    let all = ["arena", game()].into_iter().chain(arguments.iter().copied());
    TestArgs::try_parse_from(all).map(|l| l.args).map_err(|e| e.to_string())
}

/// The settings of a run without limits.
fn options(players: Vec<Contestant>, games: u32) -> PlanOptions {
    PlanOptions {
        players,
        games,
        seed: Seed::from(1),
        options: json!({}),
        opening_plies: None,
        limits: TimeLimits::default(),
        concurrency: 1,
        keep_moves: false,
        keep_details: false,
        log_dir: None,
    }
}

/// A server on a free port that gives each request, as text, to `answer`; `None` never answers.
fn serve(answer: impl Fn(&str) -> Option<String> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream: TcpStream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(n) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = n.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            match answer(std::str::from_utf8(&body).unwrap()) {
                Some(text) => stream.write_all(text.as_bytes()).unwrap(),
                None => thread::sleep(Duration::from_secs(5)),
            }
        }
    });
    format!("http://{address}")
}

fn response(status: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

#[test]
fn requests_go_over_a_real_socket() {
    let long = Duration::from_secs(5);
    let echo = serve(|body| Some(response("200 OK", body)));
    let sent = json!({"a": "é"});
    let reply = PostResponse { status: 200, retry_after: None, body: sent.to_string() };
    assert_eq!(NetworkClient::new().post(&echo, &sent, long), Post::Answered(reply));
    let busy = serve(|_| Some(response("503 Busy\r\nretry-after: 2", "later")));
    let reply = PostResponse { status: 503, retry_after: Some(Duration::from_secs(2)), body: "later".into() };
    assert_eq!(NetworkClient::new().post(&busy, &sent, long), Post::Answered(reply));
    let silent = serve(|_| None);
    let started = Instant::now();
    assert_eq!(NetworkClient::new().post(&silent, &sent, Duration::from_millis(200)), Post::TimedOut);
    assert!(started.elapsed() < Duration::from_secs(4));
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let post = NetworkClient::new().post(&format!("http://{closed}"), &sent, long);
    assert!(matches!(post, Post::Failed(_)), "{post:?}");
    let refuses = serve(|_| Some(response("404 Not Found", "")));
    assert!(NetworkClient::new().answers(&refuses), "a server that refuses is alive");
    assert!(!NetworkClient::new().answers(&format!("http://{closed}")));
}

#[test]
fn running_score_equals_the_summary() {
    let file = std::env::temp_dir().join(format!("kibitz-arena-score-{}.jsonl", std::process::id()));
    let path = file.to_str().unwrap();
    let args = ["-p", "A=engine:nodes=20", "-p", "B=engine:name=random", "-n", "12", "--sprt", "-5,5"];
    let summary = try_run(parse(&[&args[..], &["--json", path]].concat()).unwrap());
    assert_eq!(summary.ok().map(|summary| status(&summary)), Some(4), "twelve games decide nothing");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let players = args.iter().filter(|a| a.contains('=')).map(|a| a.parse().unwrap()).collect();
    let plan =
        RunPlan::new(GAMES[0], options(players, 12)).unwrap().with_sprt("-5,5".parse().unwrap()).unwrap();
    let mut running = RunningScore::new(&plan);
    for record in lines.iter().filter(|l| l["record"].is_object()) {
        running.add(&serde_json::from_value(record["record"].clone()).unwrap());
    }
    let summary = &lines.last().unwrap()["summary"];
    let a = &summary["players"][0];
    let llr = summary["sprt"]["llr"].as_f64().unwrap();
    let said = format!(
        "A +{} ={} -{}, LLR {llr:+.2} [-2.94, +2.94] after 6 deals",
        a["wins"], a["draws"], a["losses"]
    );
    assert_eq!(running.to_string(), said);
}

#[test]
fn run_writes_settings_records_and_summary() {
    // The server plays the first legal move of the position it is sent.
    let url = serve(|body| {
        let body: Value = serde_json::from_str(body).unwrap();
        let position = GAMES[0].position(&body["position"]).unwrap();
        let notation = position.legal_moves()[0].notation.clone();
        Some(response("200 OK", &json!({ "notation": notation, "nodes": 1, "value": 0.75 }).to_string()))
    });
    let path = std::env::temp_dir().join(format!("kibitz-arena-{}.jsonl", std::process::id()));
    let (server, file) = (format!("S=server:{url},nodes=5"), path.to_str().unwrap());
    let args =
        ["-p", &server, "-p", "E=engine:nodes=5", "-n", "4", "--json", file, "--moves", "--calibration"];
    assert_eq!(try_run(parse(&args).unwrap()).ok().map(|summary| status(&summary)), Some(0));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[0]["settings"]["games"], 4);
    assert_eq!(lines[4]["record"]["game"], 3);
    assert!(!lines[4]["record"]["moves"].as_array().unwrap().is_empty());
    let players = lines[5]["summary"]["players"].as_array().unwrap();
    assert_eq!(players[0]["played"], 4);
    // The evaluations that the server and the engine reported.
    assert_eq!(lines[1]["record"]["seats"][0]["values"][0], 7_500);
    let [server, engine] = [&players[0], &players[1]].map(|p| &p["calibration"]["bins"]);
    assert_eq!((server.as_array().unwrap().len(), &server[0]["told"]), (1, &json!(0.75)));
    assert_eq!(server[0]["decisions"], players[0]["decisions"]);
    assert!(engine[0]["decisions"].as_u64().unwrap() > 0);
}

#[test]
fn openings_are_shown_and_written() {
    let path = std::env::temp_dir().join(format!("kibitz-arena-openings-{}.jsonl", std::process::id()));
    let players = ["-p", "A=engine:name=random", "-p", "B=engine:name=random"];
    let more = ["-n", "2", "--opening-plies", "4", "--json", path.to_str().unwrap()];
    assert!(try_run(parse(&[&players[..], &more[..]].concat()).unwrap()).is_ok());
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines[0]["settings"]["opening_plies"], 4);
    let openings = [1, 2].map(|line| &lines[line]["record"]["opening"]);
    assert_eq!((openings[0].as_array().unwrap().len(), openings[0]), (4, openings[1]));
    let plan = |opening_plies| {
        let players = players.iter().filter(|a| a.contains('=')).map(|a| a.parse().unwrap()).collect();
        RunPlan::new(GAMES[0], PlanOptions { opening_plies, ..options(players, 2) }).unwrap()
    };
    assert!(heading(&plan(Some(4))).contains("\nopening: 4 random moves a deal\nlimits: "));
    assert!(!heading(&plan(None)).contains("opening"), "this game's deals differ");
}

#[test]
fn wrong_arguments_are_refused() {
    let two = ["-p", "A=engine", "-p", "B=engine"];
    let with = |more: &[&str]| parse(&[&two, more].concat());
    assert!(parse(&[]).is_err(), "players are needed");
    for more in [["-n", "0"], ["-c", "0"], ["--options", "{"], ["--seed", "x"], ["--move-limit", "-1"]] {
        assert!(with(&more).is_err(), "{more:?}");
    }
    assert!(with(&["--no-limits", "--move-limit", "5"]).is_err());
    let refused = |more: &[&str]| matches!(try_run(with(more).unwrap()), Err(ArenaError::Arguments(_)));
    assert!(refused(&["-p", "A=engine"]), "a name twice");
    assert!(refused(&["-p", "C=engine", "--sprt", "0,5"]), "a test compares two");
    assert!(refused(&["--sprt", "0,5", "--alpha", "0.5"]));
    assert!(with(&["--sprt", "5,0"]).is_err() && with(&["--beta", "0.1"]).is_err());
    assert!(refused(&["--options", r#"{"no such option": 1}"#]));
    let unwritable = try_run(with(&["--json", "/dev/null/at/all"]).unwrap());
    assert!(matches!(unwritable, Err(ArenaError::Writing(_))));
}

#[test]
fn limits_replace_the_games_own_one_by_one() {
    let args = |more: &[&str]| parse(&[&["-p", "A=engine"], more].concat()).unwrap();
    let official =
        TimeLimits { per_move: Some(Duration::from_secs(1)), per_match: Some(Duration::from_secs(30)) };
    assert_eq!(limits(&args(&[]), official), official);
    assert_eq!(limits(&args(&["--no-limits"]), official), TimeLimits::default());
    let own = limits(&args(&["--move-limit", "250"]), official);
    assert_eq!(own, TimeLimits { per_move: Some(Duration::from_millis(250)), ..official });
    let own = limits(&args(&["--match-limit", "1.5s"]), official);
    assert_eq!(own.per_match, Some(Duration::from_millis(1500)));
}
