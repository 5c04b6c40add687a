//! Tests of the pure parts: policies of bots, events for clients, and pairing.

use engines::games::{EXAMPLE, GAMES};
use engines::rng::{Rng, Seed};

use crate::catalogue::{Catalogue, Offer};
use crate::domain::{MatchId, PlayerKind, PlayerRef, Stage};
use crate::error::Code;
use crate::lobby::events::{Follower, LobbyEvent};
use crate::lobby::ladder::{LadderEntrant, clock_for, information, may_meet};
use crate::lobby::pairing::WaitingPlayers;
use crate::lobby::policy::{Policy, PolicyFrom, PolicyRated};
use crate::lobby::pool::PoolWish;
use crate::lobby::seating::{Terms, challenger_seat};
use crate::lobby::snapshot::{LobbySnapshot, WaitingTicket};
use crate::matches::clock::ClockSpec;
use crate::ratings::Rating;
use crate::store::LobbyRows;
use crate::store::data::lobby::{
    LobbyKeys, LobbyMatch, LobbyPlayer, OpenConnection, StoredChallenge, Ticket,
};

const GAME: &str = EXAMPLE;

fn games() -> Catalogue {
    Catalogue::new(GAMES)
}

fn person(id: &str) -> LobbyPlayer {
    LobbyPlayer { who: PlayerRef::new(id, id), kind: PlayerKind::Person }
}

fn bot(id: &str, owner: &str) -> LobbyPlayer {
    let who = PlayerRef { owner: Some(owner.into()), ..PlayerRef::new(id, id) };
    LobbyPlayer { who, kind: PlayerKind::Bot }
}

fn terms(rated: bool, initial_ms: Option<u64>) -> Terms {
    let clock = initial_ms.map(|ms| ClockSpec { initial_ms: Some(ms), increment_ms: 0, move_ms: None });
    Terms { game: GAME.into(), clock, rated, seat: 0 }
}

#[test]
fn policy_decides_by_game_clock_rating_and_challenger() {
    let (robo, ann, other) = (bot("robo", "ann"), person("ann"), bot("other", "ben"));
    let policy = |rated, unlimited, clock_ms, from| Policy {
        games: vec![GAME.into()],
        concurrent: 1,
        rated,
        clock_ms,
        unlimited,
        from,
        ladder: true,
        referee: std::collections::BTreeMap::new(),
    };
    let any = policy(PolicyRated::Any, true, None, PolicyFrom::Anyone);
    for (policy, terms, from, accepts) in [
        (&any, terms(false, None), &ann, true),
        (&any, Terms { game: "another".into(), ..terms(false, None) }, &ann, false),
        (&policy(PolicyRated::Only, true, None, PolicyFrom::Anyone), terms(false, None), &ann, false),
        (&policy(PolicyRated::Never, true, None, PolicyFrom::Anyone), terms(true, Some(9)), &ann, false),
        (&policy(PolicyRated::Any, false, None, PolicyFrom::Anyone), terms(false, None), &ann, false),
        (
            &policy(PolicyRated::Any, false, Some([5, 9]), PolicyFrom::Anyone),
            terms(false, Some(9)),
            &ann,
            true,
        ),
        (
            &policy(PolicyRated::Any, false, Some([5, 9]), PolicyFrom::Anyone),
            terms(false, Some(10)),
            &ann,
            false,
        ),
        (&policy(PolicyRated::Any, true, None, PolicyFrom::People), terms(false, None), &other, false),
        (&policy(PolicyRated::Any, true, None, PolicyFrom::Bots), terms(false, None), &ann, false),
        (&policy(PolicyRated::Any, true, None, PolicyFrom::Owner), terms(false, None), &ann, true),
        (&policy(PolicyRated::Any, true, None, PolicyFrom::Owner), terms(false, None), &other, false),
    ] {
        assert_eq!(policy.accepts(&robo, &terms, from).is_ok(), accepts, "{policy:?} {terms:?} {from:?}");
    }
    assert_eq!(Policy::read(&any.checked(&games()).unwrap()), Some(any));
}

