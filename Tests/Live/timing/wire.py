"""TLS connections to the proxy, which note when a request leaves and when the first bytes of its answer arrive."""

import socket
import ssl
import struct
import time

import h2.config
import h2.connection
import h2.events

# From Linux's <asm-generic/socket.h>; Python has no name for it.
SO_TIMESTAMPNS = 35
# Of a `struct timespec` with its header, with room to spare.
ANCILLARY = 64


def context(authority, protocol):
    """What an app trusts, and the one protocol that it speaks: `http/1.1` or `h2`."""
    trust = ssl.create_default_context(cafile=authority)
    trust.set_alpn_protocols([protocol])
    return trust


class Line:
    """A connection as an observer on the wire sees it.

    The moment of arrival is the kernel's, for the packet: it doesn't depend on how busy this process is. Reading never
    blocks.
    """

    def __init__(self, address, trust):
        self.socket = socket.create_connection(address, timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = trust.wrap_bio(self._incoming, self._outgoing, server_hostname="localhost")
        while True:
            try:
                self._tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self._flush()
                self._incoming.write(self._some(self.socket.recv(65536)))
        self._flush()
        self.socket.setblocking(False)

    def fileno(self):
        return self.socket.fileno()

    def close(self):
        self.socket.close()

    def send(self, plain, delay=0.0):
        """Sends what fits one packet. Returns the moment, in nanoseconds.

        delay: how many seconds later than that it leaves, which for an observer is an answer that comes later.
        """
        self._tls.write(plain)
        sealed = self._outgoing.read()
        # Before the call and not after: the proxy, which it wakes, may take this process's core at once.
        moment = time.clock_gettime_ns(time.CLOCK_REALTIME)
        if delay:
            end = moment + int(delay * 1e9)
            while time.clock_gettime_ns(time.CLOCK_REALTIME) < end:
                pass
        self.socket.sendall(sealed)
        return moment

    def receive(self):
        """What has arrived, and when the last packet of it did. Raises ConnectionError at the end."""
        sealed, ancillary, _, _ = self.socket.recvmsg(65536, ANCILLARY)
        self._incoming.write(self._some(sealed))
        plain = b""
        try:
            while piece := self._tls.read(65536):
                plain += piece
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            raise ConnectionError("closed") from None
        self._flush()
        return plain, self._stamp(ancillary)

    @staticmethod
    def _stamp(ancillary):
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
                seconds, nanoseconds = struct.unpack("qq", data[:16])
                return seconds * 1_000_000_000 + nanoseconds
        # The kernel begins to note moments when the first socket asks for it; packets before have none.
        return time.clock_gettime_ns(time.CLOCK_REALTIME)

    @staticmethod
    def _some(sealed):
        if not sealed:
            raise ConnectionError("closed")
        return sealed

    def _flush(self):
        if self._outgoing.pending:
            self.socket.sendall(self._outgoing.read())


class Answer:
    """An answer as it comes in."""

    __slots__ = ("status", "body", "arrived")

    def __init__(self, status, body, arrived):
        self.status, self.body, self.arrived = status, body, arrived


class HTTP1:
    """A connection with one request at a time."""

    protocol = "http/1.1"
    # Requests at a time.
    capacity = 1

    def __init__(self, address, trust):
        self._line = Line(address, trust)
        self._exchange = None
        self._received = b""
        self._arrived = 0

    def fileno(self):
        return self._line.fileno()

    def close(self):
        self._line.close()

    def send(self, path, fields, body, exchange, delay=0.0):
        head = [f"POST {path} HTTP/1.1", "host: localhost", f"content-length: {len(body)}"]
        head += [f"{name}: {value}" for name, value in fields]
        self._exchange, self._received, self._arrived = exchange, b"", 0
        return self._line.send("\r\n".join(head).encode() + b"\r\n\r\n" + body, delay)

    def pending(self):
        return [self._exchange] if self._exchange else []

    def receive(self):
        """Complete answers, each with the exchange it belongs to; and whether the connection may be used again."""
        plain, arrived = self._line.receive()
        if plain and not self._received:
            self._arrived = arrived
        self._received += plain
        head, separator, body = self._received.partition(b"\r\n\r\n")
        if not separator:
            return [], True
        status, *lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if len(body) < int(fields.get("content-length", 0)):
            return [], True
        exchange, self._exchange = self._exchange, None
        answer = Answer(int(status.split(" ")[1]), body, self._arrived)
        return [(exchange, answer)], fields.get("connection", "").lower() != "close"


class HTTP2:
    """A connection with a few requests at a time, each on a stream of its own."""

    protocol = "h2"
    # Not more: of answers that arrive while this process is busy, the kernel keeps only the last one's moment.
    capacity = 2

    def __init__(self, address, trust):
        self._line = Line(address, trust)
        self._http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="latin-1"))
        self._http.initiate_connection()
        self._line.send(self._http.data_to_send())
        # By stream: the exchange, and its answer as far as it has come.
        self._streams = {}

    def fileno(self):
        return self._line.fileno()

    def close(self):
        self._line.close()

    def send(self, path, fields, body, exchange, delay=0.0):
        stream = self._http.get_next_available_stream_id()
        head = [(":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", path)]
        self._http.send_headers(stream, [*head, *fields, ("content-length", str(len(body)))])
        self._http.send_data(stream, body, end_stream=True)
        self._streams[stream] = exchange, Answer(0, b"", 0)
        return self._line.send(self._http.data_to_send(), delay)

    def pending(self):
        return [exchange for exchange, _ in self._streams.values()]

    def receive(self):
        """Complete answers, each with the exchange it belongs to; and whether the connection may be used again."""
        plain, arrived = self._line.receive()
        complete = []
        for event in self._http.receive_data(plain):
            if isinstance(event, h2.events.ResponseReceived):
                _, answer = self._streams[event.stream_id]
                answer.status, answer.arrived = int(dict(event.headers)[":status"]), arrived
            elif isinstance(event, h2.events.DataReceived):
                self._streams[event.stream_id][1].body += event.data
                self._http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                complete.append(self._streams.pop(event.stream_id))
            elif isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated)):
                raise ConnectionError("ended")
        if control := self._http.data_to_send():
            self._line.send(control)
        return complete, True


CONNECTIONS = {connection.protocol: connection for connection in (HTTP1, HTTP2)}
