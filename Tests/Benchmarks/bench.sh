#!/usr/bin/env bash
# Measures the suite against what an operator would compare it with, side by side in one run.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Benchmarks/measuring.sh"

usage() {
    cat <<'TEXT'
bash deploy/bench.sh [--json FILE] [--html FILE] [--rounds N] [--seconds N] [ROW…]

Builds for release and measures ratios: ours against a reference, in turn, on the same machine in the same minutes; the
server on the first core, the client on the second; the median of the rounds' ratios counts. More than 1 is better than
the reference. A target that is missed is printed as missed.

  --json FILE   also writes an array of {"name", "ours", "reference", "ratio", "lowest", "highest", "target", "unit"}
  --html FILE   also draws a page with a bar for each ratio
  --rounds N    rounds a row (default 5)
  --seconds N   length of one measurement (default 4)
  --list        prints the rows' names
  --help        this text

The rows, what they measure, and against what:

TEXT
    awk '/^## / { in_rows = $0 == "## Rows" } in_rows && /^\| `/ {
        gsub(/`|\[|\]\([^)]*\)/, ""); gsub(/^\| | *\|$/, ""); split($0, cell, / \| /)
        printf "  %s\n      %s\n", cell[1], cell[2]; if (cell[3] != "") printf "      against %s\n", cell[3] }' \
        "$checkout/Tests/Benchmarks/README.md"
}

json=
html=
rounds=5
seconds=4
wanted=()
while [ $# -gt 0 ]; do
    case $1 in
        --json) json=${2:?--json needs a file} && shift ;;
        --html) html=${2:?--html needs a file} && shift ;;
        --rounds) rounds=${2:?--rounds needs a number} && shift ;;
        --seconds) seconds=${2:?--seconds needs a number} && shift ;;
        --list)
            printf '%s\n' "${rows[@]%% *}"
            exit 0
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        -*) fail "bench.sh has no option $1; see --help." ;;
        *) wanted+=("$1") ;;
    esac
    shift
done
check_rows "${wanted[@]}"

# MARK: Measuring

finish() {
    trap - EXIT
    end_rows
    # Also when a row has failed: the results before it are worth keeping.
    if [ -s "$scratch/table" ]; then
        printf '%-23s %10s %10s  %6s  %14s  %5s\n' row ours reference ratio "lowest, highest" target
        cat "$scratch/table"
    fi
    stop_postgres
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The median of numbers on standard input.
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

measure() {
    local name=$1 target=$2 unit=$3 function=${1//-/_} round ours reference
    "${function}_prepare"
    : >"$scratch/ours" && : >"$scratch/reference" && : >"$scratch/ratios"
    for round in $(seq "$rounds"); do
        # Which goes first alternates.
        if [ $((round % 2)) = 1 ]; then
            ours=$("${function}_ours") || ours=
            reference=$("${function}_reference") || reference=
        else
            reference=$("${function}_reference") || reference=
            ours=$("${function}_ours") || ours=
        fi
        [ -n "$ours" ] && [ -n "$reference" ] || {
            cat "$scratch"/*.log >&2
            fail "$name: a measurement failed; what the programs said stands above."
        }
        printf '%s\n' "$ours" >>"$scratch/ours"
        printf '%s\n' "$reference" >>"$scratch/reference"
        awk -v a="$ours" -v b="$reference" 'BEGIN { print a / b }' >>"$scratch/ratios"
    done
    "${function}_end"
    awk -v name="$name" -v target="$target" -v unit="$unit" -v ours="$(median <"$scratch/ours")" \
        -v reference="$(median <"$scratch/reference")" -v ratio="$(median <"$scratch/ratios")" -v table="$scratch/table" \
        -v low="$(sort -g "$scratch/ratios" | head -n 1)" -v high="$(sort -g "$scratch/ratios" | tail -n 1)" 'BEGIN {
            printf "%-23s %10.0f %10.0f  %6.2f  %5.2f to %5.2f  %5.2f  %-7s %s\n", name, ours, reference, ratio, low,
                high, target, (target == 0 ? "-" : ratio >= target ? "met" : "MISSED"), unit >>table
            printf "  {\"name\": \"%s\", \"ours\": %.1f, \"reference\": %.1f, \"ratio\": %.3f, \"lowest\": %.3f, \"highest\": %.3f, ",
                name, ours, reference, ratio, low, high
            printf "\"target\": %s, \"unit\": \"%s\"}\n", target, unit }' >>"$scratch/json"
}

measured=()
for row in "${rows[@]}"; do
    if [ ${#wanted[@]} != 0 ] && ! printf '%s\n' "${wanted[@]}" | grep -x -- "${row%% *}" >/dev/null; then continue; fi
    if [ "${row%% *}" = two-replicas ] && [ "$(id -u)" != 0 ]; then
        say "two-replicas is left out: it needs root, for control groups."
        continue
    fi
    measured+=("$row")
done
prepare_rows "${measured[@]%% *}"
: >"$scratch/table" && : >"$scratch/json"
began=$SECONDS
for index in "${!measured[@]}"; do
    read -r name target unit <<<"${measured[index]}"
    left=
    # From how long the rows before took.
    [ "$index" = 0 ] || left=", about $(((SECONDS - began) * (${#measured[@]} - index) / index / 60 + 1)) minutes left"
    say "$name ($((index + 1)) of ${#measured[@]}$left): $rounds rounds of 2 × $seconds s …"
    measure "$name" "$target" "$unit"
done

{ printf '[\n' && sed '$!s/$/,/' "$scratch/json" && printf ']\n'; } >"$scratch/results"
if [ -n "$json" ]; then cp "$scratch/results" "$json" && say "Written to $json."; fi
if [ -n "$html" ]; then python3 Tests/Benchmarks/report.py "$scratch/results" "$html" && say "Written to $html."; fi
