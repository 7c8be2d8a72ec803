"""Whether the lengths of TLS records on the wire tell one outcome from another.

python sizes.py STATE FOLDER PROGRAMS NGINX

STATE is the state folder of a running suite, FOLDER an existing one for captures and logs, PROGRAMS where `vigil` and
`metadata-proxy` lie, NGINX its executable. Needs the right to capture packets.

For each version of TLS and of HTTP, an exchange of every class of outcome is made, alone on a fresh connection (over
HTTP/2 the request goes out with the preface) and among others, at random, on a connection that is kept. The lengths of
the records that the server sends must form one sequence over all classes; on a kept connection, where an answer comes
alone, so must the packets that they come in. Requests have one length for each family of routes, as the apps' have:
what the server sends because of them, such as HTTP/2 window updates, is no class's own.

The control is nginx in the proxy's place: the same requests must be found to have several sequences there.

The handshake is over before the server knows anything of the request, but compared, too: one sequence, in which one
record may vary by a few bytes, because it holds the DER encoding of an ECDSA signature (70 to 72 bytes, seldom less).
"""

import base64
import collections
import concurrent.futures
import dataclasses
import hashlib
import itertools
import json
import os
import pathlib
import random
import secrets
import signal
import ssl
import sys
import time
import uuid

import capture
import neighbours
from client import apple, further, google, http1, http2
from client.http1 import Request
from client.messages import (
    analytics_data, donation_request, fresh_guid, ios_authentication, json_body, malformed, one_time_password, payload,
    push_registration, venue_payload)
from client.suite import Suite, Unexpected
from client.tls import Connection

VERSIONS = {"TLS 1.3": ssl.TLSVersion.TLSv1_3, "TLS 1.2": ssl.TLSVersion.TLSv1_2}
PROTOCOLS = {"HTTP/1.1": http1.Exchanges, "HTTP/2": http2.Exchanges}
# Exchanges on a connection that is kept.
KEPT = 8
# Requests that are sent at once.
TOGETHER = 4
# Bytes of the bodies on one connection. From half of HTTP/2's first window on, the server's window updates stand between
# its answers: when, follows from the bytes that it was sent.
BODIES = 30_000
# A signature has 70 to 72 bytes; one of 66 is seen once in 2^32 handshakes.
SIGNATURE_SPREAD = 6
# A request for a donation is repeated, and an id reported too often, only if so many seconds are left of the hour: the fold then takes donations away.
UNTIL_THE_FOLD = 300
# The second proxy takes so many registrations of one address prefix.
REGISTRATIONS = 40


@dataclasses.dataclass
class Case:
    """One request whose outcome is known beforehand."""

    name: str
    status: int
    request: Request
    port: int
    # What must stand in the answer, so that the class is what its name says.
    members: dict = dataclasses.field(default_factory=dict)
    source: str | None = None
    # The only protocol that has the class.
    protocol: str | None = None


@dataclasses.dataclass
class Seen:
    """One connection, as its client knows it: for each exchange the case, and where its last record ends."""

    target: str
    version: str
    protocol: str
    port: int
    local_port: int = 0
    handshake_end: int = 0
    opening_end: int = 0
    exchanges: list = dataclasses.field(default_factory=list)
    received: int = 0
    situation: str = "alone"
    # The classes that were asked for.
    wanted: list = dataclasses.field(default_factory=list)


# MARK: The classes

def app_request(operation, members, fake="0", extra=()):
    headers = [("content-type", "application/json"), ("cwa-fake", fake), *extra]
    return Request(f"/version/v1/{operation}", headers, json_body(members))


def upload_request(tan, content, fake="0", operation="diagnosis-keys", field="cwa-authorization"):
    headers = [("content-type", "application/x-protobuf"), (field, tan)]
    if fake is not None:
        headers.append(("cwa-fake", fake))
    return Request(f"/version/v1/{operation}", headers, content)


def push_request(token, device, kind=0, version=3):
    headers = [("content-type", "application/x-protobuf")]
    return Request(f"/v{version}/register", headers, push_registration(token, device, kind))


def evidence_request(operation, body, fake="0"):
    return Request(f"/version/v1/{operation}", [("content-type", "application/x-protobuf"), ("cwa-fake", fake)], body)


def password():
    return one_time_password(str(uuid.uuid4()))


