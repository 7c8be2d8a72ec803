#!/usr/bin/env bash
# Searches for input that breaks a decoder, with libFuzzer.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/Fuzz/fuzz.sh [OPTION…] [TARGET…]

Builds the decoders and parsers of everything that others send with libFuzzer, and searches for input that crashes one, or
that breaks a promise: what is written as it was read is read as the same, a stream in pieces is the same as at once, limits
hold. A target is one decoder; without a name it is all of them. The search starts from Tests/Fuzz/Corpus/TARGET, with the
words of a file in Tests/Fuzz/Dictionaries; deploy/test.sh tries the same decoders with a bounded number of mutations.

First the control is searched, a decoder with a planted fault: if that isn't found, no search means anything. At the end there is
a table, also in .build/fuzz/table.txt: runs, the edges of the program that some input has reached, and what was found.

  --seconds N   for each target (default 30)
  --runs N      instead of seconds: so many runs over all targets, each of which gets the same share
  --seed N      the same search each time, for a check that mustn't depend on chance; 0, the default, is another one each time
  --jobs N      searches at the same time (default: one for each core)
  --address     with the address sanitizer and the search for leaks, which is slower; it has a build of its own
  --list        the names of the targets
  --help        this text

Inputs that break a decoder are kept in .build/fuzz/found/TARGET. Copy them to Tests/Fuzz/Corpus/TARGET together with the fix.
TEXT
}

seconds=30
runs=
seed=0
jobs=$(nproc)
sanitizers=(--sanitize fuzzer)
build=.build/fuzz/build
list=
targets=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --seconds | --runs | --seed | --jobs)
            [[ ${2:-} =~ ^[1-9][0-9]{0,8}$ ]] || fail "$1 needs a number from 1 to 999999999."
            case $1 in
                --seconds) seconds=$2 ;;
                --runs) runs=$2 ;;
                --seed) seed=$2 ;;
                *) jobs=$2 ;;
            esac
            shift 2
            ;;
        --address)
            # Of several options `--sanitize` the compiler obeys the last one alone.
            sanitizers+=(-Xswiftc "-sanitize=address,fuzzer")
            build=.build/fuzz/build-address
            shift
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

# Otherwise the order of a dictionary changes the path.
[ "$seed" = 0 ] || export SWIFT_DETERMINISTIC_HASHING=1

# The dictionary of a target's format; none for formats whose words the corpus has.
dictionary() {
    case $1 in
        control) echo control ;;
        http1-*) echo http1 ;;
        http2-*) echo http2 ;;
        tls-*) echo tls ;;
        der | ber | certificate | federation-signature) echo asn1 ;;
        pem | *-key | certificate-request) echo pem ;;
        jwks | compact-signature | encrypted-token | signed-token) echo jose ;;
    esac
}

prepare_machine
check_disk "$checkout" 6000
cd "$checkout"

say "Building with libFuzzer; the first time this takes some minutes …"
# A folder of its own, because everything is built with other options.
VIGIL_FUZZ=1 swift build --scratch-path "$build" --product fuzz "${sanitizers[@]}" \
    --explicit-target-dependency-import-check error ||
    fail "The build failed: see what the compiler says above."
fuzz=$checkout/$build/debug/fuzz

# Searches a target; a file says what came of it: its name, runs, edges, and what was found.
# $1: the target; then libFuzzer's options.
search() {
    local target=$1 corpus=.build/fuzz/corpus/$1 found=.build/fuzz/found/$1 status=0 longest=4096 words count edges result
    shift
    # What earlier searches have kept would change this one.
    [ "$seed" = 0 ] || rm -rf "$corpus"
    mkdir -p "$corpus" "$found"
    rm -f "$found.row"
    # Most messages are shorter than this by far. A sealed diary is padded to 16 KiB.
    [ "$target" != venue-diary-file ] || longest=20480
    # New inputs go to the first folder.
    set -- "$@" "$corpus"
    [ ! -d "Tests/Fuzz/Corpus/$target" ] || set -- "$@" "Tests/Fuzz/Corpus/$target"
    words=$(dictionary "$target")
    [ -z "$words" ] || set -- "-dict=Tests/Fuzz/Dictionaries/$words.dict" "$@"
    # Swift's own report of a crash would come first, and the input would not be kept.
    SWIFT_BACKTRACE=enable=no VIGIL_FUZZ_TARGET=$target "$fuzz" -max_len="$longest" -timeout=10 -rss_limit_mb=2048 \
        -seed="$seed" -print_final_stats=1 -artifact_prefix="$found/" "$@" >"$found.log" 2>&1 || status=$?
    count=$(sed -n 's/^stat::number_of_executed_units: *\([0-9]*\).*/\1/p' "$found.log")
    edges=$(grep -o 'cov: [0-9]*' "$found.log" | tail -n 1 | cut -d ' ' -f 2)
    result=nothing
    # Without coverage nothing leads the search.
    [ "${edges:-0}" -gt 0 ] || result="BROKEN: no coverage, see $found.log"
    [ "$status" = 0 ] || result="BROKEN, see $found.log"
    printf '%s\t%s\t%s\t%s\n' "$target" "${count:-0}" "${edges:-0}" "$result" >"$found.row"
}

say "Searching the control …"
rm -rf .build/fuzz/corpus/control .build/fuzz/found/control
search control -max_total_time=60
grep -q "the fault that was planted" .build/fuzz/found/control.log ||
    fail "FAILED: the planted fault was not found, see .build/fuzz/found/control.log."

if [ -n "$runs" ]; then
    limit=-runs=$(((runs + ${#targets[@]} - 1) / ${#targets[@]}))
else
    limit=-max_total_time=$seconds
fi
say "Searching ${#targets[@]} targets, $jobs at a time, each with $limit …"
# Each search has a process group, by which it can be ended.
set -m
stop() {
    local job
    for job in $(jobs -pr); do kill -- "-$job" 2>/dev/null || true; done
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
done=0
for target in "${targets[@]}"; do
    while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    search "$target" "$limit" &
    done=$((done + 1))
    say "$done of ${#targets[@]}: $target"
done
wait

for target in "${targets[@]}"; do
    cat ".build/fuzz/found/$target.row" 2>/dev/null || printf '%s\t0\t0\tBROKEN: it did not end\n' "$target"
done >.build/fuzz/rows.txt
{
    printf 'target\truns\tedges\tfound\n'
    cat .build/fuzz/rows.txt
    awk -F '\t' '{ runs += $2; edges += $3; if ($4 != "nothing") found++ }
        END { printf "all\t%d\t%d\t%s\n", runs, edges, found ? found : "nothing" }' .build/fuzz/rows.txt
} | column -t -s $'\t' | tee .build/fuzz/table.txt
if grep -q BROKEN .build/fuzz/rows.txt; then fail "FAILED: the inputs are in .build/fuzz/found."; fi
say "PASSED: ${#targets[@]} targets, and the planted fault was found."
