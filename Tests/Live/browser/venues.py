"""Venues: a tracer enters one by its poster, whose secret stays in the browser; a second person compares, approves and revokes."""

import base64
import datetime
import hashlib
import hmac
import json
import re
import secrets
import subprocess
import time
import urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from playwright.sync_api import expect

from browser.pages import Pages, valid_html
from browser.portal import APPROVER, OFFICER, TRACER

NUMBER = "9429300000007"
PLACE = "Café „Zum <b>Ochsen</b>“"
# Reads codes as browsers with a camera do; a device that has none gives this one.
CAMERA = """
window.BarcodeDetector = class { async detect() { return [{rawValue: 'https://example.org/'}, {rawValue: window.posterOfTest}]; } };
if (navigator.mediaDevices) navigator.mediaDevices.getUserMedia = async () => document.createElement('canvas').captureStream();
HTMLVideoElement.prototype.play = async () => {};
"""


def poster(seed):
    """The link in a venue's code."""
    payload = bytes([1]) + seed + PLACE.encode()
    return "https://venues.example.org/venue#v1." + base64.urlsafe_b64encode(payload).decode().rstrip("=")


def tag_of(seed, day):
    """The tag of a venue on a day, computed by other programs than the browser and the suite."""
    keys = HKDF(hashes.SHA256(), 64, None, b"EN-VenueCheckIn-v1").derive(seed)
    return hmac.new(keys[32:], b"venue-event" + day.to_bytes(4, "big"), hashlib.sha256).hexdigest()


def spellings(seed):
    """Every form in which a secret could leave the browser."""
    return [seed.hex(), base64.b64encode(seed)[:40].decode(), base64.urlsafe_b64encode(seed)[:40].decode(),
            poster(seed).split("v1.")[1], urllib.parse.quote(base64.b64encode(seed)[:40].decode())]


class Events:
    def __init__(self, portal):
        self.portal = portal
        # The story has made some.
        self.earlier = self.all()

    def rows(self):
        """The entries of this check: tags in hexadecimal digits, first interval, last interval, state; the newest first."""
        return [row for row in self.all() if row not in self.earlier]

    def all(self):
        asked = subprocess.run(
            ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1", self.portal.owner],
            input="SELECT json_agg(json_build_array((SELECT json_agg(encode(t, 'hex')) FROM unnest(tags) AS t), start_interval,"
                  " end_interval, state) ORDER BY xmin::text::bigint DESC) FROM venues.event",
            text=True, capture_output=True, check=True)
        return json.loads(asked.stdout.strip() or "null") or []

    def dump(self):
        """Everything in the tables that the portal has."""
        asked = subprocess.run(
            ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", self.portal.owner],
            input="SELECT e::text FROM venues.event AS e UNION ALL SELECT s::text FROM health_portal.session AS s",
            text=True, capture_output=True, check=True)
        return asked.stdout


def local(portal, moment):
    return moment.astimezone(portal.zone).strftime("%Y-%m-%dT%H:%M")


def window(hours_ago, hours):
    """Two moments on the grid."""
    start = datetime.datetime.now(datetime.timezone.utc).replace(minute=0, second=0, microsecond=0)
    start -= datetime.timedelta(hours=hours_ago)
    return start, start + datetime.timedelta(hours=hours)


def fill(page, portal, start, end, poster_link=None, number=None):
    page.goto(portal.url + "/venues/new")
    if poster_link:
        page.fill("#poster", poster_link)
    if number:
        page.fill("#number", number)
    page.fill("#start", local(portal, start))
    page.fill("#end", local(portal, end))
    page.select_option("#severity", "test")
    page.select_option("#message", "take-test")


def run(portal, report):
    events = Events(portal)
    seed = secrets.token_bytes(32)
    entering(portal, report, events, seed)
    deciding(portal, report, events, seed)
    camera(portal, report, events)
    numbers(portal, report, events)
    looks(portal, report)
    published(portal, report, events)


