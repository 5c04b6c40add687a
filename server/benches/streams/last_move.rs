//! The last move of a match, which ends it for all spectators, against the other moves of the same matches: the time
//! until its mover is answered, and the time until the slowest spectator has it.

use std::time::{Duration, Instant, SystemTime};

use crate::common::quantile;
use crate::{SPECTATORS, SocketGroup, StreamKind, next_move, serve, two_guests};

/// Matches, one after the other.
const MATCHES: usize = 12;

/// A game with few moves.
const GAME: &str = "ioiwari";

/// How long the sockets of the last match may take to close before the next match begins.
const CLOSING: Duration = Duration::from_millis(1_000);

/// Times of moves, in milliseconds.
#[derive(Default)]
struct MoveTimings {
    /// From a move sent to its answer read.
    answered: Vec<f64>,
    /// From a move sent to its event at the slowest spectator.
    slowest: Vec<f64>,
}

pub(crate) fn measure(kind: StreamKind) {
    let (_server, address, _folder) = serve();
    let (mut others, mut last) = (MoveTimings::default(), MoveTimings::default());
    for _ in 0..MATCHES {
        let (path, mut guests) = two_guests(address, GAME);
        let crowd = SocketGroup::gather(address, kind, &kind.request(&path), SPECTATORS);
        crowd.read(SPECTATORS, SystemTime::now());
        let mut moves = Vec::new();
        while let Some((mover, body)) = next_move(&mut guests, &path) {
            let (began, sent) = (SystemTime::now(), Instant::now());
            mover.send("POST", &format!("{path}/moves"), &body);
            // Read at once: sockets are closed soon after the last move, and one timestamp covers all bytes of a read.
            let (answered, arrived) = std::thread::scope(|scope| {
                let answered = scope.spawn(|| {
                    mover.answer();
                    sent.elapsed()
                });
                let arrived = crowd.read(SPECTATORS, began);
                (answered.join().expect("the server answers"), arrived)
            });
            let slowest = arrived.into_iter().max().expect("there are spectators");
            moves.push([answered, slowest].map(|time| time.as_secs_f64() * 1e3));
        }
        let end = moves.pop();
        for (times, moves) in [(&mut others, moves), (&mut last, end.into_iter().collect())] {
            for [answered, slowest] in moves {
                times.answered.push(answered);
                times.slowest.push(slowest);
            }
        }
        drop(crowd);
        std::thread::sleep(CLOSING);
    }
    for (name, mut times) in [("other moves", others), ("the last move", last)] {
        let [answered, slowest] = [&mut times.answered, &mut times.slowest].map(|times| {
            times.sort_unstable_by(f64::total_cmp);
            [0.5, 1.0].map(|q| quantile(times, q))
        });
        println!(
            "{name}, {SPECTATORS} spectators ({}): answered after p50 {:.2} ms, at most {:.2} ms; at the slowest \
             spectator after p50 {:.2} ms, at most {:.2} ms",
            kind.name(),
            answered[0],
            answered[1],
            slowest[0],
            slowest[1]
        );
    }
}
