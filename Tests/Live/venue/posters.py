"""What is printed: sizes, codes that can be read from paper, dates, and everything on its sheet whatever the names are."""

import re
import subprocess

from venue.links import cwa_link
from venue.owner import PAGE, SETTINGS

POINTS = {"A4": (595.28, 841.89), "A6": (297.64, 419.53)}
# Hundred bytes as wide as letters get, and hundred of words.
WIDE, WORDS = "W" * 100, "Stadtbücherei und Bürgerhaus am Alten Rathausplatz, Veranstaltungssaal im ersten Obergeschoss"
# Sheets whose content is higher than they are, and the narrowest code in millimetres on A6.
MEASURE = """() => {
    const over = [...document.querySelectorAll('.poster, .note')].filter(sheet =>
        sheet.scrollHeight > sheet.clientHeight || sheet.scrollWidth > sheet.clientWidth);
    const widths = [...document.querySelectorAll('.poster .code svg')].map(code =>
        105 * Math.min(code.clientWidth, code.clientHeight) / code.closest('.sheet').clientWidth);
    return [over.map(sheet => sheet.className + ' ' + sheet.innerText.slice(0, 60)), Math.min(...widths)];
}"""


def printed(venue, page, part, name):
    """Prints posters or notes as the page's button does: file, number of pages, and their size in points."""
    page.click(f"#print-{part}")
    classes = page.evaluate("window.printedAs")
    page.evaluate("classes => { document.documentElement.className = classes }", classes)
    file = (venue.screenshots or venue.scratch) / f"{name}.pdf"
    page.pdf(path=file, prefer_css_page_size=True, print_background=True)
    page.evaluate("part => document.documentElement.classList.remove('only-' + part)", part)
    said = subprocess.run(["pdfinfo", file], capture_output=True, text=True, check=True).stdout
    size = re.search(r"Page size: +([0-9.]+) x ([0-9.]+)", said)
    return file, int(re.search(r"Pages: +([0-9]+)", said)[1]), (float(size[1]), float(size[2]))


def pictures(venue, file, resolution=150):
    stem = venue.scratch / file.stem
    subprocess.run(["pdftoppm", "-r", str(resolution), "-gray", file, stem], check=True)
    return sorted(venue.scratch.glob(f"{file.stem}-*.pgm"))


