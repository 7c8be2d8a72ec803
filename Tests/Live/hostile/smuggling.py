"""Sends the corpus, and judges what the upstream saw and what the client got.

The control is a proxy that passes on what it gets: on it, the same judge must object.
"""

import collections
import concurrent.futures
import pathlib
import re
import time

import corpus
import naive
from check import Proxy, Report, Suite
from client import http1
from proof.reading import readers
from upstream import Upstream, receipt

MARKER = re.compile(rb"(case|hide|prob)-([0-9]{3})")


class Outcome:
    """What the client got for one case."""

    def __init__(self):
        # Pairs of an answer and the request method that it is for.
        self.answers = []
        self.closed = False
        self.flaw = None


def converse(case, port, context, patience):
    """Sends one case on a connection of its own, and reads until all is said, or for `patience` seconds."""
    outcome = Outcome()
    try:
        connection = http1.connect(port, context)
    except OSError as error:
        outcome.flaw = f"no connection: {error}"
        return outcome
    probe = http1.post("/version/v1/tan", case.probe.encode()) if case.then in ("probe", "close") else b""
    reader = http1.Reader(connection)
    try:
        connection.sendall(case.raw + probe)
        if case.then == "end":
            # A proper TLS close, after which the server may still answer.
            connection.settimeout(0.5)
            try:
                connection.unwrap()
            except OSError:
                pass
    except OSError:
        # The proxy has refused and closed while we were still writing; what it said may be there to read.
        pass
    if case.then == "cut":
        time.sleep(0.2)
        connection.close()
        outcome.closed = True
        return outcome
    if case.then == "end":
        outcome.closed = True
        connection.close()
        return outcome
    wanted = len(case.answers) + (1 if probe else 0)
    method = "HEAD" if case.raw.startswith(b"HEAD ") else "POST"
    try:
        while len(outcome.answers) <= wanted and not reader.closed:
            # Behind the last wanted answer only a surplus one, or an end, can come.
            last = len(outcome.answers) == wanted
            answer = reader.answer(0.3 if last else patience, method)
            if answer is None:
                break
            outcome.answers.append(answer)
            method = "POST"
    except http1.Unreadable as flaw:
        outcome.flaw = str(flaw)
    outcome.closed = reader.closed
    connection.close()
    return outcome


def judge(case, outcome, seen):
    """What there is to object to. `seen`: the upstream's requests that carry one of the case's marks."""
    objections = []
    if outcome.flaw:
        objections.append(f"the client got {outcome.flaw}")
    for one in seen:
        if one.flaws:
            objections.append(f"the upstream got a request with {', '.join(one.flaws)}")
        if case.hidden.encode() in one.head + one.body and not any(body == one.body for body in case.bodies):
            objections.append("the upstream got the hidden request")
    bodies = collections.Counter(one.body for one in seen)
    answers = list(outcome.answers)
    for allowed, body in zip(case.answers, case.bodies):
        times = bodies.pop(body, 0)
        if case.then in ("cut", "end"):
            objections += ["the upstream got what the client never finished"] * (times > 0)
            continue
        if not answers:
            if not outcome.closed:
                objections.append("neither an answer nor the end of the connection")
            elif "close" not in allowed:
                objections.append("the connection is closed without an answer")
            objections += ["the upstream got a request that isn't answered"] * (times > 0)
            break
        answer = answers.pop(0)
        if answer.status < 300:
            if "forwarded" not in allowed:
                objections.append(f"status {answer.status}")
            if times != 1:
                objections.append(f"the upstream got the request {times} times, with the body that it has")
            if answer.body and receipt(body).encode() not in answer.body:
                objections.append("the answer belongs to another request")
        else:
            if str(answer.status) not in allowed:
                objections.append(f"status {answer.status}")
            objections += ["the upstream got a request that is refused"] * (times > 0)
    times = bodies.pop(case.probe.encode(), 0)
    if case.then in ("probe", "close"):
        if case.then == "close" and answers:
            objections.append("the connection goes on after an answer that must be the last")
        if answers:
            answer = answers.pop(0)
            if answer.status != 201 or receipt(case.probe.encode()).encode() not in answer.body:
                objections.append(f"the request behind it is answered with {answer.status}, wrongly")
            objections += ["the request behind it is answered, but the upstream didn't get it"] * (times != 1)
        else:
            objections += ["the request behind it is neither answered nor refused"] * (not outcome.closed)
            objections += ["the upstream got the request behind it, which isn't answered"] * (times > 0)
    if answers:
        objections.append(f"{len(answers)} answers more than requests")
    for body, times in bodies.items():
        objections.append(f"the upstream got {body[:60]!r}, which nobody sent")
    return objections


