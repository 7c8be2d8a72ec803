"""Handshakes as phones send them, and those that break rules, at the proxy's public listener and at one between services.

An attacker's handshake has to end in time, reveal nothing, and leave nothing: no answer, no session, no line in the log that
tells of the caller, no descriptor, no memory, and nobody else who waits. Each kind also runs at a server that has the fault
(controls.py), or without its breach, and must object there.
"""

import collections
import concurrent.futures
import contextlib
import itertools
import multiprocessing
import pathlib
import socket
import subprocess
import sys
import time

from curl_cffi import requests

import controls
import hellos
import openssl
import rules
from check import Proxy, Suite
from client import http1
from client.proxy import Process, die_with_parent
from upstream import Upstream

# Seconds that an honest client may wait beside an attack, on a machine that does other things, too.
PATIENCE = 3
# Lines that a listener may log of all of this, and bytes by which it may have grown at the end: what was used for as many connections
# as were open at one time isn't always given back. A connection that isn't freed keeps ten thousand bytes, and there are thousands.
LINES, GROWTH = 20, 8 << 20
# What else may be open: an honest client's connection, and those to other services.
DESCRIPTORS = 6
SHORT_PHONES = ["safari180_ios", "safari184_ios", "chrome131_android", "chrome99_android"]
Row = collections.namedtuple("Row", "kind tries outcomes objections figures")


class Target:
    """A listener, and what there is to know of its process."""

    def __init__(self, name, port, pid, log, authority, certificate=None, versions=(openssl.OLD, openssl.NEW)):
        self.name, self.port, self.process, self.log, self.authority = name, port, Process(pid), pathlib.Path(log), authority
        self.certificate, self.versions = certificate, versions
        self.rule_versions = [divmod(version, 256) for version in versions]
        # Changes of keys in a flood; a control takes each of them.
        self.flood = 5000 if name == "control" else 100_000
        self.notes = collections.defaultdict(list)

    def note(self, kind, text):
        self.notes[kind].append(text)

    @property
    def descriptors(self):
        return sum(1 for _ in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir())


# MARK: Kinds


def phones(target, dice, short):
    """Requests with the handshakes of Safari and Chrome, on phones and off them."""
    known = [kind.value for kind in requests.BrowserType]
    wanted = SHORT_PHONES if short else [kind for kind in known if kind.startswith(("safari", "chrome"))]
    url, authority = f"https://localhost:{target.port}/nowhere", str(target.authority)
    for kind in wanted:
        try:
            answer = requests.get(url, impersonate=kind, verify=authority, timeout=10)
            found = [] if answer.status_code == 404 else [f"{kind}: status {answer.status_code}"]
            yield "HTTP/2" if answer.http_version == 3 else "HTTP/1.1", found
        except requests.RequestsError as error:
            yield "nothing", [f"{kind} isn't served: {error}"[:120]]


def recorded(target, short):
    """Hellos of clients here, and those of the corpus, each with what comes of it as it is."""
    live = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        server.settimeout(10)
        for start in (
            lambda: subprocess.run(["curl", "-sk", "-m", "5", f"https://localhost:{port}/"], capture_output=True, check=False),
            lambda: requests.get(f"https://localhost:{port}/", impersonate=SHORT_PHONES[0], verify=False, timeout=5),
            lambda: requests.get(f"https://localhost:{port}/", impersonate="chrome131_android", verify=False, timeout=5),
        ):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                call = pool.submit(start)
                connection, _ = server.accept()
                with connection:
                    hello = connection.recv(5, socket.MSG_WAITALL)
                    live.append(hello + connection.recv(int.from_bytes(hello[3:], "big"), socket.MSG_WAITALL))
                call.exception()
    whole = hellos.recorded(live)
    return [(hello, hellos.send(target.port, hellos.Try([hello]))[0]) for hello in (whole[-2:] if short else whole)]


