"""What clients say before there are keys: hellos that are cut, damaged, too large or old, and what is no hello at all.

The parts of a hello are RFC 8446's, section 4.1.2; the sizes of records section 5.1's.
"""

import dataclasses
import pathlib
import random
import socket
import struct
import time

from client.tls import bind

CORPUS = pathlib.Path(__file__).resolve().parents[3] / "Fuzz/Corpus/tls-requests"
# Whoever logs one of these logs what a caller has sent, or who he is.
NAME, SOURCE = b"canary.invalid", "127.66.6.6"
# Seconds that a listener waits for a handshake (`Limits.handshake` in Shared/Platform/Serving), and what a busy machine may need.
DEADLINE, GRACE = 10, 6
OLD_SUITES = [0xC02B, 0xC02F]
NEW_SUITES = [0x1301, 0x1302, 0x1303]
HANDSHAKE, ALERT, CHANGE, DATA = 22, 21, 20, 23


def vector(width, content):
    """Bytes behind their number, which takes `width` bytes."""
    return len(content).to_bytes(width, "big") + content


def record(kind, content, length=None, version=0x0301):
    return struct.pack("!BHH", kind, version, len(content) if length is None else length) + content


def records(kind, content, size):
    """The same content in records of `size` bytes."""
    return b"".join(record(kind, content[start : start + size]) for start in range(0, len(content), size))


def numbers(values):
    return b"".join(struct.pack("!H", value) for value in values)


class Hello:
    """A hello that our listeners answer, until something of it is changed."""

    def __init__(self, dice, **changes):
        self.version, self.random, self.session = 0x0303, dice.randbytes(32), dice.randbytes(32)
        self.suites, self.compressions = NEW_SUITES + OLD_SUITES, b"\0"
        self.extensions = {
            0: vector(2, b"\0" + vector(2, NAME)),
            10: vector(2, numbers([0x001D, 0x0017])),
            13: vector(2, numbers([0x0403, 0x0804, 0x0401])),
            16: vector(2, vector(1, b"http/1.1")),
            23: b"",
            43: vector(1, numbers([0x0304, 0x0303])),
            45: vector(1, b"\1"),
            51: vector(2, numbers([0x001D]) + vector(2, dice.randbytes(32))),
        }
        # Pairs behind the others, which may be there a second time.
        self.further = []
        vars(self).update(changes)

    def old(self, version=0x0303):
        """As before TLS 1.3."""
        self.version = version
        for kind in (43, 45, 51):
            del self.extensions[kind]
        return self

    def body(self):
        pairs = [*self.extensions.items(), *self.further]
        extensions = b"".join(struct.pack("!H", kind) + vector(2, content) for kind, content in pairs)
        return b"".join([
            struct.pack("!H", self.version), self.random, vector(1, self.session), vector(2, numbers(self.suites)),
            vector(1, self.compressions), vector(2, extensions),
        ])  # fmt: skip

    def message(self):
        return b"\1" + vector(3, self.body())

    def wire(self):
        return records(HANDSHAKE, self.message(), 1 << 14)


@dataclasses.dataclass
class Try:
    """What a client sends, each piece in a segment of its own, and how it ends: "fin", "reset", or "wait".

    `wanted`: the outcomes that are right; by default any that ends the connection. `drip` is sent again each half second.
    """

    pieces: list
    wanted: set = dataclasses.field(default_factory=lambda: {"hello", "alert", "closed", "reset"})
    end: str = "fin"
    drip: bytes = b""


REFUSED = {"alert", "closed", "reset"}
ANSWERED = {"hello"}


def recorded(live):
    """Whole hellos: those of the corpus of the fuzz target, whose first byte isn't the wire's, and some from clients here."""
    return [path.read_bytes()[1:] for path in sorted(CORPUS.glob("hello-*"))] + live


