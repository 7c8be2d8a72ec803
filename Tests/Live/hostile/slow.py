"""Thousands of slow clients, and ten thousand idle ones: others must be served, in bounded memory.

The control for slow clients is a server with a hundred places that waits forever: there, the witness must starve. For the
idle ones the sockets are counted: ten thousand must have been open at once.
"""

import multiprocessing
import re
import signal
import subprocess
import time

import naive
from check import Proxy, Report, Suite, mebibytes
from client import http1
from client.proxy import die_with_parent
from frames import Witness
from upstream import Upstream

ROUTE = "/version/v1/diagnosis-keys"
MODES = {
    "headers (-H)": ["-H", "-i", "2", "-x", "24"],
    "bodies (-B)": ["-B", "-i", "2", "-x", "24", "-s", "99000", "-f", "application/x-protobuf"],
    "reading (-X)": ["-X", "-n", "2", "-w", "1", "-y", "16", "-z", "1", "-k", "3"],
}


def slowhttptest(port, options, connections, seconds):
    """Starts it; it ends itself."""
    return subprocess.Popen(
        ["slowhttptest", *options, "-c", str(connections), "-r", "500", "-l", str(seconds), "-p", "5", "-v", "1",
         "-u", f"https://127.0.0.1:{port}{ROUTE}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        preexec_fn=die_with_parent,
    )  # fmt: skip


def last_counts(words):
    """What slowhttptest said last about its connections."""
    words = re.sub(r"\x1b\[[0-9;]*m", "", words)
    return {name: int(count) for name, count in re.findall(r"(connected|error|closed|pending):\s*(\d+)", words)}


def slow(report, suite, upstream, http1, http2):
    with Proxy(suite, upstream.port) as proxy:
        slow_clients(report, proxy, http1, http2)
        report.require(proxy.is_running, "the proxy's process has ended")
        for text in proxy.errors():
            report.require(False, text)


def slow_clients(report, proxy, http1, http2):
    """All at one time; they want to stay for minutes, and must be gone earlier."""
    connections = 1000
    wanted = len(MODES) * connections
    most = now = 0
    start = time.monotonic()
    with proxy.growth() as growth, Witness(proxy.port, http1, http2, pause=0.25) as witness:
        running = [slowhttptest(proxy.port, options, connections, 150) for options in MODES.values()]
        while time.monotonic() < start + 60:
            now = proxy.connections
            most = max(most, now)
            if most >= wanted / 2 and now <= wanted / 20:
                break
            time.sleep(0.25)
        seconds = time.monotonic() - start
        for process in running:
            process.send_signal(signal.SIGINT)
    others = witness.verdict(report, "slow clients", 5)
    report.require_soon(most >= wanted / 2, f"only {most} connections of {wanted} stood at one time")
    report.require_soon(now <= wanted / 20, f"after {seconds:.0f} s {now} slow clients are still connected")
    # What a connection takes is looked at below; here it is about what it may make the proxy keep.
    report.require(growth.most < 200 << 20, f"slow clients: the proxy grows by {mebibytes(growth.most)}")
    for mode, process in zip(MODES, running):
        report.say(f"slowhttptest, slow {mode}: {last_counts(process.communicate()[0])}")
    report.say(
        f"slow clients: {most} at one time, {now} after {seconds:.0f} s, grown by {mebibytes(growth.most)}; {others}"
    )


def starve(report, suite, http1, http2):
    with naive.patient(suite, places=100) as port:
        with Witness(port, http1, http2, pause=0.25, versions=1, patience=2) as witness:
            time.sleep(1)
            fine = len(witness.failures) == 0 and witness.times
            attacker = slowhttptest(port, MODES["headers (-H)"], 300, 5)
            attacker.wait()
        report.say(
            f"control: of a server with 100 places that waits forever, {len(witness.failures)} of "
            f"{len(witness.times)} others get no answer."
        )
        report.require(fine and witness.failures, "slow clients don't keep a careless server from others")


# MARK: Idle connections


def _idle(pipe, port, context, count):
    """Holds connections until it is told to end; asks on each of them once, so that it is a client's."""
    die_with_parent()
    connections, failures = [], 0
    # One in a hundred may fail.
    while len(connections) + failures < count and failures <= count // 100:
        try:
            connections.append(http1.connect(port, context, timeout=30))
        except OSError:
            failures += 1
        # Those that came first mustn't be sent away before the last is here: ask again every few seconds.
        if pipe.poll():
            pipe.recv()
            refresh(connections)
    pipe.send(len(connections))
    while pipe.recv() == "refresh":
        refresh(connections)
        pipe.send(len(connections))
    # Whether the proxy has closed them meanwhile.
    closed = 0
    for connection in connections:
        connection.settimeout(0.001)
        try:
            closed += connection.recv(1) == b""
        except TimeoutError:
            pass
        except OSError:
            closed += 1
    pipe.send(closed)


def refresh(connections):
    """Asks for something on each; returns those on which an answer came."""
    answered = []
    for connection in connections:
        try:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        except OSError:
            pass
    for connection in connections:
        try:
            connection.settimeout(10)
            if http1.Reader(connection).answer(10):
                answered.append(connection)
        except (OSError, http1.Unreadable):
            pass
    return answered


def idle(report, suite, upstream, http1, http2):
    processes = 8
    # The proxy's own other files, and a tenth to spare.
    wanted = min(10_000, (suite.files - 1000) * 9 // 10 // processes * processes)
    if wanted < 10_000:
        report.say(f"idle: this system allows {suite.files} open files (ulimit -Hn), so {wanted} connections it is")
    with Proxy(suite, upstream.port, listen__connections=12_000, listen__life=3600) as proxy:
        with Witness(proxy.port, http1, http2):
            time.sleep(1)
        before = proxy.memory
        start = time.monotonic()
        clients = []
        for _ in range(processes):
            ours, theirs = multiprocessing.Pipe()
            process = multiprocessing.get_context("fork").Process(
                target=_idle, args=(theirs, proxy.port, http1, wanted // processes), daemon=True
            )
            process.start()
            theirs.close()
            clients.append((process, ours))
        turn = time.monotonic()
        while not all(pipe.poll() for _, pipe in clients):
            time.sleep(0.1)
            if time.monotonic() - turn > 4:
                turn = time.monotonic()
                for _, pipe in clients:
                    if not pipe.poll():
                        pipe.send("refresh")
            if time.monotonic() - start > 120:
                break
        made = sum(pipe.recv() for _, pipe in clients if pipe.poll(1))
        seconds = time.monotonic() - start
        held = proxy.connections
        growth = proxy.memory - before
        report.require_soon(made >= wanted * 0.99, f"of {wanted} idle connections {made} were made")
        report.require_soon(held >= wanted * 0.98, f"of {wanted} idle connections {held} stand")
        with Witness(proxy.port, http1, http2) as witness:
            time.sleep(1.5)
        others = witness.verdict(report, f"{wanted} idle connections", 5)
        # 400 MiB for 10,000.
        report.require(growth < wanted * (400 << 20) // 10_000, f"{wanted} idle connections take {mebibytes(growth)}")
        report.say(
            f"idle: {held} connections, opened in {seconds:.0f} s, take {mebibytes(growth)}, "
            f"{growth / max(held, 1) / 1024:.1f} KiB each; {others}"
        )
        # They are sent away after ten seconds.
        deadline = time.monotonic() + 25
        while proxy.connections > 100 and time.monotonic() < deadline:
            time.sleep(0.5)
        left = proxy.connections
        report.require_soon(left <= 100, f"of {wanted} idle connections {left} are still there after 25 seconds")
        report.say(f"idle: afterwards {left} are left, and {mebibytes(proxy.memory - before)}")
        for process, _ in clients:
            process.kill()
            process.join()
        report.require(proxy.is_running, "the proxy's process has ended")
        for text in proxy.errors():
            report.require(False, text)


def main():
    suite = Suite(__doc__.splitlines()[0])
    report = Report("slow")
    http1, http2 = suite.app_context(), suite.app_context(["h2"])
    with Upstream(suite) as upstream:
        report.in_time(lambda: slow(report, suite, upstream, http1, http2))
        starve(report, suite, http1, http2)
        report.in_time(lambda: idle(report, suite, upstream, http1, http2))
    report.end()


if __name__ == "__main__":
    main()
