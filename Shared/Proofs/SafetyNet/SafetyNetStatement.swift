package import Certificates
import CompactJOSE
import Crypto
import CryptoExtras
package import FoundationEssentials
import X509

/// What Google's attestation service said of an app and its device, until it was switched off in 2025. Apps for the
/// Corona-Warn-App's servers send it (`PPACAndroid.safetyNetJws`).
///
/// A value says that the statement is Google's, and nothing of what it is worth: see ``SafetyNetPolicy``.
package struct SafetyNetStatement: Hashable, Sendable {
    /// What it is bound to, in Base64; nil if it isn't.
    package let nonce: String?
    /// When it was made.
    package let instant: Date
    /// The app; nil if it wasn't judged.
    package let packageName: String?
    /// SHA-256 of the certificates with which the app was signed, each in Base64.
    package let certificateDigests: [String]
    /// Whether nothing shows that the device was tampered with.
    package let hasBasicIntegrity: Bool
    /// Whether the device passed Android's compatibility tests.
    package let matchesProfile: Bool
    /// How Google found out: `BASIC`, `HARDWARE_BACKED`.
    package let evaluations: Set<String>

    /// The host of Google's certificate.
    package static let host = "attest.android.com"
    /// Characters of the longest text that is read. Google's have about 8,000.
    package static let longest = 32_768

    private static let algorithm = "RS256"

    /// Verifies a statement: a JWS with RS256, whose certificates lead to a root.
    ///
    /// No other algorithm is accepted, whatever the header says.
    package init(_ text: String, roots: PinnedRoots, now: Date) throws(SafetyNetFlaw) {
        guard !text.isEmpty else { throw .missing }
        guard let token = CompactJWS(text, longest: Self.longest), token.header.algorithm == Self.algorithm,
            let chain = CertificateChain(token.header.certificates),
            // Nil for less than 2048 bits, too.
            let key = _RSA.Signing.PublicKey(chain.leaf.publicKey)
        else { throw .unreadable }
        guard chain.leads(to: roots, at: now) else { throw .chain }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: token.signature)
        guard key.isValidSignature(signature, for: token.signedBytes, padding: .insecurePKCS1v1_5) else {
            throw .forged
        }
        guard chain.leaf.names(Self.host) else { throw .host }
        try self.init(payload: token.payload)
    }

    /// Reads what Google signed.
    init(payload: [UInt8]) throws(SafetyNetFlaw) {
        guard let read = try? JSONDecoder().decode(Payload.self, from: Data(payload)),
            (0..<Self.latest).contains(read.timestampMs)
        else { throw .unreadable }
        nonce = read.nonce
        instant = Date(timeIntervalSince1970: Double(read.timestampMs) / 1000)
        packageName = read.apkPackageName
        certificateDigests = read.apkCertificateDigestSha256 ?? []
        hasBasicIntegrity = read.basicIntegrity ?? false
        matchesProfile = read.ctsProfileMatch ?? false
        evaluations = Set(
            (read.evaluationType ?? "").split(separator: ",").map { $0.filter { !$0.isWhitespace } })
    }

    /// Milliseconds: a time in the year 2286.
    private static let latest: Int64 = 10_000_000_000_000

    private struct Payload: Decodable {
        let nonce: String?
        let timestampMs: Int64
        let apkPackageName: String?
        let apkCertificateDigestSha256: [String]?
        let basicIntegrity: Bool?
        let ctsProfileMatch: Bool?
        let evaluationType: String?
    }
}
