"""What a client of OpenSSL may ask for that Python's `ssl` doesn't: early data, new keys, a new handshake, half a connection.

It calls Debian's libssl, the same that the services use; each function is described in its manual page.
"""

import contextlib
import ctypes
import socket
import struct
import time

import hellos
from client import http1

LIBRARY = ctypes.CDLL("libssl.so.3")
POINTER, INT, BYTES = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
for name, result, *arguments in [
    ("TLS_client_method", POINTER), ("SSL_CTX_new", POINTER, POINTER), ("SSL_CTX_free", None, POINTER),
    ("SSL_CTX_use_certificate_chain_file", INT, POINTER, BYTES), ("SSL_CTX_use_PrivateKey_file", INT, POINTER, BYTES, INT),
    ("SSL_CTX_set_options", ctypes.c_uint64, POINTER, ctypes.c_uint64),
    ("SSL_CTX_set_psk_use_session_callback", None, POINTER, POINTER),
    ("SSL_new", POINTER, POINTER), ("SSL_free", None, POINTER), ("SSL_set_fd", INT, POINTER, INT), ("SSL_connect", INT, POINTER),
    ("SSL_ctrl", ctypes.c_long, POINTER, INT, ctypes.c_long, POINTER),
    ("SSL_read", INT, POINTER, BYTES, INT), ("SSL_write", INT, POINTER, BYTES, INT), ("SSL_shutdown", INT, POINTER),
    ("SSL_do_handshake", INT, POINTER), ("SSL_key_update", INT, POINTER, INT), ("SSL_renegotiate", INT, POINTER),
    ("SSL_get1_session", POINTER, POINTER), ("SSL_set_session", INT, POINTER, POINTER), ("SSL_session_reused", INT, POINTER),
    ("SSL_write_early_data", INT, POINTER, BYTES, ctypes.c_size_t, POINTER), ("SSL_get_early_data_status", INT, POINTER),
    ("SSL_CIPHER_find", POINTER, POINTER, BYTES), ("SSL_SESSION_new", POINTER), ("SSL_SESSION_free", None, POINTER),
    ("SSL_SESSION_set_protocol_version", INT, POINTER, INT), ("SSL_SESSION_set_cipher", INT, POINTER, POINTER),
    ("SSL_SESSION_set1_master_key", INT, POINTER, BYTES, ctypes.c_size_t), ("SSL_SESSION_has_ticket", INT, POINTER),
    ("SSL_SESSION_set_max_early_data", INT, POINTER, ctypes.c_uint32),
    ("SSL_SESSION_get_max_early_data", ctypes.c_uint32, POINTER),
]:  # fmt: skip
    function = getattr(LIBRARY, name)
    function.restype, function.argtypes = result, arguments
PSK = ctypes.CFUNCTYPE(INT, POINTER, POINTER, ctypes.POINTER(BYTES), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(POINTER))

SET_MINIMUM, SET_MAXIMUM, SET_NAME = 123, 124, 55
# Old versions and legacy renegotiation, so that nothing fails because this client refuses it.
LEGACY = 1 << 2 | 1 << 18
OLD, NEW = 0x0303, 0x0304
REQUEST = b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n"
IDENTITY = b"ticket"
# What the proxy passes on to a service, so that it can be seen there: its path, and the body of a request that may be read.
FORWARDED, ORDINARY = "/version/v1/tan", b"ordinary"


@PSK
def invented(ssl, digest, identity, length, session):
    """A key that no server has, whose session allows early data."""
    if digest:
        # The handshake proper has another digest, perhaps; the key is offered once only.
        return 1
    made = LIBRARY.SSL_SESSION_new()
    LIBRARY.SSL_SESSION_set1_master_key(made, bytes(32), 32)
    LIBRARY.SSL_SESSION_set_protocol_version(made, NEW)
    LIBRARY.SSL_SESSION_set_cipher(made, LIBRARY.SSL_CIPHER_find(ssl, b"\x13\x01"))
    LIBRARY.SSL_SESSION_set_max_early_data(made, 16_384)
    identity[0], length[0], session[0] = IDENTITY, len(IDENTITY), made
    return 1


