"""Ten times the load that can be answered, beside thousands of idle and of slow connections: those who get in are answered in time.

The control is nginx in a plain configuration, which forwards everything: there, the same judge must object.
"""

import contextlib
import json
import os
import subprocess
import threading
import time

from check import Proxy, Report, Suite, mebibytes
from client.messages import fresh_guid
from client.proxy import Service
from crowds import Crowd
from overload import PATIENCE, Outcome, Way, nginx, offer, public
from tunnels import tunnel
from upstream import Upstream

# What the service behind the proxy answers in a second, and seconds for which one statement of the inner one holds up all others.
RATE, HELD = 100, 0.03
TIMES = 10
# Fewer say nothing.
LEAST = 20
# This part of the capacity is what a proxy that is offered ten times as much still has to answer.
GOODPUT = 0.9
# How much more of the processor a refused request may take than a served one.
DEAREST = 1.0
# By how much the memory may be above that at rest, and after how many seconds.
GROWTH, LATER = 1.2, 60


class Place:
    """A server, how it is asked, and how crowds connect."""

    def __init__(self, name, service, port, calm, way, context, crowd, pause):
        """`calm`, `way`: how it is asked for less than it can answer, and for more; `crowd`: the most connections that it has room for beside those that ask; `pause`: seconds for which one may be idle."""
        self.name, self.service, self.port, self.calm, self.way = name, service, port, calm, way
        self.context, self.crowd, self.pause = context, crowd, pause


@contextlib.contextmanager
def proxy(suite):
    with Upstream(suite, rate=RATE) as upstream:
        with Proxy(suite, upstream.port, listen__connections=14_000, listen__life=3600) as service:
            # What is left of the files for its own.
            crowd = suite.files - 3000
            way = public(service.port)
            yield Place("metadata-proxy", service, service.port, way, way, suite.app_context(), crowd, 8)


@contextlib.contextmanager
def inner(suite):
    """Laboratories' listener of a test result server, whose database is slow: one statement after the other, `HELD` seconds each."""
    name = "test-result-server"
    query(suite, f"""
        CREATE FUNCTION test_results.wait() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
            $$ BEGIN PERFORM pg_advisory_xact_lock(1), pg_sleep({HELD}); RETURN NULL; END $$;
        CREATE TRIGGER wait BEFORE INSERT ON test_results.result EXECUTE FUNCTION test_results.wait();
        """)  # fmt: skip
    try:
        with Service(suite, name, suite.scratch, laboratories__connections=14_000) as service:
            port = service.ports["laboratories"]
            with tunnel(suite, port, "lab") as there:
                body = json.dumps({"testResults": [{"id": fresh_guid(), "result": 1, "sc": int(time.time()) - 60}]}).encode()
                address = f"http://127.0.0.1:{there}/api/v1/lab/results"
                # One connection has one request at a time, and those that the database is too busy for wait for two seconds.
                calm, way = Way(address, body, 20, ("--h1",)), Way(address, body, 700, ("--h1",), warm=8)
                # A listener beside others has a quarter of the process's files.
                crowd = suite.files // 4 - way.connections - 200
                yield Place(name, service, port, calm, way, suite.holder_context("lab"), crowd, 50)
    finally:
        query(suite, "DROP TRIGGER wait ON test_results.result; DROP FUNCTION test_results.wait()")


def query(suite, text):
    connection = (f"host={suite.state}/postgres/socket port=5432 dbname=vigil user=postgres "
                  f"passfile={suite.state}/secrets/pgpass-postgres")  # fmt: skip
    command = ["psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", connection, "--command", text]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def asked(suite, place, way, seconds, offered):
    """What became of so many requests a second, how many were served and not, and seconds of a core that they took."""
    began = []
    # What connections cost that come in isn't counted.
    watch = threading.Timer(way.warm, lambda: began.append(place.service.cpu))
    watch.start()
    rows = offer(suite, way, seconds, offered)
    watch.join()
    spent = place.service.cpu - began[0]
    good = sum(200 <= status < 300 for _, status, _ in rows)
    return Outcome(rows, seconds), good, len(rows) - good, spent


def objections(outcome, capacity, offered):
    """What there is to object to in how requests fared that were far more than the capacity."""
    late = percentile(outcome.times, 0.99)
    texts = []
    if outcome.good < GOODPUT * capacity:
        texts.append(f"{outcome.good:.0f} of {capacity:.0f} answers a second within {PATIENCE:.0f} s")
    if late > PATIENCE:
        texts.append(f"one in a hundred answers takes over {late:.2f} s")
    if outcome.ended < 0.8 * offered:
        texts.append(f"only {outcome.ended:.0f} of {offered:.0f} requests a second have come to an end")
    return texts


def percentile(times, part):
    return times[min(len(times) - 1, int(part * len(times)))] if times else 99


