//! cargo bench -p kibitz --bench ratings: leaderboards and players' pages over HTTP among a million finished rated matches,
//! and how long the check of all ratings takes. `KIBITZ_BENCH_DIR` names a directory on another disk.

mod common;

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use engines::search_kit::fast_rng::FastRng;
use kibitz::metrics::StoreMetrics;
use kibitz::ratings::{Rating, after_match};
use kibitz::store::{DatabaseStore, NodeStore, RatingStore};
use rusqlite::{Connection, params};

/// The number of games.
const GAME_COUNT: usize = engines::games::GAMES.len();

/// The short names of all games.
static GAMES: LazyLock<[&str; GAME_COUNT]> =
    LazyLock::new(|| std::array::from_fn(|game| engines::games::GAMES[game].info().slug));

const MATCHES: usize = 1_000_000;
const PEOPLE: usize = 20_000;
const BOTS: usize = 4_000;
const REQUESTS: usize = 500;

#[tokio::main]
async fn main() {
    let disk = std::env::var_os("KIBITZ_BENCH_DIR").unwrap_or(".".into());
    let folder = tempfile::tempdir_in(disk).expect("the disk takes a folder");
    let database = folder.path().join("kibitz.db");
    // The server creates the tables and the engines.
    common::server_on(&database, &[], engines::games::GAMES).await.stop().await;
    let began = Instant::now();
    let busiest = fill(&database);
    let size = std::fs::metadata(&database).map_or(0, |file| file.len()) >> 20;
    println!(
        "{MATCHES} rated matches of {PEOPLE} people and {BOTS} bots: {size} MiB, made in {:.0?}",
        began.elapsed()
    );
    let server = common::server_on(&database, &["--check-minutes=0"], engines::games::GAMES).await;
    let mut client = common::BenchClient::dial(server.address()).await;
    let mut rng = FastRng::new(1);
    boards(&mut client).await;
    let mut names = || format!("player{}", skewed(&mut rng, PEOPLE + BOTS));
    measure(&mut client, "players' pages, any player", || format!("/v1/players/{}", names())).await;
    measure(&mut client, "players' pages for people", || format!("/players/{}", names())).await;
    measure(&mut client, "the page of the busiest player", || format!("/v1/players/{busiest}")).await;
    let game = |n: &mut usize| {
        *n += 1;
        GAMES[*n % GAMES.len()]
    };
    let mut n = 0;
    measure(&mut client, "its history, 500 points", || {
        format!("/v1/players/{busiest}/ratings/{}?points=500", game(&mut n))
    })
    .await;
    measure(&mut client, "its opponents, 200", || {
        format!("/v1/players/{busiest}/opponents/{}?limit=200", game(&mut n))
    })
    .await;
    server.stop().await;
    let store =
        DatabaseStore::open_file(&database, 0, StoreMetrics::default()).await.expect("the database opens");
    let began = Instant::now();
    let check = store.check_ratings().await.expect("it can be read");
    assert!(check.differences.is_empty(), "{check:?}");
    println!("check of {} results and {} ratings: {:.1?}", check.results, check.ratings, began.elapsed());
    store.close().await;
}

/// Every page of the leaderboards, by all filters, up to a depth.
async fn boards(client: &mut common::BenchClient) {
    let mut paths = Vec::new();
    for game in *GAMES {
        for filter in ["", "kind=person&", "kind=bot&", "kind=engine&", "provisional=false&"] {
            let mut after = String::new();
            for _ in 0..4 {
                let path = format!("/v1/games/{game}/leaderboard?{filter}limit=200{after}");
                let (status, body) = client.exchange(&get(&path)).await;
                assert_eq!(status, 200);
                paths.push(path);
                let page: serde_json::Value = serde_json::from_slice(body).expect("it is JSON");
                let Some(next) = page["next"].as_str() else { break };
                after = format!("&after={next}");
            }
        }
    }
    let count = paths.len();
    let mut turn = paths.iter().cycle();
    let what = format!("{count} pages of leaderboards, 200 players each");
    measure(client, &what, || turn.next().expect("it never ends").clone()).await;
    let mut turn = GAMES.iter().cycle();
    measure(client, "leaderboards for people", || {
        format!("/games/{}/leaderboard", turn.next().expect("it never ends"))
    })
    .await;
}

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n").into_bytes()
}

