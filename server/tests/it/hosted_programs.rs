//! Programs that owners upload for their bots: real modules, compiled by clang, on a real server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use http_body_util::Full;
use hyper::Request;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::admin::AdminServer;
use crate::client::{HANG, TestResponse, TestServer, exchange};
use crate::end_to_end::shim;
use crate::matches::TestCaller;
use crate::programs::{compiled, written};

/// The shortest module: it is valid, and can do nothing.
const EMPTY: &[u8] = b"\0asm\x01\0\0\0";

/// A valid module that no other number gives: it has one custom section.
fn module(n: u16) -> Vec<u8> {
    let [high, low] = n.to_be_bytes();
    [EMPTY, &[0, 4, 1, b'n', high, low]].concat()
}

pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots").join(name)
}

/// Sends these bytes.
pub(crate) async fn put(
    host: &TestServer,
    who: &TestCaller,
    path: &str,
    kind: Option<&str>,
    body: &[u8],
) -> TestResponse {
    let mut request = Request::builder().method("PUT").uri(path);
    for (name, value) in who.headers() {
        request = request.header(name, value);
    }
    if let Some(kind) = kind {
        request = request.header("content-type", kind);
    }
    exchange(host.address(), request.body(Full::new(body.to_vec().into())).unwrap()).await
}

/// A person and a bot of theirs.
pub(crate) struct Owner {
    pub(crate) person: TestCaller,
    pub(crate) token: String,
}

impl Owner {
    pub(crate) async fn new(host: &TestServer, person: &str, bot: &str) -> Self {
        let made = host.post("/v1/players", json!({ "name": person })).await.made();
        let token = made["token"].as_str().unwrap().to_owned();
        let person = TestCaller::with(&token);
        person.post(host, "/v1/me/bots", json!({ "name": bot })).await.made();
        Self { person, token }
    }

    /// Uploads a module for the bot with this query.
    pub(crate) async fn put(&self, host: &TestServer, bot: &str, query: &str, module: &[u8]) -> TestResponse {
        let path = format!("/v1/me/bots/{bot}/programs?{query}");
        self.put_as(host, &path, Some("application/wasm"), module).await
    }

    async fn put_as(&self, host: &TestServer, path: &str, kind: Option<&str>, body: &[u8]) -> TestResponse {
        put(host, &self.person, path, kind, body).await
    }

