"""A suite that `vigil up` runs, as labs, officers and phones see it from inside: what brings it into a known state."""

import hashlib
import http.client
import json
import os
import pathlib
import secrets
import ssl
import subprocess
import time
import uuid


class Unexpected(Exception):
    """Something isn't as it must be for the check to mean anything."""


class Suite:
    """The services of one state folder, called without the proxy, with the certificates of those who may."""

    def __init__(self, state, vigil):
        self.state = pathlib.Path(state)
        self.vigil = vigil
        self.configuration = {
            file.stem: json.loads(file.read_text()) for file in sorted((self.state / "config").glob("*.json"))
        }
        self.authority = str(self.state / "certificates" / "ca.pem")
        self._connections = {}
        self._officers = {}

    def port(self, service, listener="listen"):
        return self.configuration[service][listener]["port"]

    def certificate(self, name):
        folder = self.state / "certificates"
        return str(folder / f"{name}.pem"), str(folder / f"{name}.key")

    def process(self, service):
        """The process id of a service, which is known by the configuration file on its command line."""
        wanted = os.fsencode(self.state / "config" / f"{service}.json")
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                arguments = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if wanted in arguments and arguments[0].endswith(service.encode()):
                return int(folder.name)
        raise Unexpected(f"No process runs with the configuration of {service}.")

    def call(self, role, port, path, body, headers=None):
        """One POST with a role's certificate. Returns the status and the decoded body, if there is one."""
        connection = self._connections.get((role, port))
        if connection is None:
            context = ssl.create_default_context(cafile=self.authority)
            context.load_cert_chain(*self.certificate(role))
            connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=15, context=context)
            self._connections[role, port] = connection
        content = b"" if body is None else json.dumps(body).encode()
        fields = {"content-type": "application/json"} if body is not None else {}
        connection.request("POST", path, content, fields | (headers or {}))
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None

    def _must(self, wanted, role, port, path, body, headers=None):
        status, answer = self.call(role, port, path, body, headers)
        if status != wanted:
            raise Unexpected(f"{role}: POST {path} was answered with {status}, not {wanted}.")
        return answer

    # MARK: What people do

    def post_result(self, test, result, lab_id=None, kind="lab"):
        """A lab ("lab") posts under the hash of the id, a centre ("quicktest") under the id itself."""
        batch = {"testResults": [{"id": test, "result": result, "sc": int(time.time()) - 3600}]}
        if lab_id is not None:
            batch["labId"] = lab_id
        role = {"lab": "lab", "quicktest": "quick-test"}[kind]
        self._must(204, role, self.port("test-result-server", "laboratories"), f"/api/v1/{kind}/results", batch)

    def register(self, key, key_type="GUID", birth_date=None):
        """Returns the registration token."""
        body = {"key": key, "keyType": key_type}
        if birth_date is not None:
            body["keyDob"] = birth_date
        return self._app(201, "registrationToken", body)["registrationToken"]

    def tan(self, token):
        return self._app(201, "tan", {"registrationToken": token})["tan"]

    def _app(self, wanted, operation, body):
        port = self.port("verification-server", "app")
        return self._must(wanted, "metadata-proxy", port, f"/version/v1/{operation}", body, {"cwa-fake": "0"})

    def teletan(self, kind="TEST"):
        """kind: TEST, or EVENT for warnings on behalf."""
        if kind not in self._officers:
            role = {"TEST": "c19hotline", "EVENT": "c19hotline_event"}[kind]
            command = [self.vigil, "keys", "officer-token", "--state", str(self.state), "--role", role]
            self._officers[kind] = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        port = self.port("verification-server", "portal")
        headers = {"authorization": f"Bearer {self._officers[kind]}", "x-cwa-teletan-type": kind}
        return self._must(201, "portal", port, "/version/v1/tan/teletan", None, headers)["value"]

    def tested(self, result=None, lab_id=None):
        """Registers a test, which has a result or not, and returns its registration token."""
        guid = fresh_guid()
        if result is not None:
            self.post_result(guid, result, lab_id)
        return self.register(guid)

    def entitled(self):
        """A TAN that nobody has used."""
        return self.tan(self.tested(result=2))

    def entitled_to_warn(self):
        """A TAN of an event that nobody has used."""
        return self.tan(self.register(self.teletan("EVENT"), "TELETAN"))

    def upload(self, tan, payload, operation="diagnosis-keys"):
        """Spends a TAN without the proxy."""
        context = ssl.create_default_context(cafile=self.authority)
        context.load_cert_chain(*self.certificate("metadata-proxy"))
        port = self.port("submission-server")
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=15, context=context)
        fields = {"content-type": "application/x-protobuf", "cwa-authorization": tan, "cwa-fake": "0"}
        connection.request("POST", f"/version/v1/{operation}", payload, fields)
        status = connection.getresponse().status
        connection.close()
        if status != 200:
            raise Unexpected(f"An upload with a good TAN was answered with {status}.")


def fresh_guid():
    """The hash that a phone makes of the id in its QR code."""
    return hashlib.sha256(uuid.uuid4().bytes).hexdigest()


# MARK: Messages of one length

JSON_LENGTH = 250
UPLOAD_LENGTH = 1200
PUSH_LENGTH = 512


def json_body(members, padding=""):
    """Always 250 bytes, as the apps pad theirs. The padding begins with the given text."""
    bare = len(json.dumps(members | {"requestPadding": padding}))
    if bare > JSON_LENGTH:
        raise Unexpected("A request is longer than its padding allows.")
    return json.dumps(members | {"requestPadding": padding + "X" * (JSON_LENGTH - bare)}).encode()


def payload(keys=14, reports=0, on_behalf=False):
    """A serialised SubmissionPayload (Shared/Formats/ExposureFormat/Protobuf/protos) of 1,200 bytes."""
    today = int(time.time()) // 86400
    content = b""
    for age in range(1, keys + 1):
        key = _bytes(1, secrets.token_bytes(16)) + _number(2, 6) + _number(3, (today - age) * 144) + _number(4, 144)
        # Days since onset are zigzag-encoded: 4000 - age.
        content += _bytes(1, key + _number(5, 1) + _number(6, 2 * (4000 - age)))
    # A host's warning (submissionType 2) has neither countries nor consent, and all its reports are of one venue.
    content += _bytes(4, b"DE") + (_number(7, 2) if on_behalf else _bytes(3, b"DE") + _number(5, 1))
    venue = secrets.token_bytes(32)
    for _ in range(reports):
        parts = (venue if on_behalf else secrets.token_bytes(32), *map(secrets.token_bytes, (16, 16, 32)))
        content += _bytes(8, b"".join(_bytes(field, part) for field, part in enumerate(parts, 1)))
    # The padding's own tag and length take three bytes.
    return content + _bytes(2, bytes(UPLOAD_LENGTH - 3 - len(content)))


def push_registration(token, device, kind=0):
    """A serialised PushRegistration (Shared/Formats/PushFormat/Protobuf/protos) of 512 bytes; without a token it takes one back.

    kind: 0 is APNs, 1 Android, 2 APNs's sandbox.
    """
    content = _number(1, 1) + (_bytes(2, token.encode()) if token else b"") + (_number(3, kind) if kind else b"")
    content += _bytes(4, device.encode())
    # The padding's own tag and length take four bytes.
    return content + _bytes(100, bytes(PUSH_LENGTH - 4 - len(content)))


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
