"""Full TLS handshakes from many addresses: complete ones with a request, some that the client breaks off, some that the server refuses."""

import multiprocessing
import random
import socket
import ssl
import struct
import time

from client import http1
from client.proxy import die_with_parent
from client.tls import bind

# Bytes that two of them read before they break off.
FIRST_BYTES = 200


def _plain(port, source):
    plain = socket.socket()
    plain.settimeout(10)
    bind(plain, source)
    plain.connect(("127.0.0.1", port))
    return plain


def complete(port, source, contexts, request):
    with contexts[0].wrap_socket(_plain(port, source), server_hostname="localhost") as connection:
        connection.sendall(request)
        answer = http1.Reader(connection).answer(10)
        return answer is not None


def aborted(port, source, contexts, request):
    """The client says a part of its hello or all of it, waits for a part of the answer, and resets the connection."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with _plain(port, source) as plain:
        tls = contexts[0].wrap_bio(incoming, outgoing, server_hostname="localhost")
        try:
            tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        hello = outgoing.read()
        part = random.randint(1, 2 * len(hello))
        plain.sendall(hello[:part])
        if part >= len(hello):
            plain.recv(FIRST_BYTES)
        # A reset in the place of an end (socket(7), SO_LINGER).
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return True


def refused(port, source, contexts, request):
    try:
        with contexts[1].wrap_socket(_plain(port, source), server_hostname="localhost") as connection:
            # In TLS 1.3 the client hears it only afterwards.
            connection.sendall(request)
            return not connection.recv(1)
    except (ssl.SSLError, ConnectionError):
        return True


KINDS = (complete, aborted, refused)


def _shake(pipe, port, contexts, request, count, number):
    die_with_parent()
    random.seed(number)
    went = [0] * len(KINDS)
    for turn in range(count):
        kind = turn % len(KINDS)
        try:
            went[kind] += KINDS[kind](port, f"127.1.{number}.{1 + turn // 3 % 250}", contexts, request)
        except OSError:
            pass
    pipe.send(went)


def shake(port, contexts, request, count, processes=2):
    """How many of each kind went as they should. `contexts`: one that the server takes, one that it refuses."""
    pipes = []
    for number in range(processes):
        ours, theirs = multiprocessing.Pipe()
        multiprocessing.get_context("fork").Process(
            target=_shake, args=(theirs, port, contexts, request, count // processes, number), daemon=True
        ).start()
        theirs.close()
        pipes.append(ours)
    deadline = time.monotonic() + 60 + count / 20
    return [sum(went) for went in zip(*(pipe.recv() for pipe in pipes if pipe.poll(deadline - time.monotonic())))]
