import Certificates
import Crypto
import DevelopmentAttestation
import Foundation
import SafetyNet

/// A request of an old app, and a statement about it by a simulated Google.
enum Sample {
    /// 2026-11-24, at noon.
    static let now = Date(timeIntervalSince1970: 1_795_521_600)
    static let validity = now - 86_400..<now + 90 * 86_400
    static let packageName = "de.rki.coronawarnapp"
    static let salt = Array("0123456789abcdef".utf8)
    static let payload = Array("what the phone sends".utf8)
    static let digest = [UInt8](SHA256.hash(data: Array("the app's certificate".utf8)))

    /// A root and a mint below it. An RSA key takes a while.
    static let made = Result {
        let root = try EvidenceRoot.make(validity: now - 365 * 86_400..<now + 3650 * 86_400)
        return (root: root, mint: try SafetyNetMint(root: root, validity: validity))
    }

    static var mint: SafetyNetMint { get throws { try made.get().mint } }

    static var roots: PinnedRoots { get throws { try pinned(made.get().root.certificatePEM) } }

    static var saltText: String { Data(salt).base64EncodedString() }

    static func pinned(_ pem: String) throws -> PinnedRoots {
        guard let roots = PinnedRoots(pem: pem) else { throw SafetyNetFlaw.chain }
        return roots
    }

    /// What a policy with every demand admits.
    static func statement(_ change: (inout SimulatedStatement) -> Void = { _ in }) -> SimulatedStatement {
        var statement = SimulatedStatement(
            nonce: Data(SafetyNetPolicy.nonce(salt: salt, payload: payload)).base64EncodedString(),
            packageName: packageName, certificateDigests: [Data(digest).base64EncodedString()], at: now)
        change(&statement)
        return statement
    }

    /// What is wrong with a token; nil for nothing.
    static func flaw(of token: String, roots: PinnedRoots? = nil, at now: Date = now) throws -> SafetyNetFlaw? {
        let roots = try roots ?? Self.roots
        do throws(SafetyNetFlaw) {
            _ = try SafetyNetStatement(token, roots: roots, now: now)
            return nil
        } catch {
            return error
        }
    }
}
