"""HAProxy with deploy/haproxy/haproxy.cfg in front: each name leads to its service, and limits count the callers behind it.

The control is the same without the PROXY protocol: the same judge must find that one caller's limit has become another's.
"""

import contextlib
import re
import socket
import ssl
import time

from check import Proxy, Report, Suite
from client import http1
from client.proxy import free_port
from client.server import server
from upstream import Upstream

# Tests/Live/hostile.sh has the suite's portal believe this address; the file's own address, 127.0.0.1, is that of other checks.
BALANCER = "127.77.0.1"
# In networks of their own (24 bits).
CALLERS = [f"127.88.{number}.1" for number in range(9)]
CONNECTIONS, REQUESTS = 20, 30
# HAProxy's own limit for one network, here.
SILENT = 60


def has_ipv6():
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::1", 0))
        return True
    return False


HAS_IPV6 = has_ipv6()


@contextlib.contextmanager
def haproxy(suite, ports, changes=()):
    """HAProxy with the file, on a free port; `ports`: those of apps, downloads and portal. `changes`: of the file's text."""
    port, control = free_port(), suite.scratch / "haproxy.sock"
    text = (suite.root / "deploy/haproxy/haproxy.cfg").read_text()
    for pattern, replacement in [
        (r"    user haproxy\n    group haproxy\n", f"    stats socket {control}\n"),
        # Where few files may be open.
        (r"maxconn 20000", "maxconn 2000"),
        (r"bind :::443 v4v6", f"bind 127.0.0.1:{port}" + (f",[::1]:{port}" if HAS_IPV6 else "")),
        *((rf"127\.0\.0\.1:{theirs}", f"127.0.0.1:{ours}") for theirs, ours in zip((8000, 8040, 8070), ports, strict=True)),
        (r"send-proxy-v2", f"send-proxy-v2 source {BALANCER}"),
        (r"gt 4000", f"gt {SILENT}"),
        # The second check comes soon.
        (r"check-ssl", "check-ssl inter 500ms"),
        *changes,
    ]:
        text, count = re.subn(pattern, replacement, text)
        if not count:
            raise SystemExit(f"deploy/haproxy/haproxy.cfg has no {pattern}: adapt this check to it.")
    file = suite.scratch / "haproxy.cfg"
    file.write_text(text)
    log = suite.scratch / "haproxy.log"
    with server([suite.haproxy, "-db", "-f", file], port, log):
        yield port, control


def connect(port, context, caller, name="apps.example.org"):
    """A TLS connection from an address of this machine's own network, to a name."""
    plain = socket.create_connection(("::1" if ":" in caller else "127.0.0.1", port), 10, source_address=(caller, 0))
    try:
        return context.wrap_socket(plain, server_hostname=name)
    except BaseException:
        plain.close()
        raise


def connect_soon(port, context, caller):
    """The same where the places of connections that have just ended may not be free yet."""
    end = time.monotonic() + 10
    while True:
        try:
            return connect(port, context, caller)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def status(connection, request):
    """What the request is answered with; `None` if the connection is closed."""
    try:
        connection.sendall(request)
        answer = http1.Reader(connection).answer(10)
    except OSError:
        return None
    return answer and answer.status


def asked(port, context, caller, name="apps.example.org", request=None):
    """The same on a connection of its own."""
    try:
        with connect(port, context, caller, name) as connection:
            return status(connection, request or http1.post("/version/v1/tan", b"balancer"))
    except OSError:
        return None


def crowd(port, context, crowded, other):
    """One caller opens twice as many connections as it may: how many are answered, and what another caller gets meanwhile."""
    with contextlib.ExitStack() as standing:
        answers = []
        for _ in range(2 * CONNECTIONS):
            with contextlib.suppress(OSError):
                connection = standing.enter_context(connect(port, context, crowded))
                answers.append(status(connection, http1.post("/version/v1/tan", b"crowd")))
        return answers.count(201), asked(port, context, other)


def rush(port, context, rushing, other):
    """One caller sends more requests than it may: how many are answered, how many refused, and what another caller gets then."""
    with connect_soon(port, context, rushing) as connection:
        reader = http1.Reader(connection)
        answers = []
        for _ in range(REQUESTS + 10):
            connection.sendall(http1.post("/version/v1/tan", b"rush"))
            answer = reader.answer(10)
            answers.append(answer and answer.status)
            if answer is None:
                break
    return answers.count(201), answers.count(429), asked(port, context, other)


def silence(port, context, silent, other):
    """One caller opens connections and says nothing: how many HAProxy closes at once, and what another caller gets meanwhile."""
    with contextlib.ExitStack() as standing:
        connections, closed = [], 0
        for _ in range(SILENT + 20):
            try:
                connection = socket.create_connection(("127.0.0.1", port), 10, source_address=(silent, 0))
                connections.append(standing.enter_context(connection))
            except ConnectionResetError:
                closed += 1
        got = asked(port, context, other)
        for connection in connections:
            connection.setblocking(False)
            try:
                closed += connection.recv(1) == b""
            except BlockingIOError:
                pass
            except OSError:
                closed += 1
        return closed, got


