"""TLS connections on which every byte and every moment can be accounted for."""

import socket
import ssl
import struct
import time

# From Linux's <bits/in.h> and <asm-generic/socket.h>; Python has no names for them.
IP_FREEBIND = 15
IP_BIND_ADDRESS_NO_PORT = 24
SO_TIMESTAMPNS = 35
# Room for a `struct timespec` with its header.
ANCILLARY = 64


def app_context(authority=None, protocols=("http/1.1",), version=None):
    """How an app connects. Without an authority the server needs to prove nothing; `version`: the only version of TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if version is not None:
        context.minimum_version = context.maximum_version = version
    if protocols:
        context.set_alpn_protocols(list(protocols))
    if authority is None:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    else:
        context.load_verify_locations(authority)
    return context


def bind(plain, address):
    """Binds a socket to an address, and to a port only when it connects: one address then has as many as each server needs (ip(7))."""
    plain.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
    plain.bind((address, 0))


class Connection:
    """One TLS connection, read record by record, so that an observer's records can be assigned to exchanges."""

    def __init__(self, port, context, host="127.0.0.1", source=None, server_name="localhost", patience=15):
        """`source`: an address, which no interface needs to have, and a port, 0 for any."""
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
            # Bytes that the server has sent, and how many of them are the handshake's.
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
        """The content of the next record that has any; nothing at the end."""
        while True:
            try:
                return self._tls.read(1 << 16)
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


class TimedConnection(Connection):
    """A connection as an observer on the wire sees it.

    The moment of arrival is the kernel's, for the packet: it doesn't depend on how busy this process is. Reading never
    blocks.
    """

    def __init__(self, port, context):
        super().__init__(port, context)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.setblocking(False)

    def fileno(self):
        return self.socket.fileno()

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
        if not sealed:
            raise ConnectionError("closed")
        self._incoming.write(sealed)
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
