//! Matches that begin with a position, in every game: what a position says stays as it is, what it leaves unknown is drawn from
//! the seed, and a bot is never told of a position that its dialogue cannot tell.

use std::collections::BTreeSet;

use engines::erased::{
    AnyGame, AnyTable, Awaits, MatchStart, Position, RefusalCode, StartPosition, read_start,
};
use engines::game::{Process, Seat, Turn, Viewer};
use engines::protocol::{Entry, Settings};
use engines::rng::{Rng, Seed};
use serde_json::{Value, json};

use crate::games_under_test;

/// Matches in each game; the positions of each are those after 0 moves, and after some random numbers of moves.
const MATCHES: u64 = 30;

/// Random matches of a game, each with a random number of moves; not over.
fn tables(game: &dyn AnyGame) -> Vec<Box<dyn AnyTable>> {
    let info = game.info();
    let mut tables = Vec::new();
    for seed in 0..MATCHES {
        let seats = info.min_seats + (seed % u64::from(info.max_seats - info.min_seats + 1)) as u8;
        let options = game.options_for(seats).unwrap();
        let mut rng = Rng::stream(&Seed::from(seed), 77);
        let mut table = game.deal(&options, &Seed::from(seed)).unwrap();
        tables.push(table.fork());
        while let Turn::Of(seat) = table.turn() {
            if rng.below(6) == 0 {
                tables.push(game.restore(&table.state_json()).unwrap());
            }
            play_one(&mut *table, seat, &mut rng);
        }
    }
    tables
}

fn play_one(table: &mut dyn AnyTable, seat: Seat, rng: &mut Rng) {
    let moves = table.view(Viewer::Seat(seat)).legal_moves();
    let mv = rng.pick(&moves).expect("the seat to move has a move").notation.clone();
    table.play(seat, &mv).unwrap();
}

fn view(table: &dyn AnyTable, seat: u8) -> Value {
    table.view(Viewer::Seat(Seat(seat))).to_json()
}

/// Checks that the start is the same again from what a record has of it, and can be played to its end.
fn is_sound(game: &dyn AnyGame, start: MatchStart, seed: &Seed, rng: &mut Rng) {
    let MatchStart { mut table, options, position } = start;
    let again = game.start(&position, Some(&options), seed).unwrap();
    assert_eq!((&again.options, &again.position), (&options, &position));
    assert_eq!(again.table.state_json(), table.state_json(), "{position:?}");
    assert_eq!(game.restore(&table.state_json()).unwrap().state_json(), table.state_json());
    while let Turn::Of(seat) = table.turn() {
        play_one(&mut *table, seat, rng);
    }
    assert!(table.outcome().is_some());
}

#[test]
fn view_of_any_seat_starts_a_match_that_agrees_with_it() {
    for game in games_under_test() {
        let mut rng = Rng::new(&Seed::from(4));
        let mut hidden_differs = false;
        for table in tables(game) {
            for seat in 0..table.seats() {
                let seen = view(&*table, seat);
                let position = StartPosition::View { view: seen.clone() };
                let seed = rng.seed();
                let start = game.start(&position, None, &seed).unwrap_or_else(|e| panic!("{e}: {seen}"));
                assert_eq!(view(&*start.table, seat), seen);
                assert_eq!(start.position, position, "a view is written in one way");
                assert_eq!((start.table.turn(), start.table.ply()), (table.turn(), 0));
                assert_eq!(start.table.seats(), table.seats());
                if table.turn() == Turn::Of(Seat(seat)) {
                    let legal = |of: &dyn AnyTable| of.view(Viewer::Seat(Seat(seat))).legal_moves();
                    assert_eq!(legal(&*start.table), legal(&*table));
                }
                hidden_differs |= start.table.state_json() != table.state_json();
                if rng.below(4) == 0 {
                    is_sound(game, start, &seed, &mut rng);
                }
            }
        }
        assert_eq!(hidden_differs, !game.info().perfect_information, "{}", game.info().slug);
    }
}