def raw(kind, sent, target, dice, short, few):
    """Plays one of the kinds of hellos.py; yields outcomes and objections."""

    def play(case):
        result, received = hellos.send(target.port, case)
        found = hellos.flaws(received, openssl.OLD in target.versions)
        if result not in case.wanted:
            sent_first = b"".join(case.pieces)[:40].hex()
            found.append(f"{result} {received[:7].hex()} in place of {' or '.join(sorted(case.wanted))}: {sent_first}…")
        return result, found

    # All clients that wait do so at the same time.
    with concurrent.futures.ThreadPoolExecutor(256 if kind == "waiting" else 24) as pool:
        yield from pool.map(play, itertools.islice(hellos.KINDS[kind](dice, sent, short), few))


def broken(kind, target, dice, short):
    """Plays one of the kinds of rules.py.

    The control is the same client without a breach: it is answered, and `judge` objects to that.
    """
    pairs = list(rules.rules(kind, target))
    if short:
        pairs = dice.sample(pairs, min(6, len(pairs)))

    def judge(rule, version):
        result = rules.play(target, rule, version)
        return result, [] if result in ("alert", "closed") else [f"{rule.name}, TLS 1.{version[1] - 1}: {result}"]

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        yield from pool.map(lambda pair: judge(*pair), pairs)
    for version in sorted({version for _, version in pairs}):
        result, found = judge(rules.Rule("nothing"), version)
        yield f"control {result}", [] if found else [f"control: a client that breaks no rule isn't answered, but {result}"]


# MARK: Beside all that


def ask_on(pipe, port, context):
    """An honest client, in a process of its own: asks on new connections until it is told to end; tells how long it waited."""
    die_with_parent()
    waits, failures = [], []
    while not pipe.poll(0.05):
        start = time.monotonic()
        try:
            with http1.connect(port, context, timeout=10) as connection:
                connection.sendall(openssl.REQUEST)
                answer = http1.Reader(connection).answer(10, "GET")
            if answer is None or answer.status >= 500:
                failures.append(f"status {answer and answer.status}")
        except (OSError, http1.Unreadable) as error:
            failures.append(f"{type(error).__name__}: {error}")
        waits.append(time.monotonic() - start)
    pipe.send((waits, failures))


