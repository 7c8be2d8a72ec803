"""SIGTERM under load: every request that the proxy has accepted is answered, and no answer is cut off.

The control is SIGKILL: there, the same judge must find losses.
"""

import asyncio
import collections
import multiprocessing
import random
import signal
import ssl
import time

import hpack

import frames
from check import Proxy, Report, Suite
from client.proxy import die_with_parent
from upstream import Upstream

FIRST, SECOND, STREAMS = 64, 8, 8
PATH = "/version/v1/tan"


class History:
    """What became of each request, by its body."""

    def __init__(self):
        # Sent to the last byte; answered in full; cut after an answer had begun; said by the proxy not to be taken.
        self.sent, self.answered, self.cut, self.returned = set(), {}, [], set()
        self.flaws = []


async def connections(port, context, until):
    """One connection after the other, as long as they are accepted."""
    while time.monotonic() < until:
        try:
            connection = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname="localhost")
        except OSError:
            return
        yield connection
        await asyncio.sleep(0.01)


async def first(number, port, context, history, until):
    """HTTP/1.1: one request after the other, on one connection as long as it stands, then on the next."""
    turn = 0
    async for reader, writer in connections(port, context, until):
        try:
            while time.monotonic() < until:
                turn += 1
                body = b"first-%03d-%05d" % (number, turn)
                writer.write(
                    b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" % PATH.encode()
                    + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
                )
                history.sent.add(body)
                got = b""
                try:
                    await writer.drain()
                    got = await reader.readuntil(b"\r\n\r\n")
                    head = got.lower()
                    length = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
                    got += await reader.readexactly(length)
                except asyncio.IncompleteReadError as error:
                    if got or error.partial:
                        history.cut.append(body)
                    break
                except (OSError, ssl.SSLError):
                    if got:
                        history.cut.append(body)
                    break
                history.answered[body] = int(head.split(b" ")[1])
                if b"connection: close" in head:
                    if await reader.read(1):
                        history.flaws.append("bytes after an answer that says close")
                    break
        finally:
            writer.close()


async def second(number, port, context, history, until):
    """HTTP/2: several streams at a time."""
    turn = 0
    async for reader, writer in connections(port, context, until):
        decoder = hpack.Decoder()
        # Streams that wait for an answer: body, and the status once the answer has begun.
        waiting = {}
        stream, going = 1, True
        writer.write(
            frames.PREFACE + frames.frame(frames.SETTINGS)
            + frames.frame(frames.WINDOW_UPDATE, payload=(1 << 30).to_bytes(4, "big"))
        )  # fmt: skip
        try:
            while waiting or (going and time.monotonic() < until):
                while going and len(waiting) < STREAMS and time.monotonic() < until:
                    turn += 1
                    body = b"secnd-%03d-%05d" % (number, turn)
                    writer.write(
                        frames.frame(
                            frames.HEADERS, frames.END_HEADERS, stream, frames.block(frames.request(PATH, body=body))
                        )
                        + frames.frame(frames.DATA, frames.END_STREAM, stream, body)
                    )
                    history.sent.add(body)
                    waiting[stream] = [body, None]
                    stream += 2
                head = await reader.readexactly(9)
                payload = await reader.readexactly(int.from_bytes(head[:3], "big"))
                kind, flags, where = head[3], head[4], int.from_bytes(head[5:], "big")
                if kind == frames.HEADERS:
                    fields = dict(decoder.decode(payload))
                    waiting[where][1] = int(fields[":status"])
                elif kind == frames.SETTINGS and not flags & frames.ACK:
                    writer.write(frames.frame(frames.SETTINGS, frames.ACK))
                elif kind == frames.PING and not flags & frames.ACK:
                    writer.write(frames.frame(frames.PING, frames.ACK, 0, payload))
                elif kind == frames.RST_STREAM and where in waiting:
                    body, status = waiting.pop(where)
                    if status is None and int.from_bytes(payload, "big") == frames.CODES.index("REFUSED_STREAM"):
                        history.returned.add(body)
                elif kind == frames.GOAWAY:
                    going = False
                    last = int.from_bytes(payload[:4], "big")
                    # Those above it were not taken (RFC 9113, 6.8).
                    for number_of in [one for one in waiting if one > last]:
                        history.returned.add(waiting.pop(number_of)[0])
                if kind in (frames.HEADERS, frames.DATA) and flags & frames.END_STREAM and where in waiting:
                    body, status = waiting.pop(where)
                    history.answered[body] = status
        except (asyncio.IncompleteReadError, OSError, ssl.SSLError, KeyError) as error:
            if isinstance(error, KeyError):
                history.flaws.append(f"an answer on stream {error}, which waits for none")
        history.cut += [body for body, status in waiting.values() if status is not None]
        writer.close()


