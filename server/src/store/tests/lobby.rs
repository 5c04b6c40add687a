//! The lobby: the players connected to matches, and the node that runs the ladder, as long as the nodes live; and that the
//! changes lead to what the whole lobby shows.

use std::collections::{BTreeMap, BTreeSet};

use engines::game::Seat;
use engines::rng::{Rng, Seed};

use crate::store::ConnectedSeat;
use crate::store::data::lobby::{Connected, LobbyKeys, LobbyMark, NewChallenge, Settlement};
use crate::store::tests::*;

on_both_databases! {
    connected_seats_are_those_of_living_nodes,
    one_living_node_runs_the_ladder,
    changes_lead_to_the_whole_lobby,
    matches_that_begin_while_a_player_comes_online_are_read,
    lobby_is_read_as_a_whole_when_the_changes_are_gone,
}

async fn change(store: &TestStore, change: LobbyChange) -> u64 {
    store.change(StoreChange::Lobby(change)).await.unwrap()
}

async fn whole(store: &TestStore) -> LobbyRows {
    store.lobby(None, 0).await.unwrap().rows
}

async fn serving(database: &TestDatabase) -> Arc<TestStore> {
    let store = database.open(0).await;
    store.serve(store.now().ms()).await.unwrap();
    store
}

async fn connected_seats_are_those_of_living_nodes(database: TestDatabase) {
    let (ours, theirs) = (serving(&database).await, serving(&database).await);
    let seat = |seat, follows| ConnectedSeat { id: MatchId::fresh(), seat: Seat(seat), follows };
    let (a, b) = (seat(0, false), seat(3, true));
    let came = |seats: &[&ConnectedSeat]| seats.iter().map(|seat| (*seat).clone()).collect::<Vec<_>>();
    let shown = async || {
        let rows = whole(&ours).await;
        (rows.own_seats, rows.other_seats)
    };
    let set = |seats: &[&ConnectedSeat]| came(seats).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(change(&ours, LobbyChange::Seats { came: came(&[&a, &b]), left: Vec::new() }).await, 2);
    assert_eq!(change(&ours, LobbyChange::Seats { came: came(&[&a]), left: Vec::new() }).await, 0, "again");
    let followed = ConnectedSeat { follows: true, ..a.clone() };
    for now in [&followed, &a] {
        assert_eq!(change(&ours, LobbyChange::Seats { came: came(&[now]), left: Vec::new() }).await, 1);
        assert_eq!(shown().await.0, set(&[now, &b]));
    }
    assert_eq!(change(&theirs, LobbyChange::Seats { came: came(&[&b]), left: Vec::new() }).await, 1);
    assert_eq!(shown().await, (set(&[&a, &b]), set(&[&b])));
    // Each node removes only its own.
    assert_eq!(change(&ours, LobbyChange::Seats { came: Vec::new(), left: came(&[&b]) }).await, 1);
    assert_eq!(shown().await, (set(&[&a]), set(&[&b])));
    drop(theirs);
    poll_until(async || {
        ours.heartbeat(ours.now().ms());
        (shown().await.1.is_empty()).then_some(())
    })
    .await;
    let sweep = LobbyChange::Sweep { now: ours.now().ms(), settled_before_ms: 0 };
    assert_eq!(change(&ours, sweep).await, 1, "what the dead node has left");
    assert_eq!(shown().await, (set(&[&a]), set(&[])));
}

async fn one_living_node_runs_the_ladder(database: TestDatabase) {
    let (ours, theirs) = (serving(&database).await, serving(&database).await);
    let holder = async || whole(&ours).await.ladder_holder;
    assert_eq!(holder().await, None);
    assert_eq!(change(&theirs, LobbyChange::KeepLadder).await, 1);
    assert_eq!(change(&ours, LobbyChange::KeepLadder).await, 0, "the other node lives");
    assert_eq!(holder().await.as_deref(), Some(theirs.node()));
    drop(theirs);
    poll_until(async || {
        ours.heartbeat(ours.now().ms());
        (holder().await.is_none()).then_some(())
    })
    .await;
    assert_eq!(change(&ours, LobbyChange::KeepLadder).await, 1, "the other node is dead");
    assert_eq!(holder().await.as_deref(), Some(ours.node()));
}

/// A lobby that is kept in step by the changes.
#[derive(Default)]
struct FollowedLobby {
    mark: Option<LobbyMark>,
    rows: LobbyRows,
    /// How often the whole was read.
    wholes: u32,
}