def entering(portal, report, events, seed):
    heard = []
    # A day and a night ago, so that it lies over midnight by UTC.
    midnight = window(0, 0)[0].replace(hour=0) - datetime.timedelta(days=1)
    start, end = midnight - datetime.timedelta(hours=2), midnight + datetime.timedelta(hours=1, minutes=30)
    with portal.officer(TRACER, "en") as page:
        page.context.on("request", lambda request: heard.append(
            f"{request.url} {json.dumps(request.all_headers())} {request.post_data or ''}"))
        fill(page, portal, start, end, poster(seed))
        report.expect(PLACE in page.inner_text("#place"), f"the page says which place it is: {page.inner_text('#place')}")
        report.expect(page.is_hidden("#unscripted"), "with scripts the page doesn't say that it needs some")
        page.fill("#poster", "https://venues.example.org/venue#v1.AAAA")
        page.click("form#venue button.primary")
        report.expect(page.url.endswith("/venues/new") and "no poster" in page.inner_text("#place"), "what is no poster isn't sent")
        page.fill("#poster", poster(seed))
        # Twice at once.
        page.evaluate("""() => { const b = document.querySelector('form#venue button.primary'); b.click(); b.click(); }""")
        page.wait_for_url(portal.url + "/venues")
        rows = events.rows()
        days = [int(moment.timestamp()) // 86400 for moment in (start, end)]
        report.expect(len(rows) == 1, f"a double click makes one entry: {len(rows)}")
        report.expect(rows[0][0] == [tag_of(seed, day) for day in days], "its tags are those that Python computes, one for each day")
        report.expect(rows[0][1:] == [int(start.timestamp()) // 600, int(end.timestamp()) // 600, 0], f"its times are right: {rows[0]}")
        report.expect(page.locator("button", has_text="Approve").count() == 0, "the author can't approve it")
        posts = [text for text in heard if "/venues " in text or "tags=" in text]
        report.expect(any(tag_of(seed, days[0]) in text for text in posts), "the control: tags are in what was sent")
        left = page.evaluate("() => [document.title, location.href, JSON.stringify({...localStorage}), JSON.stringify({...sessionStorage})].join(' ')")
        logs = "".join(file.read_text(errors="replace") for file in (portal.suite.state / "logs").glob("*.log"))
        for spelling in spellings(seed):
            report.expect(not any(spelling in text for text in heard), "no request has the secret of the poster")
            report.expect(spelling not in left, "nothing in the browser keeps it")
            report.expect(spelling not in events.dump() and spelling not in logs, "no table and no log has it")


def deciding(portal, report, events, seed):
    with portal.officer(APPROVER, "en") as page:
        heard = []
        page.context.on("request", lambda request: heard.append(f"{request.url} {request.post_data or ''}"))
        page.goto(portal.url + "/venues")
        page.fill("#compared", poster(secrets.token_bytes(32)))
        expect(page.locator("#matches")).to_have_text(re.compile(r": 0$"))
        page.fill("#compared", poster(seed))
        expect(page.locator("#matches")).to_have_text(re.compile(r": 1$"))
        report.expect(page.locator(".match:visible").count() == 1, "the entry of the poster is marked")
        # Every request until here: comparing sends nothing.
        report.expect(not any(spelling in text for text in heard for spelling in spellings(seed)), "comparing sends nothing of the poster")
        page.click("button:has-text('Approve')")
        page.wait_for_load_state()
        report.expect([row[3] for row in events.rows()] == [1], "one click approves")
        report.expect("approved" in page.inner_text("table"), "and the list says so")
        page.go_back()
        page.reload()
        report.expect([row[3] for row in events.rows()] == [1], "Back and reload change nothing")


def camera(portal, report, events):
    seed = secrets.token_bytes(32)
    start, end = window(5, 1)
    with portal.browser("en") as context:
        context.add_init_script(CAMERA)
        page = context.new_page()
        portal.sign_in(page, TRACER)
        page.goto(portal.url + "/venues/new")
        page.evaluate("link => { window.posterOfTest = link }", poster(seed))
        page.click("#camera")
        expect(page.locator("#poster")).to_have_value(poster(seed))
        report.expect("Ochsen" in page.inner_text("#place"), "the camera reads a poster, and no other code")
        report.expect(page.locator("video").count() == 0, "and is off afterwards")
        page.fill("#start", local(portal, start))
        page.fill("#end", local(portal, end))
        page.click("form#venue button.primary")
        page.wait_for_url(portal.url + "/venues")
        report.expect(any(row[0] == [tag_of(seed, int(start.timestamp()) // 86400)] for row in events.rows()),
                      "an entry of one day has the tag of that day")
    with portal.officer(TRACER) as page:
        page.goto(portal.url + "/venues/new")
        report.expect(page.is_hidden("#camera"), "a browser that reads no codes shows no button for it")


def numbers(portal, report, events):
    start, end = window(8, 2)
    tag = hashlib.sha384(NUMBER.encode()).hexdigest()
    with portal.officer(TRACER, java_script_enabled=False) as page:
        page.goto(portal.url + "/venues/new")
        report.expect(page.is_visible("#unscripted") and page.is_hidden("#poster"), "without scripts the page says that it takes numbers only")
        fill(page, portal, start, end, number="942 9300 000 008")
        page.click("form#venue button.primary")
        report.expect(page.locator("main [role=alert]").count() == 1 and not any(row[0] == [tag] for row in events.rows()),
                      "a wrong number comes back")
        report.expect(page.input_value("#start") == local(portal, start), "with what was entered")
        page.fill("#number", "942 9300 000 007")
        page.click("form#venue button.primary")
        page.wait_for_url(portal.url + "/venues")
        report.expect(any(row[0] == [tag] for row in events.rows()), "without scripts a number is entered")
    with portal.officer(APPROVER) as page:
        page.goto(portal.url + "/venues")
        page.fill("#compared", NUMBER)
        expect(page.locator("#matches")).to_have_text(re.compile(r": 1$"))
        page.locator("tr", has=page.locator(".match:visible")).locator("button", has_text="Freigeben").click()
        page.wait_for_load_state()
        report.expect(any(row[0] == [tag] and row[3] == 1 for row in events.rows()), "the second person approves it")


def published(portal, report, events):
    """The files of the tree, minutes later at most."""
    root = portal.suite.configuration["distribution"]["directory"]
    approved = {tag for row in events.all() if row[3] == 1 for tag in row[0]}
    deadline = time.monotonic() + 400
    found = set()
    while found != approved and time.monotonic() < deadline:
        time.sleep(2)
        try:
            with open(f"{root}/version/v1/risky-venues", encoding="utf-8") as file:
                found = {venue["id"] for venue in json.load(file)["venues"]}
        except FileNotFoundError:
            pass
    report.expect(found == approved, f"{len(approved)} tags are published within minutes: {len(found)}")


def looks(portal, report):
    """Barriers, overflow and HTML, in both languages."""
    pages = Pages(portal, report)
    for language in ("de", "en"):
        for way, options in (("wide", {"viewport": {"width": 1280, "height": 900}}), ("narrow", {"viewport": {"width": 320, "height": 640}}),
                             ("dark", {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"}),
                             ("unscripted", {"viewport": {"width": 1280, "height": 900}, "java_script_enabled": False})):
            with portal.officer(TRACER, language, **options) as page:
                for path, name in (("/venues", "venues"), ("/venues/new", "venue-form"), ("/venues/import", "venue-import")):
                    pages.visit(page, path, f"{name}-{language}", way)
                page.goto(portal.url + "/venues/import")
                page.fill("#file", "# venue_id\nx")
                page.click("button.primary")
                report.expect(page.locator("[role=alert] li").count() == 1, "an import names the wrong line")
                pages.look(page, f"venue-import-wrong-{language}", way)
    valid_html(pages.folder, report)
    with portal.officer(OFFICER) as page:
        for path in ("/venues", "/venues/new", "/venues/import"):
            report.expect(page.context.request.get(portal.url + path).status == 403, f"{path}: not for officers who make codes")
