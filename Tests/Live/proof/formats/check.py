"""Compares algorithms and formats of the suite's own code with PyPI's cryptography, OpenSSL's library and other readers.

Algorithms have to agree both ways: what one makes the other takes, and both refuse the same. Of formats, what the suite
accepts others accept, too, and read as the same; what everybody writes the suite accepts; and what it has read it writes
as it was.
"""

import argparse
import collections
import pathlib
import random
import sys
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "certificates")]

import algorithms  # noqa: E402
import formats  # noqa: E402
import vectors  # noqa: E402
from ours import Crash, Ours  # noqa: E402

warnings.simplefilter("ignore")
MAKERS = {**algorithms.ALL, **formats.ALL}
# How many cases are on their way.
AHEAD = 32
# Microseconds of processor time, in a build for debugging.
LONGEST = 2_000_000
# In MiB.
LARGEST = 256


class Liar:
    """Takes the place of the suite's code for a control: it accepts what was refused, and changes what was computed."""

    def __init__(self, ours, random):
        self.ours, self.random = ours, random
        self.send, self.peak, self.end = ours.send, ours.peak, ours.end

    def receive(self):
        answer = self.ours.receive()
        if not answer.accepted:
            answer.accepted, answer.words = True, ""
        elif self.random.random() < 0.5:
            answer.accepted = False
        else:
            answer.words = answer.words[:-1] + ("1" if answer.words[-1:] == "0" else "0")
        return answer


class Check:
    def __init__(self, ours):
        self.ours = ours
        self.findings = collections.defaultdict(list)
        self.counts = collections.defaultdict(collections.Counter)

    def run(self, name, cases, seconds=None):
        """Sends cases and judges their answers."""
        start, waiting = time.monotonic(), collections.deque()
        for case in cases:
            self.ours.send(case.kind, *case.fields)
            waiting.append(case)
            if len(waiting) > AHEAD:
                self.judge(name, waiting.popleft())
            if seconds is not None and time.monotonic() - start > seconds:
                break
        while waiting:
            self.judge(name, waiting.popleft())
        counts = self.counts[name]
        print(
            f"  {name:14} {sum(counts.values()):7} cases, {counts['accepted']:7} accepted, {counts['refused']:7} refused, "
            f"{len(self.findings[name])} findings, {time.monotonic() - start:.0f} s", flush=True)

    def judge(self, name, case):
        try:
            answer = self.ours.receive()
        except Crash as crash:
            self.findings[name].append((str(crash), case))
            raise
        self.counts[name]["accepted" if answer.accepted else "refused"] += 1
        problem = case.judge(answer)
        if problem is None and answer.microseconds > LONGEST:
            problem = f"takes {answer.microseconds / 1e6:.1f} s"
        if problem:
            self.findings[name].append((problem, case))

    def report(self):
        """Whether there is a finding."""
        for name, found in self.findings.items():
            for problem, case in sorted(found, key=lambda one: sum(map(len, map(str, one[1].fields))))[:8]:
                print(f"FINDING in {name}: {problem}")
                for field in case.fields:
                    print(f"    {field.hex() if isinstance(field, bytes) else field}")
            if len(found) > 8:
                print(f"FINDING in {name}: {len(found) - 8} more")
        return any(self.findings.values())


def cases(name, count, randomness, keys):
    return (MAKERS[name](randomness, keys) for _ in range(count))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"what is tried: {', '.join(MAKERS)}; all by default")
    parser.add_argument("--count", type=int, default=100_000, help="cases of each (default 100000)")
    parser.add_argument("--short", action="store_true", help="half a second for each")
    parser.add_argument("--seed", type=int, default=1, help="other cases (default 1)")
    parser.add_argument("--vectors", type=pathlib.Path,
        help="a folder with the packages of Tests/Python/vectors.txt: their vectors too")
    options = parser.parse_args()
    for name in options.names:
        if name not in MAKERS:
            parser.error(f"{name} is none of {', '.join(MAKERS)}")
    names = options.names or list(MAKERS)
    randomness = random.Random(options.seed)
    algorithm_keys, format_keys = algorithms.Keys(randomness), formats.Keys(randomness)
    keys = {name: algorithm_keys if name in algorithms.ALL else format_keys for name in names}

    print("control: a program that lies")
    control = Check(Liar(Ours(), randomness))
    for name in names:
        control.run(name, cases(name, 100, randomness, keys[name]))
    control.ours.end()
    blind = [name for name in names if not control.findings[name]]
    if blind:
        print(f"FAILED: lies about {', '.join(blind)} aren't found out.")
        return 1

    print("the suite's own code")
    check = Check(Ours())
    try:
        for name in names:
            check.run(name, cases(name, options.count, randomness, keys[name]), 0.5 if options.short else None)
        if options.vectors:
            for name, some in vectors.all(options.vectors):
                check.run(name, some)
        peak = check.ours.peak()
        print(f"at most {peak:.0f} MiB")
        if peak > LARGEST:
            print(f"FINDING: more than {LARGEST} MiB")
            return 1
        check.ours.end()
    except Crash as crash:
        print(f"the program ended: {crash}")
    if check.report():
        print("FAILED.")
        return 1
    print(f"PASSED: {sum(sum(counts.values()) for counts in check.counts.values())} cases.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