class Client:
    """One connection. `session`: one to resume."""

    def __init__(self, target, version, session=None, invents=False):
        self.connection = hellos.connect(target.port)
        self.connection.setblocking(True)
        self.wait(hellos.DEADLINE)
        self.context = LIBRARY.SSL_CTX_new(LIBRARY.TLS_client_method())
        LIBRARY.SSL_CTX_set_options(self.context, LEGACY)
        if target.certificate:
            chain, key = (str(path).encode() for path in target.certificate)
            LIBRARY.SSL_CTX_use_certificate_chain_file(self.context, chain)
            LIBRARY.SSL_CTX_use_PrivateKey_file(self.context, key, 1)
        if invents:
            LIBRARY.SSL_CTX_set_psk_use_session_callback(self.context, ctypes.cast(invented, POINTER))
        self.ssl = LIBRARY.SSL_new(self.context)
        LIBRARY.SSL_set_fd(self.ssl, self.connection.fileno())
        LIBRARY.SSL_ctrl(self.ssl, SET_MINIMUM, version, None)
        LIBRARY.SSL_ctrl(self.ssl, SET_MAXIMUM, version, None)
        LIBRARY.SSL_ctrl(self.ssl, SET_NAME, 0, ctypes.cast(ctypes.c_char_p(hellos.NAME), POINTER))
        if session:
            LIBRARY.SSL_set_session(self.ssl, session)

    def wait(self, seconds):
        """Sets how long a call may take."""
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            self.connection.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", int(seconds), int(seconds % 1 * 1e6)))

    def connects(self):
        return LIBRARY.SSL_connect(self.ssl) == 1

    def write(self, content):
        return LIBRARY.SSL_write(self.ssl, content, len(content)) == len(content)

    def read(self):
        """What comes next; nothing at the end, an error, or when the time is up."""
        room = ctypes.create_string_buffer(1 << 14)
        count = LIBRARY.SSL_read(self.ssl, room, len(room))
        return room.raw[: max(0, count)]

    def rest(self):
        """Everything that comes until the connection ends; nothing may take longer than `wait` said."""
        return b"".join(iter(self.read, b""))

    def changes_keys(self, asking):
        return LIBRARY.SSL_key_update(self.ssl, asking) == 1 and LIBRARY.SSL_do_handshake(self.ssl) == 1

    def answers(self, request=REQUEST):
        """Whether a request is answered."""
        return self.write(request) and self.read().startswith(b"HTTP/1")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        LIBRARY.SSL_free(self.ssl)
        LIBRARY.SSL_CTX_free(self.context)
        self.connection.close()


@contextlib.contextmanager
def first_session(target, version):
    """The session of a connection that worked, with what the server may have sent behind the handshake."""
    with Client(target, version) as client:
        works = client.connects()
        client.write(REQUEST)
        client.wait(1)
        client.read()
        session = LIBRARY.SSL_get1_session(client.ssl)
        # OpenSSL keeps no session of a connection that wasn't ended in order.
        LIBRARY.SSL_shutdown(client.ssl)
    try:
        yield works, session
    finally:
        LIBRARY.SSL_SESSION_free(session)


def resumption(target, dice, short):
    for version in target.versions:
        for _ in range(2 if short else 20):
            with first_session(target, version) as (works, session):
                if not works:
                    yield "refused", ["an ordinary handshake fails"]
                    continue
                found = ["a ticket is given"] if LIBRARY.SSL_SESSION_has_ticket(session) else []
                with Client(target, version, session) as client:
                    if not client.connects():
                        found.append("a client that would resume isn't served")
                    elif LIBRARY.SSL_session_reused(client.ssl):
                        found.append("a session is resumed")
                    yield "resumed" if found else "anew", found


