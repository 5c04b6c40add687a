//! The shim sends a bot's secrets to the server only: not to the bot, and not to its log.

use kibitz::domain::token::{Token, TokenKind};
use serde_json::json;

use super::received::{Secret, search, without_white_space};
use crate::join::environment::{JoinProcess, JoinServer};

#[test]
fn shim_sends_the_seats_secrets_to_the_server_only() {
    let place = JoinServer::open("secrets");
    let me = json!({ "kind": "me" });
    let made = place.post("/v1/matches", &json!({ "game": "azul", "seats": [me, me], "private": true }));
    let url = format!("{}{}", place.url(), made["url"].as_str().unwrap());
    let (token, key) = (made["seats"][0]["token"].as_str().unwrap(), made["key"].as_str().unwrap());
    let fresh = |kind| Token::fresh(kind).unwrap().reveal().to_owned();
    let (wrong_token, wrong_key) = (fresh(TokenKind::Seat), fresh(TokenKind::Match));
    let secrets: Vec<Secret> = [token, key, &wrong_token, &wrong_key].map(Secret::token).into();

    // This bot shows all that it was given, and then loses the match.
    let heard = place.folder.join("heard");
    let bot = JoinServer::script(&format!(
        "env > {0}; cat /proc/self/cmdline >> {0}; echo nonsense",
        heard.display()
    ));
    let garbled = format!("{token}=");
    let no_server = "http://127.0.0.1:1/v1/matches/none";
    let runs = [
        (url.as_str(), wrong_token.as_str(), key),
        (&url, token, &wrong_key),
        (&url, &garbled, key),
        (&url, "two words", key),
        (no_server, "two words", "two words"),
        (&format!("{url}?token={token}"), token, key),
        (&format!("{}/v1/matches/{token}", place.url()), token, key),
        (&url, token, key),
    ];
    for (url, token, key) in runs {
        let (env, flags) =
            ([("KIBITZ_TOKEN", token), ("KIBITZ_MATCH_KEY", key)], ["--token", token, "--key", key]);
        for joined in [
            JoinProcess::start(url, &env, &["--verbose"], &bot),
            JoinProcess::start(url, &[], &[&["--verbose"], &flags[..]].concat(), &bot),
        ] {
            let (status, notes) = joined.end();
            assert!(status.is_some() && notes.starts_with("kibitz shim: "), "{notes}");
            search(&without_white_space(&notes), &secrets, "what the shim notes");
        }
    }
    let heard = std::fs::read_to_string(heard).expect("the bot was started");
    assert!(heard.contains("PATH="), "{heard}");
    search(&without_white_space(&heard), &secrets, "what the bot is given");
}
