"""A client that breaks one rule of TLS behind the hello, made of tlslite-ng: everything else it says fits what it has said.

Each rule is given the messages before they are sent, and returns those that are sent instead; or it has its turn after the
handshake. The same client without its breach is answered, which is the control.
"""

import dataclasses

from tlslite.api import HandshakeSettings, TLSConnection, X509CertChain, parsePEMKey
from tlslite.constants import ContentType
from tlslite.errors import TLSAbruptCloseError, TLSClosedConnectionError, TLSError, TLSRemoteAlert
from tlslite.messages import Certificate, CertificateVerify, ChangeCipherSpec, ClientKeyExchange, Finished, Message

import hellos

OLD, NEW = (3, 3), (3, 4)
REQUEST = b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n"
CHANGE, ALERT, HANDSHAKE, DATA = 20, 21, 22, 23


@dataclasses.dataclass
class Rule:
    """`messages`: what is sent in place of one. `after`: what is done before the request. `key`: whose key is used instead."""

    name: str
    versions: tuple = (OLD, NEW)
    messages: object = lambda client, message: [message]
    after: object = lambda client: None
    key: str = ""
    certified: bool = True
    only_mutual: bool = False


class Client(TLSConnection):
    def __init__(self, connection, rule):
        super().__init__(connection)
        self.rule, self.wire, self.held = rule, connection, []

    def _sendMsg(self, message, *rest, **named):
        for each in self.rule.messages(self, message):
            yield from super()._sendMsg(each, *rest, **named)

    def say(self, kind, content):
        """Sends a record's content under the keys of the moment, and in it no message that a rule sees."""
        for _ in super()._sendMsg(Message(kind, bytearray(content)), update_hashes=False):
            pass

    def seal(self, kind, content):
        """The record that `say` would send."""
        sent, send = [], self._recordLayer._recordSocket._sockSendAll
        self._recordLayer._recordSocket._sockSendAll = lambda data: iter([sent.append(bytes(data))])
        for _ in self._recordLayer.sendRecord(Message(kind, bytearray(content))):
            pass
        self._recordLayer._recordSocket._sockSendAll = send
        return sent[0]


def message(kind, content=b""):
    return Message(ContentType.handshake, bytearray(bytes([kind]) + len(content).to_bytes(3, "big") + content))


def is_last(each):
    """The message that ends the client's part of the handshake."""
    return isinstance(each, Finished)


def changed(kind, attribute, change):
    """A message of that kind, changed."""

    def messages(client, each):
        if isinstance(each, kind):
            setattr(each, attribute, change(getattr(each, attribute)))
        return [each]

    return messages


def flipped(content):
    return bytearray([content[0] ^ 1]) + content[1:]


def left_out(*kinds):
    return lambda client, each: [] if isinstance(each, kinds) else [each]


def before_last(*others):
    return lambda client, each: [*others, each] if is_last(each) else [each]


def behind(kind, *others):
    return lambda client, each: [each, *others] if isinstance(each, kind) else [each]


def swapped(first, second):
    """The first is held back until the second was sent."""

    def messages(client, each):
        if isinstance(each, first):
            client.held.append(each)
            return []
        if isinstance(each, second) and client.held:
            return [each, client.held.pop()]
        return [each]

    return messages


def saying(*contents):
    def after(client):
        for kind, content in contents:
            client.say(kind, content)

    return after


def bare(*contents):
    """Bytes as they are."""
    return lambda client: client.wire.sendall(b"".join(contents))


def spoilt(change):
    return lambda client: client.wire.sendall(change(bytearray(client.seal(DATA, REQUEST))))


def second_only(client):
    client.seal(DATA, b"x")
    client.wire.sendall(client.seal(DATA, REQUEST))


def last_flipped(record):
    record[-1] ^= 1
    return record


def first_flipped(record):
    record[5] ^= 1
    return record