class Classes:
    """Makes requests of every class of outcome; what can be asked repeatedly is prepared once."""

    def __init__(self, suite):
        self.suite = suite
        self.pending, self.positive = suite.tested(), suite.tested(result=2)
        self.negative, self.invalid = suite.tested(result=1), suite.tested(result=3)
        self.short_lab = suite.tested(result=2, lab_id="a")
        # The longest names that a lab may have: 64 characters, of four bytes each, or such as JSON escapes.
        self.long_lab = suite.tested(result=2, lab_id="\N{FACE WITH MEDICAL MASK}" * 64)
        self.escaped_lab = suite.tested(result=2, lab_id='"' * 64)
        quick = fresh_guid()
        suite.post_results([quick], 7, "centre-1", kind="quicktest")
        # A centre posts the id itself, a phone registers its hash.
        self.quick = suite.register(hashlib.sha256(quick.encode()).hexdigest())
        guid, birth_date = fresh_guid(), "x" + fresh_guid()[1:]
        self.torn = suite.register(guid, birth_date=birth_date)
        suite.post_results([guid], 1)
        suite.post_results([birth_date], 2)
        self.used = fresh_guid()
        suite.register(self.used)
        self.spent = suite.tested(result=2)
        self.uploaded = suite.tan(self.spent), payload()
        suite.upload(*self.uploaded)
        self.warned = suite.entitled_to_warn(), payload(0, reports=3, on_behalf=True)
        suite.upload(*self.warned, "submission-on-behalf")
        self.visited = suite.entitled(), venue_payload(3, 14)
        suite.upload(*self.visited, "venue-reports")
        self.google, self.forger = google.PlayIntegrity(suite), google.PlayIntegrity(suite, is_forger=True)
        self.used_salt, self.phone = secrets.token_bytes(google.SALT_LENGTH), secrets.token_bytes(8)
        self.given = self.google.request(password(), self.used_salt)
        self._donate("android/otp", self.given)
        self._donate("android/srs", self.google.request(self._report_password(self.phone)))
        self.reported = self._entitled_to_report(), payload(is_self_report=True)
        suite.upload(*self.reported, field="cwa-otp")
        self.apple, self.other_apple = apple.AppAttest(suite), apple.AppAttest(suite, is_forger=True)
        # Of a key that had its share of passwords and of donations.
        self.key, survey, data = apple.Key(), password(), analytics_data(is_ios=True)
        self.given_to_iphone = self._donate("ios/otp", self.apple.first_request(survey, self.key))
        self._donate("ios/dat", self.apple.request(data, self.key))
        self.device_check = apple.DeviceCheck(suite)
        # A device that had its share of passwords and of self-reports in a month, one that is blocked, and a used token.
        self.device, self.month, self.blocked = (str(uuid.uuid4()) for _ in range(3))
        self._donate("ios/otp", self.device_check.request(password(), self.device, self.month))
        self._donate("ios/srs", self.device_check.request(password(), self.device, self.month))
        self.device_check.block(self.blocked)
        self.used_token = self.device_check.token(str(uuid.uuid4()))
        self._donate("ios/els", self._with_token(password(), self.used_token))
        self.signer, self.other_signer = further.Key(), further.Key()
        for key in (self.signer, self.other_signer):
            suite.post(200, "metadata-proxy", suite.port("further", "app"), further.KEYS, key.registration(), "application/json")

    def _donate(self, operation, body):
        """Sends a request to data-donation without the proxy."""
        port = self.suite.port("data-donation", "app")
        self.suite.post(200, "metadata-proxy", port, f"/version/v1/{operation}", body, "application/x-protobuf")
        return body

    @staticmethod
    def _report_password(phone):
        return one_time_password(str(uuid.uuid4()), phone)

    def _entitled_to_report(self):
        """A password for a self-report that hasn't been used."""
        text = str(uuid.uuid4())
        self._donate("android/srs", self.google.request(one_time_password(text, secrets.token_bytes(16))))
        return text

    def _known_key(self):
        """A key of an iPhone's app that was admitted to a log."""
        key = apple.Key()
        self._donate("ios/els", self.apple.first_request(password(), key))
        return key

    @staticmethod
    def _with_token(content, token):
        return donation_request(ios_authentication(token, str(uuid.uuid4())), content)

    def of_services(self, port):
        """Every outcome that a service decides."""
        return [*self._registrations(port), *self._results(port), *self._tans(port), *self._uploads(port),
                *self._self_reports(port), *self._warnings(port), *self._venue_reports(port), *self._pushes(port),
                *self._passwords(port), *self._donations(port), *self._malformed_evidence(port), *self._app_attest(port),
                *self._device_check(port), *self._health(port)]

    def _report(self, content, fields=(), status=200):
        """Sends a report to further without the proxy."""
        port = self.suite.port("further", "app")
        self.suite.post(status, "metadata-proxy", port, further.REPORT, content, "application/json", dict(fields))
        return content

    def _health(self, port):
        def case(name, path, content, status=200, fields=()):
            return Case(f"health, {name}", status, Request(path, [further.JSON, *fields], content), port)

        # Sent within minutes: a signature may be as old as it may be new.
        def signed(name, content, status=200, key=self.signer, age=-150, **options):
            fields = key.fields(further.REPORT, content, age=age, **options)
            return case(f"signed, {name}", further.REPORT, content, status, fields)

        body, record, stranger = further.body, further.record, further.Key()
        # Each id is reported a few times only: there is a limit.
        known, owned = further.fresh_id(), further.fresh_id()
        own = body(record(owned))
        self._report(own, self.signer.fields(further.REPORT, own))
        yield case("first positive", further.REPORT, body(record(known)))
        yield case("repeated", further.REPORT, body(record(known)))
        yield case("older", further.REPORT, body(record(known, update=-3600)))
        yield case("taken back", further.REPORT, body(record(known, positive=False)))
        yield case("negative", further.REPORT, body(record(positive=False)))
        yield case("too old", further.REPORT, body(record(update=-15 * 86400)))
        yield case("from the future", further.REPORT, body(record(update=3600)), 400)
        if time.time() % 3600 < 3600 - UNTIL_THE_FOLD:
            frequent = body(record())
            for _ in range(10):
                self._report(frequent)
            yield case("too often", further.REPORT, frequent, 429)
        yield case("malformed", further.REPORT, further.malformed(), 400)
        yield case("unsigned, of an owned id", further.REPORT, body(record(owned)), 401)
        yield signed("first positive", body(record()))
        yield signed("repeated", own)
        yield signed("negative", body(record(positive=False)))
        yield signed("forged", own, 401, signer=stranger)
        yield signed("stale", own, 401, age=1000)
        yield signed("unknown key", body(record()), 401, key=stranger)
        yield signed("another key", own, 403, key=self.other_signer)
        yield case("batch of dummies", further.BATCHES, body(further.batch()))
        yield case("batch, all positive", further.BATCHES, body(further.batch(14)))
        yield case("batch with 13", further.BATCHES, body(further.batch()[1:]), 400)
        yield case("batch, malformed", further.BATCHES, further.malformed(), 400)
        yield case("key, first", further.KEYS, further.Key().registration())
        yield case("key, repeated", further.KEYS, self.signer.registration())
        yield case("key, wrong proof", further.KEYS, stranger.registration(self.signer), 401)
        yield case("key, malformed", further.KEYS, further.malformed(), 400)

    def _registrations(self, port):
        def case(name, status, key, kind="GUID", fake="0", extra=()):
            request = app_request("registrationToken", {"key": key, "keyType": kind}, fake, extra)
            return Case(f"registration, {name}", status, request, port)

        attempt = [("idempotency-key", f'"{uuid.uuid4()}"')]
        yield case("GUID", 201, fresh_guid())
        yield case("GUID with idempotency key", 201, fresh_guid(), extra=attempt)
        yield case("GUID that was used", 400, self.used)
        yield case("teleTAN", 201, self.suite.teletan(), "TELETAN")
        yield case("unknown teleTAN", 400, "R3ZNUEV9JA", "TELETAN")
        yield case("fake", 201, fresh_guid(), fake="1")
        yield case("key without its shape", 400, "0", "GUID")
        yield self._malformed("registration", "registrationToken", port)

    def _results(self, port):
        def case(name, token, result=None, status=200, lab_id=None, fake="0"):
            request = app_request("testresult", {"registrationToken": token}, fake)
            members = {} if result is None else {"testResult": result, "labId": lab_id}
            return Case(f"result, {name}", status, request, port, members)

        yield case("pending", self.pending, 0)
        yield case("negative", self.negative, 1)
        yield case("positive", self.positive, 2)
        yield case("invalid", self.invalid, 3)
        yield case("rapid positive, with labId", self.quick, 7, lab_id="centre-1")
        yield case("positive, shortest labId", self.short_lab, 2, lab_id="a")
        yield case("positive, longest labId", self.long_lab, 2, lab_id="\N{FACE WITH MEDICAL MASK}" * 64)
        yield case("positive, labId of quotes", self.escaped_lab, 2, lab_id='"' * 64)
        yield case("two ids that differ", self.torn, status=403)
        yield case("unknown token", str(uuid.uuid4()), status=400)
        yield case("fake", str(uuid.uuid4()), fake="1")
        yield self._malformed("result", "testresult", port)

    def _tans(self, port):
        def case(name, status, token, fake="0"):
            request = app_request("tan", {"registrationToken": token}, fake)
            return Case(f"TAN, {name}", status, request, port)

        yield case("given", 201, self.positive)
        yield case("not positive", 400, self.negative)
        yield case("spent", 400, self.spent)
        yield case("unknown token", 400, str(uuid.uuid4()))
        yield case("fake", 201, str(uuid.uuid4()), "1")
        yield self._malformed("TAN", "tan", port)

    def _uploads(self, port):
        def case(name, status, tan, content, fake="0"):
            return Case(f"upload, {name}", status, upload_request(tan, content, fake), port)

        unknown = str(uuid.uuid4())
        yield case("14 keys", 200, self.suite.entitled(), payload())
        yield case("1 key", 200, self.suite.entitled(), payload(1))
        yield case("with check-ins", 200, self.suite.entitled(), payload(14, reports=5))
        yield case("repeated", 200, *self.uploaded)
        yield case("unknown TAN", 403, unknown, payload())
        yield case("spent TAN", 403, self.uploaded[0], payload())
        yield case("malformed TAN", 403, "0" * 36, payload())
        yield case("malformed payload", 400, unknown, malformed(len(payload())))
        yield case("no keys", 400, unknown, payload(0))
        yield case("without cwa-fake", 400, unknown, payload(), None)
        yield case("fake", 200, unknown, malformed(len(payload())), "1")

    def _self_reports(self, port):
        def case(name, status, secret, content, fake="0"):
            return Case(f"self-report, {name}", status, upload_request(secret, content, fake, field="cwa-otp"), port)

        unknown, report = str(uuid.uuid4()), payload(is_self_report=True)
        yield case("14 keys", 200, self._entitled_to_report(), report)
        yield case("1 key", 200, self._entitled_to_report(), payload(1, is_self_report=True))
        yield case("with check-ins", 200, self._entitled_to_report(), payload(14, reports=5, is_self_report=True))
        yield case("repeated", 200, *self.reported)
        yield case("unknown password", 403, unknown, report)
        yield case("spent password", 403, self.reported[0], report)
        yield case("a TAN as password", 403, self.suite.entitled(), report)
        yield case("malformed password", 400, "0" * 36, report)
        yield case("malformed payload", 400, unknown, malformed(len(report)))
        yield case("a tested person's payload", 400, self._entitled_to_report(), payload())
        yield case("fake", 200, unknown, malformed(len(report)), "1")
        both = case("with a TAN, too", 400, unknown, report)
        both.request.headers.append(("cwa-authorization", str(uuid.uuid4())))
        yield both
        yield Case("self-report, by TAN", 400, upload_request(self.suite.entitled(), report), port)

    def _warnings(self, port):
        def case(name, status, tan, content, fake="0"):
            request = upload_request(tan, content, fake, "submission-on-behalf")
            return Case(f"upload on behalf, {name}", status, request, port)

        unknown = str(uuid.uuid4())
        warning = payload(0, reports=3, on_behalf=True)
        yield case("3 reports", 200, self.suite.entitled_to_warn(), warning)
        yield case("1 report", 200, self.suite.entitled_to_warn(), payload(0, reports=1, on_behalf=True))
        yield case("repeated", 200, *self.warned)
        # An upload without keys is the same upload if its TAN is: the first content stays.
        yield case("repeated with other reports", 200, self.warned[0], warning)
        yield case("TAN of a test", 403, self.suite.entitled(), warning)
        yield case("unknown TAN", 403, unknown, warning)
        yield case("a person's payload", 400, self.suite.entitled_to_warn(), payload())
        yield case("malformed payload", 400, unknown, malformed(len(warning)))
        yield case("fake", 200, unknown, malformed(len(warning)), "1")

    def _venue_reports(self, port):
        def case(name, status, tan, content, fake="0"):
            request = upload_request(tan, content, fake, "venue-reports")
            return Case(f"venue reports, {name}", status, request, port)

        unknown = str(uuid.uuid4())
        yield case("3 reports", 200, self.suite.entitled(), venue_payload())
        yield case("128 reports and 14 keys", 200, self.suite.entitled(), venue_payload(128, 14))
        yield case("keys alone", 200, self.suite.entitled(), venue_payload(0, 14))
        yield case("an organiser's", 200, self.suite.entitled_to_warn(), venue_payload(128, on_behalf=True))
        yield case("repeated", 200, *self.visited)
        yield case("TAN of a test for a warning", 403, self.suite.entitled(), venue_payload(3, on_behalf=True))
        yield case("unknown TAN", 403, unknown, venue_payload())
        yield case("TAN of another upload", 403, self.uploaded[0], venue_payload())
        yield case("nothing", 400, unknown, venue_payload(0))
        yield case("malformed payload", 400, unknown, malformed(len(venue_payload())))
        yield case("fake", 200, unknown, malformed(len(venue_payload())), "1")

    def _pushes(self, port):
        def case(name, token, device, status=200, **options):
            return Case(f"push, {name}", status, push_request(token, device, **options), port)

        known, other = (secrets.token_hex(32), str(uuid.uuid4())), str(uuid.uuid4())
        yield case("first", *known)
        yield case("repeated", *known)
        yield case("renewed with another token", secrets.token_hex(32), known[1])
        yield case("a token that another had", known[0], other, version=1)
        yield case("longest token", secrets.token_hex(100), str(uuid.uuid4()))
        yield case("Android", secrets.token_urlsafe(100), str(uuid.uuid4()), kind=1)
        yield case("sandbox", secrets.token_hex(32), str(uuid.uuid4()), kind=2)
        yield case("taken back", "", other)
        yield case("taken back once more", "", other)
        yield case("a token that is none", "x" * 64, str(uuid.uuid4()), 400)
        yield case("without a device", secrets.token_hex(32), "", 400)
        request = push_request("", "")
        request.body = malformed(len(request.body))
        yield Case("push, malformed", 400, request, port)

    def _passwords(self, port):
        def case(name, body, status=200, code=None, purpose="otp", fake="0"):
            members = {"errorCode": code} if code else {}
            return Case(f"password, {name}", status, evidence_request(f"android/{purpose}", body, fake), port, members)

        ask, strict = self.google.request, "EVALUATION_TYPE_HARDWARE_BACKED_REQUIRED"
        yield case("for a survey", ask(password()))
        yield case("for a log", ask(password()), purpose="els")
        yield case("for a self-report", ask(self._report_password(secrets.token_bytes(16))), purpose="srs")
        yield case("repeated", self.given)
        yield case("fake", donation_request(b"", b""), fake="1")
        yield case("a phone's second self-report", ask(self._report_password(self.phone)), 403, "DEVICE_QUOTA_EXCEEDED", "srs")
        yield case("used salt", ask(password(), self.used_salt), 403, "SALT_REDEEMED")
        yield case("another payload", ask(password(), covers=password()), 403, "NONCE_MISMATCH")
        yield case("stale", ask(password(), age=3600), 403, "ATTESTATION_EXPIRED")
        yield case("another app", ask(password(), package="org.example"), 403, "APK_PACKAGE_NAME_MISMATCH")
        yield case("another signer", ask(password(), signer="A" * 43), 403, "APK_CERTIFICATE_MISMATCH")
        yield case("a device that is none", ask(password(), device=()), 403, "BASIC_INTEGRITY_REQUIRED")
        yield case("a rooted device", ask(password(), device=google.BASIC), 403, "CTS_PROFILE_MATCH_REQUIRED")
        yield case("a weak device", ask(password(), device=google.STRONG[:2]), 403, strict, "els")
        yield case("forged", self.forger.request(password()), 401, "JWS_SIGNATURE_VERIFICATION_FAILED")
        yield case("without evidence", donation_request(b"", password()), 400, "MISSING_MANDATORY_AUTHENTICATION_FIELDS")
        yield case("no UUID", ask(one_time_password("0" * 36)), 400, "DEVICE_TOKEN_SYNTAX_ERROR")
        yield case("malformed", malformed(len(self.given)), 400, "DEVICE_TOKEN_SYNTAX_ERROR")

    def _donations(self, port):
        def case(name, body, status=200, code=None, fake="0"):
            members = {"errorCode": code} if code else {}
            return Case(f"donation, {name}", status, evidence_request("android/dat", body, fake), port, members)

        ask, data = self.google.request, analytics_data()
        yield case("without encounters", ask(data))
        yield case("50 encounters", ask(analytics_data(windows=50)))
        if time.time() % 3600 < 3600 - UNTIL_THE_FOLD:
            yield case("repeated", self._donate("android/dat", ask(data)))
        yield case("fake", donation_request(b"", data), fake="1")
        yield case("used salt", ask(data, self.used_salt), 403, "SALT_REDEEMED")
        yield case("another payload", ask(data, covers=analytics_data(windows=1)), 403, "NONCE_MISMATCH")
        yield case("forged", self.forger.request(data), 401, "JWS_SIGNATURE_VERIFICATION_FAILED")
        yield case("against a rule", ask(analytics_data(risks=2)), 400)
        yield case("without evidence", donation_request(b"", data), 400, "MISSING_MANDATORY_AUTHENTICATION_FIELDS")
        yield case("malformed", malformed(len(self.given)), 400, "DEVICE_TOKEN_SYNTAX_ERROR")

    @staticmethod
    def _of_iphone(name, body, status=200, code=None, purpose="otp", fake="0", *, port):
        request = evidence_request(f"ios/{purpose}", body, fake)
        return Case(f"iPhone, {name}", status, request, port, {"errorCode": code} if code else {})

    def _malformed_evidence(self, port):
        def case(name, evidence, status=400, code="DEVICE_TOKEN_SYNTAX_ERROR", purpose="otp", content=None):
            return self._of_iphone(name, donation_request(evidence, content or password()), status, code, purpose, port=port)

        month = str(uuid.uuid4())
        yield case("password without evidence", b"")
        yield case("password with a token that is none", ios_authentication("!", month))
        yield case("password with a month's token that is none", ios_authentication("AAAA", "0"))
        yield case("password, no UUID", ios_authentication("AAAA", month), content=one_time_password("0" * 36))
        yield case("self-report without evidence", b"", purpose="srs")
        yield case("password with a stale assertion", ios_authentication(assertion=bytes(64)), 403, "ATTESTATION_EXPIRED")
        yield case("donation without evidence", b"", purpose="dat", content=analytics_data(is_ios=True))
        yield Case("iPhone, challenge", 200, Request("/version/v1/ios/challenge", [], method="GET"), port)

    def _app_attest(self, port):
        def case(name, *rest, **options):
            return self._of_iphone(f"App Attest: {name}", *rest, **options, port=port)

        first, data, invalid = self.apple.first_request, analytics_data(is_ios=True), "DEVICE_TOKEN_INVALID"
        yield case("password for a survey, new key", first(password()))
        yield case("password for a log, known key", self.apple.request(password(), self._known_key()), purpose="els")
        token = self.device_check.token(str(uuid.uuid4()))
        report = self.apple.request(password(), self._known_key(), device_token=token)
        yield case("password for a self-report", report, purpose="srs")
        yield case("repeated", self.given_to_iphone)
        yield case("donation", first(data), purpose="dat")
        yield case("50 encounters", first(analytics_data(windows=50, is_ios=True)), purpose="dat")
        for purpose in ("otp", "els", "srs", "dat"):
            yield case(f"fake {purpose}", donation_request(b"", password()), purpose=purpose, fake="1")
        # A refused assertion doesn't count.
        again = {"key": self.key, "counter": self.key.counter + 1}
        yield case("second survey", self.apple.request(password(), **again), 429, "API_TOKEN_QUOTA_EXCEEDED")
        yield case("second donation", self.apple.request(data, **again), 429, "API_TOKEN_QUOTA_EXCEEDED", "dat")
        yield case("used counter", self.apple.request(password(), self.key, 1), 403, "DEVICE_TOKEN_REDEEMED", "els")
        yield case("another payload", first(password(), covers=password()), 401, invalid)
        yield case("another authority", self.other_apple.first_request(password()), 401, invalid, "els")
        yield case("unknown key", self.apple.request(password(), apple.Key()), 400, "DEVICE_TOKEN_SYNTAX_ERROR")
        yield case("against a rule", first(analytics_data(risks=2, is_ios=True)), 400, purpose="dat")

    def _device_check(self, port):
        """In Apple's place is a program of the suite."""
        def case(name, *rest, **options):
            return self._of_iphone(f"DeviceCheck: {name}", *rest, **options, port=port)

        def ask(content, device=None, month=None):
            return self.device_check.request(content, device or str(uuid.uuid4()), month or str(uuid.uuid4()))

        yield case("password for a survey", ask(password()))
        yield case("password for a log", ask(password()), purpose="els")
        yield case("password for a self-report", ask(password()), purpose="srs")
        yield case("donation", ask(analytics_data(is_ios=True)), purpose="dat")
        for purpose in ("otp", "srs"):
            again = ask(password(), self.device, self.month)
            yield case(f"second {purpose}", again, 429, "API_TOKEN_QUOTA_EXCEEDED", purpose)
        yield case("another month's token", ask(password(), self._marked_device()), 403, "API_TOKEN_ALREADY_ISSUED")
        yield case("used token", self._with_token(password(), self.used_token), 403, "DEVICE_TOKEN_REDEEMED", "els")
        yield case("blocked", ask(password(), self.blocked), 401, "DEVICE_BLOCKED", "els")
        nobody = base64.b64encode(secrets.token_bytes(2100)).decode()
        yield case("a token of no device", self._with_token(password(), nobody), 400, "DEVICE_TOKEN_INVALID", "els")

    def _marked_device(self):
        """One whose app has a token for this month."""
        device = str(uuid.uuid4())
        self._donate("ios/otp", self.device_check.request(password(), device, str(uuid.uuid4())))
        return device

    @staticmethod
    def _malformed(name, operation, port):
        request = app_request(operation, {})
        request.body = b"{" * len(request.body)
        return Case(f"{name}, malformed", 400, request, port)

    @staticmethod
    def one_of_each_route(name, status, port):
        """The same outcome on every route, whatever is asked for."""
        token = {"registrationToken": str(uuid.uuid4())}
        requests = {
            "registration": app_request("registrationToken", {"key": fresh_guid(), "keyType": "GUID"}),
            "result": app_request("testresult", token), "TAN": app_request("tan", token),
            "upload": upload_request(str(uuid.uuid4()), payload()),
            "upload on behalf": upload_request(str(uuid.uuid4()), payload(0, 3, True), "0", "submission-on-behalf"),
            "upload of venue reports": upload_request(str(uuid.uuid4()), venue_payload(), "0", "venue-reports"),
            "fake upload": upload_request(str(uuid.uuid4()), payload(), "1"),
            "upload of a self-report": upload_request(str(uuid.uuid4()), payload(is_self_report=True), field="cwa-otp"),
            "push": push_request(secrets.token_hex(32), str(uuid.uuid4())),
            "password": evidence_request("android/otp", donation_request(b"", password())),
            "donation": evidence_request("android/dat", donation_request(b"", analytics_data())),
            "iPhone's password": evidence_request("ios/otp", donation_request(b"", password())),
            "health report": Request(further.REPORT, [further.JSON], further.body(further.record())),
            "health batch": Request(further.BATCHES, [further.JSON], further.body(further.batch())),
            "health key": Request(further.KEYS, [further.JSON], further.Key().registration()),
        }
        return [Case(f"{route}, {name}", status, request, port) for route, request in requests.items()]

    def of_the_proxy(self, port):
        """Refusals that no service decides."""
        for case in self.one_of_each_route("GET", 405, port):
            case.request.method, case.request.body = "GET", b""
            yield case
        for case in self.one_of_each_route("text/plain", 415, port):
            case.request.headers[0] = ("content-type", "text/plain")
            yield case
        for case in self.one_of_each_route("too large", 413, port):
            case.request.body = bytes(10_001)
            if any(word in case.name for word in ("upload", "password", "donation", "health key")):
                case.request.body = bytes(200_001 if "donation" in case.name else 100_001)
                # They are larger than HTTP/2's windows: what the server sends meanwhile depends on when, not on what.
                case.protocol = "HTTP/1.1"
            yield case
        for case in self.one_of_each_route("connection: close", None, port):
            case.request.headers.append(("connection", "close"))
            case.status, case.protocol = (200 if any(word in case.name for word in ("fake", "push", "health")) else 403 if "upload" in case.name else
                                          201 if "registration" in case.name else 400), "HTTP/1.1"
            yield case
        for name, status, (old, new) in (
                ("without host", 400, (b"host: localhost\r\n", b"")),
                ("header that is none", 400, (b"host", b"x y z\r\nhost")),
                ("header too long", 431, (b"host", b"x: " + b"X" * 9000 + b"\r\nhost")),
                ("version 2.0", 505, (b"HTTP/1.1", b"HTTP/2.0"))):
            for case in self.one_of_each_route(name, status, port):
                case.request.raw = http1.encode(case.request).replace(old, new, 1)
                case.protocol = "HTTP/1.1"
                yield case

    def unfinished(self, port):
        """Bodies whose last byte is waited for in vain."""
        for case in self.one_of_each_route("unfinished", 408, port):
            case.request.ends = False
            yield case