#[test]
fn whole_table_keeps_what_any_seat_knows_and_forgets_the_rest() {
    for game in games_under_test() {
        let mut rng = Rng::new(&Seed::from(5));
        let mut redrawn = false;
        for table in tables(game) {
            let position = StartPosition::of(&*table, true).unwrap();
            let (one, other) = (rng.seed(), rng.seed());
            let start = game.start(&position, None, &one).unwrap();
            for seat in 0..table.seats() {
                assert_eq!(view(&*start.table, seat), view(&*table, seat));
            }
            let second = game.start(&position, None, &other).unwrap();
            redrawn |= second.table.state_json() != start.table.state_json();
            // What is replaced does not matter: the record of a second match from the first one's table is the same.
            let replaced = StartPosition::of(&*second.table, true).unwrap();
            let from_second = game.start(&replaced, None, &one).unwrap();
            assert_eq!(from_second.position, start.position);
            assert_eq!(from_second.table.state_json(), start.table.state_json());
            if rng.below(4) == 0 {
                is_sound(game, start, &one, &mut rng);
            }
        }
        assert_eq!(redrawn, !game.info().perfect_information, "{}", game.info().slug);
    }
}

/// What the game's own bot of this seat knows when it decides first, and what the seat sees; `None`: it never decides. The bot
/// reads the referee's lines only.
fn known_to_bot(
    game: &dyn AnyGame,
    mut table: Box<dyn AnyTable>,
    seat: Seat,
    rng: &mut Rng,
) -> Option<[Box<dyn Position>; 2]> {
    let mirror = !game.info().bot_can_hold(seat.0, false);
    let settings = mirror.then(|| ("mirror".to_owned(), "yes".to_owned()));
    table.seat_bot(seat, &Settings(settings.into_iter().collect())).unwrap();
    let mut bot = game.session(&Settings::default()).unwrap();
    for line in bot.take_lines() {
        assert_eq!(table.hear(seat, &line).unwrap(), None, "nothing is asked yet");
    }
    while let Turn::Of(mover) = table.turn()
        && mover != seat
    {
        play_one(&mut *table, mover, rng);
    }
    if table.turn() == Turn::Over {
        return None;
    }
    table.prompt(seat, None);
    bot.push(table.take_lines(seat).into_iter().map(Entry::Read).collect());
    let awaits = bot.advance().unwrap();
    assert_eq!(bot.take_remarks(), Vec::<String>::new());
    let Awaits::Decision(asked) = awaits else { panic!("{}: the bot does not decide", game.info().slug) };
    Some([asked.position, table.view(Viewer::Seat(seat))])
}

#[test]
fn dialogue_tells_a_start_or_the_seat_is_refused() {
    for game in games_under_test() {
        let mut rng = Rng::new(&Seed::from(6));
        let info = game.info();
        let (mut told, mut refused) = (0, 0);
        for table in tables(game) {
            for seat in (0..table.seats()).filter(|seat| info.bot_can_hold(*seat, true)).map(Seat) {
                let start = game.restore(&table.state_json()).unwrap();
                if let Err(e) = start.can_tell(seat) {
                    assert_eq!(e.code, RefusalCode::NoBotSeat);
                    assert_eq!(
                        game.restore(&table.state_json()).unwrap().seat_bot(seat, &Settings::default()),
                        Err(e)
                    );
                    refused += 1;
                    continue;
                }
                told += 1;
                // A bot of one process for each move reads the whole position each time, but may have to guess its base.
                if info.process == Process::PerMatch
                    && let Some([known, real]) = known_to_bot(game, start, seat, &mut rng)
                {
                    assert_eq!(known.legal_moves(), real.legal_moves(), "{}, {seat:?}", info.slug);
                    // Where the lines say only "you" and "opponent", a bot may take its seat for the other one.
                    let (known, real) = (known.to_json(), real.to_json());
                    assert!(
                        known == real || known["viewer"] != real["viewer"],
                        "{}: {known} {real}",
                        info.slug
                    );
                }
            }
        }
        assert!(told >= MATCHES, "{}: the dialogue tells every deal", info.slug);
        println!("{}: {told} starts are told, {refused} are not", info.slug);
    }
}

