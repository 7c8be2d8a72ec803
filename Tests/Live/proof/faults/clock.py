"""A wall clock that is set while the program serves: deadlines are monotonic, and a jump back stalls nobody."""

import judging

# Seconds: forward and back, and home again; not further back than the certificates are valid.
JUMPS = (3600, 0, -3600, 0, 86_400, 0, 3600, -3600, 86_400, -3600, 0)


def check(table, program, faults, short, seconds=3):
    kind = f"clock jumps, {program.name}"
    jumps = JUMPS[:4] if short else JUMPS
    for before, jump in zip((0, *jumps), jumps):
        one(table, kind, program, faults, before, jump, 0.5 if short else seconds)
    faults.end()


def one(table, kind, program, faults, before, jump, seconds):
    """Traffic under the jump, which stays until the next one."""
    watch = judging.Watch(table, kind, f"a clock that is {jump} s off", program)

    def traffic(offset):
        return judging.during(program, lambda: faults.jump(offset), lambda: None, seconds)

    outcomes = traffic(jump)
    if set(outcomes) != {"answered"}:
        # On a busy machine a commit may take longer than a request may wait. A jump that stalls requests does so again.
        table.count(kind, outcomes + traffic(before))
        outcomes = traffic(jump)
    watch.end(outcomes, all_answered=True)


def check_limit(table, program, faults, most):
    """A proxy that allows some requests in a span refuses more, and after a jump in either direction a new span has begun."""
    kind = "clock jumps, rate limit"
    for jump in (3600, -3600):
        table.point(kind)
        outcomes = [program.ask() for _ in range(most + 5)]
        table.count(kind, outcomes)
        if "refused 429" not in outcomes:
            table.object(kind, f"the limit isn't reached: {sorted(set(outcomes))}")
        faults.jump(jump)
        if (outcome := program.ask()) == "answered":
            table.count(kind, ["recovered"])
        else:
            table.object(kind, f"after a jump of {jump} s a request is {outcome}")
    faults.end()


def control(table, naive, faults):
    one(table, "control", naive, faults, 0, 3600, 0.3)
    one(table, "control", naive, faults, 3600, 0, 0.3)
    faults.end()
