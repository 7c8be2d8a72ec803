"""What brings clients without certificates, such as h2load, to listeners that demand one: HAProxy, which adds mutual TLS."""

import contextlib
import pathlib

from client.proxy import free_port
from client.server import server


@contextlib.contextmanager
def tunnel(suite, port, role):
    """Yields the port of a tunnel: what comes there in clear goes on to `port` with a role's certificate."""
    here = free_port()
    folder = pathlib.Path(suite.scratch)
    certificate, key = suite.certificate(role)
    both = folder / f"tunnel-{here}.pem"
    both.write_bytes(certificate.read_bytes() + key.read_bytes())
    configuration = folder / f"tunnel-{here}.cfg"
    configuration.write_text(
        "global\n maxconn 8000\n nbthread 1\n"
        "defaults\n mode tcp\n timeout connect 30s\n timeout client 100s\n timeout server 100s\n"
        f"listen tunnel\n bind 127.0.0.1:{here} backlog 4096\n"
        f" server inner 127.0.0.1:{port} ssl crt {both} ca-file {suite.authority} verifyhost localhost sni str(localhost)\n"
    )
    with server([str(suite.haproxy), "-db", "-f", str(configuration)], here, folder / f"tunnel-{here}.log"):
        yield here
