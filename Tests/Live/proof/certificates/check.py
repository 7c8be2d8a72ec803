"""Compares the verdicts of the suite's own code on certificates with those of OpenSSL and PyPI's cryptography.

A finding is a chain, a certificate or a laboratory's request that the suite accepts and both others refuse, one that
both others accept and the suite refuses, one that is read as something else, and one that takes too much time or memory,
unless explained.tsv has the reason. A row `accepted` is for an objection of OpenSSL's, all of whose objections have to be
explained, or for one together with an oddity of the chain. A row `refused` is for the suite's own words, or for an
oddity.
"""

import argparse
import collections
import pathlib
import random
import re
import sys
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import chains  # noqa: E402
import csr  # noqa: E402
import keys  # noqa: E402
import oddities  # noqa: E402
import peers  # noqa: E402
from ours import Crash, Ours  # noqa: E402

# What cryptography will refuse some day, and what it takes for an error of whoever makes a certificate.
warnings.simplefilter("ignore")

# Of processor time, in a build for debugging: a handshake takes some milliseconds.
LONGEST = 2_000_000
# In MiB: a certificate of a megabyte is read once or twice.
LARGEST = 256
KNOWN_ROLES = {
    value or name
    for name, value in re.findall(
        r'case (\w+)(?: = "([\w-]+)")?', (HERE.parents[3] / "Shared/Contracts/HTTPContract/Role.swift").read_text())
}
LANES = ["server"] * 35 + ["client"] * 30 + ["attest"] * 30 + ["request"] * 5


