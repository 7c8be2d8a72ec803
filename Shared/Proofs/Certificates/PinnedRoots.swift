import Crypto
package import FoundationEssentials
import SwiftASN1
package import X509

/// The certificates of authorities to which those of a proof have to lead.
package struct PinnedRoots: Hashable, Sendable {
    private let certificates: [Certificate]
    /// SHA-256 of each, 32 bytes. Who accepts only an authority that exists in the world compares them with its digest.
    package let digests: Set<[UInt8]>

    /// Characters of the longest text that is read.
    private static let longest = 65_536

    /// Reads one or more certificates of authorities in PEM; nil for anything else.
    package init?(pem: String) {
        guard pem.utf8.count <= Self.longest, let documents = try? PEMDocument.parseMultiple(pemString: pem),
            !documents.isEmpty
        else { return nil }
        var certificates: [Certificate] = []
        for document in documents {
            guard let certificate = try? Certificate(pemDocument: document), certificate.mayIssue(authoritiesBelow: 0)
            else { return nil }
            certificates.append(certificate)
        }
        self.certificates = certificates
        digests = Set(documents.map { Array(SHA256.hash(data: $0.derBytes)) })
    }

    /// Whether it is one of them.
    package func contains(_ certificate: Certificate) -> Bool { certificates.contains(certificate) }

    /// Whether one of them that is valid at this time issued a certificate.
    /// - Parameter count: of the authorities between the root and the certificate at the end.
    package func issued(_ certificate: Certificate, authoritiesBelow count: Int, at now: Date) -> Bool {
        certificates.contains { root in
            root.isValid(at: now) && root.mayIssue(authoritiesBelow: count) && root.issued(certificate)
        }
    }
}