def early_data(target, dice, short):
    for _ in range(2 if short else 20):
        with first_session(target, NEW) as (works, session):
            allowed = LIBRARY.SSL_SESSION_get_max_early_data(session) if works else 0
            with Client(target, NEW, session if allowed else None, invents=not allowed) as client:
                sent = ctypes.c_size_t()
                early = http1.post(FORWARDED, hellos.NAME)
                if LIBRARY.SSL_write_early_data(client.ssl, early, len(early), ctypes.byref(sent)) != 1:
                    yield "refused", ["the client can't send early data: the check proves nothing"]
                    continue
                found = [] if client.connects() else ["a client with early data isn't served"]
                if LIBRARY.SSL_get_early_data_status(client.ssl) == 2:
                    found.append("early data is accepted")
                client.wait(1)
                if client.read():
                    found.append("early data is answered")
                client.wait(hellos.DEADLINE)
                if not found and not client.answers(http1.post(FORWARDED, ORDINARY)):
                    found.append("the request behind early data isn't answered")
                yield "accepted" if found else "ignored", found


def renegotiation(target, dice, short):
    if OLD not in target.versions:
        with Client(target, OLD) as client:
            yield "none", ["TLS 1.2 is spoken"] if client.connects() else []
        return
    for _ in range(2 if short else 20):
        with Client(target, OLD) as client:
            if not client.connects():
                yield "refused", ["an ordinary handshake fails"]
                continue
            LIBRARY.SSL_renegotiate(client.ssl)
            again = LIBRARY.SSL_do_handshake(client.ssl) == 1
            yield "renegotiated" if again else "refused", ["a new handshake is made"] if again else []


def key_updates(target, dice, short):
    """Floods of changes of keys, with and without the demand for one in return."""
    for asking in (1, 0) * (1 if short else 10):
        before = target.process.cpu
        with Client(target, NEW) as client, target.process.growth() as growth:
            if not client.connects():
                yield "refused", ["an ordinary handshake fails"]
                continue
            sent = 0
            while sent < target.flood and client.changes_keys(asking):
                sent += 1
            served = client.answers()
        cpu = target.process.cpu - before
        target.note("key updates", f"{sent} sent before the end, {cpu:.2f} s of CPU, {growth.most >> 10} KiB")
        found = ["a flood of key updates doesn't end the connection"] if served else []
        if cpu > 1:
            found.append(f"a flood of key updates costs {cpu:.1f} s of CPU")
        if growth.most > 8 << 20:
            found.append(f"a flood of key updates takes {growth.most >> 20} MiB")
        yield "handled" if served else "closed", found


def half_closed(target, dice, short):
    for version in target.versions:
        for says, ends in ((True, False), (True, True), (False, True)) * (2 if short else 10):
            with Client(target, version) as client:
                client.wait(hellos.DEADLINE)
                # The proxy's answer comes later, at its time.
                if not client.connects() or not client.write(http1.post(FORWARDED, ORDINARY)):
                    yield "refused", ["an ordinary handshake fails"]
                    continue
                if says:
                    LIBRARY.SSL_shutdown(client.ssl)
                if ends:
                    client.connection.shutdown(socket.SHUT_WR)
                start, answer = time.monotonic(), client.rest()
                found = []
                head, found_end, body = answer.partition(b"\r\n\r\n")
                lengths = [int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
                complete = bool(found_end) and lengths == [len(body)]
                # An end without a word of TLS is an attacker's, perhaps (RFC 8446, 6.1): no answer is right, too.
                if not complete and (says or answer):
                    found.append(f"of the answer come {len(answer)} bytes")
                if time.monotonic() - start > hellos.DEADLINE / 2:
                    found.append("the connection stays open")
                yield "answered" if complete else "closed", found


def never_reading(target, dice, short):
    """Requests without end from a client that takes no answer: a full socket ends when the answer's time is over."""
    with Client(target, NEW) as client:
        client.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.wait(40)
        if not client.connects():
            yield "refused", ["an ordinary handshake fails"]
            return
        start = time.monotonic()
        while time.monotonic() - start < 60 and client.write(REQUEST * 100):
            pass
        lasted = time.monotonic() - start
        yield "closed", [f"a client that reads nothing is there after {lasted:.0f} seconds"] if lasted > 50 else []


KINDS = {
    "resumption": resumption,
    "early data": early_data,
    "renegotiation": renegotiation,
    "key updates": key_updates,
    "half-closed": half_closed,
    "never reading": never_reading,
}
