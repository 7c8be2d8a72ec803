package import FoundationEssentials
import SwiftASN1
package import X509

/// What one certificate may do (RFC 5280, sections 4.2.1.3, 4.2.1.9 and 6.1), at a time that the caller gives.
extension Certificate {
    /// Extensions that may be critical, because they are obeyed here.
    private static let obeyed: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.subjectAlternativeName,
    ]

    /// SHA-1 and whatever else is weak isn't among them.
    private static let algorithms: Set<SignatureAlgorithm> = [
        .sha256WithRSAEncryption, .sha384WithRSAEncryption, .sha512WithRSAEncryption, .ecdsaWithSHA256,
        .ecdsaWithSHA384,
        .ecdsaWithSHA512,
    ]

    /// Whether this is a time between the two of its validity; both belong to it.
    package func isValid(at now: Date) -> Bool { notValidBefore <= now && now <= notValidAfter }

    /// Whether its key may sign statements.
    package var maySign: Bool { isUnderstood && mayUseKey { $0.digitalSignature } }

    /// Whether its key may sign certificates of others.
    /// - Parameter count: of the authorities between it and the certificate at the end.
    package func mayIssue(authoritiesBelow count: Int) -> Bool {
        guard isUnderstood, case .isCertificateAuthority(let longest)? = try? extensions.basicConstraints,
            mayUseKey({ $0.keyCertSign })
        else { return false }
        return longest.map { count <= $0 } ?? true
    }

    /// Whether its key signed another certificate, which names it.
    package func issued(_ certificate: Certificate) -> Bool {
        certificate.issuer == subject && Self.algorithms.contains(certificate.signatureAlgorithm)
            && publicKey.isValidSignature(certificate.signature, for: certificate)
    }

    /// Whether all that it demands is obeyed here, and the extensions that can be read are what RFC 5280 says.
    ///
    /// Constraints on names bind whoever validates, whether or not they are marked as critical (section 6.1.4).
    private var isUnderstood: Bool {
        extensions.allSatisfy { !$0.critical || Self.obeyed.contains($0.oid) }
            && extensions[oid: .X509ExtensionID.nameConstraints] == nil && isReadable
    }

    private var isReadable: Bool {
        do {
            _ = (try extensions.basicConstraints, try extensions.keyUsage, try extensions.extendedKeyUsage)
            _ = (try extensions.subjectAlternativeNames, try extensions.subjectKeyIdentifier)
            return true
        } catch {
            return false
        }
    }

    /// A certificate without the extension allows everything.
    private func mayUseKey(_ allows: (KeyUsage) -> Bool) -> Bool {
        do {
            return try extensions.keyUsage.map(allows) ?? true
        } catch {
            return false
        }
    }
}