# MARK: The exchanges

class Client:
    """Makes exchanges, always in the same manner."""

    def __init__(self, suite, target):
        self.suite = suite
        self.target = target

    def alone(self, version, protocol, case):
        """A connection for this case only."""
        seen, connection, speaker = self._connect(version, protocol, case.port, case.source)
        try:
            self._exchange(speaker, seen, case)
            connection.finish()
        finally:
            connection.close()
        seen.received = connection.received
        # Over HTTP/2 the server then says, after its answer, that it wants no more of the stream.
        seen.situation = "alone" if case.request.ends else "never finished"
        return seen

    def kept(self, version, protocol, cases):
        """A connection for several cases."""
        seen, connection, speaker = self._connect(version, protocol, cases[0].port)
        try:
            speaker.open()
            seen.opening_end = connection.received
            for case in cases:
                self._exchange(speaker, seen, case)
            connection.finish()
        finally:
            connection.close()
        seen.received = connection.received
        return seen

    # Each port once, so that no connection is taken for another; below those that the system gives away.
    _ports = itertools.count(2000)

    def together(self, version, protocol, cases):
        """A connection for several cases that are asked for before the first is answered."""
        seen, connection, speaker = self._connect(version, protocol, cases[0].port)
        try:
            speaker.open()
            seen.opening_end = connection.received
            for case, answer in zip(cases, speaker.exchange_together([case.request for case in cases])):
                self._judge(seen, case, answer)
            # Which answer came first doesn't matter: they are one exchange.
            seen.exchanges = [(", ".join(case.name for case in cases), connection.received)]
            connection.finish()
        finally:
            connection.close()
        seen.received = connection.received
        seen.situation = f"{len(cases)} together"
        return seen

    def _connect(self, version, protocol, port, source=None):
        context = self.suite.app_context(PROTOCOLS[protocol].protocols, VERSIONS[version])
        connection = Connection(port, context, source=(source or "127.0.0.1", next(self._ports)))
        seen = Seen(self.target, version, protocol, port, connection.local_port, connection.handshake_end)
        return seen, connection, PROTOCOLS[protocol](connection)

    def _exchange(self, speaker, seen, case):
        try:
            answer = speaker.exchange(case.request)
        except (OSError, ssl.SSLError) as error:
            raise Unexpected(f"{seen.version}, {seen.protocol}, {case.name}: no answer: {error}.") from error
        self._judge(seen, case, answer)

    def _judge(self, seen, case, answer):
        seen.wanted.append(case.name)
        if answer.status == 503 != case.status:
            # On a machine that has much else to do. Its size counts, too; the class must be seen another time.
            seen.exchanges.append(("a service that was too slow", answer.end))
            return
        if answer.status != case.status:
            raise Unexpected(f"{seen.version}, {seen.protocol}, {case.name}: {answer.status}, not {case.status}.")
        if case.members:
            found = json.loads(answer.body)
            if any(found.get(name) != value for name, value in case.members.items()):
                raise Unexpected(f"{case.name}: the answer is another than its class has.")
        seen.exchanges.append((case.name, answer.end))


