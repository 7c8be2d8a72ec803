"""Apple's part in App Attest and DeviceCheck, with the keys and the simulated service of a suite: evidence of iPhones.

Written after Apple's "Validating apps that connect to your server" and "Attestation Object Validation Guide".
"""

import base64
import datetime
import hashlib
import http.client
import json
import time

import cbor2
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from client import messages
from client.suite import Unexpected

# What the suite expects of the app (Services/Development/Suite/Up/SimulatedAccount.swift).
APP = "VIGILTEAM1.de.rki.coronawarnapp-dev"
DAY = datetime.timedelta(days=1)
# The extension with the hash of what was attested, and what its value begins with: SEQUENCE { [1] { OCTET STRING } }.
STATEMENT, STATEMENT_START = x509.ObjectIdentifier("1.2.840.113635.100.8.2"), bytes.fromhex("3024a1220420")


class Key:
    """A key of an app in an iPhone's hardware. `counter`: of its last assertion."""

    def __init__(self):
        self._private = ec.generate_private_key(ec.SECP256R1())
        self.public = self._private.public_key()
        point = self.public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        self.id, self.counter = hashlib.sha256(point).digest(), 0
        x, y = point[1:33], point[33:]
        self.cose = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})

    def assertion(self, client_data, counter=None):
        """The next one, or one with another counter."""
        if counter is None:
            self.counter = counter = self.counter + 1
        data = _authenticator_data(counter)
        nonce = _sha256(data, _sha256(client_data))
        return cbor2.dumps({"signature": self._private.sign(nonce, ec.ECDSA(hashes.SHA256())), "authenticatorData": data})


class AppAttest:
    """Requests with evidence of App Attest, for keys that are attested here, below the suite's root."""

    def __init__(self, suite, is_forger=False):
        """is_forger: the keys are attested by another authority than the one that the suite trusts."""
        self._suite = suite
        root = x509.load_pem_x509_certificate((suite.certificates / "evidence-root.pem").read_bytes())
        pem = (suite.state / "secrets" / "evidence-root.key").read_bytes()
        signer = ec.generate_private_key(ec.SECP256R1()) if is_forger else serialization.load_pem_private_key(pem, None)
        self._name, self._key = _name("Attestation CA"), ec.generate_private_key(ec.SECP384R1())
        intermediate = _certificate(
            self._name, self._key.public_key(), root.subject, signer, 365, x509.BasicConstraints(True, 0),
            _usage(key_cert_sign=True, crl_sign=True))
        self._intermediate = intermediate.public_bytes(serialization.Encoding.DER)
        self._hour, self._challenge = None, None

    def challenge(self):
        """This hour's."""
        hour = int(time.time()) // 3600
        if hour != self._hour:
            port = self._suite.port("data-donation", "app")
            answer = json.loads(self._suite.get("metadata-proxy", port, "/version/v1/ios/challenge"))
            self._hour, self._challenge = hour, base64.b64decode(answer["challenge"])
        return self._challenge

    def request(self, content, key, counter=None, covers=None, device_token=""):
        """A DonationRequest by a key that the server knows. counter: other than the next; covers: what is signed if not the payload."""
        return self._request(content, key, b"", counter, covers, device_token)

    def first_request(self, content, key=None, covers=None):
        """A DonationRequest by a new key, which comes with its attestation."""
        key = key or Key()
        return self._request(content, key, self._attestation(key), None, covers, "")

    def _request(self, content, key, attestation, counter, covers, device_token):
        challenge = self.challenge()
        evidence = messages.ios_authentication(
            device_token, "", challenge, key.id, key.assertion(challenge + (covers or content), counter), attestation)
        return messages.donation_request(evidence, content)

    def _attestation(self, key):
        data = _authenticator_data(0) + b"appattest".ljust(16, b"\0") + b"\0\x20" + key.id + key.cose
        leaf = _certificate(
            _name(key.id.hex()), key.public, self._name, self._key, 2, x509.BasicConstraints(False, None),
            _usage(digital_signature=True, content_commitment=True, key_encipherment=True, data_encipherment=True),
            _sha256(data, _sha256(self.challenge())))
        certificates = [leaf.public_bytes(serialization.Encoding.DER), self._intermediate]
        statement = {"x5c": certificates, "receipt": b"receipt"}
        return cbor2.dumps({"fmt": "apple-appattest", "attStmt": statement, "authData": data})


class DeviceCheck:
    """The service in Apple's place, which knows devices by names that the caller chooses."""

    def __init__(self, suite):
        self._port = suite.port("development-attestation", "control")

    def request(self, content, device, month):
        """A DonationRequest of a device with a token that it has for a month."""
        return messages.donation_request(messages.ios_authentication(self.token(device), month), content)

    def token(self, device):
        """One that names the device for ten minutes."""
        return self._post("device-tokens", {"device": device})["token"]

    def block(self, device):
        """Sets both bits of a device."""
        month = time.strftime("%Y-%m", time.gmtime())
        self._post("devices", {"device": device, "bits": {"bit0": True, "bit1": True, "month": month}})

    def _post(self, operation, body):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        try:
            connection.request("POST", f"/version/v1/{operation}", json.dumps(body), {"content-type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status not in (200, 204):
            raise Unexpected(f"development-attestation: {operation} was answered with {answer.status}.")
        return json.loads(content) if content else None


def _sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def _authenticator_data(counter):
    return _sha256(APP.encode()) + b"\x40" + counter.to_bytes(4, "big")


def _name(common):
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, common)])


def _usage(**allowed):
    everything = (
        "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
        "key_cert_sign", "crl_sign", "encipher_only", "decipher_only")
    return x509.KeyUsage(**{purpose: allowed.get(purpose, False) for purpose in everything})


def _certificate(subject, key, issuer, signer, days, constraints, usage, nonce=None):
    """Valid from yesterday; nonce: in the extension that says what was attested."""
    start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) - DAY
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
        .serial_number(x509.random_serial_number()).not_valid_before(start).not_valid_after(start + DAY * (days + 1))
        .add_extension(constraints, True).add_extension(usage, True))
    if nonce is not None:
        builder = builder.add_extension(x509.UnrecognizedExtension(STATEMENT, STATEMENT_START + nonce), False)
    return builder.sign(signer, hashes.SHA256())
