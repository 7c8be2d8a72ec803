#!/usr/bin/env python3
"""Makes batches, signatures and an audit without Vigil: prints vectors.json.

    python3 make-vectors.py > vectors.json

Protocol Buffers and records are written here, after the gateway's source (efgs-federation-gateway: Efgs.proto, BatchSignatureUtils,
AuditEntry); certificates are made by the library `cryptography`, and signatures by `openssl cms` (3.0) and by the library. Keys are
new in every run and thrown away, so the output differs each time.
"""
import base64
import datetime
import hashlib
import json
import pathlib
import random
import struct
import subprocess
import tempfile

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import NameOID

TYPES = ["UNKNOWN", "CONFIRMED_TEST", "CONFIRMED_CLINICAL_DIAGNOSIS", "SELF_REPORT", "RECURSIVE", "REVOKED"]
START = 2_960_000


# Keys: data, start, period, level, countries, origin, type, days since onset.


def varint(number):
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    return bytes(encoded) + bytes([number])


def field(number, content):
    if isinstance(content, bytes):
        return varint(number << 3 | 2) + varint(len(content)) + content
    return varint(number << 3) + varint(content % 2**64) if content else b""


def protobuf(keys):
    encoded = b""
    for data, start, period, level, countries, origin, kind, days in keys:
        key = field(1, data) + field(2, start) + field(3, period) + field(4, level)
        key += b"".join(field(5, country.encode()) for country in countries) + field(6, origin.encode())
        key += field(7, kind) + field(8, days * 2 if days >= 0 else -days * 2 - 1)
        encoded += field(1, key)
    return encoded


def as_json(keys):
    def members(data, start, period, level, countries, origin, kind, days):
        everything = {
            "keyData": base64.b64encode(data).decode(), "rollingStartIntervalNumber": start, "rollingPeriod": period,
            "transmissionRiskLevel": level, "visitedCountries": countries, "origin": origin,
            "reportType": TYPES[kind] if kind else 0, "days_since_onset_of_symptoms": days}
        return {name: value for name, value in everything.items() if value not in (0, [], "")}

    return json.dumps({"keys": [members(*key) for key in keys]}, separators=(",", ":"), sort_keys=True)


def record(data, start, period, level, countries, origin, kind, days):
    parts = [data, struct.pack(">I", start), struct.pack(">I", period), struct.pack(">i", level)]
    parts += [",".join(countries).encode(), origin.encode(), struct.pack(">i", kind), struct.pack(">i", days)]
    return b"".join(base64.b64encode(part) + b"." for part in parts)


def signed(keys):
    return b"".join(sorted((record(*key) for key in keys), key=base64.b64encode))


def random_keys(chance, count, origin, countries=None):
    keys = []
    for _ in range(count):
        visited = countries if countries is not None else chance.sample(["DE", "FR", "PL", "IE", "ES"], chance.randrange(6))
        keys.append((
            chance.randbytes(16), START + chance.randrange(2000), chance.randrange(1, 145),
            chance.choice([0, 1, 8, 2**31 - 1]), visited, origin, chance.randrange(6), chance.choice([-14, -1, 0, 3, 1995, 4000])))
    return keys


# Certificates.


class Holder:
    def __init__(self, key, country, name, digest=hashes.SHA256(), years=(2026, 2046), serial=None):
        self.key = key
        subject = x509.Name([x509.NameAttribute(NameOID.COUNTRY_NAME, country), x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.certificate = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
            .serial_number(serial or x509.random_serial_number())
            .not_valid_before(datetime.datetime(years[0], 1, 1)).not_valid_after(datetime.datetime(years[1], 1, 1))
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False).sign(key, digest))
        self.pem = self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    @property
    def thumbprint(self):
        return self.certificate.fingerprint(hashes.SHA256()).hex()

    def sign_text(self, text):
        if isinstance(self.key, rsa.RSAPrivateKey):
            return base64.b64encode(self.key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())).decode()
        return base64.b64encode(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256()))).decode()


def rsa_key(bits):
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def p256():
    return ec.generate_private_key(ec.SECP256R1())


def p384():
    return ec.generate_private_key(ec.SECP384R1())


# Signatures.