async fn measure(client: &mut common::BenchClient, what: &str, mut path: impl FnMut() -> String) {
    let mut times: Vec<Duration> = Vec::with_capacity(REQUESTS);
    for _ in 0..REQUESTS {
        let request = get(&path());
        let asked = Instant::now();
        let (status, _) = client.exchange(&request).await;
        times.push(asked.elapsed());
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&request));
    }
    times.sort_unstable();
    let [p50, p99, most] = [0.5, 0.99, 1.0].map(|q| common::quantile(&times, q));
    println!("{what}: p50 {p50:.2?}, p99 {p99:.2?}, at most {most:.2?}");
}

/// A number below `n`; small ones are likelier, as a few players play most matches.
fn skewed(rng: &mut FastRng, n: usize) -> usize {
    ((f64::from(rng.unit()).powi(3) * n as f64) as usize).min(n - 1)
}

/// A player in the making.
struct MadePlayer {
    id: String,
    name: String,
    kind: &'static str,
    /// Per game: the rating, the matches, the time at which the last one ended, and how many were won.
    games: [(Rating, i64, i64, i64); GAME_COUNT],
}

/// Fills a database that a server has created. Ratings and what belongs to them are what the server would have written.
/// Returns the name of the player with most matches.
fn fill(database: &Path) -> String {
    let db = Connection::open(database).expect("the database opens");
    db.execute_batch(
        "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN",
    )
    .expect("it is ours");
    let mut players = add_players(&db);
    let mut engines: [Vec<usize>; GAME_COUNT] = Default::default();
    for (n, player) in players.iter().enumerate().filter(|(_, player)| player.kind == "engine") {
        let game = GAMES.iter().position(|game| player.name.split(':').next() == Some(game));
        engines[game.expect("it is an engine of a game")].push(n);
    }
    let mut rng = FastRng::new(2);
    let mut history = Vec::with_capacity(2 * MATCHES);
    let mut versus: HashMap<(usize, usize, usize), [i64; 3]> = HashMap::new();
    {
        let mut writer = MatchWriter::new(&db);
        for nr in 1..=MATCHES {
            let game = rng.below(GAMES.len());
            let a = skewed(&mut rng, PEOPLE + BOTS);
            let b = match rng.below(4) {
                0 => engines[game][rng.below(engines[game].len())],
                _ => (a + 1 + skewed(&mut rng, PEOPLE + BOTS - 1)) % (PEOPLE + BOTS),
            };
            // The lower the number, the stronger.
            let places = if rng.below(a + b + 2) <= b { [1, 2] } else { [2, 1] };
            writer.add(nr, game, [&players[a], &players[b]], places);
            let before = [a, b].map(|n| players[n].games[game].0);
            let after = after_match(&before, &places);
            for ((own, other), (rating, place)) in
                [(a, b), (b, a)].into_iter().zip(after.into_iter().zip(places))
            {
                let won = i64::from(place == 1);
                let entry = &mut players[own].games[game];
                *entry = (rating, entry.1 + 1, nr as i64, entry.3 + won);
                history.push((own, game, entry.1, nr as i64, rating));
                let sums = versus.entry((own, game, other)).or_default();
                *sums = [sums[0] + 1, sums[1] + won, 0];
            }
        }
    }
    write_ratings(&db, &players, history, versus);
    db.execute_batch("COMMIT").expect("it is written");
    let played = |player: &&MadePlayer| player.games.iter().map(|game| game.1).sum::<i64>();
    let busiest = players.iter().filter(|player| player.kind != "engine").max_by_key(played);
    busiest.map_or_else(String::new, |player| player.name.clone())
}

/// Adds people and bots, in this order; appends the engines that are there.
fn add_players(db: &Connection) -> Vec<MadePlayer> {
    let mut players = Vec::with_capacity(PEOPLE + BOTS);
    let sql = "INSERT INTO players (id, name, folded_name, key, created_ms, skeleton, kind, owner)
        VALUES (?, ?, ?, ?, 0, ?, ?, ?)";
    let mut insert = db.prepare(sql).expect("it is SQL");
    for n in 0..PEOPLE + BOTS {
        let (id, name) = (format!("00000000-0000-7000-8000-{n:012}"), format!("player{n}"));
        let (kind, owner) = if n < PEOPLE { ("person", None) } else { ("bot", Some(&players[n - PEOPLE])) };
        let owner = owner.map(|owner: &MadePlayer| owner.id.clone());
        insert
            .execute(params![id, name, name, format!("key of {n}"), name, kind, owner])
            .expect("it is written");
        players.push(MadePlayer { id, name, kind, games: Default::default() });
    }
    let mut engines = db.prepare("SELECT id, name FROM players WHERE kind = 'engine'").expect("it is SQL");
    let rows = engines.query_map([], |row| {
        Ok(MadePlayer { id: row.get(0)?, name: row.get(1)?, kind: "engine", games: Default::default() })
    });
    players.extend(rows.expect("it can be read").map(|row| row.expect("it can be read")));
    players
}

