#!/usr/bin/env bash
# Lets a simulated country live with the real services while these fail, and judges what became of its keys, visits and reports.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/country.sh [--report FOLDER] [OPTION ...]

Installs what is missing, builds for release, and runs `vigil-dev country` with 1,000 people for 7 days, an epidemic under way and
every fault that it can inject. Fails if the oracle finds a case, or if there was nothing to judge. Takes four minutes.

  --report FOLDER   keeps the report
  OPTION ...        options of `vigil-dev country`, instead of these; see `vigil-dev country --help`
  --help            this text
TEXT
}

report=
options=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --report) report=${2:?--report needs a folder} && shift ;;
        *) options+=("$1") ;;
    esac
    shift
done
[ ${#options[@]} -gt 0 ] ||
    options=(--people 1000 --days 7 --infected 300 --visits 1 --adoption 0.8 --seed 2 --static "$checkout/deploy/static"
        --faults kill database proxy laboratory clock disk)

prepare_machine
build_release
scratch=$(mktemp -d "$scratch_parent/vigil-scratch.XXXXXX")
trap stop_suite EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
find_ports
report=${report:-$scratch/report}
setpriv --pdeathsig TERM "$programs/vigil-dev" country --first-port "$first_port" --report "$report" "${options[@]}" &
suite=$!
wait "$suite" || { suite= && fail "FAILED: see above."; }
suite=
/usr/bin/python3 - "$report/report.json" <<'PYTHON' || fail "FAILED: nothing was judged."
import json, sys

report = json.load(open(sys.argv[1]))
print(f"Injected faults: {report['injected']}.")
sys.exit(not (report["judgedPairs"] and report["judgedVisits"] and report["judgedIDs"]))
PYTHON
say "PASSED: what phones heard, shared and found agrees with what happened."
