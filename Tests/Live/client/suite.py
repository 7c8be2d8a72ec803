"""A suite that `vigil-dev up` runs, as labs, officers and phones see it from inside."""

import http.client
import json
import os
import pathlib
import ssl
import subprocess
import time

from client import tls
from client.messages import fresh_guid


class Unexpected(Exception):
    """Something isn't as it must be for the check to mean anything."""


class Suite:
    """The services of one state folder, called without the proxy, with the certificates of those who may."""

    def __init__(self, state, programs):
        """`programs`: where `vigil-dev` and the services' executables are."""
        self.state, self.programs = pathlib.Path(state), pathlib.Path(programs)
        self.certificates = self.state / "certificates"
        self.authority = self.certificates / "ca.pem"
        self.configuration = {
            file.stem: json.loads(file.read_text()) for file in sorted((self.state / "config").glob("*.json"))
        }
        self._officers, self._contexts = {}, {}

    def public_listeners(self):
        """Where anybody can connect: pairs of service and listener."""
        return [tuple(name.split(".")) for name in self.configuration["suite"]["publicListeners"].split(",") if name]

    def port(self, service, listener="listen"):
        return self.configuration[service][listener]["port"]

    def certificate(self, name):
        """The files of a certificate and its key."""
        return self.certificates / f"{name}.pem", self.certificates / f"{name}.key"

    def app_context(self, protocols=("http/1.1",), version=None):
        return tls.app_context(self.authority, protocols, version)

    def holder_context(self, name):
        """How the holder of a certificate connects."""
        if name not in self._contexts:
            self._contexts[name] = self.app_context(())
            self._contexts[name].load_cert_chain(*self.certificate(name))
        return self._contexts[name]

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

    def post(self, wanted, role, port, path, body, media="application/json", headers=None):
        """One POST with a role's certificate, on a connection of its own. Returns the body; `wanted`: the status."""
        fields = {"content-type": media} if body is not None else {}
        return self._ask(wanted, role, port, "POST", path, body, fields | (headers or {}))

    def get(self, role, port, path):
        """One GET in the same manner."""
        return self._ask(200, role, port, "GET", path, None, {})

    def _ask(self, wanted, role, port, method, path, body, fields):
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=self.holder_context(role))
        try:
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status != wanted:
            raise Unexpected(f"{role}: {method} {path} was answered with {answer.status}, not {wanted}.")
        return content

    # MARK: What people do

    def post_results(self, tests, result, lab_id=None, kind="lab"):
        """A lab ("lab") posts under the hash of each id, a centre ("quicktest") under the id itself."""
        sample = int(time.time()) - 3600
        batch = {"testResults": [{"id": test, "result": result, "sc": sample} for test in tests]}
        if lab_id is not None:
            batch["labId"] = lab_id
        role = {"lab": "lab", "quicktest": "quick-test"}[kind]
        port = self.port("test-result-server", "laboratories")
        self.post(204, role, port, f"/api/v1/{kind}/results", json.dumps(batch).encode())

    def register(self, key, key_type="GUID", birth_date=None):
        """Returns the registration token."""
        body = {"key": key, "keyType": key_type}
        if birth_date is not None:
            body["keyDob"] = birth_date
        return self._app(201, "registrationToken", body)["registrationToken"]

    def tan(self, token):
        return self._app(201, "tan", {"registrationToken": token})["tan"]

    def _app(self, wanted, operation, body):
        port, path = self.port("verification-server", "app"), f"/version/v1/{operation}"
        content = json.dumps(body).encode()
        return json.loads(self.post(wanted, "metadata-proxy", port, path, content, headers={"cwa-fake": "0"}))

    def teletan(self, kind="TEST"):
        """kind: TEST, or EVENT for warnings on behalf."""
        if kind not in self._officers:
            role = {"TEST": "c19hotline", "EVENT": "c19hotline_event"}[kind]
            command = [self.programs / "vigil-dev", "officer-token", "--state", self.state, "--role", role]
            self._officers[kind] = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        port = self.port("verification-server", "portal")
        headers = {"authorization": f"Bearer {self._officers[kind]}", "x-cwa-teletan-type": kind}
        return json.loads(self.post(201, "portal", port, "/version/v1/tan/teletan", None, headers=headers))["value"]

    def tested(self, result=None, lab_id=None):
        """Registers a test, which has a result or not, and returns its registration token."""
        guid = fresh_guid()
        if result is not None:
            self.post_results([guid], result, lab_id)
        return self.register(guid)

    def entitled(self):
        """A TAN that hasn't been used."""
        return self.tan(self.tested(result=2))

    def entitled_to_warn(self):
        """A TAN for a warning on behalf that hasn't been used."""
        return self.tan(self.register(self.teletan("EVENT"), "TELETAN"))

    def upload(self, tan, payload, operation="diagnosis-keys", field="cwa-authorization"):
        """Spends a TAN, or with the field `cwa-otp` a password, without the proxy."""
        self.post(200, "metadata-proxy", self.port("submission-server"), f"/version/v1/{operation}", payload,
                  "application/x-protobuf", {field: tan, "cwa-fake": "0"})
