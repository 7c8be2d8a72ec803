#!/usr/bin/env python3
"""Makes and verifies evidence of App Attest without Vigil's code: with cbor2, cryptography and pyattest.

    evidence.py mint      prints evidence of a root made for it, as JSON: what is good, and what has one flaw each
    evidence.py verify    reads such JSON of one piece of evidence, and says "accepted", or what is wrong with it

Written after Apple's "Validating apps that connect to your server" and "Attestation Object Validation Guide".
"""
import asyncio
import base64
import datetime
import hashlib
import json
import sys

import cbor2
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pyattest.assertion import Assertion
from pyattest.attestation import Attestation
from pyattest.configs.apple import AppleConfig
from pyattest.exceptions import PyAttestException

STATEMENT = x509.ObjectIdentifier("1.2.840.113635.100.8.2")
PREFIX = bytes.fromhex("3024a1220420")
AUTHENTICATORS = {"production": b"appattest".ljust(16, b"\0"), "development": b"appattestdevelop"}
APP = "ABCDE12345.org.example.app"


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def text(content):
    return base64.b64encode(content).decode()


def point(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


# Making


def name(common):
    return x509.Name([
        x509.NameAttribute(x509.NameOID.COMMON_NAME, common),
        x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, "Independent"),
    ])


def certificate(subject, key, issuer, signer, digest, start, days, extensions):
    builder = (
        x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(key)
        .serial_number(x509.random_serial_number()).not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=days)))
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    return builder.sign(signer, digest)


def usage(**allowed):
    everything = (
        "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
        "key_cert_sign", "crl_sign", "encipher_only", "decipher_only")
    return x509.KeyUsage(**{purpose: allowed.get(purpose, False) for purpose in everything})


class Authority:
    def __init__(self, now):
        self.now = now
        start = now - datetime.timedelta(days=1)
        self.root_key, self.key = ec.generate_private_key(ec.SECP384R1()), ec.generate_private_key(ec.SECP384R1())

        def authority(length):
            return [
                (x509.BasicConstraints(ca=True, path_length=length), True),
                (usage(key_cert_sign=True, crl_sign=True), True),
            ]

        self.root = certificate(
            "Root", self.root_key.public_key(), "Root", self.root_key, hashes.SHA384(), start, 3650, authority(None))
        self.intermediate = certificate(
            "Intermediate", self.key.public_key(), "Root", self.root_key, hashes.SHA384(), start, 3650, authority(0))

    def leaf(self, key, nonce, start=None, days=3):
        return certificate(
            sha256(point(key)).hex(), key, "Intermediate", self.key, hashes.SHA256(),
            start or self.now - datetime.timedelta(days=1), days, [
                (x509.BasicConstraints(ca=False, path_length=None), True),
                (usage(digital_signature=True, content_commitment=True, key_encipherment=True, data_encipherment=True), True),
                (x509.UnrecognizedExtension(STATEMENT, PREFIX + nonce), False),
            ])


