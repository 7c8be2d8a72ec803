"""Thousands of uploads and donations that stop before their last byte: the proxy must not keep them all in memory.

The control is a server that keeps them: the same judge must object to how its memory grows.
"""

import collections
import multiprocessing
import time

import naive
from check import Proxy, Report, Suite, mebibytes
from client import http1
from client.proxy import Process, die_with_parent
from frames import DATA, END_HEADERS, HEADERS, WINDOW_UPDATE, Connection, block, frame, request
from upstream import Upstream

# Routes, and the longest body that each takes. No other takes more than the second.
UPLOADS, DONATIONS = ("/version/v1/diagnosis-keys", 100_000), ("/version/v1/android/dat", 196_608)


class Flood:
    """So many connections with so many requests each, of which so many bytes are sent, by default all but the last. `limit`:
    the proxy's for bytes in flight. What fits no window at once is sent with one stream only."""

    def __init__(self, name, connections, streams=0, sent=None, limit=64 << 20, route=UPLOADS):
        self.name, self.connections, self.streams, self.limit = name, connections, streams, limit
        self.path, self.size = route
        self.sent = self.size - 1 if sent is None else sent

    @property
    def offered(self):
        return self.connections * max(self.streams, 1) * self.sent

    def open(self, port, contexts):
        """One connection, on which everything is sent."""
        if not self.streams:
            connection = http1.connect(port, contexts[0], timeout=20)
            head = http1.post(self.path, b"", ("cwa-fake", "0"), media="application/x-protobuf")
            try:
                connection.sendall(head.replace(b"content-length: 0", b"content-length: %d" % self.size) + bytes(self.sent))
            except OSError:
                # Refused already; the status is there to be read.
                pass
            return connection
        connection = Connection(port, contexts[1], timeout=20)
        # Room for all answers.
        connection.send(frame(WINDOW_UPDATE, payload=(1 << 20).to_bytes(4, "big")))
        fields = [pair for pair in request(self.path, ("cwa-fake", "0")) if pair[0] != "content-type"]
        fields.append(("content-type", "application/x-protobuf"))
        if self.streams == 1:
            connection.headers(1, fields)
            connection.unfinished(1, self.sent)
            return connection
        for stream in range(1, 2 * self.streams, 2):
            body = frame(DATA, 0, stream, bytes(self.sent)) if self.sent else b""
            connection.send(frame(HEADERS, END_HEADERS, stream, block(fields)) + body)
        return connection

    def statuses(self, connection):
        """What has come back."""
        if self.streams:
            open_streams = set(range(1, 2 * self.streams, 2))

            def settled(event):
                if event[0] in ("answer", "reset"):
                    open_streams.discard(event[1])
                return not open_streams

            connection.read(5, until=settled)
            answers = {event[1]: event[2] for event in connection.events if event[0] == "answer"}
            resets = {event[1]: event[2] for event in connection.events if event[0] == "reset"}
            # Who takes no answers isn't read from, and after a while is closed.
            rest = "closed" if connection.closed else 0
            return [(resets | answers).get(stream, rest) for stream in range(1, 2 * self.streams, 2)]
        try:
            answer = http1.Reader(connection).answer(0.01)
            return [answer.status] if answer else []
        except (OSError, http1.Unreadable):
            return []


def _hold(pipe, flood, count, port, contexts):
    """Opens connections, and tells what came back by the time it is asked."""
    die_with_parent()
    connections = []
    for _ in range(count):
        try:
            connections.append(flood.open(port, contexts))
        except OSError:
            pass
    pipe.send(len(connections))
    pipe.recv()
    pipe.send([status for connection in connections for status in flood.statuses(connection)])
    pipe.recv()


