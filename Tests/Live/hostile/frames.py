"""HTTP/2 frame by frame, to send what a library refuses to send."""

import contextlib
import socket
import ssl
import struct
import threading
import time

import hpack

from client import http1


DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED, WITH_PRIORITY = 1, 1, 4, 8, 32
CODES = (
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
)  # fmt: skip
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags=0, stream=0, payload=b"", length=None):
    """The bytes of a frame; `length`: what its header says, if it lies."""
    size = len(payload) if length is None else length
    return struct.pack(">I", size)[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def setting(number, value):
    return struct.pack(">HI", number, value)


def block(fields, huffman=False):
    """A header block without use of the dynamic table: any bytes can stand in it, and it depends on nothing before."""

    def text(value):
        value = value if isinstance(value, bytes) else value.encode()
        return _integer(len(value), 7, 0) + value

    if huffman:
        return hpack.Encoder().encode(fields, huffman=True)
    return b"".join(b"\0" + text(name) + text(value) for name, value in fields)


def _integer(value, bits, first):
    most = (1 << bits) - 1
    if value < most:
        return bytes([first | value])
    out = [first | most]
    value -= most
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def request(path="/version/v1/tan", *more, method="POST", leave_out=(), body=None):
    """The fields of a well-formed request, with changes."""
    fields = [
        (":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path),
        ("content-type", "application/json"),
    ]  # fmt: skip
    if body is not None:
        fields.append(("content-length", str(len(body))))
    return [pair for pair in fields if pair[0] not in leave_out] + list(more)


class Connection:
    """One connection. What the server sends is gathered in `events`."""

    def __init__(self, port, context, preface=PREFACE, settings=b"", hello=True, timeout=5, receive_buffer=None):
        plain = socket.socket()
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.settimeout(timeout)
        plain.connect(("127.0.0.1", port))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.tls = context.wrap_socket(plain, server_hostname="localhost")
        if hello and self.tls.selected_alpn_protocol() != "h2":
            raise SystemExit("The proxy doesn't speak HTTP/2.")
        self.decoder = hpack.Decoder()
        self.decoder.max_header_list_size = 1 << 20
        self.buffer = b""
        # Tuples: ("answer", stream, status), ("end", stream), ("reset", stream, code), ("goaway", code, last), …
        self.events = []
        self.closed = False
        self.sent = 0
        if hello:
            self.send(preface + frame(SETTINGS, payload=settings))

    def send(self, data):
        """Whether all of it went out."""
        try:
            self.tls.sendall(data)
            self.sent += len(data)
            return True
        except (OSError, ssl.SSLError):
            # What the server said before it closed may still be there to read.
            self.broken = True
            return False

    broken = False

    def headers(self, stream, fields, end=False, flags=END_HEADERS):
        return self.send(frame(HEADERS, flags | (END_STREAM if end else 0), stream, block(fields)))

    def data(self, stream, body, end=True):
        return self.send(frame(DATA, END_STREAM if end else 0, stream, body))

    def unfinished(self, stream, size, seconds=5):
        """Sends so many bytes of the only body on a new connection, as the server makes room for them, until it answers or waits."""
        room = {0: 65_535, stream: 65_535}
        seen, left = 0, size
        while left:
            for event in self.events[seen:]:
                if event[0] in ("answer", "reset", "goaway"):
                    return
                if event[0] == "window":
                    room[event[1]] += event[2]
            seen = len(self.events)
            if piece := min(left, 16_384, *room.values()):
                if not self.data(stream, bytes(piece), end=False):
                    return
                left -= piece
                room = {name: bytes_left - piece for name, bytes_left in room.items()}
            elif not self.read(seconds, until=lambda event: event[0] in ("window", "answer", "reset", "goaway")):
                return

    def post(self, stream, body, path="/version/v1/tan", *more):
        """A well-formed request."""
        head = frame(HEADERS, END_HEADERS, stream, block(request(path, *more, body=body)))
        return self.send(head + frame(DATA, END_STREAM, stream, body))

    def read(self, seconds, until=lambda event: False):
        """Reads until an event is what is waited for, the connection is closed, or the time is up."""
        deadline = time.monotonic() + seconds
        while not self.closed:
            while one := self._parse():
                self.events.append(one)
                if until(one):
                    return one
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self.tls.settimeout(left)
            try:
                data = self.tls.recv(65_536)
            except TimeoutError:
                return None
            except OSError:
                data = b""
            if not data:
                self.closed = True
            self.buffer += data
        while one := self._parse():
            self.events.append(one)
        return None

    def _parse(self):
        if len(self.buffer) < 9:
            return None
        length = int.from_bytes(self.buffer[:3], "big")
        if len(self.buffer) < 9 + length:
            return None
        kind, flags = self.buffer[3], self.buffer[4]
        stream = int.from_bytes(self.buffer[5:9], "big") & 0x7FFFFFFF
        payload = self.buffer[9 : 9 + length]
        self.buffer = self.buffer[9 + length :]
        ended = kind in (DATA, HEADERS) and flags & END_STREAM
        match kind:
            case 1:
                # No server of ours pads, or needs more than one frame for a header.
                status = next(value for name, value in self.decoder.decode(payload) if name == ":status")
                return ("answer", stream, int(status), bool(ended))
            case 0:
                return ("data", stream, payload, bool(ended))
            case 3:
                return ("reset", stream, CODES[int.from_bytes(payload, "big")])
            case 4:
                if not flags & ACK:
                    with contextlib.suppress(OSError):
                        self.tls.sendall(frame(SETTINGS, ACK))
                return ("settings", flags & ACK, payload)
            case 6:
                return ("ping", flags & ACK, payload)
            case 7:
                last, code = struct.unpack(">II", payload[:8])
                return ("goaway", CODES[code], last)
            case 8:
                return ("window", stream, int.from_bytes(payload, "big"))
        return ("frame", kind, stream)

    def answered(self, stream, seconds=5):
        """The status of the answer on a stream, once it is complete; `None` without one."""

        def ended(event):
            return event[:2] in (("answer", stream), ("data", stream)) and event[3] or event[:2] == ("reset", stream)

        if not any(ended(event) for event in self.events):
            self.read(seconds, until=ended)
        if not any(ended(event) and event[0] != "reset" for event in self.events):
            return None
        return next((event[2] for event in self.events if event[:2] == ("answer", stream)), None)

    def close(self):
        with contextlib.suppress(OSError):
            self.tls.close()


class Witness:
    """A well-behaved client beside an attack: sends requests all the time, each on a connection of its own."""

    def __init__(self, port, http1, http2, body=b"witness", pause=0.1, path="/version/v1/tan", versions=2, patience=10):
        """`versions`: 1 for HTTP/1.1 alone."""
        self.port, self.http1, self.http2, self.path = port, http1, http2, path
        self.body, self.pause, self.versions, self.patience = body, pause, versions, patience
        # Seconds that each answer took; what went wrong.
        self.times, self.failures, self.statuses = [], [], []
        self.stopped = False

    def __enter__(self):
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped = True
        self.thread.join(30)

    def _run(self):
        turn = 0
        while not self.stopped:
            turn += 1
            start = time.monotonic()
            try:
                status = self._second() if self.versions == 2 and turn % 2 else self._first()
                self.statuses.append(status)
                if status is None or status >= 300:
                    self.failures.append(f"status {status}")
            except (OSError, http1.Unreadable, SystemExit) as error:
                self.failures.append(f"{type(error).__name__}: {error}")
            self.times.append(time.monotonic() - start)
            time.sleep(self.pause)

    def _first(self):
        with http1.connect(self.port, self.http1, timeout=self.patience) as connection:
            connection.sendall(http1.post(self.path, self.body))
            answer = http1.Reader(connection).answer(self.patience)
            return answer and answer.status

    def _second(self):
        connection = Connection(self.port, self.http2, timeout=self.patience)
        connection.post(1, self.body, self.path)
        status = connection.answered(1, self.patience)
        connection.close()
        return status

    def verdict(self, report, occasion, slowest, may_be_shed=False):
        """Requires that all was answered, in `slowest` seconds at most. `may_be_shed`: 503 is an answer, too.

        To be called in a measurement of `Report.in_time`: on a busy machine a request may time out, or its answer be a 503.
        """
        worst = max(self.times, default=99)
        shed = self.statuses.count(503)
        if may_be_shed:
            self.failures = [failure for failure in self.failures if failure != "status 503"]
        late = [failure for failure in self.failures if failure in ("status None", "status 503") or "Timeout" in failure]
        others = [failure for failure in self.failures if failure not in late]
        for failures, require in ((late, report.require_soon), (others, report.require)):
            require(
                self.times and not failures,
                f"{occasion}: {len(failures)} of {len(self.times)} requests of others fail: {failures[:3]}",
            )
        report.require_soon(worst <= slowest, f"{occasion}: others wait for {worst:.2f} seconds")
        words = f", {shed} of them 503" if shed else ""
        return f"others: {len(self.times)} answers{words}, the slowest in {worst * 1000:.0f} ms"
