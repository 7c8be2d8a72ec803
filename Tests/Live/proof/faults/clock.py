"""A wall clock that is set while the program serves: deadlines are monotonic, and a jump back stalls nobody."""

import time

import judging

# Seconds: forward and back, and home again.
JUMPS = (3600, 0, -3600, 0, 86_400, 0, -86_400, 3600, -3600, 0)


def check(table, program, faults, short, seconds=3):
    kind = f"clock jumps, {program.name}"
    for jump in JUMPS[:4] if short else JUMPS:
        one(table, kind, program, faults, jump, 0.5 if short else seconds)
    faults.end()


def one(table, kind, program, faults, jump, seconds):
    """Traffic under the jump, which stays until the next one."""
    watch = judging.Watch(table, kind, f"a clock that is {jump} s off", program)
    judging.run(watch, program, lambda: faults.jump(jump), lambda: None, seconds, all_answered=True)


def check_limit(table, program, faults, most):
    """A proxy that allows some requests a minute refuses after these, and with any clock allows as many again a minute later."""
    kind = "clock jumps, rate limit"
    for jump in (3600, -3600):
        table.point(kind)
        outcomes = [program.ask() for _ in range(most + 5)]
        table.count(kind, outcomes)
        if "refused 429" not in outcomes:
            table.object(kind, f"the limit isn't reached: {sorted(set(outcomes))}")
        faults.jump(jump)
        start = time.monotonic()
        while (outcome := program.ask()) != "answered" and time.monotonic() < start + 75:
            time.sleep(1)
        if outcome == "answered":
            table.count(kind, ["recovered"])
        else:
            table.object(kind, f"a minute after a jump of {jump} s a request is {outcome}")
    faults.end()


def control(table, naive, faults):
    one(table, "control", naive, faults, 3600, 0.3)
    one(table, "control", naive, faults, 0, 0.3)
    faults.end()
