"""Sends inputs through proxies, many at a time, and records what arrives behind them: clients and recorder in one loop.

A client's address is the number of its input: 127.1.0.0 and what follows. So what a proxy does to an input's bytes can't hide whose
request it is, and no port is used up.
"""

import dataclasses
import heapq
import re
import select
import socket
import time

# How long a connection may say nothing before the client takes it for waiting; the recorder answers what looks incomplete sooner.
PATIENCE = 1.5
RECORDER_PATIENCE = 0.25
# How many addresses there are, so that what a proxy passes on late isn't taken for another input's.
SPACE = 1 << 23

FROM = re.compile(rb"(?i)\nx-from: *(127\.\d+\.\d+\.\d+)|\nx-forwarded-for: *(?:[^\r\n]*, *)?(127\.\d+\.\d+\.\d+)")
LENGTH = re.compile(rb"(?i)\ncontent-length: *(\d{1,9})[ \t]*\r?\n")
CHUNKED = re.compile(rb"(?i)\ntransfer-encoding:")
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
RECORDED = b"x-recorder: yes\r\n"
FINE = b"HTTP/1.1 200 Fine\r\n" + RECORDED + b"content-length: 0\r\nconnection: close\r\n\r\n"


@dataclasses.dataclass
class Outcome:
    """What became of one input at one proxy."""

    # What arrived behind it: the bytes of one connection each.
    passed: list = dataclasses.field(default_factory=list)
    # What the client got: all of it, and how it ended: closed, or waiting.
    said: bytes = b""
    ended: str = ""

    @property
    def answers(self):
        """The answers without interim ones: status, whether the recorder gave it, and bytes."""
        places = [found for found in STATUS.finditer(self.said) if found[1][:1] != b"1"]
        ends = [found.start() for found in places[1:]] + [len(self.said)]
        texts = [(int(found[1]), self.said[found.start() : end]) for found, end in zip(places, ends)]
        return [(status, RECORDED in text.lower(), text) for status, text in texts]


def address(number):
    number = number % SPACE + (1 << 16)
    return f"127.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def number_in(data):
    """The number of the input that a request came from; None if it doesn't say."""
    found = FROM.search(data)
    if not found:
        return None
    _, high, middle, low = map(int, (found[1] or found[2]).split(b"."))
    return (high << 16 | middle << 8 | low) - (1 << 16)


def looks_complete(data):
    """Whether a request is all there, as a lax reader sees it."""
    head = data.find(b"\r\n\r\n")
    if head < 0:
        return False
    if CHUNKED.search(data, 0, head + 2):
        return data.endswith(b"\r\n\r\n") and b"\r\n0" in data[head:]
    length = LENGTH.search(data, 0, head + 2)
    return len(data) >= head + 4 + (int(length[1]) if length else 0)


