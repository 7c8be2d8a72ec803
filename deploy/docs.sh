#!/usr/bin/env bash
# Generates web pages from the documentation of the shared modules.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/docs.sh [--output FOLDER] [MODULE…]

Builds the modules and generates a DocC site from the documentation comments of every module in Shared, or of the given modules.
Uses the `docc` of the Swift toolchain. At the end it prints the command that serves the site.

  --output FOLDER   folder for the site (default: .build/documentation)
  --help            shows this text
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
# `package` is the widest access level in this project. SwiftPM's built-in command avoids a plugin, which would be a dependency of
# every build. Tests are left out, because their generated modules have no documentation.
VIGIL_PROGRAMS_ONLY=1 swift package dump-symbol-graph --minimum-access-level package --skip-synthesized-members \
    >"$scratch/said" 2>&1 || fail "The modules can't be read: $(grep -a 'error' "$scratch/said" | tail -n 5)"
graphs=$(sed -n 's/^Files written to //p' "$scratch/said")
mkdir "$scratch/graphs"
if [ ${#modules[@]} = 0 ]; then
    # Only modules with Swift sources; the others are headers of C libraries.
    mapfile -t modules < <(find Shared -name '*.swift' | sed -E 's#^Shared/((Contracts|Domain|Formats|Platform)/)?([^/]+)/.*#\3#' | sort -u)
fi
for module in "${modules[@]}"; do
    # Includes its extensions of other modules' types: files with an @ in their names.
    cp "$graphs/$module".symbols.json "$scratch/graphs/" || fail "There is no module $module."
    find "$graphs" -name "$module@*.symbols.json" -exec cp {} "$scratch/graphs/" \;
done

docc convert --additional-symbol-graph-dir "$scratch/graphs" --fallback-display-name Vigil --fallback-bundle-identifier vigil \
    --transform-for-static-hosting --output-dir "$output" || fail "docc found errors: see above."
say "${#modules[@]} modules: ${modules[*]}"
say "To read it: python3 -m http.server --directory $output 8000, then http://127.0.0.1:8000/documentation/$(tr '[:upper:]' '[:lower:]' <<<"${modules[0]}")"
