import Certificates
import CompactJOSE
import FoundationEssentials
import SwiftASN1
import X509

/// The certificates that come with a statement: the signer's, then each one's issuer (RFC 7515, section 4.1.6).
///
/// The order is given, so there is no path to search for, and each certificate is looked at once at most.
struct CertificateChain: Sendable {
    let leaf: Certificate
    private let issuers: [Certificate]

    /// The signer's, two authorities', and what leads a new root to an old one: Google's had two to four.
    private static let most = 5
    /// Characters of the longest certificate.
    private static let longest = 8192

    /// Nil unless each text is one certificate.
    init?(_ texts: [String]) {
        guard (1...Self.most).contains(texts.count) else { return nil }
        var certificates: [Certificate] = []
        for text in texts {
            guard text.utf8.count <= Self.longest, let der = PaddedBase64.bytes(text),
                let certificate = try? Certificate(derEncoded: der)
            else { return nil }
            certificates.append(certificate)
        }
        leaf = certificates.removeFirst()
        issuers = certificates
    }

    /// Whether the certificates lead to a root, all of them valid at this time (RFC 5280, section 6.1, without policies
    /// and revocation: the statement is of this moment, and says nothing about either).
    func leads(to roots: PinnedRoots, at now: Date) -> Bool {
        guard leaf.isValid(at: now), leaf.maySign else { return false }
        var certificate = leaf
        for (count, issuer) in issuers.enumerated() {
            if roots.issued(certificate, authoritiesBelow: count, at: now) { return true }
            guard issuer.isValid(at: now), issuer.mayIssue(authoritiesBelow: count), issuer.issued(certificate) else {
                return false
            }
            certificate = issuer
        }
        return roots.issued(certificate, authoritiesBelow: issuers.count, at: now)
    }
}

extension Certificate {
    /// Whether it is for exactly this host.
    func names(_ host: String) -> Bool {
        guard let names = try? extensions.subjectAlternativeNames else { return false }
        return names.contains { name in
            if case .dnsName(let text) = name { text.lowercased() == host } else { false }
        }
    }
}