def all_variants():
    return [(version, protocol) for version in VERSIONS for protocol in PROTOCOLS]


def batches(cases, count):
    """The cases in their order, at most `count` at a time, of which the bodies fit on one connection."""
    batch = []
    for case in cases:
        size = sum(len(each.request.body) for each in (*batch, case))
        if batch and (len(batch) == count or size > BODIES):
            yield batch
            batch = []
        batch.append(case)
    if batch:
        yield batch


def run(suite, target, make_cases, kept_rounds, extra=()):
    """Every class alone, and in `kept_rounds` rounds among others. `extra` are only tried alone."""
    client = Client(suite, target)
    jobs = []
    for variant in all_variants():
        for make in (make_cases, *extra):
            jobs += [(client.alone, *variant, case) for case in make() if case.protocol in (None, variant[1])]
        for _ in range(kept_rounds):
            cases = list(make_cases())
            random.shuffle(cases)
            jobs += [(client.kept, *variant, batch) for batch in batches(cases, KEPT)]
        cases = list(make_cases())
        random.shuffle(cases)
        jobs += [(client.together, *variant, batch) for batch in batches(cases, TOGETHER) if len(batch) == TOGETHER]
    random.shuffle(jobs)
    return at_once(jobs)


def at_once(jobs, workers=8):
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(*job) for job in jobs]
        return [future.result() for future in futures]


