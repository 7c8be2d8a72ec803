import ExposureFormat
import ExposureKeys
import TestSupport
import Testing

@Suite("Key export", .heavy)
struct KeyExportTests {
    @Test("any permutation of the keys gives the same bytes", arguments: 1...20 as ClosedRange<UInt64>)
    func permutation(seed: UInt64) throws {
        let keys = try Fixtures.keys(200, seed: seed)
        var random = SeededGenerator(seed: seed &* 977)
        let signature: [UInt8] = [1, 2, 3]
        let expected = try Fixtures.export(keys).archive(signatures: [signature])
        for _ in 0..<5 {
            let shuffled = try Fixtures.export(keys.shuffled(using: &random)).archive(signatures: [signature])
            #expect(shuffled == expected)
        }
    }

    @Test("unpublished values have no effect on the order", arguments: 1...5 as ClosedRange<UInt64>)
    func orderTellsNothing(seed: UInt64) throws {
        let keys = try Fixtures.keys(200, seed: seed)
        let silent = keys.map { key in
            DiagnosisKey(
                data: key.data, rollingPeriod: key.rollingPeriod, transmissionRiskLevel: key.transmissionRiskLevel,
                daysSinceOnsetOfSymptoms: DaysSinceOnset(derivedFrom: key.transmissionRiskLevel), reportType: .unknown)
        }
        #expect(try Fixtures.encoded(Fixtures.export(keys)) == Fixtures.encoded(Fixtures.export(silent)))
    }

    @Test("keys are sorted by start, level and period, then by their bytes, unsigned")
    func order() throws {
        let low = [UInt8](repeating: 0x01, count: 16)
        let high = [UInt8](repeating: 0xff, count: 16)
        let lastByte = [UInt8](repeating: 0x01, count: 15) + [0x80]
        let sorted = try [
            Fixtures.key(data: high, start: 144, length: 144, level: 1),
            Fixtures.key(data: high, start: 144, length: 10, level: 2),
            Fixtures.key(data: low, start: 144, length: 144, level: 2),
            Fixtures.key(data: lastByte, start: 144, length: 144, level: 2),
            Fixtures.key(data: high, start: 144, length: 144, level: 2),
            Fixtures.key(data: low, start: 288, length: 1, level: 1),
        ]
        let read = try ExportArchive.read(Fixtures.zipped(Fixtures.export(sorted.reversed())))
        #expect(read.keys == sorted.map(ExportedKey.init))
    }

    /// Level, report type, days since onset.
    private static let levels: [(Int, ReportType, Int32)] = [
        (1, .recursive, 1), (2, .recursive, 2), (3, .selfReport, 1), (4, .selfReport, 2),
        (5, .confirmedClinicalDiagnosis, 1), (6, .confirmedClinicalDiagnosis, 2), (7, .confirmedTest, 1),
        (8, .confirmedTest, 2),
    ]

    @Test("report type and days since onset encode the level and nothing else", arguments: levels)
    func reencoding(level: Int, reportType: ReportType, days: Int32) throws {
        let key = try Fixtures.key(
            data: [UInt8](repeating: 7, count: 16), level: level, onset: 2000, reportType: .revoked)
        let read = try #require(try ExportArchive.read(Fixtures.zipped(Fixtures.export([key]))).keys.first)
        #expect(read.reportType == reportType)
        #expect(read.daysSinceOnsetOfSymptoms == days)
        #expect(read.transmissionRiskLevel.rawValue == level)
        // How an app gets the level back from what the operating system tells it.
        let offset: [ReportType: Int] = [
            .recursive: 0, .selfReport: 2, .confirmedClinicalDiagnosis: 4, .confirmedTest: 6,
        ]
        #expect(try #require(offset[read.reportType]) + Int(days) == level)
    }

    @Test("a window without keys is an empty, signed file")
    func empty() throws {
        let read = try ExportArchive.read(Fixtures.zipped(Fixtures.export([])))
        #expect(read.keys.isEmpty)
        #expect(read.header == Fixtures.header)
        #expect(try read.verify([Fixtures.verificationKey()]).map(\.outcome) == [.matches])
    }

    @Test("keys come back as they were exported")
    func roundTrip() throws {
        let keys = try Fixtures.keys(2000, seed: 5)
        let read = try ExportArchive.read(Fixtures.zipped(Fixtures.export(keys)))
        #expect(read.keys.count == keys.count)
        #expect(Set(read.keys) == Set(keys.map(ExportedKey.init)))
    }

    @Test("the export and the signature have batch number and size")
    func batch() throws {
        let batch = try #require(Batch(number: 2, size: 3))
        let header = ExportHeader(hours: Hour(number: 0)..<Hour(number: 24), region: "EUR", batch: batch)
        let read = try ExportArchive.read(Fixtures.zipped(Fixtures.export([], header: header)))
        #expect(read.header == header)
        #expect(read.archive.signatures.map(\.batch) == [batch])
    }

    @Test("a batch number is one of 1 to size", arguments: [(0, 1), (2, 1), (-1, -1), (1, 0)] as [(Int32, Int32)])
    func impossibleBatch(number: Int32, size: Int32) {
        #expect(Batch(number: number, size: size) == nil)
    }
}
