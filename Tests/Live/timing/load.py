"""Other work on a machine: on each core, bursts of random length.

python load.py SHARE    SHARE: of each core's time, 0.3 for example; ends when it is ended
"""

import os
import random
import sys
import time

# The mean length of a burst, in seconds.
BURST = 0.02


def work(core, share, parent=None):
    """parent: the process that it ends with, if it is a child."""
    os.sched_setaffinity(0, [core])
    generator = random.Random(core)
    while parent is None or os.getppid() == parent:
        end = time.monotonic() + generator.expovariate(1 / BURST)
        while time.monotonic() < end:
            pass
        time.sleep(generator.expovariate(share / (1 - share) / BURST))


def main():
    share = float(sys.argv[1])
    parent = os.getpid()
    first, *others = sorted(os.sched_getaffinity(0))
    for core in others:
        if os.fork() == 0:
            work(core, share, parent)
            os._exit(0)
    work(first, share)


main()