def in_vain(suite, cases_of):
    """Exchanges that the proxy ends when it has waited long enough, all at once."""
    client = Client(suite, "proxy")
    jobs = [(client.alone, *variant, case) for variant in all_variants() for case in cases_of()]
    return at_once(jobs, len(jobs))


def while_stopped(suite, proxy):
    """Exchanges while the services exist but don't answer."""
    client = Client(suite, "proxy")
    jobs = []
    for variant in all_variants():
        cases = Classes.one_of_each_route("services hang", 503, proxy)
        jobs += [(client.alone, *variant, case) for case in cases]
    stopped = [suite.process(name) for name in (
        "verification-server", "submission-server", "push-dispatcher", "data-donation", "further")]
    try:
        for process in stopped:
            os.kill(process, signal.SIGSTOP)
        return at_once(jobs, len(jobs))
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)


def over_the_limit(suite):
    """Exchanges of an address prefix that may register no more, and so gets 429."""
    client = Client(suite, "proxy")
    prefixes = (f"127.9.{number}.1" for number in range(1, 250))
    found = []
    for variant in all_variants():
        source = next(prefixes)
        def case(status):
            request = app_request("registrationToken", {"key": fresh_guid(), "keyType": "GUID"})
            return Case("registration, " + ("too many" if status == 429 else "services away"), status, request,
                        neighbours.SECOND_PROXY, source=source)
        found += at_once([(client.alone, *variant, case(503)) for _ in range(REGISTRATIONS)], REGISTRATIONS)
        found += at_once([(client.alone, *variant, case(429)) for _ in range(2)])
    return found