#[test]
fn bot_gets_a_seat_that_its_protocol_has() {
    let games = games();
    let offer = games.find(GAME).unwrap();
    let (person, bot) = (PlayerKind::Person, PlayerKind::Bot);
    for toss in [false, true] {
        assert_eq!(challenger_seat(offer, bot, person, None, toss).unwrap(), 0);
        assert_eq!(challenger_seat(offer, person, bot, None, toss).unwrap(), 1);
    }
    assert_eq!(challenger_seat(offer, person, person, None, true).unwrap(), 0);
    assert_eq!(challenger_seat(offer, person, person, None, false).unwrap(), 1);
    let refused = |one, other, wanted| challenger_seat(offer, one, other, wanted, true).unwrap_err().code();
    assert_eq!(refused(bot, bot, None), Code::NoBotSeat);
    assert_eq!(refused(bot, person, Some(1)), Code::NoBotSeat);
    assert_eq!(refused(person, person, Some(2)), Code::BadSeats);
}

fn challenge(id: &str, stage: &str, settled_ms: Option<i64>) -> StoredChallenge {
    StoredChallenge {
        id: id.into(),
        challenger: person("ann"),
        opponent: person("ben"),
        terms: terms(false, None).stored(),
        created_ms: 1,
        until_ms: 2,
        stage: stage.into(),
        settled_ms,
        reason: None,
        match_id: None,
        tickets: None,
    }
}

#[test]
fn client_is_told_what_differs_from_what_it_knows() {
    let mut follower = Follower::default();
    let kinds = |news: Vec<LobbyEvent>| news.iter().map(LobbyEvent::kind).collect::<Vec<_>>();
    let news = |follower: &mut Follower, rows: &LobbyRows, player| {
        kinds(follower.update(&LobbySnapshot::of(rows), player).unwrap())
    };
    let (id, player) = (MatchId::fresh(), "ben".to_owned());
    let found = LobbyMatch { player, id, game: GAME.into(), stage: Stage::Running };
    let mut rows = LobbyRows {
        challenges: vec![challenge("a", "open", None), challenge("b", "declined", Some(3))],
        ..LobbyRows::default()
    };
    assert_eq!(news(&mut follower, &rows, "ben"), ["challenge"], "a settled one is no news");
    assert_eq!(news(&mut follower, &rows, "ben"), [""; 0]);
    assert_eq!(news(&mut Follower::default(), &rows, "cat"), [""; 0], "it is for two players");
    // Accepted, but its match does not exist yet.
    rows.challenges[0] = challenge("a", "accepted", None);
    assert_eq!(news(&mut follower, &rows, "ben"), [""; 0]);
    rows.challenges[0] = challenge("a", "accepted", Some(4));
    rows.matches = vec![found];
    assert_eq!(news(&mut follower, &rows, "ben"), ["challenge_over", "match"]);
    assert_eq!(news(&mut follower, &LobbyRows::default(), "ben"), ["match_over"]);
}

fn connection(id: &str, player: LobbyPlayer, policy: Option<&str>) -> OpenConnection {
    OpenConnection {
        id: id.into(),
        node: "node".into(),
        player,
        owner: None,
        about: None,
        since_ms: 1,
        policy: policy.map(str::to_owned),
    }
}

