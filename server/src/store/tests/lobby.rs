//! The lobby: the players connected to matches, and the node that runs the ladder, as long as the nodes live.

use std::collections::BTreeSet;

use engines::game::Seat;

use crate::store::ConnectedSeat;
use crate::store::tests::*;

on_both_databases! {
    connected_seats_are_those_of_living_nodes,
    one_living_node_runs_the_ladder,
}

async fn change(store: &TestStore, change: LobbyChange) -> u64 {
    store.change(StoreChange::Lobby(change)).await.unwrap()
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
        let rows = ours.lobby(0).await.unwrap();
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
    let keeper = async || ours.lobby(0).await.unwrap().ladder_keeper;
    assert_eq!(keeper().await, None);
    assert_eq!(change(&theirs, LobbyChange::KeepLadder).await, 1);
    assert_eq!(change(&ours, LobbyChange::KeepLadder).await, 0, "the other node lives");
    assert_eq!(keeper().await.as_deref(), Some(theirs.node()));
    drop(theirs);
    poll_until(async || {
        ours.heartbeat(ours.now().ms());
        (keeper().await.is_none()).then_some(())
    })
    .await;
    assert_eq!(change(&ours, LobbyChange::KeepLadder).await, 1, "the other node is dead");
    assert_eq!(keeper().await.as_deref(), Some(ours.node()));
}
