# Matching and judging on the reference phone against C++ programs of ours, over OpenSSL where there are keys, one core each. What was heard
# is put in order, and the diary's keys are prepared before; a phone does that once for all packages.

# Compiles the reference in the folder of a name, and keeps what it finds.
match_prepare() {
    g++ -std=c++17 -O3 -o "$scratch/match-reference" "$checkout/Tests/Benchmarks/Rows/$1/reference.cpp" -lcrypto ||
        fail "The reference for $1 does not compile."
    match_expected=$("$scratch/match-reference" 0 | sed -n 's/^matches //p')
    [ "${match_expected%% *}" -gt 0 ] || fail "The reference for $1 finds nothing."
}

# A program and its arguments. Prints keys or reports per second of processor time; nothing if it found anything else than the reference.
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

# The same 28,000 keys and the same encounters.
match_28k_prepare() { match_prepare match; }
match_28k_ours() { match_rate "$benchmarks" matching --seconds "$seconds"; }
match_28k_reference() { match_rate "$scratch/match-reference" "$seconds"; }
match_28k_end() { :; }

# The same 100,000 reports about venues, each tried with the same 40 keys.
venue_match_prepare() { match_prepare venue-match; }
venue_match_ours() { match_rate "$benchmarks" venue-matching --seconds "$seconds"; }
venue_match_reference() { match_rate "$scratch/match-reference" "$seconds"; }
venue_match_end() { :; }

# The same 200 exposure windows of each of 64 phones.
risk_day_prepare() { match_prepare risk-day; }
risk_day_ours() { match_rate "$benchmarks" risk-day --seconds "$seconds"; }
risk_day_reference() { match_rate "$scratch/match-reference" "$seconds"; }
risk_day_end() { :; }
