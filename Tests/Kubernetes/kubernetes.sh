#!/usr/bin/env bash
# Judges the manifests in deploy/kubernetes without a cluster.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/Kubernetes/kubernetes.sh [--help]

Checks that the manifests are those that follow from docker-compose.yml; renders each overlay with kubectl, and copies with each component;
judges fields, rights, names and network policies; makes mistakes on purpose, each of which the judgement must notice; tests the alerts of
PostgreSQL's servers; and tests deploy/kubernetes/preflight.sh against a simulated API server. Takes about two minutes. Needs a kubectl with
kustomize 5 (kubectl 1.27 or newer), which isn't among Debian's packages.

What no cluster has run is listed in deploy/kubernetes/README.md.
TEXT
}

case ${1:-} in
    '') ;;
    -h | --help)
        usage
        exit 0
        ;;
    *) fail "kubernetes.sh has no option $1; see --help." ;;
esac

check_kubectl
prepare_machine
prepare_python
cd "$checkout"
say "Comparing the manifests with docker-compose.yml …"
"$python" Tests/Kubernetes/render.py --check || fail "The manifests are out of date: see above."
say "Judging the manifests …"
"$python" Tests/Kubernetes/check.py || fail "The manifests are wrong: see above."
"$python" Tests/Kubernetes/private_store.py || fail "A copy with a store inside is wrong: see above."
say "Provoking what preflight.sh finds …"
(cd Tests/Kubernetes && "$python" -B -W error -m unittest --quiet preflight_test) ||
    fail "deploy/kubernetes/preflight.sh finds too little or too much, or its README says something else: see above."
say "Testing the alerts of PostgreSQL's servers …"
prepare_promtool
scratch=$(mktemp -d /tmp/vigil-scratch.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
cp Tests/Kubernetes/postgres-alerts.test.yml "$scratch/"
"$python" -c 'import sys, yaml; yaml.safe_dump(yaml.safe_load(sys.stdin)["spec"], sys.stdout)' \
    <deploy/kubernetes/base/postgres-alerts.yaml >"$scratch/postgres-alerts.yml"
"$promtool" check rules --lint=all "$scratch/postgres-alerts.yml" && "$promtool" test rules "$scratch/postgres-alerts.test.yml" ||
    fail "The alerts don't do what their tests say: see above."
say "Making mistakes …"
"$python" Tests/Kubernetes/check.py --control || fail "The judgement doesn't notice everything: see above."
