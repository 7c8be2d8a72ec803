"""One reading of a request: gives the same bytes to our parser and to seven others, and objects where they part ways.

An input is a connection's bytes. A finding is any of these:
- passed on: a proxy passes something on that we read as another number of requests, another target, host or body than it meant,
  or than llhttp or h11 reads;
- accepted: we accept a request that three peers refuse, for a reason that known.py doesn't have;
- otherwise: llhttp or h11 accept the same requests and read something else in them.
"""

import argparse
import collections
import os
import pathlib
import sys
import tempfile
import time

import crowd
import inputs
import judge
import peers
import readers
from client.proxy import raise_file_limit

BATCH = 2000


class Trial:
    """All peers, and what they and we make of inputs."""

    def __init__(self, arguments, folder):
        self.ours = readers.Naive() if arguments.control else readers.Ours(arguments.reader)
        self.llhttp, self.h11 = readers.LLHTTP(), readers.H11()
        self.crowd = crowd.Crowd()
        programs = {name: getattr(arguments, name.lower()) for name in peers.COMMANDS}
        self.proxies = peers.start(folder, programs, self.crowd.port)
        self.counts = collections.Counter()
        self.rules = collections.Counter()
        self.statuses = collections.Counter()

    def stop(self):
        for proxy in self.proxies:
            proxy.stop()
        self.crowd.close()

    def run(self, batch, patience=crowd.PATIENCE):
        """Findings of a list of inputs: a list for each."""
        read = self.ours.requests(batch)
        outcomes = self.crowd.run([(data, proxy.port) for data in batch for proxy in self.proxies], patience=patience)
        behind = iter(self.ours.requests([data for outcome in outcomes for data in outcome.passed]))
        found = []
        for place, (data, ours) in enumerate(zip(batch, read)):
            part = outcomes[place * len(self.proxies) : (place + 1) * len(self.proxies)]
            found.append(self._judge(data, ours, part, behind))
        return found

    def _judge(self, data, ours, outcomes, behind):
        findings, fates = [], {}
        self.counts["requests that we accept"] += len(readers.complete(ours))
        self.counts["connections that we refuse"] += ours.end == "refused"
        for proxy, outcome in zip(self.proxies, outcomes):
            fates[proxy.name] = judge.fate(outcome)
            for passed in outcome.passed:
                again = next(behind)
                self.counts["requests passed on"] += 1
                self.counts["requests passed on that we refuse"] += again.end == "refused"
                others = {"llhttp": self.llhttp.requests(passed), "h11": self.h11.requests(passed)}
                if rule := judge.passed_on(passed, again, others):
                    findings.append(judge.Finding("passed on", rule, proxy.name))
        for name, reading in (("llhttp", self.llhttp.requests(data)), ("h11", self.h11.requests(data))):
            fates[name] = len(readers.complete(reading)), reading.end == "refused"
            if parts := judge.read_otherwise(ours, reading):
                findings.append(judge.Finding("otherwise", f"another {parts}", name))
        refusers = judge.refusers(data, ours, fates)
        if len(refusers) >= 3:
            self.counts["inputs with a request that we accept and three peers refuse"] += 1
            self.rules.update({rule.name for _, rule in refusers if rule})
            if sum(rule is None for _, rule in refusers) >= 3:
                names = " ".join(name for name, _ in refusers)
                findings.append(judge.Finding("accepted", "three peers refuse what we accept", names))
        return findings


def told(number, data, finding):
    data = data.removesuffix(inputs.LAST)
    text = f"{data[:600]!r}" + (f" and {len(data) - 600} bytes more" if len(data) > 600 else "")
    return f"OBJECTION: input {number}: {finding.kind}: {finding.rule} ({finding.peers}): {text}"


def explain(trial, number, data):
    """All that there is to know about one input."""
    print(f"input {number}: {data!r}")
    for name, reading in (
        ("we", trial.ours.requests([data])[0]), ("llhttp", trial.llhttp.requests(data)), ("h11", trial.h11.requests(data)),
    ):  # fmt: skip
        print(f"{name}: {reading.end} {reading.said}")
        for message in reading.messages:
            print(f"    {message}")
    for proxy, outcome in zip(trial.proxies, trial.crowd.run([(data, proxy.port) for proxy in trial.proxies], patience=2)):
        print(f"{proxy.name}: {[(status, recorded) for status, recorded, _ in outcome.answers]} {outcome.ended}")
        for passed in outcome.passed:
            print(f"    {passed!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reader", required=True, help="our parser: the program http1-reader")
    for name in peers.COMMANDS:
        parser.add_argument(f"--{name.lower()}", required=True, help="the program")
    parser.add_argument("--count", type=int, default=1_000_000, help="how many inputs")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--seed", type=int, default=1, help="other inputs with the same numbers")
    parser.add_argument("--only", type=int, help="the number of one input, of which all is said")
    parser.add_argument("--control", action="store_true", help="a naive parser in our place: without findings it fails")
    arguments = parser.parse_args()
    raise_file_limit()
    start, findings, confirmed = time.monotonic(), [], []
    with tempfile.TemporaryDirectory(prefix="vigil-scratch.") as folder:
        os.chmod(folder, 0o755)
        trial = Trial(arguments, pathlib.Path(folder))
        try:
            if arguments.only is not None:
                return explain(trial, arguments.only, inputs.request(arguments.seed, arguments.only))
            end = arguments.first + arguments.count
            said = time.monotonic()
            for first in range(arguments.first, end, BATCH):
                numbers = range(first, min(end, first + BATCH))
                batch = [inputs.request(arguments.seed, number) for number in numbers]
                for number, data, found in zip(numbers, batch, trial.run(batch)):
                    findings += [(number, data, finding) for finding in found]
                if time.monotonic() - said > 30:
                    said = time.monotonic()
                    done = numbers[-1] + 1 - arguments.first
                    print(f"{done} of {arguments.count} inputs, {len(findings)} findings", file=sys.stderr)
            figures = trial.counts.copy(), trial.rules.copy()
            # Whatever the machine was busy with: each that matters is tried again, alone.
            for number, data, finding in findings[:200]:
                if finding in trial.run([data], patience=3)[0]:
                    confirmed.append((number, data, finding))
        finally:
            trial.stop()
        strays = trial.crowd.strays
    counts, rules = figures
    who = "a naive parser" if arguments.control else "our parser"
    print(
        f"reading: {arguments.count} inputs to {who}, {len(trial.proxies)} proxies, llhttp and h11 in "
        f"{time.monotonic() - start:.0f} s: " + ", ".join(f"{name}: {count}" for name, count in sorted(counts.items()))
    )
    for rule, count in rules.most_common():
        print(f"reading: explained by “{rule}”: {count}")
    kinds = collections.Counter(finding.kind for _, _, finding in confirmed)
    print(f"reading: findings: {len(confirmed)}" + "".join(f", {kind}: {count}" for kind, count in kinds.items()))
    if arguments.control:
        if kinds["passed on"] + kinds["otherwise"] == 0 or kinds["accepted"] == 0:
            sys.exit("reading: OBJECTION: nothing is found with a naive parser in our place")
        return
    for number, data, finding in confirmed[:40]:
        print(f"reading: {told(number, data, finding)}")
    for data in strays[:10]:
        print(f"reading: OBJECTION: something without a number arrives behind a proxy: {data[:300]!r}")
    sys.exit(1 if confirmed or strays else 0)


main()
