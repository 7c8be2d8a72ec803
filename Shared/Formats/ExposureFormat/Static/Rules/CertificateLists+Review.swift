import FoundationEssentials

extension WireDscList: ReviewedMessage {
    func review(_ review: inout MessageReview) {
        review.each("certificates", certificates) { item, review in
            review.requireKeyIdentifier(item.kid)
            review.require(!item.data.isEmpty, "data", "must be a certificate in DER, in Base64")
        }
    }
}

extension WireRevocationKidList: ReviewedMessage {
    /// The kinds of hashes: https://github.com/ehn-dcc-development/eu-dcc-hcert-spec/blob/main/hcert_spec.md
    private static let hashTypes: Set<UInt8> = [0x0A, 0x0B, 0x0C]

    func review(_ review: inout MessageReview) {
        review.each("items", items) { item, review in
            review.requireKeyIdentifier(item.kid)
            review.require(
                item.hashTypes.allSatisfy { $0.count == 1 && $0.allSatisfy(Self.hashTypes.contains) }, "hashTypes",
                "must be one byte each, 0x0A, 0x0B or 0x0C, in Base64")
        }
        review.requireUnique(items.map(\.kid), "items.kid")
    }
}

extension WireValidationServiceAllowlist: ReviewedMessage {
    func review(_ review: inout MessageReview) {
        review.each("certificates", certificates) { item, review in
            review.require(!item.serviceProvider.isEmpty, "serviceProvider", "must not be empty")
            review.require(!item.hostname.isEmpty, "hostname", "must not be empty")
            review.requireDigest(item.fingerprint256, "fingerprint256")
        }
        review.each("serviceProviders", serviceProviders) { item, review in
            review.requireDigest(item.serviceIdentityHash, "serviceIdentityHash")
        }
    }
}

extension WireValueSets: ReviewedMessage {
    func review(_ review: inout MessageReview) {
        for (field, set) in [
            ("vp", vp), ("mp", mp), ("ma", ma), ("tg", tg), ("tcTt", tcTt), ("tcMa", tcMa), ("tcTr", tcTr),
        ] {
            review.inside(field) { review in
                review.each("items", set.items) { item, review in
                    review.require(!item.key.isEmpty, "key", "must not be empty")
                }
                review.requireUnique(set.items.map(\.key), "items.key")
            }
        }
    }
}

extension MessageReview {
    /// The beginning of a certificate's SHA-256, by which certificates name their signer. Several signers may share one.
    fileprivate mutating func requireKeyIdentifier(_ bytes: Data) {
        require(bytes.count == 8, "kid", "must be 8 bytes in Base64")
    }

    fileprivate mutating func requireDigest(_ bytes: Data, _ field: String) {
        require(bytes.count == 32, field, "must be a SHA-256, 32 bytes in Base64")
    }
}
