//! Signing in with passkeys and recovery codes: what signs in, once, and what does not.

use serde_json::{Value, json};

use super::soft_passkey::SoftPasskey;
use super::{AdminServer, player};
use crate::client::{TestResponse, TestServer};
use crate::matches::TestCaller;

/// A page on the visitor's own machine.
const HERE: &str = "http://localhost:8080";
const PASSKEYS: &str = "/v1/me/passkeys";

/// Begins a ceremony: its sealed state, and the options.
async fn begin(host: &TestServer, who: &TestCaller, path: &str) -> (Value, Value) {
    let begun = who.tell(host, &format!("{path}/options")).await;
    assert_eq!(begun.status, 200, "{begun:?}");
    let mut begun = begun.json();
    (begun["ceremony"].take(), begun["options"].take())
}

async fn add(host: &TestServer, who: &TestCaller, ceremony: &Value, credential: &Value) -> TestResponse {
    let body = json!({ "name": "phone", "ceremony": ceremony, "credential": credential });
    who.post(host, PASSKEYS, body).await
}

/// Makes a passkey on a page of this origin, and adds it.
async fn added(host: &TestServer, who: &TestCaller, origin: &str) -> (SoftPasskey, Value) {
    let (ceremony, options) = begin(host, who, PASSKEYS).await;
    let (passkey, credential) = SoftPasskey::make(origin, &options);
    (passkey, add(host, who, &ceremony, &credential).await.made())
}

async fn show(host: &TestServer, ceremony: &Value, credential: &Value) -> TestResponse {
    let body = json!({ "name": "Firefox, Linux", "ceremony": ceremony, "credential": credential });
    TestCaller::anonymous().post(host, "/v1/sign-in/passkey", body).await
}

/// Tries to sign in on a page of this origin.
async fn sign_in(host: &TestServer, passkey: &mut SoftPasskey, origin: &str) -> TestResponse {
    let (ceremony, options) = begin(host, &TestCaller::anonymous(), "/v1/sign-in/passkey").await;
    show(host, &ceremony, &passkey.answer(origin, &options)).await
}

async fn use_code(host: &TestServer, code: &str) -> TestResponse {
    let body = json!({ "code": code, "name": "Firefox, Linux" });
    TestCaller::anonymous().post(host, "/v1/sign-in/recovery-code", body).await
}

async fn codes(host: &TestServer, who: &TestCaller) -> Vec<String> {
    let made = who.tell(host, "/v1/me/recovery-codes").await.made();
    serde_json::from_value(made["codes"].clone()).unwrap()
}

fn caller(signed_in: &Value) -> TestCaller {
    TestCaller::with(signed_in["token"].as_str().unwrap())
}

#[tokio::test]
async fn passkey_signs_in_with_all_rights_until_it_is_removed() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let (mut passkey, entry) = added(&host, &ann, HERE).await;
    assert_eq!((&entry["name"], &entry["used_ms"]), (&json!("phone"), &Value::Null), "{entry}");
    let signed_in = sign_in(&host, &mut passkey, HERE).await.made();
    assert_eq!(signed_in["name"], "ann");
    let browser = caller(&signed_in);
    assert_eq!(browser.get(&host, "/v1/me").await.json()["name"], "ann");

    // It is in the list of tokens, and the use of the passkey in that of passkeys.
    let listed = browser.get(&host, "/v1/me/tokens").await.json();
    assert_eq!(listed["tokens"][0]["id"], signed_in["id"]);
    assert_eq!(listed["tokens"][0]["scope"], "account");
    assert_eq!(listed["tokens"][0]["name"], "Firefox, Linux");
    let path = format!("{PASSKEYS}/{}", entry["id"].as_str().unwrap());
    let body = json!({ "name": "old phone" }).to_string();
    assert_eq!(browser.send(&host, "PUT", &path, &[], Some(body)).await.status, 204);
    let list = browser.get(&host, PASSKEYS).await.json();
    assert_eq!(list["passkeys"][0]["name"], "old phone");
    assert!(list["passkeys"][0]["used_ms"].is_number() && list["passkeys"][1].is_null(), "{list}");

    // It has all rights of the account: to make a passkey, and to replace the account's own token.
    let (_, second) = added(&host, &browser, HERE).await;
    let fresh = browser.tell(&host, "/v1/me/token").await.json();
    ann.get(&host, "/v1/me").await.problem(401, "bad_token");
    let ann = caller(&fresh);

    // A sign-in is revoked alone; the passkey signs in again, until it is removed.
    let token = format!("/v1/me/tokens/{}", signed_in["id"].as_str().unwrap());
    assert_eq!(ann.send(&host, "DELETE", &token, &[], None).await.status, 204);
    browser.get(&host, "/v1/me").await.problem(401, "bad_token");
    let again = caller(&sign_in(&host, &mut passkey, HERE).await.made());
    let ben = player(&host, "ben").await;
    ben.send(&host, "DELETE", &path, &[], None).await.problem(404, "no_such_passkey");
    assert_eq!(again.send(&host, "DELETE", &path, &[], None).await.status, 204);
    sign_in(&host, &mut passkey, HERE).await.problem(403, "sign_in_refused");
    assert_eq!(again.get(&host, PASSKEYS).await.json()["passkeys"], json!([second]));
}