def _load(pipe, port, contexts, seconds):
    """All clients, in a process of its own."""
    die_with_parent()

    async def run():
        history = History()
        until = time.monotonic() + seconds
        pipe.send("begun")
        tasks = [first(number, port, contexts[0], history, until) for number in range(FIRST)]
        tasks += [second(number, port, contexts[1], history, until) for number in range(SECOND)]
        await asyncio.wait_for(asyncio.gather(*tasks), seconds + 60)
        pipe.send(history)

    asyncio.run(run())


def pause():
    """How long the service takes; usually a few milliseconds, now and then much more."""
    return random.expovariate(1 / 0.02) if random.random() < 0.9 else random.uniform(0.1, 0.6)


def experiment(suite, contexts, sign, load=(2, 3)):
    """One end under load: what there is to object to, and numbers. `load`: within how many seconds it comes."""
    # Eight times the deadline is far more than the service takes: who got there is to get its answer, not a 503.
    with Upstream(suite, delay=pause) as upstream, Proxy(suite, upstream.port, answers__deadline=500) as proxy:
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("fork").Process(
            target=_load, args=(theirs, proxy.port, contexts, 30), daemon=True
        )
        process.start()
        theirs.close()
        ours.recv()
        time.sleep(random.uniform(*load))
        proxy.process.send_signal(sign)
        start = time.monotonic()
        proxy.process.wait(40)
        took = time.monotonic() - start
        status = proxy.process.returncode
        try:
            history = ours.recv() if ours.poll(60) else None
        finally:
            process.kill()
            process.join()
        seen = collections.Counter(one.body for one in upstream.take())
    objections = []
    if history is None:
        return ["the clients hang"], {}
    lost = [body for body in seen if body not in history.answered]
    if lost:
        objections.append(f"{len(lost)} requests that the service got are not answered, such as {lost[0]}")
    if history.cut:
        objections.append(f"{len(history.cut)} answers are cut off, such as that to {history.cut[0]}")
    denied = [body for body in seen if history.answered.get(body) == 503]
    if denied:
        objections.append(f"{len(denied)} requests that the service got are answered with 503, such as {denied[0]}")
    strange = [status for status in history.answered.values() if status not in (201, 503)]
    if strange:
        objections.append(f"answers with {sorted(set(strange))}")
    returned = [body for body in history.returned if body in seen]
    if returned:
        objections.append(f"{len(returned)} requests are said not to be taken, but the service got them")
    objections += sorted(set(history.flaws))
    if sign == signal.SIGTERM and status != 0:
        objections.append(f"the proxy ends with status {status}")
    numbers = {
        "answered": len(history.answered),
        "503": sum(status == 503 for status in history.answered.values()),
        "not taken": len(history.sent) - len(history.answered) - len(set(lost)),
        "seconds": took,
    }
    return objections, numbers


def control(report, suite, contexts):
    losses = []
    # On a busy machine it takes longer until there is something to lose.
    for seconds in (2, 5, 10):
        losses, _ = experiment(suite, contexts, signal.SIGKILL, (seconds, seconds + 1))
        if losses:
            break
    report.say(f"control: SIGKILL: {losses}")
    report.require(losses, "SIGKILL under load loses nothing, so the judge would see no loss")


def main():
    suite = Suite(__doc__.splitlines()[0])
    report = Report("drain")
    contexts = suite.app_context(), suite.app_context(["h2"])
    rounds = 40 if suite.long else 6
    for _ in range(rounds):
        objections, numbers = experiment(suite, contexts, signal.SIGTERM)
        for text in objections:
            report.require(False, text)
        report.require(numbers.get("answered", 0) > 100, "hardly any load")
        report.say(f"SIGTERM: {numbers}")
    control(report, suite, contexts)
    report.end()


if __name__ == "__main__":
    main()