/// Writes finished matches and their results.
struct MatchWriter<'a> {
    matches: rusqlite::Statement<'a>,
    players: rusqlite::Statement<'a>,
    results: rusqlite::Statement<'a>,
}

impl<'a> MatchWriter<'a> {
    fn new(db: &'a Connection) -> Self {
        let prepare = |sql: &str| db.prepare(sql).expect("it is SQL");
        Self {
            matches: prepare(
                "INSERT INTO matches (nr, id, game, stage, private, created_ms, ended_ms, summary, players)
                VALUES (?1, ?2, ?3, 'over', 0, ?1, ?1, ?4, ?5)",
            ),
            players: prepare(
                "INSERT INTO match_players (match_nr, player, match_id, game, stage, private, score)
                VALUES (?, ?, ?, ?, 'over', 0, ?)",
            ),
            results: prepare(
                "INSERT INTO rated_results (nr, match_id, game, at_ms, seats) VALUES (?1, ?2, ?3, ?1, ?4)",
            ),
        }
    }

    fn add(&mut self, nr: usize, game: usize, seats: [&MadePlayer; 2], places: [u8; 2]) {
        let (game, number) = (GAMES[game], nr as i64);
        let id = format!("019a0000-{:04x}-7{:03x}-8000-000000000000", nr >> 12, nr & 4095);
        let seat =
            |n: usize| format!(r#"{{"kind":"player","name":"{}","rank":{}}}"#, seats[n].name, places[n]);
        let summary = format!(r#"{{"seats":[{},{}],"rated":true}}"#, seat(0), seat(1));
        let score = places.map(|place| f64::from(u8::from(place == 1)));
        let listed = |n: usize| format!(r#"["{}","{}",{:.1}]"#, seats[n].id, seats[n].name, score[n]);
        let players = format!("[{},{}]", listed(0), listed(1));
        self.matches.execute(params![number, id, game, summary, players]).expect("it is written");
        for (player, score) in seats.iter().zip(score) {
            self.players.execute(params![number, player.id, id, game, score]).expect("it is written");
        }
        let seats = format!(r#"[["{}",{}],["{}",{}]]"#, seats[0].id, places[0], seats[1].id, places[1]);
        self.results.execute(params![number, id, game, seats]).expect("it is written");
    }
}

fn write_ratings(
    db: &Connection,
    players: &[MadePlayer],
    mut history: Vec<(usize, usize, i64, i64, Rating)>,
    versus: HashMap<(usize, usize, usize), [i64; 3]>,
) {
    let prepare = |sql: &str| db.prepare(sql).expect("it is SQL");
    let mut ratings = prepare("INSERT INTO ratings VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    let mut results = prepare("INSERT INTO results VALUES (?, ?, ?, ?, 0)");
    for player in players {
        for (game, (rating, played, last_ms, won)) in GAMES.iter().zip(player.games) {
            if played == 0 {
                continue;
            }
            // As the store sorts them.
            let listed = if rating.is_provisional() { rating.mu - 1000.0 } else { rating.mu };
            let row = params![player.id, game, player.kind, rating.mu, rating.sigma, played, last_ms, listed];
            ratings.execute(row).expect("it is written");
            results.execute(params![player.id, game, played, won]).expect("it is written");
        }
    }
    history.sort_unstable_by_key(|(player, game, played, ..)| (*player, *game, *played));
    let mut insert = prepare("INSERT INTO rating_history VALUES (?, ?, ?, ?, ?, ?, ?, NULL)");
    for (player, game, played, nr, rating) in history {
        let row = params![players[player].id, GAMES[game], played, nr, rating.mu, rating.sigma, nr];
        insert.execute(row).expect("it is written");
    }
    let mut versus: Vec<_> = versus.into_iter().collect();
    versus.sort_unstable();
    let mut insert = prepare("INSERT INTO versus VALUES (?, ?, ?, ?, ?, ?)");
    for ((player, game, opponent), [played, won, drawn]) in versus {
        let row = params![players[player].id, GAMES[game], players[opponent].id, played, won, drawn];
        insert.execute(row).expect("it is written");
    }
}
