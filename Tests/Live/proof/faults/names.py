"""DNS that fails or lies, for the services behind the metadata proxy: a resolver of our own at 127.0.0.1, port 53.

It runs in a network and a mount namespace of its own (unshare(1)), with an /etc/resolv.conf that names it.
"""

import contextlib
import socket
import socketserver
import ssl
import struct
import subprocess
import threading
import time

import judging

NAME = "verification-server"
WRONG, NOBODY = "127.0.0.2", "127.0.0.3"
# Each way to answer, and what may come of a request: the proxy refuses what has no service.
MODES = {
    "right": {"answered"}, "servfail": {"refused"}, "nxdomain": {"refused"}, "silence": {"refused"}, "empty": {"refused"},
    "wrong": {"refused"}, "garbage": {"refused"}, "another id": {"refused"}, "thousand": {"answered", "refused"},
    "truncated": {"answered"}, "truncated, no TCP": {"refused"}, "loop": {"refused"}, "nobody": {"refused"},
}  # fmt: skip


# What the namespaces need before the check begins; arguments: a file for /etc/resolv.conf, then the command.
INSIDE = """ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@" """
CONFIGURATION = "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"


def run_inside(scratch, command):
    """Runs a command in namespaces of its own and returns its status."""
    configuration = scratch / "resolv.conf"
    configuration.write_text(CONFIGURATION)
    prefix = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "--propagation", "private", "sh", "-c", INSIDE]
    return subprocess.run([*prefix, configuration, *command]).returncode


class Resolver:
    """Answers every question for an IPv4 address as its mode says."""

    def __init__(self, address="127.0.0.1", port=53):
        self.mode, self.asked = "right", 0
        resolver = self

        class Datagram(socketserver.BaseRequestHandler):
            def handle(self):
                content, plain = self.request
                for answer in resolver.answer(content, True):
                    plain.sendto(answer, self.client_address)

        class Stream(socketserver.StreamRequestHandler):
            def handle(self):
                # Questions for both kinds of addresses come by one connection.
                while len(head := self.rfile.read(2)) == 2 and resolver.mode != "truncated, no TCP":
                    content = self.rfile.read(*struct.unpack(">H", head))
                    for answer in resolver.answer(content, False):
                        self.wfile.write(struct.pack(">H", len(answer)) + answer)

        socketserver.ThreadingTCPServer.allow_reuse_address = True
        self.servers = [
            socketserver.ThreadingUDPServer((address, port), Datagram), socketserver.ThreadingTCPServer((address, port), Stream)]
        for server in self.servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def answer(self, query, is_datagram):
        self.asked += 1
        end = query.index(b"\0", 12) + 5
        question, is_ipv4 = query[12:end], query[end - 4 : end - 2] == b"\0\1"

        def packet(code=0, addresses=(), flags=0x8180, records=b"", count=0):
            head = query[:2] + struct.pack(">HHHHH", flags | code, 1, len(addresses) + count, 0, 0)
            listed = b"".join(
                b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + socket.inet_aton(address) for address in addresses)
            return [head + question + listed + records]

        mode = self.mode
        if mode == "servfail":
            return packet(2)
        if mode == "nxdomain":
            return packet(3)
        if mode == "silence":
            return []
        if mode == "garbage":
            return [query[:2] + b"\x81\x80" + b"\xff" * 60]
        if not is_ipv4 or mode == "empty":
            return packet()
        if mode == "another id":
            return [bytes([query[0] ^ 1]) + part[1:] for part in packet(addresses=["127.0.0.1"])]
        if mode == "loop":
            return packet(records=b"\xc0\x0c" + struct.pack(">HHIH", 5, 1, 0, 2) + b"\xc0\x0c", count=1)
        if mode.startswith("truncated") and is_datagram:
            return packet(flags=0x8380)
        if mode == "thousand":
            if is_datagram:
                return packet(flags=0x8380)
            return packet(addresses=[f"127.0.{10 + n // 250}.{1 + n % 250}" for n in range(999)] + ["127.0.0.1"])
        return packet(addresses=[{"wrong": WRONG, "nobody": NOBODY}.get(mode, "127.0.0.1")])

    def stop(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()


@contextlib.contextmanager
def impostor(suite, port):
    """A server at the wrong address, whose certificate is the authority's, without the name; whether it was reached."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*suite.certificate("lab"))
    listener, reached = socket.create_server((WRONG, port)), threading.Event()

    def serve():
        while True:
            try:
                plain = listener.accept()[0]
                reached.set()
                with context.wrap_socket(plain, server_side=True) as secure:
                    secure.recv(65536)
                    secure.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")
            except OSError:
                if listener.fileno() < 0:
                    return

    threading.Thread(target=serve, daemon=True).start()
    yield reached
    listener.close()


def check(table, program, resolver, short, forget=lambda: None, modes=MODES):
    """Each mode is followed by the right one. `forget`: ends the connections that it could reuse."""
    kind = f"names, {program.name}"
    for mode, allowed in modes.items():
        if short and modes is MODES and mode not in ("right", "servfail", "wrong", "truncated"):
            continue
        resolver.mode, asked = mode, resolver.asked
        forget()
        # Until the program has seen it: what it sends meanwhile it may not send again.
        time.sleep(0.2)
        watch = judging.Watch(table, kind, f"a resolver: {mode}", program)
        outcomes = [program.ask() for _ in range(3)]
        if found := {outcome.split(" ")[0] for outcome in outcomes} - allowed:
            watch.object(f"requests are {outcomes}")
        if resolver.asked == asked:
            watch.object("nobody asked the resolver")
        resolver.mode = "right"
        watch.end(outcomes)
