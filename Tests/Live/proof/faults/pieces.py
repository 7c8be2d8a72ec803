"""One-byte reads and writes: shim.c cuts every call of a socket to one byte, and lets some end with EINTR or EAGAIN."""

import judging

# Every how many calls are interrupted; 0 is never.
INTERRUPTIONS = (0, 7, 3, 2)
ATTEMPTS = 3


def check(table, program, faults, short, seconds=2):
    """Nobody may notice: requests of all kinds and lengths are answered, by connections to all peers."""
    kind = f"one-byte pieces, {program.name}"
    cuts = 0
    for interruption in INTERRUPTIONS[1:3] if short else INTERRUPTIONS:
        for size in (1, 10) if hasattr(program, "lost") and not short else (1,):
            program.size = size
            watch = judging.Watch(table, kind, f"every {interruption}th interrupted, {size} results", program)
            # Other programs on the machine can only delay: a request that was late is refused, and all are tried again.
            for _ in range(ATTEMPTS):
                outcomes = judging.during(
                    program, lambda: faults.cut(interruption), faults.end, 0.3 if short else seconds)
                if set(outcomes) != {"answered", "refused 503"}:
                    break
            watch.end(outcomes, most_cpu=2, all_answered=True)
            cuts += faults.cuts
            if not faults.cuts:
                watch.object("no call of a socket was cut")
    program.size = 1
    print(f"faults: {kind}: {cuts} calls of sockets were cut", flush=True)
