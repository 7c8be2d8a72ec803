#!/usr/bin/env bash
# Shows where a row of the benchmarks spends its time.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Benchmarks/measuring.sh"

usage() {
    cat <<'TEXT'
bash Tests/Benchmarks/profile.sh [--seconds N] [--folder FOLDER] ROW…

Measures our side of rows of deploy/bench.sh, four times each: by itself; with stacks recorded, of which it draws a flame graph,
FOLDER/ROW.svg; with allocations counted; and with system calls counted. Needs root, as the kernel's probes do. PostgreSQL is in the
rate, as in bench.sh, but not in the graph and the counts.

  --seconds N       length of one measurement (default 5)
  --folder FOLDER   where flame graphs go (default: the present folder)
  --help            this text
TEXT
}

seconds=5
folder=.
wanted=()
while [ $# -gt 0 ]; do
    case $1 in
        --seconds) seconds=${2:?--seconds needs a number} && shift ;;
        --folder) folder=${2:?--folder needs a folder} && shift ;;
        -h | --help)
            usage
            exit 0
            ;;
        -*) fail "profile.sh has no option $1; see --help." ;;
        *) wanted+=("$1") ;;
    esac
    shift
done
[ ${#wanted[@]} -gt 0 ] || fail "profile.sh needs the name of a row; see --help."
check_rows "${wanted[@]}"
[ "$(id -u)" = 0 ] || fail "profile.sh needs root."
mkdir -p "$folder"
folder=$(cd "$folder" && pwd -P)
packages+=(linux-perf)

finish() {
    trap - EXIT
    remove_probes
    end_rows
    stop_postgres
}
remove_probes() { perf probe -q -d 'vigil:*' 2>/dev/null || true; }
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
prepare_rows "${wanted[@]}"

# Every entrance by which a program gets memory; no one of them calls another.
probes=() allocations=
for name in malloc calloc realloc posix_memalign aligned_alloc; do
    probes+=(-a "vigil:$name=$name")
    allocations+=,vigil:$name
done
remove_probes
perf probe -q -x "$(ldd "$benchmarks" | awk '$1 ~ /^libc\.so/ { print $3 }')" "${probes[@]}" ||
    fail "The kernel takes no probes: see what perf says above."

# Measures our side once, watched by $observer, and prints its rate. $1: the row's function.
once() {
    rm -f "$scratch/operations"
    "$1_ours" || {
        cat "$scratch"/*.log >&2
        fail "The measurement failed; what the programs said stands above."
    }
    [ -s "$scratch/operations" ] || fail "This row does not tell how much it did, so there is no profile of it."
}

# Prints how many of some events there were for each thing done. $1: the row's function; $2: the events.
events() {
    observer=(perf stat -x , -o "$scratch/events" -e "$2")
    once "$1" >/dev/null
    awk -F , -v n="$(cat "$scratch/operations")" '$3 != "" { total += $1 } END { printf "%.3g", total / n }' "$scratch/events"
}

# The runtime keeps no frame pointers, so stacks are copied and unwound. The kernel's symbols tell how long system calls take.
profile() {
    local name=$1 unit=$2 function=${1//-/_} rate memory calls
    "${function}_prepare"
    observer=()
    rate=$(once "$function")
    observer=(perf record -q -B -F 999 --call-graph "dwarf,16384" -o "$scratch/stacks")
    once "$function" >/dev/null
    memory=$(events "$function" "${allocations#,}")
    calls=$(events "$function" raw_syscalls:sys_enter)
    "${function}_end"
    printf -v rate '%.0f %s, %s allocations and %s system calls for each' "$rate" "$unit" "$memory" "$calls"
    perf script -i "$scratch/stacks" --no-inline -F comm,pid,tid,ip,sym,dso 2>"$scratch/script.log" |
        python3 "$checkout/Tests/Benchmarks/flamegraph.py" "$name: $rate" >"$folder/$name.svg" || {
            cat "$scratch/script.log" >&2
            fail "$name: the stacks can't be drawn."
        }
    printf '%-23s %s\n' "$name" "$rate"
}

for name in "${wanted[@]}"; do
    for row in "${rows[@]}"; do
        if [ "${row%% *}" = "$name" ]; then profile "$name" "${row##* }"; fi
    done
done
