//! `kibitz arena`: the command line of the library's arena, its progress bar, its files, and the one socket it needs.
//! Knows no game by name.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use engines::arena::{
    Contestant, Http, Plan, Post, Record, Reply, Summary, TimeLimits, Wanted, duration, run as play_all,
};
use engines::games::{GAMES, find};
use engines::rng::Seed;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

/// Play matches between engines, programs and servers, on the same deals with seats exchanged
#[derive(Debug, Args)]
pub struct ArenaArgs {
    /// The game
    #[arg(value_name = "GAME")]
    game: String,

    /// A player, NAME=SPEC; give it twice or more. SPEC is
    /// engine[:name=NAME,level=easy|medium|hard|max,think=500ms,nodes=N] or
    /// cmd:PROGRAM ARGUMENTS (speaks the official dialogue) or
    /// server:URL[,think=500ms,nodes=N,level=L,seed=N]
    #[arg(long = "player", short = 'p', value_name = "NAME=SPEC", required = true)]
    players: Vec<Contestant>,

    /// Number of games; those of one deal, with seats exchanged, count singly
    #[arg(long, short = 'n', default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    games: u32,

    /// All deals and all randomness of engines come from it: a number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: Seed,

    /// The game's options as JSON, for example '{"players":4}'
    #[arg(long, value_name = "JSON", default_value = "{}", value_parser = json_value)]
    options: Value,

    /// Games played at the same time [default: number of cores]
    #[arg(long, short = 'c', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,

    /// The most a decision may take, instead of the game's own limit: milliseconds, or with a unit
    #[arg(long, value_name = "MS", value_parser = limit, conflicts_with = "no_limits")]
    move_limit: Option<Duration>,

    /// The most all decisions of a seat in a match may take, instead of the game's own limit
    #[arg(long, value_name = "MS", value_parser = limit, conflicts_with = "no_limits")]
    match_limit: Option<Duration>,

    /// No limits at all: a player that hangs hangs the run
    #[arg(long)]
    no_limits: bool,

    /// Write settings, a record of every game and the summary to this file, a line of JSON each
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Keep the moves in the records
    #[arg(long)]
    moves: bool,
}

fn json_value(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

fn limit(text: &str) -> Result<Duration, String> {
    if text.bytes().all(|b| b.is_ascii_digit()) { duration(&format!("{text}ms")) } else { duration(text) }
}

/// Plays, and prints the table to standard output. 0: everything was played; 1: games were voided or not played, or a
/// file could not be written; 2: what was asked for cannot be.
pub fn run(args: ArenaArgs) -> ExitCode {
    match try_run(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(Failed::Asked(text)) => complain(&text, 2),
        Err(Failed::Writing(text)) => complain(&text, 1),
    }
}

fn complain(text: &str, code: u8) -> ExitCode {
    eprintln!("error: {text}");
    ExitCode::from(code)
}

enum Failed {
    Asked(String),
    Writing(String),
}

fn try_run(args: ArenaArgs) -> Result<bool, Failed> {
    let game = find(&args.game).ok_or_else(|| {
        let names: Vec<&str> = GAMES.iter().map(|g| g.info().slug).collect();
        Failed::Asked(format!("no game is called '{}': there are {}", args.game, names.join(", ")))
    })?;
    let json = args.json.clone();
    let wanted = Wanted {
        limits: limits(&args, TimeLimits::official(game.info())),
        games: args.games,
        seed: args.seed,
        options: args.options,
        concurrency: args.concurrency.map_or_else(cores, usize::from),
        keep_moves: args.moves,
        players: args.players,
    };
    let plan = Plan::new(game, wanted).map_err(|e| Failed::Asked(e.to_string()))?;
    let mut log = json.map(|path| Log::create(path, &plan)).transpose().map_err(Failed::Writing)?;
    let stop = stop_on_signals().map_err(|e| Failed::Asked(format!("signals cannot be watched: {e}")))?;
    println!("{}", heading(&plan));
    for note in plan.notes() {
        println!("note: {note}");
    }
    let progress = Progress::new(plan.games());
    let mut complaints = Complaints::default();
    let each = |record: &Record| {
        progress.quietly(|| complaints.show(record));
        if let Some(log) = &mut log {
            log.line(&json!({ "record": record }));
        }
    };
    let records = play_all(&plan, &Network::new(), &stop, each, |ended| progress.set(ended));
    progress.end();
    let summary = Summary::of(&plan, &records);
    print!("\n{summary}");
    if let Some(mut log) = log {
        log.line(&json!({ "summary": summary }));
        log.close().map_err(Failed::Writing)?;
    }
    Ok(summary.voided.is_empty() && summary.not_played == 0)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn limits(args: &ArenaArgs, official: TimeLimits) -> TimeLimits {
    match (args.move_limit, args.match_limit) {
        _ if args.no_limits => TimeLimits::default(),
        (None, None) => official,
        (per_move, per_match) => TimeLimits {
            per_move: per_move.or(official.per_move),
            per_match: per_match.or(official.per_match),
        },
    }
}

/// The first signal ends the run in order, with the bots killed and the table printed; a second one ends the program.
fn stop_on_signals() -> io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag unset and only sets it.
        signal_hook::flag::register_conditional_shutdown(signal, 1, stop.clone())?;
        signal_hook::flag::register(signal, stop.clone())?;
    }
    Ok(stop)
}