#[test]
fn position_that_cannot_start_a_match_is_refused_with_its_reason() {
    for game in games_under_test() {
        let mut table = game.deal(&json!({}), &Seed::from(1)).unwrap();
        let start = |position: &StartPosition| game.start(position, None, &Seed::from(2)).err().unwrap();
        let spectator = StartPosition::View { view: table.view(Viewer::Spectator).to_json() };
        let e = start(&spectator);
        assert_eq!(e.code, RefusalCode::BadPosition, "{e}");
        assert!(e.detail.contains("viewer"), "{e}");
        let e = start(&StartPosition::View { view: json!({ "no": "position" }) });
        assert_eq!(e.code, RefusalCode::BadPosition, "{e}");
        let begun = StartPosition::View { view: view(&*table, 0) };
        let e = game.start(&begun, Some(&json!({ "no such": 1 })), &Seed::from(2)).err().unwrap();
        assert_eq!(e.code, RefusalCode::BadOptions, "{e}");
        let mut rng = Rng::new(&Seed::from(3));
        while let Turn::Of(seat) = table.turn() {
            play_one(&mut *table, seat, &mut rng);
        }
        for position in [
            StartPosition::View { view: view(&*table, 0) },
            StartPosition::Table { state: table.state_json() },
        ] {
            assert_eq!(start(&position).code, RefusalCode::PositionFinished);
        }
        assert_eq!(StartPosition::of(&*table, true).unwrap_err().code, RefusalCode::PositionFinished);
    }
}

/// Every game's own dialogue, in which each side plays its first legal move, leads to the view of the bot's open decision.
#[test]
fn texts_lead_to_the_positions_that_they_tell() {
    let read = |slug: &str, text: &str| {
        let game = engines::games::find(slug).unwrap();
        let position = read_start(game, text)?;
        game.start(&position, None, &Seed::from(9)).map(|start| (start.table, position))
    };
    let (table, position) = read("ioiwari", "4 3 2 4 2 3 2").unwrap();
    assert_eq!(view(&*table, 0)["pits"], json!([4, 3, 2, 4, 2, 3, 2]));
    assert!(matches!(position, StartPosition::View { .. }));
    let start_file = include_str!("../../src/games/buraco/golden/files/start.in");
    let (table, position) = read("buraco", start_file).unwrap();
    assert!(matches!(position, StartPosition::Table { .. }), "both hands are known");
    let hands: BTreeSet<String> = (0..2).map(|seat| view(&*table, seat)["hand"].to_string()).collect();
    assert_eq!(hands.len(), 2);
    assert!(hands.iter().any(|hand| hand.starts_with(r#"["2♥","4♥","7♥""#)), "{hands:?}");
    let e = read("ioiwari", "4 3 2 4 2 3").err().unwrap();
    assert_eq!((e.code, e.detail.contains("too early")), (RefusalCode::BadDialogue, true), "{e}");
    let e = read("ioiwari", "9 9 9 9 9 9 9").err().unwrap();
    assert_eq!(e.code, RefusalCode::BadDialogue, "{e}");
    let e = read("buraco", &start_file.replacen("2♥", "Z♥", 1)).err().unwrap();
    assert_eq!((e.code, e.detail.contains("line 1, column 3")), (RefusalCode::BadPosition, true), "{e}");
    let saved = include_str!("../../src/games/splendor/golden/three-players.saved-game.json");
    assert_eq!(read("splendor", saved).err().unwrap().code, RefusalCode::PositionFinished);
}
