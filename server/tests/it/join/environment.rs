//! A server as its users start it, matches on it, and bots that join them: real processes, one database file.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engines::erased::AnyGame;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::end_to_end::shim;
use crate::server_process::ServerProcess;

/// Longer than any step takes; reached only by a failing test.
pub(crate) const LIMIT: Duration = Duration::from_secs(600);

/// A server with a folder of its own, and requests to it.
pub(crate) struct JoinServer {
    pub server: ServerProcess,
    pub folder: PathBuf,
}

impl JoinServer {
    pub(crate) fn open(name: &str) -> Self {
        Self::open_with(name, &[])
    }

    /// With more flags of the server.
    pub(crate) fn open_with(name: &str, flags: &[&str]) -> Self {
        let folder = std::env::temp_dir().join(format!("kibitz-join-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let server = ServerProcess::start(&[&["--creations-per-minute", "6000"], flags].concat());
        Self { server, folder }
    }

    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Makes a match; each seat that is `me` comes with its token.
    pub(crate) fn make(&self, order: &Value) -> CreatedMatch {
        let made = self.post("/v1/matches", order);
        let seats = made["seats"].as_array().unwrap().iter();
        let token =
            |seat: &Value| (seat["seat"].as_u64().unwrap(), seat["token"].as_str().map(str::to_owned));
        CreatedMatch { path: made["url"].as_str().unwrap().to_owned(), tokens: seats.map(token).collect() }
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let reply = ureq::post(format!("{}{path}", self.url()))
            .header("content-type", "application/json")
            .send(body.to_string())
            .unwrap();
        read_json(reply).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let reply = ureq::get(format!("{}{path}", self.url())).call().unwrap();
        read_json(reply).unwrap()
    }

    /// The events of a finished match, as a spectator sees them.
    pub(crate) fn events(&self, made: &CreatedMatch) -> Vec<Value> {
        let reply = ureq::get(format!("{}{}/events?since=0", self.url(), made.path))
            .header("accept", "application/x-ndjson")
            .call()
            .unwrap();
        let lines = BufReader::new(reply.into_body().into_reader()).lines().map(Result::unwrap);
        let frames: Vec<Value> =
            lines.filter(|line| !line.is_empty()).map(|line| serde_json::from_str(&line).unwrap()).collect();
        assert_eq!(frames.last().unwrap()["type"], "ended", "{frames:?}");
        frames
    }

    /// The moves of a match that is over, penalties included.
    pub(crate) fn moves(&self, made: &CreatedMatch) -> Vec<String> {
        let notation = |frame: &Value| {
            let played =
                if frame["type"] == "moved" { &frame["notation"] } else { &frame["instead"]["notation"] };
            played.as_str().map(str::to_owned)
        };
        self.events(made).iter().filter_map(notation).collect()
    }

    /// The mistakes of a match that is over: their kinds.
    pub(crate) fn fouls(&self, made: &CreatedMatch) -> Vec<String> {
        let events = self.events(made);
        let fouls = events.iter().filter(|frame| frame["type"] == "fouled");
        fouls.map(|frame| frame["kind"].as_str().unwrap().to_owned()).collect()
    }

    /// The command of a bot that asks this server for its moves. It makes the same moves every time.
    pub(crate) fn player(&self, game: &dyn AnyGame, seed: u64) -> Vec<String> {
        let (program, url, seed) = (shim().to_string_lossy().into_owned(), self.url(), seed.to_string());
        let words =
            [&program, game.info().slug, "--server", &url, "--nodes", "60", "--seed", &seed, "--memory", "-"];
        words.map(str::to_owned).to_vec()
    }

    /// Seats a bot, reached through `port`.
    pub(crate) fn join_by(&self, port: u16, made: &CreatedMatch, seat: u64, bot: &[String]) -> JoinProcess {
        let token = made.tokens.iter().find(|(s, _)| *s == seat).unwrap().1.clone().unwrap();
        JoinProcess::start(
            &format!("http://127.0.0.1:{port}{}", made.path),
            &[("KIBITZ_TOKEN", &token)],
            &[],
            bot,
        )
    }

    pub(crate) fn join(&self, made: &CreatedMatch, seat: u64, bot: &[String]) -> JoinProcess {
        self.join_by(self.server.address.port(), made, seat, bot)
    }

    /// A script as a bot.
    pub(crate) fn script(text: &str) -> Vec<String> {
        ["sh", "-c", text].map(str::to_owned).to_vec()
    }
}

impl Drop for JoinServer {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) struct CreatedMatch {
    pub path: String,
    pub tokens: Vec<(u64, Option<String>)>,
}

/// A match in which the bot has this seat. The others are the test's own, and play the same moves every time.
pub(crate) fn order(game: &dyn AnyGame, seat: u8, seed: u64) -> Value {
    let seats = game.info().min_seats.max(2).max(seat + 1);
    json!({"game": game.info().slug, "seats": vec![json!({"kind": "me"}); usize::from(seats)], "seed": seed})
}

/// Plays the other seats of a match until it is over.
pub(crate) struct OtherSeats(Option<JoinHandle<()>>);

impl OtherSeats {
    pub(crate) fn play(place: &JoinServer, made: &CreatedMatch, bot: u64) -> Self {
        let url = format!("{}{}", place.url(), made.path);
        let tokens = made.tokens.iter().filter(|(seat, _)| *seat != bot);
        let tokens: Vec<(u64, String)> =
            tokens.filter_map(|(seat, token)| Some((*seat, token.clone()?))).collect();
        Self(Some(std::thread::spawn(move || {
            let start = Instant::now();
            while start.elapsed() < LIMIT {
                match turn(&url, &tokens) {
                    Ok(Turn::Over) => break,
                    Ok(Turn::Moved) => {}
                    // The server may be away at any moment. Asking more often takes the processor from the bot.
                    Ok(Turn::NotYet) | Err(_) => std::thread::sleep(Duration::from_millis(8)),
                }
            }
        })))
    }
}

impl Drop for OtherSeats {
    fn drop(&mut self) {
        if let Some(playing) = self.0.take().filter(|_| !std::thread::panicking()) {
            playing.join().unwrap();
        }
    }
}

/// The JSON of an answer; `None`: it broke off, or is none. The body is read first: reading single bytes of a connection takes most of
/// the time of a test that asks often.
pub(crate) fn read_json(reply: ureq::http::Response<ureq::Body>) -> Option<Value> {
    let body = reply.into_body().into_with_config().limit(u64::MAX).read_to_vec().ok()?;
    serde_json::from_slice(&body).ok()
}

/// What became of a look at a match.
enum Turn {
    Over,
    Moved,
    NotYet,
}

/// Makes a move if one is due.
fn turn(url: &str, tokens: &[(u64, String)]) -> Result<Turn, ureq::Error> {
    let page = |token: &str| {
        let reply = ureq::get(url).header("authorization", format!("Bearer {token}")).call()?;
        Ok::<Value, ureq::Error>(read_json(reply).unwrap_or_default())
    };
    let seen = page(&tokens[0].1)?;
    if let Some((_, token)) = tokens.iter().find(|(seat, _)| seen["turn"] == *seat) {
        let seen = page(token)?;
        if let (Some(moves), Some(ply)) =
            (seen["legal_moves"].as_array().filter(|m| !m.is_empty()), seen["ply"].as_u64())
        {
            let pick = (ply as usize * 7 + 3) % moves.len();
            let mv = json!({"notation": moves[pick]["notation"], "ply": ply});
            ureq::post(format!("{url}/moves"))
                .header("authorization", format!("Bearer {token}"))
                .header("content-type", "application/json")
                .send(mv.to_string())?;
            return Ok(Turn::Moved);
        }
    }
    Ok(if seen["stage"] == "over" { Turn::Over } else { Turn::NotYet })
}

/// `kibitz-shim join` and the bot behind it.
pub(crate) struct JoinProcess {
    child: Child,
    stderr: Option<JoinHandle<String>>,
}

impl JoinProcess {
    pub(crate) fn start(url: &str, env: &[(&str, &str)], flags: &[&str], bot: &[String]) -> Self {
        let mut command = Command::new(shim());
        command
            .args(["join", url])
            .args(flags)
            .arg("--")
            .args(bot)
            .stdin(Stdio::null())
            .stderr(Stdio::piped());
        command.stdout(Stdio::null()).envs(env.iter().copied()).process_group(0);
        let mut child = command.spawn().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let stderr = std::thread::spawn(move || {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).unwrap();
            String::from_utf8_lossy(&text).into_owned()
        });
        Self { child, stderr: Some(stderr) }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for its end; returns the exit status and its notes.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let start = Instant::now();
        while self.is_running() {
            if start.elapsed() > LIMIT {
                let _ = self.child.kill();
                panic!("it does not end; it noted {:?}", self.stderr.take().unwrap().join().unwrap());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let status = self.child.wait().unwrap().code();
        (status, self.stderr.take().unwrap().join().unwrap())
    }

    /// Waits for the end of the match.
    #[track_caller]
    pub(crate) fn plays_to_the_end(self) -> String {
        let (status, notes) = self.end();
        assert_eq!(status, Some(0), "{notes}");
        assert!(notes.contains("kibitz shim: the match is over: "), "{notes}");
        notes
    }

    /// Waits for its end with an error; returns its notes.
    #[track_caller]
    pub(crate) fn fails(self) -> String {
        let (status, notes) = self.end();
        assert!(status.is_some_and(|status| status != 0), "{notes}");
        notes
    }
}

impl Drop for JoinProcess {
    /// A failing test leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
