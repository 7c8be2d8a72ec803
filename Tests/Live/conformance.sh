#!/usr/bin/env bash
# Checks the answers of running services against their OpenAPI documents.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/conformance.sh [--examples N] [--seed N]

Installs what is missing, builds, runs a suite of its own on free ports, and sends each operation of each listener what
its OpenAPI document allows and what it doesn't (schemathesis). Every answer must be one that the document lists. Takes
about a minute. Another suite may be running meanwhile.

  --examples N   random requests for each operation (default 50)
  --seed N       other random requests (default 1)
  --help         this text

schemathesis lives in a virtual environment below $XDG_CACHE_HOME (~/.cache); it is made if it is missing.
TEXT
}

examples=50
seed=1
while [ $# -gt 0 ]; do
    case $1 in
        --examples) examples=${2:?--examples needs a number} && shift ;;
        --seed) seed=${2:?--seed needs a number} && shift ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "conformance.sh has no option $1; see --help." ;;
    esac
    shift
done

prepare_machine
check_disk "$checkout" 6000

prepare_python
build_debug
[ -n "${VIGIL_PROGRAMS:-}" ] || programs="$checkout/.build/debug"
# The tester sends far more requests that are refused than any caller.
start_suite --set metadata-proxy.limits.refusedRegistrations=10000000

# MARK: The conversations

mkdir "$scratch/documents"
"$python" "$checkout/Tests/Live/conformance/documents.py" "$scratch/state" "$scratch/documents" \
    >"$scratch/conversations" || fail "An OpenAPI document is missing or damaged: see above."
[ -s "$scratch/conversations" ] || fail "No listener of the suite has an OpenAPI document."

certificates="$scratch/state/certificates"
started=$SECONDS
cases=0
while read -r document url role; do
    name="$(basename "$document" .json), as $role"
    [ -e "$certificates/$role.pem" ] || fail "$name: vigil-dev up makes no certificate for this role."
    options=()
    if [ "$role" = portal ] || [ "$role" = health-portal ]; then
        token=$("$programs/vigil-dev" officer-token --state "$scratch/state" --role c19hotline)
        options+=(--header "Authorization: Bearer $token")
    fi
    status=0
    # From its own folder, so that it leaves nothing behind; it takes seconds, and two minutes mean that it hangs.
    (cd "$scratch" && SCHEMATHESIS_HOOKS="$checkout/Tests/Live/conformance/hooks.py" timeout --kill-after 10 120 \
        "${python%/*}/schemathesis" --config-file "$checkout/Tests/Live/conformance/schemathesis.toml" \
        run "$document" --url "$url" --include-tag "$role" --max-examples "$examples" --seed "$seed" \
        --continue-on-failure --no-color --tls-verify "$certificates/ca.pem" \
        --request-cert "$certificates/$role.pem" --request-cert-key "$certificates/$role.key" \
        ${options[@]+"${options[@]}"}) </dev/null >"$scratch/conversation.log" 2>&1 || status=$?
    if [ "$status" != 0 ]; then
        cat "$scratch/conversation.log" >&2
        [ "$status" != 124 ] || fail "$name: not finished after 2 minutes."
        fail "$name: the answers above are not those of the document."
    fi
    count=$(sed -n 's/^ *\([0-9]*\) generated.*/\1/p' "$scratch/conversation.log")
    [ "${count:-0}" -gt 0 ] || {
        cat "$scratch/conversation.log" >&2
        fail "$name: nothing was sent."
    }
    cases=$((cases + count))
    say "$name: $count requests."
done <"$scratch/conversations"

# Alerts select what the services really export, label by label.
/usr/bin/python3 "$checkout/Tests/Alerts/names.py" --live "$first_port" || fail "Alerts name metrics or labels that no service exports: see above."

# What from outside looks like an answer of the contract may be none for the service.
if grep -h '"level":"error"' "$scratch"/state/logs/*.log >&2; then fail "A service logged the errors above."; fi
say "CONFORMING: $cases requests in $((SECONDS - started)) seconds."
