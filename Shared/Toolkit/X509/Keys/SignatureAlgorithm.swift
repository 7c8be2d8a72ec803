import SwiftASN1

extension Certificate {
    /// The algorithm of a certificate's signature.
    ///
    /// Certificates with others than the six can be read; their signatures count as wrong. SHA-1 isn't among the six.
    package struct SignatureAlgorithm: Hashable, Sendable {
        enum Hash: Hashable, Sendable {
            case sha256
            case sha384
            case sha512
        }

        enum Kind: Hashable, Sendable {
            case ecdsa(Hash)
            case rsa(Hash)
            case other(AlgorithmIdentifier)
        }

        let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        // RFC 5758, section 3.2, and RFC 4055, section 5.
        /// ECDSA with SHA-256 (RFC 5758, section 3.2).
        package static let ecdsaWithSHA256 = SignatureAlgorithm(.ecdsa(.sha256))
        /// ECDSA with SHA-384.
        package static let ecdsaWithSHA384 = SignatureAlgorithm(.ecdsa(.sha384))
        /// ECDSA with SHA-512.
        package static let ecdsaWithSHA512 = SignatureAlgorithm(.ecdsa(.sha512))
        /// RSA (PKCS #1, version 1.5) with SHA-256 (RFC 4055, section 5).
        package static let sha256WithRSAEncryption = SignatureAlgorithm(.rsa(.sha256))
        /// The same with SHA-384.
        package static let sha384WithRSAEncryption = SignatureAlgorithm(.rsa(.sha384))
        /// The same with SHA-512.
        package static let sha512WithRSAEncryption = SignatureAlgorithm(.rsa(.sha512))

        /// ECDSA has no parameters. RSA's are NULL, and readers have to accept none (RFC 4055, section 5).
        init(_ identifier: AlgorithmIdentifier) {
            let bare = AlgorithmIdentifier(algorithm: identifier.algorithm, parameters: .null)
            let known = [
                Self.ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512, .sha256WithRSAEncryption,
                .sha384WithRSAEncryption, .sha512WithRSAEncryption,
            ].first { $0.identifier == identifier || identifier.parameters == nil && $0.identifier == bare }
            self = known ?? Self(.other(identifier))
        }

        /// As it is written.
        var identifier: AlgorithmIdentifier {
            switch kind {
            case .ecdsa(.sha256): AlgorithmIdentifier(algorithm: .AlgorithmIdentifier.ecdsaWithSHA256)
            case .ecdsa(.sha384): AlgorithmIdentifier(algorithm: .AlgorithmIdentifier.ecdsaWithSHA384)
            case .ecdsa(.sha512): AlgorithmIdentifier(algorithm: .AlgorithmIdentifier.ecdsaWithSHA512)
            case .rsa(.sha256): .withNull(.AlgorithmIdentifier.sha256WithRSAEncryption)
            case .rsa(.sha384): .withNull(.AlgorithmIdentifier.sha384WithRSAEncryption)
            case .rsa(.sha512): .withNull(.AlgorithmIdentifier.sha512WithRSAEncryption)
            case .other(let identifier): identifier
            }
        }
    }

    /// The bytes of a signature, in their algorithm's form.
    package struct Signature: Hashable, Sendable {
        let bytes: ArraySlice<UInt8>
    }
}