impl FollowedLobby {
    async fn read(&mut self, store: &TestStore) {
        let news = store.lobby(self.mark.as_ref(), 0).await.unwrap();
        self.mark = Some(news.mark);
        let new = news.rows;
        let Some(keys) = news.changed else {
            self.wholes += 1;
            self.rows = new;
            return;
        };
        let LobbyKeys { connections, tickets, challenges, players, matches } = keys;
        let rows = &mut self.rows;
        rows.connections.retain(|row| !connections.contains(&row.id));
        rows.connections.extend(new.connections);
        rows.tickets.retain(|row| !tickets.contains(&row.id));
        rows.tickets.extend(new.tickets);
        rows.challenges.retain(|row| !challenges.contains(&row.id));
        rows.challenges.extend(new.challenges);
        rows.matches.retain(|row| !players.contains(&row.player));
        rows.matches.extend(new.matches);
        rows.ratings.retain(|(player, ..)| !players.contains(player));
        rows.ratings.extend(new.ratings);
        rows.own_seats.retain(|seat| !matches.contains(&seat.id));
        rows.own_seats.extend(new.own_seats);
        rows.other_seats.retain(|seat| !matches.contains(&seat.id));
        rows.other_seats.extend(new.other_seats);
        rows.ladder_holder = new.ladder_holder;
    }
}

/// The rows in a fixed order. A settled challenge may show a player's former name: it is no news for anyone.
fn sorted(mut rows: LobbyRows) -> LobbyRows {
    for challenge in rows.challenges.iter_mut().filter(|challenge| challenge.settled_ms.is_some()) {
        challenge.challenger.who.name.clear();
        challenge.opponent.who.name.clear();
    }
    rows.connections.sort_by(|a, b| a.id.cmp(&b.id));
    rows.tickets.sort_by(|a, b| a.id.cmp(&b.id));
    rows.challenges.sort_by(|a, b| a.id.cmp(&b.id));
    rows.matches.sort_by(|a, b| (&a.id, &a.player).cmp(&(&b.id, &b.player)));
    rows.ratings.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    rows
}

const PLAYERS: [&str; 6] = ["ann", "ben", "cat", "dan", "eve", "fay"];

/// Changes the lobby at random.
struct RandomChanges {
    rng: Rng,
    /// Connections, tickets and challenges that there may be.
    ids: Vec<String>,
    /// Unfinished matches: the next sequence number and the players.
    matches: BTreeMap<MatchId, (u32, Vec<PlayerRef>)>,
    names: u32,
}

impl RandomChanges {
    fn player(&mut self) -> String {
        named(PLAYERS[self.rng.below(PLAYERS.len())]).id
    }

    fn fresh(&mut self) -> String {
        let id = uuid::Uuid::now_v7().to_string();
        self.ids.push(id.clone());
        id
    }

    fn known(&mut self) -> String {
        match self.ids.len() {
            0 => String::new(),
            known => self.ids[self.rng.below(known)].clone(),
        }
    }

    /// Changes something by way of this node.
    async fn step(&mut self, store: &TestStore) {
        let (player, other) = (self.player(), self.player());
        let change = match self.rng.below(10) {
            0 => {
                let policy = (self.rng.below(2) == 0).then(|| "{}".to_owned());
                LobbyChange::Connected(Connected { id: self.fresh(), player, since_ms: 1, policy })
            }
            1 => LobbyChange::Disconnected { id: self.known() },
            2 => {
                let id = self.fresh();
                let (terms, until_ms) = ("{}".to_owned(), i64::MAX);
                let challenge =
                    NewChallenge { id, challenger: player, opponent: other, terms, created_ms: 1, until_ms };
                LobbyChange::Challenge { challenge, most: 5 }
            }
            3 => LobbyChange::Settle(Settlement {
                id: self.known(),
                from: "open",
                to: "declined",
                settled_ms: Some(i64::MAX),
                until_ms: None,
                reason: None,
                match_id: None,
            }),
            4 => LobbyChange::Ticket { id: self.fresh(), player, terms: "{}".to_owned(), created_ms: 1 },
            5 => LobbyChange::Leave { id: self.known() },
            6 => {
                let id = self.matches.keys().next().cloned().unwrap_or_else(MatchId::fresh);
                let seat = ConnectedSeat { id, seat: Seat(0), follows: self.rng.below(2) == 0 };
                match self.rng.below(3) {
                    0 => LobbyChange::Seats { came: Vec::new(), left: vec![seat] },
                    _ => LobbyChange::Seats { came: vec![seat], left: Vec::new() },
                }
            }
            7 => {
                self.names += 1;
                let name = format!("name{}", self.names);
                let rename = StoreChange::RenamePlayer { player, name, at_ms: 1, held_until_ms: 1 };
                store.change(rename).await.unwrap();
                return;
            }
            _ => return self.play(store).await,
        };
        store.change(StoreChange::Lobby(change)).await.unwrap();
    }

