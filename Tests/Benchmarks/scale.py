"""Prints, and draws, what scale.sh measured."""

import argparse
import json
import statistics
import sys
from collections import defaultdict

SERVICES = {"proxy": "proxy", "submission": "submission", "verification": "verification", "results": "test result"}
OTHERS = ["database", "standby", "phones"]
# As scale.sh writes them.
FIELDS = ["rate", "results", "verification", "submission", "proxy", *OTHERS, "machines_throttled", "database_throttled", "answers", "unanswered"]
LOADS = {"uploads": "uploads", "result-polling": "polls", "country-flows": "a country"}


def read(lines):
    """The median of each field by series, load and number of machines."""
    rounds = defaultdict(list)
    for line in lines:
        series, load, machines, *values = line.split()
        rounds[series, load, int(machines)].append(dict(zip(FIELDS, map(float, values))))
    return {key: {field: statistics.median(one[field] for one in ones) for field in FIELDS} for key, ones in rounds.items()}


def rows(measured, part, database):
    """One row for each measurement."""
    for (series, load, machines), values in measured.items():
        alone = measured[series, load, 1]["rate"]

        def cost(field):
            return 1e6 * values[field] / values["answers"]

        yield {
            "load": LOADS[load],
            "database": None if series == "free" else database / 100,
            "machines": machines,
            "part": part / 100,
            "per_second": round(values["rate"]),
            "of_as_many_alone": round(values["rate"] / alone / machines, 2),
            **{f"{name}_us": round(cost(name)) for name in [*SERVICES, *OTHERS]},
            "machines_throttled": round(values["machines_throttled"], 2),
            "database_throttled": round(values["database_throttled"], 2),
            "unanswered": round(values["unanswered"]),
        }


def table(rows):
    """The rows in Markdown."""
    yield (
        f"| load | PostgreSQL | machines | answered a second | of as many times one | µs an answer: {', '.join(SERVICES.values())} "
        "| PostgreSQL, standby, phones | out of time: a machine, PostgreSQL | not answered |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in rows:
        database = "what is left" if row["database"] is None else f"{row['database']} core"
        yield (
            f"| {row['load']} | {database} | {row['machines']} | {row['per_second']:,} | {row['of_as_many_alone']:.2f} "
            f"| {', '.join(str(row[f'{name}_us']) for name in SERVICES)} | {', '.join(str(row[f'{name}_us']) for name in OTHERS)} "
            f"| {100 * row['machines_throttled']:.0f} %, {100 * row['database_throttled']:.0f} % | {row['unanswered']} |"
        )


def drawing(rows):
    """The rates over the number of machines, as SVG: one line for each load and each part of PostgreSQL."""
    left, bottom, width, height = 60, 250, 380, 220
    top = max(row["per_second"] for row in rows) * 1.1
    colours = {"uploads": "#1b6ca8", "polls": "#b5541c", "a country": "#3b7d2b"}
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 300" font-family="sans-serif" font-size="12">',
        '<rect width="700" height="300" fill="white"/>',
        f'<path d="M{left} {bottom - height}V{bottom}H{left + width}" fill="none" stroke="black"/>',
        f'<text x="{left + width / 2}" y="290" text-anchor="middle">machines of {rows[0]["part"]:.2f} core</text>',
        f'<text x="15" y="{bottom - height / 2}" text-anchor="middle" transform="rotate(-90 15 {bottom - height / 2})">answered a second</text>',
    ]

    def place(machines, rate):
        return f"{left + width * machines / 4.2:.0f},{bottom - height * rate / top:.0f}"

    for machines in (1, 2, 4):
        x, _ = place(machines, 0).split(",")
        parts.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{machines}</text>')
    for share in (0.25, 0.5, 0.75, 1):
        _, y = place(0, top * share).split(",")
        parts.append(f'<text x="{left - 6}" y="{y}" text-anchor="end">{top * share:.0f}</text>')
    lines = defaultdict(list)
    for row in rows:
        lines[row["load"], row["database"]].append(row)
    for number, ((load, database), ones) in enumerate(lines.items()):
        dash = "" if database is None else ' stroke-dasharray="5 4"'
        points = " ".join(place(one["machines"], one["per_second"]) for one in ones)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colours[load]}" stroke-width="2"{dash}/>')
        label = load if database is None else f"{load}, PostgreSQL {database} core"
        y = 40 + 20 * number
        parts.append(f'<path d="M455 {y - 4}h22" stroke="{colours[load]}" stroke-width="2"{dash}/><text x="482" y="{y}">{label}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main():
    """Reads the lines of scale.sh from standard input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=int, required=True, help="hundredths of a core for a machine")
    parser.add_argument("--database", type=int, required=True, help="hundredths of a core for PostgreSQL in the second series")
    parser.add_argument("--svg", help="a file for the drawing")
    parser.add_argument("--json", help="a file for the rows")
    options = parser.parse_args()
    measured = list(rows(read(sys.stdin), options.part, options.database))
    print("\n".join(table(measured)))
    if options.svg:
        with open(options.svg, "w", encoding="utf-8") as file:
            file.write(drawing(measured))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(measured, file, indent=1)


if __name__ == "__main__":
    main()