def run(venue, report):
    with venue.page(PAGE.as_uri()) as page:
        for paper, sheets in (("A4", 2), ("A6", 5)):
            links = venue.make(page, paper=paper, count=5, language="both")
            for part, count in (("posters", 5), ("notes", sheets)):
                file, pages, size = printed(venue, page, part, f"{part}-{paper}")
                report.expect(pages == count, f"{part} on {paper}: {pages} sheets, not {count}")
                report.expect(all(abs(is_ - should) < 1 for is_, should in zip(size, POINTS[paper])), f"{part} on {paper}: {size} points")
                read = venue.read(*pictures(venue, file))
                report.expect(sorted(read) == sorted(links), f"{part} on {paper}: zbar reads the {len(links)} codes from paper: {len(read)}")
        page.evaluate("document.documentElement.className = 'made a6'")
        page.pdf(path=venue.scratch / "both.pdf", prefer_css_page_size=True)
        said = subprocess.run(["pdfinfo", venue.scratch / "both.pdf"], capture_output=True, text=True).stdout
        report.expect("Pages:           10" in said, "the browser's own command prints posters and notes")

        text = page.locator("#posters li article").first.inner_text()
        report.expect("Bitte einchecken" in text and "Please check in" in text, "a poster has both languages")

        # Days, also across the end of a month and the change of clocks.
        page.fill("#date", "2027-03-27")
        venue.make(page, count=6)
        dates = page.locator("#posters .when").all_inner_texts()
        report.expect(dates == ["Samstag, 27. März 2027", "Sonntag, 28. März 2027", "Montag, 29. März 2027", "Dienstag, 30. März 2027",
                                "Mittwoch, 31. März 2027", "Donnerstag, 1. April 2027"], f"a poster for each day: {dates}")
        marks = page.locator("#posters .mark").all_inner_texts()
        notes = page.locator("#notes .mark").all_inner_texts()
        report.expect(marks == notes and len(set(marks)) == 6, f"each poster has its note: {marks}")
        keep = page.locator("#notes .keep").first.inner_text()
        report.expect("Samstag, 10. April 2027" in keep, f"a note is kept for 14 days: {keep}")
        venue.make(page, time="lasting")
        keep = page.locator("#notes .keep").inner_text()
        report.expect("14 Tage" in keep and page.locator("#posters .when").count() == 0, f"a lasting poster has no date: {keep}")

        # Mistakes keep what was made, and say what is wrong.
        for field, value, words in (("#count", "32", "1 bis 31"), ("#count", "1.5", "1 bis 31"), ("#name", "ä" * 51, "102"),
                                    ("#name", " ", "füllen"), ("#date", "", "Datum"), ("#host", "x y", "Internet-Adresse")):
            page.check("#time-days")
            for right in ("#count=2", "#name=Café", "#date=2027-03-27", "#host=a.example"):
                page.fill(*right.split("="))
            page.fill(field, value)
            page.click("#form button")
            error = page.inner_text(f"{field}-error")
            marked = [page.evaluate("document.activeElement.id"), page.get_attribute(field, "aria-invalid")]
            report.expect(words in error and marked == [field[1:], "true"], f"{field} = {value!r} is refused, and has the focus: {error!r}")
        report.expect(page.locator("#posters > li").count() == 1, "what was made before is still there")

    # The Corona-Warn-App's code of an event that ends after midnight, by the venue's clock.
    with venue.page(PAGE.as_uri(), timezone_id="Europe/Berlin") as page:
        page.fill("#date", "2026-12-31")
        page.check("#time-event")
        page.fill("#from", "20:00")
        page.fill("#to", "02:30")
        [link] = venue.make(page, time="event", app="cwa")
        location, notifier, vendor = cwa_link(link)
        place = {1: 1, 2: "Café Sonnenschein".encode(), 3: b"Marktplatz 1, 01234 Musterstadt"}
        report.expect(location == place | {5: 1798743600, 6: 1798767000}, f"an event's code has start and end: {location}")
        report.expect(len(notifier[3]) == 16 and vendor == {1: 1, 2: 9, 3: 120}, f"it has a seed, a kind and the usual stay: {vendor}")
        [link] = venue.make(page, time="lasting", app="cwa")
        location, again, vendor = cwa_link(link)
        report.expect(location == place and vendor[2] == 4 and again[3] != notifier[3], f"a venue's has no times: {location}")

    # Everything is on its sheet, with an authority's settings and names as long as may be.
    with venue.page(venue.authority.as_uri()) as page:
        report.expect(page.input_value("#host") == SETTINGS["host"], "an authority's copy knows its host")
        report.expect(page.get_attribute("#imprint", "href") == SETTINGS["imprint"] and page.is_visible("#imprint"), "and its imprint")
        for name in ("Café", WORDS, WIDE):
            for time in ("days", "event", "lasting"):
                app = "cwa" if time == "event" else "own"
                venue.make(page, name=name, time=time, app=app, language="both", paper="A6", count=1)
                over, narrowest = page.evaluate(MEASURE)
                report.expect(not over, f"{name[:12]}, {time}: all is on its sheet: {over}")
                report.expect(narrowest >= 45, f"{name[:12]}, {time}: the code is {narrowest:.0f} mm wide on A6")
        text = page.locator("#notes").inner_text()
        report.expect(SETTINGS["authority"] in text and SETTINGS["telephone"] in text, "a note says whom to call")
        file, _, _ = printed(venue, page, "posters", "poster-longest")
        report.expect(len(venue.read(*pictures(venue, file))) == 1, "the largest code can be read from A6")
        page.evaluate("document.querySelector('.poster .foot').append('x '.repeat(2000))")
        report.expect(page.evaluate(MEASURE)[0], "control: what is too much for a sheet is found")
