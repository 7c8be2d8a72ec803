"""Secrets: what cert-manager would make of each Certificate, and what the commands of deploy/kubernetes/README.md make."""

import datetime
import ipaddress
import pathlib
import re
import shlex

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

USAGES = {"server auth": x509.ExtendedKeyUsageOID.SERVER_AUTH, "client auth": x509.ExtendedKeyUsageOID.CLIENT_AUTH}
ENCODINGS = {
    "PKCS1": serialization.PrivateFormat.TraditionalOpenSSL,
    "PKCS8": serialization.PrivateFormat.PKCS8,
}


def duration(text):
    """A duration in hours, which is how the manifests write it."""
    return datetime.timedelta(hours=int(re.fullmatch(r"(\d+)h", text)[1]))


class Secrets:
    """The files of each Secret, by its name."""

    def __init__(self, manifests):
        self._manifests = manifests
        self._files = {}

    def __getitem__(self, name):
        return self._files[name]

    def values(self):
        """Every private value, as bytes."""
        for name, files in self._files.items():
            for key, content in files.items():
                if key not in ("tls.crt", "ca.crt"):
                    yield name, key, content

    def issue_all(self):
        """Issues every Certificate, an authority's before those that it signs."""
        waiting = list(self._manifests.of("Certificate"))
        while waiting:
            signed = [one for one in waiting if self._is_ready(one)]
            if not signed:
                raise SystemExit(f"No issuer of {[one['metadata']['name'] for one in waiting]} has a certificate.")
            for one in signed:
                self.issue(one["spec"])
            waiting = [one for one in waiting if one not in signed]

    def _is_ready(self, certificate):
        issuer = self._issuer(certificate["spec"])
        return "selfSigned" in issuer or issuer["ca"]["secretName"] in self._files

    def _issuer(self, spec):
        # The public one isn't in the cluster.
        name = spec["issuerRef"]["name"]
        if name == "public":
            return {"ca": {"secretName": "public-authority"}}
        return self._manifests.get("Issuer", name)["spec"]

    def issue(self, spec):
        """Issues a certificate with a new key into the Secret that it names. What isn't known here fails."""
        key_wanted = spec["privateKey"]
        if (key_wanted["algorithm"], key_wanted["size"]) != ("ECDSA", 256):
            raise SystemExit(f"{spec['secretName']}: only ECDSA with 256 bits is known here.")
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, spec["commonName"])] if "commonName" in spec else [])
        issuer = self._issuer(spec)
        if "selfSigned" in issuer:
            authority, signer, authority_name = None, key, name
        else:
            files = self._files[issuer["ca"]["secretName"]]
            authority = files["tls.crt"]
            signer = serialization.load_pem_private_key(files["tls.key"], None)
            authority_name = x509.load_pem_x509_certificate(authority).subject
        now = datetime.datetime.now(datetime.timezone.utc)
        alternatives = [x509.DNSName(one) for one in spec.get("dnsNames", [])]
        alternatives += [x509.UniformResourceIdentifier(one) for one in spec.get("uris", [])]
        alternatives += [x509.IPAddress(ipaddress.ip_address(one)) for one in spec.get("ipAddresses", [])]
        is_authority = spec.get("isCA", False)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(authority_name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now)
            .not_valid_after(now + duration(spec["duration"]))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .add_extension(
                x509.KeyUsage(True, False, False, False, False, is_authority, False, False, False), critical=True
            )
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
        )
        if alternatives:
            # RFC 5280: critical if there is no subject.
            builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical="commonName" not in spec)
        if is_authority:
            identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
            builder = builder.add_extension(identifier, critical=False)
        extended = [USAGES[one] for one in spec.get("usages", []) if one in USAGES]
        if extended:
            builder = builder.add_extension(x509.ExtendedKeyUsage(extended), critical=False)
        certificate = builder.sign(signer, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        encoding = ENCODINGS[key_wanted.get("encoding", "PKCS1")]
        private = key.private_bytes(serialization.Encoding.PEM, encoding, serialization.NoEncryption())
        self._files[spec["secretName"]] = {"tls.crt": certificate, "tls.key": private, "ca.crt": authority or certificate}

    def issue_public(self, secret, name):
        """Issues what a public authority would: a certificate for a door."""
        self.issue(
            {
                "secretName": secret, "issuerRef": {"name": "public"}, "duration": "2160h", "dnsNames": [name],
                "privateKey": {"algorithm": "ECDSA", "size": 256}, "usages": ["server auth"],
            }
        )  # fmt: skip

    def read_commands(self, readme, folder, others):
        """Carries out each `kubectl create secret` of a document whose Secret a pod reads.

        `folder` has what deploy/secrets.sh made, and `others` the paths of what an operator has from elsewhere.
        """
        text = pathlib.Path(readme).read_text().replace("\\\n", " ")
        commands = re.findall(r"^ *kubectl -n vigil create secret generic .*$", text, re.MULTILINE)
        wanted = {
            source["secret"]["name"]
            for workload in self._manifests.workloads()
            for volume in workload.spec.get("volumes", [])
            for source in volume.get("projected", {}).get("sources", [])
            if "secret" in source
        }
        done = 0
        for command in commands:
            name, *options = shlex.split(command)[6:]
            # The others are for components.
            if name not in wanted:
                continue
            done += 1
            files = {}
            for option in options:
                source = option.removeprefix("--from-file=")
                key, _, path = source.rpartition("=")
                path = pathlib.Path(others.get(path) or path.replace("$f", str(folder)))
                files[key or path.name] = path.read_bytes()
            self._files[name] = files
        return done
