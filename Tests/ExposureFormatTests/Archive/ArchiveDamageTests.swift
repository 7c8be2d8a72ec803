import ExposureFormat
import ExposureKeys
import FoundationEssentials
import SwiftProtobuf
import Testing

@Suite("Archive damage")
struct ArchiveDamageTests {
    /// A damaged archive and the case it must be reported as.
    struct Damage: Sendable, CustomTestStringConvertible {
        let name: String
        let expected: ArchiveDamage
        let archive: @Sendable () throws -> [UInt8]

        var testDescription: String { name }
    }

    @Test("every kind of damage is reported as such", arguments: containers + signatureLists + messages)
    func damage(_ damage: Damage) throws {
        let archive = try damage.archive()
        #expect(throws: damage.expected) { try ExportArchive.read(archive) }
        #expect(damage.expected.description.hasSuffix("."))
    }

    @Test("no two kinds of damage have the same description")
    func sentences() {
        let all = (Self.containers + Self.signatureLists + Self.messages).map(\.expected)
        let distinct = Set(all)
        #expect(Set(distinct.map(\.description)).count == distinct.count)
    }

    // MARK: - The container

    private static let containers: [Damage] = [
        Damage(name: "nothing", expected: .notAZip) { [] },
        Damage(name: "text", expected: .notAZip) { Array("<html>404 not found</html>".utf8) },
        Damage(name: "the end cut off", expected: .notAZip) { Array(try good().dropLast(30)) },
        Damage(name: "the beginning cut off", expected: .inconsistentZip) { Array(try good().dropFirst(30)) },
        Damage(name: "directory and entry disagree on a name", expected: .inconsistentZip) {
            var archive = try good()
            archive[30] = UInt8(ascii: "E")
            return archive
        },
        Damage(name: "no entries", expected: .missingEntry(.export)) { TestZip(entries: []).bytes },
        Damage(name: "no export.bin", expected: .missingEntry(.export)) {
            TestZip(entries: [try entry(.signature)]).bytes
        },
        Damage(name: "no export.sig", expected: .missingEntry(.signature)) {
            TestZip(entries: [try entry(.export)]).bytes
        },
        Damage(name: "other names", expected: .missingEntry(.export)) {
            TestZip(entries: [.init(name: "EXPORT.BIN", content: []), try entry(.signature)]).bytes
        },
        Damage(name: "signature first", expected: .wrongEntryOrder) {
            TestZip(entries: [try entry(.signature), try entry(.export)]).bytes
        },
        Damage(name: "a third entry", expected: .extraEntries(count: 3)) {
            TestZip(entries: [try entry(.export), try entry(.signature), .init(name: "extra", content: [1])]).bytes
        },
        Damage(name: "a checksum of other content", expected: .checksumMismatch(.export)) {
            var export = try entry(.export)
            export.announcedChecksum = 0
            return TestZip(entries: [export, try entry(.signature)]).bytes
        },
        Damage(name: "changed content of the signature list", expected: .checksumMismatch(.signature)) {
            var list = try entry(.signature)
            list.announcedChecksum = TestZip.checksum(list.content)
            list.content[5] ^= 1
            return TestZip(entries: [try entry(.export), list]).bytes
        },
        Damage(name: "an encrypted entry", expected: .unreadableEntry(.export)) {
            var export = try entry(.export)
            export.flags = 1
            return TestZip(entries: [export, try entry(.signature)]).bytes
        },
        Damage(name: "an entry compressed by bzip2", expected: .unreadableEntry(.export)) {
            var export = try entry(.export)
            export.method = 12
            return TestZip(entries: [export, try entry(.signature)]).bytes
        },
        Damage(name: "compressed data that isn't", expected: .unreadableEntry(.export)) {
            var export = try entry(.export)
            export.method = 8
            return TestZip(entries: [export, try entry(.signature)]).bytes
        },
        Damage(name: "an entry longer than announced", expected: .unreadableEntry(.export)) {
            try zeros(1 << 20, announcing: 1 << 10)
        },
    ]

