#!/usr/bin/env bash
# Tests the monitoring: Prometheus' configuration, the alerts, the dashboard, the runbook's sections.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/Alerts/alerts.sh [OPTION…]

Runs promtool: it checks Prometheus' configuration and rules, and runs the rules' tests, in which each alert fires when it should
and doesn't when it shouldn't, also after a restart. Then checks that every metric and label in rules and dashboard is one that the
services' sources export, and that each alert has a section in the runbook. Builds nothing and takes about half a minute.

promtool comes with Debian's package `prometheus`, which is unpacked below $XDG_CACHE_HOME (~/.cache) and not installed: the
installed package starts a server.

  --names    only the names, without promtool; takes a second
  --help     this text
TEXT
}

names_only=
for argument in "$@"; do
    case $argument in
        -h | --help)
            usage
            exit 0
            ;;
        --names) names_only=yes ;;
        *) fail "prometheus.sh has no option $argument; see --help." ;;
    esac
done

packages=(python3 python3-yaml)
install_packages
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$checkout/Tests/Alerts/names.py" ||
    fail "FAILED: rules, dashboard or runbook differ from the services; see above."
[ -z "$names_only" ] || exit 0

prepare_promtool
cd "$checkout/Tests/Alerts"
# The certificates that prometheus.yml names are in the container only.
"$promtool" check config --syntax-only "$checkout/deploy/prometheus/prometheus.yml" &&
    "$promtool" check rules "$checkout"/deploy/prometheus/{alerts,patroni-alerts,working-hours}.yml ||
    fail "FAILED: promtool refuses prometheus.yml or a file of rules; see above."

# The files at once: each takes one processor.
scratch=$(mktemp -d /tmp/vigil-scratch.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
tests=()
for file in *.test.yml; do
    "$promtool" test rules "$file" >"$scratch/$file" 2>&1 &
    tests+=($!)
done
failed=
for test in "${tests[@]}"; do
    wait "$test" || failed=yes
done
cat "$scratch"/*
[ -z "$failed" ] || fail "FAILED: alerts don't do what their tests say; see above."
say "PASSED: every alert fires when it should, and not when it shouldn't."
