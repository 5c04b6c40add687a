//! The programs as contests run them: the shim as the bot of every official referee, with a real server on loopback. The
//! referees are the independent ones of `official`; none of them may report a fault.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use engines::erased::{AnyGame, Awaits};
use engines::game;
use engines::games::GAMES;
use engines::protocol::{Entry, Settings};
use engines::rng::Seed;
use engines::search::{Limits, Patient};

use crate::official::{self, Bot, RefereeFaultKind, Report, SeatBot};
use crate::server_process::ServerProcess;

/// Longer than any step takes; reached only by a failing test.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// The shim beside the server: `cargo test --workspace` builds both.
pub(crate) fn shim() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_kibitz")).with_file_name("kibitz-shim");
    assert!(path.exists(), "{} is not built: cargo build -p kibitz-shim", path.display());
    path
}

/// A bot's own directory, removed on drop.
pub(crate) struct Home(PathBuf);

impl Home {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("kibitz-e2e-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The shim as a contest's bot: a link named after the game, with its settings in the environment. A copy could not
    /// always start ("Text file busy"): a process that another test forks meanwhile holds the copy open for writing.
    pub(crate) fn bot(&self, game: &str, server: &ServerProcess, env: &[(&str, &str)]) -> SeatBot {
        let program = self.0.join(format!("kibitz-{game}"));
        match std::os::unix::fs::symlink(shim(), &program) {
            Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => panic!("{}: {e}", program.display()),
            // Another bot of this test has the same link.
            _ => {}
        }
        let url = server.url();
        // Not the cache of the user who runs the tests.
        let cache = self.0.join("cache").to_string_lossy().into_owned();
        let fixed = [
            ("XDG_CACHE_HOME", cache.as_str()),
            ("KIBITZ_SERVER", url.as_str()),
            ("KIBITZ_NODES", "60"),
            ("KIBITZ_SEED", "1"),
        ];
        let env = fixed.iter().chain(env).map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        SeatBot::Child(Bot {
            command: vec![program.to_string_lossy().into_owned()],
            env,
            dir: self.0.clone(),
        })
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How often each line-up plays: once, or as often as `KIBITZ_OFFICIAL_SEEDS` asks.
fn seeds() -> std::ops::Range<u64> {
    0..std::env::var("KIBITZ_OFFICIAL_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// Asserts that there are no faults, and that every process exited when it should.
pub(crate) fn assert_clean(report: &Report, what: &str) {
    assert!(report.faults.is_empty() && report.lingered.is_empty(), "{what}: {report}");
}

#[test]
fn splendor_under_both_headers_and_with_every_number_of_players() {
    let home = Home::new();
    let server = ServerProcess::start(&[]);
    for seed in seeds() {
        for (base, players, seats) in [
            (0, 2, vec![1]),
            (1, 2, vec![0]),
            (1, 2, vec![0, 1]),
            (0, 3, vec![1]),
            (1, 4, vec![2]),
            (0, 1, vec![0]),
        ] {
            let who = |seat| {
                if seats.contains(&seat) { home.bot("splendor", &server, &[]) } else { SeatBot::Random }
            };
            let mut game = official::splendor::Match::new((0..players).map(who).collect(), 7 + seed);
            game.base = base;
            let report = game.play();
            assert_clean(&report, &format!("base {base}, {players} players, ours {seats:?}, seed {seed}"));
            for seat in seats {
                assert_eq!(official::splendor::voided(&report, seat).count(), 0, "{report}");
                assert!(report.decisions[seat] > 5, "{report}");
            }
        }
    }
}

/// One user plays two matches at the same time, under referees that count from 0 and from 1. The header of both seats
/// leaves open which.
#[test]
fn splendor_under_both_headers_at_the_same_time() {
    let home = Home::new();
    let server = ServerProcess::start(&[]);
    for (seed, other) in [(7, 7), (8, 9)] {
        let play = |base: usize, seed| {
            let seat = 1 - base;
            let who = |at| if at == seat { home.bot("splendor", &server, &[]) } else { SeatBot::Random };
            let mut game = official::splendor::Match::new([0, 1].map(who).to_vec(), seed);
            game.base = base;
            let report = game.play();
            assert_clean(&report, &format!("base {base}, seed {seed}"));
            assert_eq!(official::splendor::voided(&report, seat).count(), 0, "{report}");
            assert!(report.decisions[seat] > 5, "{report}");
        };
        std::thread::scope(|scope| {
            scope.spawn(|| play(0, seed));
            scope.spawn(|| play(1, other));
        });
    }
}

#[test]
fn azul_with_every_kind_of_input() {
    let server = ServerProcess::start(&[]);
    for seed in seeds() {
        for (input, seat) in [("state", 0), ("update", 1), ("both", 0), ("state", 1)] {
            let home = Home::new();
            let option = format!("input={input}");
            let ours = home.bot("azul", &server, &[("KIBITZ_OPTIONS", &option)]);
            let seats = if seat == 0 { [ours, SeatBot::Random] } else { [SeatBot::Random, ours] };
            let report = official::azul::Match::new(seats, 3 + seed).play();
            assert_clean(&report, &format!("{input} on seat {seat}, seed {seed}"));
            assert!(report.points[seat] > report.points[1 - seat], "any engine beats random moves: {report}");
        }
    }
}

#[test]
fn septica_with_every_reading_of_an_open_point_in_the_statement() {
    let home = Home::new();
    let server = ServerProcess::start(&[]);
    for seed in seeds() {
        for draw in official::septica::DRAWS {
            for last_zero in official::septica::LAST_ZEROS {
                let mut game = official::septica::Match::new(home.bot("septica", &server, &[]), 11 + seed);
                game.matches = 12;
                game.draw = draw;
                game.last_zero = last_zero;
                let report = game.play();
                assert_clean(&report, &format!("{draw:?}, {last_zero:?}, seed {seed}"));
            }
        }
    }
}

#[test]
fn buraco_with_every_shape_of_its_lines() {
    let home = Home::new();
    let server = ServerProcess::start(&[]);
    for seed in seeds() {
        for (hand_in_brackets, top_in_answer, ours) in
            [(true, false, vec![0]), (false, true, vec![1]), (true, true, vec![0, 1])]
        {
            let who =
                |seat| if ours.contains(&seat) { home.bot("buraco", &server, &[]) } else { SeatBot::Random };
            let mut game = official::buraco::Match::new([who(0), who(1)], 9 + seed);
            game.hand_in_brackets = hand_in_brackets;
            game.top_in_answer = top_in_answer;
            game.limit = LIMIT;
            let report = game.play();
            assert_clean(&report, &format!("ours {ours:?}, seed {seed}"));
        }
    }
}

/// The official referee lets a seat list a card twice that it holds once; the real second copy turns up later.
#[test]
fn buraco_against_a_player_that_lists_cards_twice() {
    let home = Home::new();
    let server = ServerProcess::start(&[]);
    let mut doubled = 0;
    for seed in 0..6 * seeds().end {
        let ours = seed as usize % 2;
        let mut seats = [SeatBot::Random, SeatBot::Random];
        seats[ours] = home.bot("buraco", &server, &[]);
        let mut game = official::buraco::Match::new(seats, 100 + seed);
        game.doubles = true;
        game.limit = LIMIT;
        let report = game.play();
        let (own, other): (Vec<_>, Vec<_>) = report.faults.iter().partition(|fault| fault.seat == ours);
        assert!(own.is_empty() && report.lingered.is_empty(), "seed {seed}: {report}");
        assert!(other.iter().all(|fault| fault.kind == RefereeFaultKind::Lenient), "seed {seed}: {report}");
        doubled += other.len();
    }
    assert!(doubled as u64 > seeds().end, "{doubled} cards were listed twice");
}

#[test]
fn ioiwari_is_won_from_every_start_it_is_given() {
    let home = Home::new();
    let server = ServerProcess::start(&[]);
    for seed in 0..8 * seeds().end {
        let report = official::ioiwari::Match::new(home.bot("ioiwari", &server, &[]), seed).play();
        assert_clean(&report, &format!("seed {seed}"));
        assert_eq!(report.winner, Some(0), "{report}");
    }
}

/// Compares the server's decision with that of the engine in this process, for the same nodes and seed. The shim has the
/// same test for its build with the engines in it.
#[test]
fn server_decides_as_the_engine_in_process_does() {
    let server = ServerProcess::start(&[]);
    for game in GAMES {
        let slug = game.info().slug;
        let (input, expected) = first_decision(*game);
        let url = format!("{}/v1/games/{slug}/move?nodes=150&seed=5", server.url());
        let answer = ureq::post(&url).content_type("text/plain").send(&input).unwrap();
        assert_eq!(answer.into_body().read_to_string().unwrap(), format!("{expected}\n"), "{slug}: {input}");
    }
}

/// The transcript that the first bot's seat of a game reads before its first decision, and that decision.
fn first_decision(game: &dyn AnyGame) -> (String, String) {
    let mut table = game.deal(&serde_json::json!({}), &Seed::from(3)).unwrap();
    let seat = game::Seat(game.info().bot_seats[0]);
    table.seat_bot(seat, &Settings::default()).unwrap();
    let mut session = game.session(&Settings::default()).unwrap();
    let mut transcript: Vec<Entry> = session.take_lines().into_iter().map(Entry::Printed).collect();
    for line in &transcript {
        let Entry::Printed(line) = line else { unreachable!("only what was said") };
        table.hear(seat, line).unwrap();
    }
    while table.turn() != game::Turn::Of(seat) {
        let game::Turn::Of(other) = table.turn() else { panic!("the match is over") };
        let mv = table.view(game::Viewer::Seat(other)).legal_moves().remove(0);
        table.play(other, &mv.notation).unwrap();
    }
    table.prompt(seat, Some(Duration::from_secs(30)));
    let read: Vec<Entry> = table.take_lines(seat).into_iter().map(Entry::Read).collect();
    session.push(read.clone());
    transcript.extend(read);
    let Ok(Awaits::Decision(question)) = session.advance() else { panic!("a decision is due") };
    let seed = question.seed(&Seed::from(5));
    let limits = Limits { nodes: Some(150), seed, ..Limits::default() };
    let answer = question.position.think(None, limits, &Patient).unwrap();
    let text: Vec<String> = transcript.iter().map(Entry::to_string).collect();
    (text.join("\n"), answer.mv.notation)
}

#[test]
fn killed_server_costs_the_bot_nothing() {
    let home = Home::new();
    let mut server = ServerProcess::start(&[]);
    let options = [("KIBITZ_NODES", "2000")];
    let mut septica = official::septica::Match::new(home.bot("septica", &server, &options), 5);
    septica.matches = 1000;
    let done = AtomicBool::new(false);
    let mut kills: u64 = 0;
    let report = std::thread::scope(|scope| {
        let playing = scope.spawn(|| {
            let report = septica.play();
            done.store(true, Ordering::Relaxed);
            report
        });
        while !done.load(Ordering::Relaxed) {
            // Longer than the shim waits before it reconnects; longer each time, so that a slow machine gets on too.
            std::thread::sleep(Duration::from_millis(700 + 100 * kills));
            server.kill_and_restart();
            kills += 1;
        }
        playing.join().unwrap()
    });
    assert_clean(&report, &format!("{kills} kills"));
    assert_eq!(report.points.iter().sum::<i32>(), 1000, "{report}");
    assert!(kills > 1, "the contest was over before the server was killed: {report}");
    assert_eq!(report.count(RefereeFaultKind::TooSlow), 0);
}
