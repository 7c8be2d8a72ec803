import FoundationEssentials
import Synchronization

/// The certificate of the gateway's operator, whose private key is kept offline and signs the certificates of all
/// countries.
package struct TrustAnchor: Hashable, Sendable {
    /// As pinned in the configuration.
    package let certificate: FederationCertificate
    private let algorithm: HashAlgorithm

    private let key: VerifyingKey
    /// Countries show the same certificates with every batch. Whether they are valid at a time isn't remembered.
    let accepted = Accepted()

    /// - Parameter smallestRSA: in bits, at least 2048. The anchors of the gateway's published test material have no more.
    /// - Throws: ``SignatureFlaw/key`` for a weak key, ``SignatureFlaw/algorithm`` unless the certificate itself is
    ///   signed by ECDSA or RSA with SHA-256 or better: the operator's signatures use the same algorithm.
    package init(_ certificate: FederationCertificate, smallestRSA: Int = 3072) throws(SignatureFlaw) {
        key = try VerifyingKey(of: certificate, smallestRSA: max(smallestRSA, 2048))
        guard let algorithm = certificate.hashAlgorithm(isRSA: key.isRSA) else { throw .algorithm }
        self.certificate = certificate
        self.algorithm = algorithm
    }

    /// Two anchors are the same if their certificates are.
    package static func == (left: TrustAnchor, right: TrustAnchor) -> Bool { left.certificate == right.certificate }
    /// By the certificate.
    package func hash(into hasher: inout Hasher) { hasher.combine(certificate) }

    /// Whether the operator signed a certificate's text.
    ///
    /// The signature is over the PEM that the gateway stores. Some clients and tables change its line ends, so the text
    /// is also tried with line ends of one character and one at its end.
    /// - Parameter signature: in Base64.
    package func signed(_ pem: String, signature: String) -> Bool {
        guard signature.utf8.count <= 2048, let bytes = Data(base64Encoded: signature) else { return false }
        func isSigned(_ text: String) -> Bool { key.accepts(Array(bytes), over: Array(text.utf8), by: algorithm) }
        return isSigned(pem) || isSigned(Self.normalised(pem))
    }

    private static func normalised(_ pem: String) -> String {
        let lines = pem.utf8.filter { $0 != UInt8(ascii: "\r") }.split(separator: UInt8(ascii: "\n"))
        return lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
    }
}

extension TrustAnchor {
    /// What an audit says of a certificate.
    struct Question: Hashable {
        let kind: AuditFlaw.Certificate
        let country: CountryCode
        let pem: String
        let thumbprint: String
        let signature: String
    }

    /// Certificates that passed every check, by what an audit said of them.
    final class Accepted: Sendable {
        private let certificates = Mutex<[Question: FederationCertificate]>([:])

        /// Countries have two each; more than that have been replaced.
        private static let most = 200

        subscript(question: Question) -> FederationCertificate? {
            get { certificates.withLock { $0[question] } }
            set {
                certificates.withLock { certificates in
                    if certificates.count >= Self.most { certificates = [:] }
                    certificates[question] = newValue
                }
            }
        }
    }
}
