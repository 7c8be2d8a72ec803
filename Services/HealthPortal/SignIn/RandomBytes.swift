import Crypto

extension [UInt8] {
    /// 32 bytes of the system's randomness: more than anybody can guess.
    static func random() -> [UInt8] {
        SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
    }

    /// Whether the bytes are equal; takes as long for every difference.
    func isEqual(to other: [UInt8]) -> Bool {
        count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
