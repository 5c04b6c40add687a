//! The files that the server hands out: their list, their content, and what is no such file.

use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::ask;
use crate::client::TestServer;

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn listed(host: &TestServer) -> Vec<Value> {
    host.get("/v1/downloads").await.json()["files"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn shim_is_offered_with_its_system_and_hash() {
    let shim = Path::new(env!("CARGO_BIN_EXE_kibitz")).with_file_name("kibitz-shim");
    let content = std::fs::read(shim).expect("built: cargo build -p kibitz-shim");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("kibitz-shim"), &content).unwrap();
    let host = TestServer::start(&["--downloads", folder.path().to_str().unwrap()]).await;
    let files = listed(&host).await;
    let platform = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let expected = json!([{ "name": "kibitz-shim", "kind": "shim", "platform": platform, "version": null,
        "size": content.len(), "sha256": sha256(&content) }]);
    assert_eq!(json!(files), expected);
    let reply = ask(&host, "GET", "/downloads/kibitz-shim", &[("accept-encoding", "gzip, br")]).await;
    assert_eq!((reply.status.as_u16(), reply.header("content-encoding")), (200, ""));
    assert_eq!(sha256(&reply.body), sha256(&content));
    assert_eq!(reply.header("content-type"), "application/octet-stream");
    assert_eq!(reply.header("content-disposition"), "attachment; filename=\"kibitz-shim\"");
    assert_eq!(reply.header("content-length"), content.len().to_string());
    let tag = reply.header("etag").to_owned();
    assert_eq!(tag, format!("\"{}\"", sha256(&content)));
    let again = ask(&host, "GET", "/downloads/kibitz-shim", &[("if-none-match", &tag)]).await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    let head = ask(&host, "HEAD", "/downloads/kibitz-shim", &[]).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn folder_is_offered_instead_and_nothing_outside_it() {
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("files");
    std::fs::create_dir(&files).unwrap();
    std::fs::write(folder.path().join("secret"), "secret").unwrap();
    std::os::unix::fs::symlink("../secret", files.join("link")).unwrap();
    let wheel = "kibitz-0.1.0-cp310-abi3-linux_x86_64.whl";
    // More than one part.
    let content = vec![7; 200_000];
    std::fs::write(files.join(wheel), &content).unwrap();
    let host = TestServer::start(&["--downloads", files.to_str().unwrap()]).await;
    let named = listed(&host).await;
    assert_eq!(named.len(), 1);
    assert_eq!((&named[0]["kind"], &named[0]["version"]), (&json!("python"), &json!("0.1.0")));
    let reply = host.get(&format!("/downloads/{wheel}")).await;
    assert_eq!((reply.header("content-type"), &reply.body[..]), ("application/zip", &content[..]));
    for path in
        ["/downloads/link", "/downloads/kibitz-shim", "/downloads/..%2Fsecret", "/downloads/%2Fetc%2Fpasswd"]
    {
        let reply = host.get(path).await;
        let problem: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!((reply.status.as_u16(), &problem["code"]), (404, &json!("not_found")), "{path}");
    }
}
