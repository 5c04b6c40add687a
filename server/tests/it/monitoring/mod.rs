//! What an operator watches: the metrics, who may read them, and the alerts and the dashboard of `deploy`, checked by `promtool`.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use http_body_util::Full;
use hyper::{Request, StatusCode};
use kibitz::metrics::{Metrics, NatsReading};
use serde_json::{Value, json};

use crate::client::{TestResponse, TestServer, exchange};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0";

/// Runs `promtool` with this input.
fn promtool(arguments: &[&str], folder: &Path, input: &str) -> Output {
    let mut child = Command::new("promtool")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool is installed: run `scripts/setup check`");
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[track_caller]
fn assert_silent(text: &str) {
    let output = promtool(&["check", "metrics"], Path::new("."), text);
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success() && said.is_empty(), "{}", String::from_utf8_lossy(&said));
}

fn deploy(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy").join(file)).unwrap()
}

/// Metrics of which each has a value.
fn all_metrics() -> Metrics {
    let (metrics, second) = (Metrics::default(), Duration::from_secs(1));
    metrics.name_node("n1");
    for lane in ["quick", "long"] {
        let lane = metrics.lane(lane);
        lane.thinking(second, Some("azul"));
        lane.nodes("azul", 3);
    }
    metrics.workers();
    metrics.live("azul", "running").set(1);
    metrics.made("azul");
    metrics.ladder_match("azul", "bot");
    metrics.ended("azul", "regular");
    metrics.moved("azul", "engine");
    metrics.request("/v1/games", StatusCode::OK, "", second);
    metrics.streams("sse").set(1);
    metrics.live_act("");
    metrics.connection_refused("overloaded");
    metrics.store().commit(1, second);
    metrics.store().written(second);
    metrics.nats("engines", || NatsReading { connected: true, connects: 1, messages: [2, 3], bytes: [4, 5] });
    let service = &metrics.service;
    for gauge in [service.players("bot"), service.online("bot"), service.tournaments("ended")] {
        gauge.set(1);
    }
    service.rated_players("azul").set(1);
    metrics
}

/// The names of the metrics of this text.
fn names(text: &str) -> BTreeSet<&str> {
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    types.map(|line| line.split(' ').next().unwrap()).collect()
}

async fn metrics_for(host: &TestServer, headers: &[(&str, &str)]) -> TestResponse {
    let request =
        headers.iter().fold(Request::builder().uri("/metrics"), |r, (name, value)| r.header(*name, *value));
    exchange(host.address(), request.body(Full::default()).unwrap()).await
}

#[test]
fn each_metric_is_as_prometheus_wants_it() {
    let text = all_metrics().classic_text();
    assert_silent(&text);
    let helped: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# HELP ")?.split_once(' '))
        .filter(|(_, help)| help.len() > 8)
        .map(|(name, _)| name)
        .collect();
    assert_eq!(helped, names(&text), "each has a help");
    for name in ["process_cpu_seconds_total", "process_open_fds", "kibitz_nats_messages_total"] {
        assert!(helped.contains(name), "{name} is not in\n{text}");
    }
}

#[tokio::test]
async fn server_shows_what_it_holds_in_both_formats() {
    let host = TestServer::start(&[]).await;
    let made = host.post("/v1/players", json!({ "name": "ann" })).await;
    assert_eq!(made.status, 201, "{made:?}");
    let order = json!({ "game": "azul", "seats": [{ "kind": "me" }, { "kind": "open" }] });
    assert_eq!(host.post("/v1/matches", order).await.status, 201);
    let classic = metrics_for(&host, &[]).await;
    assert!(classic.header("content-type").starts_with("text/plain; version=0.0.4"), "{classic:?}");
    assert_silent(classic.text());
    for line in [
        "kibitz_ready 1",
        "kibitz_tournaments{stage=\"running\"} 0",
        "kibitz_build_info{version=\"0.1.0\"} 1",
    ] {
        assert!(classic.text().lines().any(|l| l == line), "{line} is not in\n{}", classic.text());
    }
    let value = |name: &str| {
        let line = classic.text().lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} is not in\n{}", classic.text())).parse::<f64>().unwrap()
    };
    assert!(value("kibitz_database_size_bytes") > 10_000.0);
    assert!(value("kibitz_store_write_seconds_count") >= 2.0, "the player and the match");
    assert!(value("process_resident_memory_bytes") > 1e6);
    assert!(value("process_cpu_seconds_total") >= 0.0);
    assert!(value("process_open_fds") < value("process_max_fds"));
    let open = metrics_for(&host, &[("accept", OPEN_METRICS)]).await;
    assert!(open.header("content-type").starts_with(OPEN_METRICS), "{open:?}");
    assert!(open.text().ends_with("# EOF\n"));
}

