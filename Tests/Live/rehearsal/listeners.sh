# What scanners find wrong with TLS. Sourced by rehearsal.sh, not run.

# Every listener with TLS: its container, port and kind (see tls.py), whose certificate it takes, and the name that it proves.
# The doors, the database and what the edge and Prometheus call are named here, and one caller of each other is found.
listeners=(
    "metadata-proxy 8000 public - localhost" "edge 8040 public - localhost" "download-server 8040 public - download-server" "health-portal 8070 public - localhost"
    "test-result-server 8020 mutual lab test-result-server" "postgres 5432 postgres - postgres"
    "health-portal 8071 public - localhost" "health-portal 8072 mutual contact-tracing health-portal" "metadata-proxy 8007 mutual prometheus metadata-proxy"
    "fold 8036 mutual prometheus fold" "download-server 8046 mutual prometheus download-server" "health-portal 8077 mutual prometheus health-portal"
    "federation 8097 mutual prometheus federation" "data-donation 8117 mutual prometheus data-donation"
    "donation-fold 8116 mutual prometheus donation-fold" "further 8147 mutual prometheus further"
)
while read -r service port caller; do
    clients=mutual
    [ "${service#development-}" = "$service" ] || clients=public
    # It knows nobody but the country.
    [ "$service" != development-gateway ] || { clients=mutual && caller=../../files/federation-gateway; }
    listeners+=("$service $port $clients $caller $service")
done < <(describe --calls | sort -u -k 1,2)

scan_listeners() {
    local listener service port kind caller name certificate
    say "Scanning ${#listeners[@]} listeners; half a minute each …"
    for listener in "${listeners[@]}"; do
        read -r service port kind caller name <<<"$listener"
        certificate=-
        [ "$caller" = - ] || certificate="$VIGIL_SECRETS/state/certificates/$caller"
        printf '%s %s %s %s %s\n' "$name" "$port" "$kind" "$certificate" "${addresses[$service]%% *}"
    done | "$python" "$checkout/Tests/Live/rehearsal/tls.py" "$stage" "$VIGIL_SECRETS/files/ca.pem" ||
        object "A listener's TLS is not as it should be; see above."
}
