"""One reading of a request: gives the same bytes to our parser and to seven others, and objects where they part ways.

An input is a connection's bytes. A finding is any of these:
- passed on: a proxy passes something on that we read as another number of requests, another target, host or body than it meant,
  or than llhttp or h11 reads;
- accepted: we accept a request that three peers refuse, for a reason that known.py doesn't have;
- otherwise: llhttp or h11 accept the same requests and read something else in them, or a proxy passes on as many with other bodies;
- written: a peer reads what our clients write otherwise than as this one request.

What answers.py finds in answers comes to that.
"""

import argparse
import collections
import functools
import os
import pathlib
import pickle
import signal
import sys
import tempfile
import time

import answers
import crowd
import inputs
import judge
import known
import peers
import readers
from client.proxy import raise_file_limit

BATCH = 4000


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

    def stop(self):
        for proxy in self.proxies:
            proxy.stop()
        self.crowd.close()

    def send(self, pairs, patience):
        """Outcomes of pairs of an input and a port. If more are left waiting than should be, the machine is busy: again."""
        outcomes = self.crowd.run(pairs, patience=patience)
        late = [place for place, outcome in enumerate(outcomes) if outcome.ended == "waiting"]
        if len(late) > len(pairs) // 50:
            for place, outcome in zip(late, self.crowd.run([pairs[place] for place in late], width=64, patience=3 * patience)):
                outcomes[place] = outcome
        self.counts["connections left waiting"] += sum(outcome.ended == "waiting" for outcome in outcomes)
        return outcomes

    def run(self, batch, patience=crowd.PATIENCE):
        """Findings of a list of inputs: a list for each."""
        read = self.ours.requests(batch)
        outcomes = self.send([(data, proxy.port) for data in batch for proxy in self.proxies], patience)
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
            bodies = []
            for passed in outcome.passed:
                again = next(behind)
                bodies += [message.body for message in readers.complete(again)]
                self.counts["requests passed on"] += 1
                self.counts["requests passed on that we refuse"] += again.end == "refused"
                others = {"llhttp": self.llhttp.requests(passed), "h11": self.h11.requests(passed)}
                if rule := judge.passed_on(passed, again, others):
                    findings.append(judge.Finding("passed on", rule, proxy.name))
            # Unless it has answered one itself. The order in which its connections end isn't that of the requests.
            mine = [message.body for message in readers.complete(ours)]
            if fates[proxy.name][0] == len(bodies) == len(mine) and sorted(bodies) != sorted(mine):
                findings.append(judge.Finding("otherwise", "another body", proxy.name))
            # It may close earlier than we, and finds no request where we find none.
            if mine and ours.messages[-1].target == "/last" and fates[proxy.name][0] > len(mine):
                findings.append(judge.Finding("otherwise", "more requests", proxy.name))
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


class Written:
    """Findings of requests as our clients write them: each peer must read one, and the same.

    A proxy in front of the recorder must pass it on as it is.
    """

    def __init__(self, trial):
        self.trial = trial
        self.counts, self.rules = collections.Counter(), collections.Counter()

    def run(self, batch, patience=crowd.PATIENCE):
        """Of inputs whose requests are read by us and written again: a list of findings for each."""
        written = self.trial.ours.written(batch)
        found = iter(self.sent([data for requests in written for data in requests], patience))
        return [[finding for _ in requests for finding in next(found)] for requests in written]

    def sent(self, requests, patience=crowd.PATIENCE):
        """Of requests each: a list of findings for each."""
        trial = self.trial
        self.counts["requests written"] += len(requests)
        pairs = [(data + inputs.LAST, proxy.port) for data in requests for proxy in trial.proxies]
        outcomes = iter(trial.send(pairs, patience))
        found = []
        for data, ours in zip(requests, trial.ours.requests(requests)):
            findings = []
            found.append(findings)
            wanted = ours.messages[0] if readers.complete(ours) else None
            if not wanted or len(ours.messages) > 1 or wanted.end != len(data):
                findings.append(judge.Finding("written", "we don't read one request in what we write", "we"))
            for name, reader in (("llhttp", trial.llhttp), ("h11", trial.h11)):
                read = readers.complete(reader.requests(data))
                self._compare(findings, name, wanted, data, read, not read)
            for proxy in trial.proxies:
                outcome = next(outcomes)
                count, refused = judge.fate(outcome)
                read = [message for passed in outcome.passed for message in readers.complete(trial.llhttp.requests(passed))]
                if read and read[-1].target == "/last":
                    read.pop()
                elif outcome.ended == "waiting":
                    continue
                self._compare(findings, proxy.name, wanted, data, read, refused and count == 0)
        return found

    def _compare(self, findings, name, wanted, data, read, refused):
        if not wanted:
            return
        same = len(read) == 1 and judge.plain(read[0])[:4] == judge.plain(wanted)[:4]
        if same or (not read and not refused):
            return
        if rule := known.excuse(name, wanted, data):
            self.rules[rule.name] += 1
        elif not read:
            findings.append(judge.Finding("written", "a peer refuses what we write", name))
        elif len(read) > 1:
            findings.append(judge.Finding("written", f"a peer reads {len(read)} requests in one that we write", name))
        else:
            parts = judge.differences(judge.plain(read[0]), judge.plain(wanted))
            findings.append(judge.Finding("written", f"a peer reads another {', '.join(parts)}", name))