#[test]
fn snapshot_after_changes_is_that_of_the_rows() {
    let policy = format!(r#"{{"games":["{GAME}"]}}"#);
    let policy = Some(policy.as_str());
    let of_player = |player: &str, stage| LobbyMatch {
        player: player.into(),
        id: MatchId::fresh(),
        game: GAME.into(),
        stage,
    };
    let before = LobbyRows {
        connections: vec![
            connection("1", person("ann"), None),
            connection("2", bot("robo", "ann"), policy),
            connection("3", bot("robo", "ann"), policy),
        ],
        challenges: vec![challenge("a", "open", None), challenge("b", "open", None)],
        matches: vec![of_player("ann", Stage::Open)],
        ratings: vec![("ann".into(), GAME.into(), Rating::NEW)],
        ..LobbyRows::default()
    };
    let mut snapshot = LobbySnapshot::of(&before);
    assert_eq!(snapshot.bots_online().count(), 2);
    // A connection of the bot closes, another one loses its policy, a challenge goes, and the person plays another match.
    let rows = LobbyRows {
        connections: vec![connection("3", bot("robo", "ann"), None)],
        matches: vec![of_player("ann", Stage::Running)],
        ladder_holder: Some("node".into()),
        ..LobbyRows::default()
    };
    let text = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    let changed = LobbyKeys {
        connections: text(&["2", "3"]),
        challenges: text(&["b"]),
        players: text(&["ann"]),
        ..LobbyKeys::default()
    };
    let concerned = snapshot.apply(Some(&changed), &rows);
    assert_eq!(concerned, text(&["ann", "ben", "robo"]));
    let after = LobbyRows {
        connections: vec![before.connections[0].clone(), rows.connections[0].clone()],
        challenges: vec![before.challenges[0].clone()],
        ..rows
    };
    assert_eq!(snapshot.with_version(0), LobbySnapshot::of(&after));
    assert_eq!(snapshot.bots_online().count(), 0);
    // The whole lobby replaces everything, and concerns everybody who was there.
    assert_eq!(snapshot.apply(None, &LobbyRows::default()), text(&["ann", "ben", "robo"]));
    assert_eq!(snapshot.with_version(0), LobbySnapshot::default());
}

/// The place of the opponent among those who wait; `wait`: of the one who looks for an opponent.
fn opponent_of(
    games: &Catalogue,
    mine: (Ticket, PoolWish),
    others: &[(Ticket, PoolWish)],
    now: i64,
) -> Option<usize> {
    let waiting =
        |(ticket, wish): &(Ticket, PoolWish)| WaitingTicket { ticket: ticket.clone(), wish: wish.clone() };
    let (mine, others) = (waiting(&mine), others.iter().map(waiting).collect::<Vec<_>>());
    let mut free = WaitingPlayers::new(others.iter());
    let found = free.take_opponent(games, &mine, now, |_| true)?;
    assert!(!free.take(found), "it is taken out");
    others.iter().position(|other| other == found)
}

#[test]
fn people_of_near_rating_are_paired_first() {
    let games = games();
    let wish = |points, opponents: &[PlayerKind]| PoolWish {
        game: GAME.into(),
        clock: None,
        rated: false,
        opponents: opponents.to_vec(),
        others_after_ms: 0,
        points,
    };
    let ticket = |player: LobbyPlayer, created_ms| Ticket {
        id: player.who.id.clone(),
        node: String::new(),
        player,
        terms: String::new(),
        created_ms,
    };
    let (people, all) = ([PlayerKind::Person], [PlayerKind::Person, PlayerKind::Bot]);
    let mine = ticket(person("ann"), 10_000);
    let waiting = [
        (ticket(person("far"), 10_000), wish(2000.0, &all)),
        (ticket(person("near"), 10_000), wish(1600.0, &people)),
        (ticket(person("nearer"), 10_000), wish(1450.0, &people)),
        (ticket(bot("robo", "ben"), 10_000), wish(1500.0, &all)),
        (ticket(bot("own", "ann"), 10_000), wish(1500.0, &all)),
    ];
    let best =
        |wish: &PoolWish, waiting: &[_], now| opponent_of(&games, (mine.clone(), wish.clone()), waiting, now);
    assert_eq!(best(&wish(1500.0, &all), &waiting, 10_000), Some(2));
    assert_eq!(best(&wish(1530.0, &all), &waiting, 10_000), Some(1), "on the other side");
    assert_eq!(best(&wish(1500.0, &all), &waiting[3..], 10_000), Some(0), "a bot of another person");
    assert_eq!(best(&wish(1500.0, &people), &waiting[3..], 10_000), None);
    // The longer they wait, the more the ratings may differ.
    assert_eq!(best(&wish(1500.0, &all), &waiting[..1], 10_000), None);
    assert_eq!(best(&wish(1500.0, &all), &waiting[..1], 40_000), Some(0));
    let other = PoolWish { rated: true, ..wish(1500.0, &all) };
    assert_eq!(best(&other, &waiting, 10_000), None, "they want something else");
}

/// The choice looks at those nearby alone, and still finds what a look at all of them finds.
#[test]
fn opponent_is_the_nearest_of_all_who_may_meet() {
    let games = games();
    let mut rng = Rng::new(&Seed([5; 32]));
    for _ in 0..200 {
        let mut player = |n: usize| {
            let (points, created_ms) = (1000.0 + rng.below(1000) as f64, rng.below(60_000) as i64);
            let opponents = match rng.below(3) {
                0 => vec![PlayerKind::Bot],
                _ => vec![PlayerKind::Person],
            };
            let player = person(&format!("p{n}"));
            let ticket = Ticket {
                id: player.who.id.clone(),
                node: String::new(),
                player,
                terms: String::new(),
                created_ms,
            };
            let wish = PoolWish {
                game: GAME.into(),
                clock: None,
                rated: false,
                opponents,
                others_after_ms: 0,
                points,
            };
            (ticket, wish)
        };
        let others: Vec<_> = (1..30).map(&mut player).collect();
        let (ticket, wish) = player(0);
        let mine = (ticket, PoolWish { opponents: vec![PlayerKind::Person], ..wish });
        let far = |(_, wish): &(Ticket, PoolWish)| (wish.points - mine.1.points).abs();
        let suits = |other: &&(Ticket, PoolWish)| {
            let waited_ms = 60_000 - mine.0.created_ms.min(other.0.created_ms);
            other.1.opponents == [PlayerKind::Person] && far(other) <= 150.0 + 0.015 * waited_ms as f64
        };
        let best = others.iter().filter(suits).map(far).min_by(f64::total_cmp);
        let found = opponent_of(&games, mine.clone(), &others, 60_000);
        assert_eq!(found.map(|place| far(&others[place])), best);
    }
}

#[test]
fn ladder_prefers_open_results_and_uncertain_ratings() {
    let rating = |points, sigma| Rating { sigma, ..Rating::at(points) };
    let (sure, unsure) = (rating(1500.0, 1.0), rating(1500.0, 8.0));
    assert!(information(unsure, unsure) > information(sure, unsure));
    assert!(information(sure, unsure) > information(sure, sure));
    assert!(information(sure, sure) > information(sure, rating(1900.0, 1.0)));
    assert!(
        information(rating(1900.0, 8.0), unsure) > information(sure, sure),
        "so that new players are rated soon"
    );
}

#[test]
fn ladder_pairs_players_of_different_owners_who_accept_each_other() {
    let games = games();
    // A game in which a bot can have either seat, and one in which it cannot.
    let has_both = |offer: &&Offer| offer.info.bot_can_hold_all(2, false);
    let (both, single) = (games.offers().iter().find(has_both).unwrap(), games.find(GAME).unwrap());
    let policy = |from, rated, clock_ms| Policy {
        games: vec![GAME.into(), both.info.slug.into()],
        concurrent: 1,
        rated,
        clock_ms,
        unlimited: true,
        from,
        ladder: true,
        referee: std::collections::BTreeMap::new(),
    };
    let any = policy(PolicyFrom::Anyone, PolicyRated::Any, None);
    let entrant = |id: &str, owner: &str, policy: Policy| LadderEntrant {
        player: bot(id, owner),
        rating: Rating::NEW,
        policy: Some(policy),
    };
    let engine = LadderEntrant {
        player: LobbyPlayer { who: PlayerRef::new("engine:x", "x:y:1:max"), kind: PlayerKind::Engine },
        rating: Rating::NEW,
        policy: None,
    };
    let robo = entrant("robo", "ann", any.clone());
    let other = |policy: Policy| entrant("other", "ben", policy);
    assert!(may_meet(&robo, &other(any.clone()), both));
    assert!(!may_meet(&robo, &other(any.clone()), single), "both would need the same seat");
    assert!(may_meet(&robo, &engine, single));
    assert!(!may_meet(&engine, &engine, single), "an engine does not play itself");
    assert!(!may_meet(&robo, &entrant("sister", "ann", any.clone()), both));
    for (policy, with_bot, with_engine) in [
        (policy(PolicyFrom::Bots, PolicyRated::Only, None), true, true),
        (policy(PolicyFrom::People, PolicyRated::Any, None), false, false),
        (policy(PolicyFrom::Owner, PolicyRated::Any, None), false, false),
        (policy(PolicyFrom::Anyone, PolicyRated::Never, None), false, false),
        (policy(PolicyFrom::Anyone, PolicyRated::Any, Some([1_000, 60_000])), true, true),
    ] {
        let one = other(policy);
        let meets = (may_meet(&robo, &one, both), may_meet(&one, &engine, both));
        assert_eq!(meets, (with_bot, with_engine), "{:?}", one.policy);
    }
    let with = |clock_ms| other(policy(PolicyFrom::Anyone, PolicyRated::Any, clock_ms));
    let initial = |clocks: &[Option<[u64; 2]>]| {
        let entrants: Vec<LadderEntrant> = clocks.iter().map(|clock| with(*clock)).collect();
        clock_for(&entrants).and_then(|clock| clock.initial_ms)
    };
    assert_eq!(initial(&[]), Some(180_000));
    assert_eq!(initial(&[None, Some([1_000, 60_000])]), Some(60_000));
    assert_eq!(initial(&[Some([200_000, 900_000]), Some([1_000, 300_000])]), Some(200_000));
    assert_eq!(initial(&[Some([200_000, 900_000]), Some([1_000, 100_000])]), None);
}
