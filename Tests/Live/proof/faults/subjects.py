"""The programs under attack, and what they are asked meanwhile: the metadata proxy, a service with PostgreSQL, the naive one."""

import contextlib
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
import uuid

from client import http1, http2, tls
from client.messages import fresh_guid, json_body, payload
from client.proxy import Process, free_port
from hostile.upstream import receipt

# In seconds: longer than any deadline of the programs but the idle ones.
PATIENCE = 8
# What a statement may take, and then some seconds, until a connection to the database is given up.
DATABASE_PATIENCE = 25


class Program(Process):
    """A program that is started, asked, ended and started again."""

    # A naive server has no log of ours.
    logs = True
    patience = PATIENCE

    def __init__(self, scratch, name, port, environment=None, prefix=()):
        self.name, self.port = name, port
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}.", dir=scratch))
        self.log = self.folder / "log"
        # A trace of the stack takes longer than a point.
        self.environment = os.environ | {"SWIFT_BACKTRACE": "enable=no"} | (environment or {})
        self.prefix = prefix
        self.process = None

    def launch(self, *prefix):
        """Starts it, below another program if wanted, and doesn't wait."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *prefix, *self.prefix, *self.command], env=self.environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)  # fmt: skip
        self.pid = self.process.pid

    def start(self):
        self.launch()
        end = time.monotonic() + 30
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"{self.name} does not start: {self.log.read_text(errors='replace')[-500:]}")
            time.sleep(0.05)
        return self

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    __enter__ = start

    def __exit__(self, *_):
        self.stop()

    def ended(self):
        """How it has ended; nothing if it runs."""
        status = self.process.poll()
        if status is None:
            return ""
        return f"status {status}" if status >= 0 else f"signal {signal.Signals(-status).name}"

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def lines(self, start=0):
        """What it has logged from an offset on."""
        with self.log.open("rb") as log:
            log.seek(start)
            return log.read().decode(errors="replace").splitlines()

    # MARK: Asking

    def ask(self, port=None, patience=None, kind="http1"):
        """One request on a new connection: `answered`, `refused`, `closed`, or `waiting` when patience has ended."""
        return self.outcome(lambda: self.exchange(self.connect(port or self.port, patience or self.patience, kind)))

    def outcome(self, act):
        try:
            return act()
        except (TimeoutError, socket.timeout):
            return "waiting"
        except (OSError, http.client.HTTPException, http1.Unreadable):
            return "closed"

    def connect(self, port, patience, kind):
        raise NotImplementedError

    def exchange(self, exchanges):
        raise NotImplementedError

    def traffic(self, seconds, kinds=("http1", "http2", "kept")):
        """Requests of all kinds, side by side, during a span: the outcomes."""
        found, end = [], time.monotonic() + seconds

        def work(kind, kept):
            while True:
                if kept is not None:
                    found.append(self.outcome(lambda: self.exchange(kept)))
                    if found[-1] == "closed":
                        kept = None
                else:
                    found.append(self.ask(kind="http1" if kind == "kept" else kind))
                if time.monotonic() >= end:
                    return
                time.sleep(0.05)

        threads = [
            threading.Thread(target=work, args=(kind, self.kept() if kind == "kept" else None)) for kind in kinds * 2
        ]
        return threads, found

    def kept(self):
        """A connection that stands already."""
        try:
            connection = self.connect(self.port, self.patience, "http1")
            self.exchange(connection)
            return connection
        except OSError:
            return None

    def recovers(self, answers=3, seconds=PATIENCE):
        """How many seconds it takes until requests are answered, so many in a row; None if it takes longer than allowed."""
        start, good = time.monotonic(), 0
        while time.monotonic() < start + seconds:
            good = good + 1 if self.ask(patience=2) == "answered" else 0
            if good == answers:
                return time.monotonic() - start
            if not good:
                time.sleep(0.1)
        return None


def free_ports(settings, names):
    for name in names:
        settings[name]["port"] = free_port()


class Service(Program):
    """A program of the suite, configured as the suite's own but for its ports and some settings."""

    listeners = ()
    public = "listen"

    def __init__(self, suite, scratch, name, environment=None, prefix=(), **changes):
        settings = json.loads(json.dumps(suite.configuration[name]))
        free_ports(settings, (*self.listeners, "admin"))
        for key, value in changes.items():
            group, key = key.split("__")
            settings.setdefault(group, {})[key] = value
        super().__init__(scratch, name, settings[self.public]["port"], environment, prefix)
        self.suite, self.admin = suite, settings["admin"]["port"]
        configuration = self.folder / f"{name}.json"
        configuration.write_text(json.dumps(settings))
        self.command = [suite.programs / name, "--config", configuration]

    def is_ready(self):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/ready", timeout=5).close()
            return True
        return False


