"""Three parsers in this process or beside it, and what each reads in the same bytes: ours, llhttp (Node's) and h11."""

import collections
import re
import struct
import subprocess

import h11
import httptools

from client.proxy import die_with_parent

# A reading's `end`: "open" where more could come, "closed" behind a last message, "refused". `messages`: those that are complete, and then
# perhaps one that isn't. `said`: why it was refused.
Reading = collections.namedtuple("Reading", "end messages said")
# A message's `end`: behind its last byte, where the reader tells; `complete`: whether it is.
Request = collections.namedtuple("Request", "method target host body complete end")
Answer = collections.namedtuple("Answer", "status body complete end")

ABSOLUTE = re.compile(r"(?i)https?://([^/?]*)(.*)", re.S)


def request(method, target, host, body, complete=True, end=None):
    """A request whose target is in origin form: the authority of an absolute one is the host (RFC 9112, section 3.2.2)."""
    if absolute := ABSOLUTE.fullmatch(target):
        host, target = absolute[1], absolute[2]
        if not target:
            target = "*" if method == "OPTIONS" else "/"
    if target.startswith("?"):
        target = "/" + target
    return Request(method, target, host, body, complete, end)


def complete(reading):
    return [message for message in reading.messages if message.complete]


class Ours:
    """The server's and the client's parser: the program `http1-reader`."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=die_with_parent
        )

    def _ask(self, kind, inputs):
        answers = []
        # Few at a time, so that neither side waits for the other with a full pipe.
        for start in range(0, len(inputs), 16):
            part = inputs[start : start + 16]
            pieces = []
            for data in part:
                kinds = kind if isinstance(kind, bytes) else kind(len(answers) + len(pieces))
                pieces.append(kinds + struct.pack(">I", len(data)) + data)
            self.process.stdin.write(b"".join(pieces) + b".")
            self.process.stdin.flush()
            for _ in part:
                header = self.process.stdout.read(4)
                if len(header) < 4:
                    raise SystemExit(f"our parser has crashed on one of {part!r}")
                answers.append(self.process.stdout.read(*struct.unpack(">I", header)))
        return answers

    @staticmethod
    def _lines(text):
        first, *lines = text.decode().split("\n")
        return first.split(" ")[0], [line.split("\t") for line in lines], first

    def requests(self, inputs):
        readings = []
        for text in self._ask(b"R", inputs):
            end, lines, said = self._lines(text)
            messages = [
                Request(method, target, host, bytes.fromhex(body), end != "-", int(end) if end != "-" else None)
                for method, target, host, _, _, end, body in lines
            ]
            readings.append(Reading(end, messages, said))
        return readings

    def answers(self, inputs, methods):
        """`methods`: what each is an answer to, GET or HEAD."""
        readings = []
        for text in self._ask(lambda index: methods[index][:1].encode(), inputs):
            end, lines, said = self._lines(text)
            messages = [
                Answer(int(status), bytes.fromhex(body), end != "-", int(end) if end != "-" else None)
                for status, _, _, end, body in lines
            ]
            readings.append(Reading(end, messages, said))
        return readings

    def written(self, inputs):
        """What our encoders make of the complete requests in each input: a list of bytes for each."""
        all = []
        for text in self._ask(b"W", inputs):
            requests = []
            while text:
                (length,) = struct.unpack(">I", text[:4])
                requests.append(text[4 : 4 + length])
                text = text[4 + length :]
            all.append(requests)
        return all


class Naive:
    """A parser with faults, for the control: bare line feeds, the last length counts, chunked is whatever has the word in it."""

    HEAD = re.compile(rb"\r?\n\r?\n")
    SIZE = re.compile(rb"\s*([0-9A-Fa-f]+)[^\n]*\n")
    END = re.compile(rb"\r?\n?")

    def requests(self, inputs):
        return [self._requests(data) for data in inputs]

    def answers(self, inputs, methods):
        return [self._answer(data, method) for data, method in zip(inputs, methods)]

    def _requests(self, data):
        messages, start = [], 0
        while True:
            while data[start : start + 1] in (b"\r", b"\n"):
                start += 1
            head = self._head(data, start)
            if not head:
                return Reading("open", messages, "")
            words, fields, place = head
            if len(words) < 2:
                return Reading("refused", messages, "no request line")
            body, start = self._body(data, fields, place, 0)
            if start is None:
                return Reading("open", messages, "")
            method, target, host = words[0], words[1], fields.get(b"host", b"")
            messages.append(request(*(part.decode("latin-1") for part in (method, target, host)), body, True, start))

    def _answer(self, data, method):
        head = self._head(data, 0)
        if not head or len(head[0]) < 2 or not head[0][1].isdigit():
            return Reading("refused", [], "no status line")
        words, fields, place = head
        body, end = (b"", place) if method == "HEAD" else self._body(data, fields, place, len(data) - place)
        return Reading("closed", [Answer(int(words[1]), body, end is not None, end)], "")

    def _head(self, data, start):
        """The words of the first line, the fields, and where they end; None if they don't."""
        end = self.HEAD.search(data, start)
        if not end:
            return None
        lines = re.split(rb"\r?\n", data[start : end.start()])
        parts = (line.partition(b":") for line in lines[1:])
        return lines[0].split(), {name.strip().lower(): value.strip() for name, _, value in parts}, end.end()

    def _body(self, data, fields, place, otherwise):
        """The body and where it ends, which is None if it doesn't. `otherwise`: its length if nothing tells."""
        body = b""
        if b"chunked" in fields.get(b"transfer-encoding", b"").lower():
            while size := self.SIZE.match(data, place):
                place, count = size.end(), int(size[1], 16)
                if place + count > len(data):
                    break
                body += data[place : place + count]
                place = self.END.match(data, place + count).end()
                if not count:
                    return body, place
            return body, None
        found = re.match(rb"\d+", fields.get(b"content-length", b""))
        end = place + (int(found[0]) if found else otherwise)
        return data[place:end], end if end <= len(data) else None


