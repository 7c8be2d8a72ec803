import Certificates
import Crypto
import FoundationEssentials
import SwiftASN1
import X509

/// The certificates of an attestation: the leaf, which Apple makes for one key and one challenge, and the intermediate
/// one.
///
/// Only the root is pinned: the intermediate certificate ends in 2030.
struct AttestationCertificates: Sendable {
    private let leaf: Certificate
    private let intermediate: Certificate

    /// Nil unless each of the two is one certificate.
    init?(leaf: [UInt8], intermediate: [UInt8]) {
        guard let leaf = try? Certificate(derEncoded: leaf),
            let intermediate = try? Certificate(derEncoded: intermediate)
        else { return nil }
        self.leaf = leaf
        self.intermediate = intermediate
    }

    /// Whether the leaf leads over the intermediate certificate to a root, all of them valid at this time, and each may
    /// do what it does here. Nobody publishes revocations.
    func lead(to roots: PinnedRoots, at now: Date) -> Bool {
        leaf.isValid(at: now) && leaf.isForStatements && intermediate.isValid(at: now)
            && intermediate.mayIssue(authoritiesBelow: 0) && intermediate.issued(leaf)
            && !roots.contains(intermediate) && roots.issued(intermediate, authoritiesBelow: 1, at: now)
    }

    /// The attested key, nil unless it is on P-256.
    var key: AppAttestPublicKey? {
        P256.Signing.PublicKey(leaf.publicKey).map { AppAttestPublicKey($0) }
    }

    /// What the leaf says of the attested data, 32 bytes. Nil unless it does so once, and in Apple's form.
    ///
    /// A certificate with an extension twice wasn't read.
    var nonce: [UInt8]? {
        guard let value = leaf.extensions[oid: .appAttestNonce]?.value, value.count == Self.statementBytes,
            value.starts(with: Self.statementPrefix)
        else { return nil }
        return Array(value.dropFirst(Self.statementPrefix.count))
    }

    /// SEQUENCE { [1] { OCTET STRING of 32 bytes } } in DER.
    private static let statementPrefix: [UInt8] = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20]
    private static let statementBytes = 38
}

extension Certificate {
    /// Whether it says that it is no authority's, and that its key is for signatures. Apple's leaves say both.
    fileprivate var isForStatements: Bool {
        guard maySign, case .notCertificateAuthority? = try? extensions.basicConstraints,
            let usage = try? extensions.keyUsage
        else { return false }
        return !usage.keyCertSign
    }
}

extension ASN1ObjectIdentifier {
    /// Apple's extension of a leaf with the hash of what was attested.
    fileprivate static let appAttestNonce: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 2]
}
