# A country's batches against the way of everybody else (Tests/Benchmarks/Rows/federation/reference.cpp): libprotobuf and OpenSSL's CMS.
# Both on the first core, the same keys.

federation_folder=
federation_prepare() {
    [ -z "$federation_folder" ] || return 0
    federation_folder="$scratch/federation"
    mkdir "$federation_folder"
    protoc --proto_path="$checkout/Shared/Formats/FederationFormat/Protobuf/protos" --cpp_out="$federation_folder" diagnosis_key_batch.proto &&
        g++ -std=c++17 -O3 -march=native -I "$federation_folder" -o "$federation_folder/reference" \
            "$checkout/Tests/Benchmarks/Rows/federation/reference.cpp" "$federation_folder/diagnosis_key_batch.pb.cc" -lprotobuf -lcrypto ||
        fail "The reference for federation can't be built."
    local name subject algorithm
    (
        cd "$federation_folder"
        while read -r name subject algorithm; do
            # shellcheck disable=SC2086
            openssl req -x509 -nodes -sha256 -days 30 -subj "/C=$subject/CN=$name" -newkey $algorithm -keyout "$name.key" -out "$name.pem"
        done <<'TEXT'
p256 DE ec -pkeyopt ec_paramgen_curve:P-256
rsa DE rsa:3072
anchor EU rsa:4096
FR FR rsa:3072
FR-tls FR rsa:3072
PL PL ec -pkeyopt ec_paramgen_curve:P-256
PL-tls PL ec -pkeyopt ec_paramgen_curve:P-256
TEXT
        "$benchmarks" federation-audit --folder . --prepare
        for name in FR PL; do
            openssl cms -sign -binary -md sha256 -signer "$name.pem" -inkey "$name.key" -in "$name.content" -outform DER -out "$name.signature"
        done
        for name in FR FR-tls PL PL-tls; do openssl dgst -sha256 -sign anchor.key -out "$name.operator" "$name.pem"; done
    ) >"$scratch/federation.log" 2>&1 || fail "The batches can't be prepared; see $scratch/federation.log."
}

# Batches of 4,000 keys that were serialised, sorted and signed, in turn with a key on P-256 and one for RSA with 3072 bits. Ours also
# verifies each signature before it leaves. Keys a second of processor time.
federation_upload_prepare() {
    federation_prepare
    match_expected=$("$federation_folder/reference" upload "$federation_folder" 0 | sed -n 's/^matches //p')
}
federation_upload_ours() { match_rate "$benchmarks" federation-upload --folder "$federation_folder" --seconds "$seconds"; }
federation_upload_reference() { match_rate "$federation_folder/reference" upload "$federation_folder" "$seconds"; }
federation_upload_end() { :; }

# Batches of two countries' uploads, 5,000 keys, read from Protocol Buffers and audited, against OpenSSL's verification of two signatures
# whose bytes are prepared. It is the first half of `federation-download`, which also stores the verified keys; the reference then
# verifies and copies the same rows.
federation_audit_prepare() {
    federation_prepare
    match_expected=$("$federation_folder/reference" verify "$federation_folder" 0 | sed -n 's/^matches //p')
}
federation_audit_ours() { match_rate "$benchmarks" federation-audit --folder "$federation_folder" --seconds "$seconds"; }
federation_audit_reference() { match_rate "$federation_folder/reference" verify "$federation_folder" "$seconds"; }
federation_audit_end() { :; }