def cut(dice, hellos, short, end):
    for hello, _ in hellos:
        for count in range(0, len(hello), 7 if short else 1):
            yield Try([hello[:count]] if count else [], REFUSED, end)


def pieces(dice, hellos, short):
    """What is answered at once is answered in pieces."""
    for hello, outcome in hellos:
        content, wanted = hello[5:], {outcome}
        for size in (1, 2, 3, 100):
            yield Try([records(HANDSHAKE, content, size)], wanted)
        yield Try([hello[index : index + 1] for index in range(len(hello))], wanted)
        # Each byte is a record, and each record is three segments.
        one = records(HANDSHAKE, content, 1)
        yield Try([one[index : index + 2] for index in range(0, len(one), 2)], wanted)
        for _ in range(4 if short else 40):
            places = sorted(dice.sample(range(1, len(hello)), 5))
            yield Try([hello[a:b] for a, b in zip([0, *places], [*places, None])], wanted)


def grease(dice):
    """Numbers that nobody may mind (RFC 8701), here and anywhere else that isn't assigned."""
    return dice.choice([0x0A0A + 0x1010 * dice.randrange(16), 0x8000 + dice.randrange(0x1000)])


def unknown(dice, hellos, short):
    for _ in range(30 if short else 1000):
        hello = Hello(dice)
        hello.suites = [grease(dice), *hello.suites, grease(dice)]
        kinds = {grease(dice) for _ in range(dice.randrange(1, 40))}
        hello.further = [(kind, dice.randbytes(dice.choice([0, 1, 30, 300]))) for kind in kinds]
        extensions = hello.extensions
        # A share has to be of a group that is offered (RFC 8446, 4.2.8).
        group = grease(dice)
        extensions[10] = vector(2, numbers([group, 0x001D, grease(dice)]))
        extensions[13] = vector(2, numbers([grease(dice), 0x0403, 0x0804]))
        extensions[16] = vector(2, vector(1, b"\x0a\x0a") + vector(1, b"http/1.1"))
        extensions[43] = vector(1, numbers([grease(dice), 0x0304]))
        extensions[51] = vector(2, numbers([group]) + vector(2, b"\0") + extensions[51][2:])
        hello.extensions = dict(dice.sample(list(extensions.items()), len(extensions)))
        yield Try([hello.wire()], ANSWERED)


def malformed(dice, hellos, short):
    for kind in Hello(dice).extensions:
        hello = Hello(dice)
        hello.further = [(kind, hello.extensions[kind])]
        yield Try([hello.wire()], REFUSED)
    for kind in list(Hello(dice).extensions):
        # An extension's content that is cut, or is longer than what is in it says.
        for content in (lambda bytes: bytes[:-1], lambda bytes: bytes + b"\0", lambda bytes: b"\xff" * len(bytes)):
            hello = Hello(dice)
            hello.extensions[kind] = content(hello.extensions[kind])
            yield Try([hello.wire()], REFUSED if kind in (10, 13, 43, 51) else REFUSED | ANSWERED)
    body = Hello(dice).body()
    # Where the lengths of session, suites, compressions and extensions stand.
    for place in (34, 35 + 32, 35 + 32 + 1, 35 + 32 + 2 + 10, 35 + 32 + 2 + 10 + 2, 35 + 32 + 2 + 10 + 3):
        for change in (-1, 1, 0x7F, 0x80):
            damaged = bytearray(body)
            damaged[place] = (damaged[place] + change) % 256
            yield Try([record(HANDSHAKE, b"\1" + vector(3, bytes(damaged)))], REFUSED)
    for length in (0, 1, len(body) - 1, len(body) + 1, 0xFFFF, 0xFFFFFF):
        yield Try([record(HANDSHAKE, b"\1" + length.to_bytes(3, "big") + body)], REFUSED)
    message = Hello(dice).message()
    for length in (0, (1 << 14) + 1, (1 << 14) + 257, 0xFFFF):
        yield Try([record(HANDSHAKE, message, length)], REFUSED)
    empty = record(HANDSHAKE, b"")
    for count in (1, 31, 33, 1000):
        # Records without content are forbidden where there are no keys (RFC 8446, 5.1); OpenSSL passes over a few.
        yield Try([empty * count + Hello(dice).wire()], REFUSED if count > 32 else REFUSED | ANSWERED)
    yield Try([record(HANDSHAKE, message + b"\1\0\0\1\0")], REFUSED)
    yield Try([Hello(dice).wire() * 2], REFUSED | ANSWERED)
    for suites, compressions in (([], b"\0"), (NEW_SUITES, b""), (NEW_SUITES, b"\1\0"), (NEW_SUITES, b"\1")):
        yield Try([Hello(dice, suites=suites, compressions=compressions).wire()], REFUSED)


