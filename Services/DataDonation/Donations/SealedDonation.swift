import Credentials
import DonationFormat
import ExposureKeys
import HourKeys

import enum Crypto.Curve25519

/// A donation that only the holder of the hour's private key can open (``RowEnvelope``).
///
/// There are four sizes (``Room``). A row lies beside what admitted its app, so its length should say little about its content.
struct SealedDonation: Sendable {
    /// As ``RowEnvelope`` seals it.
    let bytes: [UInt8]

    fileprivate static let envelope = RowEnvelope(for: "vigil donation 1")

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// How many bytes a row has.
    enum Room: Int, CaseIterable, Sendable {
        /// Twenty encounters of usual length, of six scans, beside everything else: more than most people have in a day.
        case common = 2048
        /// Two hundred: those of the two weeks before a test.
        case test = 16_384
        /// As many as are kept, 672.
        case large = 65_536
        /// Whatever the contract's limit lets through. Data are at most a few bytes longer here than on the wire.
        case largest = 198_656

        /// For content, in bytes.
        fileprivate var size: Int { rawValue - RowEnvelope.overhead - Plaintext.headSize }

        private var next: Room { Room.allCases.first { $0.rawValue > rawValue } ?? self }

        /// Of so many donations, one has a larger row than it needs. So a larger row proves nothing; it costs 450 bytes a donation.
        private static let share = 32

        /// For content of so many bytes; nil if it has too many.
        static func fitting(_ count: Int, using random: inout some RandomNumberGenerator) -> Room? {
            let least = Room.allCases.first { $0.size >= count }
            return Int.random(in: 0..<share, using: &random) == 0 ? least?.next : least
        }
    }

    /// Seals a donation to an hour's key.
    /// - Throws: `DonationFlaw/tooLarge` if it fits into no row.
    static func seal(_ data: AnalyticsData, tag: Digest, to hourKey: HourPublicKey) throws -> SealedDonation {
        let content = try data.encoded()
        var random = SystemRandomNumberGenerator()
        guard let room = Room.fitting(content.count, using: &random) else { throw DonationFlaw.tooLarge }
        return try seal(content, of: data.client.system.platform, in: room, tag: tag, to: hourKey)
    }

    /// Seals content in a room that is large enough.
    static func seal(
        _ content: [UInt8], of platform: AppClient.Platform, in room: Room, tag: Digest, to hourKey: HourPublicKey
    ) throws -> SealedDonation {
        let plaintext = Plaintext.encode(content, of: platform, in: room)
        return SealedDonation(bytes: try envelope.seal([(tag, plaintext)], to: hourKey).first ?? [])
    }

    /// The donation; nil if the row wasn't sealed to this key or has been changed, or has no valid data. Safe to use from several threads.
    func open(tag: Digest, hour: Hour, with key: Curve25519.KeyAgreement.PrivateKey) -> AnalyticsData? {
        Self.envelope.open(bytes, tag: tag, hour: hour, with: key).flatMap(Plaintext.decode)
    }
}

/// The plaintext of a row: a version, the platform, the length of the content in four bytes, the content as a request has it, zeros.
private enum Plaintext {
    static let headSize = 6
    /// Another version is another form. What protocol buffers let a message gain needs none.
    private static let version: UInt8 = 1

    static func encode(_ content: [UInt8], of platform: AppClient.Platform, in room: SealedDonation.Room) -> [UInt8] {
        precondition(content.count <= room.size)
        var bytes: [UInt8] = [version, UInt8(platform.number)]
        bytes.reserveCapacity(headSize + room.size)
        withUnsafeBytes(of: UInt32(content.count).bigEndian) { bytes += $0 }
        bytes += content
        bytes += repeatElement(0, count: room.size - content.count)
        return bytes
    }

    static func decode(_ bytes: [UInt8]) -> AnalyticsData? {
        guard bytes.count >= headSize, bytes[0] == version,
            let platform = AppClient.Platform.allCases.first(where: { $0.number == bytes[1] })
        else { return nil }
        let count = bytes[2..<headSize].reduce(0) { $0 << 8 | Int($1) }
        guard count <= bytes.count - headSize else { return nil }
        return try? AnalyticsData(decoding: Array(bytes[headSize..<headSize + count]), from: platform)
    }
}

extension AppClient.Platform {
    /// In rows.
    var number: Int16 {
        switch self {
        case .iOS: 0
        case .android: 1
        }
    }
}
