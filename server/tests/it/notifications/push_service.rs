//! A push service and a browser: a real HTTP server that takes messages, and what can decrypt them. Both check what the standards ask
//! for: RFC 8030 (the request), RFC 8292 (who sends it), RFC 8188 and 8291 (the encryption). Written without the server's own code.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes128Gcm, Nonce};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::{PublicKey, SecretKey};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::client::{HANG, TestResponse, TestServer};
use crate::matches::TestCaller;

/// A request to the push service.
#[derive(Debug)]
pub(super) struct ReceivedPush {
    pub path: String,
    pub headers: HeaderMap,
    body: Bytes,
}

#[derive(Clone)]
struct PushState {
    sender: mpsc::UnboundedSender<ReceivedPush>,
    answers: Arc<Mutex<VecDeque<u16>>>,
}

/// A push service on this machine.
pub(super) struct PushService {
    pub address: SocketAddr,
    received: mpsc::UnboundedReceiver<ReceivedPush>,
    answers: Arc<Mutex<VecDeque<u16>>>,
}

impl PushService {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, (sender, received)) = (listener.local_addr().unwrap(), mpsc::unbounded_channel());
        let answers = Arc::<Mutex<VecDeque<u16>>>::default();
        let state = PushState { sender, answers: Arc::clone(&answers) };
        let router = Router::new().fallback(take).with_state(state);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, received, answers }
    }

    /// Answers the next requests with these statuses; all others with 201.
    pub(super) fn answer(&self, statuses: &[u16]) {
        self.answers.lock().unwrap().extend(statuses);
    }

    /// The next message.
    pub(super) async fn next(&mut self) -> ReceivedPush {
        tokio::time::timeout(HANG, self.received.recv()).await.expect("a message comes").unwrap()
    }

    /// Checks that no message has come.
    #[track_caller]
    pub(super) fn nothing(&mut self) {
        if let Ok(push) = self.received.try_recv() {
            panic!("{push:?}");
        }
    }
}

async fn take(State(state): State<PushState>, uri: Uri, headers: HeaderMap, body: Bytes) -> StatusCode {
    let status = state.answers.lock().unwrap().pop_front().unwrap_or(201);
    // The test may be over.
    let _ = state.sender.send(ReceivedPush { path: uri.path().to_owned(), headers, body });
    StatusCode::from_u16(status).unwrap()
}

/// A browser that has subscribed at a push service.
pub(super) struct Browser {
    secret: SecretKey,
    auth: [u8; 16],
    pub endpoint: String,
}

impl Browser {
    pub(super) fn new(service: &PushService, name: &str) -> Self {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).unwrap();
        let auth = bytes[..16].try_into().unwrap();
        let endpoint = format!("http://{}/send/{name}", service.address);
        Self { secret: SecretKey::from_slice(&bytes).unwrap(), auth, endpoint }
    }

    fn public(&self) -> Box<[u8]> {
        self.secret.public_key().to_sec1_bytes()
    }

    /// Where notifications go, and the keys.
    pub(super) fn target(&self) -> Value {
        let keys = json!({
            "p256dh": URL_SAFE_NO_PAD.encode(self.public()),
            "auth": URL_SAFE_NO_PAD.encode(self.auth),
        });
        json!({ "endpoint": self.endpoint, "keys": keys })
    }

    /// The body of the request that subscribes.
    pub(super) fn subscription(&self, language: &str, kinds: &[&str]) -> Value {
        let mut body = self.target();
        let more = json!({ "name": "Firefox, Linux", "language": language, "kinds": kinds });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    }

    pub(super) async fn subscribe(
        &self,
        host: &TestServer,
        who: &TestCaller,
        kinds: &[&str],
    ) -> TestResponse {
        who.post(host, super::PATH, self.subscription("en", kinds)).await
    }

    /// What a message says, after all checks. `server`: its public key.
    #[track_caller]
    pub(super) fn read(&self, push: &ReceivedPush, server: &str) -> Value {
        assert!(self.endpoint.ends_with(&push.path), "{push:?}");
        let header = |name: &str| push.headers[name].to_str().unwrap();
        assert_eq!(header("content-encoding"), "aes128gcm");
        assert!(header("ttl").parse::<u64>().unwrap() > 0 && header("topic").len() <= 32);
        let origin = self.endpoint.split("/send/").next().unwrap();
        check_vapid(header("authorization"), origin, server);
        serde_json::from_slice(&self.decrypt(&push.body)).unwrap()
    }

    fn decrypt(&self, body: &[u8]) -> Vec<u8> {
        let (salt, rest) = body.split_at(16);
        assert_eq!(rest[..4], 4_096_u32.to_be_bytes(), "the size of a record");
        assert_eq!(rest[4], 65, "the length of the key");
        let (theirs, sealed) = rest[5..].split_at(65);
        assert!(body.len() <= 4_096);
        let shared = self.secret.diffie_hellman(&PublicKey::from_sec1_bytes(theirs).unwrap());
        let info = [b"WebPush: info\0", &*self.public(), theirs].concat();
        let input = derive(&self.auth, shared.raw_secret_bytes(), &info);
        let key: [u8; 16] = derive(salt, &input, b"Content-Encoding: aes128gcm\0")[..16].try_into().unwrap();
        let nonce: [u8; 12] = derive(salt, &input, b"Content-Encoding: nonce\0")[..12].try_into().unwrap();
        let mut record = Aes128Gcm::new(&key.into()).decrypt(&Nonce::from(nonce), sealed).unwrap();
        while record.last() == Some(&0) {
            record.pop();
        }
        assert_eq!(record.pop(), Some(2), "the mark of the last record");
        record
    }
}

/// HKDF with one block of output.
fn derive(salt: &[u8], input: &[u8], info: &[u8]) -> [u8; 32] {
    let mac = |key: &[u8], data: &[u8]| {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
        mac.update(data);
        <[u8; 32]>::from(mac.finalize().into_bytes())
    };
    mac(&mac(salt, input), &[info, &[1]].concat())
}

/// Checks the proof of who sends a message.
#[track_caller]
fn check_vapid(header: &str, origin: &str, server: &str) {
    let (token, key) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
    assert_eq!(key, server, "the key for which the browser has subscribed");
    let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let key = VerifyingKey::from_sec1_bytes(&bytes(key)).unwrap();
    key.verify(signed.as_bytes(), &Signature::from_slice(&bytes(signature)).unwrap()).unwrap();
    let (head, claims) = signed.split_once('.').unwrap();
    let read = |text: &str| serde_json::from_slice::<Value>(&bytes(text)).unwrap();
    assert_eq!(read(head)["alg"], "ES256");
    let claims = read(claims);
    assert_eq!(claims["aud"], origin);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let left = claims["exp"].as_u64().unwrap().checked_sub(now).unwrap();
    assert!((1..=86_400).contains(&left), "{claims}");
}