def strangers(dice, hellos, short):
    suites = b"".join(b"\0" + struct.pack("!H", suite) for suite in OLD_SUITES + [0x2F])
    for version in (0x0002, 0x0300, 0x0301, 0x0303):
        # The form of SSL 2.0, which must not be answered (RFC 6176; RFC 8446, D.5).
        body = struct.pack("!BHHHH", 1, version, len(suites), 0, 16) + suites + dice.randbytes(16)
        yield Try([struct.pack("!H", 0x8000 | len(body)) + body], REFUSED)
    for text in (
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"POST /x HTTP/1.0\r\nContent-Length: 999999\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"CONNECT a:443 HTTP/1.1\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n",
        b"EHLO a\r\n", b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n",
    ):  # fmt: skip
        yield Try([text], REFUSED)
        yield Try([text * 2000], REFUSED)
    hello = Hello(dice).wire()
    for level in (1, 2):
        for description in (0, 10, 40, 90, 255):
            alert = record(ALERT, bytes([level, description]))
            yield Try([alert], REFUSED)
            # Behind a hello that is answered.
            yield Try([hello, alert], REFUSED | ANSWERED)
    yield Try([record(ALERT, b"\1\x5a") * 10_000], REFUSED)
    yield Try([record(ALERT, b"\1")], REFUSED)
    change = record(CHANGE, b"\1")
    for first in (record(DATA, b"GET / HTTP/1.1\r\n\r\n"), change, change * 10_000, record(24, b"\1\x40\0"), record(99, b"x")):
        yield Try([first + hello], REFUSED)
        # Before Finished.
        yield Try([hello, first], REFUSED | ANSWERED)
    for kind in (0, 2, 4, 8, 11, 13, 15, 20, 24, 254):
        message = bytes([kind]) + vector(3, dice.randbytes(32))
        yield Try([record(HANDSHAKE, message)], REFUSED)
        yield Try([hello, record(HANDSHAKE, message)], REFUSED | ANSWERED)
    for _ in range(20 if short else 500):
        yield Try([dice.randbytes(dice.randrange(1, 2000))], REFUSED)


def large(dice, hellos, short):
    for size in (1 << 14, 40_000, 65_000):
        hello = Hello(dice)
        # Padding (RFC 7685).
        hello.extensions[21] = bytes(size)
        yield Try([hello.wire()], REFUSED | ANSWERED)
    yield Try([Hello(dice, suites=[0x0A0A] * 32_000 + NEW_SUITES).wire()], REFUSED | ANSWERED)
    for size in (140_000, 1 << 20, (1 << 24) - 1):
        yield Try([records(HANDSHAKE, b"\1" + size.to_bytes(3, "big") + bytes(size), 1 << 14)], REFUSED)


