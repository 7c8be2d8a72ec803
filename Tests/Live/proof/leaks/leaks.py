"""Requests and handshakes by the hundred thousand: afterwards a server holds what it held before, in memory, files and C's objects.

The control is the proxy that loses each hundredth block that OpenSSL frees: there, the same judge must object.
"""

import contextlib
import datetime
import json
import mmap
import os
import pathlib
import re
import ssl
import struct
import subprocess
import time

from check import Proxy, Report, Suite, mebibytes
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from client import http1
from client.messages import fresh_guid
from client.proxy import Service, die_with_parent, free_port
from client.server import server
from handshakes import KINDS, shake
from tunnels import tunnel

# In the order of counts.c.
OBJECTS = ("blocks", "OpenSSL's blocks", "SSL", "nghttp2_session", "PGconn", "PGresult")
# Requests and handshakes between two reports.
SLICE, SLICE_OF_HANDSHAKES = 50_000, 9000
# How long a server may take to let go of what it keeps for the next call.
PATIENCE = 60


class Holdings:
    """What a process holds."""

    def __init__(self, process, file):
        self.process = process
        with file.open("rb") as counts:
            self.counts = mmap.mmap(counts.fileno(), 8 * len(OBJECTS), prot=mmap.PROT_READ)

    def now(self):
        held = dict(zip(OBJECTS, struct.unpack(f"{len(OBJECTS)}q", self.counts[:])))
        held["files"] = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        held["memory"] = self.process.memory
        return held

    def at_rest(self, before=None, patience=PATIENCE):
        """Once nothing more is given back; no more than `before`, if it comes to that in time."""
        deadline = time.monotonic() + patience
        last = self.now()
        while time.monotonic() < deadline:
            time.sleep(0.5)
            held = self.now()
            if held["SSL"] == 0 and all(abs(held[name] - last[name]) < 10 for name in OBJECTS):
                if before is None or not grown(before, held, 0):
                    return held
            last = held
        return last


def grown(before, after, work):
    """What there is more of than before, beyond what may be."""
    # A cache may gain an entry, and a queue a block of room; a leak has one for each request, or for each thousandth.
    allowed = dict.fromkeys(OBJECTS, 0) | {"blocks": 20 + work // 2000, "OpenSSL's blocks": 8, "files": 0}
    # A tenth, which arenas of malloc waste or not, and what their threads' first blocks take.
    allowed["memory"] = before["memory"] // 10 + (4 << 20)
    return {name: after[name] - before[name] for name in allowed if after[name] - before[name] > allowed[name]}


@contextlib.contextmanager
def upstream(suite):
    """nginx in the place of the services behind the proxy. It ends a connection that is idle for a second. Yields its port."""
    port, folder = free_port(), pathlib.Path(suite.scratch) / "upstream"
    folder.mkdir(exist_ok=True)
    keys = suite.certificates
    temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"""
        daemon off; master_process off; pid {folder}/pid; error_log {folder}/log;
        events {{ worker_connections 8192; }}
        http {{
            access_log off; {temporary} keepalive_requests 100000000; keepalive_timeout 1s; default_type application/json;
            server {{
                listen 127.0.0.1:{port} ssl; ssl_protocols TLSv1.3;
                ssl_certificate {keys}/verification-server.pem; ssl_certificate_key {keys}/verification-server.key;
                ssl_client_certificate {suite.authority}; ssl_verify_client on;
                location / {{ return 201 '{{"tan":"x"}}'; }}
            }}
        }}
        """
    )
    with server([str(suite.nginx), "-c", str(folder / "nginx.conf"), "-p", f"{folder}/", "-e", f"{folder}/log"], port, folder / "said"):
        yield port


