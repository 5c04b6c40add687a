//! Removes the names of deleted players from the logs of matches and tournaments, where each has the name until then and
//! readers get another one. Nothing else in a log ever changes. The database lists what is still to be done, so any node can go on,
//! also after a crash.

use std::time::Duration;

use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::domain::MatchId;
use crate::domain::names::of_deleted;
use crate::domain::time::Millis;
use crate::jobs::JobContext;
use crate::matches::listing::MatchSummary;
use crate::store::{NameErasure, NamingText, PendingErasure, StoreChange, StoreError};

/// How often to look for deleted players.
const INTERVAL: Duration = Duration::from_secs(1);

/// How long after the deletion the removal begins, in milliseconds: every node knows by then that the player is deleted, and
/// writes the name no more.
const DELAY_MS: Millis = 2_000;

/// How many matches are looked at together, and the pause afterwards.
const MATCHES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(20);

/// Works until the server stops.
pub(super) async fn erase_names(context: &JobContext) {
    let mut every = interval(INTERVAL);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            _ = every.tick() => {}
        }
        loop {
            match step(context).await {
                Ok(true) if !context.stopping.is_cancelled() => sleep(PAUSE).await,
                Ok(_) => break,
                Err(e) => {
                    // The next tick tries again.
                    tracing::debug!(error = %e, "names of deleted players could not be removed");
                    break;
                }
            }
        }
    }
}

/// Removes a name from the next texts; returns whether there were any.
async fn step(context: &JobContext) -> Result<bool, StoreError> {
    let store = context.matches.store();
    let before_ms = context.matches.now().ms() - DELAY_MS;
    let Some(PendingErasure { player, upto, texts }) = store.pending_erasure(before_ms, MATCHES).await?
    else {
        return Ok(false);
    };
    let erased = texts.into_iter().filter_map(|text| {
        let without = without_name(&text, &player);
        (without != text).then_some((text, without))
    });
    let erasure = NameErasure { texts: erased.collect(), player, upto };
    store.change(StoreChange::EraseName(Box::new(erasure))).await?;
    Ok(true)
}

/// The text with the name that readers get instead.
fn without_name(text: &NamingText, player: &str) -> NamingText {
    let mut text = text.clone();
    match &mut text {
        NamingText::Row { id, summary, players, .. } => {
            (*summary, *players) = row_without_name(id, summary, players, player);
        }
        NamingText::Event { id, body, .. } => {
            *body = replaced(body, player, &of_deleted(id.as_str(), player));
        }
        NamingText::Tournament { id, body, .. } => {
            *body = replaced(body, player, &of_deleted(id.as_str(), player));
        }
    }
    text
}

/// Replaces the names in all references to a player (`{"id":...,"name":...}`). It changes the text itself, since all
/// else must stay as it is to the last digit.
fn replaced(body: &str, player: &str, name: &str) -> String {
    let begin = format!("{{\"id\":{},\"name\":", Value::from(player));
    let mut parts = body.split(&*begin);
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        all += &begin;
        let mut rest = serde_json::Deserializer::from_str(part).into_iter::<String>();
        match rest.next() {
            Some(Ok(_)) => all.extend([&*Value::from(name).to_string(), &part[rest.byte_offset()..]]),
            _ => all += part,
        }
    }
    all
}

/// The row of a match in lists: its summary names the seats, and its players have ids.
fn row_without_name(id: &MatchId, summary: &str, players: &str, player: &str) -> (String, String) {
    let unchanged = || (summary.to_owned(), players.to_owned());
    let Ok(mut all) = serde_json::from_str::<Vec<(String, String, Option<f64>)>>(players) else {
        return unchanged();
    };
    let Ok(mut shown) = serde_json::from_str::<MatchSummary>(summary) else { return unchanged() };
    let deleted = of_deleted(id.as_str(), player);
    for (_, name, _) in all.iter_mut().filter(|(id, ..)| id == player) {
        shown.rename(name, &deleted);
        name.clone_from(&deleted);
    }
    let text = "texts and numbers are JSON";
    (serde_json::to_string(&shown).expect(text), serde_json::to_string(&all).expect(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_replaced_in_references_to_the_player_alone() {
        let body = r#"{"a":1.10,"x":{"id":"p1","name":"an\"n","owner":"p1"},"y":{"id":"p2","name":"an\"n"},"z":[{"id":"p1","name":""}]}"#;
        let wanted = r#"{"a":1.10,"x":{"id":"p1","name":"gone","owner":"p1"},"y":{"id":"p2","name":"an\"n"},"z":[{"id":"p1","name":"gone"}]}"#;
        assert_eq!(replaced(body, "p1", "gone"), wanted);
        assert_eq!(replaced(wanted, "p1", "gone"), wanted);
        for odd in [r#"{"id":"p1","name":null}"#, r#"{"id":"p1","name":"#, "", "p1"] {
            assert_eq!(replaced(odd, "p1", "gone"), odd);
        }
    }

    #[test]
    fn row_of_a_match_names_the_player_no_more() {
        let id = MatchId::fresh();
        let summary = r#"{"seats":[{"kind":"player","name":"ann","rank":1},{"kind":"guest","name":"ann"},{"kind":"player","name":"bob"}]}"#;
        let players = r#"[["p1","ann",1.0],["p2","bob",null]]"#;
        let (summary, players) = row_without_name(&id, summary, players, "p1");
        let deleted = of_deleted(id.as_str(), "p1");
        assert_eq!(players, format!(r#"[["p1","{deleted}",1.0],["p2","bob",null]]"#));
        let shown: Value = serde_json::from_str(&summary).unwrap();
        let names: Vec<_> = shown["seats"].as_array().unwrap().iter().map(|seat| &seat["name"]).collect();
        assert_eq!(names, [&deleted, "ann", "bob"], "a guest may have had the name before");
        assert_eq!(shown["seats"][0]["kind"], "guest");
    }
}
