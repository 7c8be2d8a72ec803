import CMatching

/// The instructions that compute broadcasts: the processor's best, or simpler ones.
struct MatchingCode: Hashable, Sendable, CustomStringConvertible {
    let hash: vigil_matching_hash
    let cipher: vigil_matching_cipher

    /// The fastest code that runs on this processor.
    static let best = MatchingCode(hash: vigil_matching_best_hash(), cipher: vigil_matching_best_cipher())

    /// All code that runs on this processor, the portable one first.
    static let available: [MatchingCode] = (0...best.hash.rawValue).flatMap { hash in
        (0...best.cipher.rawValue).map { cipher in
            MatchingCode(hash: vigil_matching_hash(rawValue: hash), cipher: vigil_matching_cipher(rawValue: cipher))
        }
    }

    private init(hash: vigil_matching_hash, cipher: vigil_matching_cipher) {
        self.hash = hash
        self.cipher = cipher
    }

    var description: String { "hash \(hash.rawValue), cipher \(cipher.rawValue)" }
}