class _Collector:
    """What httptools calls."""

    def __init__(self):
        self.messages, self.parser = [], None

    def on_message_begin(self):
        self.url, self.hosts, self.body, self.is_head = b"", [], b"", True

    def on_url(self, url):
        self.url += url

    def on_header(self, name, value):
        if self.is_head and name.lower() == b"host":
            self.hosts.append(value.strip(b" \t"))

    def on_headers_complete(self):
        self.is_head = False

    def on_body(self, body):
        self.body += body


class _Requests(_Collector):
    def on_message_complete(self):
        method, host = self.parser.get_method().decode("latin-1"), b",".join(self.hosts).decode("latin-1")
        self.messages.append(request(method, self.url.decode("latin-1"), host, self.body))


class _Answers(_Collector):
    def on_message_complete(self):
        status = self.parser.get_status_code()
        if status >= 200:
            self.messages.append(Answer(status, self.body, True, None))


class LLHTTP:
    """By way of httptools. It doesn't tell of messages that aren't complete, nor of the method that an answer is for."""

    def requests(self, data):
        collector = _Requests()
        collector.parser = httptools.HttpRequestParser(collector)
        try:
            collector.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            return Reading("closed", collector.messages, "upgrade")
        except httptools.HttpParserError as error:
            return Reading("refused", collector.messages, f"{error}")
        return Reading("open", collector.messages, "")

    def answers(self, data):
        collector = _Answers()
        collector.parser = httptools.HttpResponseParser(collector)
        try:
            collector.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            return Reading("closed", collector.messages, "upgrade")
        except httptools.HttpParserError as error:
            return Reading("refused", collector.messages, f"{error}")
        return Reading("open", collector.messages, "")


class H11:
    FINE = h11.Response(status_code=200, headers=[("content-length", "0")])

    def requests(self, data):
        connection = h11.Connection(h11.SERVER)
        messages, body, head = [], [], None
        try:
            connection.receive_data(data)
            while True:
                event = connection.next_event()
                if type(event) is h11.Request:
                    head, body = event, []
                elif type(event) is h11.Data:
                    body.append(bytes(event.data))
                elif type(event) is h11.EndOfMessage:
                    host = b",".join(value for name, value in head.headers if name == b"host").decode("latin-1")
                    method, target = head.method.decode("latin-1"), head.target.decode("latin-1")
                    messages.append(request(method, target, host, b"".join(body)))
                    connection.send(self.FINE)
                    connection.send(h11.EndOfMessage())
                    if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
                        return Reading("closed", messages, "")
                    connection.start_next_cycle()
                elif event is h11.NEED_DATA:
                    return Reading("open", messages, "")
                else:
                    return Reading("closed", messages, str(event))
        except h11.RemoteProtocolError as error:
            return Reading("refused", messages, str(error))
        except h11.LocalProtocolError as error:
            return Reading("closed", messages, str(error))

    def answers(self, data, method):
        connection = h11.Connection(h11.CLIENT)
        connection.send(h11.Request(method=method, target="/", headers=[("host", "h")]))
        connection.send(h11.EndOfMessage())
        messages, body, head = [], [], None
        try:
            connection.receive_data(data)
            connection.receive_data(b"")
            while True:
                event = connection.next_event()
                if type(event) is h11.Response:
                    head, body = event, []
                elif type(event) is h11.Data:
                    body.append(bytes(event.data))
                elif type(event) is h11.EndOfMessage:
                    messages.append(Answer(head.status_code, b"".join(body), True, None))
                    return Reading("closed", messages, "")
                elif type(event) is not h11.InformationalResponse:
                    return Reading("closed", messages, str(event))
        except h11.RemoteProtocolError as error:
            return Reading("refused", messages, str(error))
