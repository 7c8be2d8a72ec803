"""A TLS client that knows how many bytes of which exchange the server sent, for HTTP/1.1 and HTTP/2.

It reads record by record, so that whoever sees the same connection from outside can tell which records belong to what.
"""

import dataclasses
import socket
import ssl

import h2.config
import h2.connection
import h2.events

# <bits/in.h>: bind to an address that no interface has.
IP_FREEBIND = 15


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
    """`end` says where in the server's stream of bytes its last record ends."""

    status: int
    headers: list
    body: bytes
    end: int = 0


def tls_context(version, protocols, authority=None):
    """For exactly one version of TLS; without an authority the server needs to prove nothing."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = context.maximum_version = version
    if protocols:
        context.set_alpn_protocols(list(protocols))
    if authority is None:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    else:
        context.load_verify_locations(authority)
    return context


class Connection:
    """One TLS connection. `source` is an address and a port, 0 for any."""

    def __init__(self, port, context, host="127.0.0.1", source=None, server_name="localhost", patience=15):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        try:
            self.socket.settimeout(patience)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if source is not None:
                self.socket.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
                self.socket.bind(source)
            self.socket.connect((host, port))
            self.local_port = self.socket.getsockname()[1]
            self.received = 0
            self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=server_name)
            self._shake_hands()
        except BaseException:
            self.socket.close()
            raise
        self.handshake_end = self.received

    def _shake_hands(self):
        while True:
            try:
                self._tls.do_handshake()
                self._flush()
                return
            except ssl.SSLWantReadError:
                self._flush()
                if not self._take_record():
                    raise ConnectionError("The server closed during the handshake.") from None
            except ssl.SSLError:
                # The alert that says why.
                self._flush()
                raise

    def _flush(self):
        if self._outgoing.pending:
            self.socket.sendall(self._outgoing.read())

    def _exactly(self, count):
        content = b""
        while len(content) < count:
            piece = self.socket.recv(count - len(content))
            if not piece:
                break
            content += piece
        return content

    def _take_record(self):
        """Hands exactly one record to TLS; false at the end of the stream."""
        header = self._exactly(5)
        if len(header) < 5:
            return False
        body = self._exactly(int.from_bytes(header[3:], "big"))
        self.received += 5 + len(body)
        self._incoming.write(header + body)
        return True

    def write(self, content):
        self._tls.write(content)
        self._flush()

    def read(self):
        """What the next record with content says; nothing at the end."""
        while True:
            try:
                content = self._tls.read(1 << 16)
                if content:
                    return content
                return b""
            except ssl.SSLWantReadError:
                self._flush()
                if not self._take_record():
                    return b""
            except ssl.SSLZeroReturnError:
                return b""

    def finish(self):
        """Says that nothing more comes, waits until the server has closed, too, and counts what it still sent."""
        try:
            self._tls.unwrap()
        except ssl.SSLError:
            pass
        try:
            self._flush()
            self.socket.shutdown(socket.SHUT_WR)
            while self._take_record():
                pass
        except OSError:
            pass
        self.close()

    def close(self):
        self.socket.close()


class HTTP1:
    """Exchanges over HTTP/1.1, one after the other."""

    protocols = ("http/1.1",)

    def __init__(self, connection):
        self.connection = connection
        self._rest = b""

    def open(self):
        """Nothing to agree on."""

    def exchange(self, request):
        content = request.raw or encode1(request)
        self.connection.write(content if request.ends else content[:-1])
        return self.answer()

    def exchange_together(self, requests):
        """Sends all before it looks for an answer."""
        self.connection.write(b"".join(map(encode1, requests)))
        return [self.answer() for _ in requests]

    def answer(self):
        head = self._until(b"\r\n\r\n")
        status_line, *lines = head.decode("latin-1").split("\r\n")[:-2]
        headers = [tuple(part.strip() for part in line.split(":", 1)) for line in lines]
        fields = {name.lower(): value for name, value in headers}
        status = int(status_line.split(" ")[1])
        body = b""
        if fields.get("transfer-encoding") == "chunked":
            while (size := int(self._until(b"\r\n"), 16)) > 0:
                body += self._take(size + 2)[:-2]
            self._until(b"\r\n")
        elif status not in (204, 304):
            body = self._take(int(fields.get("content-length", 0)))
        return Answer(status, headers, body, self.connection.received)

    def _until(self, mark):
        while mark not in self._rest:
            self._more()
        index = self._rest.index(mark) + len(mark)
        return self._take(index)

    def _take(self, count):
        while len(self._rest) < count:
            self._more()
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken

    def _more(self):
        content = self.connection.read()
        if not content:
            raise ConnectionError("The server closed before its answer was complete.")
        self._rest += content


def encode1(request, host="localhost"):
    """A request as bytes. The caller's headers come as they are, and the length if there is a body."""
    lines = [f"{request.method} {request.path} HTTP/1.1", f"host: {host}"]
    lines += [f"{name}: {value}" for name, value in request.headers]
    if request.body or request.method == "POST":
        lines.append(f"content-length: {len(request.body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + request.body


class HTTP2:
    """Exchanges over HTTP/2, one after the other on a connection."""

    protocols = ("h2",)

    def __init__(self, connection, authority="localhost"):
        self.connection = connection
        self.authority = authority
        self.state = h2.connection.H2Connection(
            h2.config.H2Configuration(validate_outbound_headers=False, normalize_outbound_headers=False))
        self._begun = False

    def open(self):
        """Agrees on settings before the first request; without it the first request takes the preface along."""
        self._begin()
        self._flush()
        missing = {h2.events.RemoteSettingsChanged, h2.events.SettingsAcknowledged}
        while missing:
            missing -= {type(event) for event in self.events()}
            self._flush()

    def _begin(self):
        if not self._begun:
            self._begun = True
            self.state.initiate_connection()

    def _flush(self):
        content = self.state.data_to_send()
        if content:
            self.connection.write(content)

    def events(self):
        content = self.connection.read()
        if not content:
            raise ConnectionError("The server closed before its answer was complete.")
        return self.state.receive_data(content)

    def send(self, request, trailers=None):
        self._begin()
        stream = self.state.get_next_available_stream_id()
        pseudo = [(":method", request.method), (":scheme", "https"), (":authority", self.authority),
                  (":path", request.path)]
        ends = not request.body and not trailers
        self.state.send_headers(stream, pseudo + list(request.headers), end_stream=ends)
        if request.body:
            # Windows and frames are larger than any body here.
            body = request.body if request.ends else request.body[:-1]
            self.state.send_data(stream, body, end_stream=request.ends and not trailers)
        if trailers:
            self.state.send_headers(stream, trailers, end_stream=True)
        self._flush()
        return stream

    def exchange(self, request):
        return self.answers([self.send(request)])[0]

    def exchange_together(self, requests):
        """Sends all before it looks for an answer."""
        return self.answers([self.send(request) for request in requests])

    def answers(self, streams):
        """The answers on some streams, in the order of the streams."""
        found = {stream: Answer(0, [], b"") for stream in streams}
        open_streams = set(streams)
        while open_streams:
            events = self.events()
            # Settings that came meanwhile must be acknowledged.
            self._flush()
            for event in events:
                stream = getattr(event, "stream_id", None)
                if stream not in open_streams:
                    continue
                answer = found[stream]
                if isinstance(event, h2.events.ResponseReceived):
                    answer.headers = [(_text(name), _text(value)) for name, value in event.headers]
                    answer.status = int(dict(answer.headers)[":status"])
                elif isinstance(event, h2.events.DataReceived):
                    answer.body += event.data
                elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)):
                    answer.end = self.connection.received
                    open_streams.remove(stream)
        return list(found.values())


def _text(value):
    return value.decode("latin-1") if isinstance(value, bytes) else value
