"""What testssl.sh, sslyze and resuming clients find wrong with TLS, towards apps and between services.

Controls: testssl.sh must find old protocols where they are spoken, sslyze TLS 1.2 where only 1.3 should be, and a client
a ticket where tickets are given.
"""

import contextlib
import ssl
import subprocess
import time

import sslyze
from sslyze.mozilla_tls_profile.tls_config_checker import TlsConfigurationEnum

import naive
from check import Proxy, Report, Suite
from client import http1
from client.proxy import die_with_parent, free_port
from scanners import ACCEPTED, compliance, serious, testssl
from upstream import Upstream


@contextlib.contextmanager
def old_server(suite):
    """OpenSSL's server with obsolete protocols and ciphers."""
    port = free_port()
    process = subprocess.Popen(
        ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-quiet", "-www", "-min_protocol", "TLSv1",
         "-cipher", "ALL:@SECLEVEL=0", "-cert", suite.certificates / "public.pem",
         "-key", suite.certificates / "public.key"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent,
    )  # fmt: skip
    time.sleep(1)
    try:
        yield port
    finally:
        process.kill()
        process.wait()


def modern(suite, port):
    """What keeps a listener of the suite from Mozilla's modern configuration."""
    location = sslyze.ServerNetworkLocation(hostname="localhost", ip_address="127.0.0.1", port=port)
    return compliance(suite.authority, location, TlsConfigurationEnum.MOZILLA_MODERN)


def resumption(suite, port, version):
    """What a client gets that tries to resume; a resumed session would link its connections."""
    found = []
    context = suite.app_context()
    context.minimum_version = context.maximum_version = version
    session = None
    for _ in range(2):
        with http1.connect(port, context, session=session) as connection:
            connection.sendall(http1.post("/version/v1/tan", b"resume"))
            # Tickets of TLS 1.3 come with the first bytes.
            http1.Reader(connection).answer(5)
            session = connection.session
            if connection.session_reused:
                found.append("a session is resumed")
            if session and session.has_ticket:
                found.append("a ticket is given")
    return found


def main():
    suite = Suite(__doc__.splitlines()[0])
    report = Report("tls")
    versions = {"TLS 1.2": ssl.TLSVersion.TLSv1_2, "TLS 1.3": ssl.TLSVersion.TLSv1_3}
    with Upstream(suite) as upstream, Proxy(suite, upstream.port) as proxy:
        findings = testssl(suite.scratch, suite.authority, f"127.0.0.1:{proxy.port}")
        report.require(len(findings) > 50, f"testssl.sh has only {len(findings)} findings")
        for name, text in serious(findings).items():
            if report.require(name in ACCEPTED, f"testssl.sh: {name}: {text}"):
                report.say(f"testssl.sh: {name}: {text}; stands, because {ACCEPTED[name]}")
        report.say(f"testssl.sh: {len(findings)} findings")
        for name, version in versions.items():
            found = resumption(suite, proxy.port, version)
            report.require(not found, f"{name}: {', '.join(found)}")
        report.require(proxy.is_running, "the proxy's process has ended")
        for text in proxy.errors():
            report.require(False, text)
    for service, listener in (("verification-server", "app"), ("submission-server", "listen")):
        for name, text in modern(suite, suite.port(service, listener)).items():
            if report.require(name in ACCEPTED, f"sslyze: {service}: {name}: {text}"):
                report.say(f"sslyze: {service}: {name}: {text} Stands, because {ACCEPTED[name]}")
    report.say("sslyze: the inner listeners have Mozilla's modern configuration")

    with old_server(suite) as port:
        found = serious(testssl(suite.scratch, suite.authority, f"127.0.0.1:{port}", ["-p"]))
        report.say(f"control: testssl.sh finds {', '.join(found)} in a server with old protocols")
        report.require({"TLS1", "TLS1_1"} & set(found), "testssl.sh doesn't see TLS 1.0 and 1.1")
        found = modern(suite, port)
        report.require("tls_versions" in found, f"sslyze doesn't see TLS 1.0 to 1.2, but {found}")
    with naive.keeping_sessions(suite) as port:
        for name, version in versions.items():
            found = resumption(suite, port, version)
            report.say(f"control: {name}: {', '.join(found)}")
            report.require(found, f"{name}: a server that resumes sessions isn't seen to")
    report.end()


if __name__ == "__main__":
    main()
