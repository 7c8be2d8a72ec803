import COpenSSL
import Certificates
import Crypto
import FoundationEssentials
import HTTPContract
import Running
import SwiftASN1

@testable import AppAttest
@testable import Serving
@testable import TLS
@testable import X509

/// Certificates, chains of them and requests for them.
extension Verdicts {
    static let certificateAnswers: [String: @Sendable (inout Case) throws -> String] = [
        "server": server, "client": client, "attest": attest, "certificate": certificate, "request": request,
    ]

    /// Which part of an attestation's chain isn't accepted.
    enum Refusal: Error { case chain, root, form, key }

    // MARK: TLS

    /// Whether a client of ours accepts a server: the server's name, the root, the server's key, its chain.
    private static func server(_ one: inout Case) throws -> String {
        let name = try one.text()
        let trusted = try pem([one.bytes()])
        let context = try TLSMaterial.anonymousClient(trusting: Array(trusted.utf8), protocols: [])
        return hexadecimal(SHA256.hash(data: try shake(context, serverName: name, &one)))
    }

    /// Whether a listener of ours accepts a caller, and as whom: the root, the caller's key, its chain.
    private static func client(_ one: inout Case) throws -> String {
        let own = try ownIdentity.get()
        let contents = TLSContents(
            certificate: Array(own.certificatePEM.utf8), key: Array(own.privateKeyPEM.utf8),
            authorities: Array(try pem([one.bytes()]).utf8), denied: nil)
        let context = try TLSMaterial(contents).mutualServer().context
        let shown = try shake(context, serverName: nil, &one)
        let caller = Caller(certificate: PeerCertificate(derBytes: shown))
        return "\(caller.role?.rawValue ?? "-") \(hexadecimal(caller.name.utf8))"
    }

    private static func shake(_ context: TLSContext, serverName: String?, _ one: inout Case) throws -> [UInt8] {
        if one.isNaive {
            SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER) { _, _ in 1 }
        }
        let key = try one.bytes()
        let handshake = try Handshake(context, serverName: serverName, chain: one.rest(), key: key)
        defer { handshake.end() }
        return try handshake.run()
    }

    private static let ownIdentity = Result {
        let now = Date()
        let validity = now.addingTimeInterval(-3600)..<now.addingTimeInterval(864_000)
        return try CertificateAuthority.create(name: "listener", validity: validity).issueLeaf(
            commonName: "listener", role: nil, validity: validity)
    }

    private static func pem(_ certificates: [[UInt8]]) throws -> String {
        certificates.map { PEMDocument(type: Certificate.defaultPEMDiscriminator, derBytes: $0).pemString + "\n" }
            .joined()
    }

    // MARK: Proofs

    /// Whether the certificates of an attestation lead to a root: the root, the time in seconds, the leaf and the intermediate one.
    private static func attest(_ one: inout Case) throws -> String {
        let root = try one.bytes()
        let now = Date(timeIntervalSince1970: Double(try one.number()))
        let (leaf, intermediate) = (try one.bytes(), try one.bytes())
        if one.isNaive {
            let chain = try [leaf, intermediate, root].map { try Certificate(derEncoded: $0) }
            guard zip(chain, chain.dropFirst()).allSatisfy({ $0.issuer == $1.subject }) else { throw Refusal.chain }
            return ""
        }
        guard let roots = PinnedRoots(pem: try pem([root])) else { throw Refusal.root }
        guard let certificates = AttestationCertificates(leaf: leaf, intermediate: intermediate) else {
            throw Refusal.form
        }
        guard certificates.lead(to: roots, at: now) else { throw Refusal.chain }
        guard certificates.key != nil else { throw Refusal.key }
        return ""
    }

    // MARK: Alone

    /// What is read of one certificate: version, serial number, validity in seconds, how many extensions and names it has.
    ///
    /// The bytes that were read have to be the bytes that are written.
    private static func certificate(_ one: inout Case) throws -> String {
        let bytes = try one.bytes()
        let read = try Certificate(derEncoded: bytes)
        precondition(read.derBytes == bytes, "a certificate is written as it was read")
        let names = (try? read.extensions.subjectAlternativeNames).map { "\($0.count)" } ?? "-"
        let times = [read.notValidBefore, read.notValidAfter].map { Int($0.timeIntervalSince1970) }
        return
            "\(read.version.rawValue) \(read.serialNumber.hexadecimal) \(times[0]) \(times[1]) \(read.extensions.count) \(names)"
    }

    /// Whether a laboratory's request would be signed; then its key.
    private static func request(_ one: inout Case) throws -> String {
        hexadecimal(try CertificateRequest(one.bytes()).publicKey.info.derBytes)
    }
}
