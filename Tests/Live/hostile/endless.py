"""Connections that never end, at every public listener: clients that are silent, acknowledge nothing, take nothing, or drip.

No process may hold one of them when its time is over, others must be served meanwhile, and they may take little memory. The control
is a server that never closes: there, all of them must still stand.
"""

import socket
import ssl
import threading
import time

import naive
from check import Report, Suite, mebibytes
from client import http1
from client.proxy import Process, clients_of
from frames import (
    DATA, END_HEADERS, END_STREAM, HEADERS, PING, PREFACE, SETTINGS, WINDOW_UPDATE, block, frame, request, setting,
)  # fmt: skip

# Of each kind.
CONNECTIONS = 6
# Seconds that a listener waits for a request, and for an answer to be taken: `Limits.outer` in Shared/Platform/Serving, and what
# download-server, which has large files, sets instead.
WAITS = {"download-server": (60, 60)}
DEFAULT_WAITS = 10, 30
# What a client gets to notice the end (2) and to close as well (2), and a machine that does other things besides.
GRACE = 10
# Measured are 30 KiB; 80 once made 8,192 connections exceed a container's memory.
ALLOWED_MEMORY = 256 << 10

BEGIN = PREFACE + frame(SETTINGS)
GET = frame(HEADERS, END_HEADERS | END_STREAM, 1, block(request("/", method="GET", leave_out=("content-type",))))
# Its name, what it sends first, what it sends each second, and whether it keeps a request or an answer unfinished.
KINDS = {
    "h2": [
        ("says nothing", b"", b"", False),
        ("acknowledges nothing", BEGIN, b"", False),
        ("sends pings and acknowledges none", BEGIN, frame(PING, payload=bytes(8)), False),
        ("drips a header", BEGIN + frame(HEADERS, END_HEADERS | END_STREAM, 1, length=16_000), b"\0", False),
        ("drips a body", BEGIN + frame(HEADERS, END_HEADERS, 1, block(request("/"))), frame(DATA, 0, 1, b"x"), True),
        ("opens no window", PREFACE + frame(SETTINGS, payload=setting(4, 0)) + GET,
         frame(WINDOW_UPDATE, 0, 1, b"\0\0\0\1"), True),
    ],
    "http/1.1": [
        ("says nothing", b"", b"", False),
        ("drips a header", b"GET / HTTP/1.1\r\nHost: localhost\r\nx", b"x", False),
        ("drips a body", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n", b"x", True),
        ("takes no answer", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 600, b"", True),
    ],
}  # fmt: skip


class Client:
    """One connection that never reads, so that nothing is acknowledged but by the kernel."""

    def __init__(self, port, context, kind, protocol):
        name, first, self.more, self.is_held = kind
        self.name, self.start = f"{protocol}: {name}", time.monotonic()
        self.lasted = None
        plain = socket.socket()
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.settimeout(15)
        plain.connect(("127.0.0.1", port))
        self.port = plain.getsockname()[1]
        self.tls = context.wrap_socket(plain, server_hostname="localhost")
        self.tls.setblocking(False)
        self.send(first)

    def send(self, content):
        try:
            self.tls.send(content)
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError, OSError):
            pass

    def is_gone(self):
        self.lasted = time.monotonic() - self.start
        self.tls.close()


class Others:
    """Asks beside the attack, each time on a new connection; any answer but an error of the server is one."""

    def __init__(self, port, context):
        self.port, self.context, self.times, self.failures = port, context, [], []
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.stopped.wait(0.5):
            start = time.monotonic()
            try:
                with http1.connect(self.port, self.context, timeout=10) as connection:
                    connection.sendall(http1.encode(http1.Request("/", [], method="GET")))
                    answer = http1.Reader(connection).answer(10)
                if answer is None or answer.status >= 500:
                    self.failures.append(f"status {answer and answer.status}")
            except (OSError, http1.Unreadable) as error:
                self.failures.append(f"{type(error).__name__}: {error}")
            self.times.append(time.monotonic() - start)

    def end(self):
        self.stopped.set()
        self.thread.join(30)


