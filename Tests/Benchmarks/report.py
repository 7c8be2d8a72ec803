"""Draws what bench.sh measured as a page without scripts or other files.

python report.py RESULTS.json PAGE.html
"""

import html
import json
import math
import pathlib
import sys

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
table { border-collapse: collapse } th, td { padding: .2rem .8rem; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap }
th:first-child, td:first-child, th:last-child { text-align: left } svg { display: block; width: 24rem; height: 1.2rem }
.met { fill: #2e7d46 } .missed { fill: #b3261e } .reported { fill: #777 } .range { stroke: #222 } .target { stroke: #222; stroke-width: 3 }
.reference { stroke: #999; stroke-dasharray: 3 2 }
"""
# Ratios from and to which bars reach, in powers of ten: half as fast is as far from 1 as twice as fast.
LEAST, MOST = -1, 1.5
WIDTH, HEIGHT = 400, 20


def place(ratio):
    """Where a ratio stands from the left."""
    power = math.log10(ratio) if ratio > 0 else LEAST
    return WIDTH * (min(max(power, LEAST), MOST) - LEAST) / (MOST - LEAST)


def verdict(row):
    if row["target"] == 0:
        return "reported"
    return "met" if row["ratio"] >= row["target"] else "missed"


def bar(row):
    def line(kind, ratio, top=0):
        return f'<line class="{kind}" x1="{place(ratio):.1f}" x2="{place(ratio):.1f}" y1="{top}" y2="{HEIGHT - top}"/>'

    middle = HEIGHT / 2
    marks = line("reference", 1) + (line("target", row["target"]) if row["target"] else "")
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{row["ratio"]:.2f}, {verdict(row)}">'
        f'<rect class="{verdict(row)}" y="4" width="{place(row["ratio"]):.1f}" height="{HEIGHT - 8}"/>'
        f'<line class="range" x1="{place(row["lowest"]):.1f}" x2="{place(row["highest"]):.1f}" y1="{middle}" y2="{middle}"/>'
        f"{marks}</svg>")


def page(rows):
    def cells(row):
        target = f'{row["target"]:g}' if row["target"] else "–"
        numbers = [f'{row["ours"]:,.0f}', f'{row["reference"]:,.0f}', html.escape(row["unit"]), f'{row["ratio"]:.2f}', target]
        return "".join(f"<td>{text}</td>" for text in [html.escape(row["name"]), *numbers, verdict(row), bar(row)])

    heads = "".join(f"<th>{text}</th>" for text in ("row", "ours", "reference", "unit", "ratio", "target", "", "0.1 to 30"))
    missed = sum(verdict(row) == "missed" for row in rows)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Benchmarks</title>'
        f"<style>{STYLE}</style></head><body>\n<h1>Benchmarks</h1>\n"
        f"<p>Targets missed: {missed} of {len(rows)}. Ratios of ours to the reference, the median of the rounds. The thin "
        "line goes from the lowest to the highest, the thick mark is the target, and the dashed one is the reference.</p>\n"
        f"<table><thead><tr>{heads}</tr></thead><tbody>\n"
        + "\n".join(f"<tr>{cells(row)}</tr>" for row in rows) + "\n</tbody></table>\n</body></html>\n")


if __name__ == "__main__":
    results, target = map(pathlib.Path, sys.argv[1:])
    target.write_text(page(json.loads(results.read_text())))
