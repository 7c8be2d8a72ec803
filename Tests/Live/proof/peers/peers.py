"""HTTP/2 of the metadata proxy with the programs that others put in front of it, and with Chromium.

Every body that a client sends is another one, and an answer holds the receipt of the body that the service got: so an answer
that is cut or another request's is known, and so is a body that comes to the service cut, twice, or though it was taken back.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import http.client
import os
import random
import signal
import socket
import sys
import threading
import time

from playwright.sync_api import sync_playwright

import fronts
from careless import Careless
from check import Proxy, Report, Suite
from client import http1
from client.proxy import free_port
from client.server import server
from upstream import Upstream, receipt

NOWHERE, SMALL, LARGE = "/version/v1/nowhere", "/version/v1/tan", "/version/v1/diagnosis-keys"
# More than the window of a stream and of a connection before it grows (RFC 9113, 6.9.2).
SIZE = 99_000
STREAMS, CALLERS = 100, 32
JSON = {"content-type": "application/json"}
PROTOBUF = {"content-type": "application/x-protobuf", "cwa-fake": "0"}
# Of a drain: before SIGTERM, and in all.
BEFORE, SECONDS = 1.5, 6


class Proxies:
    """Two metadata proxies before one service."""

    def __init__(self, suite, upstream):
        self.upstream = upstream
        self.proxies = [Proxy(suite, upstream.port, answers__deadline=500) for _ in range(2)]
        self.ports = [proxy.port for proxy in self.proxies]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for proxy in self.proxies:
            proxy.__exit__()

    def take(self):
        return self.upstream.take()

    def end_first(self):
        process = self.proxies[0].process
        process.send_signal(signal.SIGTERM)
        return process.wait(40)


class Front:
    """A client of a proxy in front, which speaks HTTP/1.1 there: one connection for each thread."""

    def __init__(self, port):
        self.port, self.own = port, threading.local()

    def ask(self, method, path, body=None, fields=()):
        """The status, and the content; a status of 0 if there is no answer."""
        connection = getattr(self.own, "connection", None) or http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        self.own.connection = connection
        try:
            connection.request(method, path, body, {"host": "localhost", **dict(fields)})
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            return 0, repr(error).encode()

    def nowhere(self):
        return self.ask("GET", NOWHERE)

    def large(self, body):
        return self.ask("POST", LARGE, body, PROTOBUF)

    def post(self, bodies):
        """All at one time."""
        with concurrent.futures.ThreadPoolExecutor(len(bodies)) as pool:
            return list(pool.map(lambda body: self.ask("POST", SMALL, body, JSON), bodies))

    def stop_in_the_middle(self):
        with socket.create_connection(("127.0.0.1", self.port), 10) as connection:
            head = http1.post(LARGE, b"", *PROTOBUF.items(), media=PROTOBUF["content-type"])
            connection.sendall(head.replace(b"content-length: 0", b"content-length: %d" % SIZE) + b"half" * (SIZE // 10))
            time.sleep(0.3)

    def load(self, act):
        """Posts for a while during which `act` runs: pairs of body and answer."""
        until, results = time.monotonic() + SECONDS, []

        def caller(number):
            for turn in range(100_000):
                if time.monotonic() > until:
                    break
                body = b"load-%d-%d-%d" % (self.port, number, turn)
                results.append((body, self.ask("POST", SMALL, body, JSON)))

        with concurrent.futures.ThreadPoolExecutor(CALLERS) as pool:
            callers = [pool.submit(caller, number) for number in range(CALLERS)]
            time.sleep(BEFORE)
            act()
            for one in callers:
                one.result()
        return results


class Chromium:
    """A page of the proxy's own origin in Chromium, whose script asks."""

    SCRIPT = """
        window.ask = async (path, body, headers) => {
            try {
                const answer = await fetch(path, {method: body ? 'POST' : 'GET', body, headers});
                return [answer.status, await answer.text()];
            } catch (error) { return [0, String(error)]; }
        };
        window.half = async (path, headers) => {
            // An abort would end the body as if it were whole, and reset the stream then (Chromium 156).
            const body = new ReadableStream({async start(stream) {
                stream.enqueue(new TextEncoder().encode('half'.repeat(10000)));
                await new Promise(done => setTimeout(done, 300));
                stream.error(new Error('no more'));
            }});
            try { await fetch(path, {method: 'POST', body, headers, duplex: 'half'}); return 'answered'; }
            catch (error) { return error.name; }
        };
        window.load = async (callers, seconds, name, headers) => {
            const until = performance.now() + 1000 * seconds, results = [];
            await Promise.all(Array.from({length: callers}, async (_, number) => {
                for (let turn = 0; performance.now() < until; turn++) {
                    const body = `load-${name}-${number}-${turn}`;
                    results.push([body, await ask('%s', body, headers)]);
                }
            }));
            return results;
        };
    """ % SMALL

    def __init__(self, page, port):
        self.page, self.port = page, port
        # The proxy has no page.
        page.route("**/page", lambda route: route.fulfill(body="<title>Peer</title>", content_type="text/html"))
        page.goto(f"https://localhost:{port}/page")
        page.unroute("**/page")
        page.evaluate(self.SCRIPT)

    def nowhere(self):
        status, text = self.page.evaluate("path => ask(path)", NOWHERE)
        protocol = self.page.evaluate("performance.getEntriesByType('resource').at(-1).nextHopProtocol")
        return (status, text.encode()) if protocol == "h2" else (0, f"over {protocol}".encode())

    def large(self, body):
        answer = self.page.evaluate("([path, body, fields]) => ask(path, new Uint8Array(body), fields)", [LARGE, list(body), PROTOBUF])
        return answer[0], answer[1].encode()

    def post(self, bodies):
        answers = self.page.evaluate(
            "([path, bodies, fields]) => Promise.all(bodies.map(body => ask(path, body, fields)))",
            [SMALL, [body.decode() for body in bodies], JSON])  # fmt: skip
        return [(status, text.encode()) for status, text in answers]

    def stop_in_the_middle(self):
        self.page.evaluate("([path, fields]) => half(path, fields)", [LARGE, PROTOBUF])

    def load(self, act):
        self.page.evaluate(
            "([callers, seconds, name, fields]) => { window.loaded = load(callers, seconds, name, fields); }",
            [CALLERS, SECONDS, str(self.port), JSON])  # fmt: skip
        time.sleep(BEFORE)
        act()
        results = self.page.evaluate("loaded")
        return [(body.encode(), (status, text.encode())) for body, (status, text) in results]