    // MARK: - export.sig

    private static let signatureLists: [Damage] = [
        Damage(name: "a signature list that isn't protobuf", expected: .unreadableSignatureList) {
            zip(export: try Fixtures.bytes("golden.bin"), signature: [0x0a, 0xff])
        },
        Damage(name: "a signature list without signatures", expected: .noSignatures) {
            zip(export: try Fixtures.bytes("golden.bin"), signature: [])
        },
        Damage(name: "a signature of batch 0", expected: .invalidBatch(number: 0, size: 0)) {
            let list = TEKSignatureList.with { $0.signatures = [TEKSignature()] }
            return zip(export: try Fixtures.bytes("golden.bin"), signature: try list.serializedBytes())
        },
    ]

    // MARK: - export.bin

    private static let messages: [Damage] = [
        Damage(name: "no header", expected: .wrongHeader) {
            try signed(export: Array(Fixtures.bytes("golden.bin").dropFirst(16)))
        },
        Damage(name: "a header of another version", expected: .wrongHeader) {
            try signed(export: Array("EK Export v2    ".utf8) + Fixtures.bytes("golden.bin").dropFirst(16))
        },
        Damage(name: "less than a header", expected: .wrongHeader) { try signed(export: Array("EK Export v1".utf8)) },
        Damage(name: "a message cut off", expected: .unreadableExport) {
            try signed(export: Fixtures.bytes("golden.bin").dropLast())
        },
        Damage(name: "no window", expected: .invalidWindow) { try zip { $0.clearStartTimestamp() } },
        Damage(name: "a window that ends before it starts", expected: .invalidWindow) {
            try zip { $0.endTimestamp = $0.startTimestamp - 1 }
        },
        Damage(name: "no batch", expected: .invalidBatch(number: 0, size: 1)) { try zip { $0.clearBatchNum() } },
        Damage(name: "batch 3 of 2", expected: .invalidBatch(number: 3, size: 2)) {
            try zip { ($0.batchNum, $0.batchSize) = (3, 2) }
        },
        Damage(name: "a key of 15 bytes", expected: .wrongKeyLength(position: 1, length: 15)) {
            try zip { $0.keys[1].keyData = Data(repeating: 1, count: 15) }
        },
        Damage(name: "a key of 17 bytes", expected: .wrongKeyLength(position: 7, length: 17)) {
            try zip { $0.keys[7].keyData = Data(repeating: 1, count: 17) }
        },
        Damage(name: "period 0", expected: .rollingPeriodOutOfRange(position: 0, value: 0)) {
            try zip { $0.keys[0].rollingPeriod = 0 }
        },
        Damage(name: "period 145", expected: .rollingPeriodOutOfRange(position: 2, value: 145)) {
            try zip { $0.keys[2].rollingPeriod = 145 }
        },
        Damage(name: "a negative period", expected: .rollingPeriodOutOfRange(position: 2, value: -1)) {
            try zip { $0.keys[2].rollingPeriod = -1 }
        },
        Damage(name: "a negative start", expected: .rollingStartOutOfRange(position: 3, value: -144)) {
            try zip { $0.keys[3].rollingStartIntervalNumber = -144 }
        },
        Damage(name: "a start at the end of time", expected: .rollingStartOutOfRange(position: 3, value: .max)) {
            try zip { $0.keys[3].rollingStartIntervalNumber = .max }
        },
        Damage(name: "a negative level", expected: .transmissionRiskLevelOutOfRange(position: 4, value: -1)) {
            try zip { $0.keys[4].transmissionRiskLevel = -1 }
        },
        Damage(name: "level 9", expected: .transmissionRiskLevelOutOfRange(position: 4, value: 9)) {
            try zip { $0.keys[4].transmissionRiskLevel = 9 }
        },
    ]

    // MARK: - Limits