class Explanations:
    def __init__(self):
        self.rows = collections.defaultdict(dict)
        self.used = collections.Counter()
        for number, line in enumerate((HERE / "explained.tsv").read_text().splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            parts = line.split("\t")
            if len(parts) != 4 or not all(parts):
                raise SystemExit(f"explained.tsv, line {number}: lane, direction, what, why, with tabs between.")
            lanes, direction, what, _ = parts
            for lane in lanes.split(","):
                self.rows[lane, direction][what] = number

    def have(self, lane, direction, what):
        number = self.rows[lane, direction].get(what)
        if number:
            self.used[number] += 1
        return number is not None


class Check:
    def __init__(self, seed, naive=False):
        self.random = random.Random(seed)
        self.pool = keys.Pool(self.random)
        self.ours = Ours(*["--naive"] if naive else [])
        self.openssl, self.pyca = peers.OpenSSL(), peers.PyCA()
        self.explanations = Explanations()
        self.now = int(time.time())
        self.verdicts = collections.Counter()
        self.findings = collections.defaultdict(list)
        self.slowest = 0

    def find(self, lane, direction, labels, why, documents):
        key = f"{lane}: {direction}: {why}"
        self.findings[key].append((labels, documents))

    def judge(self, lane, answer, ask_peers, labels, documents):
        """Compares one verdict with the others' and returns what they read."""
        self.slowest = max(self.slowest, answer.microseconds)
        if answer.microseconds > LONGEST:
            self.find(lane, "takes too long", labels, f"{answer.microseconds / 1e6:.1f} s", documents)
        refusals, read = [], []
        for ask in ask_peers:
            try:
                read.append(ask())
            except peers.Refused as refusal:
                refusals.append(str(refusal))
        others = {0: "accept", 1: "differ", 2: "refuse"}[len(refusals)]
        self.verdicts[lane, "accept" if answer.accepted else "refuse", others] += 1
        if answer.accepted and others == "refuse":
            objections = refusals[0].split("; ")
            if not all([self.explain(lane, objection, labels) for objection in objections]):
                self.find(lane, "accepted", labels, refusals[0], [*documents, refusals[1].encode()])
        if not answer.accepted and others == "accept" and not answer.is_unsendable:
            if not any([self.explanations.have(lane, "refused", what) for what in [answer.words, *labels]]):
                self.find(lane, "refused", labels, answer.words, documents)
        return read

    def explain(self, lane, objection, labels):
        """Whether there is a row for OpenSSL's objection, or for it together with an oddity of the chain."""
        return any([self.explanations.have(lane, "accepted", what) for what in [objection,
            *(f"{objection}, {label}" for label in labels)]])

    def chain(self, lane):
        chain = oddities.one_chain(lane, self.pool, self.random)
        documents = [one.encoded for one in (chain.root, chain.leaf, *chain.sent)]
        now = chain.time if lane == "attest" else self.now
        if lane == "server":
            fields = [chain.host, documents[0], chain.leaf.key.pkcs8, *documents[1:]]
        elif lane == "client":
            fields = [documents[0], chain.leaf.key.pkcs8, *documents[1:]]
        else:
            fields = [documents[0], now, *documents[1:3]]
        self.ours.send(lane, *fields)
        # A different certificate of the chain by itself.
        one = self.random.choice(documents)
        self.ours.send("certificate", one)
        answer = self.receive(lane, chain.labels, documents)
        self.judge(
            lane, answer, [lambda: self.openssl.verify(chain, now), lambda: self.pyca.verify(chain, now)], chain.labels,
            documents)
        if lane == "client" and answer.accepted:
            self.compare_role(answer, chain, documents)
        answer = self.receive("certificate", chain.labels, [one])
        read = self.judge(
            "certificate", answer, [lambda: self.openssl.accepts(one), lambda: self.pyca.accepts(one)], chain.labels,
            [one])
        if answer.accepted and read and read[-1] is not None:
            self.compare_fields(answer, read[-1], chain.labels, one)

    def receive(self, lane, labels, documents):
        try:
            return self.ours.receive()
        except Crash as crash:
            self.find(lane, "ends the program", labels, str(crash), documents)
            raise

    def request(self):
        labels, encoded = csr.one_request(self.pool, self.random)
        answer = self.ours.ask("request", encoded)
        self.judge(
            "request", answer, [lambda: self.openssl.request(encoded), lambda: self.pyca.request(encoded)], labels,
            [encoded])

    def compare_role(self, answer, chain, documents):
        """The role of a caller is what its only URI that names one says, read by others."""
        role = answer.words.split(" ")[0]
        found = [uri[11:] for uri in peers.uris(documents[1]) if uri.startswith("vigil:role:") and uri[11:] in KNOWN_ROLES]
        expected = found[0] if len(found) == 1 else "-"
        is_explained = role == "-" and any([self.explanations.have("role", "refused", label) for label in chain.labels])
        if role != expected and not is_explained:
            self.find("role", "differs", chain.labels, f"{role} instead of {expected}", documents)

    def compare_fields(self, answer, certificate, labels, encoded):
        version, serial, start, end, extensions, _ = answer.words.split(" ")
        number = certificate.serial_number
        times = [int(time.timestamp()) for time in (certificate.not_valid_before_utc, certificate.not_valid_after_utc)]
        ours = (int(version), [int(start), int(end)], int(extensions))
        theirs = (certificate.version.value, times, len(certificate.extensions))
        own = int(serial or "0", 16) if not serial.startswith("-") else None
        if ours != theirs or own is not None and own != number or own is None and number >= 0:
            self.find("certificate", "reads differently", labels, f"{ours} {serial} instead of {theirs} {number:x}",
                [encoded])

    def run(self, count, seconds):
        start = shown = time.monotonic()
        done = 0
        try:
            while done < count and (seconds is None or time.monotonic() - start < seconds):
                lane = self.random.choice(LANES)
                self.request() if lane == "request" else self.chain(lane)
                done += 1
                if time.monotonic() - shown > 30:
                    shown = time.monotonic()
                    print(f"{done} of {count}, {len(self.findings)} kinds of findings …", flush=True)
            peak = self.ours.peak()
            if peak > LARGEST:
                self.find("memory", "takes too much", [], f"{peak:.0f} MiB", [])
            self.ours.end()
            took = time.monotonic() - start
            print(f"{done} chains in {took:.0f} s; the slowest took {self.slowest / 1e6:.2f} s, at most {peak:.0f} MiB")
        except Crash as crash:
            print(f"{done} chains, then {crash}")
        for (lane, own, others), number in sorted(self.verdicts.items()):
            print(f"  {lane:12} ours {own:7} others {others:7} {number}")
        return done

    def save(self, folder):
        """Each kind of finding with its first documents, in DER."""
        folder.mkdir(parents=True, exist_ok=True)
        for number, (what, cases) in enumerate(sorted(self.findings.items(), key=lambda item: -len(item[1]))):
            labels, documents = min(cases, key=lambda case: len(case[0]))
            alone = collections.Counter(case[0][0] for case in cases if len(case[0]) == 1)
            print(f"FINDING {number}, {len(cases)} times: {what}")
            print(f"  with {', '.join(labels) or 'nothing odd'}; alone: {dict(alone)}")
            for place, document in enumerate(documents):
                (folder / f"{number}-{place}.der").write_bytes(document)


def control(count, seed):
    """A careless verifier has to be found out in each lane, and by most of what is wrong with chains."""
    check = Check(seed, naive=True)
    check.run(count, None)
    lanes, labels = collections.Counter(), set()
    for what, cases in check.findings.items():
        lane, direction, _ = what.split(": ", 2)
        if direction == "accepted":
            lanes[lane] += len(cases)
            labels.update(case[0][0] for case in cases if len(case[0]) == 1)
    print(f"control: {dict(lanes)}, by {len(labels)} of {len(oddities.ALL)} oddities alone")
    return all(lanes[lane] > count / 50 for lane in chains.Chain.LANES) and len(labels) > len(oddities.ALL) / 3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000, help="how many chains (default 100000)")
    parser.add_argument("--short", action="store_true",
        help="as many chains as 12 seconds allow, and a smaller control")
    parser.add_argument("--seed", type=int, default=1, help="other chains (default 1)")
    parser.add_argument("--found", type=pathlib.Path, default=pathlib.Path("/tmp/vigil-found-certificates"),
                        help="where the documents of findings are written")
    parser.add_argument("--no-control", action="store_true", help="without the careless verifier, while searching")
    options = parser.parse_args()
    if not options.no_control and not control(800 if options.short else 5000, options.seed):
        print("FAILED: a careless verifier isn't found out.")
        return 1
    check = Check(options.seed)
    done = check.run(options.count, 12 if options.short else None)
    check.save(options.found)
    if not options.short and not check.findings:
        rows = {number for rows in check.explanations.rows.values() for number in rows.values()}
        for number in sorted(rows - set(check.explanations.used)):
            print(f"explained.tsv, line {number} explains nothing of these chains")
    if check.findings or done == 0:
        print(f"FAILED: {len(check.findings)} kinds of findings, documents in {options.found}.")
        return 1
    print(f"PASSED: {done} chains.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