fn heading(plan: &Plan) -> String {
    let settings = plan.to_json();
    let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    let of_limit = |name: &str| match &settings["limits"][name] {
        Value::Null => "none".to_owned(),
        ms => format!("{ms} ms"),
    };
    let players: Vec<String> = plan
        .players()
        .iter()
        .map(|p| {
            let engine = plan.engine_of(p).map_or_else(String::new, |e| format!(" ({e})"));
            format!("  {} = {}{engine}", p.name, p.text)
        })
        .collect();
    format!(
        "{} {}, {} seats, {} games, {} a deal, seed {}\nlimits: a move {}, a match {}; {} at a time\n{}",
        text(&settings["game"]),
        settings["options"],
        plan.seats(),
        plan.games(),
        plan.games_per_deal(),
        plan.seed_text(),
        of_limit("move_limit_ms"),
        of_limit("match_limit_ms"),
        settings["concurrency"],
        players.join("\n"),
    )
}

/// The file of settings, records and summary: a line of JSON each, written as they come.
struct Log {
    path: PathBuf,
    file: BufWriter<File>,
    error: Option<io::Error>,
}

impl Log {
    fn create(path: PathBuf, plan: &Plan) -> Result<Self, String> {
        let file = File::create(&path).map_err(|e| cannot_write(&path, &e))?;
        let mut log = Self { path, file: BufWriter::new(file), error: None };
        log.line(&json!({ "settings": plan.to_json() }));
        Ok(log)
    }

    /// Writes a line; the first failure is kept for the end, so that a full disk does not cost the matches.
    fn line(&mut self, json: &Value) {
        if self.error.is_none() {
            self.error = writeln!(self.file, "{json}").and_then(|()| self.file.flush()).err();
        }
    }

    fn close(self) -> Result<(), String> {
        self.error.map_or(Ok(()), |e| Err(cannot_write(&self.path, &e)))
    }
}

fn cannot_write(path: &Path, e: &io::Error) -> String {
    format!("{} cannot be written: {e}", path.display())
}

/// Says what went wrong, on standard error: the first of each kind at length.
#[derive(Default)]
struct Complaints {
    seen: Vec<String>,
}

impl Complaints {
    fn show(&mut self, record: &Record) {
        if let Some(why) = &record.void
            && self.is_new("void".to_owned())
        {
            eprintln!("game {} is void: {why}", record.game);
        }
        for fault in &record.faults {
            let player = &record.seats[usize::from(fault.seat)].player;
            if self.is_new(format!("{player} {}", fault.kind)) {
                eprintln!(
                    "game {}, ply {}: {player}: {}: {} (more like this are only counted)",
                    record.game, fault.ply, fault.kind, fault.detail
                );
                for line in fault.stderr.iter().flat_map(|t| t.lines()) {
                    eprintln!("  {player}'s stderr | {line}");
                }
            }
        }
    }

    fn is_new(&mut self, kind: String) -> bool {
        let new = !self.seen.contains(&kind);
        if new {
            self.seen.push(kind);
        }
        new
    }
}

/// A bar on a terminal; elsewhere a line now and then.
struct Progress {
    bar: Option<ProgressBar>,
    games: u32,
    started: Instant,
    told: std::cell::Cell<Instant>,
}

impl Progress {
    /// Time between two lines where there is no terminal.
    const TELL: Duration = Duration::from_secs(15);

