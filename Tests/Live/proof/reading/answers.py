"""One reading of an answer: the same bytes for our parser of answers, curl, llhttp, h11, and five proxies as clients of a recorder.

An input is what a server sends back and the end of its connection. A finding is an answer that we accept and that
- three peers refuse, for a reason that known.py doesn't have; or
- a peer reads as another status or body.
"""

import collections
import pathlib
import subprocess

import crowd
import judge
import known
import readers
from client.proxy import die_with_parent

# Of a proxy's own answer: it couldn't read the other.
UNREADABLE = {500, 502, 503, 504}
# Of lighttpd's own page, which it puts in the place of an error that has bytes behind it.
OWN_PAGE = b'<?xml version="1.0" encoding="iso-8859-1"?>'
# Of curl's exit statuses.
TIMED_OUT = 28


class Curl:
    """One process for many answers."""

    def __init__(self, folder, port, methods, addresses):
        self.folder, self.methods = folder, methods
        self.folder.mkdir(exist_ok=True)
        lines = []
        for place, (method, address) in enumerate(zip(methods, addresses)):
            (folder / f"{place}").unlink(missing_ok=True)
            lines += [
                f'url = "http://127.0.0.1:{port}/"', f'output = "{folder}/{place}"', f'header = "X-From: {address}"',
                "silent", "max-time = 8", f'write-out = "{place} %{{http_code}} %{{exitcode}}\\n"',
            ]  # fmt: skip
            if method == "HEAD":
                lines.append("head")
            lines.append("next")
        (folder / "config").write_text("\n".join(lines[:-1]))
        self.output = (folder / "said").open("wb")
        self.process = subprocess.Popen(
            ["curl", "--disable", "--parallel", "--parallel-immediate", "--parallel-max", "60", "--config", folder / "config"],
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent,
        )  # fmt: skip

    def readings(self):
        """What it has read, when it has ended."""
        self.process.wait()
        self.output.close()
        found = {}
        for line in (self.folder / "said").read_text().splitlines():
            place, status, code = map(int, line.split())
            found[place] = status, code
        for place, method in enumerate(self.methods):
            status, code = found.get(place, (0, TIMED_OUT))
            if code == TIMED_OUT:
                yield readers.Reading("open", [], "")
                continue
            if code:
                yield readers.Reading("refused", [], f"exit status {code}")
                continue
            file = self.folder / f"{place}"
            body = file.read_bytes() if method != "HEAD" and file.exists() else b""
            yield readers.Reading("closed", [readers.Answer(status, body, True, None)], "")


def by_proxy(method, outcome, h11):
    """What a proxy has read, by what it tells its client."""
    reading = h11.answers(outcome.said, method)
    messages = readers.complete(reading)
    if not messages and outcome.ended == "waiting":
        return readers.Reading("open", [], "")
    if not messages or messages[0].status in UNREADABLE or OWN_PAGE in messages[0].body:
        return readers.Reading("refused", [], reading.said or "502")
    return readers.Reading("closed", messages, "")


class Answers:
    """Findings of batches of answers. `trial`: reading.py's, whose peers and recorder it uses."""

    def __init__(self, trial, folder):
        self.trial, self.folder = trial, folder
        self.counts, self.rules = collections.Counter(), collections.Counter()

    def readings(self, batch, patience=crowd.PATIENCE):
        """What each peer reads: a dictionary for each of a list of pairs of a method and an answer."""
        trial, width = self.trial, len(self.trial.proxies)
        inputs, replies = [], {}
        for method, data in batch:
            for proxy in trial.proxies:
                replies[len(inputs)] = data
                ask = f"{method} / HTTP/1.1\r\nHost: h.example\r\nConnection: close\r\n\r\n".encode()
                inputs.append((ask, proxy.port))
        addresses = []
        for place, (_, data) in enumerate(batch):
            replies[len(inputs) + place] = data
            addresses.append(trial.crowd.coming_address(len(inputs) + place))
        curl = Curl(self.folder, trial.crowd.port, [method for method, _ in batch], addresses)
        outcomes = trial.crowd.run(inputs, patience=patience, replies=replies, others=[curl.process])
        all = []
        for place, ((method, data), by_curl) in enumerate(zip(batch, curl.readings())):
            peers = {"curl": by_curl, "h11": trial.h11.answers(data, method)}
            # llhttp isn't told the method.
            if method == "GET":
                peers["llhttp"] = trial.llhttp.answers(data)
            for proxy, outcome in zip(trial.proxies, outcomes[place * width : (place + 1) * width]):
                peers[proxy.name] = by_proxy(method, outcome, trial.h11)
            all.append(peers)
        return all

    def run(self, batch, patience=crowd.PATIENCE):
        """Findings: a list for each."""
        ours = self.trial.ours.answers([data for _, data in batch], [method for method, _ in batch])
        return [self._judge(*one) for one in zip(batch, ours, self.readings(batch, patience))]

    def _judge(self, one, ours, peers):
        _, data = one
        mine = readers.complete(ours)
        self.counts["answers that we refuse"] += not mine
        if not mine:
            return []
        self.counts["answers that we accept"] += 1
        findings, refusers = [], []
        for name, reading in sorted(peers.items()):
            theirs = readers.complete(reading)
            rule = known.excuse_answer(name, mine[0], data)
            if not theirs and reading.end == "open":
                continue
            if not theirs:
                refusers.append((name, rule))
            elif (theirs[0].status, theirs[0].body) != (mine[0].status, mine[0].body):
                if rule:
                    self.rules[rule.name] += 1
                else:
                    part = "status" if theirs[0].status != mine[0].status else "body"
                    findings.append(judge.Finding("answer otherwise", f"another {part}", name))
        if len(refusers) >= 3:
            self.counts["answers that we accept and three peers refuse"] += 1
            self.rules.update({rule.name for _, rule in refusers if rule})
            if sum(rule is None for _, rule in refusers) >= 3:
                names = " ".join(name for name, _ in refusers)
                findings.append(judge.Finding("answer accepted", "three peers refuse what we accept", names))
        return findings
