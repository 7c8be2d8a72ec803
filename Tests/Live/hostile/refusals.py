"""Requests that are refused: from clients that don't read the answers, on connections that live on them, on too many connections.

The control is a server that keeps unread answers: the same judge must object to how its memory grows.
"""

import itertools
import multiprocessing
import selectors
import socket
import ssl
import time

import naive
from check import Proxy, Report, Suite, mebibytes
from client import http1
from client.proxy import Process, die_with_parent
from frames import END_HEADERS, END_STREAM, HEADERS, PREFACE, SETTINGS, Connection, Witness, block, frame, request
from upstream import Upstream

CONNECTIONS = 300
# Another part of the net than that of the witness.
ELSEWHERE = "127.66.0.1"
# The most that the proxy may grow by.
ALLOWED_GROWTH = 96 << 20
# New connections a second, in the place of those that the proxy has ended: a handshake is work, which is not the matter here.
MOST_NEW = 200


def first(turn):
    """Some hundred requests of HTTP/1.1, written ahead."""
    return b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n" * 600


def second(turn):
    """A hundred requests of HTTP/2, which are more than may be open at one time if their answers wait."""
    fields = block(request("/x", method="GET"))
    start = b"" if turn else PREFACE + frame(SETTINGS)
    return start + b"".join(
        frame(HEADERS, END_HEADERS | END_STREAM, 2 * (turn * 100 + number) + 1, fields) for number in range(100)
    )


class Asker:
    """One connection, which writes as fast as it is read from, and never reads."""

    def __init__(self, port, context, write):
        plain = socket.create_connection(("127.0.0.1", port), 10, source_address=(ELSEWHERE, 0))
        # What it doesn't take mustn't be kept for it by this system.
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.tls = context.wrap_socket(plain, server_hostname="localhost")
        self.tls.setblocking(False)
        self.write, self.turn, self.rest, self.sent = write, 0, b"", 0

    def advance(self):
        """Whether the connection still stands."""
        try:
            for _ in range(4):
                if not self.rest:
                    self.rest = self.write(self.turn)
                    self.turn += 1
                sent = self.tls.send(self.rest)
                self.sent += sent
                self.rest = self.rest[sent:]
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
            pass
        except (OSError, ssl.SSLError):
            self.tls.close()
            return False
        return True


def _ask(pipe, port, context, write, count, seconds):
    """In a process of its own: so many connections at any time, for so many seconds."""
    die_with_parent()
    selector = selectors.DefaultSelector()
    made = sent = standing = 0
    end = time.monotonic() + seconds
    start = time.monotonic()
    while (now := time.monotonic()) < end:
        while standing < count and made < count + MOST_NEW * (now - start):
            try:
                asker = Asker(port, context, write)
            except OSError:
                made += 1
                break
            selector.register(asker.tls, selectors.EVENT_WRITE, asker)
            made += 1
            standing += 1
        for key, _ in selector.select(0.05):
            before = key.data.sent
            if not key.data.advance():
                selector.unregister(key.fileobj)
                standing -= 1
            sent += key.data.sent - before
        # A connection that is written to all the time is work for this process, too.
        time.sleep(0.01)
    pipe.send((made, standing, sent))


