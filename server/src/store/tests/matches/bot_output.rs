//! What bots wrote: by turn, bounded, and gone with the match.

use crate::store::queries::bot_output::{KeptTurn, StoredOutput};
use crate::store::tests::*;

on_both_databases! {
    turns_are_kept_replaced_and_bounded,
    output_goes_with_its_match,
}

fn turn(seat: u8, ply: u32, lines: &str) -> KeptTurn {
    let output =
        StoredOutput { seat, ply, lines: lines.to_owned(), cut: false, cpu_ms: Some(7), memory_kib: None };
    KeptTurn { output, replaces: true, most_of_seat: 20 }
}

async fn keep(store: &TestStore, id: &MatchId, turns: Vec<KeptTurn>) -> u64 {
    store.change(StoreChange::KeepBotOutput { id: id.clone(), turns }).await.unwrap()
}

async fn told(store: &TestStore, id: &MatchId, seat: Option<u8>) -> Vec<(u8, u32, String)> {
    let kept = store.bot_output(id.clone(), seat).await.unwrap();
    kept.into_iter().map(|turn| (turn.seat, turn.ply, turn.lines)).collect()
}

async fn turns_are_kept_replaced_and_bounded(database: TestDatabase) {
    let store = database.open(0).await;
    let id = MatchId::fresh();
    assert_eq!(keep(&store, &id, vec![turn(0, 1, "[]")]).await, 0, "there is no such match");
    store.append(first(&id)).await.unwrap();
    let mut full = turn(0, 3, "123456");
    full.output = StoredOutput { cut: true, cpu_ms: None, memory_kib: Some(9), ..full.output };
    assert_eq!(keep(&store, &id, vec![turn(1, 2, "b"), turn(0, 1, "a"), full.clone()]).await, 3);
    assert_eq!(store.bot_output(id.clone(), Some(0)).await.unwrap()[1], full.output);
    assert_eq!(keep(&store, &id, vec![turn(0, 1, "again")]).await, 1);
    let only_new = |ply, lines| KeptTurn { replaces: false, ..turn(0, ply, lines) };
    keep(&store, &id, vec![only_new(1, "played again"), only_new(5, "new"), turn(0, 7, "too much")]).await;
    let of_first = [(0, 1, "again".to_owned()), (0, 3, "123456".to_owned()), (0, 5, "new".to_owned())];
    assert_eq!(told(&store, &id, Some(0)).await, of_first);
    let all = [&of_first[..], &[(1, 2, "b".to_owned())]].concat();
    assert_eq!(told(&store, &id, None).await, all);
}

async fn output_goes_with_its_match(database: TestDatabase) {
    let store = database.open(0).await;
    let id = create_match(&store).await;
    keep(&store, &id, vec![turn(0, 1, "a")]).await;
    assert_eq!(told(&store, &id, None).await.len(), 1);
    store.append(last(&id, 1)).await.unwrap();
    assert_eq!(store.change(StoreChange::DeleteMatch { id: id.clone(), at_ms: 5 }).await, Ok(1));
    assert_eq!(told(&store, &id, None).await, []);
}
