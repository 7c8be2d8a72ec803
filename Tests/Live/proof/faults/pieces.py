"""One-byte reads and writes: shim.c cuts every call of a socket to one byte, and lets some end with EINTR or EAGAIN."""

import judging

# Every how many calls are interrupted; 0 is never.
INTERRUPTIONS = (0, 7, 3, 2)


def check(table, program, faults, short, seconds=2):
    """Nobody may notice: requests of all kinds and lengths are answered, by connections to all peers."""
    kind = f"one-byte pieces, {program.name}"
    cuts = 0
    for interruption in INTERRUPTIONS[1:3] if short else INTERRUPTIONS:
        for size in (1, 10) if hasattr(program, "lost") and not short else (1,):
            program.size = size
            watch = judging.Watch(table, kind, f"every {interruption}th interrupted, {size} results", program)
            judging.run(
                watch, program, lambda: faults.cut(interruption), faults.end, 0.3 if short else seconds, most_cpu=2,
                all_answered=True)  # fmt: skip
            cuts += faults.cuts
            if not faults.cuts:
                watch.object("no call of a socket was cut")
    program.size = 1
    print(f"faults: {kind}: {cuts} calls of sockets were cut", flush=True)
