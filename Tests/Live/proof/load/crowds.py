"""Thousands of connections that do nothing, or next to nothing, from several addresses and processes, as long as is wanted."""

import multiprocessing
import time

from client import http1
from client.proxy import connections_to, die_with_parent
from slow import refresh

PROCESSES = 8
# New ones a second of each process in the place of those that the server has ended: a handshake is work, which is not the matter here.
RENEWED = 10
HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "


class Crowd:
    """Stands in the `with`."""

    def __init__(self, port, context, wanted, drips, pause):
        """`drips`: whether each sends one byte of a header after the other, instead of a whole request now and then; `pause`:
        seconds between two."""
        self.port, self.wanted = port, wanted
        self.pipes, self.processes = [], []
        for number in range(PROCESSES):
            ours, theirs = multiprocessing.Pipe()
            process = multiprocessing.get_context("fork").Process(
                target=_stand, args=(theirs, port, context, wanted // PROCESSES, f"127.2.{number}.1", drips, pause), daemon=True
            )
            process.start()
            theirs.close()
            self.pipes.append(ours)
            self.processes.append(process)

    def standing(self):
        """How many the server holds, others' included."""
        return connections_to(self.port)

    def complete(self, seconds):
        """Waits until all have come in, or the time is up; how many then stand."""
        deadline = time.monotonic() + seconds
        while (count := self.standing()) < 0.98 * self.wanted and time.monotonic() < deadline:
            time.sleep(0.5)
        return count

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.join()


def _stand(pipe, port, context, count, source, drips, pause):
    die_with_parent()
    connections, made, turn = [], 0, time.monotonic()
    begun = None
    while True:
        while len(connections) < count and (begun is None or made < count + RENEWED * (time.monotonic() - begun)):
            made += 1
            try:
                connection = http1.connect(port, context, timeout=30, source=source)
                if drips:
                    connection.sendall(HEAD)
                connections.append(connection)
            except OSError:
                pass
            if made >= count and begun is None:
                begun = time.monotonic()
            if time.monotonic() > turn + pause:
                break
        if time.monotonic() > turn + pause:
            turn = time.monotonic()
            connections = drip(connections) if drips else refresh(connections)
        time.sleep(0.05)


def drip(connections):
    """Those that still take a byte."""
    standing = []
    for connection in connections:
        try:
            connection.sendall(b"x")
            standing.append(connection)
        except OSError:
            connection.close()
    return standing
