"""Servers with faults: the controls, to which a check must object."""

import asyncio
import contextlib
import multiprocessing
import re

import frames
from client.proxy import die_with_parent, free_port


@contextlib.contextmanager
def _process(target, *arguments):
    """Runs a server in a process of its own, which says through a pipe when it is ready. Yields port and process id."""
    port = free_port()
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=target, args=(theirs, port, *arguments), daemon=True)
    process.start()
    theirs.close()
    if not ours.poll(30):
        raise SystemExit("A control doesn't start.")
    ours.recv()
    try:
        yield port, process.pid
    finally:
        process.kill()
        process.join()


def _serve(pipe, port, suite, protocols, talk, **options):
    die_with_parent()

    async def serve():
        context = suite.public_context(protocols)
        server = await asyncio.start_server(talk, "127.0.0.1", port, ssl=context, backlog=1024, **options)
        pipe.send("ready")
        async with server:
            await server.serve_forever()

    asyncio.run(serve())


@contextlib.contextmanager
def forwarding(suite, upstream):
    """A proxy that forwards headers unchanged, trusts the last Content-Length, and ignores Transfer-Encoding."""
    with _process(_forward, suite, upstream) as (port, _):
        yield port


def _forward(pipe, port, suite, upstream):
    inner = suite.app_context(())
    inner.load_cert_chain(suite.certificates / "metadata-proxy.pem", suite.certificates / "metadata-proxy.key")

    tasks = set()

    async def answers(back, writer):
        with contextlib.suppress(OSError):
            while data := await back.read(65_536):
                writer.write(data)
        writer.close()

    async def talk(reader, writer):
        back, forth = await asyncio.open_connection("127.0.0.1", upstream, ssl=inner, server_hostname="localhost")
        task = asyncio.create_task(answers(back, writer))
        # The loop itself holds tasks only weakly.
        tasks.add(task)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lengths = re.findall(rb"(?i)content-length: *(\d+)", head)
                forth.write(head + await reader.readexactly(int(lengths[-1]) if lengths else 0))
                await forth.drain()
        forth.close()
        await task

    _serve(pipe, port, suite, ["http/1.1"], talk)


@contextlib.contextmanager
def lax(suite):
    """A server of HTTP/2 that reads every frame, keeps every header, and answers 201 whatever comes."""
    with _process(_lax, suite) as place:
        yield place


def _lax(pipe, port, suite):
    async def talk(reader, writer):
        header = bytearray()
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readexactly(len(frames.PREFACE))
            writer.write(frames.frame(frames.SETTINGS))
            while True:
                head = await reader.readexactly(9)
                payload = await reader.readexactly(int.from_bytes(head[:3], "big"))
                kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
                if kind in (frames.HEADERS, frames.CONTINUATION):
                    header += payload
                if kind == frames.HEADERS and flags & frames.END_HEADERS:
                    answer = frames.block([(":status", "201"), ("content-length", "0")])
                    flags = frames.END_HEADERS | frames.END_STREAM
                    writer.write(frames.frame(frames.HEADERS, flags, stream, answer))
        writer.close()

    _serve(pipe, port, suite, ["h2"], talk)


@contextlib.contextmanager
def patient(suite, places):
    """A server that talks with so many clients at one time, and waits for each as long as it takes."""
    with _process(_patient, suite, places) as (port, _):
        yield port


def _patient(pipe, port, suite, places):
    free = asyncio.Semaphore(places)

    async def talk(reader, writer):
        async with free:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                head = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(int((re.findall(rb"(?i)content-length: *(\d+)", head) or [0])[0]))
                writer.write(b"HTTP/1.1 201 Fine\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    _serve(pipe, port, suite, ["http/1.1"], talk)


@contextlib.contextmanager
def keeping(suite):
    """A server that keeps all that it is sent."""
    with _process(_keep, suite) as place:
        yield place


def _keep(pipe, port, suite):
    async def talk(reader, writer):
        kept = []
        with contextlib.suppress(OSError):
            while data := await reader.read(16_384):
                kept.append(data)
        writer.close()

    _serve(pipe, port, suite, ["h2", "http/1.1"], talk)


@contextlib.contextmanager
def answering(suite):
    """A server that refuses every request, and keeps the answers that its clients don't read."""
    with _process(_refuse, suite) as place:
        yield place


def _refuse(pipe, port, suite):
    async def talk(reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(16_384):
                writer.write((b"HTTP/1.1 404 No\r\ncontent-length: 960\r\n\r\n" + bytes(960)) * data.count(b"\r\n\r\n"))
        writer.close()

    _serve(pipe, port, suite, ["http/1.1"], talk)


@contextlib.contextmanager
def keeping_sessions(suite):
    """A server that gives tickets, as OpenSSL's do by themselves."""
    with _process(_answer, suite) as (port, _):
        yield port


def _answer(pipe, port, suite):
    async def talk(reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            while await reader.readuntil(b"resume"):
                writer.write(b"HTTP/1.1 201 Fine\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    _serve(pipe, port, suite, ["http/1.1"], talk)
