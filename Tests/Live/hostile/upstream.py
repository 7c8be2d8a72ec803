"""A server in the place of the services behind the proxy: it records what reaches it, and parses strictly.

It runs as a process of its own, so that a check's own work doesn't slow it down.
"""

import asyncio
import collections
import dataclasses
import hashlib
import multiprocessing
import re
import ssl
import time

from client.proxy import die_with_parent, free_port

ROUTES = {
    "/version/v1/registrationToken": 201,
    "/version/v1/testresult": 200,
    "/version/v1/tan": 201,
    "/version/v1/diagnosis-keys": 200,
    "/health": 200,
    "/health/batch": 200,
    "/keys": 200,
}
# What the routes allow, and what HTTP/1.1 needs on a hop.
FIELDS = {
    "host", "content-type", "content-length", "transfer-encoding", "connection", "accept", "cwa-fake",
    "cwa-authorization", "cwa-otp", "idempotency-key",
    "x-further-key", "x-further-timestamp", "x-further-nonce", "x-further-signature",
}  # fmt: skip
MEDIA = {"application/json", "application/x-protobuf"}
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# With bytes over 127, which are allowed and opaque (RFC 9110 5.5).
VALUE = re.compile("([!-~\x80-\xff]([ \t!-~\x80-\xff]*[!-~\x80-\xff])?)?")
LIMIT = 256 << 10


@dataclasses.dataclass
class Seen:
    """One request as it arrived. `flaws`: why it is none that a proxy may send."""

    path: str
    fields: dict
    body: bytes
    flaws: list
    head: bytes


class Malformed(Exception):
    pass


def parse_head(head):
    """Start line and fields, with everything that is wrong with them; `None` for a path that can't be told."""
    flaws = []
    lines = head.split(b"\r\n")
    for line in lines:
        if b"\r" in line or b"\n" in line or b"\0" in line:
            flaws.append("a line with CR, LF or NUL in it")
    lines = [line.decode("latin-1") for line in lines]
    start = lines[0].split(" ")
    path = start[1] if len(start) == 3 else lines[0][:80]
    if len(start) != 3 or start[0] != "POST" or path not in ROUTES or start[2] != "HTTP/1.1":
        flaws.append(f"the start line {lines[0][:80]!r}")
    fields = collections.defaultdict(list)
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if not colon or not TOKEN.fullmatch(name):
            flaws.append(f"the field line {line[:80]!r}")
            continue
        if not VALUE.fullmatch(value.strip(" \t")):
            flaws.append(f"the value of {name.lower()}")
        fields[name.lower()].append(value.strip(" \t"))
    for name, values in fields.items():
        if name not in FIELDS:
            flaws.append(f"a field {name} that no route allows")
        if len(values) > 1:
            flaws.append(f"{len(values)} fields {name}")
    if len(fields["host"]) != 1:
        flaws.append(f"{len(fields['host'])} fields host")
    if fields["content-length"] and fields["transfer-encoding"]:
        flaws.append("both Content-Length and Transfer-Encoding")
    if not fields["content-length"] and not fields["transfer-encoding"]:
        flaws.append("neither Content-Length nor Transfer-Encoding")
    if any(not re.fullmatch("[0-9]{1,9}", value) for value in fields["content-length"]):
        flaws.append("a Content-Length that is no plain number")
    if any(value != "chunked" for value in fields["transfer-encoding"]):
        flaws.append("a Transfer-Encoding other than chunked")
    if any(value not in MEDIA for value in fields["content-type"]):
        flaws.append("a Content-Type of no route")
    return path, fields, flaws


def parse_chunks(buffer, start):
    """The body in chunks from `start` on, and where it ends; `None` while it isn't all there."""
    body = b""
    while True:
        end = buffer.find(b"\r\n", start)
        if end < 0:
            if len(buffer) - start > 64:
                raise Malformed("a chunk size without end")
            return None
        size = buffer[start:end]
        if not re.fullmatch(rb"[0-9A-Fa-f]{1,8}", size):
            raise Malformed(f"the chunk size {bytes(size[:40])!r}")
        size = int(size, 16)
        if len(body) + size > LIMIT:
            raise Malformed("a body over every limit")
        if len(buffer) < end + 2 + size + 2:
            return None
        if buffer[end + 2 + size : end + 4 + size] != b"\r\n":
            raise Malformed("a chunk that doesn't end where its size says")
        if size == 0:
            return body, end + 4
        body += buffer[end + 2 : end + 2 + size]
        start = end + 4 + size