def ask(port, context, write, seconds, count=CONNECTIONS):
    """Asks without reading: how many connections were made, how many stood in the end, and how many bytes they sent."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(
        target=_ask, args=(theirs, port, context, write, count, seconds), daemon=True
    )
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(seconds + 60) else (0, 0, 0)
    finally:
        process.kill()
        process.join()


def unread(report, suite, upstream, name, protocol, write, seconds):
    http1, http2 = suite.app_context(), suite.app_context(["h2"])
    with Proxy(suite, upstream.port) as proxy:
        # What every process grows by at first isn't counted.
        with Witness(proxy.port, http1, http2, pause=0.01):
            time.sleep(1)
        with proxy.growth() as growth, Witness(proxy.port, http1, http2) as witness:
            made, standing, sent = ask(proxy.port, suite.app_context([protocol]), write, seconds)
        report.require(proxy.is_running, "the proxy's process has ended")
        for text in proxy.errors():
            report.require(False, text)
    others = witness.verdict(report, f"unread refusals, {name}", 5)
    times = sorted(witness.times)
    typical = times[len(times) // 2] if times else 99
    # The handshake is in it, and whatever else the machine does: the moment after that is still on time.
    report.require_soon(typical < 0.75, f"unread refusals, {name}: others typically wait for {typical:.2f} s instead of 0.25")
    report.require(made >= CONNECTIONS, f"unread refusals, {name}: of {CONNECTIONS} connections {made} were made")
    report.require(growth.most < ALLOWED_GROWTH, f"unread refusals, {name}: the proxy grows by {mebibytes(growth.most)}")
    report.say(
        f"unread refusals, {name}: {made} connections in {seconds} s, {standing} in the end, {mebibytes(sent)} sent; "
        f"grown by {mebibytes(growth.most)}; {others}, typically {typical * 1000:.0f} ms"
    )


# MARK: Connections that live on refusals


def _live(pipe, ports, contexts):
    """In a process of its own: forty connections to each port, on each of which something is refused every six seconds,
    until it is told to end."""
    die_with_parent()
    first = [http1.connect(port, contexts[0]) for port in ports for _ in range(20)]
    second = [Connection(port, contexts[1]) for port in ports for _ in range(20)]
    pipe.send("begun")
    start = time.monotonic()
    for turn in itertools.count():
        for connection in first:
            try:
                connection.sendall(b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
            except OSError:
                pass
        for connection in second:
            connection.headers(2 * turn + 1, request("/x"), end=True)
        for connection in first:
            try:
                http1.Reader(connection).answer(0.5)
            except (OSError, http1.Unreadable):
                pass
        for connection in second:
            connection.answered(2 * turn + 1, 0.5)
        if pipe.poll(max(0, start + 6 * (turn + 1) - time.monotonic())):
            return


class Living:
    """Asks beside whatever else is done in the `with`: of a proxy that grants such connections 15 seconds, and of one that
    has no such rule, which is the control."""

    def __init__(self, report, suite, upstream):
        self.report = report
        self.proxies = [Proxy(suite, upstream.port, listen__life=seconds) for seconds in (15, 3600)]
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("fork").Process(
            target=_live,
            args=(theirs, [proxy.port for proxy in self.proxies], (suite.app_context(), suite.app_context(["h2"]))),
            daemon=True,
        )

    def __enter__(self):
        self.process.start()
        self.report.require(self.pipe.poll(30), "connections that ask for what is refused don't come in")
        self.pipe.recv()
        self.start = time.monotonic()
        return self

    def __exit__(self, *error):
        if not any(error):
            self.judge()
        self.process.kill()
        self.process.join()
        for proxy in self.proxies:
            proxy.__exit__(*error)

    def judge(self):
        time.sleep(max(0, self.start + 30 - time.monotonic()))
        limited, control = (proxy.connections for proxy in self.proxies)
        seconds = time.monotonic() - self.start
        self.report.say(f"of 40 connections on which /x is asked for every 6 s {limited} stand after {seconds:.0f} s")
        self.report.require(limited == 0, f"{limited} connections live on refusals")
        self.report.say(f"control: without a limit to their life {control} stand.")
        self.report.require(control == 40, f"of the control's 40 connections {control} stand: the rule is another's")


def crowd(report, suite, upstream):
    """More connections than one part of the net may have."""
    context = suite.app_context()

    def count(proxy):
        standing = []
        for _ in range(80):
            try:
                standing.append(http1.connect(proxy.port, context))
            except OSError:
                pass
        plain = socket.create_connection(("127.0.0.1", proxy.port), 10, source_address=(ELSEWHERE, 0))
        with context.wrap_socket(plain, server_hostname="localhost") as other:
            other.sendall(http1.post("/version/v1/tan", b"crowd"))
            answer = http1.Reader(other).answer(10)
        for connection in standing:
            connection.close()
        return len(standing), answer and answer.status

    with Proxy(suite, upstream.port, limits__connections=50) as proxy, Proxy(suite, upstream.port) as control:
        made, status = count(proxy)
        report.require(made == 50, f"one part of the net has {made} connections instead of 50")
        report.require(status == 201, f"beside a part of the net with all its connections, others get {status}")
        report.say(f"of 80 connections of one part of the net {made} stand, and another part is answered {status}")
        unlimited, _ = count(control)
        report.require(unlimited == 80, f"without a limit {unlimited} of 80 stand")
        again, _ = count(proxy)
        report.require(again == 50, f"when those have ended, {again} stand instead of 50")


def main():
    suite = Suite(__doc__.splitlines()[0])
    report = Report("refusals")
    seconds = 30 if suite.long else 15
    with Upstream(suite) as upstream:
        with Living(report, suite, upstream):
            crowd(report, suite, upstream)
            for name, protocol, write in (("HTTP/1.1", "http/1.1", first), ("HTTP/2", "h2", second)):
                if suite.only in name:
                    report.in_time(lambda: unread(report, suite, upstream, name, protocol, write, seconds))
    if suite.only:
        report.end()
        return
    with naive.answering(suite) as (port, pid):
        with Process(pid).growth() as growth:
            ask(port, suite.app_context(), first, 5, count=50)
        report.say(f"control: a server that keeps what isn't taken grows by {mebibytes(growth.most)}.")
        report.require(growth.most > ALLOWED_GROWTH, "unread refusals don't make a careless server grow")
    report.end()


if __name__ == "__main__":
    main()
