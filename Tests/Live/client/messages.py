"""Messages of the contract, each of one length for its kind, as the apps pad theirs."""

import base64
import hashlib
import json
import secrets
import time
import uuid

JSON_LENGTH = 250
UPLOAD_LENGTH = 1200
VENUE_UPLOAD_LENGTH = 8192
PUSH_LENGTH = 512
DONATION_LENGTH = 4096


def fresh_guid():
    """The hash that a phone makes of the id in its QR code."""
    return hashlib.sha256(uuid.uuid4().bytes).hexdigest()


def json_body(members, padding=""):
    """The padding begins with the given text."""
    bare = len(json.dumps(members | {"requestPadding": padding}))
    if bare > JSON_LENGTH:
        raise ValueError("A request is longer than its padding allows.")
    return json.dumps(members | {"requestPadding": padding + "X" * (JSON_LENGTH - bare)}).encode()


def payload(
        keys=14, reports=0, on_behalf=False, is_self_report=False, length=UPLOAD_LENGTH, random_bytes=secrets.token_bytes):
    """A serialised SubmissionPayload, padded unless length is None (Shared/Formats/ExposureFormat/Protobuf/protos)."""
    today = int(time.time()) // 86400
    content = b""
    for age in range(1, keys + 1):
        key = _bytes(1, random_bytes(16)) + _number(2, 6) + _number(3, (today - age) * 144) + _number(4, 144)
        # Days since onset are zigzag-encoded: 4000 - age.
        content += _bytes(1, key + _number(5, 1) + _number(6, 2 * (4000 - age)))
    # A host's warning (submissionType 2) has neither countries nor consent, and all its reports are of one venue.
    content += _bytes(4, b"DE") + (_number(7, 2) if on_behalf else _bytes(3, b"DE") + _number(5, 1))
    # Of an unregistered rapid test, which a password authorises.
    content += _number(7, 5) if is_self_report else b""
    venue = random_bytes(32)
    for _ in range(reports):
        parts = (venue if on_behalf else random_bytes(32), *map(random_bytes, (16, 16, 32)))
        content += _bytes(8, b"".join(_bytes(field, part) for field, part in enumerate(parts, 1)))
    # The padding's own tag and length take three bytes. Within another message there is none.
    return content if length is None else content + _bytes(2, bytes(length - 3 - len(content)))


def venue_payload(reports=3, keys=0, on_behalf=False, random_bytes=secrets.token_bytes):
    """A serialised VenueReportUpload, which has one length."""
    content = _number(1, 1) + b"".join(_bytes(2, random_bytes(57)) for _ in range(reports))
    if keys or on_behalf:
        content += _bytes(4, payload(keys, on_behalf=on_behalf, length=None, random_bytes=random_bytes))
    # The padding's own tag and length take three bytes.
    return content + _bytes(3, bytes(VENUE_UPLOAD_LENGTH - 3 - len(content)))


def push_registration(token, device, kind=0):
    """A serialised PushRegistration (Shared/Formats/PushFormat/Protobuf/protos); without a token it takes one back.

    kind: 0 is APNs, 1 Android, 2 APNs's sandbox.
    """
    content = _number(1, 1) + (_bytes(2, token.encode()) if token else b"") + (_number(3, kind) if kind else b"")
    content += _bytes(4, device.encode())
    # The padding's own tag and length take four bytes.
    return content + _bytes(100, bytes(PUSH_LENGTH - 4 - len(content)))


def donation_request(authentication, content):
    """A serialised DonationRequest (Shared/Formats/DonationFormat/Protobuf/protos); its parts are serialised messages."""
    content = _bytes(1, authentication) + _bytes(2, content)
    # The padding's own tag and length take three bytes.
    return content + _bytes(3, bytes(DONATION_LENGTH - 3 - len(content)))


def android_authentication(salt, token):
    """A serialised AndroidAuthentication with a token of Play Integrity."""
    return _bytes(2, base64.b64encode(salt)) + _bytes(16, token.encode())


def ios_authentication(
        device_token="", month_token="", challenge=bytes(32), key_id=bytes(32), assertion=b"", attestation=b""):
    """A serialised IOSAuthentication; by default an assertion's challenge is of no hour, and its key isn't known."""
    content = _bytes(1, device_token.encode()) + _bytes(2, month_token.encode())
    if assertion:
        content += _bytes(16, challenge) + _bytes(17, key_id) + _bytes(18, assertion)
    return content + (_bytes(19, attestation) if attestation else b"")


def one_time_password(password, android_id=b""):
    """A serialised OneTimePassword."""
    return _bytes(1, password.encode()) + (_bytes(2, android_id) if android_id else b"")


def analytics_data(risks=1, windows=0, is_ios=False):
    """A serialised AnalyticsData; with more than one risk it breaks a rule."""
    today = int(time.time()) // 86400 * 86400
    content = _bytes(2, _number(1, 2) + _number(3, today)) * risks
    scan = _number(1, 30) + _number(2, 25) + _number(3, 300)
    content += _bytes(3, _bytes(1, _number(1, today) + _number(2, 1) + _number(3, 1) + _bytes(5, scan)) + _number(2, 6)) * windows
    # Versions of app and system, or of the app, the API and exposure notifications; then the state and the age.
    version = _number(1, 3) + _number(2, 2)
    client = _bytes(1, version) + (_bytes(2, version) if is_ios else _number(2, 33) + _number(3, 18_000_000))
    return content + _bytes(6, client) + _bytes(7, _number(1, 5) + _number(3, 2))


def malformed(length):
    """No protobuf message: wire type 7 doesn't exist."""
    return b"\xff" * length


def empty_payload(length):
    """A SubmissionPayload of padding only, as apps send it without keys."""
    return _bytes(2, bytes(length - 3))


def _varint(number):
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    return bytes(encoded) + bytes([number])


def _number(field, number):
    return _varint(field << 3) + _varint(number)


def _bytes(field, content):
    return _varint(field << 3 | 2) + _varint(len(content)) + content
