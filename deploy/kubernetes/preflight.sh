#!/usr/bin/env bash
# Looks for what a cluster lacks before an overlay is applied to it.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/kubernetes/preflight.sh OVERLAY

Looks for what a cluster lacks before OVERLAY, your copy of deploy/kubernetes/small or country, is applied to it, and says for each
finding what to do:

  - settings that a component needs, placeholders that are still there
  - the version of Kubernetes, and the kinds of objects that cert-manager, CloudNativePG, its Barman plugin and the Prometheus Operator add
  - whether these run, in the namespaces where network policies expect them, and whether Prometheus selects what is made for it
  - the metrics API, if there is an autoscaler
  - nodes and zones for PostgreSQL's servers; storage classes
  - the namespace, Secrets and their keys
  - every object, by a dry run on the server, which reads it strictly: a field that the cluster's version hasn't, a change that it
    doesn't allow, a right that you lack, and a webhook that doesn't answer
  - what an earlier apply left, and the command that removes it

It changes nothing and takes some seconds. It asks the cluster that kubectl is set to (KUBECONFIG and its current context), with your
rights. All findings are reported in one run. It ends with 1 if one of them stops the suite (lines that begin with `stops`), and with 0
if there are only warnings (`warns`).

It needs kubectl with kustomize 5, and Python 3.9 or later with PyYAML (Debian's packages python3 and python3-yaml).

  --help   shows this text
TEXT
}

case ${1:-} in
    -h | --help)
        usage
        exit 0
        ;;
    '') fail "preflight.sh needs the folder of an overlay; see --help." ;;
    -*) fail "preflight.sh has no option $1; see --help." ;;
esac
[ $# = 1 ] || fail "preflight.sh takes one overlay; see --help."
[ -f "$1/kustomization.yaml" ] || fail "$1 is no overlay: it has no kustomization.yaml."
command -v kubectl >/dev/null || fail "kubectl is not installed, so nothing was looked at: https://kubernetes.io/docs/tasks/tools/"
python3 -c 'import yaml' 2>/dev/null || fail "Python or its module yaml is missing: apt-get install python3 python3-yaml."
PYTHONDONTWRITEBYTECODE=1 exec python3 "$checkout/deploy/kubernetes/preflight.py" "$1"
