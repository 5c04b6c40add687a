//! Repeated requests take effect once; seats given up are free again.

use engines::game::Seat;
use kibitz::domain::IdempotencyKey;
use kibitz::domain::PlayerRef;
use kibitz::domain::token::KeyHash;
use kibitz::error::{Code, Error};
use kibitz::matches::ledger::Caller;
use kibitz::matches::request::{NewMatch, NewSeat, SeatAction};
use serde_json::json;

use super::{Spectator, anonymous, engine, free, me, order, page, play, seated, two_guests};
use crate::client::TestServer;

const GAME: &str = "ioiwari";

fn retry(asked: u8) -> IdempotencyKey {
    IdempotencyKey { key: "0123456789abcdef".to_owned(), request_hash: KeyHash([asked; 32]) }
}

fn code<T>(result: Result<T, Error>) -> Code {
    result.err().expect("it is refused").code()
}

#[tokio::test]
async fn repeated_creation_gives_the_same_match() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    let wanted = || NewMatch { private: true, ..order(GAME, vec![me(), NewSeat::Open]) };
    let (first, at_once) = tokio::join!(
        matches.create(wanted(), anonymous(), Some(retry(1)), free()),
        matches.create(wanted(), anonymous(), Some(retry(1)), free())
    );
    let first = first.unwrap();
    assert_eq!(first, at_once.unwrap());
    assert_eq!(first, matches.create(wanted(), anonymous(), Some(retry(1)), free()).await.unwrap());
    assert_eq!(
        code(matches.create(wanted(), anonymous(), Some(retry(2)), free()).await),
        Code::IdempotencyKeyReused
    );
    // The tokens are real.
    assert_eq!(page(matches, &first.id, &seated(&first)).await["you"], 0);
    let link = Caller { match_key: first.key.as_ref().map(|key| key.hash()), ..Caller::default() };
    assert_eq!(page(matches, &first.id, &link).await["you"], json!(null));
    assert_eq!(code(matches.page(&first.id, anonymous()).await), Code::NoSuchMatch);

    let (joined, at_once) = tokio::join!(
        matches.join(&first.id, None, None, &link, Some(retry(3))),
        matches.join(&first.id, None, None, &link, Some(retry(3)))
    );
    // The key was used for the creation, by the same caller.
    assert_eq!((code(joined), code(at_once)), (Code::IdempotencyKeyReused, Code::IdempotencyKeyReused));
    let other = || Some(IdempotencyKey { key: "another key of mine".to_owned(), ..retry(3) });
    let (joined, at_once) = tokio::join!(
        matches.join(&first.id, None, None, &link, other()),
        matches.join(&first.id, None, None, &link, other())
    );
    let joined = joined.unwrap();
    assert_eq!(joined, at_once.unwrap());
    assert_eq!(joined, matches.join(&first.id, None, None, &link, other()).await.unwrap());
    assert_eq!(joined.seats[0].0, Seat(1));
    assert_eq!(page(matches, &first.id, &seated(&joined)).await["you"], 1);
}

#[tokio::test]
async fn seats_are_given_up_and_taken_again() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    let made =
        matches.create(order(GAME, vec![me(), NewSeat::Open]), anonymous(), None, free()).await.unwrap();
    let (id, first) = (&made.id, seated(&made));
    let left = matches.act(id, &first, SeatAction::Leave).await.unwrap();
    assert_eq!(left.json, matches.act(id, &first, SeatAction::Leave).await.unwrap().json);
    let over = page(matches, id, anonymous()).await;
    assert_eq!((&over["ended"], &over["position"]), (&json!("aborted"), &json!(null)), "no seat was left");
    assert_eq!(code(matches.join(id, None, None, anonymous(), None).await), Code::MatchOver);

    let made = matches.create(
        order("splendor", vec![me(), NewSeat::Open, NewSeat::Open]),
        anonymous(),
        None,
        free(),
    );
    let made = made.await.unwrap();
    let id = &made.id;
    let second = matches.join(id, Some(Seat(2)), None, anonymous(), None).await.unwrap();
    matches.act(id, &seated(&made), SeatAction::Leave).await.unwrap();
    let third = matches.join(id, Some(Seat(0)), None, anonymous(), None).await.unwrap();
    assert_eq!(code(matches.join(id, Some(Seat(2)), None, anonymous(), None).await), Code::SeatTaken);
    assert_eq!(code(matches.act(id, &seated(&made), SeatAction::Resign).await), Code::NotYourSeat);
    let aborted = matches.act(id, &seated(&third), SeatAction::Abort).await.unwrap();
    assert_eq!(aborted, matches.act(id, &seated(&second), SeatAction::Abort).await.unwrap());
}

