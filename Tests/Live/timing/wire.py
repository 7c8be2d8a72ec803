"""Connections to the proxy that never wait, and note when a request leaves and when the first bytes of its answer arrive."""

import h2.events

from client import http1, http2
from client.http1 import Request
from client.tls import TimedConnection


class HTTP1:
    """A connection with one request at a time."""

    protocol = "http/1.1"
    # Requests at a time.
    capacity = 1

    def __init__(self, port, context):
        self._connection = TimedConnection(port, context)
        self._exchange = None
        self._received = b""
        self._arrived = 0

    def fileno(self):
        return self._connection.fileno()

    def close(self):
        self._connection.close()

    def send(self, path, fields, body, exchange, delay=0.0):
        self._exchange, self._received, self._arrived = exchange, b"", 0
        return self._connection.send(http1.encode(Request(path, fields, body)), delay)

    def pending(self):
        return [self._exchange] if self._exchange else []

    def receive(self):
        """Complete answers, each with the exchange it belongs to; and whether the connection may be used again."""
        plain, arrived = self._connection.receive()
        if plain and not self._received:
            self._arrived = arrived
        self._received += plain
        parsed = http1.parse(self._received)
        if parsed is None:
            return [], True
        exchange, self._exchange = self._exchange, None
        answer = parsed[0]
        answer.arrived = self._arrived
        return [(exchange, answer)], answer.fields.get("connection", "").lower() != "close"


class HTTP2:
    """A connection with a few requests at a time, each on a stream of its own."""

    protocol = "h2"
    # Not more: of answers that arrive while this process is busy, the kernel keeps only the last one's moment.
    capacity = 2

    def __init__(self, port, context):
        self._connection = TimedConnection(port, context)
        self._streams = http2.Streams()
        self._streams.begin()
        self._connection.send(self._streams.output())
        # By stream.
        self._exchanges = {}

    def fileno(self):
        return self._connection.fileno()

    def close(self):
        self._connection.close()

    def send(self, path, fields, body, exchange, delay=0.0):
        self._exchanges[self._streams.send(Request(path, fields, body))] = exchange
        return self._connection.send(self._streams.output(), delay)

    def pending(self):
        return list(self._exchanges.values())

    def receive(self):
        """Complete answers, each with the exchange it belongs to; and whether the connection may be used again."""
        plain, arrived = self._connection.receive()
        events, ended = self._streams.receive(plain, arrived)
        if any(isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated)) for event in events):
            raise ConnectionError("ended")
        if control := self._streams.output():
            self._connection.send(control)
        return [(self._exchanges.pop(stream), answer) for stream, answer in ended.items()], True


CONNECTIONS = {connection.protocol: connection for connection in (HTTP1, HTTP2)}