def openssl(content, holders, *options, digest="sha256"):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "content").write_bytes(content)
        arguments = ["openssl", "cms", "-sign", "-binary", "-in", folder / "content", "-md", digest, "-outform", "DER"]
        for number, holder in enumerate(holders):
            (folder / f"{number}.pem").write_text(holder.pem)
            (folder / f"{number}.key").write_bytes(holder.key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
            arguments += ["-signer", folder / f"{number}.pem", "-inkey", folder / f"{number}.key"]
            if "pss" in options:
                arguments += ["-keyopt", "rsa_padding_mode:pss"]
        arguments += [option for option in options if option != "pss"]
        return subprocess.run(arguments, check=True, capture_output=True).stdout


def library(content, holder):
    builder = pkcs7.PKCS7SignatureBuilder().set_data(content).add_signer(holder.certificate, holder.key, hashes.SHA256())
    return builder.sign(serialization.Encoding.DER, [pkcs7.PKCS7Options.DetachedSignature, pkcs7.PKCS7Options.Binary])


def children(der):
    """Splits DER into (tag, content) pairs."""
    parts = []
    while der:
        length, start = der[1], 2
        if length > 127:
            start = 2 + (length & 127)
            length = int.from_bytes(der[2:start], "big")
        parts.append((der[0], der[start:start + length]))
        der = der[start + length:]
    return parts


def definite(tag, content):
    if len(content) < 128:
        return bytes([tag, len(content)]) + content
    length = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag, 128 | len(length)]) + length + content


def indefinite(tag, content):
    return bytes([tag, 128]) + content + b"\0\0"


def like_bouncycastle(der):
    """The same with indefinite lengths outside, as BouncyCastle's CMSSignedData writes it."""
    (tag, content), = children(der)
    (kind, name), (explicit, wrapped) = children(content)
    (_, data), = children(wrapped)
    parts = children(data)
    encoded = b""
    for number, (part, inside) in enumerate(parts):
        # The content's type, and the certificates.
        encoded += indefinite(part, inside) if number in (2, 3) else definite(part, inside)
    return indefinite(tag, definite(kind, name) + indefinite(explicit, indefinite(0x30, encoded)))