def stranger(suite):
    """The files of a certificate of no authority that anybody knows."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "metadata-proxy")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    files = suite.scratch / "stranger.pem", suite.scratch / "stranger.key"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))  # fmt: skip
    return files


def h2load(arguments, count, body, fields, path):
    """How many of so many requests were answered, and how many with success."""
    fields = [part for field in ("content-type: application/json", *fields) for part in ("-H", field)]
    address = arguments.pop()
    words = subprocess.run(
        ["h2load", *arguments, "-t1", f"-n{count}", "-d", body, *fields, f"{address}{path}"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=die_with_parent, timeout=60 + count / 50,
    ).stdout  # fmt: skip
    found = [re.search(pattern, words) for pattern in (r"started, (\d+) done", r"status codes: (\d+) 2xx")]
    return tuple(int(one[1]) if one else 0 for one in found)


class Subject:
    """A server, and how it is asked."""

    def __init__(self, suite, name, service, port, contexts, ways, path, fields, body):
        """`ways`: what h2load is told, for each version of HTTP, the address last."""
        self.name, self.service, self.port, self.contexts = name, service, port, contexts
        self.ways, self.path, self.fields = ways, path, fields
        self.body = suite.scratch / f"{name}.body"
        self.body.write_bytes(body)
        self.request = http1.post(path, body, *(tuple(field.split(": ")) for field in fields))
        self.holdings = Holdings(service, suite.scratch / f"{name}.counts")

    def load(self, report, requests, handshakes):
        """Requires that nearly all goes as it should; on a busy machine it may be that many answers are a 503."""
        done, good, sent, went, shaken = 0, 0, 0, [0] * len(KINDS), 0
        while sent < requests or shaken < handshakes:
            piece = min(SLICE, requests - sent)
            for way in self.ways if piece else ():
                results = h2load(list(way), piece // len(self.ways), self.body, self.fields, self.path)
                done, good = done + results[0], good + results[1]
            sent += piece
            piece = min(SLICE_OF_HANDSHAKES, handshakes - shaken)
            if piece:
                results = shake(self.port, self.contexts, self.request, piece)
                went = [a + b for a, b in zip(went, results or went)]
            shaken += piece
            if requests > SLICE:
                held = self.holdings.now()
                report.say(f"{self.name}: {sent} requests and {shaken} handshakes so far; {words(held)}")
        kinds = ", ".join(f"{count} {kind.__name__}" for kind, count in zip(KINDS, went))
        report.require(
            done >= 0.99 * requests and good >= 0.1 * requests,
            f"{self.name}: of {requests} requests {done} are answered, {good} of them with success",
        )
        for kind, count in zip(KINDS, went):
            report.require(
                count >= 0.9 * (handshakes // 3), f"{self.name}: of {handshakes // 3} handshakes {count} are {kind.__name__}"
            )
        return f"{done} requests answered, {good} of them with success; handshakes: {kinds}"


def words(held):
    return ", ".join(f"{name} {mebibytes(count) if name == 'memory' else count}" for name, count in held.items())


def judge(report, subject, requests, handshakes, patience=PATIENCE):
    """What the server has more of afterwards."""
    subject.load(report, max(1000, requests // 20), max(150, handshakes // 50))
    before = subject.holdings.at_rest()
    done = subject.load(report, requests, handshakes)
    after = subject.holdings.at_rest(before, patience)
    report.require(subject.service.is_running, f"{subject.name} has ended")
    report.say(f"{subject.name}: {done}")
    report.say(f"{subject.name}, before: {words(before)}")
    report.say(f"{subject.name}, after:  {words(after)}")
    return grown(before, after, requests + handshakes)


# MARK: The servers


@contextlib.contextmanager
def proxy(suite, behind, name, **environment):
    accepted, never = suite.app_context(), ssl.create_default_context(cafile=suite.authority)
    # A cipher that no listener of ours has.
    never.maximum_version = ssl.TLSVersion.TLSv1_2
    never.set_ciphers("AES128-SHA")
    with Proxy(suite, behind, answers__deadline=100, environment=counted(suite, name) | environment) as service:
        address = f"https://127.0.0.1:{service.port}"
        ways = [["--npn-list=http/1.1", "-c200", address], ["--npn-list=h2", "-c16", "-m50", address]]
        yield Subject(suite, name, service, service.port, (accepted, never), ways, "/version/v1/tan", [], b"x" * 250)


@contextlib.contextmanager
def inner(suite):
    name = "verification-server"
    foreign = suite.app_context(())
    foreign.load_cert_chain(*stranger(suite))
    with Service(suite, name, suite.scratch, environment=counted(suite, name)) as service:
        port = service.ports["app"]
        with tunnel(suite, port, "metadata-proxy") as there:
            # Inner listeners have no HTTP/2.
            ways = [["--h1", "-c64", f"http://127.0.0.1:{there}"]]
            contexts = suite.holder_context("metadata-proxy"), foreign
            # A dummy request: it registers nothing, and asks the database all the same.
            body = json.dumps({"key": fresh_guid(), "keyType": "GUID", "requestPadding": "x" * 100}).encode()
            yield Subject(suite, name, service, port, contexts, ways, "/version/v1/registrationToken", ["cwa-fake: 1"], body)


def counted(suite, name):
    """The environment of a process whose objects are counted."""
    file = suite.scratch / f"{name}.counts"
    file.unlink(missing_ok=True)
    return {"LD_PRELOAD": str(suite.arguments.counts), "VIGIL_COUNTS": str(file)}


def options(parser):
    parser.add_argument("--counts", type=pathlib.Path, required=True, help="what counts.c is built as")
    parser.add_argument("--requests", type=int, required=True, help="to each server")
    parser.add_argument("--handshakes", type=int, required=True, help="with each server")


def main():
    suite = Suite(__doc__.splitlines()[0], options)
    report = Report("leaks")
    arguments = suite.arguments
    with upstream(suite) as port:
        with proxy(suite, port, "control", VIGIL_LOSES="100") as subject:
            found = judge(report, subject, 1000, 150, patience=3)
        report.say(f"control: each hundredth block that OpenSSL frees is lost: {found}")
        report.require("OpenSSL's blocks" in found, "lost blocks of OpenSSL aren't noticed")
        servers = (proxy(suite, port, "metadata-proxy"), inner(suite))
        for place in servers:
            with place as subject:
                for name, count in judge(report, subject, arguments.requests, arguments.handshakes).items():
                    report.require(False, f"{subject.name} holds {count} more of {name} than before")
                for text in subject.service.errors():
                    report.require(False, f"{subject.name}: {text}")
    report.end()


if __name__ == "__main__":
    main()
