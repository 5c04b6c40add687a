//! A passkey in software: makes the answers that a browser with such a device sends. It has the form of WebAuthn's documents and
//! knows nothing of the server's checks.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The user was there, and was verified; the data contains a new key.
const PRESENT: u8 = 1;
const VERIFIED: u8 = 4;
const WITH_KEY: u8 = 64;

pub(super) struct SoftPasskey {
    key: EcdsaKeyPair,
    id: [u8; 16],
    site: String,
    /// The account's id in the form of the options.
    pub(super) user: String,
    /// Counts the answers. 0: this device does not count.
    pub(super) counter: u32,
    /// Whether the device asks for a finger or a PIN.
    pub(super) verifies: bool,
}

fn base64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What the browser signs: the page and the challenge.
fn client_data(kind: &str, origin: &str, options: &Value) -> String {
    json!({ "type": kind, "challenge": options["challenge"], "origin": origin, "crossOrigin": false })
        .to_string()
}

impl SoftPasskey {
    /// Makes a passkey by these options on a page of this origin; returns the browser's answer, too.
    pub(super) fn make(origin: &str, options: &Value) -> (Self, Value) {
        let random = SystemRandom::new();
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, key.as_ref(), &random).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let passkey = Self {
            key,
            id: uuid::Uuid::now_v7().into_bytes(),
            site: text(&options["rp"]["id"]),
            user: text(&options["user"]["id"]),
            counter: 1,
            verifies: true,
        };
        // CBOR: {1: 2, 3: -7, -1: 1, -2: x, -3: y}, a key of the curve P-256.
        let point = passkey.key.public_key().as_ref();
        let cose = [
            &[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32][..],
            &point[1..33],
            &[0x22, 0x58, 32],
            &point[33..],
        ];
        let mut data = passkey.data(WITH_KEY);
        data.extend([0; 16]);
        data.extend([0, 16]);
        data.extend(passkey.id);
        data.extend(cose.concat());
        // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}.
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        object.push(data.len().try_into().unwrap());
        object.extend(data);
        let response = json!({
            "attestationObject": base64(object),
            "clientDataJSON": base64(client_data("webauthn.create", origin, options)),
        });
        let answer = passkey.credential(response);
        (passkey, answer)
    }

    /// The answer to these options on a page of this origin.
    pub(super) fn answer(&mut self, origin: &str, options: &Value) -> Value {
        if self.counter > 0 {
            self.counter += 1;
        }
        let (data, client) = (self.data(0), client_data("webauthn.get", origin, options));
        let signed = [&data[..], &Sha256::digest(&client)].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        self.credential(json!({
            "authenticatorData": base64(data),
            "clientDataJSON": base64(client),
            "signature": base64(signature),
            "userHandle": self.user,
        }))
    }

    /// What the device signs: the site, what the user did, and the counter.
    fn data(&self, more: u8) -> Vec<u8> {
        let flags = PRESENT | if self.verifies { VERIFIED } else { 0 } | more;
        [&Sha256::digest(&self.site)[..], &[flags], &self.counter.to_be_bytes()].concat()
    }

    fn credential(&self, response: Value) -> Value {
        let id = base64(self.id);
        json!({ "id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": {} })
    }
}