# MARK: What the wire shows

class Sequences:
    """Sequences of record lengths, and which classes had them, for each situation that must have one only."""

    def __init__(self):
        self.found = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
        self.handshakes = collections.defaultdict(collections.Counter)

    def add(self, seen, stream):
        records = capture.records(stream.content[:seen.received])
        lengths = [(offset, f"{length}" if kind == 23 else f"{length}/type {kind}") for offset, kind, length in records]
        situation = f"{seen.version}, {seen.protocol}"

        def between(start, end):
            return tuple(length for offset, length in lengths if start <= offset < end)

        self.handshakes[situation][tuple(
            (kind, length) for offset, kind, length in records if offset < seen.handshake_end)] += 1
        end = seen.opening_end or seen.handshake_end
        if seen.opening_end:
            self._count(situation + ", opening", between(seen.handshake_end, end), "every connection")
            for name, exchange_end in seen.exchanges:
                packets = sum(end <= offset < exchange_end for offset in stream.packets)
                sequence = between(end, exchange_end)
                if seen.situation != "alone":
                    self._count(f"{situation}, {seen.situation}", sequence, name)
                else:
                    packets = f"in {packets} packets" if packets > 1 else "in 1 packet"
                    self._count(situation + ", on a kept connection", (*sequence, packets), name)
                end = exchange_end
            self._count(situation + ", closing", between(end, seen.received), "every connection")
        else:
            self._count(f"{situation}, {seen.situation}", between(end, seen.received), seen.exchanges[0][0])

    def _count(self, situation, sequence, name):
        self.found[situation][sequence][name] += 1

    def problems(self):
        for situation, sequences in sorted(self.found.items()):
            if len(sequences) > 1:
                lines = [f"{situation}: {len(sequences)} sequences of record lengths:"]
                for sequence, names in sorted(sequences.items(), key=lambda entry: -sum(entry[1].values())):
                    lines.append(f"    {' '.join(sequence) or 'nothing'}: {shortened(names)}")
                yield "\n".join(lines)
        for situation, sequences in sorted(self.handshakes.items()):
            if not self._is_one_handshake(sequences):
                lines = [" ".join(f"{length}/type {kind}" for kind, length in sequence) for sequence in sequences]
                yield f"{situation}: handshakes differ in more than a signature's length:\n    " + "\n    ".join(lines)

    @staticmethod
    def _is_one_handshake(sequences):
        if len({tuple(kind for kind, _ in sequence) for sequence in sequences}) != 1:
            return False
        spreads = [max(column) - min(column) for column in zip(*([length for _, length in one] for one in sequences))]
        return sum(spread > 0 for spread in spreads) <= 1 and max(spreads) <= SIGNATURE_SPREAD

    def summary(self):
        for situation, sequences in sorted(self.found.items()):
            for sequence, names in sequences.items():
                yield (f"{situation}: {' '.join(sequence) or 'nothing'} "
                       f"({len(names)} classes, {sum(names.values())} exchanges)")
        for situation, sequences in sorted(self.handshakes.items()):
            columns = zip(*([length for _, length in one] for one in sequences))
            spans = " ".join("–".join(map(str, sorted({min(column), max(column)}))) for column in columns)
            yield f"{situation}, handshake: {spans} ({sum(sequences.values())} connections)"

    def differing(self):
        """The situations of exchanges in which there is more than one sequence."""
        return {name for name, sequences in self.found.items()
                if len(sequences) > 1 and name.endswith(("alone", "kept connection"))}


