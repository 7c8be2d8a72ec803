"""Shows by statistics whether an observer of arrival times learns anything from a running suite.

python measure.py STATE FIRST_PORT --pairs N --deadline MS --seed N

STATE is the suite's state folder. Ends with 0 if no two classes of requests can be told apart and every control can.
"""

import argparse
import itertools
import pathlib
import random
import sys
import time
import urllib.request

import numpy

import classes
import detector
import wire
from client.suite import Suite
from engine import Engine, Job

# The load, in requests a second: half of what the services take on two cores. More, and answers aren't there in time.
LOAD = 520
# The longest pause between an answer and the next request on a connection, in deadlines.
PAUSE = 0.6
# The most that the probability of a single false alarm among all tests may be.
LEVEL = 1e-5
# If a control isn't found there are more answers of each class, up to so many times as many as were asked for.
GROWTH = 8
# So many of a class may be answered otherwise than the class is defined by, and are measured all the same.
STRAYS = 0.02
# The exit status that says that something was found in late answers only.
TOO_SLOW = 3
# Rows of the closing table.
ROWS = 12


class Request(Job):
    """A request of a class."""

    def __init__(self, kind, phones, place=None, hold=0.0):
        """place: the block's times and the place in them; without it nothing is recorded."""
        self.kind, self.delay, self.hold = kind, kind.delay, hold
        self._phones, self._place, self._kept = phones, place, None
        self.strays = None

    def request(self):
        made = self._phones.request(self.kind)
        if made is None:
            return None
        (fields, body), self._kept = made
        return self.kind.path, fields, body

    def answered(self, answer, microseconds):
        if answer.status == self.kind.status:
            self._phones.answered(self.kind, self._kept, answer.body)
        elif self.strays is not None:
            self.strays[self.kind, answer.status] = self.strays.get((self.kind, answer.status), 0) + 1
        if self._place:
            times, index = self._place
            times[index] = microseconds


class Registering(Job):
    """A registration in preparation of others."""

    def __init__(self, fields, body):
        self._request = classes.ROUTES["registration"], fields, body
        self.token = None

    def request(self):
        return self._request

    def answered(self, answer, microseconds):
        if answer.status != 201:
            raise SystemExit(f"A fresh GUID was not registered: {answer.status}.")
        self.token = answer.body


