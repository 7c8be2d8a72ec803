"""testssl.sh and sslyze: what they find wrong with a server's TLS.

What may stand stands in `ACCEPTED`, with the reason.
"""

import json
import shutil
import subprocess
import warnings

# sslyze's own lists of authorities have old certificates in them.
warnings.simplefilter("ignore")

import sslyze
from sslyze.mozilla_tls_profile.tls_config_checker import (
    MozillaTlsConfiguration,
    ServerNotCompliantWithTlsConfiguration,
    check_server_against_tls_configuration,
)

from client.proxy import die_with_parent

# Findings of testssl.sh but INFO and OK, and of sslyze, that may stand: because …
ACCEPTED = {
    "cert_revocation": "`vigil-dev up` makes its own authority; a public one adds the addresses of its lists",
    "cert_ocspRevoked": "the same",
    "engine_problem": "it is about the scanner's own OpenSSL",
    "maximum_certificate_lifespan": "`vigil-dev up` makes them for a year; who has an authority of their own decides",
}
# TLS 1.0 is LOW for testssl.sh.
SERIOUS = {"LOW", "MEDIUM", "HIGH", "CRITICAL", "WARN", "FATAL"}
# Protocols, standard cipher lists, forward secrecy, server's preference, certificate, vulnerabilities.
SECTIONS = ["-p", "-s", "-f", "-P", "-S", "-U"]


def testssl(scratch, authority, target, options=SECTIONS):
    """All findings. `target` is host:port."""
    program = shutil.which("testssl") or shutil.which("testssl.sh")
    file = scratch / "testssl.json"
    file.unlink(missing_ok=True)
    done = subprocess.run(
        [program, "--quiet", "--warnings", "batch", "--color", "0", "--nodns", "none", "--add-ca", authority,
         "--jsonfile", file, *options, target],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=600, cwd=scratch,
        preexec_fn=die_with_parent,
    )  # fmt: skip
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError):
        raise SystemExit(f"testssl.sh says nothing: {done.stdout[-500:]}")


def serious(findings):
    return {
        finding["id"]: f"{finding['severity']}, {finding['finding']}"
        for finding in findings
        if finding["severity"] in SERIOUS
    }


def compliance(authority, location, wanted, network=None):
    """What keeps the server at a location from a configuration of Mozilla's: by what it is about."""
    commands = set(sslyze.ScanCommand) - {sslyze.ScanCommand.HTTP_HEADERS}
    extra = sslyze.ScanCommandsExtraArguments(
        certificate_info=sslyze.CertificateInfoExtraArgument(custom_ca_file=authority)
    )
    scanner = sslyze.Scanner()
    scanner.queue_scans(
        [
            sslyze.ServerScanRequest(
                server_location=location,
                network_configuration=network,
                scan_commands=commands,
                scan_commands_extra_arguments=extra,
            )
        ]
    )
    result = next(iter(scanner.get_results()))
    if result.scan_status != sslyze.ServerScanStatusEnum.COMPLETED:
        return {"connectivity": str(result.connectivity_error_trace)[-300:]}
    chain = result.scan_result.certificate_info.result.certificate_deployments[0]
    issues = {} if chain.verified_certificate_chain else {"chain": "the authority's certificate doesn't verify it"}
    renegotiations = result.scan_result.session_renegotiation.result.client_renegotiations_success_count
    if renegotiations:
        issues["client_renegotiation"] = f"a client could renegotiate {renegotiations} times"
    try:
        check_server_against_tls_configuration(result, MozillaTlsConfiguration.get(wanted))
        return issues
    except ServerNotCompliantWithTlsConfiguration as problem:
        return issues | problem.issues
