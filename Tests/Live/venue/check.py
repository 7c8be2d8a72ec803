"""Tries the venue owners' page, deploy/edge/venue.html.

Arguments: nginx, a scratch folder, the number of random codes, and a folder for screenshots or an empty text.
"""

import importlib
import sys
import time

from browser.portal import Report
from venue.owner import Venue

CHECKS = ["texts", "served", "links", "codes", "connections", "posters", "barriers"]


def main(nginx, scratch, codes, screenshots):
    report = Report()
    with Venue(nginx, scratch, int(codes), screenshots, report) as venue:
        for name in CHECKS:
            started = time.monotonic()
            importlib.import_module(f"venue.{name}").run(venue, report)
            print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)
        report.expect(not venue.violations, f"no page violates its policy {venue.violations[:3]}")
        report.expect(not venue.errors, f"no script fails {venue.errors[:3]}")
    print(f"{report.held} expectations held, {report.problems} did not.")
    return 1 if report.problems or not report.held else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
