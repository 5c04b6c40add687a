//! A bot in a seat of a hosted match: speaks the official dialogue over a WebSocket, plays a given list of moves, and
//! stores everything it reads.

use std::net::SocketAddr;

use engines::erased::{AnyGame, AnySession, Awaits};
use engines::game::{Process, Seat, Turn};
use engines::protocol::{Entry, Settings};

use super::planned_match::HostedMatch;
use super::streams::{dial, hang_up};

/// Plays one seat of a match up to its last planned move; returns every line that the server sent.
pub(super) async fn play(address: SocketAddr, hosted: &HostedMatch, seat: Seat) -> String {
    let path = format!("{}/seats/{seat}/stdio", hosted.path());
    let token = hosted.token(seat);
    let mut peer = dial(address, &path, &[("authorization", token.as_header().1.to_owned())]).await;
    peer.say("# a bot begins").await;
    let per_move = hosted.game.info().process == Process::PerMove;
    // A program for one move is started for open turns only; a program for the match reads the whole dialogue again.
    let first = if per_move { hosted.before } else { 0 };
    let own = hosted.plies[first..].iter().filter(|ply| ply.seat == seat);
    let mut moves = own.map(|ply| ply.notation.as_str());
    let mut session = session(hosted.game);
    let mut awaited = session.take_lines();
    let expected = expected(hosted, seat, first, &awaited);
    let (mut heard, mut read) = (String::new(), 0);
    loop {
        for line in awaited.drain(..) {
            peer.say(&format!("> {line}")).await;
        }
        if read == expected {
            hang_up(peer).await;
            return heard;
        }
        for line in peer.hear().await.lines() {
            heard += line;
            heard.push('\n');
            let entry = Entry::parse(line).unwrap();
            read += usize::from(matches!(entry, Entry::Read(_)));
            match entry {
                Entry::Remark(_) | Entry::Printed(_) => continue,
                // The program for this move has its whole input now. It prints its answer and ends.
                Entry::End => {}
                Entry::Read(_) => session.push(vec![entry]),
            }
            while let Awaits::Decision(_) = session.advance().unwrap() {
                // The turn after the last planned move is left open.
                let Some(mv) = moves.next() else { break };
                session.decide(mv).unwrap();
                awaited.extend(session.take_lines());
            }
            awaited.extend(session.take_lines());
            if line == "." {
                session = self::session(hosted.game);
            }
        }
        if per_move && !awaited.is_empty() {
            for line in awaited.drain(..) {
                peer.say(&format!("> {line}")).await;
            }
            peer.say("# ended by itself").await;
        }
    }
}

fn session(game: &'static dyn AnyGame) -> Box<dyn AnySession> {
    game.session(&Settings::default()).unwrap()
}

/// The number of lines that a bot reads from this ply on, by the referee in this process.
fn expected(hosted: &HostedMatch, seat: Seat, first: usize, greeting: &[String]) -> usize {
    let mut table = hosted.game.restore(&hosted.dealt).unwrap();
    table.seat_bot(seat, &Settings::default()).unwrap();
    for line in greeting {
        assert_eq!(table.hear(seat, line), Ok(None), "a greeting is no move");
    }
    let mut lines = 0;
    for n in 0..=hosted.plies.len() {
        if table.turn() == Turn::Of(seat) && n >= first {
            table.prompt(seat, None);
        }
        lines += table.take_lines(seat).len();
        if let Some(ply) = hosted.plies.get(n) {
            table.play(ply.seat, &ply.notation).unwrap();
        }
    }
    lines
}