#[tokio::test]
async fn rematch_is_one_and_rotates_the_seats() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    let (id, first, second) = two_guests(matches, order(GAME, Vec::new())).await;
    assert_eq!(code(matches.rematch(&id, &first).await), Code::MatchNotOver);
    matches.act(&id, &first, SeatAction::Resign).await.unwrap();
    assert_eq!(code(matches.rematch(&id, anonymous()).await), Code::TokenNeeded);
    let (once, at_once) = tokio::join!(matches.rematch(&id, &first), matches.rematch(&id, &second));
    let next = once.unwrap();
    assert_eq!(next, at_once.unwrap());
    assert_eq!(next, matches.rematch(&id, &second).await.unwrap());
    let shown = page(matches, &next, &second).await;
    assert_eq!((&shown["stage"], &shown["you"]), (&json!("running"), &json!(0)));
    assert_eq!(shown["rematch_of"], id.as_str());
    assert_eq!(page(matches, &id, anonymous()).await["rematch"], next.as_str());
    matches.act(&next, &second, play(0, "1")).await.unwrap();
    assert_ne!(shown["commitment"], page(matches, &id, anonymous()).await["commitment"]);

    // An engine needs no agreement.
    let made =
        matches.create(order(GAME, vec![me(), engine(None)]), anonymous(), None, free()).await.unwrap();
    matches.act(&made.id, &seated(&made), SeatAction::Resign).await.unwrap();
    let next = matches.rematch(&made.id, &seated(&made)).await.unwrap();
    assert_eq!(page(matches, &next, &seated(&made)).await["you"], 1);
    assert_eq!(Spectator::of(matches, &next, anonymous()).await.until("moved").await["seat"], 0);
}

#[tokio::test]
async fn reserved_seats_are_for_their_players() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    let player = |name: &str| PlayerRef::new(format!("id-{name}"), name);
    for (n, name) in ["Ada", "Bob"].into_iter().enumerate() {
        matches.store().add_player(player(name), KeyHash([n as u8; 32]), 1, None).await.unwrap();
    }
    let is = |name: &str| Caller { player: Some(player(name)), ..Caller::default() };
    let kept = NewSeat::Player { name: "bob".to_owned() };
    let wanted = order(GAME, vec![me(), kept]);
    let made = matches.create(wanted, &is("Ada"), None, free()).await.unwrap();
    assert_eq!(made.seats, [(Seat(0), None)]);
    let id = &made.id;
    let shown = page(matches, id, anonymous()).await;
    assert_eq!((&shown["seats"][1]["kind"], &shown["seats"][1]["name"]), (&json!("reserved"), &json!("Bob")));
    assert_eq!(code(matches.join(id, None, None, anonymous(), None).await), Code::NoOpenSeat);
    assert_eq!(code(matches.join(id, Some(Seat(1)), None, &is("Ada"), None).await), Code::AlreadySeated);
    let seat = matches.join(id, None, None, &is("Bob"), None).await.unwrap().seats;
    assert_eq!(seat, [(Seat(1), None)]);
    matches.act(id, &is("Bob"), SeatAction::Resign).await.unwrap();
    let results = matches.store().player("ADA".to_owned()).await.unwrap().unwrap().results;
    assert_eq!((results[0].game.as_str(), results[0].played, results[0].won), (GAME, 1, 1));
    let next = matches.rematch(id, &is("Bob")).await.unwrap();
    let shown = page(matches, &next, anonymous()).await;
    assert_eq!(
        (&shown["seats"][1]["kind"], &shown["seats"][0]["kind"]),
        (&json!("reserved"), &json!("player"))
    );

    let unknown = NewSeat::Player { name: "Nemo".to_owned() };
    assert_eq!(
        code(matches.create(order(GAME, vec![me(), unknown]), anonymous(), None, free()).await),
        Code::NoSuchPlayer
    );
    assert_eq!(
        code(matches.create(order(GAME, vec![me(), me()]), &is("Ada"), None, free()).await),
        Code::BadSeats
    );
}

#[tokio::test]
async fn impossible_orders_are_refused() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    let think = |think_ms| NewSeat::Engine {
        engine: None,
        level: engines::search::Level::Max,
        think_ms: Some(think_ms),
        nodes: None,
    };
    let named = |name: &str| NewSeat::Me { name: Some(name.to_owned()) };
    let plain = || order(GAME, vec![me(), me()]);
    let clock = super::per_move(1);
    for (wanted, refused) in [
        (order("chess", vec![me(), me()]), Code::UnknownGame),
        (order(GAME, vec![me()]), Code::BadSeats),
        (order(GAME, vec![]), Code::BadSeats),
        (order(GAME, (0..300).map(|_| me()).collect()), Code::BadSeats),
        (order(GAME, vec![me(), think(u64::MAX)]), Code::ThinkTooLong),
        (order(GAME, vec![me(), engine(Some("unknown"))]), Code::UnknownEngine),
        (order(GAME, vec![me(), named("")]), Code::BadField),
        (order(GAME, vec![me(), named(&"x".repeat(41))]), Code::BadField),
        (order(GAME, vec![me(), named("a\nb")]), Code::BadField),
        (NewMatch { clock, ..plain() }, Code::BadField),
        (NewMatch { idle_ms: Some(5), ..plain() }, Code::BadField),
        (NewMatch { options: Some(json!({ "seats": "many" })), ..plain() }, Code::BadOptions),
        (
            NewMatch { options: Some(json!({ "players": 4 })), ..order("splendor", vec![me(), me()]) },
            Code::BadSeats,
        ),
    ] {
        let what = format!("{wanted:?}");
        assert_eq!(code(matches.create(wanted, anonymous(), None, free()).await), refused, "{what}");
    }
}
