//! The permanent ladder with real programs as bots, on a server on which a client asks for moves all the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engines::games::GAMES;
use serde_json::{Value, json};

use super::environment::JoinServer;
use super::online::Online;
use super::tournament::bot;

/// Longer than the test takes; reached only by a failing test.
const LIMIT: Duration = Duration::from_secs(900);

/// A client that asks for one move after the other, so that some engine searches all the time. It ends when it is dropped.
struct BusyClient {
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<u32>>,
}

impl BusyClient {
    fn start(place: &JoinServer) -> Self {
        let fresh = place.post("/v1/games/azul/positions", &json!({}));
        let body = json!({ "position": fresh["position"], "think_ms": 100 }).to_string();
        let (url, stopping) =
            (format!("{}/v1/games/azul/move", place.url()), Arc::new(AtomicBool::new(false)));
        let flag = Arc::clone(&stopping);
        let thread = std::thread::spawn(move || {
            let mut answers = 0;
            while !flag.load(Ordering::Relaxed) {
                let reply = ureq::post(&url).header("content-type", "application/json").send(&body);
                answers += u32::from(reply.is_ok());
            }
            answers
        });
        Self { stopping, thread: Some(thread) }
    }

    /// Ends it; returns the number of its answers.
    fn stop(mut self) -> u32 {
        self.stopping.store(true, Ordering::Relaxed);
        self.thread.take().expect("it runs").join().unwrap()
    }
}

impl Drop for BusyClient {
    /// A failing test leaves no thread behind.
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
    }
}

#[test]
fn bots_of_every_game_play_on_the_ladder_of_a_half_busy_server() {
    let flags = ["--ladder=true", "--threads=2", "--max-think-ms=100", "--ladder-matches-per-hour=3600"];
    let place = JoinServer::open_with("ladder", &flags);
    let busy = BusyClient::start(&place);
    // Two bots of each game. They can meet only in games in which a bot can have either seat.
    let online: Vec<Online> = GAMES
        .iter()
        .flat_map(|game| [(game, 1), (game, 2)])
        .map(|(game, n)| {
            let slug = game.info().slug;
            let token = bot(&place, &format!("{slug}{n}"));
            Online::start(&place, &token, slug, &["--rated", "only"], &place.player(*game, n))
        })
        .collect();
    let is_of_bot = |entry: &Value| {
        let seats = entry["seats"].as_array().unwrap().iter();
        let is_rated = entry["rated"] == true && entry["result"].is_object();
        is_rated && seats.into_iter().any(|seat| seat["kind"] == "player")
    };
    let start = Instant::now();
    let without = || {
        let played = |slug: &str| {
            let list = place.get(&format!("/v1/matches?stage=over&game={slug}&limit=100"));
            list["matches"].as_array().unwrap().iter().any(is_of_bot)
        };
        GAMES.iter().map(|game| game.info().slug).filter(|slug| !played(slug)).collect::<Vec<_>>()
    };
    while !without().is_empty() {
        assert!(start.elapsed() < LIMIT, "no rated match with a bot is over: {:?}", without());
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(busy.stop() > 0, "the client had its moves");
    online.into_iter().for_each(|bot| drop(bot.ends_by_sigterm()));
}
