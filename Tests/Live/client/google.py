"""Google's part in Play Integrity, with the keys of a suite: tokens for Android phones (developer.android.com, "Integrity verdicts")."""

import base64
import hashlib
import json
import os
import time

from cryptography.hazmat.primitives import hashes, keywrap, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from client import messages

# What the suite expects of the app (Services/Development/Suite/Up/SimulatedAccount.swift).
PACKAGE = "de.rki.coronawarnapp-dev"
SIGNER = "LV8k5vSxJLBq9UyLrKeN1O7zQ3ESRQQvxZ1YAy1F3Ro="
BASIC = ("MEETS_BASIC_INTEGRITY",)
STRONG = (*BASIC, "MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY")
SALT_LENGTH = 16


class PlayIntegrity:
    """Makes tokens: a JWE (A256KW, A256GCM) around a JWS (ES256)."""

    def __init__(self, suite, is_forger=False):
        """is_forger: the tokens are signed with another key than Google's."""
        folder = suite.state / "secrets"
        key = base64.b64decode((folder / "play-integrity-decryption-key").read_text())
        pem = (folder / "play-integrity-signing.key").read_bytes()
        self._signing = (
            ec.generate_private_key(ec.SECP256R1()) if is_forger else serialization.load_pem_private_key(pem, None))
        # One content key for all tokens, because wrapping takes time; their nonces differ.
        content_key = AESGCM.generate_key(256)
        self._content, self._wrapped = AESGCM(content_key), _base64url(keywrap.aes_key_wrap(key, content_key))

    def evidence(self, salt, content, age=0, package=PACKAGE, signer=SIGNER, device=STRONG):
        """A serialised AndroidAuthentication with a token for a payload. age: of the token, in seconds."""
        verdict = {
            "requestDetails": {
                "requestPackageName": package, "nonce": _base64url(hashlib.sha256(salt + content).digest()),
                "timestampMillis": str(int((time.time() - age) * 1000))},
            "appIntegrity": {
                "appRecognitionVerdict": "PLAY_RECOGNIZED", "packageName": package, "versionCode": "42",
                "certificateSha256Digest": [signer.translate(str.maketrans("+/", "-_", "="))]},
            "deviceIntegrity": {"deviceRecognitionVerdict": list(device)},
            "accountDetails": {"appLicensingVerdict": "LICENSED"}}
        return messages.android_authentication(salt, self._token(json.dumps(verdict).encode()))

    def request(self, content, salt=None, covers=None, **verdict):
        """A DonationRequest with this payload. covers: another payload, for which the token was made; verdict: see `evidence`."""
        salt = salt or os.urandom(SALT_LENGTH)
        return messages.donation_request(self.evidence(salt, covers or content, **verdict), content)

    def _token(self, content):
        signed = _base64url(b'{"alg":"ES256"}') + "." + _base64url(content)
        numbers = utils.decode_dss_signature(self._signing.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        signed += "." + _base64url(b"".join(number.to_bytes(32, "big") for number in numbers))
        header, nonce = _base64url(b'{"alg":"A256KW","enc":"A256GCM"}'), os.urandom(12)
        sealed = self._content.encrypt(nonce, signed.encode(), header.encode())
        return ".".join((header, self._wrapped, *map(_base64url, (nonce, sealed[:-16], sealed[-16:]))))


def _base64url(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
