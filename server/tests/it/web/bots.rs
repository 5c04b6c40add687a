//! Runs the commands of the bots' page as written, from top to bottom.

use std::path::Path;
use std::process::{Command, Stdio};

use super::browse;
use crate::client::TestServer;

/// The commands of the page, as a reader copies them.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("<pre class=\"commands\"").skip(1);
    let text = |block: &str| {
        let (_, text) = block.split_once("<code>").unwrap();
        let text = text.split_once("</code>").unwrap().0;
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    };
    blocks.map(text).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_of_the_page_work() {
    let host = TestServer::start(&[]).await;
    let page = browse(&host, "/bots").await;
    let commands = commands(page.text());
    assert!(commands[0].contains(&host.address().to_string()), "the page knows where it is: {}", commands[0]);
    let mut contests = 0;
    for info in engines::games::GAMES.iter().map(|game| game.info()) {
        let shown = page.text().contains(&format!("id=\"{}\"", info.slug));
        assert_eq!(shown, info.has_contest(), "the page shows the harness of each game that has a contest");
        contests += usize::from(shown);
    }
    assert_eq!(commands.len(), 6 + contests);
    let folder = tempfile::tempdir().unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_kibitz")).parent().unwrap();
    assert!(programs.join("kibitz-shim").exists(), "not built: cargo build -p kibitz-shim");
    // One shell runs all of them, like the reader's; marker lines separate the output of the blocks.
    let script: String = commands.iter().map(|block| format!("{block}\necho ---\n")).collect();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("timeout");
    shell
        .args(["120", "bash", "-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .env("PATH", path);
    shell.stdin(Stdio::null());
    let done = tokio::task::spawn_blocking(move || shell.output()).await.unwrap().unwrap();
    let (printed, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{printed}\n{errors}");
    let printed: Vec<&str> = printed.split("---\n").collect();
    assert_eq!(printed.len(), commands.len() + 1, "{printed:#?}");
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text.trim()).unwrap();
    assert!(json(printed[1])["name"].as_str().unwrap().starts_with("bot-"), "{}", printed[1]);
    assert!(json(printed[2])["notation"].is_string(), "{}", printed[2]);
    assert!(
        printed[3].lines().filter(|line| !line.is_empty()).all(|line| json(line).is_object()),
        "{}",
        printed[3]
    );
    assert!(printed[4].contains("watch it: http://"), "{}", printed[4]);
    assert!(printed[5].contains("Elo"), "{}", printed[5]);
    // Each game's shim answers the beginning of a match.
    for (answer, command) in printed[6..].iter().zip(&commands[6..]) {
        assert!(!answer.trim().is_empty(), "{command}\nsaid nothing; {errors}");
    }
    // The bot played its match to the end, under its own name.
    let list = host.get("/v1/matches?stage=over").await.json();
    let seats = list["matches"][0]["seats"].as_array().unwrap();
    assert!(seats.iter().any(|seat| seat["kind"] == "player"), "{list}");
    assert!(list["matches"][0]["result"]["ranks"].is_array(), "{list}");
}
