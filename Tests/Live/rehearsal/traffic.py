"""Phones, laboratories, officers and downloads, until SIGTERM: none of their requests may fail, and none is repeated.

Arguments: the folder of callers' certificates, and the doors of apps, portal, labs and downloads, such as
`apps=localhost:8000`. The variable `officer` has an officer's token; without it no officer asks. Each request has a
connection of its own, as those of phones have. Ends with 1 if a request failed.
"""

import http.client
import json
import os
import pathlib
import secrets
import signal
import ssl
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from client.messages import fresh_guid, json_body, payload, push_registration

PHONES = 2
# An officer may ask for 60 teleTANs an hour.
OFFICER_PAUSE = 10


class Failed(Exception):
    """A request wasn't answered as it must be."""


class Traffic:
    """What is counted, and how each kind of caller asks."""

    def __init__(self, callers, doors):
        self.callers = pathlib.Path(callers)
        self.doors = dict(door.split("=") for door in doors)
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self.requests, self.failures, self.slowest = 0, 0, 0.0

    def _context(self, caller):
        # Read anew each time: certificates may change while the traffic goes on.
        context = ssl.create_default_context(cafile=self.callers / "ca.pem")
        if caller:
            context.load_cert_chain(self.callers / caller / "tls.pem", self.callers / caller / "tls.key")
        return context

    def _ask(self, wanted, door, method, path, body=None, fields=None, caller=None):
        """One request on a connection of its own. Returns the body of the answer."""
        start = time.monotonic()
        try:
            context = self._context(caller)
            connection = http.client.HTTPSConnection(self.doors[door], timeout=15, context=context)
            connection.request(method, path, body, fields or {})
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            flaw = None if answer.status == wanted else f"status {answer.status}"
        except (OSError, http.client.HTTPException) as error:
            flaw = f"{type(error).__name__}: {error}"
        took = time.monotonic() - start
        with self._lock:
            self.requests += 1
            self.slowest = max(self.slowest, took)
            if flaw:
                self.failures += 1
                print(f"{time.strftime('%T')} FAILED after {took:.2f} s: {method} {path}: {flaw}", flush=True)
        if flaw:
            raise Failed
        return content

    def _app(self, wanted, operation, members):
        fields = {"content-type": "application/json", "cwa-fake": "0"}
        content = self._ask(wanted, "apps", "POST", f"/version/v1/{operation}", json_body(members), fields)
        return json.loads(content)

    # MARK: Who asks

    def phone(self):
        """A positive test, from the laboratory's result to the upload, and a registration for push."""
        guid = fresh_guid()
        batch = json.dumps({"testResults": [{"id": guid, "result": 2}]}).encode()
        self._ask(204, "labs", "POST", "/api/v1/lab/results", batch, {"content-type": "application/json"}, "lab")
        token = self._app(201, "registrationToken", {"key": guid, "keyType": "GUID"})["registrationToken"]
        if self._app(200, "testresult", {"registrationToken": token})["testResult"] != 2:
            raise Failed
        tan = self._app(201, "tan", {"registrationToken": token})["tan"]
        fields = {"content-type": "application/x-protobuf", "cwa-authorization": tan, "cwa-fake": "0"}
        self._ask(200, "apps", "POST", "/version/v1/diagnosis-keys", payload(), fields)
        registration = push_registration(secrets.token_hex(32), secrets.token_hex(16))
        self._ask(200, "apps", "POST", "/v3/register", registration, {"content-type": "application/x-protobuf"})

    def officer(self):
        """Requests a teleTAN, and redeems it as an app."""
        fields = {"authorization": f"Bearer {os.environ['officer']}", "x-cwa-teletan-type": "TEST"}
        answer = self._ask(201, "portal", "POST", "/version/v1/tan/teletan", None, fields, "portal")
        self._app(201, "registrationToken", {"key": json.loads(answer)["value"], "keyType": "TELETAN"})
        self.ended.wait(OFFICER_PAUSE)

    def download(self):
        self._ask(200, "downloads", "GET", "/version/v1/diagnosis-keys/country/DE/date")
        self.ended.wait(0.1)

    def repeat(self, caller):
        while not self.ended.is_set():
            try:
                caller()
            except Failed:
                self.ended.wait(0.2)


def main():
    traffic = Traffic(sys.argv[1], sys.argv[2:])
    signal.signal(signal.SIGTERM, lambda *_: traffic.ended.set())
    signal.signal(signal.SIGINT, lambda *_: traffic.ended.set())
    callers = [traffic.phone] * PHONES + [traffic.download] + [traffic.officer] * ("officer" in os.environ)
    threads = [threading.Thread(target=traffic.repeat, args=[caller]) for caller in callers]
    for thread in threads:
        thread.start()
    traffic.ended.wait()
    for thread in threads:
        thread.join()
    print(f"{traffic.requests} requests, {traffic.failures} failed; the slowest took {traffic.slowest:.2f} s.")
    sys.exit(1 if traffic.failures or traffic.requests < 100 else 0)


main()
