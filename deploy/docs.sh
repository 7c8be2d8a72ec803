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
# `package` is the widest access level here. No plugin is needed for this, which would be one more dependency of every build.
swift package dump-symbol-graph --minimum-access-level package --skip-synthesized-members >/dev/null ||
    fail "The modules can't be read: see above."
graphs=$(swift build --show-bin-path)/../symbolgraph
scratch=$(mktemp -d /tmp/vigil-scratch.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
if [ ${#modules[@]} = 0 ]; then
    # Those that have Swift in them: C modules are headers of others.
    mapfile -t modules < <(find Shared -name '*.swift' -path 'Shared/*' | sed -E 's#^Shared/((Contracts|Domain|Formats|Platform)/)?([^/]+)/.*#\3#' | sort -u)
fi
found=()
for module in "${modules[@]}"; do
    [ -e "$graphs/$module.symbols.json" ] || continue
    cp "$graphs/$module".symbols.json "$graphs/$module"@*.symbols.json "$scratch/" 2>/dev/null || true
    found+=("$module")
done
[ ${#found[@]} -gt 0 ] || fail "None of these is a module: ${modules[*]}."

docc convert --additional-symbol-graph-dir "$scratch" --fallback-display-name Vigil --fallback-bundle-identifier vigil \
    --transform-for-static-hosting --output-dir "$output" || fail "docc found errors: see above."
say "${#found[@]} modules: ${found[*]}"
say "To read it: python3 -m http.server --directory $output 8000, then http://127.0.0.1:8000/documentation/$(tr '[:upper:]' '[:lower:]' <<<"${found[0]}")"
