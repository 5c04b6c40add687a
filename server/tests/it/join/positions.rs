//! Bots that speak the official protocol in matches that begin with a position.

use engines::games::find;
use serde_json::json;

use super::environment::{JoinProcess, JoinServer, OtherSeats};

/// The contests in which a bot reads the whole position at each turn.
#[test]
fn bots_that_read_whole_positions_play_on_from_one() {
    let place = JoinServer::open("positions");
    for (slug, seat) in [("splendor", 0), ("splendor", 1), ("azul", 0), ("azul", 1)] {
        let game = find(slug).unwrap();
        let asked = json!({ "seed": 11, "plies": 7 });
        let position = place.post(&format!("/v1/games/{slug}/positions"), &asked)["position"].clone();
        let seats = vec![json!({ "kind": "me" }); 2];
        let made = place.make(&json!({ "game": slug, "seats": seats, "position": position, "seed": 3 }));
        let _rivals = OtherSeats::play(&place, &made, seat);
        place.join(&made, seat, &place.player(game, 1)).plays_to_the_end();
        assert_eq!(place.fouls(&made), [""; 0], "{slug}, seat {seat}");
        let verdict = place.get(&format!("{}/record/verify", made.path));
        assert_eq!(verdict["true"], true, "{verdict}");
    }
}

/// Updates alone cannot tell a position, which the server learns only from the bot's first word.
#[test]
fn bot_that_asks_for_updates_alone_learns_why_it_cannot_play() {
    let place = JoinServer::open("updates");
    let asked = json!({ "seed": 11, "plies": 8 });
    let position = place.post("/v1/games/azul/positions", &asked)["position"].clone();
    let seats = vec![json!({ "kind": "me" }); 2];
    let made = place.make(&json!({ "game": "azul", "seats": seats, "position": position, "seed": 3 }));
    let _rivals = OtherSeats::play(&place, &made, 0);
    let told = place.join(&made, 0, &JoinServer::script("echo update; cat >/dev/null")).plays_to_the_end();
    assert!(told.contains("which 'update' cannot tell: ask for 'state' or 'both'"), "{told}");
}

/// A dialogue that tells only starts: the bot is refused with the reason, whether it joins or has the seat already.
#[test]
fn bot_is_told_why_it_gets_no_seat() {
    let place = JoinServer::open("refused");
    let asked = json!({ "seed": 11, "plies": 4 });
    let position = place.post("/v1/games/ioiwari/positions", &asked)["position"].clone();
    let bot = place.player(find("ioiwari").unwrap(), 1);
    let why =
        "seat 0: the official dialogue cannot tell a bot a position other than a start with seat 0 to move";
    let seats = json!([{ "kind": "me" }, { "kind": "me" }]);
    let made = place.make(&json!({ "game": "ioiwari", "seats": seats, "position": position }));
    let told = place.join(&made, 0, &bot).fails();
    assert!(told.contains(why), "{told}");
    let seats = json!([{ "kind": "open" }, { "kind": "me" }]);
    let made = place.make(&json!({ "game": "ioiwari", "seats": seats, "position": position }));
    let told = JoinProcess::start(&format!("{}{}", place.url(), made.path), &[], &[], &bot).fails();
    assert!(told.contains(why), "{told}");
}