def damaged(dice, hellos, short):
    for _ in range(300 if short else 10_000):
        hello = bytearray(dice.choice(hellos)[0])
        for _ in range(dice.randrange(1, 8)):
            place = dice.randrange(len(hello))
            match dice.randrange(4):
                case 0:
                    hello[place] ^= 1 << dice.randrange(8)
                case 1:
                    hello[place] = dice.choice([0, 1, 0x7F, 0x80, 0xFF])
                case 2:
                    del hello[place : place + dice.randrange(1, 9)]
                case 3:
                    hello[place:place] = dice.randbytes(dice.randrange(1, 9))
        yield Try([bytes(hello)])


def downgrade(dice, hellos, short):
    for version in (0x0002, 0x0200, 0x0300, 0x0301, 0x0302):
        yield Try([Hello(dice, suites=OLD_SUITES + [0xC009, 0xC013, 0x2F]).old(version).wire()], REFUSED)
        hello = Hello(dice, suites=OLD_SUITES + [0xC009, 0xC013, 0x2F])
        hello.extensions[43] = vector(1, numbers([version]))
        yield Try([hello.wire()], REFUSED)
    # A fallback that a client says it makes (RFC 7507), and one that it doesn't know of: the server's random number says so.
    yield Try([Hello(dice, suites=OLD_SUITES + [0x5600]).old().wire()], REFUSED)
    yield Try([Hello(dice).old().wire()], REFUSED | ANSWERED)
    yield Try([Hello(dice, compressions=b"\1\0").old().wire()], REFUSED | ANSWERED)
    yield Try([Hello(dice, compressions=b"\1").old().wire()], REFUSED)
    # Each suite that was ever given a number, and all.
    numbered = [*range(0x0001, 0x00C8), *range(0xC001, 0xC0B4), *range(0xCCA8, 0xCCAF), 0x1304, 0x1305, 0xFEFE, 0xFEFF]
    weak = [suite for suite in numbered if suite not in OLD_SUITES]
    for suite in weak[:: 9 if short else 1]:
        yield Try([Hello(dice, suites=[suite]).old().wire()], REFUSED)
        yield Try([Hello(dice, suites=[suite]).wire()], REFUSED)
    yield Try([Hello(dice, suites=weak).old().wire()], REFUSED)
    # Curves and groups below 112 bits or withdrawn, and signatures with MD5 or SHA-1 alone.
    for group in (*range(1, 23), 26, 0xFF01):
        hello = Hello(dice)
        hello.extensions[10] = vector(2, numbers([group]))
        hello.extensions[51] = vector(2, b"")
        yield Try([hello.wire()], REFUSED)
    for schemes in ([0x0101], [0x0201], [0x0203], [0x0101, 0x0201, 0x0203]):
        for old in (True, False):
            hello = Hello(dice)
            hello.extensions[13] = vector(2, numbers(schemes))
            yield Try([(hello.old() if old else hello).wire()], REFUSED)


def sessions(dice, hellos, short):
    """Tickets that nobody has given, with early data behind them (RFC 8446, 4.2.10 and 4.2.11): no answer accepts either."""
    for size in (1, 32, 300, 5000):
        for early in (False, True):
            hello = Hello(dice)
            identity = vector(2, dice.randbytes(size)) + dice.randbytes(4)
            hello.further = [(42, b"")] * early + [(41, vector(2, identity) + vector(2, vector(1, dice.randbytes(32))))]
            yield Try([hello.wire()] + [record(DATA, dice.randbytes(300), version=0x0303)] * early, ANSWERED)
            # The tickets of TLS 1.2 (RFC 5077).
            hello = Hello(dice).old()
            hello.extensions[35] = dice.randbytes(size)
            yield Try([hello.wire()], REFUSED | ANSWERED)