def main():
    chance = random.Random(21)
    keys = random_keys(chance, 40, "FR")
    # Equal key data with other metadata, and no countries.
    keys[1] = keys[0][:1] + (keys[0][1] + 1,) + keys[0][2:]
    keys[2] = keys[0][:4] + ([],) + keys[0][5:]
    content = signed(keys)

    ec256, ec384 = Holder(p256(), "FR", "EC 256"), Holder(p384(), "FR", "EC 384")
    rsa3072, rsa2048 = Holder(rsa_key(3072), "FR", "RSA 3072"), Holder(rsa_key(2048), "FR", "RSA 2048")
    past = Holder(p256(), "FR", "past", years=(2020, 2021))
    # Pretends to be another by its names.
    twin = Holder(p256(), "FR", "EC 256", serial=ec256.certificate.serial_number)
    p521 = Holder(ec.generate_private_key(ec.SECP521R1()), "FR", "EC 521")

    signatures = []

    def add(name, cms, holder, flaw=None, over=content):
        signatures.append({
            "name": name, "cms": base64.b64encode(cms).decode(), "certificate": holder.pem, "flaw": flaw,
            "content": base64.b64encode(over).decode() if over is not content else None})

    add("OpenSSL, P-256", openssl(content, [ec256]), ec256)
    add("OpenSSL, P-256 without attributes", openssl(content, [ec256], "-noattr"), ec256)
    add("OpenSSL, P-256 with SHA-512", openssl(content, [ec256], digest="sha512"), ec256)
    add("OpenSSL, P-384 with SHA-384", openssl(content, [ec384], digest="sha384"), ec384)
    add("OpenSSL, P-384 without attributes", openssl(content, [ec384], "-noattr"), ec384)
    add("OpenSSL, RSA 3072", openssl(content, [rsa3072]), rsa3072)
    add("OpenSSL, RSA 3072 without attributes", openssl(content, [rsa3072], "-noattr"), rsa3072)
    add("OpenSSL, RSA 3072 with SHA-512", openssl(content, [rsa3072], digest="sha512"), rsa3072)
    add("OpenSSL, RSA 3072 by key identifier", openssl(content, [rsa3072], "-keyid"), rsa3072)
    add("streamed, and so attached", openssl(content, [rsa3072], "-stream"), rsa3072)
    add("BouncyCastle's lengths, P-256", like_bouncycastle(openssl(content, [ec256])), ec256)
    add("BouncyCastle's lengths, RSA 3072", like_bouncycastle(openssl(content, [rsa3072])), rsa3072)
    add("BouncyCastle's lengths, by key identifier", like_bouncycastle(openssl(content, [ec256], "-keyid")), ec256)
    add("cryptography, P-256", library(content, ec256), ec256)
    add("cryptography, RSA 3072", library(content, rsa3072), rsa3072)
    add("no keys", openssl(b"", [ec256]), ec256, over=b"")
    add("RSA-PSS", openssl(content, [rsa3072], "pss"), rsa3072, "algorithm")
    add("RSA with SHA-1", openssl(content, [rsa3072], digest="sha1"), rsa3072, "algorithm")
    add("ECDSA with SHA-1", openssl(content, [ec256], "-noattr", digest="sha1"), ec256, "algorithm")
    add("RSA with MD5", openssl(content, [rsa3072], digest="md5"), rsa3072, "algorithm")
    add("ECDSA with SHA-224", openssl(content, [ec256], digest="sha224"), ec256, "algorithm")
    add("RSA 2048", openssl(content, [rsa2048]), rsa2048, "key")
    add("P-521", openssl(content, [p521]), p521)
    attached = openssl(content, [ec256], "-nodetach")
    add("attached", attached, ec256)
    add("attached, and not what was signed", attached, ec256, "attached", over=b"other")
    add("without certificate", openssl(content, [ec256], "-nocerts"), ec256, "other_signer")
    add("another's certificate", openssl(content, [ec256]), ec384, "other_signer")
    add("a twin by name and number", openssl(content, [twin]), ec256, "other_signer")
    add("two signers", openssl(content, [ec256, rsa3072]), ec256, "unreadable")
    add("signed after the certificate's end", openssl(content, [past]), past, "signing_time")
    add("other content, with attributes", openssl(content[:-1], [ec256]), ec256, "mismatch")
    add("other content, without attributes", openssl(content[:-1], [rsa3072], "-noattr"), rsa3072, "mismatch")

    # An audit: two uploads of one country, one each of two others, and one of the country that asks.
    anchor, offline = Holder(rsa_key(4096), "EU", "anchor"), Holder(p256(), "EU", "another anchor")
    signers = {"DE": Holder(p256(), "DE", "signing"), "FR": Holder(rsa_key(3072), "FR", "signing"),
               "PL": Holder(p384(), "PL", "signing"), "AT": Holder(p256(), "AT", "signing")}
    callers = {country: Holder(p256(), country, "TLS") for country in signers}
    uploads = [(country, random_keys(chance, count, country, ["AT", "DE", "FR", "PL"]))
               for country, count in (("DE", 5), ("AT", 6), ("FR", 7), ("DE", 3), ("PL", 4))]
    audit = []
    for country, upload in uploads:
        caller, signer = callers[country], signers[country]
        audit.append({
            "country": country, "uploadedTime": "2026-11-24T11:24:43.086Z", "uploaderThumbprint": caller.thumbprint,
            "uploaderCertificate": caller.pem, "uploaderSigningThumbprint": signer.thumbprint,
            "uploaderOperatorSignature": anchor.sign_text(caller.pem), "signingCertificate": signer.pem,
            "signingCertificateOperatorSignature": anchor.sign_text(signer.pem), "amount": len(upload),
            "batchSignature": base64.b64encode(openssl(signed(upload), [signer])).decode()})
    download = [key for country, upload in uploads if country != "AT" for key in upload]

    print(json.dumps({
        "protobuf": base64.b64encode(protobuf(keys)).decode(), "json": as_json(keys),
        "records": [record(*key).decode() for key in keys], "digest": hashlib.sha256(content).hexdigest(),
        "signatures": signatures, "anchor": anchor.pem, "otherAnchor": offline.pem,
        "otherAnchorsSignature": offline.sign_text(signers["DE"].pem), "audit": audit,
        "download": base64.b64encode(protobuf(download)).decode()}, indent=1))


main()