class Attack:
    """All kinds of clients at one listener, until the last is gone or its time is over."""

    def __init__(self, name, port, pid, contexts, waits=DEFAULT_WAITS):
        self.name, self.port, self.process, self.waits = name, port, Process(pid), waits
        with contexts["h2"].wrap_socket(socket.create_connection(("127.0.0.1", port), 15), server_hostname="localhost") as probe:
            self.protocols = ["h2", "http/1.1"] if probe.selected_alpn_protocol() == "h2" else ["http/1.1"]
        self.growth = self.process.growth().__enter__()
        self.clients = [
            Client(port, contexts[protocol], kind, protocol)
            for protocol in self.protocols for kind in KINDS[protocol] for _ in range(CONNECTIONS)
        ]  # fmt: skip
        self.most = len(clients_of(port))
        self.others = Others(port, contexts["http/1.1"])

    def limit(self, client):
        """Seconds after which it must be gone."""
        idle, answer = self.waits
        return (answer if client.is_held else 0) + idle + GRACE

    def step(self):
        """Once a second; whether any of them stands that should be watched."""
        held = clients_of(self.port)
        for client in self.standing:
            if client.port not in held:
                client.is_gone()
            elif client.more:
                client.send(client.more)
        return any(time.monotonic() < client.start + self.limit(client) for client in self.standing)

    @property
    def standing(self):
        return [client for client in self.clients if client.lasted is None]

    def end(self):
        self.others.end()
        self.growth.__exit__()

    def judge(self, report):
        for name in dict.fromkeys(client.name for client in self.clients):
            clients = [client for client in self.clients if client.name == name]
            late = [client for client in clients if client.lasted is None or client.lasted > self.limit(client)]
            times = ["for ever" if client.lasted is None else f"{client.lasted:.0f} s" for client in late]
            report.require_soon(not late, f"{self.name}, {name}: {len(late)} of {len(clients)} connections last {times[:3]}")
        times, failures = self.others.times, self.others.failures
        report.require_soon(times and not failures, f"{self.name}: {len(failures)} of {len(times)} others fail: {failures[:3]}")
        report.require_soon(max(times, default=99) <= 5, f"{self.name}: others wait for {max(times, default=99):.1f} s")
        each = self.growth.most / len(self.clients)
        report.require_soon(each < ALLOWED_MEMORY, f"{self.name}: a connection takes {each / 1024:.0f} KiB")
        last = max((client.lasted for client in self.clients if client.lasted is not None), default=0)
        report.say(
            f"{self.name} ({', '.join(self.protocols)}): {len(self.clients)} clients, {self.most} at one time, the last gone after "
            f"{last:.0f} s; grown by {mebibytes(self.growth.most)}, {each / 1024:.0f} KiB each; {len(times)} others are answered, the "
            f"slowest in {max(times, default=99) * 1000:.0f} ms"
        )


def measure(report, suite, contexts, control, tell):
    """At all listeners and the control at the same time, because each takes up to two minutes."""
    attacks = [
        Attack(
            f"{service} {listener}", suite.port(service, listener), suite.process(service), contexts,
            WAITS.get(service, DEFAULT_WAITS),
        )
        for service, listener in suite.public_listeners() if suite.only in service
    ]  # fmt: skip
    everybody = attacks + ([control] if control else [])
    while any([attack.step() for attack in attacks]):
        if control:
            control.step()
        time.sleep(1)
    for attack in everybody:
        attack.end()
    for attack in attacks:
        attack.judge(report)
    report.require(attacks, "no public listener runs")
    if control:
        tell(control)


def main():
    suite = Suite(__doc__.splitlines()[0])
    report = Report("endless")
    contexts = {"h2": suite.app_context(["h2", "http/1.1"]), "http/1.1": suite.app_context()}

    def tell(control):
        report.say(f"control: of a server that never closes, {len(control.standing)} of {len(control.clients)} connections stand.")
        report.require(len(control.standing) == len(control.clients), "connections end at a server that never closes them")

    with naive.keeping(suite) as (port, pid):
        control = [Attack("control", port, pid, contexts)]
        report.in_time(lambda: measure(report, suite, contexts, control.pop() if control else None, tell))
    report.end()


if __name__ == "__main__":
    main()