def attack(flood, port, contexts, meanwhile):
    """Runs a flood from four processes; how many connections came in, and the statuses. `meanwhile` runs while it
    stands."""
    clients = []
    for _ in range(4):
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("fork").Process(
            target=_hold, args=(theirs, flood, flood.connections // 4, port, contexts), daemon=True
        )
        process.start()
        theirs.close()
        clients.append((process, ours))
    # On a machine that is too busy one may not be done with its connections: what it sends later isn't waited for.
    done = [pipe for _, pipe in clients if pipe.poll(60)]
    made = sum(pipe.recv() for pipe in done)
    meanwhile()
    for pipe in done:
        pipe.send("tell")
    statuses = [status for pipe in done if pipe.poll(60) for status in pipe.recv()]
    for process, _ in clients:
        process.kill()
        process.join()
    return made, statuses


def upload(port, context):
    """The status of a well-formed upload, and how long it took."""
    start = time.monotonic()
    with http1.connect(port, context, timeout=10) as connection:
        connection.sendall(http1.post(UPLOADS[0], b"keys" * 500, ("cwa-fake", "0"), media="application/x-protobuf"))
        answer = http1.Reader(connection).answer(10)
    return answer.status if answer else None, time.monotonic() - start


def allowed_growth(flood, made):
    """A quarter of the bound for bytes in flight, because all come from one part of the net, and a quarter more for how
    memory is given out; what a connection takes with its TLS and the buffers of its readers, of which 160 KiB were
    measured; and what a stream takes until it is reset."""
    return flood.limit * 5 // 16 + made * ((192 << 10) + flood.streams * (4 << 10))


def run(report, proxy, contexts, flood):
    name = flood.name
    meanwhile = []

    def ask():
        # The proxy lets ten seconds pass for a body: by then everybody has an answer.
        for _ in range(12):
            meanwhile.append(upload(proxy.port, contexts[0]))
            time.sleep(1)

    with proxy.growth() as growth:
        made, statuses = attack(flood, proxy.port, contexts, ask)
    counts = collections.Counter(statuses)
    # A stream may also be refused without an answer.
    shed = sum(count for status, count in counts.items() if status not in (0, 408, "closed"))
    bound = allowed_growth(flood, made)
    # With fewer there is nothing to judge.
    if not report.require_soon(made >= flood.connections * 0.95, f"{name}: of {flood.connections} connections {made} came in"):
        return
    report.require(growth.most < bound, f"{name}: grown by {mebibytes(growth.most)}, more than {mebibytes(bound)}")
    report.require(shed > 0, f"{name}: nothing was refused: {dict(counts)}")
    report.require(
        set(counts) <= {503, 408, "closed", "CANCEL", "REFUSED_STREAM", "NO_ERROR", "ENHANCE_YOUR_CALM"},
        f"{name}: unfinished uploads get {dict(counts)}",
    )
    # Requests meanwhile may be refused, but without delay.
    report.require_soon(
        all(status in (200, 503) and seconds < 5 for status, seconds in meanwhile), f"{name}: others get {meanwhile}"
    )
    start = time.monotonic()
    while upload(proxy.port, contexts[0])[0] != 200 and time.monotonic() < start + 30:
        time.sleep(0.1)
    recovery = time.monotonic() - start
    report.require_soon(recovery < 5, f"{name}: {recovery:.0f} seconds after the flood uploads aren't taken again")
    report.say(
        f"{name}: {made} connections, {mebibytes(flood.offered)} offered; they get "
        f"{', '.join(f'{count} × {status}' for status, count in counts.most_common())}; "
        f"grown by {mebibytes(growth.most)} of {mebibytes(bound)}; others get "
        f"{sorted({status for status, _ in meanwhile})}; uploads are taken again after {recovery:.1f} s"
    )


def on_a_proxy(report, suite, upstream, contexts, flood):
    with Proxy(suite, upstream.port, requests__bytes=flood.limit) as proxy:
        upload(proxy.port, contexts[0])
        run(report, proxy, contexts, flood)
        report.require(proxy.is_running, "the proxy's process has ended")
        for text in proxy.errors():
            report.require(False, text)


def main():
    suite = Suite(__doc__.splitlines()[0])
    report = Report("floods")
    contexts = suite.app_context(), suite.app_context(["h2"])
    times = 3 if suite.long else 1
    floods = [
        Flood("donations, HTTP/1.1", min(2000 * times, (suite.files - 1000) // 4), route=DONATIONS),
        Flood("donations, HTTP/2", 600 * times, streams=1, limit=16 << 20, route=DONATIONS),
        # Half of a connection's window of 65,535 bytes at a time, so that no upload waits for the other half.
        Flood("uploads, HTTP/2", 600 * times, streams=4, sent=16_000, limit=16 << 20),
        Flood("headers, HTTP/2", 200 * times, streams=99, sent=0, limit=16 << 20),
    ]
    with Upstream(suite) as upstream:
        for flood in floods:
            if suite.only not in flood.name:
                continue
            report.in_time(lambda: on_a_proxy(report, suite, upstream, contexts, flood))
    if suite.only:
        report.end()
        return
    flood = Flood("control", 1200)
    with naive.keeping(suite) as (port, pid):
        with Process(pid).growth() as growth:
            made, _ = attack(flood, port, contexts, lambda: time.sleep(0.5))
        report.say(f"control: a server that keeps what {made} send grows by {mebibytes(growth.most)}.")
        bound = allowed_growth(flood, made)
        report.require(growth.most > bound, "a server that keeps everything is within bounds")
    report.end()


if __name__ == "__main__":
    main()
