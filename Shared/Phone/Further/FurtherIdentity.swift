import Crypto
package import ExposureKeys
package import FoundationEssentials
package import FurtherAPI

/// By which ids an installation of the Further app is known to those who meet it.
package enum FurtherIdentity: Codable, Hashable, Sendable {
    /// One id for ever, as in the published app: whoever meets it twice knows that.
    case lasting(UUID)
    /// An id for each UTC day, from a secret of 32 bytes that never leaves the phone (further, `README.md`, "Next Steps": rotating UUID).
    case daily(secret: [UInt8])

    /// Identifies a new installation with daily ids.
    package static func daily() -> FurtherIdentity {
        .daily(secret: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
    }

    /// The id that is broadcast during a day.
    ///
    /// A daily one is the first 16 bytes of HMAC-SHA-256 over the day's number (4 bytes, the most significant first) under the secret, in
    /// the form of a version-4 UUID (RFC 9562, 5.4). Days can't be linked without the secret.
    package func id(on day: Day) -> UUID {
        switch self {
        case .lasting(let id): return id
        case .daily(let secret):
            let number = withUnsafeBytes(of: day.number.bigEndian) { Array($0) }
            let code = HMAC<SHA256>.authenticationCode(for: number, using: SymmetricKey(data: secret))
            return UUID(randomBytes: Array(code))
        }
    }

    /// A call with records under daily ids. It always has 14 of them in random order, and no two calls look different: those that say
    /// nothing have random ids and are negative, so the server stores nothing of them.
    /// - Parameters:
    ///   - days: of which ids the answers are sent; the latest 14 count.
    package func batch(
        of answers: Questionnaire.Answers, lastUpdate: Int64, on days: [Day],
        using random: inout some RandomNumberGenerator
    ) -> [HealthReport] {
        let told = days.sorted().suffix(FurtherAPI.batchCount)
        var batch = told.map { HealthReport(id: id(on: $0), answers: answers, lastUpdate: lastUpdate) }
        while batch.count < FurtherAPI.batchCount {
            let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
            batch.append(HealthReport(id: UUID(randomBytes: bytes), answers: .negative, lastUpdate: lastUpdate))
        }
        return batch.shuffled(using: &random)
    }
}

extension UUID {
    /// The version-4 UUID of the first 16 bytes, of which 122 bits count.
    fileprivate init(randomBytes bytes: [UInt8]) {
        self.init(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6] & 0x0F | 0x40, bytes[7],
                bytes[8] & 0x3F | 0x80, bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}
