"""What every hostile check uses: its arguments, the suite beside it, its proxies, and its report."""

import argparse
import pathlib
import ssl
import sys
import time

import client.proxy
import client.suite


class Suite(client.suite.Suite):
    """The suite beside the check, and the arguments that Tests/Live/hostile.sh gives each."""

    def __init__(self, description, options=None):
        """`options`: adds further ones to the parser; they are then in `arguments`."""
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--state", type=pathlib.Path, required=True, help="the suite's state folder")
        parser.add_argument("--programs", type=pathlib.Path, required=True, help="where the executables are")
        parser.add_argument("--scratch", type=pathlib.Path, required=True, help="for files that the check makes")
        parser.add_argument("--nginx", default="/usr/sbin/nginx", help="the program, for controls")
        parser.add_argument("--haproxy", default="/usr/sbin/haproxy", help="the program")
        parser.add_argument("--long", action="store_true", help="more of everything")
        parser.add_argument("--only", default="", help="cases whose name contains this; all by default")
        if options:
            options(parser)
        self.arguments = arguments = parser.parse_args()
        super().__init__(arguments.state, arguments.programs)
        self.scratch, self.nginx, self.haproxy = arguments.scratch, arguments.nginx, arguments.haproxy
        self.root = pathlib.Path(__file__).resolve().parents[3]
        self.long, self.only = arguments.long, arguments.only
        self.files = client.proxy.raise_file_limit()

    def inner_context(self):
        """As the services serve: TLS 1.3, with a certificate of their authority, and for holders of one only."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.load_cert_chain(*self.certificate("verification-server"))
        context.load_verify_locations(self.authority)
        context.verify_mode = ssl.CERT_REQUIRED
        return context

    def public_context(self, protocols=("http/1.1",)):
        """As the proxy serves apps, for the servers that serve as controls."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.certificate("public"))
        context.set_alpn_protocols(list(protocols))
        return context


ATTEMPTS = 3


class Proxy(client.proxy.Proxy):
    """A proxy of the check's own, whose limits a check meets only if it sets them."""

    def __init__(self, suite, upstream, **changes):
        """`upstream`: the port of the server that takes the place of all services."""
        defaults = {
            # All come from one address here.
            "limits__requests": 10_000_000,
            "limits__registrations": 10_000_000,
            "limits__refusedRegistrations": 10_000_000,
            "limits__pushRegistrations": 10_000_000,
            "limits__donations": 10_000_000,
            "limits__further": 10_000_000,
            "limits__connections": 1_000_000,
            # As it is by default: at eight times that an answer is a 503.
            "answers__deadline": 250,
        }
        super().__init__(suite, [upstream] * 5, suite.scratch, **defaults | changes)


class Report:
    """Collects what a check objects to; with objections it ends with status 1."""

    def __init__(self, check):
        self.check = check
        self.objections = []
        # Objections of a measurement that is under way: somebody had to wait too long.
        self._late = []
        self.start = time.monotonic()

    def say(self, text):
        print(f"{self.check}: {text}", flush=True)

    def require(self, fact, text):
        """An objection unless `fact`; returns it."""
        if not fact:
            self.objections.append(text)
            print(f"{self.check}: OBJECTION: {text}", file=sys.stderr, flush=True)
        return fact

    def require_soon(self, fact, text):
        """The same, where `fact` is about how soon something happens: see `in_time`."""
        if not fact:
            self._late.append(text)
        return fact

    def in_time(self, measure):
        """Measures up to three times, until everything that `require_soon` asks for happens soon enough.

        Other programs on the machine can only delay it. A proxy that lets others wait does so each time.
        """
        for _ in range(ATTEMPTS):
            self._late = []
            measure()
            if not self._late:
                return
            self.say(f"too late: {'; '.join(self._late)}")
        for text in self._late:
            self.require(False, f"{text}, in each of {ATTEMPTS} attempts")

    def end(self):
        if self.objections:
            raise SystemExit(f"{self.check}: {len(self.objections)} objections, see above.")
        self.say(f"survived, in {time.monotonic() - self.start:.0f} seconds.")


def mebibytes(count):
    return f"{count / (1 << 20):.1f} MiB"