def told(number, data, finding):
    data = data.removesuffix(inputs.LAST) if isinstance(data, bytes) else f"to {data[0]} ".encode() + data[1]
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


def batches(first, count):
    """Ranges of numbers, with what has been done said twice a minute."""
    end, said = first + count, time.monotonic()
    for start in range(first, end, BATCH):
        yield range(start, min(end, start + BATCH))
        if time.monotonic() - said > 30:
            said = time.monotonic()
            print(f"{min(end, start + BATCH) - first} of {count} inputs", file=sys.stderr)


def search(check, make, first, count):
    """Findings, as triples of a number, an input and a finding, that stand when they are tried again.

    `check`: gives a list of findings for each of a list of inputs. `make`: an input of its number.
    """
    found = []
    for numbers in batches(first, count):
        batch = [make(number) for number in numbers]
        found += [(number, data, finding) for number, data, findings in zip(numbers, batch, check(batch)) for finding in findings]
    figures = check.__self__.counts.copy(), check.__self__.rules.copy()
    # A machine that is busy with other things makes peers look as if they waited.
    again = check([data for _, data, _ in found], patience=3) if found else []
    stand = [one for one, findings in zip(found, again) if one[2] in findings]
    figures[0]["looked at twice"] = len(found)
    return stand, *figures


def report(what, seconds, found, counts, rules):
    print(f"reading: {what} in {seconds:.0f} s: " + ", ".join(f"{name}: {count}" for name, count in sorted(counts.items())))
    for rule, count in rules.most_common():
        print(f"reading: explained by “{rule}”: {count}")
    kinds = collections.Counter(finding.kind for _, _, finding in found)
    print(f"reading: findings: {len(found)}" + "".join(f", {kind}: {count}" for kind, count in kinds.items()))
    return kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reader", required=True, help="our parsers: the program http1-reader")
    for name in peers.COMMANDS:
        parser.add_argument(f"--{name.lower()}", required=True, help="the program")
    parser.add_argument("--count", type=int, default=1_000_000, help="how many connections of requests")
    parser.add_argument("--written", type=int, default=100_000, help="of how many of them what we write is tried, too")
    parser.add_argument("--answers", type=int, default=100_000, help="how many answers")
    parser.add_argument("--sent", type=pathlib.Path, help="what the metadata proxy has sent, as sent.py keeps it")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--seed", type=int, default=1, help="other inputs with the same numbers")
    parser.add_argument("--only", type=int, help="the number of one connection of requests, of which all is said")
    parser.add_argument("--control", action="store_true", help="naive parsers in our place: without findings it fails")
    arguments = parser.parse_args()
    raise_file_limit()
    # The peers are stopped, too: Apache changes its user, and then doesn't learn any more that its parent has ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    request, answer = (functools.partial(make, arguments.seed) for make in (inputs.request, inputs.answer))
    objections = []
    with tempfile.TemporaryDirectory(prefix="vigil-scratch.") as folder:
        os.chmod(folder, 0o755)
        trial = Trial(arguments, pathlib.Path(folder))
        try:
            if arguments.only is not None:
                return explain(trial, arguments.only, request(arguments.only))
            who = "naive parsers" if arguments.control else "our parsers"
            start = time.monotonic()
            found, *figures = search(trial.run, request, arguments.first, arguments.count)
            what = f"{arguments.count} connections of requests to {who}, {len(trial.proxies)} proxies, llhttp and h11"
            kinds = report(what, time.monotonic() - start, found, *figures)
            objections += found
            if not arguments.control:
                start, check = time.monotonic(), Written(trial)
                found, *figures = search(check.run, request, arguments.first, arguments.written)
                what = f"what we write of the requests of {arguments.written} connections to the same"
                kinds += report(what, time.monotonic() - start, found, *figures)
                objections += found
            if arguments.sent:
                requests = pickle.loads(arguments.sent.read_bytes())
                start, check = time.monotonic(), Written(trial)
                found, *figures = search(check.sent, requests.__getitem__, 0, len(requests))
                what = f"{len(requests)} requests that the metadata proxy has sent to the same"
                kinds += report(what, time.monotonic() - start, found, *figures)
                objections += found
            start, check = time.monotonic(), answers.Answers(trial, pathlib.Path(folder, "curl"))
            found, *figures = search(check.run, answer, arguments.first, arguments.answers)
            what = f"{arguments.answers} answers to {who}, {len(trial.proxies)} proxies, curl, llhttp and h11"
            kinds += report(what, time.monotonic() - start, found, *figures)
            objections += found
        finally:
            trial.stop()
    if arguments.control:
        for kind in ("passed on", "accepted", "otherwise", "answer accepted", "answer otherwise"):
            if not kinds[kind]:
                sys.exit(f"reading: OBJECTION: of the kind “{kind}” nothing is found with naive parsers in our place")
        return
    seen = collections.Counter()
    for number, data, finding in objections:
        seen[finding] += 1
        # A few of each kind tell as much as all.
        if seen[finding] <= 5:
            print(f"reading: {told(number, data, finding)}")
    for data in trial.crowd.strays[:10]:
        print(f"reading: OBJECTION: something without a number arrives behind a proxy: {data[:300]!r}")
    sys.exit(1 if objections or trial.crowd.strays else 0)


main()