#[tokio::test]
async fn metrics_are_for_the_private_network_and_the_operator() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let made = Command::new(env!("CARGO_BIN_EXE_kibitz")).args(["admin", "token"]).output().unwrap();
    fs::write(&file, &made.stdout).unwrap();
    let host = TestServer::start(&[&format!("--admin-token-file={}", file.display())]).await;
    let bearer = format!("Bearer {}", String::from_utf8(made.stdout).unwrap().trim());
    assert_eq!(metrics_for(&host, &[]).await.status, 200);
    for name in ["x-forwarded-for", "forwarded", "via", "x-real-ip", "origin"] {
        let passed_on = (name, "192.0.2.7");
        metrics_for(&host, &[passed_on]).await.problem(401, "token_needed");
        let operator = metrics_for(&host, &[passed_on, ("authorization", &bearer)]).await;
        assert_eq!(operator.status, 200, "{name}: {operator:?}");
    }
    let off = TestServer::start(&[]).await;
    metrics_for(&off, &[("x-forwarded-for", "192.0.2.7")]).await.problem(403, "admin_off");
}

#[test]
fn alerts_fire_when_they_should_and_each_has_its_paragraph() {
    let folder = tempfile::tempdir().unwrap();
    let alerts = deploy("prometheus-alerts.yml");
    fs::write(folder.path().join("alerts.yml"), &alerts).unwrap();
    let tests = include_str!("alerts-test.yml");
    fs::write(folder.path().join("alerts-test.yml"), tests).unwrap();
    for arguments in [["check", "rules", "alerts.yml"], ["test", "rules", "alerts-test.yml"]] {
        let output = promtool(&arguments, folder.path(), "");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{said}");
    }
    let rules: Value = serde_saphyr::from_str(&alerts).unwrap();
    let rules = rules["groups"][0]["rules"].as_array().unwrap();
    assert!(rules.len() > 10);
    let page = include_str!("../../../../docs/operating.md");
    let metrics = all_metrics().classic_text();
    let names = names(&metrics);
    for rule in rules {
        let name = rule["alert"].as_str().unwrap();
        assert!(tests.contains(&format!("alertname: {name}\n        exp_alerts:")), "{name} is not tried");
        let paragraph = page.split(&format!("\n### {name}\n\n")).nth(1).unwrap_or_default();
        assert!(paragraph.len() > 80, "docs/operating.md says what to do after {name}");
        let runbook = format!("docs/operating.md#{}", name.to_lowercase());
        assert_eq!(rule["annotations"]["runbook"], runbook.as_str());
        assert_known(&names, rule["expr"].as_str().unwrap());
    }
}

/// Checks that each metric of this query exists.
#[track_caller]
fn assert_known(names: &BTreeSet<&str>, query: &str) {
    let words = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    for word in words.filter(|word| word.starts_with("kibitz_") || word.starts_with("process_")) {
        let parts = ["_bucket", "_count", "_sum"].iter().filter_map(|part| word.strip_suffix(part));
        let known = names.contains(word) || parts.into_iter().any(|name| names.contains(name));
        assert!(known, "{query}: there is no metric {word}");
    }
}

#[test]
fn queries_of_the_dashboard_are_valid_and_name_metrics_that_exist() {
    let dashboard: Value = serde_json::from_str(&deploy("grafana-dashboard.json")).unwrap();
    let metrics = all_metrics().classic_text();
    let names = names(&metrics);
    let mut queries = Vec::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            queries.push(target["expr"].as_str().unwrap());
        }
    }
    assert!(queries.len() > 40);
    // The parser of Prometheus reads them as rules.
    let rules: Vec<Value> = queries
        .iter()
        .map(|query| query.replace("$job", "kibitz").replace("$__rate_interval", "5m"))
        .enumerate()
        .map(|(n, query)| json!({ "record": format!("query:{n}"), "expr": query }))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let file = json!({ "groups": [{ "name": "dashboard", "rules": rules }] });
    // JSON is YAML.
    fs::write(folder.path().join("queries.yml"), file.to_string()).unwrap();
    let output = promtool(&["check", "rules", "queries.yml"], folder.path(), "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for query in &queries {
        assert_known(&names, query);
    }
}
