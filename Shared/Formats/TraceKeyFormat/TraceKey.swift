package import ExposureKeys
package import FoundationEssentials

/// What a health authority publishes about a venue at an hour at which somebody infectious was there (CrowdNotifier/techspec; the
/// fourth version, swisscovid-cn-backend).
///
/// Who was at the venue at that hour derives the same identity from its QR code, decrypts with the secret key what was encrypted at
/// check-in, and reads the associated data. To everybody else it names nothing. Only lengths and the day are checked here: whether the
/// secret key is one for this identity can be found out with BLS12-381 pairings alone, which stay with who made it.
package struct TraceKey: Hashable, Comparable, Sendable {
    /// 32 bytes.
    package let identity: [UInt8]
    /// A point of G1 as mcl serialises it: 48 bytes.
    package let secretKey: [UInt8]
    /// The hour's day.
    package let day: Day
    /// XSalsa20-Poly1305 of times and message, 16...1,024 bytes.
    package let associatedData: [UInt8]
    /// 24 bytes.
    package let nonce: [UInt8]

    /// The version of the layout, which each key names.
    package static let version = 4
    /// A venue's identity at an hour.
    package static let identitySize = 32
    /// A point of G1.
    package static let secretKeySize = 48
    /// A tag of 16 bytes, and a message of a few sentences.
    package static let associatedDataSizes = 16...1024
    /// Of XSalsa20.
    package static let nonceSize = 24
    /// Days after its own for which a key is offered: phones keep their diaries as long.
    package static let daysKept = 14

    /// Nil for another number of bytes.
    package init?(identity: [UInt8], secretKey: [UInt8], day: Day, associatedData: [UInt8], nonce: [UInt8]) {
        guard identity.count == Self.identitySize, secretKey.count == Self.secretKeySize,
            Self.associatedDataSizes.contains(associatedData.count), nonce.count == Self.nonceSize
        else { return nil }
        self.identity = identity
        self.secretKey = secretKey
        self.day = day
        self.associatedData = associatedData
        self.nonce = nonce
    }

    /// By identity, then by all the rest: the order tells nothing about who uploaded what, or when, and equal sets have one.
    package static func < (left: TraceKey, right: TraceKey) -> Bool {
        guard left.sortedBytes != right.sortedBytes else { return left.day < right.day }
        return left.sortedBytes.lexicographicallyPrecedes(right.sortedBytes)
    }

    private var sortedBytes: [UInt8] { identity + nonce + secretKey + associatedData }

    /// Whether the key may be uploaded: its day has begun, and phones still remember it.
    package func isCurrent(at now: Date) -> Bool {
        day <= Day(containing: now) && !hasExpired(at: now)
    }

    /// Whether phones have forgotten the day.
    package func hasExpired(at now: Date) -> Bool {
        day.advanced(by: Self.daysKept) < Day(containing: now)
    }
}