class Proxy(Service):
    """A metadata proxy in front of a recorder, whose answer tells which request it belongs to."""

    listeners = ("listen",)
    # Paths of several lengths and statuses.
    routes = (
        ("/version/v1/registrationToken", 201, "application/json"), ("/version/v1/testresult", 200, "application/json"),
        ("/version/v1/tan", 201, "application/json"), ("/version/v1/diagnosis-keys", 200, "application/x-protobuf"),
    )  # fmt: skip

    def __init__(self, suite, scratch, upstream, host="127.0.0.1", environment=None, prefix=(), **changes):
        limits = ("requests", "registrations", "refusedRegistrations", "pushRegistrations", "donations", "further", "connections")
        defaults = {f"limits__{name}": 1_000_000 for name in limits} | {"answers__deadline": 100}
        services = ("verification", "submission", "push", "donation", "further")
        urls = {f"{name}__url": f"https://{host}:{upstream}" for name in services}
        super().__init__(suite, scratch, "metadata-proxy", environment, prefix, **(defaults | urls | changes))

    def connect(self, port, patience, kind):
        kind = http2.Exchanges if kind == "http2" else http1.Exchanges
        exchanges = kind(tls.Connection(port, self.suite.app_context(kind.protocols), patience=patience))
        exchanges.open()
        return exchanges

    def exchange(self, exchanges):
        path, wanted, media = random.choice(self.routes)
        is_upload = media != "application/json"
        body = payload() if is_upload else json_body({"registrationToken": str(uuid.uuid4())})
        answer = exchanges.exchange(http1.Request(path, [("content-type", media), ("cwa-fake", "0")], body))
        if answer.status == wanted and not is_upload and receipt(body).encode() not in answer.body:
            return "another's answer"
        return "answered" if answer.status == wanted else f"refused {answer.status}"


class Results(Service):
    """A test-result-server; what it has acknowledged is kept."""

    listeners = ("laboratories", "internal")
    public = "laboratories"
    patience = DATABASE_PATIENCE

    def __init__(self, suite, scratch, environment=None, prefix=(), **changes):
        self.acknowledged = []
        self.size = 1
        super().__init__(suite, scratch, "test-result-server", environment, prefix, **changes)

    def connect(self, port, patience, kind):
        return http1.Exchanges(tls.Connection(port, self.suite.holder_context("lab"), patience=patience))

    def exchange(self, exchanges):
        tests = [fresh_guid() for _ in range(self.size)]
        sample = int(time.time()) - 3600
        body = json.dumps({"testResults": [{"id": test, "result": 1, "sc": sample} for test in tests]}).encode()
        request = http1.Request("/api/v1/lab/results", [("content-type", "application/json")], body)
        status = exchanges.exchange(request).status
        if status == 204:
            self.acknowledged += tests
        return "answered" if status == 204 else f"refused {status}"

    def lost(self):
        """How many of the acknowledged results aren't in the table."""
        return len(set(self.acknowledged) - set(self.query("SELECT id FROM test_results.result")))

    def query(self, text):
        """What the database's administrator is answered."""
        connection = (
            f"host={self.suite.state}/postgres/socket dbname=vigil user=postgres "
            f"passfile={self.suite.state}/secrets/pgpass-postgres")  # fmt: skip
        command = ["psql", connection, "--no-psqlrc", "-qtA", "-c", text]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


class Naive(Program):
    """The control: naive.c, which has the faults that are looked for."""

    logs = False

    def __init__(self, scratch, program, environment=None, prefix=(), *arguments):
        super().__init__(scratch, "naive", free_port(), environment, prefix)
        self.command = [program, str(self.port), *arguments]

    def is_ready(self):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        return False

    def connect(self, port, patience, kind):
        return socket.create_connection(("127.0.0.1", port), patience)

    def exchange(self, connection):
        """One line there and back; it closes then."""
        line = uuid.uuid4().hex.encode() + b"\n"
        with connection:
            connection.settimeout(3)
            connection.sendall(line)
            answer = b""
            while len(answer) < len(line):
                piece = connection.recv(100)
                if not piece:
                    return "closed"
                answer += piece
        return "answered" if answer == line else "another's answer"

    def kept(self):
        return None