def parse(buffer):
    """The first request in the buffer and its length; `None` while it isn't all there."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        if len(buffer) > 64 << 10:
            raise Malformed("a header without end")
        return None
    head = bytes(buffer[:end])
    path, fields, flaws = parse_head(head)
    if fields["transfer-encoding"]:
        parsed = parse_chunks(buffer, end + 4)
        if parsed is None:
            return None
        body, length = parsed
    else:
        size = fields["content-length"][0] if fields["content-length"] else "0"
        size = int(size) if re.fullmatch("[0-9]{1,9}", size) else 0
        if size > LIMIT:
            raise Malformed("a body over every limit")
        if len(buffer) < end + 4 + size:
            return None
        body, length = bytes(buffer[end + 4 : end + 4 + size]), end + 4 + size
    fields = {name: values[0] for name, values in fields.items() if values}
    return Seen(path, fields, bytes(body), flaws, head), length


def receipt(body):
    """Stands in the answer to a request with that body, so that a client knows which request an answer belongs to."""
    return hashlib.sha256(body).hexdigest()[:32]


def answer(seen):
    """The bytes of an answer that is of the route's kind."""
    status = ROUTES.get(seen.path, 404)
    lines = [f"HTTP/1.1 {status} Fine"]
    content = b""
    if seen.path == "/version/v1/diagnosis-keys":
        lines += ["cwa-filtered-checkins: 0", "cwa-saved-checkins: 0"]
    elif status != 404:
        content = b'{"receipt":"%s"}' % receipt(seen.body).encode()
        lines.append("content-type: application/json")
    lines.append(f"content-length: {len(content)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


class Server:
    """Behind the pipe, in the process of its own."""

    def __init__(self, pipe, rate, delay):
        self.pipe = pipe
        # Answers a second at most; who comes in between waits, in the order of arrival.
        self.interval = 1 / rate if rate else 0
        self.delay = delay
        self.next = 0
        self.seen = []
        self.count = 0
        self.answered = 0
        self.waiting = 0
        self.most_waiting = 0
        self.connections = 0

    def arrived(self, seen, connection):
        self.seen.append(seen)
        self.count += 1
        self.waiting += 1
        self.most_waiting = max(self.waiting, self.most_waiting)
        now = time.monotonic()
        self.next = max(now, self.next) + self.interval
        due = self.next + (self.delay if not callable(self.delay) else self.delay())
        if due <= now:
            self.reply(seen, connection)
        else:
            asyncio.get_running_loop().call_later(due - now, self.reply, seen, connection)

    def reply(self, seen, connection):
        self.waiting -= 1
        if not connection.transport.is_closing():
            self.answered += 1
            connection.transport.write(answer(seen))

    def command(self):
        match self.pipe.recv():
            case "take":
                self.pipe.send(self.seen)
                self.seen = []
            case "numbers":
                self.pipe.send(
                    {
                        "requests": self.count,
                        "answered": self.answered,
                        "most waiting": self.most_waiting,
                        "connections": self.connections,
                    }
                )
                self.seen = []


class Connection(asyncio.Protocol):
    def __init__(self, server):
        self.server = server
        self.buffer = bytearray()

    def connection_made(self, transport):
        self.transport = transport
        self.server.connections += 1

    def data_received(self, data):
        self.buffer += data
        try:
            while self.buffer:
                parsed = parse(self.buffer)
                if parsed is None:
                    return
                seen, length = parsed
                del self.buffer[:length]
                self.server.arrived(seen, self)
        except Malformed as flaw:
            self.server.seen.append(Seen("", {}, bytes(self.buffer[:2000]), [str(flaw)], b""))
            self.server.count += 1
            self.transport.close()


def _run(pipe, port, suite, rate, delay):
    die_with_parent()

    async def serve():
        server = Server(pipe, rate, delay)
        loop = asyncio.get_running_loop()
        loop.add_reader(pipe.fileno(), server.command)
        listener = await loop.create_server(
            lambda: Connection(server), "127.0.0.1", port, ssl=suite.inner_context(), backlog=1024
        )
        pipe.send("ready")
        async with listener:
            await listener.serve_forever()

    asyncio.run(serve())


class Upstream:
    """The server as the check sees it; ends with the `with` that it is used in."""

    def __init__(self, suite, rate=0, delay=0):
        """`rate`: how many requests a second it answers at most; 0 is without limit. `delay`: seconds that each takes
        beside that, or a function that draws them."""
        self.port = free_port()
        self.pipe, other = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork")
        self.process = context.Process(target=_run, args=(other, self.port, suite, rate, delay), daemon=True)
        self.process.start()
        other.close()
        assert self._receive() == "ready"

    def _receive(self):
        if not self.pipe.poll(30):
            raise SystemExit("The upstream doesn't answer.")
        return self.pipe.recv()

    def take(self):
        """What has arrived since the last time."""
        self.pipe.send("take")
        return self._receive()

    def numbers(self):
        """Counts since the start; what has arrived is forgotten."""
        self.pipe.send("numbers")
        return self._receive()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.join()