#[tokio::test]
async fn answer_signs_in_once_and_only_where_it_belongs() {
    let host = TestServer::start(&[]).await;
    let (ann, ben, guest) = (player(&host, "ann").await, player(&host, "ben").await, TestCaller::anonymous());
    let (mut passkey, _) = added(&host, &ann, HERE).await;
    let (mut other, _) = added(&host, &ben, HERE).await;
    for origin in ["http://evil.example", "https://localhost:8080", "http://127.0.0.1:8080"] {
        sign_in(&host, &mut passkey, origin).await.problem(403, "sign_in_refused");
    }
    // The same answer again, and one to an older challenge.
    let (old, old_options) = begin(&host, &guest, "/v1/sign-in/passkey").await;
    let (ceremony, options) = begin(&host, &guest, "/v1/sign-in/passkey").await;
    let late = passkey.answer(HERE, &old_options);
    let answer = passkey.answer(HERE, &options);
    show(&host, &old, &answer).await.problem(403, "sign_in_refused");
    show(&host, &ceremony, &answer).await.made();
    show(&host, &ceremony, &answer).await.problem(403, "sign_in_refused");
    show(&host, &old, &late).await.problem(403, "sign_in_refused");
    // A copy that does not count.
    other.counter = 0;
    let (ceremony, options) = begin(&host, &guest, "/v1/sign-in/passkey").await;
    let answer = other.answer(HERE, &options);
    show(&host, &ceremony, &answer).await.problem(403, "sign_in_refused");
    // A copy whose counter is behind.
    passkey.counter = 1;
    sign_in(&host, &mut passkey, HERE).await.problem(403, "sign_in_refused");
    passkey.counter = 20;
    sign_in(&host, &mut passkey, HERE).await.made();
    // A device that did not verify its user; the account of someone else; a signature of another device.
    passkey.verifies = false;
    sign_in(&host, &mut passkey, HERE).await.problem(403, "sign_in_refused");
    passkey.verifies = true;
    let user = std::mem::replace(&mut passkey.user, other.user.clone());
    sign_in(&host, &mut passkey, HERE).await.problem(403, "sign_in_refused");
    passkey.user = user;
    let (ceremony, options) = begin(&host, &guest, "/v1/sign-in/passkey").await;
    let mut answer = passkey.answer(HERE, &options);
    answer["response"]["signature"] = other.answer(HERE, &options)["response"]["signature"].clone();
    show(&host, &ceremony, &answer).await.problem(403, "sign_in_refused");
    // What was not sealed here.
    for forged in [json!("e30.AAAA"), json!(""), json!(format!("{}A", ceremony.as_str().unwrap()))] {
        show(&host, &forged, &answer).await.problem(409, "ceremony_over");
    }
    show(&host, &ceremony, &json!({ "id": "x" })).await.problem(422, "bad_field");
    sign_in(&host, &mut passkey, HERE).await.made();
}

