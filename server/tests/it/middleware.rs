//! Middleware: request ids and compression.

use std::io::Read;

use http_body_util::Full;
use hyper::Request;
use serde_json::{Value, json};

use crate::client::{TestResponse, TestServer, exchange};

async fn ask(host: &TestServer, path: &str, headers: &[(&str, &str)]) -> TestResponse {
    let request =
        headers.iter().fold(Request::builder().uri(path), |r, (name, value)| r.header(*name, *value));
    exchange(host.address(), request.body(Full::default()).unwrap()).await
}

#[tokio::test]
async fn large_answers_are_compressed_for_clients_that_accept_it() {
    let host = TestServer::start(&[]).await;
    for path in ["/", "/docs/problems", "/openapi.json", "/v1/games/buraco"] {
        let plain = ask(&host, path, &[]).await;
        assert_eq!((plain.status.as_u16(), plain.header("content-encoding")), (200, ""), "{path}");
        let varies = |value: &str| plain.headers.get_all("vary").iter().any(|vary| vary == value);
        assert!(varies("accept-encoding"), "{path}: {:?}", plain.headers);
        let gzip = ask(&host, path, &[("accept-encoding", "gzip")]).await;
        assert_eq!(gzip.header("content-encoding"), "gzip", "{path}");
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&*gzip.body).read_to_end(&mut text).unwrap();
        assert!(text == plain.body, "{path}: the same content");
        assert!(
            gzip.body.len() * 2 < plain.body.len(),
            "{path}: {} of {}",
            gzip.body.len(),
            plain.body.len()
        );
        let brotli = ask(&host, path, &[("accept-encoding", "gzip, br")]).await;
        assert_eq!(brotli.header("content-encoding"), "br", "{path}");
        assert!(brotli.body.len() * 2 < plain.body.len(), "{path}");
    }
}

#[tokio::test]
async fn small_answers_and_streams_are_not_compressed() {
    let host = TestServer::start(&[]).await;
    let accepts = ("accept-encoding", "gzip, br");
    assert_eq!(ask(&host, "/healthz", &[accepts]).await.header("content-encoding"), "");
    let seats = json!([{ "kind": "engine", "think_ms": 1 }, { "kind": "engine", "think_ms": 1 }]);
    let made = host.post("/v1/matches", json!({ "game": "ioiwari", "seats": seats })).await;
    let made: Value = serde_json::from_slice(&made.body).unwrap();
    let path = format!("/v1/matches/{}/events?since=0", made["id"].as_str().unwrap());
    for kind in ["text/event-stream", "application/x-ndjson"] {
        let stream = ask(&host, &path, &[accepts, ("accept", kind)]).await;
        assert!(stream.header("content-type").starts_with(kind), "{stream:?}");
        assert_eq!(stream.header("content-encoding"), "");
        assert!(stream.text().contains("\"ended\""), "the whole match came");
    }
}

#[tokio::test]
async fn answers_repeat_the_id_of_their_request() {
    let host = TestServer::start(&[]).await;
    let mut own = Vec::new();
    for path in ["/healthz", "/v1/games", "/nowhere"] {
        let reply = ask(&host, path, &[]).await;
        own.push(reply.header("x-request-id").to_owned());
        if reply.status == 404 {
            assert_eq!(reply.problem(404, "not_found")["request_id"], own[2], "the problem names it too");
        }
    }
    own.dedup();
    assert!(own.len() == 3 && own.iter().all(|id| id.len() == 16), "{own:?}");
    let named = ask(&host, "/nowhere", &[("x-request-id", "proxy-7")]).await;
    assert_eq!(named.header("x-request-id"), "proxy-7");
    assert_eq!(named.problem(404, "not_found")["request_id"], "proxy-7");
    for unusable in ["with space".to_owned(), "x".repeat(129)] {
        let reply = ask(&host, "/healthz", &[("x-request-id", &unusable)]).await;
        assert_ne!(reply.header("x-request-id"), unusable);
    }
}

#[tokio::test]
async fn missing_pages_are_html_for_browsers_only() {
    let host = TestServer::start(&[]).await;
    let html = ("accept", "text/html,*/*");
    for path in ["/nowhere", "/matches/nowhere", "/games/chess"] {
        let page = ask(&host, path, &[html]).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(page.header("content-type").starts_with("text/html"), "{path}: {:?}", page.headers);
        assert!(page.header("content-security-policy").contains("frame-ancestors"), "{path}");
        assert!(page.text().contains("<h1>"), "{path}");
    }
    for (path, headers) in [("/v1/nowhere", &[html][..]), ("/web/nowhere.js", &[html]), ("/nowhere", &[])] {
        ask(&host, path, headers).await.problem(404, "not_found");
    }
}
