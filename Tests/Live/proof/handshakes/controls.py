"""Servers with the faults that the kinds of handshakes look for: each kind has to object to one of them."""

import contextlib
import multiprocessing
import socket
import ssl
import subprocess
import threading
import time

import hellos
from client.proxy import die_with_parent, free_port


@contextlib.contextmanager
def openssl(suite, *options):
    """OpenSSL's server, which does what it is told to. Yields port and process id."""
    port = free_port()
    with subprocess.Popen(
        ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-quiet", "-cert", suite.certificates / "public.pem",
         "-key", suite.certificates / "public.key", *options],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent,
    ) as process:  # fmt: skip
        wait_for(port)
        try:
            yield port, process.pid
        finally:
            process.kill()


def wait_for(port):
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("A control doesn't start.")


@contextlib.contextmanager
def naive(talk, log):
    """A server with a thread for each connection, which `talk` gets. Yields port and process id."""
    port = free_port()
    process = multiprocessing.get_context("fork").Process(target=_accept, args=(port, talk, log), daemon=True)
    process.start()
    wait_for(port)
    try:
        yield port, process.pid
    finally:
        process.kill()
        process.join()


def _accept(port, talk, log):
    die_with_parent()
    kept = []
    with socket.create_server(("127.0.0.1", port), backlog=1024) as server, log.open("ab", buffering=0) as output:
        while True:
            connection, source = server.accept()
            kept.append(connection)
            threading.Thread(target=_talk, args=(talk, connection, source, output, kept), daemon=True).start()


def _talk(talk, connection, source, output, kept):
    with contextlib.suppress(OSError, IndexError):
        talk(connection, source, output, kept)


def hanging(connection, source, output, kept):
    """Keeps everything, ends nothing, and logs who calls and what he says."""
    output.write(b"connection from %s\n" % source[0].encode())
    while data := connection.recv(1 << 16):
        kept.append(data * 8)
        if hellos.NAME in data:
            output.write(b"a hello for %s\n" % hellos.NAME)


def server_hello(version, session, suite, compression, extensions):
    body = version + bytes(24) + b"DOWNGRD\1" + hellos.vector(1, session) + suite + compression + hellos.vector(2, extensions)
    return hellos.record(hellos.HANDSHAKE, b"\2" + hellos.vector(3, body))


def parts(data):
    """Version, session, suites and compressions of a hello."""
    at = 44 + data[43]
    count = int.from_bytes(data[at : at + 2], "big")
    return data[9:11], data[44:at], data[at + 2 : at + 2 + count], data[at + 3 + count :][: data[at + 2 + count]]


def agreeing(connection, source, output, kept):
    """Takes the last of everything that is offered, and the session."""
    version, session, suites, compressions = parts(connection.recv(1 << 16))
    connection.sendall(server_hello(version, session, suites[-2:], compressions[-1:], b"\0\x29\0\2\0\0"))
    connection.close()
    kept.remove(connection)


def intolerant(connection, source, output, kept):
    """Wants the hello in one piece and one record, with nothing unknown in it."""
    data = connection.recv(1 << 16)
    hello = data[5:]
    suites = parts(data)[2]
    grease = [bytes([0x0A + 0x10 * number] * 2) for number in range(16)]
    is_known = not any(suites[index : index + 2] in grease for index in range(0, len(suites), 2))
    if is_known and len(hello) == int.from_bytes(data[3:5], "big"):
        connection.sendall(server_hello(b"\3\3", parts(data)[1], b"\x13\1", b"\0", b"\0\x2b\0\2\3\4"))
        connection.recv(1)
    connection.close()
    kept.remove(connection)


def hasty(certificate):
    """Drops an answer that isn't sent yet when the client says that it has nothing more to say, and never ends anything else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)

    def talk(connection, source, output, kept):
        with context.wrap_socket(connection, server_side=True) as secure:
            secure.recv(1 << 16)
            secure.settimeout(0.3)
            try:
                if not secure.recv(1 << 16):
                    return
            except TimeoutError:
                pass
            secure.sendall(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
            time.sleep(60)

    return talk
