//! A game without a contest: its pages do not speak of one, in any language.

use serde_json::json;

use super::ask;
use crate::client::TestServer;
use crate::club::player;
use crate::matches::{TestCaller, create, me, open, order};
use crate::tournaments;

/// The beginnings of the words in the three languages.
const WORDS: [&str; 4] = ["contest", "concurs", "official", "oficial"];

/// The pages about a game: its own, the analysis board, a match, and a gauntlet with an entrant.
async fn pages_of(host: &TestServer, game: &str, organizer: &TestCaller) -> Vec<String> {
    let (path, _) = create(host, &TestCaller::anonymous(), order(game, &[me(), open()])).await;
    let gauntlet = tournaments::request(game, json!({ "kind": "gauntlet", "games": 2 }));
    let tournament = tournaments::create(host, organizer, gauntlet).await;
    organizer.post(host, &format!("{tournament}/entries"), json!({})).await.made();
    let own = ["", "/analysis", "/leaderboard"].map(|page| format!("/games/{game}{page}"));
    own.into_iter().chain([path, tournament].map(|path| path.replace("/v1/", "/"))).collect()
}

/// A page without the data for its module: the page as a visitor reads it, with the attributes by which the module decides what
/// to say.
async fn read(host: &TestServer, path: &str, language: &str) -> String {
    let page = ask(
        host,
        "GET",
        path,
        &[("accept", "text/html"), ("cookie", &format!("kibitz-language={language}"))],
    )
    .await;
    assert_eq!(page.status, 200, "{path}");
    let parts = page.text().split("<script type=\"application/json\"");
    let shown = parts.enumerate().map(|(i, part)| match (i, part.split_once("</script>")) {
        (1.., Some((_, rest))) => rest,
        _ => part,
    });
    shown.collect::<String>().to_lowercase()
}

#[tokio::test]
async fn pages_of_a_game_without_a_contest_speak_of_none() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let pages = pages_of(&host, "slow", &ann).await;
    let control = pages_of(&host, "ioiwari", &ann).await;
    for language in ["en", "ro", "pt"] {
        for path in &pages {
            let text = read(&host, path, language).await;
            let found = WORDS.iter().find(|word| text.contains(**word));
            assert_eq!(found, None, "{path} in {language}: {text}");
        }
        // The same pages of a game with a contest: the analysis board and the gauntlet speak of it.
        for path in [&control[1], &control[4]] {
            let text = read(&host, path, language).await;
            assert!(WORDS.iter().any(|word| text.contains(word)), "{path} in {language}: {text}");
        }
    }
}

/// The form of a new tournament knows which games have a contest.
#[tokio::test]
async fn form_of_a_tournament_marks_the_games_that_have_a_contest() {
    let host = TestServer::start(&[]).await;
    let page = read(&host, "/tournaments/new", "en").await;
    let options = |slug: &str| {
        let (_, option) = page.split_once(&format!("<option value=\"{slug}\"")).unwrap();
        option.split_once('>').unwrap().0.contains("data-contest")
    };
    assert_eq!(["ioiwari", "slow"].map(options), [true, false]);
}
