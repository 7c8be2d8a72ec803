package import Crypto
package import Dispatch
import Synchronization

/// A private key on a token, which signs without revealing the key.
///
/// One session with the token stays open while the key is in use, and makes one signature at a time. If the session is lost
/// (the token was unplugged, the connection broke, somebody logged out), a new one is opened, once per signature.
package final class PKCS11Key: Sendable {
    /// The public half, as read from the token at startup.
    package let publicKey: PKCS11PublicKey
    private let place: PKCS11URI
    private let kinds: [PKCS11KeyKind]
    private let timeout: DispatchTimeInterval
    private let session: Mutex<State>
    /// The queue for blocking calls. Only it takes the lock, so the lock is never contended.
    let queue = DispatchQueue(label: "pkcs11")

    private enum State {
        case open(PKCS11Session)
        case lost
        /// The PIN was wrong when a lost session was reopened.
        ///
        /// It isn't tried again, however often the job is repeated: the token would lock.
        case refused
    }

    /// Opens the session and makes a test signature, so that a key that can't sign is reported at start and not in the next
    /// hour. Blocks until the token answers; call it before anything else runs.
    /// - Parameters:
    ///   - kinds: those that the caller uses; a key of another kind is refused.
    ///   - timeout: the limit for a signature, including those queued before it.
    package init(
        _ place: PKCS11URI, kinds: [PKCS11KeyKind], timeout: DispatchTimeInterval = .seconds(60)
    ) throws(PKCS11Problem) {
        let session = try PKCS11Session(place, kinds: kinds)
        self.place = place
        self.kinds = kinds
        self.timeout = timeout
        publicKey = session.publicKey
        let digest = SHA256.hash(data: Array("Vigil tries this key.".utf8))
        guard publicKey.accepts(try session.sign(digest), over: digest) else { throw .publicKeyDoesNotMatch }
        self.session = Mutex(.open(session))
    }

    /// Signs a digest.
    /// - Returns: ECDSA in DER (X9.62), or RSA with the padding of PKCS #1, version 1.5.
    /// - Throws: ``PKCS11Problem``.
    package func sign(_ digest: SHA256Digest) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            let answer = FirstAnswer(continuation)
            queue.async { answer.give(Result { try self.signInSession(digest) }) }
            // A call of the module can't be interrupted. It continues, and its answer is ignored.
            DispatchQueue.global().asyncAfter(deadline: .now() + timeout) {
                answer.give(.failure(PKCS11Problem.noAnswer))
            }
        }
    }

    private func signInSession(_ digest: SHA256Digest) throws(PKCS11Problem) -> [UInt8] {
        try session.withLock { state throws(PKCS11Problem) in
            switch state {
            case .refused: throw .pinRefused
            case .lost: break
            case .open(let session):
                do throws(PKCS11Problem) {
                    return try session.sign(digest)
                } catch {
                    guard error.isTransient else { throw error }
                    state = .lost
                }
            }
            let fresh: PKCS11Session
            do throws(PKCS11Problem) {
                fresh = try PKCS11Session(place, kinds: kinds)
            } catch {
                if error == .pinRefused { state = .refused }
                throw error
            }
            guard fresh.publicKey == publicKey else { throw .otherKey }
            state = .open(fresh)
            return try fresh.sign(digest)
        }
    }
}

/// Resumes a continuation with the first of several answers.
private final class FirstAnswer: Sendable {
    private let continuation: Mutex<CheckedContinuation<[UInt8], any Error>?>

    init(_ continuation: CheckedContinuation<[UInt8], any Error>) {
        self.continuation = Mutex(continuation)
    }

    func give(_ answer: Result<[UInt8], any Error>) {
        continuation.withLock { $0.take() }?.resume(with: answer)
    }
}
