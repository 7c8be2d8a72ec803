"""Servers of others beside a suite's own."""

import contextlib
import socket
import subprocess
import time


@contextlib.contextmanager
def server(command, port, log):
    """Starts a program that listens on a port of this machine, and ends it with the block, or with this process.

    `log`: a file for what it says."""
    with log.open("ab") as output:
        process = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *command], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.poll() is not None:
                raise SystemExit(f"{command[0]} does not start: {log.read_text()[-1000:]}")
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(20)