#[tokio::test]
async fn passkey_is_added_once_by_the_player_who_began() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let (ceremony, options) = begin(&host, &ann, PASSKEYS).await;
    assert_eq!(options["authenticatorSelection"]["residentKey"], "required", "{options}");
    assert_eq!((&options["rp"]["id"], &options["user"]["name"]), (&json!("localhost"), &json!("ann")));
    let (_, credential) = SoftPasskey::make(HERE, &options);
    add(&host, &ben, &ceremony, &credential).await.problem(409, "ceremony_over");
    let (_, elsewhere) = SoftPasskey::make("https://evil.example", &options);
    add(&host, &ann, &ceremony, &elsewhere).await.problem(422, "bad_passkey");
    let (sign_in, _) = begin(&host, &TestCaller::anonymous(), "/v1/sign-in/passkey").await;
    add(&host, &ann, &sign_in, &credential).await.problem(409, "ceremony_over");
    add(&host, &ann, &ceremony, &credential).await.made();
    add(&host, &ann, &ceremony, &credential).await.problem(422, "bad_passkey");

    // The browser learns which devices have a passkey already. Ten are the most.
    let (_, options) = begin(&host, &ann, PASSKEYS).await;
    assert_eq!(options["excludeCredentials"][0]["id"], credential["rawId"]);
    for _ in 1..10 {
        added(&host, &ann, HERE).await;
    }
    ann.tell(&host, "/v1/me/passkeys/options").await.names(429, "too_many", "10 passkeys");

    // A bot has a token and no hands.
    let bot = ann.post(&host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    for path in ["/v1/me/passkeys/options", "/v1/me/recovery-codes"] {
        caller(&bot).tell(&host, path).await.problem(403, "not_a_person");
        TestCaller::anonymous().tell(&host, path).await.problem(401, "token_needed");
    }
    let manages = json!({ "name": "program", "scope": "manage" });
    let manages = caller(&ann.post(&host, "/v1/me/tokens", manages).await.made());
    manages.tell(&host, "/v1/me/recovery-codes").await.problem(403, "account_token_needed");
    assert_eq!(manages.get(&host, PASSKEYS).await.json()["passkeys"].as_array().unwrap().len(), 10);
}

#[tokio::test]
async fn another_server_of_the_database_ends_a_ceremony_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("kibitz.db");
    let (host, other) = (TestServer::on(&database, &[]).await, TestServer::on(&database, &[]).await);
    let (ann, guest) = (player(&host, "ann").await, TestCaller::anonymous());
    let (ceremony, options) = begin(&host, &ann, PASSKEYS).await;
    let (mut passkey, credential) = SoftPasskey::make(HERE, &options);
    add(&other, &ann, &ceremony, &credential).await.made();
    let (ceremony, options) = begin(&other, &guest, "/v1/sign-in/passkey").await;
    let late = passkey.answer(HERE, &options);
    let (second, options) = begin(&other, &guest, "/v1/sign-in/passkey").await;
    show(&host, &second, &passkey.answer(HERE, &options)).await.made();
    host.stop().await;
    other.stop().await;
    // Eleven minutes later.
    let later = TestServer::on(&database, &["--clock-offset-ms=660000"]).await;
    show(&later, &ceremony, &late).await.problem(409, "ceremony_over");
    sign_in(&later, &mut passkey, HERE).await.made();
}

#[tokio::test]
async fn recovery_code_signs_in_once() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let left = async || ann.get(&host, PASSKEYS).await.json()["recovery_codes_left"].clone();
    assert_eq!(left().await, 0);
    let first = codes(&host, &ann).await;
    assert_eq!((first.len(), left().await), (10, json!(10)));
    let signed_in = use_code(&host, &first[0].to_uppercase().replace('-', " ")).await.made();
    assert_eq!(caller(&signed_in).get(&host, "/v1/me").await.json()["name"], "ann");
    use_code(&host, &first[0]).await.problem(403, "sign_in_refused");
    assert_eq!(left().await, 9);
    let second = codes(&host, &ann).await;
    assert_eq!(left().await, 10);
    use_code(&host, &first[1]).await.problem(403, "sign_in_refused");
    for wrong in ["", "00000-00000-00000-00000", "kbp_x", &second[0][1..]] {
        use_code(&host, wrong).await.problem(403, "sign_in_refused");
    }
    use_code(&host, &second[0]).await.made();
}

