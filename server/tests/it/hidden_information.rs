//! What a match hides while it runs: the cards of a seat, the seed, and what a bot reads and writes. Everybody else asks in every way
//! that there is, and the answers are searched afterwards, when the secrets are known.

use serde_json::{Value, json};

use crate::client::{DialogueClient, TestResponse, TestServer};
use crate::club::player;
use crate::exports::month_of;
use crate::matches::{EventStream, TestCaller, choose, create};

const SEED: &str = "5eed00000000000000000000000000000000000000000000000000000000d00d";

/// The turns of the bot before the match ends.
const TURNS: u64 = 4;

/// What the bot writes to standard error. The second kind is for everybody after the end.
const PRIVATE: &str = "canary-private";
const PUBLIC: &str = "canary-public";

/// The code of a refusal.
fn code_of(reply: &TestResponse) -> Value {
    serde_json::from_slice::<Value>(&reply.body).unwrap_or_default()["code"].clone()
}

/// A match of a bot against ben, which ann, the owner, has created.
struct HidingMatch {
    host: TestServer,
    game: &'static str,
    /// Where a page has what the bot alone sees.
    hidden: String,
    /// The seat of the bot.
    seat: u64,
    path: String,
    ann: TestCaller,
    robo: TestCaller,
    ben: TestCaller,
    /// Has no part in the match.
    carl: TestCaller,
    dialogue: DialogueClient,
    /// All that others have read so far: what they asked for, and the answer.
    read: Vec<(String, String)>,
    /// Texts that none of these may contain.
    secrets: Vec<String>,
}