    @Test("an archive above the limit isn't opened")
    func tooLarge() throws {
        let archive = try Self.good()
        let limits = ArchiveLimits(archiveBytes: archive.count - 1)
        #expect(throws: ArchiveDamage.archiveTooLarge(limit: archive.count - 1)) {
            try ExportArchive.read(archive, limits: limits)
        }
        #expect(throws: Never.self) {
            try ExportArchive.read(archive, limits: ArchiveLimits(archiveBytes: archive.count))
        }
    }

    @Test("a decompression bomb is refused by its announced size")
    func bomb() throws {
        let archive = try Self.zeros(33 << 20, announcing: nil)
        #expect(archive.count < 200_000)
        #expect(throws: ArchiveDamage.entryTooLarge(.export, limit: 32 << 20)) { try SignedArchive.read(archive) }
    }

    @Test("a decompression bomb with a false size is stopped at that size")
    func lyingBomb() throws {
        let archive = try Self.zeros(33 << 20, announcing: 100)
        #expect(throws: ArchiveDamage.unreadableEntry(.export)) { try SignedArchive.read(archive) }
    }

    @Test("the limit counts inflated bytes, to the byte")
    func exactLimit() throws {
        let archive = try Self.zeros(1000, announcing: nil)
        #expect(throws: Never.self) { try SignedArchive.read(archive, limits: ArchiveLimits(exportBytes: 1000)) }
        #expect(throws: ArchiveDamage.entryTooLarge(.export, limit: 999)) {
            try SignedArchive.read(archive, limits: ArchiveLimits(exportBytes: 999))
        }
    }

    @Test("a signature list above its own limit is refused")
    func longSignatureList() {
        let archive = Self.zip(export: [], signature: [UInt8](repeating: 0, count: (64 << 10) + 1))
        #expect(throws: ArchiveDamage.entryTooLarge(.signature, limit: 64 << 10)) { try SignedArchive.read(archive) }
    }

    @Test("a directory of many entries is refused before it is read")
    func manyEntries() {
        let entries = (0..<60_000).map { TestZip.Entry(name: "\($0)", content: []) }
        let archive = TestZip(entries: entries).bytes
        #expect(throws: ArchiveDamage.extraEntries(count: 60_000)) { try SignedArchive.read(archive) }
    }

    // MARK: - Making archives

    private static func good() throws -> [UInt8] { try Fixtures.bytes("golden.zip") }

    private static func entry(_ entry: ArchiveEntry) throws -> TestZip.Entry {
        switch entry {
        case .export: .init(name: entry.rawValue, content: try Fixtures.bytes("golden.bin"))
        case .signature: .init(name: entry.rawValue, content: try Fixtures.bytes("golden.sig"))
        }
    }

    private static func zip(export: [UInt8], signature: [UInt8]) -> [UInt8] {
        TestZip(entries: [
            .init(name: "export.bin", content: export), .init(name: "export.sig", content: signature),
        ]).bytes
    }

    private static func signed(export: some Sequence<UInt8>) throws -> [UInt8] {
        zip(export: Array(export), signature: try Fixtures.bytes("golden.sig"))
    }

    /// The golden export with a change.
    private static func zip(changed: (inout TemporaryExposureKeyExport) -> Void) throws -> [UInt8] {
        let golden = try Fixtures.bytes("golden.bin")
        var message = try TemporaryExposureKeyExport(serializedBytes: Array(golden.dropFirst(16)))
        changed(&message)
        return try signed(export: golden.prefix(16) + (try message.serializedBytes() as [UInt8]))
    }

    /// An archive whose `export.bin` inflates to zeros, with a true or false size.
    private static func zeros(_ count: Int, announcing announced: UInt32?) throws -> [UInt8] {
        let signature = try Fixtures.signingKey().sign([])
        var archive = try SignedArchive(export: [UInt8](repeating: 0, count: count), signatures: [signature]).zipped()
        guard let announced else { return archive }
        let directory = archive.count - 22 - 2 * (46 + 10)
        for position in [22, directory + 24] {
            for byte in 0..<4 { archive[position + byte] = UInt8(truncatingIfNeeded: announced >> (8 * UInt32(byte))) }
        }
        return archive
    }
}