def shortened(names):
    shown = sorted(names)
    return "; ".join(shown[:6]) + (f"; and {len(shown) - 6} more" if len(shown) > 6 else "")


def never_in_time(seen):
    """Which classes were not seen at all with some version of TLS and HTTP."""
    wanted, had = set(), set()
    for one in seen:
        variant = f"{one.version}, {one.protocol}: "
        wanted |= {variant + name for name in one.wanted}
        if "together" not in one.situation:
            had |= {variant + name for name, _ in one.exchanges}
    return wanted - had


def main(state, folder, programs, nginx):
    folder = pathlib.Path(folder)
    suite = Suite(state, programs)
    proxy = suite.port("metadata-proxy")
    classes = Classes(suite)
    targets = (suite.port("verification-server", "app"), suite.port("submission-server"), suite.port("push-dispatcher"),
               suite.port("data-donation", "app"), suite.port("further", "app"))
    with (neighbours.nginx(nginx, suite, folder / "nginx", *targets),
          neighbours.proxy(suite, folder / "second-proxy.log", neighbours.SECOND_PROXY,
                           limits__registrations=REGISTRATIONS),
          capture.Capture(folder / "sizes.pcap", [proxy, neighbours.SECOND_PROXY, neighbours.NGINX]) as wire,
          concurrent.futures.ThreadPoolExecutor(1) as beside):
        waiting = beside.submit(in_vain, suite, lambda: classes.unfinished(proxy))
        seen = run(suite, "nginx", lambda: classes.of_services(neighbours.NGINX), 1)
        seen += run(
            suite, "proxy", lambda: classes.of_services(proxy), 2,
            extra=[lambda: classes.of_the_proxy(proxy),
                   lambda: classes.one_of_each_route("services away", 503, neighbours.SECOND_PROXY)])
        seen += waiting.result()
        seen += over_the_limit(suite)
        seen += while_stopped(suite, proxy)
        streams = wire.complete({(one.port, one.local_port): one.received for one in seen})

    found = {"proxy": Sequences(), "nginx": Sequences()}
    for one in seen:
        found[one.target].add(one, streams[one.port, one.local_port])

    wanted = len(all_variants()) * 2
    if len(found["nginx"].differing()) != wanted:
        sys.exit("The control failed: nginx in the proxy's place must have several sequences in every situation.")
    control = max(len(sequences) for sequences in found["nginx"].found.values())
    print(f"Control: nginx in the same place has up to {control} sequences of record lengths in a situation.")
    missing = never_in_time(one for one in seen if one.target == "proxy")
    if missing:
        raise Unexpected("The machine is too slow: these classes were never answered in time: " + shortened(missing) + ".")
    problems = list(found["proxy"].problems())
    if problems:
        sys.exit("\n".join(problems) + "\nRecord lengths tell classes apart: see above.")
    for line in found["proxy"].summary():
        print(line)
    single = [one for one in seen if one.target == "proxy" and "together" not in one.situation]
    names = {name for one in single for name, _ in one.exchanges}
    print(f"ONE SIZE: {len(names)} classes, {sum(len(one.exchanges) for one in single)} exchanges one by one, "
          "one sequence of record lengths in each situation.")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Unexpected as problem:
        sys.exit(str(problem))
