"""HTTP/1.1 as a client sees it, read strictly: two readers must never disagree about where an answer ends."""

import re
import socket
import time


class Unreadable(Exception):
    """What came is no answer of HTTP/1.1."""


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body


def connect(port, context, timeout=5, name="localhost", session=None):
    """A TLS connection to the proxy; `session`: one to be resumed."""
    plain = socket.create_connection(("127.0.0.1", port), timeout)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return context.wrap_socket(plain, server_hostname=name, session=session)


def request(path, body, *fields, media="application/json"):
    """A well-formed request."""
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Type: {media}", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, *fields]).encode() + b"\r\n\r\n" + body


class Reader:
    """The answers on a connection."""

    def __init__(self, connection):
        self.connection = connection
        self.buffer = b""
        self.closed = False
        # How many bytes of an answer that has begun have come, when the connection ends.
        self.begun = 0

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
        if not data:
            self.closed = True
            self.begun = len(self.buffer)
            return False
        self.buffer += data
        return True

    def answer(self, timeout, method="POST"):
        """The next final answer; `None` if the connection is closed or the time is up before it began."""
        deadline = time.monotonic() + timeout
        while True:
            one = self._one(deadline, method)
            # Interim answers are no answers.
            if one is None or one.status >= 200:
                return one

    def _one(self, deadline, method):
        while (end := self.buffer.find(b"\r\n\r\n")) < 0:
            if len(self.buffer) > 65_536:
                raise Unreadable("a header without end")
            if not self._more(deadline):
                if self.buffer:
                    raise Unreadable(f"half an answer: {self.buffer[:60]!r}")
                return None
        lines = self.buffer[:end].decode("latin-1").split("\r\n")
        start = re.fullmatch(r"HTTP/1\.[01] ([1-5][0-9]{2}) [\t -~]*", lines[0])
        if not start:
            raise Unreadable(f"the status line {lines[0][:60]!r}")
        status = int(start[1])
        fields = {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon or not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
                raise Unreadable(f"the field line {line[:60]!r}")
            if name.lower() in ("content-length", "transfer-encoding") and name.lower() in fields:
                raise Unreadable(f"two fields {name}")
            fields[name.lower()] = value.strip()
        if "transfer-encoding" in fields:
            raise Unreadable("an answer in chunks, which the proxy has no reason for")
        length = 0 if status < 200 or status in (204, 304) or method == "HEAD" else fields.get("content-length")
        if length is None:
            raise Unreadable("an answer without length")
        length = int(length)
        while len(self.buffer) < end + 4 + length:
            if not self._more(deadline):
                raise Unreadable("an answer that is shorter than its length")
        body = self.buffer[end + 4 : end + 4 + length]
        self.buffer = self.buffer[end + 4 + length :]
        return Answer(status, fields, body)
