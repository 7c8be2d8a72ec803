import Crypto
import ExposureKeys
import Testing

@testable import Exposures

/// Identifiers and metadata that others published, or received over the air.
@Suite struct BroadcastVectorTests {
    /// A day of the vectors that were published with the specification (google/exposure-notifications-internals, `TestVectors.java`):
    /// 144 identifiers and 144 encrypted metadata. The digest is SHA-256 over all of them, each identifier followed by its metadata.
    @Test func `a day's identifiers and metadata are those of the 288 published vectors`() throws {
        let schedule = KeySchedule(try key("75c734c6dd1a782de7a965da5eb93125"))
        #expect(schedule.identifierKey == SymmetricKey(data: hex("185ad91db69ec7dd048960f1f3ba6175")))
        #expect(schedule.metadataKey == SymmetricKey(data: hex("d57c46af7a1d83965b9bed8bd152936a")))
        let day = try (2_642_976..<2_642_976 + 144).map {
            try schedule.advertisement(at: IntervalNumber(rawValue: $0), BroadcastMetadata(transmitPower: 8))
        }
        #expect(hex(day[0].identifier.bytes) == "8be6cd371c5c891604bfbe49df845096")
        #expect(hex(day[0].metadata.bytes) == "72033874")
        #expect(hex(day[1].identifier.bytes) == "3c9a1de5dd6b02afa7fded7b570b3e56")
        #expect(hex(day[1].metadata.bytes) == "c29211b1")
        #expect(hex(day[143].identifier.bytes) == "f431b62ecf443102ce4ed0407de54bd4")
        #expect(hex(day[143].metadata.bytes) == "1215e57e")
        let digest = SHA256.hash(data: day.flatMap { $0.identifier.bytes + $0.metadata.bytes })
        #expect(hex(Array(digest)) == "0e691522b0c307d0ea092217a7eebb74d6c04d9c5fa7decf02bd28e0bee01e6c")
    }

    struct Received: Sendable {
        let key: String
        let interval: UInt32
        let identifier: String
        let encrypted: String
        let metadata: String
        let transmitPower: Int8
    }

    /// Of phones: corona-warn-app/cwa-app-android, issue 75; mh-/diagnosis-keys and mh-/exposure-notification-ble-python, README.
    static let received = [
        Received(
            key: "2765f41dbaa6306a264391913bf48723", interval: 2_652_091,
            identifier: "31fc2cf219fe6dc6765d860e979ba9e5",
            encrypted: "10413a43", metadata: "40f20000", transmitPower: -14),
        Received(
            key: "b534b9654ba21dcd60a9b3e17d620443", interval: 2_653_408,
            identifier: "1b013a80678747f73b140e8e3e46a3aa",
            encrypted: "919c3296", metadata: "40f20000", transmitPower: -14),
        Received(
            key: "b534b9654ba21dcd60a9b3e17d620443", interval: 2_653_409,
            identifier: "99b8e671e0759ca9532a25ea3f992a8b",
            encrypted: "36563b98", metadata: "40e80000", transmitPower: -24),
        Received(
            key: "b534b9654ba21dcd60a9b3e17d620443", interval: 2_653_410,
            identifier: "f357370f15be3f7ec06030ca34899223",
            encrypted: "9be98c37", metadata: "40e80000", transmitPower: -24),
        Received(
            key: "7921b817fdb92074df5345594273756f", interval: 2_649_435,
            identifier: "5811408cf8d88d2b33f73773a7c6d45f",
            encrypted: "a3e9517f", metadata: "400c0000", transmitPower: 12),
    ]

    @Test("what phones broadcast is recognised and read", arguments: received)
    func overTheAir(received: Received) throws {
        let schedule = KeySchedule(try key(received.key))
        let identifier = try schedule.identifier(at: IntervalNumber(rawValue: received.interval))
        #expect(hex(identifier.bytes) == received.identifier)
        let encrypted = try #require(EncryptedMetadata(hex(received.encrypted)))
        let metadata = try #require(try schedule.decrypt(encrypted, under: identifier))
        #expect(metadata == BroadcastMetadata(transmitPower: received.transmitPower))
        #expect(metadata.packed == EncryptedMetadata(hex(received.metadata))?.rawValue)
        #expect(try schedule.encrypt(metadata, under: identifier) == encrypted)
    }

    @Test("the keys of phones are derived as others derived them")
    func derivedKeys() throws {
        let one = KeySchedule(try key("2765f41dbaa6306a264391913bf48723"))
        #expect(one.identifierKey == SymmetricKey(data: hex("34fbbd748ee78bb386d1bab2df7b4165")))
        #expect(one.metadataKey == SymmetricKey(data: hex("e01962eba7d4b5f40226e91ef9f6c050")))
        let other = KeySchedule(try key("7921b817fdb92074df5345594273756f"))
        #expect(other.identifierKey == SymmetricKey(data: hex("eae8956644770f952871daf549c0ce7e")))
        #expect(other.metadataKey == SymmetricKey(data: hex("a1d0bd6f94b053cf622ca88194e20611")))
    }

    @Test("metadata of every power and confidence come back, and are unreadable under another identifier's mask")
    func metadata() throws {
        let schedule = KeySchedule(KeyData(high: 1, low: 2))
        let (one, other) = (
            try schedule.identifier(at: IntervalNumber(rawValue: 5)),
            try schedule.identifier(at: IntervalNumber(rawValue: 6))
        )
        for power in Int8.min...Int8.max {
            for confidence in CalibrationConfidence.allCases {
                let metadata = BroadcastMetadata(transmitPower: power, calibrationConfidence: confidence)
                let encrypted = try schedule.encrypt(metadata, under: one)
                #expect(try schedule.decrypt(encrypted, under: one) == metadata)
                #expect(try schedule.decrypt(encrypted, under: other) != metadata)
            }
        }
    }

    @Test("another major version isn't read, and reserved bits are ignored")
    func versions() throws {
        #expect(BroadcastMetadata(packed: 0x80) == nil)
        #expect(BroadcastMetadata(packed: 0) == nil)
        #expect(BroadcastMetadata(packed: 0xc0) == nil)
        let later = try #require(BroadcastMetadata(packed: 0xffff_ec6b))
        #expect(later.transmitPower == -20)
        #expect(later.calibrationConfidence == .medium)
    }

    private func key(_ text: String) throws -> KeyData { try #require(KeyData(hex(text))) }
}

func hex(_ text: String) -> [UInt8] {
    var text = text[...]
    var bytes: [UInt8] = []
    while !text.isEmpty {
        bytes += [UInt8(text.prefix(2), radix: 16)].compactMap(\.self)
        text = text.dropFirst(2)
    }
    return bytes
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