class Measurement:
    """Answers of all classes, and how long each took."""

    def __init__(self, engine, phones, seed, deadline):
        """deadline: of the proxy, in seconds."""
        self._engine, self._phones, self._deadline = engine, phones, deadline
        self._random = random.Random(seed)
        # Of each block an array [class, answer] in microseconds, NaN where an answer is missing.
        self._blocks = []
        self.strays = {}

    def prepare(self):
        """Makes all state that requests of the first blocks refer to."""

        def register(requests):
            jobs = [Registering(*request) for request in requests]
            self._engine.run(jobs)
            return [job.token for job in jobs]

        self._phones.prepare(register)
        # Enough of each step, so that no request waits for the one that it depends on.
        for route, name, blocks in (
                ("registration", "fresh GUID", 28), ("tan", "valid", 24), ("upload", "valid", 20), ("tan", "second", 16),
                ("upload", "only reports", 12), ("tan", "third", 8), ("venue", "valid", 4), ("push", "first", 4),
                ("password", "valid", 4), ("donation", "valid", 4), ("password", "report", 8), ("password", "iPhone", 8),
                ("password", "iPhone's log", 4), ("password", "iPhone's report", 4), ("donation", "iPhone", 4),
                ("health", "key", 8), ("health", "positive", 8), ("health", "signed", 4)):
            kind = next(kind for kind in classes.KINDS if (kind.route, kind.name) == (route, name))
            self._engine.run(self._plain(kind, blocks * kind.of_each))
        # Until connections between the services are open and the kernel stamps packets.
        self._engine.run(itertools.chain.from_iterable(self._block(recorded=False) for _ in range(2)))

    def extend(self, count):
        """Measures until there are so many answers of each class, or in proportion fewer."""
        wanted = -(-count // classes.OF_EACH)
        self._engine.run(self._reporting(wanted))

    @property
    def latest(self):
        """Answers that took longer, in microseconds, are late. Halfway to the next moment at which the proxy lets answers leave."""
        return 1.5e6 * self._deadline

    def times(self, kind, without_late=False):
        """One row for each block; if so wanted, NaN in place of late ones."""
        times = numpy.stack([block[classes.KINDS.index(kind)][:kind.of_each] for block in self._blocks])
        return numpy.where(times <= self.latest, times, numpy.nan) if without_late else times

    def _reporting(self, wanted):
        start = reported = time.monotonic()
        first, size = len(self._blocks), sum(kind.of_each for kind in classes.KINDS)
        while len(self._blocks) < wanted:
            yield from self._block()
            now = time.monotonic()
            if now > reported + 15:
                reported = now
                rate = (len(self._blocks) - first) * size / (now - start)
                say(f"  {len(self._blocks) * size:,} of {wanted * size:,} requests, {rate:.0f} a second …")

    def _plain(self, kind, count):
        for _ in range(count):
            self._phones.stock()
            yield Request(kind, self._phones)

    def _block(self, recorded=True):
        self._phones.stock()
        times = numpy.full((len(classes.KINDS), classes.OF_EACH), numpy.nan)
        if recorded:
            self._blocks.append(times)
        jobs = [
            Request(
                kind, self._phones, (times, (row, column)),
                hold=self._deadline if self._random.random() < kind.late_share else 0.0)
            for row, kind in enumerate(classes.KINDS) for column in range(kind.of_each)]
        self._random.shuffle(jobs)
        for job in jobs:
            job.strays = self.strays if recorded else None
        return jobs


# MARK: Judging


class Comparison:
    """Two groups of classes that must look alike, or a control and what it must not look like."""

    def __init__(self, title, first, second, is_control=False):
        """first, second: kinds, whose answers are put together; the first group has no more answers than the second."""
        self.title, self.first, self.second, self.is_control = title, first, second, is_control
        self.findings = []

    @property
    def probability(self):
        return min(finding.corrected for finding in self.findings)

    def judge(self, measurement, without_late, generator):
        first, second = (
            numpy.concatenate([measurement.times(kind, without_late) for kind in kinds], axis=1)
            for kinds in (self.first, self.second))
        self.findings = detector.compare(detector.match(first, second, generator), measurement.latest)

    def row(self):
        mean, trimmed, distance, classifier, late = self.findings
        return (
            f"{self.title:<48} {mean.effect:>9.1f} {trimmed.effect:>9.1f} {distance.effect:>9.4f}"
            f" {classifier.effect:>9.4f} {late.effect:>8.3%}   {self.probability:.1e} {late.corrected:.1e}")


class LateControl(Comparison):
    """A class with more late answers, and the others: only the test for these may find it."""

    @property
    def probability(self):
        return self.findings[-1].corrected


def comparisons():
    """The whole family."""
    family = []
    for route in classes.ROUTES:
        kinds = [kind for kind in classes.KINDS if kind.route == route and not kind.is_control]
        family += _of_route(route, kinds)
        for control in (kind for kind in classes.KINDS if kind.route == route and kind.is_control):
            # As each class is compared. Its twin is one of the others.
            if control.name == classes.LATE:
                share = f"{classes.LATE_SHARE:.0%}"
                family.append(LateControl(f"{route}: {control.sends} late in {share} more, the others", [control], kinds, True))
            else:
                family.append(Comparison(f"{route}: {control.sends} 200 µs later, the others", [control], kinds, True))
    for first, second in itertools.combinations(["registration", "testresult", "tan"], 2):
        family.append(_groups(f"{first}, {second}", *(
            [kind for kind in classes.KINDS if kind.route == route and not kind.is_control] for route in (first, second))))
    return family


def _of_route(route, kinds):
    """Every two classes, every class and the others, and what many classes may have in common."""
    for first, second in itertools.combinations(kinds, 2):
        yield _groups(f"{route}: {first.name}, {second.name}", [first], [second])
    for kind in kinds:
        yield Comparison(f"{route}: {kind.name}, the others", [kind], [other for other in kinds if other is not kind])
    for title, chosen in (("dummies", lambda kind: kind.is_dummy), ("refused", lambda kind: kind.is_refused)):
        some = [kind for kind in kinds if chosen(kind)]
        if len(some) > 1:
            yield _groups(f"{route}: {title}, the others", some, [kind for kind in kinds if kind not in some])


def _groups(title, *groups):
    return Comparison(title, *sorted(groups, key=lambda kinds: sum(kind.of_each for kind in kinds)))


def judge(measurement, seed, without_late=False):
    """without_late: late answers are left out."""
    family = comparisons()
    generator = numpy.random.default_rng(seed)
    for comparison in family:
        comparison.judge(measurement, without_late, generator)
    detector.correct([finding for comparison in family for finding in comparison.findings])
    return family


def overruns(port):
    """How many answers left later than at the first moment, as the proxy counts them; None if it doesn't."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    counts = [float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith("answer_overruns_total")]
    return int(sum(counts)) if counts else None


def say(words):
    print(words, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("state", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=1500)
    parser.add_argument("--deadline", type=float, default=50)
    parser.add_argument("--protocol", choices=wire.CONNECTIONS, default=wire.HTTP1.protocol)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--adverse", action="store_true", help="late answers are what is looked for, and no excuse")
    options = parser.parse_args()

    complaint = detector.try_detector()
    if complaint:
        raise SystemExit(f"The detector is wrong: {complaint}.")
    say("The detector raises no false alarms on made-up times without a leak, and finds made-up leaks.")

    connection = wire.CONNECTIONS[options.protocol]
    suite = Suite(options.state, options.programs)
    port, trust = suite.port("metadata-proxy"), suite.app_context((connection.protocol,))
    # Of those that wait for an answer or pause.
    at_a_time = LOAD * options.deadline / 1000 * (1 + PAUSE / 2)
    connections = max(1, round(at_a_time / connection.capacity))
    engine = Engine(
        lambda: connection(port, trust), connections,
        pause=PAUSE * options.deadline / 1000, seed=options.seed)
    phones = classes.Phones(suite, options.seed)
    measurement = Measurement(engine, phones, options.seed, options.deadline / 1000)
    measurement.prepare()
    before = overruns(suite.port("metadata-proxy", "admin"))

    pairs = options.pairs
    say(f"Measuring {pairs:,} answers of each of {len(classes.KINDS)} classes over {connections} connections, "
        f"{options.protocol} …")
    while True:
        measurement.extend(pairs)
        family = judge(measurement, options.seed)
        missed = [comparison for comparison in family if comparison.is_control and comparison.probability >= LEVEL]
        told_apart = [comparison for comparison in family if not comparison.is_control and comparison.probability < LEVEL]
        if told_apart or not missed or 2 * pairs > GROWTH * options.pairs:
            break
        pairs *= 2
        say(f"Not found: {', '.join(comparison.title for comparison in missed)}. Measuring up to {pairs:,} of each class …")
    engine.close()
    say("")
    show(family)
    after = overruns(suite.port("metadata-proxy", "admin"))
    if after is None:
        say("The proxy counts no overruns.")
    else:
        say(f"{after - (before or 0)} times an answer was not there in time and left later; that is in the above.")
    sys.exit(conclude(measurement, family, told_apart, missed, pairs, options))


def show(family):
    """The clearest differences, and the controls."""
    honest = [comparison for comparison in family if not comparison.is_control]
    honest.sort(key=lambda each: min(finding.probability for finding in each.findings))
    say(f"{'':<48} {'mean':>9} {'trimmed':>9} {'distance':>9} {'accuracy':>9} {'late':>8}   probability, of late")
    for comparison in honest[:ROWS]:
        say(comparison.row())
    say(f"… and {max(0, len(honest) - ROWS)} more. The controls:")
    for comparison in family:
        if comparison.is_control:
            say(comparison.row())
    say("Means in µs; accuracy of a single guess, 0.5 is a coin's; late: difference of the shares of answers that came a deadline late "
        "or more; probability that chance does this, by any test and by late answers alone, after Holm.")


def conclude(measurement, family, told_apart, missed, pairs, options):
    """Says the verdict. Returns the exit status."""
    honest_kinds = [kind for kind in classes.KINDS if not kind.is_control]
    shares = {kind: numpy.mean(measurement.times(kind) > measurement.latest) for kind in honest_kinds}
    late = sorted(honest_kinds, key=lambda kind: -shares[kind])[:4]
    say(f"Of all answers {numpy.mean([*shares.values()]):.3%} came a deadline late or more, most often "
        + ", ".join(f"{kind.route}: {kind.name} {shares[kind]:.3%}" for kind in late) + ".")

    strays = {}
    for (kind, status), count in measurement.strays.items():
        say(f"{count} answers to {kind.route}: {kind.name} were {status} instead of {kind.status}.")
        strays[kind] = strays.get(kind, 0) + count
    for kind in classes.KINDS:
        times = measurement.times(kind)
        if strays.get(kind, 0) + int(numpy.isnan(times).sum()) > STRAYS * times.size:
            say(f"FAILED: too few answers to {kind.route}: {kind.name} are what they should be.")
            return 1

    honest = [comparison for comparison in family if not comparison.is_control]
    tests = sum(len(comparison.findings) for comparison in family)
    extent = f"{tests} tests at {LEVEL:g} after Holm, {pairs:,} answers of each class"
    if told_apart:
        if not options.adverse and all(comparison.is_control or comparison.probability >= LEVEL for comparison in judge(measurement, options.seed, True)):
            say(f"Without the answers that came late there is no difference by {extent}: the services, or this machine, are "
                "too slow for the deadline.")
            return TOO_SLOW
        say(f"DISTINGUISHABLE: {len(told_apart)} of {len(honest)} comparisons by {extent}.")
        return 1
    if missed:
        say(f"FAILED: with {pairs:,} answers of each class these controls were not found: "
            + "; ".join(comparison.title for comparison in missed) + ".")
        return 1
    least = min(comparison.probability for comparison in honest)
    widest = max(abs(comparison.findings[1].effect) for comparison in honest)
    say(f"INDISTINGUISHABLE: none of {len(honest)} comparisons by {extent} (least {least:.2g}; trimmed means "
        f"differ by {widest:.0f} µs at most); all {len(family) - len(honest)} controls were found.")
    return 0


if __name__ == "__main__":
    main()
