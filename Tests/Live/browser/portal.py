"""The portal as officers see it: a browser, people who sign in, and what the database says afterwards."""

import contextlib
import http.client
import json
import pathlib
import re
import subprocess
import urllib.request
import zoneinfo

from playwright.sync_api import sync_playwright

from client.suite import Suite

# The log-in names of development-identity.
OFFICER, EVENT_OFFICER, ANALYST, OPERATOR, VISITOR = "officer", "event-officer", "analyst", "operator", "visitor"
TRACER, APPROVER = "tracer", "approver"
HOSTILE, ENDLESS = "hostile", "endless"
PASSWORD = "vigil-development"
# Another site: the browser takes it for a host of its own, since no part of its name is the portal's.
OTHER_SITE = "other-site.test"
# Tells of each violation of a page's policy.
WATCH = "addEventListener('securitypolicyviolation', e => console.warn('POLICY ' + e.violatedDirective + ' ' + e.blockedURI))"


class Report:
    def __init__(self):
        self.held = self.problems = 0

    def expect(self, holds, text):
        """Prints what doesn't hold."""
        if holds:
            self.held += 1
        else:
            self.problems += 1
            print(f"OBJECTION: {text}", flush=True)
        return holds


class Portal:
    def __init__(self, scratch, programs, screenshots, report):
        self.scratch = pathlib.Path(scratch)
        self.suite = Suite(self.scratch / "state", programs)
        self.screenshots = pathlib.Path(screenshots) if screenshots else None
        self.report = report
        self.url = self.suite.configuration["health-portal"]["origins"]
        self.provider = self.suite.configuration["development-identity"]["issuer"]
        self.zone = zoneinfo.ZoneInfo(self.suite.configuration["health-portal"]["statistics"]["timeZone"])
        self.control = f"http://127.0.0.1:{self.suite.port('development-identity', 'control')}"
        self.violations, self.errors = [], []

    def __enter__(self):
        self.playwright = sync_playwright().start()
        self.chromium = self.playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", f"--host-resolver-rules=MAP {OTHER_SITE} 127.0.0.1"])
        return self

    def __exit__(self, *_):
        self.chromium.close()
        self.playwright.stop()

    # MARK: Browsers

    @contextlib.contextmanager
    def browser(self, language="de", **options):
        """A browser of its own, with no cookies."""
        context = self.chromium.new_context(ignore_https_errors=True, locale=language, **options)
        context.set_default_timeout(20_000)
        context.add_init_script(WATCH)
        context.on("console", self._heard)
        context.on("weberror", lambda error: self.errors.append(str(error.error)[:200]))
        try:
            yield context
        finally:
            context.close()

    def _heard(self, message):
        if message.text.startswith("POLICY ") or "Content Security Policy" in message.text:
            self.violations.append(message.text[:200])

    @contextlib.contextmanager
    def officer(self, user=OFFICER, language="de", **options):
        """A page of somebody who has signed in."""
        with self.browser(language, **options) as context:
            page = context.new_page()
            self.sign_in(page, user)
            yield page

    def sign_in(self, page, user=OFFICER):
        """Through the portal and the provider's two forms, back to the portal."""
        page.goto(self.url + "/login")
        # The provider remembers who has signed in before in this browser, and asks nothing.
        if page.url.startswith(self.provider):
            page.fill("#user", user)
            page.fill("#password", PASSWORD)
            page.click("button")
            page.fill("#code", self.one_time_code(user))
            page.click("button")
        page.wait_for_url(self.url + "/**")

    def make(self, page, kind="TEST"):
        """Presses a form's button, and returns the code that is shown then. TRAINING: one for practice."""
        page.goto(self.url + ("/codes?training=1" if kind == "TRAINING" else "/codes"))
        kind = "TEST" if kind == "TRAINING" else kind
        if kind == "EVENT":
            page.select_option("#authority", index=1)
        page.click(f"form:has(input[value={kind}]) button")
        page.wait_for_url(self.url + "/codes/current")
        return self.shown(page)

    @staticmethod
    def shown(page):
        """The code on the page; an empty text if none is shown."""
        return "".join(page.locator(".code .character").all_inner_texts())

    def picture(self, page, name):
        if self.screenshots:
            page.screenshot(path=self.screenshots / f"{name}.png", full_page=True)

    # MARK: The provider

    def _instruct(self, operation, **members):
        request = urllib.request.Request(
            f"{self.control}/version/v1/{operation}", json.dumps(members).encode(), {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def one_time_code(self, user):
        # The checks sign the same person in more often than an authenticator app has new codes.
        return self._instruct("one-time-code", user=user, forgetsUsed=True)["code"]

    def end_sessions(self, user):
        """As an administrator of the provider would."""
        return self._instruct("end-sessions", user=user)

    def behave(self, kind, **members):
        self._instruct("behaviour", kind=kind, **members)

    # MARK: What the rest of the suite says

    @property
    def owner(self):
        """How the owner of all tables connects."""
        return (f"host={self.suite.state}/postgres/socket port=5432 dbname=vigil user=vigil_owner "
                f"passfile={self.suite.state}/secrets/pgpass-owner")

    def codes_made(self):
        """How many teleTANs are stored."""
        connection = self.suite.configuration["verification-server"]["postgres"]["connection"]
        command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1", connection]
        asked = subprocess.run(
            command, input="SELECT count(*) FROM verification.tele_tan", text=True, capture_output=True, check=True)
        return int(asked.stdout)

    def redeem(self, code):
        """As a phone, through the metadata proxy. Returns the status."""
        connection = http.client.HTTPSConnection(
            "localhost", self.suite.port("metadata-proxy"), timeout=30, context=self.suite.app_context())
        try:
            body = json.dumps({"key": code, "keyType": "TELETAN"}).encode()
            connection.request("POST", "/version/v1/registrationToken", body,
                               {"content-type": "application/json", "cwa-fake": "0"})
            return connection.getresponse().status
        finally:
            connection.close()


def everywhere(page):
    """All that a page leaves in the browser besides its text: title, address, history and storage."""
    return page.evaluate("""() => [document.title, location.href, JSON.stringify(history.state),
        JSON.stringify({...localStorage}), JSON.stringify({...sessionStorage})].join(' ')""")


def contains_code(text, code):
    """Whether a code's characters follow each other, whatever stands between them."""
    return re.search(r"\W*".join(code), text) is not None
