//! Connections with TLS, and a certificate authority created by the test.

use crate::referee::bot;
use crate::server::{ScriptedServer, TestSession};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A certificate for this machine: its file, and the settings of a server that uses it.
fn certificate(name: &str) -> (PathBuf, Arc<ServerConfig>) {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).expect("a test's own certificate");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, made.cert.pem()).expect("a file");
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("a test's own certificate")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .expect("a test's own certificate");
    (file, Arc::new(config))
}

fn session(server: &ScriptedServer, config: &Arc<ServerConfig>) -> TestSession {
    let tcp = server.tcp();
    let connection = ServerConnection::new(config.clone()).expect("a test's own settings");
    TestSession::over(Box::new(StreamOwned::new(connection, tcp.try_clone().expect("a socket"))), tcp)
}

#[test]
fn private_authority_is_trusted_with_ca_option() {
    let (ca, config) = certificate("trusted.pem");
    let server = ScriptedServer::open();
    let url = format!("wss://{}/k", server.address);
    let mut bot = bot(&["azul", "--server", &url, "--ca", ca.to_str().unwrap()]);
    bot.write("30000\n");
    let mut first = session(&server, &config);
    assert_eq!(first.path, "/k/v1/games/azul/stdio");
    first.expect_lines(&["< 30000"]);
    first.send("> 1 g 2");
    assert_eq!(bot.line(), "1 g 2");
    // The resumed transcript is longer than one TLS record.
    first.reset();
    bot.write("x\n".repeat(20_000));
    bot.end_input();
    let mut second = session(&server, &config);
    let mut received = second.receive();
    while !received.ends_with("\n.") {
        received = format!("{received}\n{}", second.receive());
    }
    assert_eq!(received, format!("< 30000\n> 1 g 2\n{}.", "< x\n".repeat(20_000)));
    second.send("> 2 g 2");
    assert_eq!(bot.line(), "2 g 2");
    second.close(1000, "");
    assert_eq!(bot.end().status, Some(0));
}

#[test]
fn other_authority_is_not_trusted() {
    let (_, config) = certificate("stranger.pem");
    let (other, _) = certificate("other.pem");
    let server = ScriptedServer::open();
    let url = format!("https://localhost:{}", server.address.port());
    let bot = bot(&["azul", "--server", &url, "--ca", other.to_str().unwrap()]);
    let tcp = server.tcp();
    let connection = ServerConnection::new(config).unwrap();
    let mut stream = StreamOwned::new(connection, tcp);
    let _ = stream.conn.complete_io(&mut stream.sock);
    let end = bot.end();
    end.expect(2, 1);
    assert!(end.stderr.contains("--ca"), "{end:?}");
}

#[test]
fn file_without_certificates_is_refused() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty.pem");
    std::fs::write(&file, "nothing").unwrap();
    for file in [file.to_str().unwrap(), "missing.pem"] {
        let end = bot(&["azul", "--server", "https://localhost", "--ca", file]).end();
        end.expect(2, 1);
        assert!(end.stderr.contains("pem"), "{end:?}");
    }
}