BEFORE = {name: message(kind, content) for name, kind, content in (
    ("a hello request", 0, b""), ("a server's hello", 2, bytes(70)), ("a ticket", 4, bytes(40)), ("the end of early data", 5, b""),
    ("a server's extensions", 8, bytes(2)), ("a server's share", 12, bytes(60)), ("a demand for a certificate", 13, bytes(9)),
    ("a server's end", 14, b""), ("a certificate's status", 22, bytes(9)), ("new keys", 24, b"\1"),
    ("the hash of messages", 254, bytes(32)), ("an unknown message", 99, b"x"),
)}  # fmt: skip
KEYS = b"\x18\0\0\1\1"


def _finished():
    for name, change in (("flipped", flipped), ("empty", lambda _: bytearray()), ("zero", lambda data: bytearray(len(data))),
                         ("short", lambda data: data[:-1]), ("long", lambda data: data + b"\0")):  # fmt: skip
        yield Rule(f"Finished is {name}", messages=changed(Finished, "verify_data", change))


def _certificates():
    new = {"versions": (NEW,), "only_mutual": True}
    yield Rule("a certificate without its key", key="submission-server", **new)
    yield Rule("no certificate", certified=False, **new)
    yield Rule("the certificate is left out", messages=left_out(Certificate), **new)
    yield Rule("the proof of its key is left out", messages=left_out(CertificateVerify), **new)
    yield Rule("both are left out", messages=left_out(Certificate, CertificateVerify), **new)
    yield Rule("the proof of its key comes first", messages=swapped(Certificate, CertificateVerify), **new)
    yield Rule("the proof of its key is flipped", messages=changed(CertificateVerify, "signature", flipped), **new)
    yield Rule("the proof of its key comes behind Finished", messages=swapped(CertificateVerify, Finished), **new)
    yield Rule("another's certificate comes behind the proof", messages=behind(CertificateVerify, message(11, bytes(4))), **new)


def _order():
    yield Rule("Finished before new keys", (OLD,), swapped(ChangeCipherSpec, Finished))
    yield Rule("no new keys", (OLD,), left_out(ChangeCipherSpec))
    yield Rule("no share", (OLD,), left_out(ClientKeyExchange))
    yield Rule("new keys before the share", (OLD,), swapped(ClientKeyExchange, ChangeCipherSpec))
    yield Rule("the share twice", (OLD,), lambda _, each: [each] * (1 + isinstance(each, ClientKeyExchange)))
    yield Rule("no Finished", messages=left_out(Finished))
    yield Rule("Finished twice", (NEW,), messages=lambda _, each: [each] * (1 + is_last(each)))
    yield Rule("Finished again", after=saying((HANDSHAKE, message(20, bytes(12)).data)))
    yield Rule("half a message, then data", (NEW,), after=saying((HANDSHAKE, KEYS[:2]), (DATA, REQUEST)))
    yield Rule("data before Finished", (NEW,), before_last(Message(DATA, bytearray(REQUEST))))


def _unexpected():
    for name, other in BEFORE.items():
        yield Rule(f"{name} before Finished", messages=before_last(other))
        if name != "new keys":
            yield Rule(f"{name} behind Finished", after=lambda client, other=other: client.say(HANDSHAKE, other.data))
    yield Rule("a certificate that nobody asked for", (NEW,), after=saying((HANDSHAKE, message(11, bytes(4)).data)))
    yield Rule("keys of an unknown kind", (NEW,), after=saying((HANDSHAKE, b"\x18\0\0\1\2")))
    yield Rule("two changes of keys under one", (NEW,), after=saying((HANDSHAKE, KEYS * 2)))
    parts = [(HANDSHAKE, b"\x0b\xff\xff\xff" + bytes(16_000)), *[(HANDSHAKE, bytes(1 << 14))] * 20]
    yield Rule("a message of 16 MiB", after=saying(*parts))


