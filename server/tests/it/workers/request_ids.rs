//! A worker logs for which request it searches.

use super::processes::{NatsServer, WorkerProcess};
use super::{WORKERS_ONLY, until_workers};
use crate::request_ids::{first_move, line, match_with_engine};
use crate::server_process::{ServerProcess, until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn id_of_a_move_is_in_the_log_of_the_worker_that_answers_it() {
    let nats = NatsServer::start();
    let worker = WorkerProcess::start(&nats.flag(), 1);
    let node = ServerProcess::start_with_trace_log(&[&nats.flag(), WORKERS_ONLY, "--match-log-level=debug"]);
    until_workers(&node, 1).await;
    let (id, token) = match_with_engine(node.address, "azul").await;
    first_move(node.address, &id, &token).await;
    for message in ["a search begins", "an engine has decided"] {
        let heard = async || {
            let here = |line: &String| line.contains(message) && line.contains("\"request_id\":\"move\"");
            worker.log().iter().any(here).then_some(())
        };
        until(heard).await;
    }
    line(&node, "move", "moved").await;
    let counts = super::ask(node.address, "GET", "/metrics", &serde_json::Value::Null).await;
    for name in [
        "kibitz_nats_connected{purpose=\"engines\"} 1",
        "kibitz_nats_messages_total{purpose=\"engines\",direction=\"out\"}",
    ] {
        assert!(counts.text().contains(name), "{name} is not in\n{}", counts.text());
    }
}