def names(report, suite, port, context):
    """Each name leads to its service, and no other name anywhere."""
    origin = suite.configuration["health-portal"]["origins"].split(",")[0].removeprefix("https://").encode()
    get = b"GET %s HTTP/1.1\r\nHost: " + origin + b"\r\nConnection: close\r\n\r\n"
    for name, request, wanted in [
        ("apps.example.org", http1.post("/version/v1/tan", b"names"), 201),
        ("downloads.example.org", get % b"/version", 200),
        ("portal.example.org", get % b"/help", 200),
    ]:
        got = asked(port, context, CALLERS[0], name, request)
        report.require(got == wanted, f"{name} answers {got} instead of {wanted}")
        report.say(f"{name} answers {got}")
    for name in ("other.example.org", "example.org"):
        got = asked(port, context, CALLERS[0], name)
        report.require(got is None, f"{name}, which nothing serves, answers {got}")


def health(report, control):
    """HAProxy's checks find the services well: by a handshake, behind a header of its own where there is one."""
    end = time.monotonic() + 10
    while True:
        with socket.socket(socket.AF_UNIX) as talk:
            talk.connect(str(control))
            talk.sendall(b"show stat\n")
            lines = b"".join(iter(lambda: talk.recv(65_536), b"")).decode().splitlines()
        columns = lines[0].lstrip("# ").split(",")
        rows = [dict(zip(columns, line.split(","))) for line in lines[1:] if line]
        found = {row["pxname"]: row["check_status"] for row in rows if row["check_status"]}
        if len(found) == 3 and set(found.values()) == {"L6OK"}:
            report.say("HAProxy's health checks succeed at all three")
            return
        if time.monotonic() > end:
            report.require(False, f"HAProxy's health checks say {found}")
            return
        time.sleep(0.2)


def main():
    suite = Suite(__doc__.splitlines()[0])
    report = Report("balancer")
    # Certificates name no name of the example.
    context = suite.app_context()
    context.check_hostname = False
    limits = {"limits__connections": CONNECTIONS, "limits__requests": REQUESTS, "answers__deadline": 50}
    with Upstream(suite) as upstream, Proxy(suite, upstream.port, listen__proxyProtocol=f"192.0.2.1,{BALANCER}/32", **limits) as proxy:
        ports = proxy.port, suite.port("download-server"), suite.port("health-portal")
        with haproxy(suite, ports) as (port, control):
            names(report, suite, port, context)
            made, other = crowd(port, context, CALLERS[1], CALLERS[2])
            report.require(made == CONNECTIONS, f"one caller has {made} connections instead of {CONNECTIONS}")
            report.require(other == 201, f"beside a caller with all its connections another one gets {other}")
            answered, refused, after = rush(port, context, CALLERS[3], CALLERS[4])
            report.require(answered == REQUESTS, f"one caller is answered {answered} times instead of {REQUESTS}")
            report.require(refused == 10, f"one caller is refused {refused} times instead of 10")
            report.require(after == 201, f"beside a caller with all its requests another one gets {after}")
            report.say(
                f"one caller has {made} connections and {answered} answers, then {refused} refusals; others are answered {other}, {after}"
            )
            if HAS_IPV6:
                got = asked(port, context, "::1")
                report.require(got == 201, f"a caller over IPv6 gets {got}")
            closed, other = silence(port, context, CALLERS[5], CALLERS[6])
            report.require(closed == 20, f"of {SILENT + 20} connections that say nothing HAProxy closes {closed} instead of 20")
            report.require(other == 201, f"beside a caller who says nothing another one gets {other}")
            report.say(f"of {SILENT + 20} connections of one caller that say nothing HAProxy closes {closed}; another is answered {other}")
            health(report, control)
        # What nobody asked for: a header from somebody who isn't listed, and a form that isn't spoken.
        lie = bytes.fromhex("0d0a0d0a000d0a515549540a2111000c") + bytes([203, 0, 113, 7, 127, 0, 0, 1, 0, 1, 1, 187])
        with socket.create_connection(("127.0.0.1", proxy.port), 10, source_address=(CALLERS[7], 0)) as liar:
            liar.sendall(lie)
            with contextlib.suppress(OSError, ssl.SSLError):
                context.wrap_socket(liar, server_hostname="localhost").close()
                report.require(False, "a caller who isn't listed may say what its address is")
        with haproxy(suite, ports, [("send-proxy-v2", "send-proxy")]) as (port, _):
            got = asked(port, context, CALLERS[8])
            report.require(got is None, f"with version 1 of the protocol a caller gets {got}")
        for text in proxy.errors():
            report.require(False, text)
    with Upstream(suite) as upstream, Proxy(suite, upstream.port, **limits) as proxy:
        ports = proxy.port, suite.port("download-server"), suite.port("health-portal")
        with haproxy(suite, ports, [(f"send-proxy-v2 source {BALANCER}", "")]) as (port, _):
            made, other = crowd(port, context, CALLERS[1], CALLERS[2])
            *_, after = rush(port, context, CALLERS[3], CALLERS[4])
            report.say(f"control: without the PROXY protocol others are answered {other} beside connections, {after} beside requests.")
            report.require(other is None, "without the PROXY protocol a caller's connections don't take another's: the judge sees nothing")
            report.require(after == 429, "without the PROXY protocol a caller's requests don't take another's: the judge sees nothing")
    report.end()


if __name__ == "__main__":
    main()
