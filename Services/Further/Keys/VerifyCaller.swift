import Crypto
import FoundationEssentials
import FurtherAPI
import HTTPContract
import Running

/// Whether calls have to be signed.
enum Signatures: String, CaseIterable, Sendable {
    /// Signatures aren't looked at.
    case off
    /// A call for an id that a key owns has to be signed with it. The app as it is published signs nothing, and so owns no id.
    case accepted
    /// Every call has to be signed.
    case required

    /// From `signatures`; accepted by default.
    init(_ settings: Settings) throws(ConfigurationProblem) {
        guard let mode = Self(rawValue: settings.string("signatures", default: Self.accepted.rawValue)) else {
            throw settings.wrong(
                "signatures", "must be one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = mode
    }
}

/// Verifies the signatures of calls. That a nonce is used once is for the transaction to see to.
struct VerifyCaller: Sendable {
    let signatures: Signatures
    let hashes: FurtherHashes
    let keys: KeyStore
    let clock: WallClock

    /// By how many seconds a signature may be older or newer than the server's time.
    static let window: Int64 = 300

    /// Who signed a call; nil if nobody did and nobody has to.
    /// - Throws: `Problem.unauthorized`.
    func signer(of message: SignedMessage<some JSONMessage & Equatable>, _ route: Route) async throws -> Signer? {
        guard signatures != .off else { return nil }
        guard let call = message.signature else {
            guard signatures == .accepted else { throw Problem.unauthorized }
            return nil
        }
        let now = Int64(clock.now.timeIntervalSince1970)
        let text = CallSignature.text(of: route, timestamp: call.timestamp, nonce: call.nonce, body: message.body)
        guard (now - Self.window...now + Self.window).contains(call.timestamp),
            let known = try await keys.publicKey(of: call.key),
            let key = try? P256.Signing.PublicKey(x963Representation: known),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: call.signature),
            key.isValidSignature(signature, for: text)
        else { throw Problem.unauthorized }
        return Signer(
            key: call.key, nonce: hashes.nonce(call.nonce, of: call.key), call: hashes.call(text), hashes: hashes)
    }
}