@contextlib.contextmanager
def others(target, context, rows):
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=ask_on, args=(theirs, target.port, context), daemon=True)
    process.start()
    yield
    ours.send("end")
    waits, failures = ours.recv() if ours.poll(30) else ([], ["the honest client hangs"])
    process.join()
    found = failures[:3] or (["nobody else was served"] if not waits else [])
    if not failures and max(waits) > PATIENCE:
        found.append(f"somebody else waited {max(waits):.1f} s")
    longest, middle = (1000 * wait for wait in (max(waits, default=0), sorted(waits)[len(waits) // 2] if waits else 0))
    figures = f"longest wait {longest:.0f} ms, half below {middle:.0f} ms"
    rows.append(Row("others beside them", len(waits), {"served": len(waits) - len(failures)}, found, figures))


class Traces:
    """What is left of the handshakes when they are over."""

    def __init__(self, target):
        self.target, self.descriptors, self.memory = target, target.descriptors, target.process.memory
        self.log_start = target.log.stat().st_size

    def rows(self, patience):
        target = self.target
        end = time.monotonic() + patience
        while (left := target.descriptors - self.descriptors) > DESCRIPTORS and time.monotonic() < end:
            time.sleep(0.1)
        yield Row("descriptors", 1, {}, [f"{left} descriptors are left"] if left > DESCRIPTORS else [], f"{left:+}")
        with target.log.open("rb") as log:
            log.seek(self.log_start)
            lines = log.read().splitlines()
        marks = (hellos.NAME, hellos.SOURCE.encode(), b'"level":"error"', b'"level":"warning"')
        found = [line[:160].decode(errors="replace") for line in lines if any(mark in line for mark in marks)]
        if len(lines) > LINES:
            found.append(f"{len(lines)} lines")
        yield Row("log", len(lines), {}, [f"the log: {each}" for each in found[:3]], "")
        growth = target.process.memory - self.memory
        yield Row("memory", 1, {}, [f"{growth >> 20} MiB more"] if growth > GROWTH else [], f"{growth / (1 << 20):+.1f} MiB")


def play(target, kind, sent, seed, short, few=None):
    """The row of one kind. `few`: at most so many, for controls."""
    dice, start = hellos.dice(seed, kind), time.monotonic()
    if kind in hellos.KINDS:
        cases = raw(kind, sent, target, dice, short, few)
    elif kind in rules.KINDS:
        cases = broken(kind, target, dice, short)
    else:
        cases = itertools.islice((phones if kind == "phones" else openssl.KINDS[kind])(target, dice, short), few)
    cases = list(cases)
    found = list(dict.fromkeys(flaw for _, flaws in cases for flaw in flaws)) if cases else ["nothing is tried"]
    figures = "; ".join([f"{time.monotonic() - start:.1f} s", *target.notes[kind][:2]])
    print(f"handshakes: {target.name}: {kind}, {len(cases)} tries in {time.monotonic() - start:.1f} s", flush=True)
    return Row(kind, len(cases), collections.Counter(result for result, _ in cases), found, figures)


def attack(target, context, kinds, seed, short):
    """The rows of all kinds at one of our listeners."""
    rows = []
    sent = recorded(target, short)
    if "hello" not in {result for _, result in sent}:
        raise SystemExit("handshakes: no recorded hello is answered.")
    # What a process takes once and for all, for as many connections as there are at one time, isn't growth.
    play(target, "damaged", sent, seed + 1, True)
    if not short:
        play(target, "waiting", sent, seed + 1, False)
    traces = Traces(target)
    with others(target, context, rows), concurrent.futures.ThreadPoolExecutor(len(kinds)) as pool:
        # Those who wait need nothing of the machine meanwhile.
        waiting = [pool.submit(play, target, kind, sent, seed, short) for kind in kinds if kind in ("waiting", "never reading")]
        for kind in kinds:
            if kind not in rules.KINDS and kind not in ("waiting", "never reading"):
                rows.append(play(target, kind, sent, seed, short))
        # A few of these wait as well.
        waiting += [pool.submit(play, target, kind, sent, seed, short) for kind in kinds if kind in rules.KINDS]
        rows[len(rows) :] = [each.result() for each in waiting]
    return [*rows, *traces.rows(20)]


# MARK: Controls


@contextlib.contextmanager
def faulty(suite, kind):
    """A server with the fault that the kind looks for."""
    log = suite.scratch / f"control-{kind.replace(' ', '-')}.log"
    log.touch()
    old = ["-min_protocol", "TLSv1", "-cipher", "ALL:@SECLEVEL=0"]
    match kind:
        case "phones" | "in pieces" | "unknown things":
            server = controls.naive(controls.intolerant, log)
        case "downgrade" | "tickets made up":
            server = controls.naive(controls.agreeing, log)
        case "early data":
            server = controls.openssl(suite, "-early_data", *old)
        case "resumption" | "renegotiation":
            server = controls.openssl(suite, "-www", "-client_renegotiation", *old)
        case "half-closed" | "key updates" | "never reading":
            server = controls.naive(controls.hasty(suite.certificate("public")), log)
        case _:
            server = controls.naive(controls.hanging, log)
    with server as (port, pid):
        yield Target("control", port, pid, log, suite.authority)


def run_controls(suite, kinds, seed):
    """One row for each kind; it has an objection if there was none at the control."""
    sent = [(hello, "hello") for hello in hellos.recorded([])]

    def judge(kind, target):
        traces = Traces(target)
        row = play(target, kind, sent, seed, True, 12)
        left = list(traces.rows(1))
        # Whoever resets sees nothing himself.
        objections = [each for one in (left if kind == "cut, then RST" else [row]) for each in one.objections]
        for one, found in [(row, objections), *((one, one.objections) for one in left if kind == "large")]:
            missed = [] if found else ["the control isn't found out"]
            yield Row(one.kind, one.tries, one.outcomes, missed, "".join(found[:1])[:60])

    with contextlib.ExitStack() as servers:
        # Before there are threads, which a fork may catch holding a lock.
        targets = {kind: servers.enter_context(faulty(suite, kind)) for kind in kinds if kind not in rules.KINDS}
        with concurrent.futures.ThreadPoolExecutor(len(targets)) as pool:
            return list(itertools.chain.from_iterable(pool.map(lambda pair: list(judge(*pair)), targets.items())))


def at_once(parts):
    """Runs functions in processes of their own, so that none waits for another's interpreter; yields names and what they return."""

    def begin(part, pipe):
        die_with_parent()
        pipe.send(part())

    running = {}
    for name, part in parts.items():
        ours, theirs = multiprocessing.Pipe()
        multiprocessing.get_context("fork").Process(target=begin, args=(part, theirs)).start()
        theirs.close()
        running[name] = ours
    for name, pipe in running.items():
        try:
            yield name, pipe.recv()
        except EOFError:
            raise SystemExit(f"handshakes: the part {name} has failed, see above.") from None


def add_arguments(parser):
    parser.add_argument("--short", action="store_true", help="a part of each kind")
    parser.add_argument("--seed", type=int, default=1, help="other inputs")


def main():
    suite = Suite(__doc__.splitlines()[0], add_arguments)
    seed, short = suite.arguments.seed, suite.arguments.short
    kinds = ["phones", *openssl.KINDS, *hellos.KINDS, *rules.KINDS]
    if short:
        # A server that has the fault shows it after a minute.
        kinds.remove("never reading")
    inner, log = "verification-server", suite.state / "logs/verification-server.log"
    with Upstream(suite) as upstream, Proxy(suite, upstream.port) as proxy:
        public = Target("public", proxy.port, proxy.pid, proxy.log, suite.authority)
        between = Target("inner", suite.port(inner, "app"), suite.process(inner), log, suite.authority,
                         suite.certificate("metadata-proxy"), (openssl.NEW,))  # fmt: skip
        of_public = [kind for kind in kinds if kind != "client certificates"]
        of_inner = [kind for kind in kinds if kind != "phones"]
        tables = dict(at_once({
            "public": lambda: attack(public, suite.app_context(), of_public, seed, short),
            "inner": lambda: attack(between, suite.holder_context("metadata-proxy"), of_inner, seed, short),
            "control": lambda: run_controls(suite, kinds, seed),
        }))  # fmt: skip
        arrived = {one.body for one in upstream.take()}
        alive = proxy.is_running
    objections = [f"{name}: {row.kind}: {each}" for name, rows in tables.items() for row in rows for each in row.objections]
    objections += ["public: early data has reached a service"] * (hellos.NAME in arrived)
    objections += ["public: what follows early data has reached no service"] * (openssl.ORDINARY not in arrived)
    objections += ["public: the proxy has ended"] * (not alive)
    print(f"{'':8}{'kind':22}{'tries':>7}{'objections':>12}  outcomes")
    for name, rows in tables.items():
        for row in rows:
            outcomes = ", ".join(f"{word} {count}" for word, count in sorted(row.outcomes.items()))
            said = " · ".join(filter(None, [outcomes, row.figures]))
            print(f"{name:8}{row.kind:22}{row.tries:7}{len(row.objections):12}  {said}")
    for text in objections[:60]:
        print(f"handshakes: OBJECTION: {text}", file=sys.stderr)
    if objections:
        raise SystemExit(f"handshakes: {len(objections)} objections, see above.")


main()
