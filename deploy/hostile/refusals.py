"""Connections that ask for what is refused, again and again, and read no answer.

The control is a server that answers whatever comes and keeps what isn't taken: the same judge must object to how it grows.
"""

import multiprocessing
import selectors
import socket
import ssl
import time

import naive
from frames import END_HEADERS, END_STREAM, HEADERS, PREFACE, SETTINGS, Witness, block, frame, request
from proxy import Process, Proxy, die_with_parent
from suite import Report, Suite, mebibytes
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

    def go_on(self):
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
            if not key.data.go_on():
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
    http1, http2 = suite.outer_context(), suite.outer_context(["h2"])
    with Proxy(suite, upstream.port) as proxy:
        # What every process grows by at first isn't counted.
        with Witness(proxy.port, http1, http2, pause=0.01):
            time.sleep(1)
        with proxy.growth() as growth, Witness(proxy.port, http1, http2) as witness:
            made, standing, sent = ask(proxy.port, suite.outer_context([protocol]), write, seconds)
        report.require(proxy.is_running, "the proxy's process has ended")
        for text in proxy.errors():
            report.require(False, text)
    others = witness.verdict(report, f"unread refusals, {name}", 5)
    times = sorted(witness.times)
    typical = times[len(times) // 2] if times else 99
    # The handshake is in it, and whatever else the machine does.
    report.require(typical < 0.5, f"unread refusals, {name}: others typically wait for {typical:.2f} s instead of 0.25")
    report.require(made >= CONNECTIONS, f"unread refusals, {name}: of {CONNECTIONS} connections {made} were made")
    report.require(growth.most < ALLOWED_GROWTH, f"unread refusals, {name}: the proxy grows by {mebibytes(growth.most)}")
    report.say(
        f"unread refusals, {name}: {made} connections in {seconds} s, {standing} in the end, {mebibytes(sent)} sent; "
        f"grown by {mebibytes(growth.most)}; {others}, typically {typical * 1000:.0f} ms"
    )


def main():
    suite = Suite(__doc__.splitlines()[0])
    report = Report("refusals")
    seconds = 30 if suite.long else 15
    with Upstream(suite) as upstream:
        for name, protocol, write in (("HTTP/1.1", "http/1.1", first), ("HTTP/2", "h2", second)):
            if suite.only in name:
                unread(report, suite, upstream, name, protocol, write, seconds)
    if suite.only:
        report.end()
        return
    with naive.answering(suite) as (port, pid):
        with Process(pid).growth() as growth:
            ask(port, suite.outer_context(), first, 5, count=50)
        report.say(f"control: a server that keeps what isn't taken grows by {mebibytes(growth.most)}.")
        report.require(growth.most > ALLOWED_GROWTH, "unread refusals don't make a careless server grow")
    report.end()


if __name__ == "__main__":
    main()