    /// Begins a match, or ends one with a rated result.
    async fn play(&mut self, store: &TestStore) {
        let players = PLAYERS.map(named).into_iter().filter(|_| self.rng.below(3) == 0).take(2);
        let players: Vec<PlayerRef> = players.collect();
        let is_new = self.matches.len() < 3 || self.rng.below(2) == 0;
        let listed = |stage, players: &[PlayerRef]| MatchRow {
            players: players.iter().map(|who| (who.clone(), None)).collect(),
            ..row(stage)
        };
        if is_new {
            let id = MatchId::fresh();
            let append = Append { row: Some(listed(Stage::Running, &players)), ..first(&id) };
            store.append(append).await.unwrap();
            self.matches.insert(id, (1, players));
        } else if let Some((id, (seq, players))) = self.matches.pop_first() {
            let seats = players.iter().zip(1..).map(|(who, place)| (who.id.clone(), place)).collect();
            let rated = (players.len() == 2).then(|| RatedResult {
                game: "go".to_owned(),
                seats,
                programs: Vec::new(),
            });
            let append = Append { row: Some(listed(Stage::Over, &players)), rated, ..next(&id, seq) };
            store.append(append).await.unwrap();
        }
    }
}

async fn changes_lead_to_the_whole_lobby(database: TestDatabase) {
    let nodes = [serving(&database).await, serving(&database).await];
    for (n, name) in PLAYERS.into_iter().enumerate() {
        nodes[0].add_player(named(name), hash(n as u8), 0, None).await.unwrap();
    }
    let mut followed = [FollowedLobby::default(), FollowedLobby::default()];
    let mut changes =
        RandomChanges { rng: Rng::new(&Seed([7; 32])), ids: Vec::new(), matches: BTreeMap::new(), names: 0 };
    for step in 0..200 {
        changes.step(&nodes[step % 2]).await;
        for (node, followed) in nodes.iter().zip(&mut followed) {
            if changes.rng.below(2) == 0 {
                followed.read(node).await;
                assert_eq!(sorted(followed.rows.clone()), sorted(whole(node).await), "after {step}");
            }
        }
    }
    assert!(!followed[0].rows.ratings.is_empty() && !followed[0].rows.challenges.is_empty());
    assert!(followed.iter().all(|lobby| lobby.wholes <= 2), "the changes suffice while the same nodes live");
}

/// The player and the match come in transactions of two nodes that may not see each other.
async fn matches_that_begin_while_a_player_comes_online_are_read(database: TestDatabase) {
    let (ours, theirs) = (serving(&database).await, serving(&database).await);
    let ann = named("ann");
    ours.add_player(ann.clone(), hash(1), 0, None).await.unwrap();
    let mut followed = FollowedLobby::default();
    followed.read(&ours).await;
    for _ in 0..20 {
        let id = MatchId::fresh();
        let row = MatchRow { players: vec![(ann.clone(), None)], ..row(Stage::Running) };
        let connection = uuid::Uuid::now_v7().to_string();
        let came = Connected { id: connection.clone(), player: ann.id.clone(), since_ms: 1, policy: None };
        let (began, _) = tokio::join!(
            theirs.append(Append { row: Some(row), ..first(&id) }),
            change(&ours, LobbyChange::Connected(came)),
        );
        began.unwrap();
        poll_until(async || {
            followed.read(&ours).await;
            followed.rows.matches.iter().any(|found| found.id == id).then_some(())
        })
        .await;
        change(&ours, LobbyChange::Disconnected { id: connection }).await;
        followed.read(&ours).await;
        assert_eq!(followed.rows.matches, [], "nobody is online");
    }
}

async fn lobby_is_read_as_a_whole_when_the_changes_are_gone(database: TestDatabase) {
    let store = serving(&database).await;
    let ann = named("ann");
    store.add_player(ann.clone(), hash(1), 0, None).await.unwrap();
    let mut followed = FollowedLobby::default();
    followed.read(&store).await;
    let connect = async || {
        let id = uuid::Uuid::now_v7().to_string();
        change(
            &store,
            LobbyChange::Connected(Connected { id, player: ann.id.clone(), since_ms: 1, policy: None }),
        )
        .await;
    };
    connect().await;
    followed.read(&store).await;
    assert_eq!(followed.wholes, 1);
    for _ in 0..3 {
        connect().await;
    }
    database.execute("DELETE FROM lobby_changes WHERE nr < (SELECT max(nr) FROM lobby_changes)").await;
    followed.read(&store).await;
    assert_eq!(followed.wholes, 2);
    assert_eq!(sorted(followed.rows), sorted(whole(&store).await));
}
