//! Checks that a record contains exactly the moves that its clients saw acknowledged.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::retrying_client::PlayedMatch;

/// Checks the record of a match that was played to its end against its client's knowledge.
#[track_caller]
pub(super) fn assert_true(table: &PlayedMatch, record: &Value) {
    let events = record["events"].as_array().unwrap();
    let seqs: Vec<_> = events.iter().map(|e| e["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (0..events.len() as u64).collect::<Vec<_>>(), "without gaps, none twice");
    assert_eq!(events.last().unwrap()["type"], "ended");
    assert_eq!(events.last().unwrap()["how"], "played", "{}", table.id);

    let moved = events.iter().filter(|e| e["type"] == "moved" || e["type"] == "fouled");
    let plies: Vec<_> = moved.clone().map(|e| e["ply"].as_u64().unwrap()).collect();
    assert_eq!(plies, (0..plies.len() as u64).collect::<Vec<_>>(), "one move for each ply");
    assert!(moved.clone().all(|e| e["type"] == "moved"), "no time ran out: {}", table.id);
    let by_seq: BTreeMap<u64, &Value> = moved.map(|e| (e["seq"].as_u64().unwrap(), e)).collect();
    for known in &table.acknowledged {
        let event = by_seq.get(&known.seq).unwrap_or_else(|| panic!("{known:?} of {} is lost", table.id));
        assert_eq!(event["ply"], known.ply);
        assert_eq!(event["seat"], known.seat);
        assert_eq!(event["notation"], known.notation.as_str());
    }
    let mine = by_seq.values().filter(|e| table.tokens[e["seat"].as_u64().unwrap() as usize].is_some());
    assert_eq!(
        mine.count(),
        table.acknowledged.len(),
        "the record has no move besides the acknowledged ones"
    );
}

/// Checks that `kibitz verify` accepts the record.
#[track_caller]
pub(crate) fn assert_verified(record: &Value) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kibitz"))
        .args(["verify", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(record.to_string().as_bytes()).unwrap();
    let verdict = child.wait_with_output().unwrap();
    assert!(verdict.status.success(), "{} {}", record["id"], String::from_utf8_lossy(&verdict.stdout));
}
