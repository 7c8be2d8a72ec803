#!/usr/bin/env python3
"""Computes venue reports a second time, without Vigil: prints venue-reports.json.

    python3 make-vectors.py cryptography    with the Python library of that name
    python3 make-vectors.py openssl         with the command line of OpenSSL 3

Both print the same bytes. The parts of a report: key derivation by HKDF-SHA-256 without salt, AES-256-CTR, HMAC-SHA-256 (Apple,
"Exposure Notifications: Off-Device Venue Check-Ins", 2021; the widths are Vigil's).
"""
import hashlib
import json
import random
import struct
import subprocess
import sys

INFORMATION = b"EN-VenueCheckIn-v1"


def by_cryptography(seed, vector, plain):
    from cryptography.hazmat.primitives import hashes, hmac
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    keys = HKDF(algorithm=hashes.SHA256(), length=64, salt=None, info=INFORMATION).derive(seed)
    encryptor = Cipher(algorithms.AES(keys[:32]), modes.CTR(vector)).encryptor()
    encrypted = encryptor.update(plain) + encryptor.finalize()
    code = hmac.HMAC(keys[32:], hashes.SHA256())
    code.update(vector + encrypted)
    return keys, encrypted, code.finalize()


def by_openssl(seed, vector, plain):
    def run(*arguments, data=b""):
        return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True).stdout

    keys = run(
        "kdf", "-keylen", "64", "-kdfopt", "digest:SHA256", "-kdfopt", "hexkey:" + seed.hex(),
        "-kdfopt", "hexinfo:" + INFORMATION.hex(), "-binary", "HKDF")
    encrypted = run("enc", "-aes-256-ctr", "-K", keys[:32].hex(), "-iv", vector.hex(), data=plain)
    code = run(
        "mac", "-digest", "SHA256", "-macopt", "hexkey:" + keys[32:].hex(), "-binary", "HMAC", data=vector + encrypted)
    return keys, encrypted, code


def main(compute):
    random.seed(57)
    vectors = [
        (bytes(range(32)), bytes(range(0xA0, 0xB0)), 2710445, 2710473, 7),
        (b"\xff" * 16, b"\x00" * 16, 2710117, 2710127, 8),
        # Every byte of the counter block carries over.
        (b"\x01" * 64, b"\xff" * 16, 0, 144, 1),
        (b"\x80" * 33, b"\x00" * 15 + b"\xff", 0xFFFFFFFE, 0xFFFFFFFF, 3),
    ]
    for size in range(16, 65):
        start = random.randrange(2**31)
        vectors.append(
            (random.randbytes(size), random.randbytes(16), start, start + random.randint(1, 144), random.randint(1, 8)))
    made = []
    for seed, vector, start, end, level in vectors:
        keys, encrypted, code = compute(seed, vector, struct.pack(">IIB", start, end, level))
        made.append({
            "seed": seed.hex(), "encryptionKey": keys[:32].hex(), "authenticationKey": keys[32:].hex(),
            "start": start, "end": end, "transmissionRiskLevel": level, "initializationVector": vector.hex(),
            "report": (vector + encrypted + code).hex(),
            # The tag of a tracer's entry for the day on which the visit began.
            "tag": tag(keys[32:], start // 144),
        })
    print(json.dumps(made, indent=1))


def tag(key, day):
    import hmac

    return hmac.new(key, b"venue-event" + struct.pack(">I", day), hashlib.sha256).hexdigest()


main({"cryptography": by_cryptography, "openssl": by_openssl}[sys.argv[1]])
