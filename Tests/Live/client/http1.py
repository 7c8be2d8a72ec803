"""HTTP/1.1 as a client sees it, read strictly: two readers must never disagree about where an answer ends (RFC 9112)."""

import dataclasses
import re
import socket
import time

STATUS_LINE = re.compile(r"HTTP/1\.[01] ([1-5][0-9]{2}) [\t -~]*")
FIELD_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
LONGEST_HEADER = 65_536


@dataclasses.dataclass
class Request:
    """`raw` is written in place of all else, on HTTP/1.1; of one that doesn't end, the last byte is never sent."""

    path: str
    headers: list
    body: bytes = b""
    method: str = "POST"
    raw: bytes | None = None
    ends: bool = True


@dataclasses.dataclass
class Answer:
    """`end`: where in the server's stream of bytes its last record ends. `arrived`: the moment of its first bytes."""

    status: int
    fields: dict
    body: bytes
    end: int = 0
    arrived: int = 0


class Unreadable(ValueError):
    """What came is no answer of HTTP/1.1."""


def encode(request, host="localhost"):
    """A request as bytes. The caller's headers come as they are, and the length if there is a body."""
    lines = [f"{request.method} {request.path} HTTP/1.1", f"host: {host}"]
    lines += [f"{name}: {value}" for name, value in request.headers]
    if request.body or request.method == "POST":
        lines.append(f"content-length: {len(request.body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + request.body


def post(path, body, *fields, media="application/json"):
    """The bytes of a well-formed request."""
    return encode(Request(path, [("content-type", media), *fields], body))


def parse(buffer, method="POST", chunked=False):
    """The first answer in a buffer, and the bytes behind it; `None` while it isn't complete.

    `method`: of the request. `chunked`: whether a body may come in chunks, for which the proxy has no reason.
    """
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        if len(buffer) > LONGEST_HEADER:
            raise Unreadable("a header without end")
        return None
    first, *lines = buffer[:end].decode("latin-1").split("\r\n")
    start = STATUS_LINE.fullmatch(first)
    if not start:
        raise Unreadable(f"the status line {first[:60]!r}")
    status = int(start[1])
    fields = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not FIELD_NAME.fullmatch(name):
            raise Unreadable(f"the field line {line[:60]!r}")
        name = name.lower()
        if name in ("content-length", "transfer-encoding") and name in fields:
            raise Unreadable(f"two fields {name}")
        fields[name] = value.strip()
    rest = buffer[end + 4 :]
    if "transfer-encoding" in fields:
        if not chunked:
            raise Unreadable("an answer in chunks, which the proxy has no reason for")
        return _chunks(status, fields, rest)
    length = 0 if status < 200 or status in (204, 304) or method == "HEAD" else fields.get("content-length")
    if length is None:
        raise Unreadable("an answer without length")
    length = int(length)
    if len(rest) < length:
        return None
    return Answer(status, fields, rest[:length]), rest[length:]


def _chunks(status, fields, rest):
    body = b""
    while True:
        line, found, rest = rest.partition(b"\r\n")
        if not found:
            return None
        size = int(line, 16)
        if len(rest) < size + 2:
            return None
        body, rest = body + rest[:size], rest[size + 2 :]
        if size == 0:
            return Answer(status, fields, body), rest


class Exchanges:
    """Exchanges on a `tls.Connection`, one after the other."""

    protocols = ("http/1.1",)

    def __init__(self, connection):
        self.connection = connection
        self._rest = b""

    def open(self):
        """Nothing to agree on."""

    def exchange(self, request):
        content = request.raw or encode(request)
        self.connection.write(content if request.ends else content[:-1])
        return self.answer()

    def exchange_together(self, requests):
        """Sends all before it looks for an answer."""
        self.connection.write(b"".join(map(encode, requests)))
        return [self.answer() for _ in requests]

    def answer(self):
        while (parsed := parse(self._rest, chunked=True)) is None:
            content = self.connection.read()
            if not content:
                raise ConnectionError("The server closed before its answer was complete.")
            self._rest += content
        answer, self._rest = parsed
        answer.end = self.connection.received
        return answer


# MARK: On sockets of the `ssl` module, which end as they are told to


def connect(port, context, timeout=5, name="localhost", session=None, source=None):
    """A TLS connection; `session`: one to be resumed; `source`: the address that it comes from."""
    plain = socket.create_connection(("127.0.0.1", port), timeout, source_address=(source, 0) if source else None)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return context.wrap_socket(plain, server_hostname=name, session=session)


class Reader:
    """The answers on such a connection, as far as they come in time."""

    def __init__(self, connection):
        self.connection = connection
        self.buffer = b""
        self.closed = False

    def _more(self, deadline):
        """Whether there are more bytes now."""
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        self.connection.settimeout(left)
        try:
            data = self.connection.recv(65_536)
        except TimeoutError:
            return False
        except OSError:
            data = b""
        self.closed = not data
        self.buffer += data
        return not self.closed

    def answer(self, timeout, method="POST"):
        """The next final answer; `None` if the connection is closed or the time is up before it began."""
        deadline = time.monotonic() + timeout
        while True:
            while (parsed := parse(self.buffer, method)) is None:
                if not self._more(deadline):
                    if self.buffer:
                        raise Unreadable(f"half an answer: {self.buffer[:60]!r}")
                    return None
            answer, self.buffer = parsed
            # Interim answers are no answers.
            if answer.status >= 200:
                return answer
