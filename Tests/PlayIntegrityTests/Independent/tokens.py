#!/usr/bin/env python3
"""Makes and reads tokens of Play Integrity, and reads tokens for DeviceCheck, without Vigil's code: with the libraries jwcrypto and
cryptography.

    tokens.py make PAYLOAD          makes keys, prints them as JSON with tokens around the file's bytes: good ones, and ones whose
                                    algorithms nobody may accept
    tokens.py read KEYS TOKEN OUT   reads a token with the keys of a JSON file, and writes what was signed
    tokens.py jwt KEY TOKEN         verifies a JWT with the public key of a PEM file, and prints header and claims as JSON
"""
import base64
import json
import os
import pathlib
import sys
import zlib

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.keywrap import aes_key_wrap
from jwcrypto import jwe, jwk, jws

KEY_ALGORITHM, CONTENT_ALGORITHM, SIGNATURE_ALGORITHM = "A256KW", "A256GCM", "ES256"


def url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def symmetric(secret):
    return jwk.JWK(kty="oct", k=url(secret))


def der(key):
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def encrypted(content, key, header, allowed=None):
    token = jwe.JWE(content, json.dumps(header), algs=allowed)
    token.add_recipient(key)
    return token.serialize(compact=True)


def signed(payload, key, header, allowed=None):
    token = jws.JWS(payload)
    if allowed:
        token.allowed_algs = allowed
    token.add_signature(key, None, json.dumps(header), None)
    return token.serialize(compact=True)


def by_hand(content, secret, header):
    """A token whose parts are made by the library cryptography alone."""
    key, nonce = os.urandom(32), os.urandom(12)
    encoded = url(json.dumps(header).encode())
    box = AESGCM(key).encrypt(nonce, content, encoded.encode())
    return ".".join([encoded, url(aes_key_wrap(secret, key)), url(nonce), url(box[:-16]), url(box[-16:])])


def make(path):
    payload = pathlib.Path(path).read_bytes()
    secret, private = os.urandom(32), ec.generate_private_key(ec.SECP256R1())
    key, signer = symmetric(secret), jwk.JWK.from_pyca(private)
    outer, inner = {"alg": KEY_ALGORITHM, "enc": CONTENT_ALGORITHM}, {"alg": SIGNATURE_ALGORITHM}
    good = signed(payload, signer, inner)

    # What an attacker who knows a key might do.
    curve384 = jwk.JWK.from_pyca(ec.generate_private_key(ec.SECP384R1()))
    confused = jwk.JWK(kty="oct", k=url(der(private.public_key())))
    unsigned = ".".join([url(b'{"alg":"none"}'), url(payload), ""])
    every = ["dir", "A128KW", "A256GCMKW", KEY_ALGORITHM, "A128GCM", "A256CBC-HS512", CONTENT_ALGORITHM]
    squeezed = zlib.compress(good.encode(), wbits=-15)
    bad = {
        "dir": encrypted(good, key, {"alg": "dir", "enc": CONTENT_ALGORITHM}, every),
        "A256GCMKW": encrypted(good, key, {"alg": "A256GCMKW", "enc": CONTENT_ALGORITHM}, every),
        "A128KW": encrypted(good, symmetric(secret[:16]), {"alg": "A128KW", "enc": CONTENT_ALGORITHM}, every),
        "A128GCM": encrypted(good, key, {"alg": KEY_ALGORITHM, "enc": "A128GCM"}, every),
        "A256CBC-HS512": encrypted(good, key, {"alg": KEY_ALGORITHM, "enc": "A256CBC-HS512"}, every),
        "zip": by_hand(squeezed, secret, {**outer, "zip": "DEF"}),
        "zip, and not compressed": by_hand(good.encode(), secret, {**outer, "zip": "DEF"}),
        "crit": by_hand(good.encode(), secret, {**outer, "crit": ["exp"], "exp": 1}),
        "none": encrypted(unsigned, key, outer),
        "HS256 by the public key": encrypted(signed(payload, confused, {"alg": "HS256"}), key, outer),
        "ES384": encrypted(signed(payload, curve384, {"alg": "ES384"}), key, outer),
        "another signer": encrypted(signed(payload, jwk.JWK.generate(kty="EC", crv="P-256"), inner), key, outer),
        "another secret": encrypted(good, symmetric(os.urandom(32)), outer),
        "not encrypted": good,
        "not signed": encrypted(payload, key, outer),
        "encrypted twice": encrypted(encrypted(good, key, outer), key, outer),
    }
    print(json.dumps({
        "decryption": base64.b64encode(secret).decode(),
        "verification": base64.b64encode(der(private.public_key())).decode(),
        "good": {
            "by jwcrypto": encrypted(good, key, outer),
            "by cryptography": by_hand(good.encode(), secret, outer),
            "with a type": encrypted(signed(payload, signer, {**inner, "typ": "JWT"}), key, {**outer, "typ": "JWT"}),
        },
        "bad": bad,
    }))


def read(keys, path, out):
    keys = json.loads(pathlib.Path(keys).read_bytes())
    outer = jwe.JWE(algs=[KEY_ALGORITHM, CONTENT_ALGORITHM])
    outer.deserialize(pathlib.Path(path).read_text(), symmetric(base64.b64decode(keys["decryption"])))
    verification = serialization.load_der_public_key(base64.b64decode(keys["verification"]))
    inner = jws.JWS()
    inner.allowed_algs = [SIGNATURE_ALGORITHM]
    inner.deserialize(outer.payload.decode(), jwk.JWK.from_pyca(verification))
    pathlib.Path(out).write_bytes(inner.payload)


def jwt(key, path):
    token = jws.JWS()
    token.allowed_algs = [SIGNATURE_ALGORITHM]
    token.deserialize(pathlib.Path(path).read_text(), jwk.JWK.from_pem(pathlib.Path(key).read_bytes()))
    print(json.dumps({**json.loads(token.payload), **token.jose_header}))


if __name__ == "__main__":
    {"make": make, "read": read, "jwt": jwt}[sys.argv[1]](*sys.argv[2:])
