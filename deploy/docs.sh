#!/usr/bin/env bash
# Makes web pages of the shared modules' documentation.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/docs.sh [--output FOLDER] [MODULE…]

Builds, and makes a DocC site of the documentation comments of every module in Shared, or of those that are named, with the `docc`
of the Swift toolchain. Ends with the command that serves it.

  --output FOLDER   where the site is put (.build/documentation)
  --help            this text
TEXT
}

output="$checkout/.build/documentation"
modules=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --output) output=${2:?--output needs a folder} && shift ;;
        -*) fail "docs.sh has no option $1; see --help." ;;
        *) modules+=("$1") ;;
    esac
    shift
done

prepare_machine
check_disk "$checkout" 6000
cd "$checkout"
command -v docc >/dev/null || fail "The Swift toolchain on the PATH has no docc: install a complete one."

say "Building, and reading what the modules offer; the first time this takes some minutes …"
scratch=$(mktemp -d /tmp/vigil-scratch.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
# `package` is the widest access level here. SwiftPM's own command does it: a plugin would be one more dependency of every build.
# Without the tests, of whose generated modules there is nothing to read.
VIGIL_PROGRAMS_ONLY=1 swift package dump-symbol-graph --minimum-access-level package --skip-synthesized-members \
    >"$scratch/said" 2>&1 || fail "The modules can't be read: $(grep -a 'error' "$scratch/said" | tail -n 5)"
graphs=$(sed -n 's/^Files written to //p' "$scratch/said")
mkdir "$scratch/graphs"
if [ ${#modules[@]} = 0 ]; then
    # Those with Swift sources; the others are headers of C libraries.
    mapfile -t modules < <(find Shared -name '*.swift' | sed -E 's#^Shared/((Contracts|Domain|Formats|Platform)/)?([^/]+)/.*#\3#' | sort -u)
fi
for module in "${modules[@]}"; do
    # With what it adds to others' types, in files whose names have an @.
    cp "$graphs/$module".symbols.json "$scratch/graphs/" || fail "There is no module $module."
    find "$graphs" -name "$module@*.symbols.json" -exec cp {} "$scratch/graphs/" \;
done

docc convert --additional-symbol-graph-dir "$scratch/graphs" --fallback-display-name Vigil --fallback-bundle-identifier vigil \
    --transform-for-static-hosting --output-dir "$output" || fail "docc found errors: see above."
say "${#modules[@]} modules: ${modules[*]}"
say "To read it: python3 -m http.server --directory $output 8000, then http://127.0.0.1:8000/documentation/$(tr '[:upper:]' '[:lower:]' <<<"${modules[0]}")"
