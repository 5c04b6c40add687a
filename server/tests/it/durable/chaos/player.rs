//! A client that plays whole matches at any nodes, and measures what the clocks charge and how fast the match goes on.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use engines::rng::{Rng, Seed};
use serde_json::{Value, json};

use super::super::follower::{FollowMode, Follower, SocketPlayer};
use super::super::network::assert_told_all;
use super::super::record_checks::{assert_true, assert_verified};
use super::super::retrying_client::{Acknowledged, PlayedMatch};
use super::caller::{Caller, SlowRequest, TimedAnswer};

/// The server's default time for players to reconnect.
const GRACE: Duration = Duration::from_secs(2);

/// A short time for a move, in milliseconds: some times the longest that a player here thinks.
const SHORT_MS: u64 = 3_000;

/// The way in which a client plays.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayStyle {
    /// The longest time that its players think.
    pub think: Duration,
    /// One in this many matches is Buraco, by far the longest game.
    pub long_match: usize,
    /// One in this many matches has a short time for each move; `None`: none has, since a slow machine would lose it.
    pub short_clock: Option<usize>,
}

/// A turn of this client's players.
pub(super) struct Turn {
    /// The charge to the clock beyond the time that its player had at most, in milliseconds.
    pub beyond: f64,
    /// The same beyond the time from the moment at which the turn was shown to the client, or to a follower who holds its
    /// seat.
    pub beyond_shown: f64,
    /// How long the client had waited in vain for nodes before that moment, since it asked for the turn; in milliseconds.
    pub waited: f64,
    /// That moment at the client.
    pub shown: Instant,
    seat: usize,
    /// The same beyond the time until the move was sent first: contains the time in which the client waited for a node
    /// that did not answer.
    pub beyond_first: f64,
    /// Whether no node served for a while.
    pub met_outage: bool,
    /// The time at which its move was acknowledged.
    pub at: Instant,
    pub seq: u64,
    pub what: String,
}

/// The way of an acknowledged move to a follower.
pub(super) struct FollowerDelay {
    pub acknowledged: Instant,
    pub arrived: Instant,
    pub how: FollowMode,
}

/// A match that was played to its end.
pub(super) struct FinishedMatch {
    pub began: Instant,
    /// The times at which the client saw it go on; empty if that was not measured.
    pub progress: Vec<Instant>,
    /// Whether an engine took part.
    pub has_engine: bool,
    /// Its requests that took long.
    pub slow: Vec<SlowRequest>,
    pub turns: Vec<Turn>,
    /// The time at which a player lost on time, which no player here does.
    pub lost: Option<Instant>,
    /// How many events `resumed` there were, and how many of them took out less than 50 ms.
    pub resumed: (usize, usize),
    /// When each acknowledged move reached each follower.
    pub late: Vec<FollowerDelay>,
    /// How often its followers had to reconnect.
    pub returns: usize,
    pub moves: usize,
}

/// The order of the n-th match: all games; every third match against an engine.
fn order(n: usize, manner: PlayStyle) -> Value {
    let game = match n {
        n if n.is_multiple_of(manner.long_match) => "buraco",
        n => ["splendor", "azul", "septica", "ioiwari", "ioiwari"][n % 5],
    };
    let engine = json!({ "kind": "engine", "level": "easy", "think_ms": 50, "nodes": 100 });
    let second = if n.is_multiple_of(3) { engine } else { json!({ "kind": "me", "name": "second" }) };
    let clock = match manner.short_clock {
        // Buraco's seats are more than two, so that its matches do not end when one is out of time.
        Some(every) if n % every == 1 && !over_sockets(n) && game != "buraco" => {
            json!({ "move_ms": SHORT_MS })
        }
        _ => json!({ "initial_ms": 3_600_000, "increment_ms": 1000 }),
    };
    json!({ "game": game, "seats": [{ "kind": "me", "name": "first" }, second], "clock": clock })
}

/// Whether the n-th match is played over WebSockets.
fn over_sockets(n: usize) -> bool {
    n % 8 == 5
}