impl HidingMatch {
    /// `hidden`: see the field; `SEAT` stands for the bot's seat.
    async fn begin(game: &'static str, seat: u64, hidden: &str) -> Self {
        let host = TestServer::start(&[]).await;
        let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
        let carl = player(&host, "carl").await;
        let made = ann.post(&host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
        let robo = TestCaller::with(made["token"].as_str().unwrap());
        let mut seats = ["ben", "ben"].map(|name| json!({ "kind": "player", "name": name }));
        seats[seat as usize]["name"] = json!("robo");
        let order = json!({ "game": game, "seats": seats, "seed": SEED });
        let (path, _) = create(&host, &ann, order).await;
        for (caller, body) in [(&robo, json!({ "bot": true })), (&ben, json!({}))] {
            assert_eq!(caller.post(&host, &format!("{path}/join"), body).await.status, 200);
        }
        let mut dialogue = robo.dial(&host, &format!("{path}/seats/{seat}/stdio")).await;
        dialogue.say("# begins").await;
        let hidden = hidden.replace("SEAT", &seat.to_string());
        let secrets = vec![SEED.to_owned(), PRIVATE.to_owned(), PUBLIC.to_owned()];
        Self { host, game, hidden, seat, path, ann, robo, ben, carl, dialogue, read: Vec::new(), secrets }
    }

    /// The page as the bot sees it, once it or its opponent is to move; `None`: the match is over.
    async fn to_move(&self) -> Option<Value> {
        let page = self.robo.page(&self.host, &self.path).await;
        (page["stage"] == "running").then_some(page)
    }

    /// A turn of the bot: it writes to standard error, and then prints this, or its first legal move.
    async fn answer(&mut self, page: &Value, printed: Option<&str>) {
        let ply = page["ply"].as_u64().unwrap();
        self.dialogue
            .say(&format!("# err {ply} 1 {PRIVATE}-{ply}\n# err {ply} 2 kibitz {PUBLIC}-{ply}"))
            .await;
        self.keep_secrets(page).await;
        let first = page["legal_moves"][0]["notation"].as_str().unwrap();
        let printed = printed.unwrap_or(first);
        let end = if self.game == "splendor" { "\n# ended exit status: 0" } else { "" };
        self.dialogue.say(&format!("> {printed}{end}")).await;
        crate::server_process::until(|| async {
            let page = self.robo.page(&self.host, &self.path).await;
            (page["stage"] == "over" || page["ply"] != ply).then_some(())
        })
        .await;
    }

    /// Adds what the bot alone knows now.
    async fn keep_secrets(&mut self, page: &Value) {
        let hand = page.pointer(&self.hidden).unwrap_or_else(|| panic!("{}: {page}", self.hidden));
        if hand.as_array().is_some_and(|cards| !cards.is_empty()) {
            let name = self.hidden.rsplit('/').next().unwrap();
            self.secrets.push(format!("\"{name}\":{hand}"));
        }
        let path = format!("{}/seats/{}/dialogue?format=input", self.path, self.seat);
        let input = self.robo.get(&self.host, &path).await;
        // A list of cards, which only this seat reads.
        let lists = input.text().lines().filter(|line| line.starts_with("[ ") && line.len() > 12);
        self.secrets.extend(lists.map(str::to_owned));
    }

    /// Lets everybody who is not on the bot's side ask for everything. While the match runs, what is for later is refused.
    async fn others_ask(&mut self) {
        let running = self.to_move().await.is_some();
        let callers =
            [("ben", self.ben.clone()), ("carl", self.carl.clone()), ("anonymous", TestCaller::anonymous())];
        for (name, caller) in callers {
            for (path, code) in self.paths() {
                let reply = caller.get(&self.host, &path).await;
                if running && let Some(code) = code {
                    assert_eq!(code_of(&reply), code, "{name} {path}");
                }
                assert!(reply.status.as_u16() < 500, "{name} {path}: {reply:?}");
                self.read.push((format!("{name} {path}"), String::from_utf8_lossy(&reply.body).into_owned()));
            }
            self.others_tell(name, &caller, running).await;
            let mut stream =
                EventStream::ndjson(&self.host, &caller, &format!("{}/events?since=0", self.path))
                    .await
                    .opened();
            let count = caller.page(&self.host, &self.path).await["seq"].as_u64().unwrap();
            for _ in 0..count {
                let Some(item) = stream.next().await else { break };
                self.read.push((format!("{name} events"), item.text));
            }
        }
    }

    /// What is asked for by a request with a body.
    async fn others_tell(&mut self, name: &str, caller: &TestCaller, running: bool) {
        let id = self.path.rsplit('/').next().unwrap();
        let seats = [json!({ "kind": "me" }), json!({ "kind": "open" })];
        let from = json!({ "game": self.game, "position": { "match": id, "ply": 0 }, "seats": seats });
        let asked = [("/v1/matches".to_owned(), from), (format!("{}/analysis", self.path), json!({}))];
        for (path, body) in asked.into_iter().filter(|_| running) {
            let reply = caller.post(&self.host, &path, body).await;
            assert_eq!(code_of(&reply), "match_not_over", "{name} {path}");
            self.read.push((format!("{name} {path}"), reply.text().to_owned()));
        }
    }

    /// Every address that shows something of the match or of its bot, and the code of the refusal while the match runs.
    fn paths(&self) -> Vec<(String, Option<&'static str>)> {
        let (path, game, seat) = (&self.path, self.game, self.seat);
        let later = Some("match_not_over");
        let month = month_of(path.rsplit('/').next().unwrap());
        let parts = [
            ("", None),
            ("/chat", None),
            ("/record", later),
            ("/record/verify", later),
            (if game == "splendor" { "/record?format=saved-game" } else { "/record" }, later),
            ("/analysis", later),
            (&*format!("/seats/{seat}/output"), later),
            (&*format!("/seats/{seat}/dialogue"), later),
            (&*format!("/seats/{seat}/dialogue?format=transcript"), later),
            (&*format!("/seats/{seat}/dialogue?format=input"), later),
            (&*format!("/events?seat={seat}"), later),
        ]
        .map(|(part, code)| (format!("{path}{part}"), code));
        let page = path.replace("/v1", "");
        let elsewhere = [
            page.clone(),
            format!("{page}?seat={seat}&ply=0"),
            format!("{page}/embed"),
            format!("{page}/picture.svg"),
            "/players/robo".to_owned(),
            "/v1/players/robo".to_owned(),
            "/v1/players/robo/matches".to_owned(),
            "/v1/players/robo/records".to_owned(),
            "/v1/players/robo/faults".to_owned(),
            "/v1/players/robo/faults?format=text".to_owned(),
            format!("/v1/players/robo/mistakes/{game}"),
            format!("/v1/players/robo/mistakes/{game}/suite"),
            format!("/players/robo/mistakes/{game}"),
            format!("/v1/games/{game}/records?month={month}"),
            "/v1/matches".to_owned(),
            "/v1/me/bots/robo/checks".to_owned(),
        ];
        parts.into_iter().chain(elsewhere.map(|path| (path, None))).collect()
    }

    /// Searches all that others have read for the secrets.
    fn assert_kept(&self) {
        assert!(self.secrets.len() > 3 && self.read.len() > 100, "there is something to find");
        for (what, body) in &self.read {
            let found = self.secrets.iter().find(|secret| body.contains(secret.as_str()));
            assert!(found.is_none(), "{what} tells {found:?}: {body}");
        }
    }

    /// Plays until the bot has had this many turns, ben with moves of his own.
    async fn play(&mut self, turns: u64, bot: &[Option<&str>]) {
        let mut had = 0;
        while let Some(page) = self.to_move().await {
            if page["turn"].as_u64() == Some(self.seat) {
                if had == turns {
                    break;
                }
                self.answer(&page, bot.get(had as usize).copied().flatten()).await;
                had += 1;
            } else {
                let page = self.ben.page(&self.host, &self.path).await;
                let ply = page["ply"].as_u64().unwrap();
                let mv = &choose(&page, ply)["notation"];
                assert_eq!(self.ben.play(&self.host, &self.path, &page["ply"], mv).await.status, 200);
            }
        }
    }

    /// The owner sees what the bot writes and its faults, at once.
    async fn owner_sees(&self, lines: bool) {
        let output = self.ann.get(&self.host, &format!("{}/seats/{}/output", self.path, self.seat)).await;
        assert!(!lines || output.text().contains(PRIVATE) && output.text().contains(PUBLIC), "{output:?}");
        let dialogue = self.ann.get(&self.host, &format!("{}/seats/{}/dialogue", self.path, self.seat)).await;
        assert_eq!(dialogue.status, 200, "{dialogue:?}");
    }

    async fn faults(&self, caller: &TestCaller) -> Value {
        caller.get(&self.host, "/v1/players/robo/faults").await.json()["faults"].clone()
    }

    /// After the end: the public lines are for all, the private ones still for the owner alone, and so are all earlier secrets.
    async fn after_the_end(&mut self) {
        self.assert_kept();
        self.read.clear();
        self.secrets = vec![PRIVATE.to_owned()];
        self.others_ask().await;
        let seen: Vec<_> = self.read.iter().filter(|(_, body)| body.contains(PRIVATE)).collect();
        assert!(seen.is_empty(), "{seen:?}");
        let record = TestCaller::anonymous().get(&self.host, &format!("{}/record", self.path)).await;
        assert!(record.text().contains(PUBLIC), "{record:?}");
        let path = format!("{}/seats/{}/output", self.path, self.seat);
        let public = TestCaller::anonymous().get(&self.host, &path).await;
        assert!(public.text().contains(PUBLIC), "{public:?}");
        self.owner_sees(true).await;
    }
}

/// A mistake costs the move here, so the fault happens while the match runs. Then the bot reserves a card that nobody else sees.
#[tokio::test]
async fn running_match_of_open_hands_keeps_the_blind_card_and_the_lines_of_the_bot() {
    let mut hiding = HidingMatch::begin("splendor", 0, "/position/players/SEAT/reserved").await;
    hiding.others_ask().await;
    hiding.play(TURNS, &[Some("4 90"), Some("3 -1")]).await;
    hiding.owner_sees(true).await;
    let faults = hiding.faults(&hiding.ann).await;
    assert_eq!((&faults[0]["kind"], &faults[1]), (&json!("illegal_move"), &Value::Null), "{faults}");
    assert!(faults[0]["detail"].as_str().unwrap().contains("card 90 "), "{faults}");
    for caller in [&hiding.ben, &TestCaller::anonymous()] {
        assert_eq!(hiding.faults(caller).await, json!([]), "others see it after the end");
    }
    hiding.others_ask().await;
    // What the bot alone sees of its reserved card, in the form of the JSON.
    let page = hiding.robo.page(&hiding.host, &hiding.path).await;
    hiding.keep_secrets(&page).await;
    assert!(hiding.secrets.iter().any(|secret| secret.starts_with("\"reserved\":[")), "{:?}", hiding.secrets);
    assert_eq!(hiding.ben.tell(&hiding.host, &format!("{}/resign", hiding.path)).await.status, 200);
    hiding.after_the_end().await;
    assert_eq!(hiding.faults(&hiding.ben).await.as_array().unwrap().len(), 1);
}

/// A mistake ends the match here.
#[tokio::test]
async fn running_match_keeps_the_hand_and_the_lines_of_the_bot() {
    let mut hiding = HidingMatch::begin("buraco", 0, "/position/hand").await;
    hiding.others_ask().await;
    hiding.play(TURNS, &[]).await;
    hiding.owner_sees(true).await;
    hiding.others_ask().await;
    while hiding.to_move().await.is_some() {
        hiding.play(1, &[Some("MELD_NEW [ 4♦ 7♣ 9♣ ]")]).await;
    }
    hiding.after_the_end().await;
    let faults = hiding.faults(&hiding.ben).await;
    assert_eq!(faults[0]["kind"], "illegal_move", "{faults}");
}
