"""A peer that resets at each byte of a handshake, a request and an answer: a caller, a service behind the proxy, the database."""

import asyncio
import concurrent.futures
import functools
import socket
import struct
import threading
import time

from client.proxy import free_port

# In bytes: what the allocator keeps for the next connections.
MOST_MEMORY = 24 << 20
# Connections to services, or to the database, that stay.
POOL = 64
# In seconds, until what was reset stands again.
PATIENCE = 8
RESET = struct.pack("ii", 1, 0)


class Relay:
    """Passes connections on, and resets both ends of one when so many bytes have passed in one direction.

    `target`: a port, or the path of a local socket; then the relay's has the same name in `folder`. A local socket knows no reset:
    both ends are closed.
    `plan`: for each connection a direction, `out` (from whom connects) or `back`, and a number of bytes.
    """

    def __init__(self, target, folder=None):
        self.target, self.folder, self.port, self.passed, self.open = target, folder, free_port(), [], set()
        self.plan = iter(())
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        threading.Thread(target=self._run, args=(started,), daemon=True).start()
        started.wait()

    def _run(self, started):
        asyncio.set_event_loop(self.loop)
        self.server = self.loop.run_until_complete(
            asyncio.start_unix_server(self._connected, self.folder / self.target.name) if self.folder
            else asyncio.start_server(self._connected, "127.0.0.1", self.port, backlog=1024))  # fmt: skip
        started.set()
        self.loop.run_forever()

    async def _connected(self, reader, writer):
        cut = next(self.plan, (None, 0))
        counts = {"out": 0, "back": 0}
        self.passed.append(counts)
        try:
            far = await (
                asyncio.open_unix_connection(self.target) if self.folder else asyncio.open_connection("127.0.0.1", self.target))
        except OSError:
            writer.transport.abort()
            return
        ends = (writer, far[1])

        self.open.add(reset := functools.partial(self._reset, ends))

        async def copy(direction, source, target):
            left = cut[1] if cut[0] == direction else 1 << 60
            try:
                while left and (piece := await source.read(min(left, 65_536))):
                    target.write(piece)
                    await target.drain()
                    left -= len(piece)
                    counts[direction] += len(piece)
            except OSError:
                left = 0
            if left:
                target.close()
            else:
                reset()

        if cut == ("out", 0):
            self.open.discard(reset)
            return reset()
        await asyncio.gather(copy("out", reader, far[1]), copy("back", far[0], writer))
        self.open.discard(reset)
        for end in ends:
            end.close()

    @staticmethod
    def _reset(ends):
        for end in ends:
            if (plain := end.get_extra_info("socket")) is not None and plain.fileno() >= 0:
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            end.transport.abort()

    def reset(self):
        """Resets every connection that passes."""

        async def act():
            for reset in list(self.open):
                reset()

        asyncio.run_coroutine_threadsafe(act(), self.loop).result()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)


def settled(program, count, seconds=15):
    """The descriptors that are open when those of ended connections are closed."""
    end = time.monotonic() + seconds
    while (now := program.descriptors) > count and time.monotonic() < end:
        time.sleep(0.2)
    return now


def check(table, kind, program, relay, ask, step, width=16, slack=POOL, others=True):
    """Resets a connection at every position, of which a kept one has a single one, however many requests it carries.

    `ask`: a request that passes through the relay. `slack`: descriptors that a pool of connections may keep more. `others`: whether
    requests that don't pass through the relay are answered meanwhile.
    """
    relay.plan = iter(())
    # What stands already isn't measured, nor cut below.
    relay.reset()
    relay.passed.clear()
    end = time.monotonic() + PATIENCE
    while (outcome := ask()) != "answered" and time.monotonic() < end:
        time.sleep(0.1)
    table.count(kind, [outcome])
    length = {direction: max(counts[direction] for counts in relay.passed) for direction in ("out", "back")}
    positions = [(direction, count) for direction in length for count in range(0, length[direction] + 1, step)]
    memory, descriptors = program.memory, program.descriptors
    relay.reset()
    relay.passed.clear()
    relay.plan = iter(positions)
    outcomes, away = [], []
    with concurrent.futures.ThreadPoolExecutor(width) as pool:
        while (left := len(positions) - len(relay.passed)) > 0 and len(outcomes) < 8 * len(positions):
            away += [pool.submit(program.ask)] if others else []
            outcomes += pool.map(lambda _: ask(), range(min(left, 4 * width)))
    elsewhere = [other.result() for other in away]
    table.point(kind, min(len(positions), len(relay.passed)))
    table.count(kind, outcomes + elsewhere)
    if len(relay.passed) < len(positions):
        table.object(kind, f"only {len(relay.passed)} of {len(positions)} positions were met")
    for odd in {outcome for outcome in outcomes if outcome.split(" ")[0] not in ("answered", "refused", "closed")}:
        table.object(kind, f"a request is {odd}")
    for bad in {outcome for outcome in elsewhere if outcome != "answered"}:
        table.object(kind, f"another's request is {bad}")
    if ended := program.ended():
        table.object(kind, f"it ends with {ended}")
        program.start()
        return
    relay.plan = iter(())
    if (now := settled(program, descriptors + slack)) > descriptors + slack:
        table.object(kind, f"it keeps {now - descriptors} descriptors")
    if (grown := program.memory - memory) > MOST_MEMORY:
        table.object(kind, f"it keeps {grown >> 20} MiB")
    if program.recovers() is None:
        table.object(kind, "it doesn't recover")
    else:
        table.count(kind, ["recovered"])
