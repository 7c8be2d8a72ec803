"""Requests of the Further app: reports, batches, keys and signatures (Shared/Contracts/FurtherAPI)."""

import base64
import hashlib
import json
import secrets
import time
import uuid

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

# All bodies of reports and batches have it: spaces after the JSON.
LENGTH = 4096
BATCH = 14
REPORT, BATCHES, KEYS = "/health", "/health/batch", "/keys"
JSON = ("content-type", "application/json")


def fresh_id():
    return str(uuid.uuid4()).upper()


def record(identifier=None, positive=True, update=None, **further):
    """A record; update: when it was answered, in seconds before now if negative, now by default."""
    now = int(time.time())
    return {
        "id": identifier or fresh_id(), "feelingSick": positive, "hasBeenTested": positive, "testResult": positive,
        "lastUpdate": now if update is None else now + update, **further}


def batch(positive=0, positive_ids=()):
    """Records of a batch in random order: some positive ones, and negative ones under random ids."""
    ids = [*positive_ids, *(fresh_id() for _ in range(positive - len(positive_ids)))]
    records = [record(identifier) for identifier in ids] + [record(positive=False) for _ in range(BATCH - len(ids))]
    secrets.SystemRandom().shuffle(records)
    return records


def body(content):
    text = json.dumps(content).encode()
    if len(text) > LENGTH:
        raise ValueError("A body is longer than its padding allows.")
    return text.ljust(LENGTH)


def malformed():
    return b"{" * LENGTH


class Key:
    """The key of an installation."""

    def __init__(self):
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.public = self._key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        self.name = hashlib.sha256(self.public).hexdigest()[:32]

    def registration(self, signer=None):
        """signer: the key that makes the proof, if it isn't this one."""
        proof = (signer or self)._signature(b"further key\n" + self.public)
        members = {"publicKey": base64.b64encode(self.public).decode(), "proof": base64.b64encode(proof).decode()}
        return json.dumps(members).encode().ljust(LENGTH)

    def fields(self, path, content, signer=None, age=0, nonce=None):
        """The header fields that sign a body. age: of the signature, in seconds; nonce: one that was used before."""
        timestamp, nonce = int(time.time()) - age, nonce or secrets.token_hex(16)
        text = f"POST\n{path}\n{timestamp}\n{nonce}\n{hashlib.sha256(content).hexdigest()}".encode()
        signature = base64.b64encode((signer or self)._signature(text)).decode()
        return [
            ("x-further-key", self.name), ("x-further-timestamp", str(timestamp)), ("x-further-nonce", nonce),
            ("x-further-signature", signature)]

    def _signature(self, content):
        """In DER, always of the length that most have: otherwise a request's length would differ by chance."""
        while True:
            signature = self._key.sign(content, ec.ECDSA(hashes.SHA256()))
            if len(signature) == 71:
                return signature
