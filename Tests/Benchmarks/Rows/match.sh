# Matching on the reference phone against a C++ program of ours over OpenSSL: the same 28,000 keys and the same encounters, one
# core each. What was heard is put in order before; a phone does that once for all packages.

match_28k_prepare() {
    g++ -std=c++17 -O3 -o "$scratch/match-reference" "$checkout/Tests/Benchmarks/Rows/match/reference.cpp" -lcrypto ||
        fail "The reference for match-28k does not compile."
    match_expected=$("$scratch/match-reference" 0 | sed -n 's/^matches //p')
    [ "${match_expected%% *}" -gt 0 ] || fail "The reference for match-28k finds nothing."
}

# A program and its arguments. Prints keys per second of processor time; nothing if it found anything else than the reference.
match_rate() {
    local answer found
    answer=$(taskset -c 0 "$@" 2>"$scratch/match.log") || return
    found=$(sed -n 's/^matches //p' <<<"$answer")
    if [ "$found" != "$match_expected" ]; then
        printf '%s found %s matches (number and digest), not %s.\n' "${1##*/}" "$found" "$match_expected" >"$scratch/match.log"
        return 1
    fi
    sed -n 's/.*"cpu_seconds":\([0-9.]*\),"operations":\([0-9]*\).*/\2 \1/p' <<<"$answer" | awk '{ print $1 / $2 }'
}

match_28k_ours() { match_rate "$benchmarks" matching --seconds "$seconds"; }
match_28k_reference() { match_rate "$scratch/match-reference" "$seconds"; }
match_28k_end() { :; }
