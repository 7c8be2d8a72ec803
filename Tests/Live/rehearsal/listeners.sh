# What scanners find wrong with TLS. Sourced by rehearsal.sh, not run.

# Every listener with TLS: its container, port and kind (see tls.py), whose certificate it takes, and the name that it proves.
listeners=(
    "metadata-proxy 8000 public - localhost" "verification-server 8010 mutual metadata-proxy verification-server"
    "verification-server 8011 mutual portal verification-server"
    "verification-server 8012 mutual submission-server verification-server"
    "test-result-server 8020 mutual lab test-result-server" "test-result-server 8021 mutual verification-server test-result-server"
    "submission-server 8030 mutual metadata-proxy submission-server" "push-dispatcher 8050 mutual metadata-proxy push-dispatcher"
    "metadata-proxy 8007 mutual prometheus metadata-proxy" "fold 8036 mutual prometheus fold"
    "development-apns 8061 public push-dispatcher development-apns"
    "development-apns 8062 public push-dispatcher development-apns" "postgres 5432 postgres - postgres"
)

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
