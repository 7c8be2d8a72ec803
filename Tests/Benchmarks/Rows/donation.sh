# Donations of data with an assertion of App Attest, each of another phone: the service, which talks TLS, and PostgreSQL count, on the first
# core. The reference is a verification by OpenSSL and then, by pgbench, a donation's statements in one transaction; pgbench and PostgreSQL
# count. Ours also opens TLS, reads requests of 16 kB, and seals each donation (HPKE); one in 32 of its rows has 16 kB instead of 2.

donation_app=A1B2C3D4E5.org.example.app
donation_prepare() {
    suite_prepare
    mkdir -p "$scratch/suite/donation-keys"
    # Makes the keys that donations are sealed to, for the next twelve hours.
    env LOG_LEVEL=error HOUR_KEYS_DIRECTORY="$scratch/suite/donation-keys" \
        POSTGRES_CONNECTION="host=$scratch user=vigil_donation_fold dbname=postgres" \
        "${benchmarks%/*}/data-donation" fold --as-of "$(date -u +%FT%TZ)" >"$scratch/fold.log" 2>&1 ||
        fail "The fold failed: $(tail -n 1 "$scratch/fold.log")"
    verification_start data-donation vigil_donation APP_PORT=18935 REDEMPTION_PORT=18936 ADMIN_PORT=18937 \
        SECRETS_HASH_KEY="$scratch/suite/key" APP_ATTEST_APPS="$donation_app"
    donation_server=$!
    serving_wait 18935
    say "  making keys and assertions …"
    # More donors than either side can serve in that time: each donates once.
    "$benchmarks" donation-evidence --base https://localhost:18935 --folder "$scratch/suite" --app "$donation_app" \
        --count $((6000 * seconds)) || fail "The donors can't be made."
    postgres_sql "CREATE TABLE bench_donor (key_hash bytea, public_key bytea, n serial)"
    postgres_sql "\\copy bench_donor (key_hash, public_key) FROM '$scratch/suite/donors'"
    donation_script
}

# What a donation comes down to, in the service's words. pgbench finds donors by numbers, and stores the same bytes for each.
donation_script() {
    local hour key sealed donor='sha256(:n::text::bytea)' tag="sha256(('tag ' || :n)::bytea)"
    IFS='|' read -r hour key < <(postgres_value \
        "SELECT hour, public_key FROM donation.hour_key WHERE NOT closed ORDER BY hour LIMIT 1")
    sealed=$(head -c 2048 /dev/urandom | od -An -v -tx1 | tr -d ' \n')
    cat >"$scratch/donation.sql" <<SQL
\\set turn :turn + 1
\\set n :turn * $postgres_connections + :client_id
BEGIN;
SELECT public_key, counter FROM donation.attested_key WHERE key_hash = $donor;
WITH content AS (SELECT donation.store_donation($hour, '$key', $tag, '\\x$sealed') AS outcome), evidence AS (
    UPDATE donation.attested_key SET counter = 1, used_day = $((hour / 24)), written_hour = $hour
    FROM content WHERE outcome = 'stored' AND key_hash = $donor AND counter < 1 RETURNING true
), share AS (
    INSERT INTO donation.quota AS known (purpose, subject_hash, last_hour, is_taken, written_hour)
    SELECT 3, $donor, $((hour + 23)), true, $hour FROM evidence
    ON CONFLICT (purpose, subject_hash) DO UPDATE
    SET last_hour = excluded.last_hour, is_taken = true, written_hour = excluded.written_hour
    WHERE known.last_hour <= $hour OR NOT known.is_taken RETURNING true
)
SELECT outcome, EXISTS (SELECT FROM evidence), EXISTS (SELECT FROM share) FROM content;
COMMIT;
SQL
}

# All donors donated yesterday. $1: how their keys' hashes are made.
donation_reset() {
    postgres_sql "TRUNCATE donation.inbox, donation.quota, donation.attested_key" &&
        postgres_sql "INSERT INTO donation.attested_key (key_hash, public_key, counter, used_day)
            SELECT $1, public_key, 0, extract(epoch FROM now())::integer / 86400 - 1 FROM bench_donor" &&
        postgres_sql "VACUUM ANALYZE donation.attested_key" && postgres_sql "CHECKPOINT"
}

donation_ours() { donation_reset key_hash && verification_rate donations 18935 32 "$donation_server"; }
donation_reference() {
    local verified stored
    # By the processor's time: openssl's default.
    verified=$(taskset -c 0 openssl speed -seconds "$seconds" -mr ecdsap256 2>"$scratch/openssl.log" | sed -n 's/^+F4:.*://p')
    donation_reset 'sha256(n::text::bytea)' && stored=$(pgbench_cpu_rate "$scratch/donation.sql" 1 -D turn=0) || return
    # None was refused.
    [ "$(postgres_value 'SELECT count(*) FROM donation.inbox')" = \
        "$(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$scratch/pgbench.out")" ] || return
    awk -v v="$verified" -v s="$stored" 'BEGIN { print 1 / (1 / v + 1 / s) }'
}
donation_end() {
    kill "$donation_server" && wait "$donation_server" 2>/dev/null || true
    postgres_sql "DROP TABLE bench_donor"
}