class Crowd:
    """The loop. One connection is a list: socket, kind, input's number, bytes, when it last said something, has been answered."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.poll = select.epoll()
        self.poll.register(self.listener, select.EPOLLIN)
        self.open = {}
        # What arrived with no input's number.
        self.strays = []
        # The number of the first input of a run.
        self.first = 0
        # What the recorder answers, by place in the run; everything else gets a plain 200.
        self.replies = {}

    def close(self):
        for entry in self.open.values():
            entry[0].close()
        self.listener.close()
        self.poll.close()

    def run(self, inputs, width=320, patience=PATIENCE, replies={}, others=()):
        """Each of a list of inputs, with the port of the proxy that it is for, on a connection of its own: a list of outcomes.

        `replies`: what the recorder answers by the input's place in the list, or, of those that other processes send, by the number
        in X-From. `others`: such processes; they end before this does.
        """
        self.replies = replies
        outcomes = [Outcome() for _ in inputs]
        self.outcomes, self.waiting, self.clients = outcomes, [], 0
        self.patience = patience
        self.first = self._next()
        todo = iter(enumerate(inputs))
        more = True
        while more or self.clients or any(process.poll() is None for process in others):
            while more and self.clients < width:
                following = next(todo, None)
                if following is None:
                    more = False
                else:
                    self._connect(following[0], *following[1])
            for descriptor, _ in self.poll.poll(0.02):
                if descriptor == self.listener.fileno():
                    self._accept()
                elif descriptor in self.open:
                    self._receive(descriptor)
            self._expire()
        # What a proxy still passes on of inputs whose clients are done.
        until = time.monotonic() + 0.05
        while time.monotonic() < until or any(entry[1] == "recorder" and not entry[5] for entry in self.open.values()):
            for descriptor, _ in self.poll.poll(0.02):
                if descriptor == self.listener.fileno():
                    self._accept()
                elif descriptor in self.open:
                    self._receive(descriptor)
            self._expire()
        for descriptor in list(self.open):
            self._end(descriptor, "closed")
        return outcomes

    def _next(self):
        return (self.first + 100_003) % SPACE

    def coming_address(self, place):
        """The address that a place in the next run will have."""
        return address(self._next() + place)

    def _connect(self, index, data, port):
        client = socket.socket()
        client.setblocking(False)
        client.bind((address(self.first + index), 0))
        client.connect_ex(("127.0.0.1", port))
        self.clients += 1
        entry = [client, "client", index, bytearray(), time.monotonic(), data]
        self.open[client.fileno()] = entry
        self.poll.register(client, select.EPOLLOUT | select.EPOLLIN)
        heapq.heappush(self.waiting, (entry[4] + self.patience, client.fileno()))

    def _accept(self):
        while True:
            try:
                behind, _ = self.listener.accept()
            except BlockingIOError:
                return
            behind.setblocking(False)
            now = time.monotonic()
            self.open[behind.fileno()] = [behind, "recorder", None, bytearray(), now, False]
            self.poll.register(behind, select.EPOLLIN)
            heapq.heappush(self.waiting, (now + RECORDER_PATIENCE, behind.fileno()))

    def _receive(self, descriptor):
        entry = self.open[descriptor]
        connection, kind = entry[:2]
        if kind == "client" and entry[5]:
            # Connected: all is sent at once, or as much as fits.
            try:
                entry[5] = entry[5][connection.send(entry[5]) :]
            except BlockingIOError:
                return
            except OSError:
                entry[5] = b""
            if not entry[5]:
                self.poll.modify(descriptor, select.EPOLLIN)
            return
        try:
            data = connection.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            return self._end(descriptor, "closed")
        entry[3] += data
        entry[4] = time.monotonic()
        if kind == "recorder" and not entry[5] and looks_complete(entry[3]):
            self._answer(entry)

    def _answer(self, entry):
        entry[5] = True
        entry[2] = self._place(entry[3])
        reply = self.replies.get(entry[2], FINE)
        try:
            if reply:
                entry[0].send(reply)
            entry[0].shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _expire(self):
        now = time.monotonic()
        while self.waiting and self.waiting[0][0] <= now:
            _, descriptor = heapq.heappop(self.waiting)
            entry = self.open.get(descriptor)
            if entry is None:
                continue
            patience = self.patience if entry[1] == "client" else RECORDER_PATIENCE
            if entry[4] + patience > now:
                heapq.heappush(self.waiting, (entry[4] + patience, descriptor))
            elif entry[1] == "client":
                self._end(descriptor, "waiting")
            elif not entry[5]:
                self._answer(entry)
                heapq.heappush(self.waiting, (now + 2, descriptor))

    def _end(self, descriptor, how):
        connection, kind, index, data, _, _ = self.open.pop(descriptor)
        self.poll.unregister(descriptor)
        connection.close()
        if kind == "client":
            self.clients -= 1
            self.outcomes[index].said, self.outcomes[index].ended = bytes(data), how
            return
        if index is None:
            index = self._place(data)
        if index is None or index >= len(self.outcomes):
            # What is late belongs to an earlier run.
            if data and number_in(data) is None:
                self.strays.append(bytes(data))
        else:
            self.outcomes[index].passed.append(bytes(data))

    def _place(self, data):
        """The place in this run of the input that a request came from; None if there is none."""
        number = number_in(data)
        place = None if number is None else (number - self.first) % SPACE
        return place if place is not None and (place < len(self.outcomes) or place in self.replies) else None