def cose(key):
    numbers = key.public_numbers()
    return cbor2.dumps({
        1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")})


def authenticator_data(app, counter, flags=0x40, rest=b""):
    return sha256(app.encode()) + bytes([flags]) + counter.to_bytes(4, "big") + rest


def extensions(category):
    return cbor2.dumps({
        "apple_bundle_version_01": "42", "apple_validation_category_01": category.to_bytes(4, "little")})


def attestation(
    authority, key, *, app=APP, environment="production", challenge=b"challenge", counter=0, flags=0x40, added=b"",
    credential=None, cose_key=None, start=None, chain=None, canonical=False
):
    public = key.public_key()
    data = authenticator_data(
        app, counter, flags, AUTHENTICATORS[environment] + (32).to_bytes(2, "big")
        + (credential or sha256(point(public))) + cose(cose_key or public) + added)
    leaf = authority.leaf(public, sha256(data, sha256(challenge)), start)
    certificates = [leaf] + (chain or [authority.intermediate])
    return cbor2.dumps({
        "fmt": "apple-appattest",
        "attStmt": {
            "x5c": [one.public_bytes(serialization.Encoding.DER) for one in certificates], "receipt": b"receipt"},
        "authData": data,
    }, canonical=canonical)


def assertion(key, client_data, counter, *, app=APP, flags=0x40, added=b"", hashed_once=False):
    data = authenticator_data(app, counter, flags, added)
    nonce = sha256(data, sha256(client_data))
    if hashed_once:
        from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
        signature = key.sign(nonce, ec.ECDSA(Prehashed(hashes.SHA256())))
    else:
        signature = key.sign(nonce, ec.ECDSA(hashes.SHA256()))
    return cbor2.dumps({"signature": signature, "authenticatorData": data})


def mint():
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    authority, stranger = Authority(now), Authority(now)
    key, other = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    day = datetime.timedelta(days=1)

    def attest(**changes):
        return attestation(authority, key, **changes)

    attestations = [
        ("plain", None, attest()),
        ("another order", None, attest(canonical=True)),
        ("iOS 27, the flag clear", None, attest(added=extensions(4))),
        ("iOS 27, the flag set", None, attest(added=extensions(4), flags=0xC0)),
        ("a rest", "unreadable", attest() + b"\0"),
        ("extensions that are cut off", "unreadable", attest(added=extensions(4)[:-1])),
        ("a stranger's root", "chain", attestation(stranger, key)),
        ("a stranger's intermediate certificate", "chain", attest(chain=[stranger.intermediate])),
        ("the root as the intermediate one", "chain", attest(chain=[authority.root])),
        ("the root, too", "unreadable", attest(chain=[authority.intermediate, authority.root])),
        ("expired", "chain", attest(start=now - 4 * day)),
        ("not yet valid", "chain", attest(start=now + day)),
        ("another challenge", "binding", attest(challenge=b"another")),
        ("another key", "key", attestation(authority, other)),
        ("another app", "app", attest(app="ABCDE12345.org.example.other")),
        ("a counter", "counter", attest(counter=1)),
        ("development", "environment", attest(environment="development")),
        ("another credential", "credential", attest(credential=bytes(32))),
        ("another COSE key", "credential_key", attest(cose_key=other.public_key())),
        ("TestFlight", "category", attest(added=extensions(2))),
    ]
    data = b'{"challenge":"another one"}'
    assertions = [
        ("the first", None, 0, assertion(key, data, 1)),
        ("a later one", None, 41, assertion(key, data, 1000)),
        ("iOS 27", None, 0, assertion(key, data, 1, added=extensions(4))),
        ("iOS 27, TestFlight", "category", 0, assertion(key, data, 1, added=extensions(2))),
        ("a rest", "unreadable", 0, assertion(key, data, 1) + b"\0"),
        ("other data", "forged", 0, assertion(key, data + b" ", 1)),
        ("another key", "forged", 0, assertion(other, data, 1)),
        ("the nonce hashed once", "forged", 0, assertion(key, data, 1, hashed_once=True)),
        ("another app", "app", 0, assertion(key, data, 1, app="ABCDE12345.org.example.other")),
        ("the same counter", "counter", 7, assertion(key, data, 7)),
    ]
    print(json.dumps({
        "root": authority.root.public_bytes(serialization.Encoding.PEM).decode(), "app": APP,
        "at": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "keyID": text(sha256(point(key.public_key()))),
        "publicKey": text(point(key.public_key())), "clientDataHash": text(sha256(b"challenge")),
        "clientData": text(data),
        "attestations": [{"name": n, "flaw": f, "bytes": text(b)} for n, f, b in attestations],
        "assertions": [
            {"name": n, "flaw": f, "lastCounter": c, "bytes": text(b)} for n, f, c, b in assertions],
    }))


# Verifying


def expect(condition, words):
    if not condition:
        print(words)
        sys.exit(0)


def whole(content):
    """The item, if its bytes are what cbor2 writes of it, and nothing follows."""
    item = cbor2.loads(content)
    expect(cbor2.dumps(item) == content, "CBOR in another form")
    return item


def verify_chain(certificates, root, at):
    for one in certificates + [root]:
        expect(one.not_valid_before_utc <= at <= one.not_valid_after_utc, "outside its validity")
    for one, issuer in zip(certificates, certificates[1:] + [root]):
        expect(one.issuer == issuer.subject, "another issuer")
        try:
            one.verify_directly_issued_by(issuer)
        except (InvalidSignature, ValueError, TypeError):
            expect(False, "another issuer's signature")
        expect(issuer.extensions.get_extension_for_class(x509.BasicConstraints).value.ca, "an issuer that is no authority")


def verify_attestation(given):
    item = whole(base64.b64decode(given["attestation"]))
    expect(list(item) == ["fmt", "attStmt", "authData"], "other parts")
    expect(list(item["attStmt"]) == ["x5c", "receipt"], "another statement")
    data = item["authData"]
    certificates = [x509.load_der_x509_certificate(one) for one in item["attStmt"]["x5c"]]
    expect(len(certificates) == 2, "another number of certificates")
    root = x509.load_pem_x509_certificate(given["root"].encode())
    at = datetime.datetime.strptime(given["at"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)
    verify_chain(certificates, root, at)
    leaf = certificates[0]
    nonce = sha256(data, sha256(base64.b64decode(given["challenge"])))
    expect(leaf.extensions.get_extension_for_oid(STATEMENT).value.value == PREFIX + nonce, "another nonce")
    key = leaf.public_key()
    expect(isinstance(key.curve, ec.SECP256R1), "another curve")
    name = base64.b64decode(given["keyID"])
    expect(sha256(point(key)) == name, "another key")
    expect(data[:32] == sha256(given["app"].encode()), "another app")
    expect(data[33:37] == bytes(4), "a counter")
    expect(data[37:53] == AUTHENTICATORS[given["environment"]], "another environment")
    expect(data[53:87] == b"\0\x20" + name, "another credential")
    expect(data[87:164] == cose(key), "another COSE key")
    if data[164:]:
        expect(isinstance(whole(data[164:]), dict), "other extensions")
    config = AppleConfig(
        key_id=name, app_id=given["app"], production=given["environment"] == "production",
        root_ca=given["root"].encode())
    try:
        asyncio.run(Attestation(
            base64.b64decode(given["attestation"]), base64.b64decode(given["challenge"]), config).verify())
    except PyAttestException as error:
        expect(False, f"pyattest: {type(error).__name__}")
    return key, config


def verify_assertion(given, key, config):
    item = whole(base64.b64decode(given["assertion"]))
    expect(list(item) == ["signature", "authenticatorData"], "other parts")
    data, client_data = item["authenticatorData"], base64.b64decode(given["clientData"])
    try:
        key.verify(item["signature"], sha256(data, sha256(client_data)), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        expect(False, "another signature")
    expect(data[:32] == sha256(given["app"].encode()), "another app")
    expect(int.from_bytes(data[33:37], "big") == given["counter"], "another counter")
    expect(len(data) == 37, "something after the counter")
    try:
        Assertion(base64.b64decode(given["assertion"]), sha256(client_data), key, config).verify()
    except PyAttestException as error:
        expect(False, f"pyattest: {type(error).__name__}")


def verify():
    given = json.load(sys.stdin)
    key, config = verify_attestation(given)
    if given.get("assertion"):
        verify_assertion(given, key, config)
    print("accepted")


if sys.argv[1:] == ["mint"]:
    mint()
elif sys.argv[1:] == ["verify"]:
    verify()
else:
    sys.exit(__doc__)