    pub(crate) async fn send(
        &self,
        host: &TestServer,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> TestResponse {
        self.person.send(host, method, path, &[], body.map(|body| body.to_string())).await
    }

    async fn get(&self, host: &TestServer, path: &str) -> Value {
        self.person.get(host, path).await.json()
    }

    /// The program with this number, once its check has ended.
    pub(crate) async fn checked(&self, host: &TestServer, bot: &str, number: u64) -> Value {
        let path = format!("/v1/me/bots/{bot}/programs/{number}");
        let ended = async {
            loop {
                let program = self.get(host, &path).await;
                if program["state"] != "checking" {
                    return program;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(HANG, ended).await.expect("the check ends")
    }
}

/// The whole report as one text.
fn report(program: &Value) -> String {
    let lines = program["report"]["lines"].as_array().unwrap();
    lines.iter().map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn uploaded_program_is_checked_and_becomes_active() {
    let folder = TempDir::new().unwrap();
    let host = TestServer::start(&[]).await;
    let ann = Owner::new(&host, "ann", "robo").await;
    let bytes = fs::read(compiled(folder.path(), &source("ioiwari.c"))).unwrap();
    let made = ann.put(&host, "robo", "game=ioiwari&note=the%20first", &bytes).await;
    assert_eq!(made.status, 201, "{made:?}");
    let made: Value = serde_json::from_slice(&made.body).unwrap();
    assert_eq!(
        (&made["number"], &made["note"], &made["size"]),
        (&json!(1), &json!("the first"), &json!(bytes.len()))
    );
    assert_eq!(
        (&made["state"], &made["report"], &made["activate"]),
        (&json!("checking"), &Value::Null, &json!(true))
    );
    let first = ann.checked(&host, "robo", 1).await;
    assert_eq!(first["state"], "active", "{first}");
    let text = report(&first);
    for part in ["2 seats: in seat 0", "illegal moves: none", "mirror dialogue: ", "The program is ready."] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert!(!text.contains("memory"), "{text}");
    assert_eq!(first["report"]["mistakes"], 0);
    // The same module again is the same program.
    let again = ann.put(&host, "robo", "game=ioiwari", &bytes).await.json();
    assert_eq!((&again["number"], &again["state"]), (&json!(1), &json!("active")));
    // It has used fuel.
    let list = ann.get(&host, "/v1/me/bots/robo/programs").await;
    assert_eq!(list["fuel"]["allowance"], 57_600_000_000_000_u64);
    assert_eq!(list["fuel"]["allowance_s"], 14_400.0);
    assert!(
        list["fuel"]["used"].as_u64().unwrap() > 1_000 && list["programs"].as_array().unwrap().len() == 1
    );
    // Another version is tried first, and activated by hand.
    let better = written(
        folder.path(),
        "better",
        &fs::read_to_string(source("ioiwari.c")).unwrap().replace("gain > most", "gain >= most"),
    );
    let better = fs::read(better).unwrap();
    assert_eq!(ann.put(&host, "robo", "game=ioiwari&activate=false", &better).await.status, 201);
    assert_eq!(ann.checked(&host, "robo", 2).await["state"], "ready");
    let two = "/v1/me/bots/robo/programs/2";
    let patch = json!({ "state": "active", "note": "the second", "published": true });
    let second = ann.send(&host, "PATCH", two, Some(patch)).await.json();
    assert_eq!(
        (&second["state"], &second["note"], &second["published"]),
        (&json!("active"), &json!("the second"), &json!(true))
    );
    assert_eq!(ann.checked(&host, "robo", 1).await["state"], "retired");
    // What others see: what plays, and what is published.
    let public = host.get("/v1/players/robo/programs").await.json();
    let public = public["programs"].as_array().unwrap();
    assert_eq!(public.len(), 1, "{public:?}");
    assert_eq!(
        (&public[0]["number"], &public[0]["active"], &public[0]["hash"]),
        (&json!(2), &json!(true), &second["hash"])
    );
    let file = host.get("/v1/players/robo/programs/2/module").await;
    assert_eq!((file.status.as_u16(), &*file.body), (200, &*better));
    assert_eq!(file.header("content-type"), "application/wasm");
    host.get("/v1/players/robo/programs/1/module").await.problem(404, "no_such_program");
    let own = ann.person.get(&host, "/v1/me/bots/robo/programs/1/module").await;
    assert_eq!((own.status.as_u16(), &*own.body), (200, &*bytes));
    // One upload of the first module brings it back.
    assert_eq!(ann.put(&host, "robo", "game=ioiwari", &bytes).await.json()["state"], "active");
    let retired =
        ann.send(&host, "PATCH", "/v1/me/bots/robo/programs/1", Some(json!({ "state": "retired" }))).await;
    assert_eq!(retired.json()["state"], "retired");
    let again =
        ann.send(&host, "PATCH", "/v1/me/bots/robo/programs/1", Some(json!({ "state": "retired" }))).await;
    assert_eq!(again.status, 200, "it is so already");
    assert_eq!(ann.send(&host, "DELETE", "/v1/me/bots/robo/programs/1", None).await.status, 204);
    ann.send(&host, "DELETE", "/v1/me/bots/robo/programs/1", None).await.problem(404, "no_such_program");
    // Only the owner does all of this.
    let bob = Owner::new(&host, "bob", "dodo").await;
    for (method, path) in [("GET", two), ("PATCH", two), ("DELETE", two), ("GET", "/v1/me/bots/robo/policy")]
    {
        bob.send(&host, method, path, None).await.problem(404, "no_such_player");
        host.send(method, path, None, "").await.problem(401, "token_needed");
    }
    bob.put(&host, "robo", "game=ioiwari", &bytes).await.problem(404, "no_such_player");
    host.stop().await;
}

#[tokio::test]
async fn check_refuses_what_cannot_play_and_reports_what_is_wrong() {
    let folder = TempDir::new().unwrap();
    let host = TestServer::start(&[]).await;
    let ann = Owner::new(&host, "ann", "robo").await;
    let bot = |name: &str, text: &str| {
        let main = format!("int main(void) {{ char line[1000]; fgets(line, 1000, stdin); {text} }}");
        fs::read(written(folder.path(), name, &main)).unwrap()
    };
    let ioiwari = fs::read_to_string(source("ioiwari.c")).unwrap();
    let careless = ioiwari.replace(
        "int pit = best(pits);",
        "static int n; if (++n == 2) { puts(\"9\"); } int pit = best(pits);",
    );
    assert_ne!(careless, ioiwari);
    let careless = fs::read(written(folder.path(), "careless", &careless)).unwrap();
    for (name, module, state, parts) in [
        ("empty", EMPTY.to_vec(), "refused", &["There was no match: ", "The program cannot play."][..]),
        ("broken", [EMPTY, &[10, 200]].concat(), "refused", &["There was no match: "]),
        (
            // Two matches show that it never moves.
            "aborts",
            bot("aborts", "fprintf(stderr, \"no idea\\n\"); abort();"),
            "refused",
            &["matches: 2", "crashes: 2", "it aborted", "no idea", "it made nothing but mistakes"],
        ),
        ("talks", bot("talks", "puts(\"what?\"); return 0;"), "refused", &["what?", "it had read"]),
        (
            "endless",
            bot("endless", "volatile int n = 1; while (n) n++; return 0;"),
            "refused",
            &["came too late"],
        ),
        (
            "careless",
            careless,
            "active",
            &["The program is ready, but it made mistakes.", "the moves of the match: "],
        ),
    ] {
        let made = ann.put(&host, "robo", &format!("game=ioiwari&note={name}"), &module).await;
        assert_eq!(made.status, 201, "{made:?}");
        let number = serde_json::from_slice::<Value>(&made.body).unwrap()["number"].as_u64().unwrap();
        let program = ann.checked(&host, "robo", number).await;
        let text = report(&program);
        assert_eq!(program["state"], state, "{name}: {text}");
        assert_eq!(program["report"]["passed"], state != "refused");
        for part in parts {
            assert!(text.contains(part), "{name}: {part:?} is not in {text}");
        }
        if state == "refused" {
            let path = format!("/v1/me/bots/robo/programs/{number}");
            let refused = ann.send(&host, "PATCH", &path, Some(json!({ "state": "active" }))).await;
            refused.names(409, "program_state", "failed its check");
        }
    }
    host.stop().await;
}

/// It plays only with the version of the referee that counts rounds from 0.
#[tokio::test]
async fn check_finds_the_settings_that_a_program_needs() {
    let folder = TempDir::new().unwrap();
    let host = TestServer::start(&[]).await;
    let ann = Owner::new(&host, "ann", "robo").await;
    let splendor = fs::read_to_string(source("splendor.c")).unwrap();
    let from_zero = splendor.replace(
        "int own = ",
        "FILE *seen = fopen(\"seen\", round == 0 ? \"w\" : \"r\"); if (!seen) abort(); fclose(seen); int own = ",
    );
    assert_ne!(from_zero, splendor);
    let module = fs::read(written(folder.path(), "from_zero", &from_zero)).unwrap();
    assert_eq!(ann.put(&host, "robo", "game=splendor", &module).await.status, 201);
    let program = ann.checked(&host, "robo", 1).await;
    assert_eq!(
        (&program["state"], &program["referee"]["base"]),
        (&json!("active"), &json!("0")),
        "{}",
        report(&program)
    );
    let policy = ann.get(&host, "/v1/me/bots/robo/policy").await;
    assert_eq!(
        (&policy["games"], &policy["concurrent"], &policy["from"]),
        (&json!(["splendor"]), &json!(2), &json!("anyone"))
    );
    let path = "/v1/me/bots/robo/policy";
    let wanted = json!({ "games": ["splendor", "azul"], "concurrent": 5, "from": "bots", "ladder": false });
    assert_eq!(ann.send(&host, "PUT", path, Some(wanted)).await.status, 204);
    let policy = ann.get(&host, path).await;
    assert_eq!(
        (&policy["concurrent"], &policy["from"], &policy["ladder"]),
        (&json!(5), &json!("bots"), &json!(false))
    );
    for (wrong, code) in [
        (json!({ "games": [] }), "bad_field"),
        (json!({ "games": ["chess"] }), "unknown_game"),
        (json!({ "games": ["azul"], "concurrent": 0 }), "bad_field"),
        (json!({ "games": ["splendor"], "referee": { "base": "0" } }), "bad_field"),
    ] {
        let refused = ann.send(&host, "PUT", path, Some(wrong)).await;
        refused.problem(if code == "unknown_game" { 404 } else { 422 }, code);
    }
    host.stop().await;
}

#[tokio::test]
async fn wrong_uploads_are_refused_in_words() {
    let host = TestServer::start(&["--max-program-bytes-per-player=33554432"]).await;
    let ann = Owner::new(&host, "ann", "robo").await;
    let path = "/v1/me/bots/robo/programs?game=ioiwari";
    for kind in [None, Some("text/plain"), Some("application/json"), Some("image/png")] {
        ann.put_as(&host, path, kind, EMPTY).await.problem(415, "unsupported_media_type");
    }
    let octets = ann.put_as(&host, path, Some("application/octet-stream"), EMPTY).await;
    assert_eq!(octets.status, 201, "{octets:?}");
    ann.put(&host, "robo", "game=ioiwari", b"\x7fELF and so on").await.problem(422, "bad_module");
    ann.put(&host, "robo", "game=ioiwari", b"").await.problem(422, "bad_module");
    ann.put(&host, "robo", "", EMPTY).await.names(400, "bad_query", "game");
    ann.put(&host, "robo", "game=chess", EMPTY).await.problem(404, "unknown_game");
    ann.put(&host, "robo", "game=ioiwari&activate=perhaps", EMPTY).await.problem(400, "bad_query");
    ann.put(&host, "robo", "game=ioiwari&now=1", EMPTY).await.problem(400, "bad_query");
    ann.put(&host, "nemo", "game=ioiwari", EMPTY).await.problem(404, "no_such_player");
    let long = format!("game=ioiwari&note={}", "x".repeat(201));
    ann.put(&host, "robo", &long, &module(1)).await.names(422, "bad_field", "note");
    // The largest module fits, a larger one does not; other bodies keep their own limit.
    let largest = [&module(2)[..], &[0, 128, 128, 128, 8], &vec![0; 16 << 20]].concat();
    let cut = &largest[..16 << 20];
    assert_eq!(ann.put(&host, "robo", "game=ioiwari", cut).await.status, 201);
    ann.put(&host, "robo", "game=ioiwari", &largest).await.problem(413, "body_too_large");
    let about =
        ann.send(&host, "PUT", "/v1/me/about", Some(json!({ "description": "x".repeat(2 << 20) }))).await;
    about.problem(413, "body_too_large");
    let other = [EMPTY, &vec![0; (16 << 20) - 8]].concat();
    ann.put(&host, "robo", "game=ioiwari", &other).await.names(
        429,
        "too_many",
        "--max-program-bytes-per-player",
    );
    // A token that may only read lists, and changes nothing.
    let token = json!({ "name": "reader", "scope": "read" });
    let token = ann.person.post(&host, "/v1/me/tokens", token).await.made();
    let reader = token["token"].as_str().unwrap().to_owned();
    let reader = Owner { person: TestCaller::with(&reader), token: reader };
    reader.get(&host, "/v1/me/bots/robo/programs").await;
    reader.put(&host, "robo", "game=ioiwari", EMPTY).await.problem(403, "manage_scope_needed");
    for (path, code) in [("7", "no_such_program"), ("0", "no_such_program"), ("x", "no_such_program")] {
        let path = format!("/v1/me/bots/robo/programs/{path}");
        ann.send(&host, "GET", &path, None).await.problem(404, code);
    }
    host.get("/v1/players/ann/programs").await.problem(403, "not_a_bot");
    let none = TestServer::start(&["--max-programs-per-day=0"]).await;
    let eve = Owner::new(&none, "eve", "robo").await;
    eve.put(&none, "robo", "game=ioiwari", EMPTY).await.names(429, "too_many", "--max-programs-per-day");
    none.stop().await;
    let tired = TestServer::start(&["--bots-fuel-per-day=0"]).await;
    let eve = Owner::new(&tired, "eve", "robo").await;
    eve.put(&tired, "robo", "game=ioiwari", EMPTY).await.names(429, "too_many", "--bots-fuel-per-day");
    tired.stop().await;
    host.stop().await;
}

/// 10,000 uploads of one person do no harm: as many as the limit allows are taken.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_uploads_are_limited() {
    let host = TestServer::start(&["--max-programs-per-day=40"]).await;
    let ann = Owner::new(&host, "ann", "robo").await;
    let (owner, server) = (&ann, &host);
    let upload = async |n| owner.put(server, "robo", "game=ioiwari", &module(n)).await;
    let answers: Vec<TestResponse> = stream::iter(0..10_000).map(upload).buffer_unordered(32).collect().await;
    let taken = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(taken, 40);
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.names(429, "too_many", "--max-programs-per-day");
    }
    // Another person's program is not behind them.
    let bob = Owner::new(&host, "bob", "dodo").await;
    assert_eq!(bob.put(&host, "dodo", "game=ioiwari", EMPTY).await.status, 201);
    assert_eq!(bob.checked(&host, "dodo", 1).await["state"], "refused");
    let kept = ann.get(&host, "/v1/me/bots/robo/programs").await;
    let all_checked = async {
        while ann.get(&host, "/v1/me/bots/robo/programs").await.to_string().contains("\"checking\"") {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(HANG, all_checked).await.expect("all checks end");
    assert!(kept["programs"].as_array().unwrap().len() >= 10);
    assert_eq!(ann.put(&host, "robo", "game=ioiwari", EMPTY).await.status, 429);
    host.stop().await;
}

/// A check that the end of a server interrupts is done by the next one.
#[tokio::test]
async fn check_survives_a_restart() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let first = TestServer::on(&database, &[]).await;
    let ann = Owner::new(&first, "ann", "robo").await;
    let bytes = fs::read(compiled(folder.path(), &source("ioiwari.c"))).unwrap();
    assert_eq!(ann.put(&first, "robo", "game=ioiwari", &bytes).await.status, 201);
    first.stop().await;
    let second = TestServer::on(&database, &[]).await;
    assert_eq!(ann.checked(&second, "robo", 1).await["state"], "active");
    second.stop().await;
}

/// Runs `kibitz-shim upload`.
async fn upload(host: &TestServer, token: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(shim());
    command.args(["upload", &format!("http://{}", host.address())]).args(arguments);
    command.env("KIBITZ_TOKEN", token);
    tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap()
}

#[tokio::test]
async fn shim_uploads_and_prints_the_report() {
    let folder = TempDir::new().unwrap();
    let host = TestServer::start(&[]).await;
    let ann = Owner::new(&host, "ann", "robo").await;
    let good = compiled(folder.path(), &source("ioiwari.c"));
    let for_robo = ["--bot", "robo", "--game", "ioiwari"];
    let with = |rest: &[&'static str], file: &Path| {
        let file = file.to_str().unwrap().to_owned();
        for_robo.iter().chain(rest).map(|word| (*word).to_owned()).chain([file]).collect::<Vec<_>>()
    };
    let run = async |arguments: Vec<String>| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = upload(&host, &ann.token, &arguments).await;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text, _) = run(with(&["--note", "one & two", "--no-activate"], &good)).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("program 1 of robo in ioiwari: ready\nIoiwari: "), "{text}");
    assert!(text.ends_with("The program is ready.\n"), "{text}");
    assert_eq!(ann.get(&host, "/v1/me/bots/robo/programs/1").await["note"], "one & two");
    let (code, text, _) = run(with(&[], &good)).await;
    assert_eq!((code, text.starts_with("program 1 of robo in ioiwari: active\n")), (Some(0), true), "{text}");
    let bad = folder.path().join("bad.wasm");
    fs::write(&bad, EMPTY).unwrap();
    let (code, text, _) = run(with(&[], &bad)).await;
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("program 2 of robo in ioiwari: refused") && text.contains("cannot play"), "{text}");
    fs::write(&bad, "text").unwrap();
    let (code, _, error) = run(with(&[], &bad)).await;
    assert!(code == Some(2) && error.contains("not a WebAssembly module"), "{error}");
    let (code, _, error) = run(with(&[], &folder.path().join("none.wasm"))).await;
    assert!(code == Some(2) && error.contains("cannot be read"), "{error}");
    let (code, _, error) = run(vec!["--bot".into(), "robo".into()]).await;
    assert!(code == Some(2) && error.contains("something is missing"), "{error}");
    host.stop().await;
}

#[tokio::test]
async fn operator_disables_a_module() {
    let folder = TempDir::new().unwrap();
    let server = AdminServer::start(&[]).await;
    let host = &server.host;
    let ann = Owner::new(host, "ann", "robo").await;
    let bytes = fs::read(compiled(folder.path(), &source("ioiwari.c"))).unwrap();
    assert_eq!(ann.put(host, "robo", "game=ioiwari", &bytes).await.status, 201);
    let program = ann.checked(host, "robo", 1).await;
    let hash = program["hash"].as_str().unwrap();
    let listed = AdminServer::said(&server.admin(&["programs", "list"]).await);
    assert!(listed.starts_with("robo\tann\t1\tioiwari\tactive\t") && listed.contains(hash), "{listed}");
    let disable = ["programs", "disable", hash, "--reason", "it mines coins"];
    AdminServer::said(&server.admin(&disable).await);
    let shown = AdminServer::said(&server.admin(&["programs", "show", hash]).await);
    assert!(shown.contains("it mines coins") && shown.contains("The program is ready."), "{shown}");
    assert_eq!(ann.get(host, "/v1/me/bots/robo/programs/1").await["disabled"], "it mines coins");
    assert_eq!(host.get("/v1/players/robo/programs").await.json()["programs"], json!([]));
    ann.send(host, "PATCH", "/v1/me/bots/robo/programs/1", Some(json!({ "state": "retired" }))).await.json();
    let wake =
        ann.send(host, "PATCH", "/v1/me/bots/robo/programs/1", Some(json!({ "state": "active" }))).await;
    wake.names(403, "program_disabled", "it mines coins");
    let bob = Owner::new(host, "bob", "dodo").await;
    bob.put(host, "dodo", "game=ioiwari", &bytes).await.names(403, "program_disabled", "it mines coins");
    AdminServer::said(&server.admin(&["programs", "enable", hash]).await);
    let again = AdminServer::complained(&server.admin(&["programs", "enable", hash]).await);
    assert!(again.contains("no_such_program"), "{again}");
    let wrong = AdminServer::complained(&server.admin(&["programs", "disable", "abc"]).await);
    assert!(wrong.contains("64 hexadecimal digits"), "{wrong}");
    let active =
        ann.send(host, "PATCH", "/v1/me/bots/robo/programs/1", Some(json!({ "state": "active" }))).await;
    assert_eq!(active.json()["state"], "active");
    // They go with the bot.
    assert_eq!(ann.send(host, "DELETE", "/v1/me/bots/robo", None).await.status, 204);
    assert_eq!(AdminServer::said(&server.admin(&["programs", "list"]).await), "");
}
