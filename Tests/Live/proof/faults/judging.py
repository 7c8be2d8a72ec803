"""What is demanded of a program at every point, and the table of the points."""

import collections
import json
import re
import sys
import time

SPAN = 0.5
# Of the injected calls of one span: a program that waits between attempts makes a few hundred, one that spins tens of thousands.
MOST_CALLS = 500
MOST_LINES = 60
# Statuses that the contract has for what can't be done, or wasn't read whole.
REFUSALS = {"400", "408", "429", "431", "500", "503"}
# Of a core, during a span and what follows until everybody is answered.
MOST_CPU = 0.6


class Table:
    def __init__(self, quiet=False):
        self.rows = collections.defaultdict(collections.Counter)
        self.objections = []
        self.messages = set()
        self.quiet = quiet

    def count(self, kind, outcomes):
        row = self.rows[kind]
        for outcome in outcomes:
            row[outcome.split(" ")[0]] += 1

    def point(self, kind, count=1):
        self.rows[kind]["points"] += count

    def object(self, kind, text):
        self.rows[kind]["objections"] += 1
        self.objections.append(f"{kind}: {text}")
        if not self.quiet:
            print(f"faults: OBJECTION: {kind}: {text}", file=sys.stderr, flush=True)

    def save(self, file):
        file.write_text(json.dumps([self.rows, self.objections, sorted(self.messages)]))

    def include(self, file):
        """What another process has saved; without it, that process has failed."""
        if not file.exists():
            return self.object(file.stem, "the check itself ended without a table, see above")
        rows, objections, messages = json.loads(file.read_text())
        for kind, row in rows.items():
            self.rows[kind].update(row)
        self.objections += objections
        self.messages |= set(messages)

    def say(self):
        columns = ("points", "answered", "refused", "closed", "recovered", "restarted", "objections")
        print(f"{'kind':34}" + "".join(f"{name:>12}" for name in columns))
        for kind, row in self.rows.items():
            print(f"{kind:34}" + "".join(f"{row[name]:>12}" for name in columns))
        points = sum(row["points"] for row in self.rows.values())
        print(f"faults: {points} points; messages logged: {'; '.join(sorted(self.messages)) or 'none'}", flush=True)


class Watch:
    """What a program does from the beginning of a fault until it has recovered."""

    def __init__(self, table, kind, what, program):
        self.table, self.kind, self.what, self.program = table, kind, what, program
        self.log, self.cpu, self.start = program.log.stat().st_size, program.cpu, time.monotonic()
        table.point(kind)

    def object(self, text):
        self.table.object(self.kind, f"{self.program.name}, {self.what}: {text}")

    def end(self, outcomes, may_end=None, most_cpu=MOST_CPU, all_answered=False, answers=3, refusals=frozenset()):
        """After the fault has ended. `may_end`: the reason why the program may end. `all_answered`: nobody may notice.
        `answers`: how many in a row show that it has recovered. `refusals`: statuses that may come besides those of REFUSALS."""
        self.table.count(self.kind, outcomes)
        program = self.program
        for odd in {outcome for outcome in outcomes if outcome.split(" ")[0] not in ("answered", "refused", "closed")}:
            if not (odd == "waiting" and program.ended()):
                self.object(f"a request is {odd}")
        for refusal in {outcome for outcome in outcomes if outcome.startswith("refused")}:
            if refusal.split(" ")[1] not in REFUSALS | refusals:
                self.object(f"a request is {refusal}, which the contract doesn't have")
        if all_answered and (odd := [outcome for outcome in outcomes if outcome != "answered"]):
            self.object(f"{len(odd)} of {len(outcomes)} requests aren't answered: {odd[0]}")
        if not outcomes:
            self.object("nobody asked")
        self.judge_log()
        if how := program.ended():
            if not may_end:
                self.object(f"it ends with {how}")
            program.start()
            self.table.rows[self.kind]["restarted"] += 1
            return
        took = time.monotonic() - self.start
        if (used := program.cpu - self.cpu) > most_cpu * took + 0.3:
            self.object(f"it uses {used:.1f} s of a core in {took:.1f} s")
        if program.recovers(answers) is None:
            self.object("it doesn't recover")
            program.stop()
            program.start()
        else:
            self.table.rows[self.kind]["recovered"] += 1

    def judge_log(self):
        if self.program.ended():
            return
        lines = self.program.lines(self.log)
        if len(lines) > MOST_LINES:
            self.object(f"it logs {len(lines)} lines, such as {lines[-1][:200]}")
        if not self.program.logs:
            return
        for line in lines:
            try:
                message = json.loads(line)["message"]
            except (ValueError, KeyError):
                self.object(f"it logs {line[:200]!r}")
                continue
            self.table.messages.add(message)
            if re.search("[0-9]", message) or message[:1].isupper():
                self.object(f"the message {message!r} isn't constant and lower case")


def during(program, begin, end, seconds=SPAN):
    """The outcomes of traffic with a fault in it."""
    threads, outcomes = program.traffic(seconds)
    begin()
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    end()
    for thread in threads:
        thread.join()
    return outcomes


def run(watch, program, begin, end, seconds=SPAN, **judged):
    """Traffic, a fault in it, its end, and a verdict."""
    watch.end(during(program, begin, end, seconds), **judged)
