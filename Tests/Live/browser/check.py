"""Tries the health portal of a running suite in Chromium.

Arguments: the scratch folder with the suite's state, the folder of programs, a folder for screenshots or an empty text, and the
checks to run, or none for all.
"""

import importlib
import sys
import time

from browser.portal import Portal, Report

CHECKS = ["codes", "sessions", "attacks", "outages", "figures", "venues", "pages"]


def main(scratch, programs, screenshots, *names):
    report = Report()
    with Portal(scratch, programs, screenshots, report) as portal:
        for name in names or CHECKS:
            started = time.monotonic()
            importlib.import_module(f"browser.{name}").run(portal, report)
            print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)
        report.expect(not portal.violations, f"no page violates its policy {portal.violations[:3]}")
        report.expect(not portal.errors, f"no script fails {portal.errors[:3]}")
    print(f"{report.held} expectations held, {report.problems} did not.")
    return 1 if report.problems or not report.held else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
