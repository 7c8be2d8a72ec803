"""The page as owners of venues use it: from the edge and from a file, in Chromium."""

import contextlib
import os
import pathlib
import re
import socket
import subprocess
import sys
import time

from playwright.sync_api import sync_playwright

from browser.portal import WATCH
from client.server import server

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "deploy/edge/venue.html"
# What an authority sets, as long as it may be in earnest.
SETTINGS = {"authority": "Landesamt für Gesundheit und Verbraucherschutz Musterland", "app": "Musterland warnt",
            "telephone": "0800 123 45 67 89", "host": "warnung.example.de", "imprint": "https://www.example.de/impressum"}
HOST = SETTINGS["host"]
# Chooses, enters and sends.
FILL = """([chosen, values]) => {
    for (const id of chosen) document.getElementById(id).checked = true;
    for (const [id, value] of Object.entries(values)) {
        document.getElementById(id).value = value;
        document.getElementById(id).dispatchEvent(new Event('change', { bubbles: true }));
    }
    document.getElementById('form').requestSubmit();
}"""
# Keeps what printing would have printed: the classes of the page at that moment.
PRINTER = "window.print = () => { window.printedAs = document.documentElement.className }"


class Venue:
    def __init__(self, nginx, scratch, codes, screenshots, report):
        self.nginx, self.scratch, self.codes, self.report = nginx, pathlib.Path(scratch), codes, report
        self.screenshots = pathlib.Path(screenshots) if screenshots else None
        self.violations, self.errors, self.requests = [], [], []
        self.log = self.scratch / "access.log"

    def __enter__(self):
        self.exits = contextlib.ExitStack()
        # A copy as an authority makes it: attributes of `body` aren't part of the policy's digests.
        self.authority = self.scratch / "venue.html"
        text = PAGE.read_text()
        for name, value in SETTINGS.items():
            text, count = re.subn(f'data-{name}=""', f'data-{name}="{value}"', text, count=1)
            if count != 1:
                sys.exit(f"deploy/edge/venue.html has changed: it has no setting {name}.")
        self.authority.write_text(text)
        self.url = self.exits.enter_context(self.edge(PAGE)) + "/venue"
        playwright = self.exits.enter_context(sync_playwright())
        self.chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        self.exits.callback(self.chromium.close)
        return self

    def __exit__(self, *_):
        self.exits.close()

    # MARK: The edge

    @contextlib.contextmanager
    def edge(self, page):
        """nginx with the edge's configuration and a log of requests. Gives its address."""
        with contextlib.ExitStack() as sockets:
            taken = [sockets.enter_context(socket.socket()) for _ in range(2)]
            for each in taken:
                each.bind(("127.0.0.1", 0))
            port, closed = (each.getsockname()[1] for each in taken)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", self.scratch / "tls.key",
                        "-out", self.scratch / "tls.pem"], check=True, capture_output=True)
        text = (ROOT / "deploy/edge/nginx.conf").read_text()
        for here, there in [
            ("/tmp/", f"{self.scratch}/"), ("error_log /dev/null emerg", f"error_log {self.scratch}/error.log warn"),
            ("listen 8040 ", f"listen 127.0.0.1:{port} "), ("127.0.0.1:8049", f"127.0.0.1:{closed}"),
            ("root /published", f"root {self.scratch}"), ("/run/secrets/tls[.]", f"{self.scratch}/tls."),
            ("/run/secrets/ca[.]", f"{self.scratch}/tls."),
            ("/etc/vigil/venue.html", str(page)),
            ("access_log off;", f"log_format heard '$request'; access_log {self.log} heard;"),
        ]:
            if not re.search(here, text):
                sys.exit(f"deploy/edge/nginx.conf has changed: there is no {here!r} in it.")
            text = re.sub(here, there, text)
        configuration = self.scratch / "nginx.conf"
        configuration.write_text(("user root;\n" if os.geteuid() == 0 else "") + text)
        with server([self.nginx, "-e", "stderr", "-c", configuration], port, self.scratch / "output.log"):
            yield f"https://localhost:{port}"

    def heard(self, after=0.5):
        """The requests that reached the edge. nginx writes a line after the answer: half a second is enough."""
        time.sleep(after)
        return self.log.read_text().splitlines() if self.log.exists() else []

    # MARK: Browsers

    @contextlib.contextmanager
    def page(self, address, language="de", watched=True, **options):
        """A page in a browser of its own. Not watched: what its policy forbids is counted by the caller."""
        with contextlib.closing(self.chromium.new_context(ignore_https_errors=True, locale=language, **options)) as context:
            context.set_default_timeout(20_000)
            context.add_init_script(WATCH)
            context.add_init_script(PRINTER)
            context.on("request", lambda request: self.requests.append(request.url))
            if watched:
                context.on("console", self._heard)
            context.on("weberror", lambda error: self.errors.append(str(error.error)[:200]))
            page = context.new_page()
            page.goto(address)
            yield page

    def _heard(self, message):
        if message.text.startswith("POLICY ") or "Content Security Policy" in message.text:
            self.violations.append(message.text[:200])

    @staticmethod
    def make(page, name="Café Sonnenschein", time="days", app="own", paper="A4", count=2, language="de"):
        """Fills in the form and sends it, in one step; the check of barriers does it by keys. Returns the links of the posters."""
        page.evaluate(FILL, [[f"time-{time}", f"app-{app}", f"paper-{paper.lower()}"],
                             {"name": name, "count": str(count), "address": "Marktplatz 1, 01234 Musterstadt", "host": HOST,
                              "poster-language": language}])
        return page.locator("#notes code").all_inner_texts()

    def picture(self, page, name):
        if self.screenshots:
            page.screenshot(path=self.screenshots / f"{name}.png", full_page=True)

    def read(self, *images):
        """What zbar reads in pictures, each of which has one code."""
        said = subprocess.run(["zbarimg", "--quiet", "--raw", "-S*.disable", "-Sqrcode.enable", *images], capture_output=True, text=True)
        return said.stdout.splitlines()
