import Credentials
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Running
import Serving
import TraceKeyAPI
import TraceKeyFormat

/// `POST /v3/traceKeys`: stores trace keys of a health authority, all or none.
///
/// Token first, then body: nobody without a token learns what a body lacks, and a body that is refused leaves the token good. The token
/// is used up in the transaction that stores the keys; a repeat of its body succeeds again.
struct UploadTraceKeys: Sendable {
    let authority: TraceKeyAuthority
    let store: TraceKeyStore
    let clock: WallClock

    func handle(_ upload: TraceKeyUpload, from caller: Caller) async throws -> NoContent {
        guard let text = upload.token, let token = try await authority.upload(allowedBy: text) else {
            throw Problem.unauthorized
        }
        let now = clock.now
        guard let list = TraceKeyList(json: upload.body), (1...TraceKeyAPI.maximumKeys).contains(list.keys.count),
            list.keys.allSatisfy({ $0.isCurrent(at: now) }), Self.areDistinct(list.keys)
        else { throw Problem.badRequest }
        switch try await store.insert(list.keys, by: token, body: Digest(sha256: upload.body), at: now) {
        case .stored: return NoContent()
        case .otherBody: throw Problem(.conflict)
        case .full: throw Problem.tooManyRequests
        }
    }

    /// Whether no two keys have the same identity and nonce: the table has room for one of them, and the other would be lost.
    private static func areDistinct(_ keys: [TraceKey]) -> Bool {
        Set(keys.map { $0.identity + $0.nonce }).count == keys.count
    }
}
