//! `docker-compose.yml`: it is parsed, and what its services run is run here, without a container engine: the script that makes the
//! passwords, NATS and PostgreSQL with them, a node and a worker.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

use kibitz_test_support::PrivatePostgres;
use serde::Deserialize;
use serde_json::Value;

use super::retrying_client::ask;
use crate::client::HANG;
use crate::server_process::until;
use crate::workers::processes::{GuardedProcess, NatsServer};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[derive(Deserialize)]
struct ComposeFile {
    services: BTreeMap<String, ComposeService>,
    volumes: BTreeMap<String, Option<Value>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ComposeService {
    profiles: Vec<String>,
    entrypoint: Vec<String>,
    command: Vec<String>,
    environment: BTreeMap<String, String>,
    volumes: Vec<String>,
    depends_on: Value,
}

impl ComposeService {
    /// The places that are mounted, each with what is mounted there.
    fn mounts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.volumes.iter().map(|volume| {
            let (source, place) = volume.split_once(':').unwrap();
            (place.trim_end_matches(":ro"), source)
        })
    }
}

fn compose() -> ComposeFile {
    serde_saphyr::from_str(&fs::read_to_string(repository().join("docker-compose.yml")).unwrap()).unwrap()
}

/// Makes the passwords of an installation in this folder, as the service `credentials` does.
fn make_credentials(folder: &Path, given: &[(&str, &str)]) -> Output {
    let mut command = Command::new("sh");
    command.arg(repository().join("deploy/credentials.sh"));
    command.env("KIBITZ_CREDENTIALS", folder).env("KIBITZ_NATS_CONF", repository().join("deploy/nats.conf"));
    command.envs(given.iter().copied()).output().unwrap()
}

/// All files of an installation's passwords, by their names.
fn credentials(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for part in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        for file in fs::read_dir(&part).unwrap().map(|entry| entry.unwrap().path()) {
            let mode = fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "only its service can read {}", file.display());
            let name = file.strip_prefix(folder).unwrap().display().to_string();
            files.insert(name, fs::read_to_string(&file).unwrap());
        }
    }
    files
}

#[test]
fn passwords_differ_between_installations_and_survive_a_restart() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [first, second] = folders.each_ref().map(|folder| {
        let made = make_credentials(folder.path(), &[]);
        assert!(made.status.success() && made.stdout.is_empty() && made.stderr.is_empty(), "{made:?}");
        credentials(folder.path())
    });
    let names: Vec<&str> = first.keys().map(String::as_str).collect();
    let expected = [
        "nats/nats.conf",
        "node/environment",
        "own/database",
        "own/node",
        "own/worker",
        "postgres/password",
        "worker/environment",
    ];
    assert_eq!(names, expected);
    for (name, text) in &first {
        assert_ne!(*text, second[name], "{name}");
    }
    let [database, node, worker] = ["database", "node", "worker"].map(|name| &first[&format!("own/{name}")]);
    assert!([database, node, worker].iter().all(|password| password.len() == 64), "{first:?}");
    assert!(database != node && node != worker && worker != database);
    // A worker learns nothing but its own password.
    let of_worker = &first["worker/environment"];
    assert!(of_worker.contains(worker) && !of_worker.contains(node) && !of_worker.contains(database));
    // A later start keeps the passwords, and completes what a start that was cut off left: a file is missing, another is half written.
    fs::remove_file(folders[0].path().join("node/environment")).unwrap();
    fs::write(folders[0].path().join("node/environment.new"), "x").unwrap();
    assert!(make_credentials(folders[0].path(), &[("KIBITZ_DB_PASSWORD", "another")]).status.success());
    assert_eq!(credentials(folders[0].path()), first);
}

#[test]
fn passwords_of_an_older_installation_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let given = [("KIBITZ_DB_PASSWORD", "mine"), ("KIBITZ_NATS_WORKER_PASSWORD", "yours")];
    assert!(make_credentials(folder.path(), &given).status.success());
    let made = credentials(folder.path());
    assert_eq!(made["postgres/password"], "mine");
    assert!(made["worker/environment"].contains("nats://worker:yours@"), "{made:?}");
    assert_eq!(made["own/node"].len(), 64);
    // These would need escapes in addresses.
    let folder = tempfile::tempdir().unwrap();
    let refused = make_credentials(folder.path(), &[("KIBITZ_DB_PASSWORD", "a@b")]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && said.contains("other characters than letters"), "{said}");
}

