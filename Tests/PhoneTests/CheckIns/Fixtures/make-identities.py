#!/usr/bin/env python3
"""Computes a venue's identities a second time, without Vigil: prints identities.json.

    python3 make-identities.py

The definitions are those of CrowdNotifier (CrowdNotifier/techspec, version 3): HKDF-SHA-256 without salt, SHA-256. The first two are
check values of swisscovid-cn-backend, whose identities this program compares with its own.
"""
import hashlib
import hmac
import json
import random
import struct

INTERVAL = 3600
KNOWN = {
    (b"Parse this as bytes", 12): "166c3a8cf1f168f0664f17dec7ca1af5377188762568582014a40764768539e0",
    (b"Another Identity Test", 886432): "334c02682989c3489978dffffe9f377d67000f93e384c88ead006eb12ca2cce8",
}


def hkdf(secret, information, length):
    key = hmac.digest(bytes(32), secret, "sha256")
    blocks, last = b"", b""
    while len(blocks) < length:
        last = hmac.digest(key, last + information + bytes([len(blocks) // 32 + 1]), "sha256")
        blocks += last
    return blocks[:length]


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def vector(payload, start):
    derived = hkdf(payload, b"CrowdNotifier_v3", 96)
    venue = sha256(b"CN-PREID", payload, derived[:32])
    when = struct.pack(">iq", INTERVAL, start)
    time_key = sha256(b"CN-TIMEKEY", when, derived[32:64])
    identity = sha256(b"CN-ID", venue, when, time_key)
    assert KNOWN.get((payload, start), identity.hex()) == identity.hex()
    return {
        "payload": payload.hex(), "start": start, "preId": venue.hex(), "timeKey": time_key.hex(),
        "identity": identity.hex(), "notificationKey": derived[64:].hex()}


def main():
    chance = random.Random(3)
    vectors = [vector(*known) for known in KNOWN]
    vectors += [vector(chance.randbytes(chance.randrange(1, 200)), chance.randrange(1 << 20) * INTERVAL) for _ in range(18)]
    print(json.dumps(vectors, indent=1))


main()
