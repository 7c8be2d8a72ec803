#!/usr/bin/env bash
# Checks what needs no build: alerts, format, generated code, docker-compose.yml, the venue page's policy, scripts.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/static.sh [--no-alerts]

Checks what needs no build: the alerts (Tests/Alerts/alerts.sh), the format of the Swift sources, whether generated code is what
the schemas say, docker-compose.yml, deploy/preflight.sh, the policy of the venue page, whether something speaks of packages that are gone, and the
syntax of every script. Takes about a minute.

  --no-alerts   all but the alerts, which take half of the time
  --help        this text
TEXT
}

alerts=yes
for argument in "$@"; do
    case $argument in
        -h | --help)
            usage
            exit 0
            ;;
        --no-alerts) alerts= ;;
        *) fail "static.sh has no option $argument; see --help." ;;
    esac
done

prepare_machine
cd "$checkout"

if [ -n "$alerts" ]; then
    part "alerts" bash Tests/Alerts/alerts.sh || fail "FAILED: see above what is wrong with the alerts."
fi

say "Checking the format …"
part "format" swift format lint --strict --parallel -r Services Shared Tests Package.swift ||
    fail "The format is wrong: run swift format -i -r Services Shared Tests Package.swift."

say "Generating code from the schemas …"
/usr/bin/python3 Shared/Formats/generate.py --check || fail "Generated code is stale: see above."

say "Reading docker-compose.yml …"
# Alone, with each file that may be added to it, and with all of them.
judge() {
    sed -s '1i---' docker-compose.yml "$@" | /usr/bin/python3 Tests/Live/rehearsal/compose.py ||
        fail "docker-compose.yml breaks a rule, with these files added: ${*:-none}; see above."
}
judge
for added in deploy/*.yml; do judge "$added"; done
judge deploy/*.yml
/usr/bin/python3 Tests/Live/rehearsal/mistakes.py || fail "compose.py doesn't see a mistake: see above."

say "Provoking what preflight.sh finds …"
bash Tests/Preflight/preflight.sh || fail "deploy/preflight.sh finds too little or too much: see above."

say "Comparing the venue page's policy …"
/usr/bin/python3 Tests/Live/venue/policy.py --check || fail "The policy is wrong: see above."

say "Looking for packages that the suite doesn't use any more …"
# ARCHITECTURE.md says why they aren't used.
gone='swiftnio|hummingbird|jwtkit|asynchttpclient|boringssl|\bnio(ssl|core|posix|http[12])?\b|swift-(nio|crypto|certificates|asn1|protobuf|log|metrics|argument-parser|service-lifecycle|collections)\b|protoc-gen-swift'
if git grep -nEi "$gone" -- . ':!ARCHITECTURE.md' ':!Tests/static.sh' ':!Tests/ArchitectureTests/Dependencies.swift'; then
    fail "These lines speak of packages that are gone."
fi

say "Reading the scripts …"
find .ci deploy Tests \( -name '*.sh' -o -path .ci/run \) -print0 | xargs -0 -n 1 bash -n ||
    fail "A shell script can't be read: see above."
# grep ends at the first match, whoever writes to it by SIGPIPE, and so with `pipefail` a match fails.
if git grep -nE '\| *grep -[a-zA-Z]*q' -- '*.sh' .ci/run Tests/Backup/docker ':!Tests/static.sh'; then
    fail "These lines end a pipe in grep -q: write grep … >/dev/null."
fi
find Tests -name '*.py' -print0 | xargs -0 /usr/bin/python3 -c '
import ast, sys
for name in sys.argv[1:]:
    ast.parse(open(name, encoding="utf-8").read(), name)
' || fail "A Python script can't be read: see above."