# MARK: Judging


def compare(name, pairs, seen):
    """What there is to object to: pairs of body and answer, and what the service got."""
    objections = []
    wrong = [(body, answer) for body, answer in pairs if answer[0] != 201 or receipt(body).encode() not in answer[1]]
    if wrong:
        objections.append(f"{name}: {len(wrong)} of {len(pairs)} aren't answered as they should be, such as {wrong[0]}")
    got = collections.Counter(one.body for one in seen)
    sent = {body for body, _ in pairs}
    for text, bodies in [
        ("never", [body for body in sent if body not in got]),
        ("more than once", [body for body, count in got.items() if count > 1]),
        ("though nobody sent it so", [body for body in got if body not in sent]),
    ]:
        if bodies:
            objections.append(f"{name}: the service gets {len(bodies)} bodies {text}, such as {bodies[0][:60]!r}")
    return objections + [f"{name}: the service gets {one.flaws}" for one in seen if one.flaws]


def requests(peer, place, nowhere):
    """All but the drain: objections by the name of what was tried."""
    objections = {}
    answer = peer.nowhere()
    objections["get"] = [] if answer == nowhere else [f"a GET is answered with {answer} instead of {nowhere}"]
    place.take()
    body = random.randbytes(SIZE)
    status, content = peer.large(body)
    got = [one.body for one in place.take()]
    objections["large"] = [] if (status, got) == (200, [body]) else [
        f"a body of {SIZE} bytes is answered with {status} {content[:80]!r}, and the service gets {[len(one) for one in got]}"
    ]  # fmt: skip
    bodies = [b"many-%d-%d" % (peer.port, number) for number in range(STREAMS)]
    objections["streams"] = compare(f"{STREAMS} streams", list(zip(bodies, peer.post(bodies), strict=True)), place.take())
    pairs = []
    for turn in range(5):
        peer.stop_in_the_middle()
        bodies = [b"reset-%d-%d-%d" % (peer.port, turn, number) for number in range(10)]
        pairs += zip(bodies, peer.post(bodies), strict=True)
    time.sleep(0.5)
    objections["resets"] = compare("beside bodies that stop", pairs, place.take())
    return objections


