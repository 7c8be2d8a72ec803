import ExposureKeys
import Exposures
import Testing

@testable import Phone

@Suite struct KeyScheduleTests {
    /// Published with the Exposure Notification Cryptography Specification: a key, and the first of its broadcasts. The
    /// others were computed with another library.
    static let key: [UInt8] = [
        0x75, 0xc7, 0x34, 0xc6, 0xdd, 0x1a, 0x78, 0x2d, 0xe7, 0xa9, 0x65, 0xda, 0x5e, 0xb9, 0x31, 0x25,
    ]
    private static let firstInterval: UInt32 = 2_642_976

    struct Broadcast: Sendable {
        let interval: UInt32
        let identifier: [UInt8]
    }

    static let broadcasts = [
        Broadcast(
            interval: firstInterval,
            identifier: [
                0x8b, 0xe6, 0xcd, 0x37, 0x1c, 0x5c, 0x89, 0x16, 0x04, 0xbf, 0xbe, 0x49, 0xdf, 0x84, 0x50, 0x96,
            ]),
        Broadcast(
            interval: firstInterval + 1,
            identifier: [
                0x3c, 0x9a, 0x1d, 0xe5, 0xdd, 0x6b, 0x02, 0xaf, 0xa7, 0xfd, 0xed, 0x7b, 0x57, 0x0b, 0x3e, 0x56,
            ]),
        Broadcast(
            interval: firstInterval + 143,
            identifier: [
                0xf4, 0x31, 0xb6, 0x2e, 0xcf, 0x44, 0x31, 0x02, 0xce, 0x4e, 0xd0, 0x40, 0x7d, 0xe5, 0x4b, 0xd4,
            ]),
    ]

    @Test("broadcasts are those of the published test vectors", arguments: broadcasts)
    func vectors(broadcast: Broadcast) throws {
        let schedule = KeySchedule(try #require(KeyData(Self.key)))
        let identifier = try schedule.identifier(at: IntervalNumber(rawValue: broadcast.interval))
        #expect(identifier.bytes == broadcast.identifier)
    }

    @Test("a day's broadcasts all differ, and another key's are others")
    func distinct() throws {
        let other = [UInt8](repeating: 0, count: 16)
        let identifiers = try [Self.key, other].flatMap { bytes in
            let schedule = KeySchedule(try #require(KeyData(bytes)))
            return try (0..<144).map {
                try schedule.identifier(at: IntervalNumber(rawValue: Self.firstInterval + $0))
            }
        }
        #expect(Set(identifiers).count == 288)
    }
}
