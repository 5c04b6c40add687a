//! The rights of operators, creators of matches and owners of accounts: the real server, and the real `kibitz admin`.

mod accounts;
mod creators;
mod erasure;
mod export;
mod import;
mod moderation;
mod names;
mod open_connections;
mod operator;
mod passkeys;
mod soft_passkey;
mod storage;
mod tokens;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::json;

use crate::client::TestServer;
use crate::matches::TestCaller;

/// A file with a new admin token, as `kibitz admin token` prints it.
fn token_file(folder: &Path) -> String {
    let made = Command::new(env!("CARGO_BIN_EXE_kibitz")).args(["admin", "token"]).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let file = folder.join("admin-token");
    std::fs::write(&file, made.stdout).unwrap();
    file.to_str().unwrap().to_owned()
}

/// A server with an admin token, and its operator.
pub(crate) struct AdminServer {
    pub(crate) host: TestServer,
    token_file: String,
    folder: tempfile::TempDir,
}

impl AdminServer {
    pub(crate) async fn start(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("kibitz.db");
        Self::in_folder(folder, &database, flags).await
    }

    /// One on this database.
    pub(crate) async fn start_on(database: &Path, flags: &[&str]) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), database, flags).await
    }

    async fn in_folder(folder: tempfile::TempDir, database: &Path, flags: &[&str]) -> Self {
        let token_file = token_file(folder.path());
        let flag = format!("--admin-token-file={token_file}");
        let flags: Vec<&str> = flags.iter().copied().chain([flag.as_str()]).collect();
        let host = TestServer::on(database, &flags).await;
        Self { host, token_file, folder }
    }

    /// Another server on the same database.
    pub(crate) async fn another(&self) -> TestServer {
        TestServer::on(&self.folder.path().join("kibitz.db"), &[]).await
    }

    /// Runs `kibitz admin` with these arguments.
    pub(crate) async fn admin(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
        command.arg("admin").args(args);
        command.env("KIBITZ_SERVER", format!("http://{}", self.host.address()));
        command.env("KIBITZ_ADMIN_TOKEN_FILE", &self.token_file);
        command.env("KIBITZ_DATABASE", self.folder.path().join("kibitz.db"));
        tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap()
    }

    /// The output of a successful `kibitz admin`.
    #[track_caller]
    pub(crate) fn said(output: &Output) -> String {
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout.clone()).unwrap()
    }

    /// The error of a failed `kibitz admin`.
    #[track_caller]
    pub(crate) fn complained(output: &Output) -> String {
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stderr.clone()).unwrap()
    }
}

/// A player, with the token.
async fn player(host: &TestServer, name: &str) -> TestCaller {
    let made = TestCaller::anonymous().post(host, "/v1/players", json!({ "name": name })).await.made();
    TestCaller::with(made["token"].as_str().unwrap())
}
