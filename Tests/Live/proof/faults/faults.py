"""Faults below a program: see proof.sh."""

import argparse
import contextlib
import pathlib
import random
import subprocess
import sys
import time

import calls
import clock
import judging
import memory
import names
import pieces
import resets
import shared
import subjects
from client.proxy import raise_file_limit
import client.suite
import hostile.check
from hostile.upstream import Upstream

KINDS = ("calls", "resets", "pieces", "memory", "names", "clock")


class Suite(client.suite.Suite):
    """The recorder behind the proxy serves as the services do."""

    inner_context = hostile.check.Suite.inner_context


class Check:
    def __init__(self, arguments):
        self.arguments = arguments
        self.suite = Suite(arguments.state, arguments.programs)
        self.scratch = arguments.scratch / arguments.only
        self.scratch.mkdir(exist_ok=True)
        self.random = random.Random(arguments.seed)
        self.table, self.short = judging.Table(), arguments.short

    def control(self, kind, act):
        """The naive server must be objected to."""
        table = judging.Table(quiet=True)
        act(table)
        if table.objections:
            print(f"faults: control of {kind}: {table.objections[0]}", flush=True)
        else:
            self.table.object(kind, "nothing is found in the naive server")

    def naive(self, *arguments, **options):
        return subjects.Naive(self.scratch, self.arguments.naive, options.get("environment"), (), *arguments)

    def faults(self, name):
        return shared.Faults(self.scratch, self.arguments.shim, name)

    @contextlib.contextmanager
    def proxy(self, environment=None, **changes):
        with Upstream(self.suite) as upstream:
            with subjects.Proxy(self.suite, self.scratch, upstream.port, environment=environment, **changes) as proxy:
                yield proxy

    def results(self, environment=None):
        return subjects.Results(self.suite, self.scratch, environment)

    @contextlib.contextmanager
    def shimmed(self, subject, **changes):
        """A subject under shim.c, and its commands."""
        faults = self.faults(subject.__name__)
        with subject(environment=faults.environment, **changes) as program:
            yield program, faults

    def calls(self):
        def act(table):
            with self.naive() as naive:
                calls.control(table, naive)

        self.control("calls", act)
        only = [tuple(self.arguments.point.split(","))] if self.arguments.point else None
        for subject in (self.proxy, self.results):
            with subject() as program:
                calls.check(self.table, program, self.random, self.short, only)
                if not only:
                    calls.check_start(self.table, program, self.random, self.short)

    def resets(self):
        def act(table):
            with self.naive() as naive:
                relay = resets.Relay(naive.port)
                resets.check(table, "control", naive, relay, lambda: naive.ask(relay.port, 3), 1, 4, slack=8)

        self.control("resets", act)
        step = 211 if self.short else 1
        for subject in (self.proxy, self.results):
            with subject() as program:
                relay = resets.Relay(program.port)
                for version in ("http1", "http2") if subject == self.proxy else ("http1",):
                    resets.check(
                        self.table, f"resets, {version} callers of {program.name}", program, relay,
                        lambda: program.ask(relay.port, kind=version), step)  # fmt: skip
                relay.stop()
        with Upstream(self.suite) as upstream:
            relay = resets.Relay(upstream.port)
            with subjects.Proxy(self.suite, self.scratch, relay.port) as program:
                resets.check(self.table, "resets, services behind metadata-proxy", program, relay, program.ask, step, others=False)
            relay.stop()
        socket, folder = self.suite.state / "postgres/socket", self.scratch / "database"
        folder.mkdir()
        relay = resets.Relay(socket / ".s.PGSQL.5432", folder)
        settings = self.suite.configuration["test-result-server"]["postgres"]
        connection = settings["connection"].replace(str(socket), str(folder))
        with subjects.Results(self.suite, self.scratch, postgres__connection=connection) as program:
            kind = f"resets, database of {program.name}"
            resets.check(self.table, kind, program, relay, program.ask, step, 4, others=False)
            if lost := program.lost():
                self.table.object(kind, f"{lost} acknowledged results are lost")
        relay.stop()

    def pieces(self):
        def act(table):
            faults = self.faults("naive")
            with self.naive(environment=faults.environment) as naive:
                pieces.check(table, naive, faults, True)

        self.control("pieces", act)
        # Thousands of system calls take longer than the usual time for an answer.
        for subject, changes in ((self.proxy, {"answers__deadline": 500}), (self.results, {})):
            with self.shimmed(subject, **changes) as (program, faults):
                pieces.check(self.table, program, faults, self.short)
                if hasattr(program, "lost") and (lost := program.lost()):
                    self.table.object("one-byte pieces", f"{lost} acknowledged results are lost")

    def memory(self):
        def act(table):
            faults = self.faults("naive")
            with self.naive(environment=faults.environment) as naive:
                memory.control(table, naive, faults)

        self.control("memory", act)
        for subject, libraries in ((self.proxy, ("OpenSSL", "nghttp2")), (self.results, ("OpenSSL", "libpq"))):
            with self.shimmed(subject) as (program, faults):
                for library in libraries:
                    memory.check(self.table, program, faults, library, self.random, 100, self.short)

    def names(self):
        """In namespaces of its own, by this program once more."""
        file = self.scratch / "table"
        names.run_inside(self.scratch, [sys.executable, *sys.argv, "--only", "names_inside", "--table", file])
        self.table.include(file)

    def names_inside(self):
        resolver = names.Resolver()

        def act(table):
            with self.naive() as echo, self.naive(names.NAME, str(echo.port)) as naive:
                names.check(table, naive, resolver, True, modes={"servfail": {"closed"}})

        self.control("names", act)
        with Upstream(self.suite) as upstream:
            relay = resets.Relay(upstream.port)
            with names.impostor(self.suite, relay.port) as reached, subjects.Proxy(
                self.suite, self.scratch, relay.port, names.NAME
            ) as proxy:  # fmt: skip
                names.check(self.table, proxy, resolver, self.short, relay.reset)
                if not reached.is_set():
                    self.table.object("names", "nobody has reached the impostor")

    def clock(self):
        def act(table):
            faults = self.faults("naive")
            with self.naive(environment=faults.environment) as naive:
                clock.control(table, naive, faults)

        self.control("clock", act)
        for subject in (self.proxy, self.results):
            with self.shimmed(subject) as (program, faults):
                clock.check(self.table, program, faults, self.short)
        faults, most = self.faults("limited"), 5
        with self.proxy(environment=faults.environment, limits__requests=most) as proxy:
            clock.check_limit(self.table, proxy, faults, most)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", type=pathlib.Path, required=True, help="the suite's state folder")
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="where the executables are")
    parser.add_argument("--scratch", type=pathlib.Path, required=True, help="where naive, shim.so and all files are")
    parser.add_argument("--short", action="store_true", help="a few points of each kind")
    parser.add_argument("--seed", type=int, default=1, help="other points")
    parser.add_argument("--only", default="", help="one kind")
    parser.add_argument("--table", type=pathlib.Path, help="where the table is written, in place of being shown")
    parser.add_argument("--point", default="", help="of calls: CALL,ERRNO,WHEN")
    arguments = parser.parse_args()
    arguments.naive, arguments.shim = arguments.scratch / "naive", arguments.scratch / "shim.so"
    raise_file_limit()
    if arguments.only:
        check = Check(arguments)
        getattr(check, arguments.only)()
        table = check.table
    else:
        table = all_kinds(arguments)
    if arguments.table:
        table.save(arguments.table)
    else:
        table.say()
    sys.exit(f"faults: {len(table.objections)} objections, see above." if table.objections else 0)


def all_kinds(arguments):
    """Each kind in a process of its own: one after the other, or together if there are few points."""
    table, started = judging.Table(), []
    for kind in KINDS:
        file = arguments.scratch / f"{kind}.table"
        command = ["setpriv", "--pdeathsig", "TERM", sys.executable, *sys.argv, "--only", kind, "--table", file]
        started.append((kind, file, time.monotonic(), subprocess.Popen(command)))
        if not arguments.short:
            finish(table, *started.pop())
    for one in started:
        finish(table, *one)
    return table


def finish(table, kind, file, start, process):
    process.wait()
    print(f"faults: {kind} in {time.monotonic() - start:.0f} seconds", flush=True)
    table.include(file)


if __name__ == "__main__":
    main()