def misread(arrived):
    """Objections to requests that other parsers don't read as the upstream does: what the proxy sends has one reading."""
    objections = []
    for one in arrived:
        data = one.head + b"\r\n\r\n" + one.body
        for name, reader in (("llhttp", readers.LLHTTP()), ("h11", readers.H11())):
            read = readers.complete(reader.requests(data))
            if [(message.target, message.body) for message in read] != [(one.path, one.body)]:
                objections.append(f"{name} reads {len(read)} requests in {data[:200]!r}, or another")
    return objections


def run(cases, port, context, upstream, patience, is_strict=False):
    """All cases; returns the objections to each, and those that belong to none. `is_strict`: other parsers read along."""
    upstream.take()
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        # Those that take long begin first.
        order = sorted(cases, key=lambda case: case.then != "silence")
        found = pool.map(lambda case: converse(case, port, context, patience), order)
        outcomes = dict(zip([case.name for case in order], found))
    time.sleep(0.5)
    seen = collections.defaultdict(list)
    arrived = upstream.take()
    strays = misread(arrived) if is_strict else []
    for one in arrived:
        marks = {number for _, number in MARKER.findall(one.head + one.body)}
        if len(marks) == 1:
            seen[marks.pop().decode()].append(one)
        else:
            strays.append(f"the upstream got {(one.head + one.body)[:80]!r}, which belongs to {len(marks)} cases")
    objections = {case.name: judge(case, outcomes[case.name], seen[case.marker[5:]]) for case in cases}
    return objections, strays, outcomes


def main():
    suite = Suite(__doc__.splitlines()[0])
    report = Report("smuggling")
    cases = corpus.read(pathlib.Path(__file__).parent / "corpus", suite.only)
    context = suite.app_context()
    with Upstream(suite) as upstream:
        with Proxy(suite, upstream.port) as proxy:
            objections, strays, outcomes = run(cases, proxy.port, context, upstream, 15, is_strict=True)
            report.require(proxy.is_running, "the proxy's process has ended")
            statuses = collections.Counter(
                str(outcome.answers[0].status) if outcome.answers else "none" for outcome in outcomes.values()
            )
            for name, texts in objections.items():
                for text in texts:
                    report.require(False, f"{name}: {text}")
            for text in strays + proxy.errors():
                report.require(False, text)
            # The process must serve others as before.
            connection = http1.connect(proxy.port, context)
            connection.sendall(http1.post("/version/v1/tan", b"prob-000"))
            answer = http1.Reader(connection).answer(5)
            report.require(answer and answer.status == 201, "a new client isn't served afterwards")
            connection.close()
        report.say(
            f"{len(cases)} requests; first answers: "
            + ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items()))
        )
    if suite.only:
        report.end()
        return
    with Upstream(suite) as upstream, naive.forwarding(suite, upstream.port) as port:
        quick = [case for case in cases if case.then in ("probe", "close")]
        objections, _, _ = run(quick, port, context, upstream, patience=1)
        caught = [name for name, texts in objections.items() if texts]
        smuggled = [name for name, texts in objections.items() if "the upstream got the hidden request" in texts]
        report.say(
            f"control: on a proxy that passes on what it gets, the judge objects to {len(caught)} of {len(quick)}; "
            f"{len(smuggled)} hidden requests arrive."
        )
        report.require(len(caught) >= 20, "the judge finds nothing wrong with a proxy that passes on what it gets")
        report.require(len(smuggled) >= 3, "no hidden request gets through a proxy that passes on everything")
    report.end()


main()
