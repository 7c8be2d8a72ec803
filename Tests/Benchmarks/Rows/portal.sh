# The health portal, in a suite as `vigil-dev up` starts it, on the first core; officers' browsers on the second. Every page comes over
# TLS, through PostgreSQL, and codes through verification-server too. Figures are one divided by the 99th percentile, in seconds; the
# references are what officers should wait at most.

portal_port=28000

portal_prepare() {
    [ -z "${portal_suite:-}" ] || return 0
    say "  starting a suite …"
    local setting settings=()
    officers_file 20 >"$scratch/users.json"
    # They make more codes than a day has calls.
    for setting in development-identity.users="$scratch/users.json" verification-server.teleTAN.hourlyLimit=100000 verification-server.teleTAN.officerHourlyLimit=100000 \
        health-portal.signIn.attemptsPerMinute=10000; do
        settings+=(--set "$setting")
    done
    taskset -c 0 "${benchmarks%/*}/vigil-dev" up --state "$scratch/portal" --first-port "$portal_port" "${settings[@]}" \
        >"$scratch/portal.log" 2>&1 &
    portal_suite=$!
    local attempt
    for attempt in $(seq 1200); do
        ! grep -q '^The suite is running' "$scratch/portal.log" || break
        kill -0 "$portal_suite" 2>/dev/null || fail "The suite doesn't start: $(tail -n 1 "$scratch/portal.log")"
        sleep 0.1
    done
    grep -q '^The suite is running' "$scratch/portal.log" || fail "The suite isn't ready: $(tail -n 1 "$scratch/portal.log")"
    "${benchmarks%/*}/vigil-dev" figures --connection "$(portal_owner)" >"$scratch/figures.log" 2>&1 ||
        fail "There are no figures: $(tail -n 1 "$scratch/figures.log")"
}

# The connection string of the suite's owner.
portal_owner() { sed -n 's/.*psql "\(.*\)"/\1/p' "$scratch/portal.log"; }

# The provider's users: $1 officers, and somebody who sees figures.
officers_file() {
    python3 - "$1" <<'TEXT'
import base64, json, sys
officers = [(f"officer-{n}", "c19hotline") for n in range(1, int(sys.argv[1]) + 1)] + [("analyst", "vigil_statistics")]
print(json.dumps([{"name": name, "password": "vigil-development", "secret": base64.b32encode(name.ljust(20, "-").encode()).decode(),
                   "subject": name, "fullName": name, "roles": [role]} for name, role in officers]))
TEXT
}

# $1: what officers do; $2: how many there are. Prints one divided by the 99th percentile.
portal_rate() {
    taskset -c 1 "$benchmarks" officers --portal "https://127.0.0.1:$((portal_port + 70))" \
        --control "http://127.0.0.1:$((portal_port + 83))" --authorities "$scratch/portal/certificates/ca.pem" \
        --activity "$1" --officers "$2" --seconds "$seconds" 2>"$scratch/officers.log" |
        awk '{ print 1000 / $6 }'
}

portal_code_prepare() { portal_prepare; }
# Codes of the last hour are counted when one is made. An authority makes some hundreds.
portal_code_ours() {
    "$postgres_programs/psql" -q "$(portal_owner)" -c "TRUNCATE verification.tele_tan" && portal_rate codes 20
}
portal_code_reference() { echo 10; }
portal_code_end() { :; }

# Thirteen weeks of figures; the last byte counts, which is later than the first.
portal_statistics_prepare() { portal_prepare; }
portal_statistics_ours() { portal_rate figures 1; }
portal_statistics_reference() { echo 20; }
portal_statistics_end() { :; }