    fn new(games: u32) -> Self {
        let now = Instant::now();
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(u64::from(games));
            let style = ProgressStyle::with_template("{bar:40} {pos}/{len} games, {elapsed}, {eta} to go");
            style.map_or(bar.clone(), |style| bar.with_style(style))
        });
        Self { bar, games, started: now, told: std::cell::Cell::new(now) }
    }

    fn set(&self, ended: u32) {
        match &self.bar {
            Some(bar) => bar.set_position(u64::from(ended)),
            None if self.told.get().elapsed() >= Self::TELL => {
                self.told.set(Instant::now());
                eprintln!("{ended} of {} games after {} s", self.games, self.started.elapsed().as_secs());
            }
            None => {}
        }
    }

    /// Lets something be printed that the bar does not overwrite.
    fn quietly(&self, print: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Requests over a socket.
struct Network(ureq::Agent);

impl Network {
    /// Longest answer that is read, in bytes.
    const LONGEST: u64 = 4 << 20;

    fn new() -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("kibitz-arena/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(Duration::from_secs(5)));
        Self(config.build().new_agent())
    }
}

impl Http for Network {
    fn post(&self, url: &str, body: &Value, timeout: Duration) -> Post {
        let request = self.0.post(url).config().timeout_global(Some(timeout)).build();
        let request = request.header("content-type", "application/json").header("accept", "application/json");
        let read = request.send(body.to_string().as_bytes()).and_then(|mut response| {
            let status = response.status().as_u16();
            let retry = response.headers().get("retry-after").and_then(|v| v.to_str().ok());
            let retry_after = retry.and_then(|s| s.trim().parse().ok()).map(Duration::from_secs);
            let body =
                response.body_mut().with_config().limit(Self::LONGEST).lossy_utf8(true).read_to_string()?;
            Ok(Reply { status, retry_after, body })
        });
        match read {
            Ok(reply) => Post::Answered(reply),
            Err(ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve)) => {
                Post::Failed("the server cannot be reached in time".to_owned())
            }
            Err(ureq::Error::Timeout(_)) => Post::TimedOut,
            Err(e) => Post::Failed(e.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read};
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: ArenaArgs,
    }

    fn game() -> &'static str {
        GAMES[0].info().slug
    }

    fn parse(arguments: &[&str]) -> Result<ArenaArgs, String> {
        let all = ["arena", game()].into_iter().chain(arguments.iter().copied());
        Line::try_parse_from(all).map(|l| l.args).map_err(|e| e.to_string())
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
        let reply = Reply { status: 200, retry_after: None, body: sent.to_string() };
        assert_eq!(Network::new().post(&echo, &sent, long), Post::Answered(reply));
        let busy = serve(|_| Some(response("503 Busy\r\nretry-after: 2", "later")));
        let reply = Reply { status: 503, retry_after: Some(Duration::from_secs(2)), body: "later".into() };
        assert_eq!(Network::new().post(&busy, &sent, long), Post::Answered(reply));
        let silent = serve(|_| None);
        let started = Instant::now();
        assert_eq!(Network::new().post(&silent, &sent, Duration::from_millis(200)), Post::TimedOut);
        assert!(started.elapsed() < Duration::from_secs(4));
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let post = Network::new().post(&format!("http://{closed}"), &sent, long);
        assert!(matches!(post, Post::Failed(_)), "{post:?}");
    }

    #[test]
    fn a_run_writes_settings_records_and_summary() {
        // The server plays the first legal move of the position it is sent.
        let url = serve(|body| {
            let body: Value = serde_json::from_str(body).unwrap();
            let position = GAMES[0].position(&body["position"]).unwrap();
            let notation = position.legal_moves()[0].notation.clone();
            Some(response("200 OK", &json!({ "notation": notation, "nodes": 1 }).to_string()))
        });
        let path = std::env::temp_dir().join(format!("kibitz-arena-{}.jsonl", std::process::id()));
        let (server, file) = (format!("S=server:{url},nodes=5"), path.to_str().unwrap());
        let args = ["-p", &server, "-p", "E=engine:nodes=5", "-n", "4", "--json", file, "--moves"];
        assert!(matches!(try_run(parse(&args).unwrap()), Ok(true)));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(lines.len(), 6);
        assert_eq!(lines[0]["settings"]["games"], 4);
        assert_eq!(lines[4]["record"]["game"], 3);
        assert!(!lines[4]["record"]["moves"].as_array().unwrap().is_empty());
        assert_eq!(lines[5]["summary"]["players"][0]["played"], 4);
    }

    #[test]
    fn what_cannot_be_asked_is_refused() {
        let two = ["-p", "A=engine", "-p", "B=engine"];
        let with = |more: &[&str]| parse(&[&two, more].concat());
        assert!(parse(&[]).is_err(), "players are needed");
        for more in [["-n", "0"], ["-c", "0"], ["--options", "{"], ["--seed", "x"], ["--move-limit", "-1"]] {
            assert!(with(&more).is_err(), "{more:?}");
        }
        assert!(with(&["--no-limits", "--move-limit", "5"]).is_err());
        let refused = |more: &[&str]| matches!(try_run(with(more).unwrap()), Err(Failed::Asked(_)));
        assert!(refused(&["-p", "A=engine"]), "a name twice");
        assert!(refused(&["--options", r#"{"no such option": 1}"#]));
        let unwritable = try_run(with(&["--json", "/nowhere/at/all"]).unwrap());
        assert!(matches!(unwritable, Err(Failed::Writing(_))));
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
}