#[tokio::test]
async fn own_token_signs_in_and_stays_valid() {
    let host = TestServer::start(&[]).await;
    let (ann, guest) = (TestCaller::anonymous(), TestCaller::anonymous());
    let made = ann.post(&host, "/v1/players", json!({ "name": "ann" })).await.made();
    let (token, ann) = (made["token"].as_str().unwrap(), caller(&made));
    let sign_in = async |token: &str| {
        guest.post(&host, "/v1/sign-in/token", json!({ "token": token, "name": "Firefox, Linux" })).await
    };
    let (one, two) = (sign_in(token).await.made(), sign_in(token).await.made());
    let listed = ann.get(&host, "/v1/me/tokens").await.json();
    let ids: Vec<&Value> = listed["tokens"].as_array().unwrap().iter().map(|token| &token["id"]).collect();
    assert_eq!(ids, [&one["id"], &two["id"]]);
    assert_eq!((&listed["tokens"][0]["scope"], &one["name"]), (&json!("account"), &json!("ann")));
    let path = format!("/v1/me/tokens/{}", one["id"].as_str().unwrap());
    assert_eq!(caller(&two).send(&host, "DELETE", &path, &[], None).await.status, 204);
    caller(&one).get(&host, "/v1/me").await.problem(401, "bad_token");
    assert_eq!(ann.get(&host, "/v1/me").await.status, 200);

    // Neither another token, nor that of a bot.
    let wrong = format!("kbp_{}", "x".repeat(43));
    for wrong in ["", "nonsense", &wrong, two["token"].as_str().unwrap()] {
        sign_in(wrong).await.problem(403, "sign_in_refused");
    }
    let bot = ann.post(&host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    sign_in(bot["token"].as_str().unwrap()).await.problem(403, "not_a_person");

    // Replacing it ends the sign-ins that were made with it, but the one that does it, and those with a code.
    let three = sign_in(token).await.made();
    let code = use_code(&host, &codes(&host, &ann).await[0]).await.made();
    let new = caller(&two).tell(&host, "/v1/me/token").await.json();
    for (who, status) in [(&made, 401), (&three, 401), (&two, 200), (&code, 200), (&new, 200)] {
        assert_eq!(caller(who).get(&host, "/v1/me").await.status, status, "{who}");
    }
    sign_in(token).await.problem(403, "sign_in_refused");
    sign_in(new["token"].as_str().unwrap()).await.made();
}

#[tokio::test]
async fn sign_ins_are_bounded_for_a_player_and_for_an_address() {
    let host = TestServer::start(&["--sign-ins-per-minute=100"]).await;
    let ann = player(&host, "ann").await;
    let mut made = Vec::new();
    for _ in 0..3 {
        for code in codes(&host, &ann).await {
            made.push(use_code(&host, &code).await.made());
        }
    }
    let listed = ann.get(&host, "/v1/me/tokens").await.json();
    assert_eq!(listed["tokens"].as_array().unwrap().len(), 20);
    caller(&made[9]).get(&host, "/v1/me").await.problem(401, "bad_token");
    assert_eq!(caller(&made[10]).get(&host, "/v1/me").await.status, 200);

    let strict = TestServer::start(&["--sign-ins-per-minute=2"]).await;
    for _ in 0..2 {
        use_code(&strict, "00000-00000-00000-00000").await.problem(403, "sign_in_refused");
    }
    use_code(&strict, "00000-00000-00000-00000").await.names(429, "too_many", "--sign-ins-per-minute");
}

#[tokio::test]
async fn operator_ends_all_ways_to_sign_in() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let ann = player(host, "ann").await;
    let (mut passkey, _) = added(host, &ann, HERE).await;
    let codes = codes(host, &ann).await;
    let browser = caller(&use_code(host, &codes[0]).await.made());
    AdminServer::said(&place.admin(&["tokens", "revoke", "ann"]).await);
    browser.get(host, "/v1/me").await.problem(401, "bad_token");
    sign_in(host, &mut passkey, HERE).await.problem(403, "sign_in_refused");
    use_code(host, &codes[1]).await.problem(403, "sign_in_refused");
}

#[tokio::test]
async fn passkeys_are_bound_to_the_public_address() {
    let public = "https://games.example.org";
    let host = TestServer::start(&["--public-url=https://games.example.org/"]).await;
    let ann = player(&host, "ann").await;
    let (ceremony, options) = begin(&host, &ann, PASSKEYS).await;
    assert_eq!(options["rp"]["id"], "games.example.org");
    for origin in [HERE, "https://games.example.org:8443", "https://evil.games.example.org"] {
        let (_, credential) = SoftPasskey::make(origin, &options);
        add(&host, &ann, &ceremony, &credential).await.problem(422, "bad_passkey");
    }
    let (mut passkey, _) = added(&host, &ann, public).await;
    sign_in(&host, &mut passkey, public).await.made();
    let page = host.get("/account").await;
    assert!(page.text().contains("data-origin=\"https://games.example.org\""), "the page knows it");
}
