"""Allocations that fail inside OpenSSL, nghttp2 and libpq: the n-th since a request began, one or all that follow.

Swift ends a process that has no memory for Swift's own objects; that isn't tried.
"""

import judging


def renew(program):
    """The service has to connect to its database again."""
    program.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'vigil_test_results'")


def act(program, library):
    """What allocates: a handshake and a request; for libpq, with a new connection to the database."""
    if library == "libpq":
        renew(program)
    return [program.ask(kind="http2" if library == "nghttp2" else "http1")]


def check(table, program, faults, library, random, most, short):
    kind = f"allocations of {library}, {program.name}"
    faults.watch(library)
    act(program, library)
    seen = faults.seen
    faults.end()
    if not seen:
        table.object(kind, f"{library} allocates nothing that is seen")
        return
    numbers = sorted(random.sample(range(seen), min(seen, 3 if short else most)))
    points = [(number, count) for number in numbers for count in ((1,) if short else (1, 3))]
    points += [(number, 1 << 30) for number in numbers[:: max(1, len(numbers) // (2 if short else 20))]]
    for number, count in points:
        one(table, kind, program, faults, library, number, count)
    if hasattr(program, "lost") and (lost := program.lost()):
        table.object(kind, f"{lost} acknowledged results of {len(program.acknowledged)} are lost")


def one(table, kind, program, faults, library, number, count):
    watch = judging.Watch(table, kind, f"allocation {number} and {count - 1} more of {library}", program)
    faults.fail(library, number, count)
    outcomes = act(program, library)
    faults.end()
    # A certificate that there is no memory to read shows no role.
    watch.end(outcomes, answers=1, refusals={"403"})


def control(table, naive, faults):
    # What only the first line allocates.
    naive.ask()
    one(table, "control", naive, faults, "OpenSSL", 0, 1)
