"""A passkey in software: makes the answers that a browser with such a device sends, in the form of WebAuthn's documents."""

from __future__ import annotations

import json
import os
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

# Browsers let pages at this address use passkeys without TLS.
ORIGIN = "http://localhost"
# The user was there, and was verified; the data contains a new key.
PRESENT_AND_VERIFIED, WITH_KEY = 1 | 4, 64


def base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def client_data(kind: str, options: dict[str, Any]) -> bytes:
    """What the browser signs: the page and the challenge."""
    return json.dumps({"type": kind, "challenge": options["challenge"], "origin": ORIGIN, "crossOrigin": False}).encode()


class SoftPasskey:
    """A passkey for an account, made by the options of the server."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = os.urandom(16)
        self.site = options["rp"]["id"]
        self.user = options["user"]["id"]
        self.counter = 0
        point = self.key.public_key().public_numbers()
        # CBOR: {1: 2, 3: -7, -1: 1, -2: x, -3: y}, a key of the curve P-256.
        key = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20" + point.x.to_bytes(32, "big") + b"\x22\x58\x20" + point.y.to_bytes(32, "big")
        data = self._data(WITH_KEY) + bytes(16) + len(self.id).to_bytes(2, "big") + self.id + key
        # CBOR: {"fmt": "none", "attStmt": {}, "authData": data}.
        attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58" + bytes([len(data)]) + data
        #: The answer to these options.
        self.made = self._credential(attestationObject=attestation, clientDataJSON=client_data("webauthn.create", options))

    def answer(self, options: dict[str, Any]) -> dict[str, Any]:
        """The answer that signs in."""
        data, client = self._data(0), client_data("webauthn.get", options)
        signature = self.key.sign(data + sha256(client).digest(), ec.ECDSA(SHA256()))
        shown = self._credential(authenticatorData=data, clientDataJSON=client, signature=signature)
        shown["response"]["userHandle"] = self.user
        return shown

    def _data(self, more: int) -> bytes:
        """What the device signs: the site, what the user did, and how often the device has answered."""
        self.counter += 1
        return sha256(self.site.encode()).digest() + bytes([PRESENT_AND_VERIFIED | more]) + self.counter.to_bytes(4, "big")

    def _credential(self, **response: bytes) -> dict[str, Any]:
        known = base64(self.id)
        parts = {name: base64(part) for name, part in response.items()}
        return {"id": known, "rawId": known, "type": "public-key", "response": parts, "clientExtensionResults": {}}
