"""Runs deploy/smoke.sh against a suite, then with one thing broken at a time: it must stop there and say what is broken.

Arguments: the folder in which it may write, with the suite's in `state`; the folder of the programs; the suite's first port."""

import contextlib
import datetime
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from client.suite import Suite

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "deploy" / "smoke.sh"
# A line of a step that passed: its seconds, and what was seen.
STEP = re.compile(r"^ *\d+\.\d\d s  ", re.MULTILINE)


class Check:
    def __init__(self, scratch, programs, first_port):
        self.scratch, self.programs, port = pathlib.Path(scratch), programs, int(first_port)
        self.suite = Suite(self.scratch / "state", programs)
        self.country = self.suite.configuration["submission-server"]["origin"]
        self.secrets = self.scratch / "secrets"
        self.callers = self.secrets / "callers"
        self.doors = {
            "--apps": f"https://localhost:{port}",
            "--laboratories": f"https://localhost:{port + 20}",
            "--downloads": f"https://localhost:{port + 40}",
            "--portal": f"https://127.0.0.1:{port + 70}",
        }
        self.objections = []
        self.controls = 0

    def lay_out(self):
        """What deploy/secrets.sh makes for callers."""
        shutil.rmtree(self.secrets, ignore_errors=True)
        (self.callers / "lab").mkdir(parents=True)
        for source, target in [
            ("certificates/ca.pem", "ca.pem"),
            ("config/export-signing-public.pem", "export-signing-public.pem"),
            ("certificates/lab.pem", "lab/tls.pem"),
            ("certificates/lab.key", "lab/tls.key"),
        ]:
            shutil.copy(self.suite.state / source, self.callers / target)

    def smoke(self, *options, **doors):
        """How it ended, how many steps passed, and all that it said."""
        addresses = self.doors | {f"--{name}": url for name, url in doors.items()}
        command = ["bash", SCRIPT, "--country", self.country, *(word for pair in addresses.items() for word in pair), *options]
        environment = os.environ | {"VIGIL_PROGRAMS": self.programs, "VIGIL_SECRETS": str(self.secrets)}
        ended = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return ended.returncode, len(STEP.findall(ended.stdout)), ended.stdout

    def passes(self, what, steps, *options):
        ended = self.smoke(*options)
        if ended[:2] == (0, steps) and "its signature is right" in ended[2]:
            print(f"passed: {what}")
        else:
            self.objections.append(f"{what}: ended with {ended[0]} after {ended[1]} steps, not {steps}: {ended[2]}")
        return ended[2]

    def control(self, broken, steps, words, *options, **doors):
        """One thing is broken, before which so many steps pass. $words: what must be said of it."""
        self.controls += 1
        status, passed, said = self.smoke(*options, **doors)
        if (status, passed) == (1, steps) and re.search(f"FAILED: .*{words}", said):
            print(f"said so: {broken}")
        else:
            self.objections.append(f"{broken}: ended with {status} after {passed} steps, not {steps}; it said: {said}")

    # MARK: What is broken

    @contextlib.contextmanager
    def replaced(self, file, content):
        """A file with another content, and then its own again."""
        own = file.read_bytes()
        file.write_bytes(content)
        yield
        file.write_bytes(own)

    @contextlib.contextmanager
    def frozen(self, service):
        """A service that takes connections and answers nothing: the suite would end with one that ends."""
        process = self.suite.process(service)
        os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(process, signal.SIGCONT)

    def expired(self):
        """The laboratory's certificate as it was before it was renewed."""
        own = x509.load_pem_x509_certificate((self.callers / "lab" / "tls.pem").read_bytes())
        authority = serialization.load_pem_private_key((self.suite.certificates / "ca.key").read_bytes(), None)
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = x509.CertificateBuilder(
            own.issuer, own.subject, own.public_key(), x509.random_serial_number(),
            now - datetime.timedelta(days=30), now - datetime.timedelta(days=1))
        for extension in own.extensions:
            builder = builder.add_extension(extension.value, extension.critical)
        return builder.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    @staticmethod
    def another_key():
        public = ec.generate_private_key(ec.SECP256R1()).public_key()
        return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    @staticmethod
    def another_authority():
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "another")])
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(days=1))
        builder = builder.add_extension(x509.BasicConstraints(True, None), True)
        return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    @property
    def countries(self):
        return self.suite.state / "published/version/v1/diagnosis-keys/country"

    @property
    def dates(self):
        return self.countries / self.country / "date"

    @contextlib.contextmanager
    def index(self, folder, content):
        """A folder with nothing but an index, and then its own content again."""
        aside = self.scratch / "aside"
        folder.rename(aside)
        folder.mkdir()
        (folder / "index").write_text(content)
        yield
        shutil.rmtree(folder)
        aside.rename(folder)

    def newest_package(self):
        days = sorted(self.dates.glob("2*"))
        hours = [file for day in days for file in (day / "hour").glob("[0-9]*")]
        return max(hours, key=lambda file: (file.parts[-3], int(file.name)))

    def look_at_logs(self):
        """A suite that has just started warns of no setting that it was given, except of the simulators that it is meant to use."""
        logs = sorted((self.suite.state / "logs").glob("*.log"))
        lines = [line for file in logs for line in file.read_text().splitlines()]
        if not any('"level":"info"' in line for line in lines):
            self.objections.append("the services' logs have no line at all.")
        for line in lines:
            if re.search(r'"level":"(warning|error|critical)"', line) and "for development only" not in line:
                self.objections.append(f"a suite warns of its own settings: {line}")

    def run(self):
        self.look_at_logs()
        self.lay_out()
        said = self.passes("a code is made at the simulated provider", 13, "--simulators", "development-apns")
        for words in ["user officer, password vigil-development", "development-apns: no phone is woken", *self.doors.values()]:
            if words not in said:
                self.objections.append(f"its last lines lack: {words}")
        self.passes("the same once more", 13)
        code = self.suite.teletan()
        self.passes("a code is passed", 12, "--code", code)

        # The provider accepts three sign-ins a minute, so what comes behind that step is passed a code.
        def fresh():
            return "--code", self.suite.teletan()

        with self.index(self.dates, "[]"):
            if "No package yet" not in self.passes("a new suite", 12, *fresh()):
                self.objections.append("it doesn't say that a new suite has no package.")

        nobody = "https://localhost:1"
        lab, authority, key = self.callers / "lab/tls.pem", self.callers / "ca.pem", self.callers / "export-signing-public.pem"
        self.control("nobody is there for laboratories", 0, f"{nobody}.*--laboratories", laboratories=nobody)
        self.control("nobody is there for apps", 1, f"{nobody}.*--apps", apps=nobody)
        self.control("nobody is there for browsers", 5, f"{nobody}.*--portal", portal=nobody)
        self.control("nobody is there for downloads", 9, f"{nobody}.*--downloads", *fresh(), downloads=nobody)
        self.control("apps call another name than the certificate's", 1, "certificate.*--apps",
                     apps=self.doors["--apps"].replace("localhost", "apps.localhost"))
        self.control("the portal is called by another name than its own", 5, "VIGIL_PORTAL_ORIGINS",
                     portal=self.doors["--portal"].replace("127.0.0.1", "localhost"))
        self.control("a code that was redeemed", 6, "code was refused", "--code", code)
        self.control("another country", 4, "VIGIL_ORIGIN: it named FR .--country", "--country", "FR")
        with self.index(self.countries, '["EUR"]'):
            self.control("regions without the country", 11, f"names EUR, and not {self.country}.*VIGIL_REGIONS", *fresh())
        self.control("a laboratory without a certificate", 0, "lab-none/tls", "--lab", "lab-none")
        frozen = {"test-result-server": 0, "verification-server": 1, "submission-server": 4, "development-identity": 5}
        for service, steps in frozen.items():
            with self.frozen(service):
                self.control(f"{service} answers nothing", steps, "time|didn't|no answer")
        with self.replaced(key, self.another_key()):
            self.control("another public key", 9, "No signature.*export-signing-public.pem", *fresh())
        with self.replaced(key, b"no key"):
            self.control("an unreadable public key", 0, "no P-256 public key")
        with self.replaced(lab, self.expired()):
            self.control("an expired certificate of a laboratory", 0, "certificate expired at .*secrets.sh")
        with self.replaced(authority, self.another_authority()):
            self.control("another authority", 0, "certificate.*secrets.sh")
        package = self.newest_package()
        with self.replaced(package, package.read_bytes()[:100]):
            self.control("a package that was cut off", 11, "can't be used", *fresh())
        self.passes("all is whole again", 12, *fresh())

        for objection in self.objections:
            print(f"OBJECTION: {objection}")
        print(f"{self.controls} things were broken, one at a time.")
        sys.exit(1 if self.objections else 0)


Check(*sys.argv[1:]).run()