def overload(report, suite, place, capacity, served, seconds, beside):
    """One measurement, with whatever else stands beside it; it may be too late once, and is then repeated."""
    offered = TIMES * capacity
    for attempt in (1, 2):
        outcome, good, refused, spent = asked(suite, place, place.way, seconds, offered)
        each = (spent - good * served) / max(refused, 1)
        texts = objections(outcome, capacity, offered)
        report.say(
            f"{place.name}, {beside}: {outcome.ended:.0f} requests a second, {outcome.good:.0f} answered within {PATIENCE:.0f} s, "
            f"half in {percentile(outcome.times, 0.5):.2f} s, 99 of 100 in {percentile(outcome.times, 0.99):.2f} s; "
            f"{outcome.statuses}; {each * 1e6:.0f} µs of a core for a refused request, {served * 1e6:.0f} for a served one"
            f" ({each / served:.2f}); {mebibytes(place.service.memory)}; load average {os.getloadavg()[0]:.1f}"
        )
        if each > DEAREST * served:
            texts.append(f"a refused request takes {each / served:.2f} times the processor's time of a served one")
        if not texts:
            return
    for text in texts:
        report.require(False, f"{place.name}, {beside}: {text}")


def crowded(report, suite, place, kind, measure):
    """The same beside a crowd."""
    wanted = min(place.crowd, suite.arguments.crowd)
    if wanted < suite.arguments.crowd:
        report.say(f"{place.name}: this system allows {suite.files} open files (ulimit -Hn), so {wanted} connections it is")
    drips = kind == "slow"
    with Crowd(place.port, place.context, wanted, drips, 2 if drips else place.pause) as crowd:
        count = crowd.complete(180)
        # Slow ones are sent away while others still come in.
        report.require(count >= wanted * (0.3 if drips else 0.9), f"{place.name}: of {wanted} {kind} connections {count} stand")
        measure(f"beside {count} {kind} connections")
        report.say(f"{place.name}: {crowd.standing()} connections stand at the end, callers' included")


def prove(report, suite, place, seconds, crowds):
    """Loads it for so many seconds in all, alone if `crowds` has None, and beside a crowd of each kind in it."""
    # More than it can answer, but not so much that it would have to refuse most.
    for _ in range(3):
        capacity = asked(suite, place, place.calm, max(4, seconds // 20), 1.5 * RATE)[0].good
        if capacity >= LEAST:
            break
    if not report.require(capacity >= LEAST, f"{place.name}: answers only {capacity:.0f} requests a second: the machine is too busy"):
        return
    outcome, good, refused, spent = asked(suite, place, place.calm, max(4, seconds // 20), 0.7 * capacity)
    served = max(spent, 0.01) / max(good, 1)
    report.say(f"{place.name}: answers {capacity:.0f} requests a second, {served * 1e6:.0f} µs of a core each; of fewer it refuses {refused}")
    # What every process grows by at first isn't counted.
    time.sleep(2)
    rest = place.service.memory

    def measure(beside):
        overload(report, suite, place, capacity, served, seconds // len(crowds), beside)

    for kind in crowds:
        if kind:
            crowded(report, suite, place, kind, measure)
        else:
            measure("alone")
    high, end = place.service.memory, time.monotonic() + LATER
    while (later := place.service.memory) > GROWTH * rest and time.monotonic() < end:
        time.sleep(1)
    report.say(
        f"{place.name}: {mebibytes(rest)} at rest, {mebibytes(high)} at the end of the load, {mebibytes(later)} "
        f"{LATER - max(0, end - time.monotonic()):.0f} seconds later"
    )
    report.require(later <= GROWTH * rest, f"{place.name} keeps {mebibytes(later)}, at rest it had {mebibytes(rest)}")
    report.require(place.service.is_running, f"{place.name} has ended")
    for text in place.service.errors()[:3]:
        report.require(False, f"{place.name}: {text}")


def options(parser):
    parser.add_argument("--seconds", type=int, required=True, help="of load on each listener")
    parser.add_argument("--crowd", type=int, required=True, help="idle connections, and slow ones")
    parser.add_argument("--short", action="store_true", help="one crowd at each listener")


def main():
    suite = Suite(__doc__.splitlines()[0], options)
    report = Report("load")
    with Upstream(suite, rate=RATE) as upstream, nginx(suite, upstream.port) as port:
        if report.require(port, "nginx, the control, doesn't run"):
            found = objections(Outcome(offer(suite, public(port), 5, TIMES * RATE), 5), RATE, TIMES * RATE)
            report.say(f"control: nginx, which forwards everything: {found}")
            report.require(found, "nginx, which queues without bound, does as well: the load is none")
    for make, crowds in (proxy, ("slow",)), (inner, ("idle",)):
        with make(suite) as place:
            prove(report, suite, place, suite.arguments.seconds, crowds if suite.arguments.short else (None, "idle", "slow"))
    report.end()


if __name__ == "__main__":
    main()
