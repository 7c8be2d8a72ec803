#!/usr/bin/env bash
# Looks for what keeps the suite in containers from starting.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/preflight.sh [--compose COMMAND]

Looks for what keeps the suite in containers from starting, or from what it promises, and says for each finding what to do:

  - values in .env and in the environment that break a rule, names that nothing reads, files and values that are missing
  - the versions of Docker's engine and of Compose
  - memory and disk, also for a build of the images if there are none yet
  - published ports that are taken, and addresses that this machine hasn't
  - networks and routes of this machine that the suite's networks would cover
  - files that containers can't read
  - names of outside servers without an address
  - the clock
  - an address that other machines reach, together with a simulator

It changes nothing and takes a few seconds. All findings are reported in one run. It ends with 1 if one of them stops the suite (lines that
begin with `stops`), and with 0 if there are only warnings (`warns`). deploy/secrets.sh runs it first.

It needs Python 3.9 or later (Debian's package python3) and nothing else. As an ordinary user it doesn't see into folders of root.

  --compose COMMAND   command that runs compose (default: docker compose)
  --help              shows this text
TEXT
}

compose="docker compose"
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --compose) compose=${2:?--compose needs a command} && shift ;;
        *) fail "preflight.sh has no option $1; see --help." ;;
    esac
    shift
done
command -v python3 >/dev/null || fail "python3 is not installed, so nothing was looked at: apt-get install python3."

cd "$checkout"
say "Looking at the settings, the machine and its container engine …"
PYTHONDONTWRITEBYTECODE=1 exec python3 deploy/preflight/check.py --compose "$compose"