#[test]
fn services_of_the_cluster_wait_for_passwords_that_nobody_has_to_make() {
    let ComposeFile { services, volumes } = compose();
    let own = ["credentials-postgres", "credentials-nats", "credentials-node", "credentials-worker"];
    for (name, service) in &services {
        for (place, source) in service.mounts() {
            let is_file = source.starts_with("./");
            let known =
                if is_file { repository().join(source).exists() } else { volumes.contains_key(source) };
            assert!(known, "{name} mounts {source} at {place}, which is not there");
        }
        if name == "credentials" {
            assert!(own.iter().all(|volume| service.mounts().any(|(_, source)| source == *volume)));
            continue;
        }
        let secrets: Vec<&str> = service
            .mounts()
            .map(|(_, source)| source)
            .filter(|source| source.starts_with("credentials"))
            .collect();
        let expected: Vec<&str> =
            own.into_iter().filter(|volume| volume.ends_with(&format!("-{name}"))).collect();
        assert_eq!(secrets, expected, "{name} sees its own alone");
        let waits = service.depends_on["credentials"]["condition"] == "service_completed_successfully";
        assert_eq!(waits, !secrets.is_empty(), "{name}");
        for (variable, value) in &service.environment {
            assert!(!value.contains("PASSWORD"), "{name}: {variable} is {value}");
        }
        assert_eq!(service.profiles.is_empty(), name == "kibitz", "{name}");
    }
    // The volume that the script writes into is the one that the service reads.
    let script = fs::read_to_string(repository().join("deploy/credentials.sh")).unwrap();
    for (part, file) in
        [("postgres", "password"), ("nats", "nats.conf"), ("node", "environment"), ("worker", "environment")]
    {
        let place =
            services["credentials"].mounts().find(|(place, _)| *place == format!("/credentials/{part}"));
        assert_eq!(place.unwrap().1, format!("credentials-{part}"));
        assert!(script.contains(&format!("\"$root/{part}/{file}\"")), "{part}/{file}");
        let service = &services[part];
        let texts = [&service.entrypoint[..], &service.command].concat().join(" ");
        let uses = texts + &service.environment.values().cloned().collect::<Vec<_>>().join(" ");
        assert!(uses.contains(&format!("/credentials/{file}")), "{part}: {uses}");
    }
}

/// The command of a service, with what a container has elsewhere: its files and the names of other services.
fn command(service: &ComposeService, files: &Path, more: &[String]) -> (String, Vec<String>) {
    let words = service.entrypoint.iter().chain(&service.command).chain(more);
    let program = env!("CARGO_BIN_EXE_kibitz");
    let mut words = words.map(|word| {
        // As compose reads it.
        let word = word.replace("$$", "$").replace("exec kibitz ", &format!("exec {program} "));
        word.replace("/credentials/", &format!("{}/", files.display()))
    });
    (words.next().unwrap(), words.collect())
}

/// PostgreSQL that asks for this password where the image does: on the network.
fn postgres(folder: &Path, password: &str) -> PrivatePostgres {
    let rules = folder.join("pg_hba.conf");
    fs::write(&rules, "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n").unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    let hba = format!("hba_file={}", rules.display());
    let server = PrivatePostgres::start_with(&["fsync=off", &hba]);
    assert!(server.address().sql("postgres", &format!("ALTER ROLE kibitz PASSWORD '{password}'")));
    assert!(server.address().sql("postgres", "CREATE DATABASE kibitz"));
    server
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cluster_runs_with_its_passwords_on_postgres_and_nats() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made");
    assert!(make_credentials(&made, &[]).status.success());
    let all = credentials(&made);
    let database = postgres(folder.path(), &all["postgres/password"]);
    let nats = NatsServer::with(&["-c", made.join("nats/nats.conf").to_str().unwrap()]);
    // The services have names in their network; here all are on this machine.
    let names = |text: &str| {
        text.replace("@postgres/", &format!("@127.0.0.1:{}/", database.port()))
            .replace("@nats:4222", &format!("@{}", nats.address()))
    };
    for service in ["node", "worker"] {
        fs::write(made.join(service).join("environment"), names(&all[&format!("{service}/environment")]))
            .unwrap();
    }
    let services = compose().services;
    let start = |name: &str, more: &[String]| {
        let (program, arguments) = command(&services[name], &made.join(name), more);
        GuardedProcess::start(&program, &arguments)
    };
    let listen = kibitz_test_support::unused_address();
    let worker = start("worker", &["--threads=1".to_owned(), "--hosted-bots=false".to_owned()]);
    let flags = ["--threads=1", "--hosted-bots=false", "--ladder=false", &format!("--listen={listen}")];
    let node = start("node", &flags.map(str::to_owned));
    let (at_node, at_worker) =
        (|line: &str| line.contains("serving"), |line: &str| line.contains("ready to run engines"));
    tokio::task::block_in_place(|| {
        wait_for(&node, at_node);
        wait_for(&worker, at_worker);
    });
    let seen = async || {
        let metrics = ask(listen, "GET", "/metrics", &[], &Value::Null).await.ok()?;
        metrics.text().contains("kibitz_workers 1").then_some(())
    };
    until(seen).await;
    // Another password is refused by both.
    let wrong = Command::new(env!("CARGO_BIN_EXE_kibitz"))
        .args(["serve", "--listen=127.0.0.1:0", "--database"])
        .arg(format!("postgres://kibitz:wrong@127.0.0.1:{}/kibitz", database.port()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(!wrong.status.success() && said.contains("password"), "{said}");
    let stranger = start_stranger(&nats);
    tokio::task::block_in_place(|| {
        wait_for(&stranger, |line: &str| line.to_lowercase().contains("authorization"))
    });
}

/// A worker with a password that nobody has made.
fn start_stranger(nats: &NatsServer) -> GuardedProcess {
    let address = format!("--workers=nats://worker:worker-secret@{}", nats.address());
    let flags = ["worker", "--log-level=debug", "--threads=1", "--hosted-bots=false", &address];
    GuardedProcess::start(env!("CARGO_BIN_EXE_kibitz"), &flags.map(str::to_owned))
}

/// Waits for such a line in the log.
fn wait_for(process: &GuardedProcess, wanted: impl Fn(&str) -> bool) {
    let began = Instant::now();
    while !process.log().iter().any(|line| wanted(line)) {
        assert!(began.elapsed() < HANG, "{:#?}", process.log());
        sleep(Duration::from_millis(10));
    }
}
