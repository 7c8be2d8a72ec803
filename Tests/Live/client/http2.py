"""HTTP/2 as a client sees it."""

import h2.config
import h2.connection
import h2.events

from client.http1 import Answer


class Streams:
    """The client's side of a connection: requests in, bytes out; bytes in, answers out. It reads and writes nothing itself."""

    def __init__(self, authority="localhost"):
        self.authority = authority
        # What the caller says goes out as it is.
        self.state = h2.connection.H2Connection(
            h2.config.H2Configuration(validate_outbound_headers=False, normalize_outbound_headers=False))
        self._answers = {}
        self._begun = False

    def begin(self):
        """Sends the preface; otherwise the first request does."""
        if not self._begun:
            self._begun = True
            self.state.initiate_connection()

    def output(self):
        """What is to be written now."""
        return self.state.data_to_send()

    def send(self, request, trailers=None):
        """Returns the stream."""
        self.begin()
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
        self._answers[stream] = Answer(0, {}, b"")
        return stream

    def receive(self, content, arrived=0):
        """The events, and of each stream that has ended its answer; one that was reset has the status 0 or half a body."""
        events, ended = self.state.receive_data(content), {}
        for event in events:
            stream = getattr(event, "stream_id", None)
            if stream not in self._answers:
                continue
            answer = self._answers[stream]
            if isinstance(event, h2.events.ResponseReceived):
                answer.fields = {_text(name): _text(value) for name, value in event.headers}
                answer.status, answer.arrived = int(answer.fields[":status"]), arrived
            elif isinstance(event, h2.events.DataReceived):
                answer.body += event.data
                self.state.acknowledge_received_data(event.flow_controlled_length, stream)
            elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)):
                ended[stream] = self._answers.pop(stream)
        return events, ended


def _text(value):
    return value.decode("latin-1") if isinstance(value, bytes) else value


class Exchanges:
    """Exchanges on a `tls.Connection`, one after the other."""

    protocols = ("h2",)

    def __init__(self, connection, authority="localhost"):
        self.connection = connection
        self.streams = Streams(authority)

    def open(self):
        """Agrees on settings before the first request."""
        self.streams.begin()
        self.flush()
        missing = {h2.events.RemoteSettingsChanged, h2.events.SettingsAcknowledged}
        while missing:
            missing -= {type(event) for event in self._receive()[0]}

    def flush(self):
        if content := self.streams.output():
            self.connection.write(content)

    def _receive(self):
        content = self.connection.read()
        if not content:
            raise ConnectionError("The server closed before its answer was complete.")
        received = self.streams.receive(content)
        # Settings that came meanwhile must be acknowledged.
        self.flush()
        return received

    def send(self, request, trailers=None):
        stream = self.streams.send(request, trailers)
        self.flush()
        return stream

    def exchange(self, request):
        return self.answers([self.send(request)])[0]

    def exchange_together(self, requests):
        """Sends all before it looks for an answer."""
        return self.answers([self.send(request) for request in requests])

    def answers(self, streams):
        """The answers on some streams, in the order of the streams."""
        found = {}
        while set(streams) - set(found):
            for stream, answer in self._receive()[1].items():
                answer.end = self.connection.received
                found[stream] = answer
        return [found[stream] for stream in streams]
