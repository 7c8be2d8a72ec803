#!/usr/bin/env bash
# Runs the tests, and attacks the services, under a sanitizer; `--help` says more.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/sanitize.sh address|thread [FILTER]

Builds everything with a sanitizer, in .build/sanitize, and runs all tests, or those whose names match FILTER, as deploy/test.sh
does; without FILTER also all of Tests/Live/hostile.sh, whose own objections are shown but don't count: programs with a sanitizer
are slow and large. Passes if the tests do, and if there is no report: `address` of memory that isn't what the code takes it for, or that nobody
can free any more; `thread` of memory that two threads use without order. First it has to find faults that are planted in
Tests/Sanitizers/control.swift. What it reports although it is no fault stands in Tests/Sanitizers with the reason.

Of leaks only those count to which nothing points. Objects that point to each other don't: tests leave connections open, and a
connection and its core hold each other until it is closed.
TEXT
}

case ${1:-} in
    -h | --help)
        usage
        exit 0
        ;;
    address | thread) kind=$1 ;;
    *) fail "What is to be searched for? See bash Tests/sanitize.sh --help." ;;
esac
filter=()
[ -z "${2:-}" ] || filter=(--filter "$2")
[ $# -le 2 ] || fail "There is one filter at most: see bash Tests/sanitize.sh --help."

prepare_machine
check_disk "$checkout" 12000
cd "$checkout"
reports=$checkout/.build/sanitize/reports-$kind
rm -rf "$reports"
mkdir -p "$reports"

# One file for each process. A report ends no process that could go on, so that one run gives all of them.
explained=$checkout/Tests/Sanitizers
export ASAN_OPTIONS="detect_leaks=1:exitcode=0:log_path=$reports/report"
export LSAN_OPTIONS="exitcode=0:print_suppressions=0:suppressions=$explained/leaks.txt"
export TSAN_OPTIONS="halt_on_error=0:exitcode=0:log_path=$reports/report:suppressions=$explained/thread.txt"

# The reports that count.
found() {
    grep -ahE '^Direct leak|ERROR: AddressSanitizer|WARNING: ThreadSanitizer' "$reports"/report.* 2>/dev/null || true
}

say "Searching the control …"
# Swift's own report of a crash would come first.
export SWIFT_BACKTRACE=enable=no
swiftc -sanitize="$kind" "$explained/control.swift" -o "$reports/control" 2>"$reports/compiler.log" ||
    fail "The control doesn't compile: see $reports/compiler.log."
faults=(thread)
[ "$kind" = thread ] || faults=(address leak)
for fault in "${faults[@]}"; do
    "$reports/control" "$fault" >/dev/null || true
    [ -n "$(found)" ] || fail "FAILED: the planted fault \"$fault\" was not found."
    rm -f "$reports"/report.*
done

say "Building with the sanitizer; the first time this takes many minutes …"
swift build --build-tests --sanitize "$kind" --scratch-path ".build/sanitize/$kind" \
    --explicit-target-dependency-import-check error >"$reports/build.log" ||
    fail "The build failed: see $reports/build.log."

status=0
VIGIL_BUILT=yes bash Tests/test.sh --only --sanitize "$kind" --scratch-path ".build/sanitize/$kind" \
    ${filter[@]+"${filter[@]}"} || status=$?

if [ ${#filter[@]} = 0 ]; then
    say "Attacking services with the sanitizer …"
    VIGIL_PROGRAMS=.build/sanitize/$kind/debug bash Tests/Live/hostile.sh >"$reports/hostile.log" 2>&1 || true
    grep -E ': (OBJECTION|FAILED|PASSED)|^(SURVIVED|FAILED)' "$reports/hostile.log" || true
fi

count=$(found | wc -l)
if [ "$count" != 0 ]; then
    say "Reports, and how often:"
    grep -ahE '^SUMMARY|^Direct leak' "$reports"/report.* | sort | uniq -c | sort -rn | head -n 30
    fail "FAILED: $count reports; see $reports."
fi
[ "$status" = 0 ] || fail "FAILED: a test; see above."
say "PASSED: no report that isn't explained in Tests/Sanitizers, and the planted faults were found."