/// Plays the n-th match, and checks everything that it and its followers received.
pub(super) async fn play(nodes: &[SocketAddr], n: usize, manner: PlayStyle) -> FinishedMatch {
    let mut rng = Rng::new(&Seed::from(n as u64));
    let mut nodes = nodes.to_vec();
    nodes.rotate_left(n % 3);
    let order = order(n, manner);
    let given = Instant::now();
    let mut table = PlayedMatch::create(&nodes, &order, &format!("match {n} in the chaos")).await;
    let began = Instant::now();
    let ways = [(FollowMode::Sse, None), (FollowMode::Live, Some(0)), (FollowMode::Ndjson, None)];
    let followers = [ways[n % 3], ways[(n + 1) % 3]].map(|(how, seat)| {
        nodes.rotate_left(1);
        let token = seat.and_then(|seat: usize| table.tokens[seat].as_deref());
        (seat, tokio::spawn(Follower::new(&nodes, &table.id, token, how).follow()))
    });
    let (mut progress, mut slow, mut turns) = (Vec::new(), Vec::new(), Vec::new());
    let mut acknowledged = BTreeMap::new();
    if over_sockets(n) {
        play_over_sockets(&mut table, &mut rng).await;
    } else {
        let caller = Caller::new(&nodes, Rng::new(&rng.seed()));
        let mut player = Player { caller, rng, manner, given, ply: 0, progress: Vec::new(), acknowledged };
        while let Some(turn) = player.step(&mut table).await {
            turns.extend(turn);
        }
        (progress, slow) = (player.progress, player.caller.slow);
        acknowledged = player.acknowledged;
    }
    let record = table.record().await;
    assert_true(&table, &record);
    let checked = record.clone();
    tokio::task::spawn_blocking(move || assert_verified(&checked)).await.unwrap();
    // The log's facts about each turn.
    for turn in &mut turns {
        let seqs = [turn.seq.saturating_sub(1), turn.seq].map(|seq| &record["events"][seq as usize]);
        turn.what += &format!("; {} {}", seqs[0], seqs[1]);
    }
    let events = record["events"].as_array().unwrap();
    let taken_out = events.iter().filter(|event| event["type"] == "resumed").map(|event| &event["away_ms"]);
    let is_small = |away_ms: &&Value| away_ms.as_u64() < Some(50);
    let resumed = (taken_out.clone().count(), taken_out.filter(is_small).count());
    let is_foul = |event: &Value| event["type"] == "fouled";
    let lost = events.iter().any(is_foul).then(Instant::now);
    let (mut returns, mut late) = (0, Vec::new());
    for (seat, follower) in followers {
        let follower = follower.await.unwrap();
        returns += follower.returns;
        for turn in turns.iter_mut().filter(|turn| Some(turn.seat) == seat) {
            let place = follower.seen.iter().position(|frame| frame["seq"] == turn.seq - 1);
            let earlier = place.map(|place| turn.shown.saturating_duration_since(follower.arrived[place]));
            turn.beyond_shown -= earlier.unwrap_or_default().as_secs_f64() * 1000.0;
        }
        for (frame, arrived) in follower.seen.iter().zip(&follower.arrived) {
            let known = frame["seq"].as_u64().and_then(|seq| acknowledged.get(&seq));
            let how = follower.how;
            late.extend(known.map(|at: &Instant| FollowerDelay {
                acknowledged: *at,
                arrived: *arrived,
                how,
            }));
        }
        assert_told_all(&table, seat, &follower, &record).await;
    }
    let has_engine = table.tokens.iter().any(Option::is_none);
    let moves = table.acknowledged.len();
    FinishedMatch { began, progress, has_engine, slow, turns, lost, resumed, late, returns, moves }
}

/// Plays every seat over a WebSocket of its own, which reconnects to another node when it breaks.
async fn play_over_sockets(table: &mut PlayedMatch, rng: &mut Rng) {
    let players = table.tokens.iter().enumerate().filter_map(|(seat, token)| {
        let (token, rng) = (token.as_ref()?, Rng::new(&rng.seed()));
        let mut nodes = table.servers.clone();
        nodes.rotate_left(seat);
        Some(tokio::spawn(SocketPlayer::new(&nodes, &table.id, seat as u64, token, rng).play()))
    });
    for player in players.collect::<Vec<_>>() {
        table.acknowledged.extend(player.await.unwrap().acknowledged);
    }
}

/// The client of one match.
struct Player {
    caller: Caller,
    rng: Rng,
    manner: PlayStyle,
    /// The time at which the request that led to the running turn was first sent.
    given: Instant,
    /// The moves that it has seen.
    ply: u64,
    progress: Vec<Instant>,
    /// When each of its moves was acknowledged, by its place in the log.
    acknowledged: BTreeMap<u64, Instant>,
}

