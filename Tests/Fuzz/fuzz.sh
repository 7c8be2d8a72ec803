#!/usr/bin/env bash
# Searches for input that breaks a decoder, with libFuzzer.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/Fuzz/fuzz.sh [OPTION…] [TARGET…]

Builds the decoders and parsers of everything that others send with libFuzzer, and searches for input that crashes one, or
that doesn't encode to what was decoded. A target is one decoder; without a name all run in turn. The search starts from
Tests/Fuzz/Corpus/TARGET; deploy/test.sh tries the same decoders with a bounded number of mutations.

  --seconds N   for each target (default 30)
  --list        the names of the targets
  --help        this text

Inputs that break a decoder are kept in .build/fuzz/found/TARGET. Copy them to Tests/Fuzz/Corpus/TARGET together with the fix.
TEXT
}

seconds=30
list=
targets=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --seconds)
            [[ ${2:-} =~ ^[1-9][0-9]{0,6}$ ]] || fail "--seconds needs a number from 1 to 9999999."
            seconds=$2
            shift 2
            ;;
        --list)
            list=yes
            shift
            ;;
        -*) fail "$1 is no option: see bash Tests/Fuzz/fuzz.sh --help." ;;
        *)
            targets+=("$1")
            shift
            ;;
    esac
done

# Each has a folder; a test sees to that.
mapfile -t known < <(ls "$checkout/Tests/Fuzz/Corpus")
if [ -n "$list" ]; then
    printf '%s\n' "${known[@]}"
    exit 0
fi
[ ${#targets[@]} -gt 0 ] || targets=("${known[@]}")
for target in "${targets[@]}"; do
    [[ " ${known[*]} " == *" $target "* ]] || fail "There is no target $target: see bash Tests/Fuzz/fuzz.sh --list."
done

prepare_machine
check_disk "$checkout" 6000
cd "$checkout"

say "Building with libFuzzer; the first time this takes some minutes …"
# A folder of its own, because everything is built with other options.
VIGIL_FUZZ=1 swift build --scratch-path .build/fuzz/build --product fuzz --sanitize fuzzer \
    --explicit-target-dependency-import-check error ||
    fail "The build failed: see what the compiler says above."
fuzz=$checkout/.build/fuzz/build/debug/fuzz

broken=()
for target in "${targets[@]}"; do
    corpus=.build/fuzz/corpus/$target found=.build/fuzz/found/$target
    mkdir -p "$corpus" "$found"
    status=0
    # Most messages are shorter than this by far. A sealed diary is padded to 16 KiB.
    longest=4096
    [ "$target" != venue-diary-file ] || longest=20480
    # New inputs go to the first folder.
    # Swift's own report of a crash would come first, and the input would not be kept.
    SWIFT_BACKTRACE=enable=no VIGIL_FUZZ_TARGET=$target "$fuzz" \
        -max_total_time="$seconds" -max_len="$longest" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$found/" "$corpus" "Tests/Fuzz/Corpus/$target" >"$found.log" 2>&1 || status=$?
    if [ "$status" = 0 ]; then
        say "$target: $(sed -n 's/^Done \([0-9]* runs\).*/\1/p' "$found.log"), nothing found."
    else
        say "$target: BROKEN, see $found.log."
        broken+=("$target")
    fi
done
[ ${#broken[@]} = 0 ] || fail "FAILED: ${broken[*]}; the inputs are in .build/fuzz/found."
say "PASSED: ${#targets[@]} targets, $seconds seconds each."
