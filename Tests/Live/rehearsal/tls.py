"""Holds every TLS listener of the containers against testssl.sh and Mozilla's recommendations.

Standard input has a line for each: name, port, kind, certificate, address. The kind is `public` (TLS 1.2 and 1.3, for
anybody), `mutual` or `postgres` (TLS 1.3); the certificate is the path, without `.pem` and `.key`, of one that the
listener takes, or `-`.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "hostile"))

import sslyze
from sslyze.mozilla_tls_profile.tls_config_checker import TlsConfigurationEnum

import scanners
from scanners import SECTIONS, compliance, serious, testssl

ACCEPTED = scanners.ACCEPTED | {
    "secure_client_renego": "testssl.sh judges by how its client ended, which varies where the server closes at once; "
    "sslyze counts, and any renegotiation is an objection of its"
}


def openssl(scratch, certificate):
    """A program for testssl.sh, which has no option for a certificate of its own. Where one is demanded, and it hears so soon
    enough, it would take the listener for one that doesn't speak TLS."""
    program = scratch / "openssl"
    program.write_text(
        '#!/bin/sh\n[ "$1" = s_client ] || exec /usr/bin/openssl "$@"\nshift\n'
        f'exec /usr/bin/openssl s_client -cert "{certificate}.pem" -key "{certificate}.key" "$@"\n'
    )
    program.chmod(0o755)
    return program


def findings(scratch, authority, name, port, kind, certificate, address):
    options = [*SECTIONS, "--ip", address] + (["-t", "postgres"] if kind == "postgres" else [])
    if certificate != "-":
        options += ["--openssl", openssl(scratch, certificate)]
    # A WARN says that it couldn't look.
    for _ in range(3):
        found = testssl(scratch, authority, f"{name}:{port}", options)
        unseen = {finding["id"] for finding in found if finding["severity"] == "WARN"} - set(ACCEPTED)
        if len(found) >= 50 and not unseen:
            break
    if len(found) < 50:
        yield "testssl.sh", "few", f"only {len(found)} findings"
    for about, text in serious(found).items():
        yield "testssl.sh", about, text
    location = sslyze.ServerNetworkLocation(hostname=name, ip_address=address, port=int(port))
    wanted = TlsConfigurationEnum.MOZILLA_INTERMEDIATE if kind == "public" else TlsConfigurationEnum.MOZILLA_MODERN
    network = sslyze.ServerNetworkConfiguration(
        tls_server_name_indication=name,
        tls_opportunistic_encryption=sslyze.ProtocolWithOpportunisticTlsEnum.POSTGRES if kind == "postgres" else None,
        tls_client_auth_credentials=None
        if certificate == "-"
        else sslyze.ClientAuthenticationCredentials(
            certificate_chain_path=pathlib.Path(certificate + ".pem"), key_path=pathlib.Path(certificate + ".key")
        ),
    )
    for about, text in compliance(authority, location, wanted, network).items():
        yield "sslyze", about, text


def main():
    scratch, authority = map(pathlib.Path, sys.argv[1:])
    objections = 0
    for line in sys.stdin:
        name, port, kind, certificate, address = line.split()[:5]
        for scanner, about, text in findings(scratch, authority, name, port, kind, certificate, address):
            objections += about not in ACCEPTED
            verdict = f"stands, because {ACCEPTED[about]}" if about in ACCEPTED else "OBJECTION"
            print(f"{scanner}: {name}:{port}: {about}: {text}; {verdict}", flush=True)
        print(f"{name}:{port}: scanned", flush=True)
    sys.exit(1 if objections else 0)


main()