def drain(peer, place):
    """Posts while one server ends: objections, and how many were answered."""
    place.take()
    statuses = []
    pairs = peer.load(lambda: statuses.append(place.end_first()))
    objections = compare("while a server ends", pairs, place.take())
    if statuses != [0]:
        objections.append(f"the server ends with {statuses}")
    if len(pairs) < 100:
        objections.append(f"only {len(pairs)} requests were tried")
    return objections, len(pairs)


@contextlib.contextmanager
def peer(suite, options, browser, name, ports):
    port = free_port()
    command = {
        "Envoy": lambda: fronts.envoy(options.envoy, suite.scratch, port, ports, suite.authority),
        "HAProxy": lambda: fronts.haproxy(options.haproxy, suite.scratch, port, ports, suite.authority),
        "Chromium": lambda: fronts.haproxy(options.haproxy, suite.scratch, port, ports, suite.authority, mode="tcp"),
    }[name]()
    with server(command, port, suite.scratch / f"{name}.log"):
        if name != "Chromium":
            yield Front(port)
            return
        context = browser.new_context(ignore_https_errors=True)
        try:
            yield Chromium(context.new_page(), port)
        finally:
            context.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envoy", required=True, help="the program")
    parser.add_argument("--short", action="store_true", help="one drain with each peer")
    options, sys.argv[1:] = parser.parse_known_args()
    suite, report = Suite(__doc__.splitlines()[0]), Report("peers")
    options.haproxy = suite.haproxy
    with contextlib.ExitStack() as stack:
        upstream = stack.enter_context(Upstream(suite))
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"] if os.geteuid() == 0 else [])
        for name in ("Envoy", "HAProxy", "Chromium"):
            for turn in range(1 if options.short else 5):
                with Proxies(suite, upstream) as place, peer(suite, options, browser, name, place.ports) as client:
                    connection = http1.connect(place.ports[1], suite.app_context())
                    with connection:
                        connection.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % NOWHERE.encode())
                        answer = http1.Reader(connection).answer(10)
                    nowhere = answer.status, answer.body
                    tried = requests(client, place, nowhere) if turn == 0 else {}
                    tried["drain"], count = drain(client, place)
                    for text in sum(tried.values(), []):
                        report.require(False, f"{name}: {text}")
                    for text in place.proxies[1].errors():
                        report.require(False, text)
                wrong = [what for what, objections in tried.items() if objections]
                report.say(f"{name}: {', '.join(tried)}, of it wrong: {', '.join(wrong) or 'nothing'}; {count} posts while a proxy ended")
        for name in ("Envoy", "HAProxy", "Chromium"):
            with Careless(suite) as place, peer(suite, options, browser, name, place.ports) as client:
                tried = requests(client, place, nowhere)
                tried["drain"], _ = drain(client, place)
            blind = [what for what, objections in tried.items() if not objections]
            report.require(not blind, f"control: with {name} nothing is found in {blind}")
            report.say(f"control: with {name} a careless server is found out in {len(tried) - len(blind)} of {len(tried)} ways")
        browser.close()
    report.end()


if __name__ == "__main__":
    main()
