"""Figures: what the page, its table, CSV and JSON say is the same."""

import csv
import io
import json
import subprocess

from browser.portal import ANALYST, OFFICER


def run(portal, report):
    subprocess.run([portal.suite.programs / "vigil-dev", "figures", "--connection", portal.owner], check=True, capture_output=True)
    with portal.officer(ANALYST) as page:
        for weeks in (4, 13):
            answer = page.goto(f"{portal.url}/statistics?weeks={weeks}")
            report.expect(answer.status == 200, f"{weeks} weeks: {answer.status}")
            sections = page.locator(".figures > section").count()
            report.expect(sections >= 8, f"{weeks} weeks: every figure has a section: {sections}")
            texts = [page.context.request.get(f"{portal.url}/statistics.json?weeks={weeks}").text() for _ in range(2)]
            report.expect(texts[0] == texts[1], f"{weeks} weeks: the same request gives the same bytes")
            records = json.loads(texts[0])["values"]
            table = page.context.request.get(f"{portal.url}/statistics.csv?weeks={weeks}").text()
            rows = list(csv.DictReader(io.StringIO(table)))
            report.expect(len(records) > 100, f"{weeks} weeks: {len(records)} values")
            report.expect(len(rows) == len(records), f"{weeks} weeks: {len(rows)} rows in CSV, {len(records)} values in JSON")
            for record, row in zip(records, rows):
                same = all(("" if record[name] is None else str(record[name]).lower()) == row[name].lower() for name in row)
                if not report.expect(same, f"JSON and CSV agree: {record} {row}"):
                    break
            shown = page.locator(".figures td").count()
            report.expect(shown > 0, "the page has tables")
            visible = {text.split("\n")[0] for text in page.locator(".figures td").all_inner_texts()}
            report.expect(bool(visible), "tables have values")
            report.expect(not any(cell[:1] in "=+-@" for row in rows for cell in row.values() if cell),
                          "no cell of the CSV begins like a formula")
        printed(portal, report, page)
    with portal.officer(OFFICER) as page:
        for path in ("/statistics", "/statistics.csv", "/statistics.json", "/status"):
            report.expect(page.context.request.get(portal.url + path).status == 403, f"{path}: not for officers who make codes")


def printed(portal, report, page):
    """On A4, with every table opened."""
    headings = page.locator("table tbody th[scope=row]").all_text_contents()
    paper = (portal.screenshots or portal.scratch) / "statistics.pdf"
    page.pdf(path=paper, format="A4", prefer_css_page_size=True)
    told = subprocess.run(["pdfinfo", paper], capture_output=True, text=True, check=True).stdout
    report.expect("(A4)" in told, f"the figures' paper is A4: {told}")
    text = subprocess.run(["pdftotext", "-layout", paper, "-"], capture_output=True, text=True, check=True).stdout
    words = " ".join(text.split())
    missing = [heading for heading in headings if " ".join(heading.split()) not in words]
    report.expect(headings and not missing, f"all {len(headings)} rows are on paper; missing: {missing[:5]}")