def waiting(dice, hellos, short):
    """Clients that stop, at once or later, and those that go on by a byte: each ends at the deadline."""
    hello = Hello(dice).wire()
    for part in (b"\x16", hello[:5], hello[:100], hello, hello[:-1], b"G", record(HANDSHAKE, b"\1\1\0\0" + bytes(16_000))):
        yield Try([part], REFUSED | ANSWERED, "wait")
    yield Try([], REFUSED, "wait")
    yield Try([hello[:20]], REFUSED | ANSWERED, "wait", hello[20:21])
    yield Try([record(HANDSHAKE, b"\1\1\0\0")], REFUSED | ANSWERED, "wait", record(HANDSHAKE, b"x"))
    yield Try([hello], REFUSED | ANSWERED, "wait", record(CHANGE, b"\1"))
    for _ in range(10 if short else 200):
        yield Try([hello[: dice.randrange(len(hello))]], REFUSED, "wait")


KINDS = {
    "cut, then FIN": lambda *of: cut(*of, "fin"),
    "cut, then RST": lambda *of: cut(*of, "reset"),
    "in pieces": pieces,
    "unknown things": unknown,
    "malformed": malformed,
    "no hello": strangers,
    "large": large,
    "damaged": damaged,
    "downgrade": downgrade,
    "tickets made up": sessions,
    "waiting": waiting,
}  # fmt: skip


# MARK: Sending


def connect(port):
    connection = socket.socket()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    bind(connection, SOURCE)
    connection.settimeout(DEADLINE + GRACE)
    connection.connect(("127.0.0.1", port))
    return connection


def send(port, case):
    """Plays one try, and returns its outcome and what the server has sent."""
    with connect(port) as connection:
        received = b""
        deadline = time.monotonic() + (DEADLINE + GRACE if case.end == "wait" else GRACE)
        try:
            for piece in case.pieces:
                connection.sendall(piece)
            if case.end == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return "reset", b""
            if case.end == "fin":
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            # The server has closed; what it said may be there.
            pass
        while True:
            connection.settimeout(0.5 if case.drip else max(0.01, deadline - time.monotonic()))
            try:
                content = connection.recv(1 << 16)
            except TimeoutError:
                if time.monotonic() > deadline:
                    return "OPEN", received
                try:
                    connection.sendall(case.drip)
                except OSError:
                    return outcome(received, "reset"), received
                continue
            except OSError:
                return outcome(received, "reset"), received
            if not content:
                return outcome(received, "closed"), received
            received += content


def outcome(received, otherwise):
    """By the first record that the server has sent."""
    if not received:
        return otherwise
    return {HANDSHAKE: "hello", ALERT: "alert"}.get(received[0], "SOMETHING")


def flaws(received, has_old):
    """What is wrong with the server's hello, the first record. `has_old`: whether the listener speaks TLS 1.2."""
    if received[:1] != bytes([HANDSHAKE]):
        return []
    if received[5] != 2:
        return ["the first message is no hello"]
    version, length = struct.unpack("!H", received[9:11])[0], received[43]
    session, rest = received[44 : 44 + length], received[44 + length :]
    suite, compression = struct.unpack("!HB", rest[:3])
    found, extensions, rest = [], {}, rest[5 : 5 + int.from_bytes(rest[3:5], "big")]
    while len(rest) >= 4:
        size = int.from_bytes(rest[2:4], "big")
        extensions[int.from_bytes(rest[:2], "big")] = rest[4 : 4 + size]
        rest = rest[4 + size :]
    if 43 in extensions:
        if extensions[43] != b"\3\4" or suite not in NEW_SUITES:
            found.append(f"version {extensions[43].hex()} with suite {suite:04x}")
    elif not has_old or version != 0x0303 or suite not in OLD_SUITES:
        found.append(f"version {version:04x} with suite {suite:04x}")
    else:
        if received[35:43] != b"DOWNGRD\1":
            found.append("the random number doesn't say that TLS 1.3 is there (RFC 8446, 4.1.3)")
        if session:
            found.append("the session has an id")
        if 35 in extensions:
            found.append("a ticket is announced")
    if compression:
        found.append(f"compression {compression}")
    if 41 in extensions:
        found.append("a ticket is accepted")
    return found


def dice(seed, kind):
    return random.Random(f"{seed} {kind}")