impl Player {
    /// Makes a move, or waits for the engine's. `None`: the match is over.
    async fn step(&mut self, table: &mut PlayedMatch) -> Option<Option<Turn>> {
        let path = format!("/v1/matches/{}", table.id);
        let mut page = self.caller.insist("GET", &path, &[], &Value::Null).await.reply.json();
        self.saw(&page);
        if page["stage"] == "over" {
            return None;
        }
        let Some(seat) = page["turn"].as_u64().filter(|seat| table.tokens[*seat as usize].is_some()) else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            return Some(None);
        };
        let bearer = table.bearer(Some(seat as usize)).unwrap();
        let headers = [("authorization", bearer.as_str())];
        let asked = self.caller.insist("GET", &path, &headers, &Value::Null).await;
        let shown = asked.received;
        page = asked.reply.json();
        self.saw(&page);
        if page["stage"] == "over" {
            return None;
        }
        let ply = page["ply"].as_u64().unwrap();
        let moves = page["legal_moves"].as_array().filter(|moves| !moves.is_empty());
        let moves = moves.unwrap_or_else(|| panic!("nobody else moves this seat: {page}"));
        let notation = moves[self.rng.below(moves.len())]["notation"].as_str().unwrap().to_owned();
        let think = self.manner.think.mul_f64(self.rng.below(1000) as f64 / 1000.0);
        tokio::time::sleep(think).await;
        let body = json!({ "ply": ply, "notation": notation });
        let path = format!("{path}/moves");
        let answered = self.caller.insist("POST", &path, &headers, &body).await;
        if answered.reply.status == 409 {
            // The player has lost on time, which the record says.
            answered.reply.problem(409, "match_over");
            return None;
        }
        // No node shows an old page, so no other answer is right.
        assert_eq!(answered.reply.status, 200, "{} at {ply}: {:?}", table.id, answered.reply);
        let frame = answered.reply.json();
        assert_eq!((&frame["ply"], &frame["seat"]), (&ply.into(), &seat.into()), "{frame}");
        let seq = frame["seq"].as_u64().unwrap();
        table.acknowledged.push(Acknowledged { ply, seat, seq, notation });
        self.ply = ply + 1;
        self.progress.push(answered.received);
        self.acknowledged.insert(seq, answered.received);
        let turn = self.charged(&table.id, &frame, shown, &answered);
        self.given = answered.first_sent;
        Some(Some(turn))
    }

    /// Checks that a node shows at least what any node has acknowledged.
    fn saw(&mut self, page: &Value) {
        let ply = page["ply"].as_u64().unwrap_or_else(|| panic!("it is a page: {page}"));
        assert!(ply >= self.ply, "{ply} moves are fewer than {}: {page}", self.ply);
        if ply > self.ply || page["stage"] == "over" {
            self.progress.push(Instant::now());
        }
        self.ply = ply;
    }

    fn charged(&self, id: &str, frame: &Value, shown: Instant, answered: &TimedAnswer) -> Turn {
        let charged = Duration::from_micros(frame["times"]["think_us"].as_u64().unwrap());
        let away = self.caller.away_within(self.given, answered.received);
        // If no node served, the last request waited until one did, within the grace. Otherwise all the time until the
        // reply may have been the player's.
        let wait = answered.received - answered.sent;
        let wait = if away.is_zero() { wait } else { wait.saturating_sub(GRACE) };
        let own = (answered.sent - self.given + wait).saturating_sub(away);
        let away_after = self.caller.away_within(shown, answered.received);
        let since_shown = (answered.sent - shown + wait).saturating_sub(away_after);
        let waited = self.caller.waited_within(self.given, shown).as_secs_f64() * 1000.0;
        let first = (answered.first_sent - self.given + wait).saturating_sub(away);
        let beyond = |own: Duration| (charged.as_secs_f64() - own.as_secs_f64()) * 1000.0;
        let slow = self.caller.slow_within(self.given, answered.received);
        let slow = slow.fold(String::new(), |all, one| {
            let at = one.sent.saturating_duration_since(self.given);
            format!("{all}; at {at:.1?} {one}")
        });
        let what = format!(
            "ply {} of {id}: {charged:.1?} charged, {own:.1?} its own, {away:.1?} away, sent again for {:.1?}{slow}",
            frame["ply"],
            answered.sent - answered.first_sent
        );
        let (met_outage, at) = (!away.is_zero(), answered.received);
        let seq = frame["seq"].as_u64().unwrap();
        let (beyond_shown, beyond_first) = (beyond(since_shown), beyond(first));
        let seat = frame["seat"].as_u64().unwrap() as usize;
        Turn {
            beyond: beyond(own),
            beyond_shown,
            waited,
            shown,
            seat,
            beyond_first,
            met_outage,
            at,
            seq,
            what,
        }
    }
}
