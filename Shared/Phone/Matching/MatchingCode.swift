import CMatching

/// The instructions with which broadcasts are computed: what the processor has, or less.
struct MatchingCode: Hashable, Sendable, CustomStringConvertible {
    let hash: vigil_matching_hash
    let cipher: vigil_matching_cipher

    /// The fastest that runs here.
    static let best = MatchingCode(hash: vigil_matching_best_hash(), cipher: vigil_matching_best_cipher())

    /// All that run here, the portable one first.
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
