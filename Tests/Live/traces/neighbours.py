"""What a check starts beside the suite: nginx in the proxy's place, and further proxies."""

import contextlib
import os
import pathlib
import socket
import subprocess
import time

from client.proxy import Proxy
from client.suite import Unexpected

# Of a network that belongs to the script alone, and below the suite's own.
SECOND_PROXY, CANARY_PROXY, NOBODY_LISTENS, NGINX, EDGE, HOPS = 19100, 19110, 19199, 19200, 19210, 19300
# An admin port, after the port of its proxy.
ADMIN = 9
# So that they end when the script is killed.
_WITH_THIS_PROCESS = ["setpriv", "--pdeathsig", "TERM"]


@contextlib.contextmanager
def running(command, log, port):
    """A program that listens on a port, until the context ends."""
    with open(log, "ab") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        _wait(process, log, port)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process, log, port):
    end = time.monotonic() + 20
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise Unexpected(f"{process.args[-3:]} does not listen on port {port}; its log is {log}:\n"
                     + pathlib.Path(log).read_text(errors="replace")[-2000:])


def nginx(executable, suite, folder, verification, submission, push, donation, health):
    """nginx with its defaults; the five ports are where it sends requests to."""
    folder.mkdir()
    text = (pathlib.Path(__file__).parent / "nginx.conf").read_text()
    values = {
        "user": "user root;" if os.geteuid() == 0 else "", "folder": folder, "port": NGINX,
        "certificates": suite.state / "certificates", "verification": verification, "submission": submission,
        "push": push, "donation": donation, "further": health,
    }
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    configuration = folder / "nginx.conf"
    configuration.write_text(text)
    command = [*_WITH_THIS_PROCESS, executable, "-e", str(folder / "error.log"), "-c", str(configuration)]
    return running(command, folder / "output.log", NGINX)


def edge(executable, suite, folder, log):
    """nginx as the edge configures it, with the tree in `published` of the folder; log: where it writes errors, of which level."""
    folder.mkdir()
    (folder / "published").mkdir()
    text = (pathlib.Path(__file__).parents[3] / "deploy/edge/nginx.conf").read_text()
    for here, there in (
            ("/tmp/", f"{folder}/"), ("root /published", f"root {folder}/published"), ("error_log /dev/null emerg", f"error_log {log}"),
            ("listen 8040 ", f"listen [::]:{EDGE} ipv6only=off "),
            ("/run/secrets/tls.", f"{suite.state}/certificates/public."), ("/run/secrets/ca.pem", f"{suite.state}/certificates/ca.pem"),
            ("127.0.0.1:8049", f"127.0.0.1:{EDGE + ADMIN}")):
        if here not in text:
            raise Unexpected(f"deploy/edge/nginx.conf has changed: there is no {here!r} in it.")
        text = text.replace(here, there)
    configuration = folder / "nginx.conf"
    configuration.write_text(("user root;\n" if os.geteuid() == 0 else "") + text)
    command = [*_WITH_THIS_PROCESS, executable, "-e", "stderr", "-c", str(configuration)]
    return running(command, folder / "output.log", EDGE)


def proxy(suite, log, port, *upstreams, **changes):
    """Another metadata proxy, whose services are away unless their ports are given."""
    return Proxy(
        suite, upstreams or [NOBODY_LISTENS] * 5, "/tmp", port, log=log, as_nobody=True, drains=True, **changes
    )