def _records():
    yield Rule("a flipped tag", after=spoilt(last_flipped))
    yield Rule("a flipped byte", after=spoilt(first_flipped))
    yield Rule("a record without the one before it", after=second_only)
    yield Rule("a record without its tag", after=spoilt(lambda record: hellos.record(DATA, record[5:-16], version=0x0303)))
    yield Rule("an empty record without keys", after=bare(hellos.record(DATA, b"", version=0x0303)))
    yield Rule("data without keys", after=bare(hellos.record(DATA, REQUEST, version=0x0303)))
    yield Rule("a record of 2^14 + 257", after=bare(hellos.record(DATA, bytes((1 << 14) + 257), version=0x0303)))
    yield Rule("a record of 2^16 - 1", after=bare(hellos.record(DATA, bytes((1 << 16) - 1), version=0x0303)))
    yield Rule("2^14 + 1 bytes in a record", after=lambda client: client.wire.sendall(client.seal(DATA, bytes((1 << 14) + 1))))
    yield Rule("an unknown type in a record", after=saying((99, b"x")))
    yield Rule("nothing but padding", (NEW,), after=saying((0, bytes(100))))
    yield Rule("an empty message", (NEW,), after=saying((HANDSHAKE, b"")))
    yield Rule("an empty alert", after=saying((ALERT, b"")))
    yield Rule("an alert of three bytes", after=saying((ALERT, b"\1\0\0")))
    yield Rule("a fatal alert", after=saying((ALERT, b"\2\x28")))
    yield Rule("a flood of warnings", after=saying(*[(ALERT, b"\1\x5a")] * 100))
    yield Rule("a flood of empty records", after=saying(*[(DATA, b"")] * 1000))


def _changes():
    change = hellos.record(CHANGE, b"\1", version=0x0303)

    def flood(client, each):
        # In place of keys there are none: it goes beside the record layer.
        if is_last(each):
            client.sock.flush()
            client.wire.sendall(change * 10_000)
        return [each]

    yield Rule("a flood of ChangeCipherSpec before Finished", messages=flood)
    yield Rule("ChangeCipherSpec behind Finished", after=bare(change))
    yield Rule("ChangeCipherSpec of two bytes", after=bare(hellos.record(CHANGE, b"\1\1", version=0x0303)))
    yield Rule("a sealed ChangeCipherSpec", after=saying((CHANGE, b"\1")))
    yield Rule("a flood of them behind Finished", after=bare(change * 10_000))


KINDS = {
    "Finished": _finished, "client certificates": _certificates, "order of messages": _order, "unexpected messages": _unexpected,
    "records": _records, "ChangeCipherSpec": _changes,
}  # fmt: skip


def rules(kind, target):
    """Pairs of a rule and a version in which this listener can be told of it."""
    for rule in KINDS[kind]():
        for version in rule.versions:
            if (NEW if version == NEW else OLD) in target.rule_versions and (target.certificate or not rule.only_mutual):
                yield rule, version


def play(target, rule, version):
    """The outcome of a handshake and a request that break a rule."""
    settings = HandshakeSettings()
    settings.minVersion = settings.maxVersion = version
    settings.cipherNames, settings.keyShares, settings.eccCurves = ["aes128gcm"], ["x25519"], ["x25519", "secp256r1"]
    settings.use_heartbeat_extension = False
    # It would compress its own without being asked to (RFC 8879).
    settings.certificate_compression_send = settings.certificate_compression_receive = []
    chain = key = None
    if target.certificate and rule.certified:
        certificate, own = target.certificate
        chain = X509CertChain()
        chain.parsePemList(certificate.read_text())
        other = certificate.parent / f"{rule.key}.key"
        key = parsePEMKey((other if rule.key else own).read_text(), private=True)
    with hellos.connect(target.port) as connection:
        client = Client(connection, rule)
        client.closeSocket, client.ignoreAbruptClose = False, True
        try:
            client.handshakeClientCert(chain, key, settings=settings, serverName=hellos.NAME.decode())
            rule.after(client)
            client.rule = Rule("")
            client.write(REQUEST)
            answer = client.read(max=1 << 14, min=1)
        except TimeoutError:
            return "OPEN"
        except TLSRemoteAlert:
            return "alert"
        except (TLSAbruptCloseError, TLSClosedConnectionError, OSError):
            return "closed"
        except (TLSError, AttributeError, TypeError, ValueError, AssertionError) as error:
            # The client has failed by itself, which says nothing of the server.
            return f"BROKEN {type(error).__name__}: {error}"
        return "answered" if answer else "closed"
