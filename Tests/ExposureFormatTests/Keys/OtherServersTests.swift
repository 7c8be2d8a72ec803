import ExposureFormat
import ExposureKeys
import Foundation
import SwiftProtobuf
import Testing

/// Files of other servers, whose keys say less than Vigil's.
@Suite struct OtherServersTests {
    private static func read(_ keys: [TemporaryExposureKey]) throws -> [ExportedKey] {
        let message = TemporaryExposureKeyExport.with {
            ($0.startTimestamp, $0.endTimestamp) = (1_590_159_600, 1_590_246_000)
            ($0.region, $0.batchNum, $0.batchSize) = ("US", 1, 1)
            $0.keys = keys
        }
        let bytes: [UInt8] = try message.serializedBytes()
        let export = Array("EK Export v1    ".utf8) + bytes
        return try ExportArchive(try SignedArchive(signing: export, with: [Fixtures.signingKey()])).keys
    }

    private static func key(_ data: KeyData, level: Int32?, start: Int32, period: Int32?) -> TemporaryExposureKey {
        .with {
            $0.keyData = Data(data.bytes)
            $0.rollingStartIntervalNumber = start
            if let level { $0.transmissionRiskLevel = level }
            if let period { $0.rollingPeriod = period }
        }
    }

    /// The two keys of google/exposure-notifications-server, examples/export/testExport-2-records-1-of-1.zip, at 2041f77a (Apache License
    /// 2.0, https://www.apache.org/licenses/LICENSE-2.0).
    @Test func `keys without report type and days since onset, which begin at any time, are read as they are`() throws {
        let first = KeyData(high: 0x172f_c480_e598_490c, low: 0x3417_7604_339b_1543)
        let second = KeyData(high: 0x2b63_053a_c483_238d, low: 0xe176_169e_861f_3dcd)
        let keys = try Self.read([
            Self.key(first, level: 8, start: 2_649_980, period: 1),
            Self.key(second, level: 1, start: 2_649_866, period: 114),
        ])
        #expect(keys.map(\.data) == [first, second])
        #expect(keys.map(\.transmissionRiskLevel.rawValue) == [8, 1])
        #expect(keys.map(\.rollingPeriod.start.rawValue) == [2_649_980, 2_649_866])
        #expect(keys.map(\.rollingPeriod.length) == [1, 114])
        #expect(keys.allSatisfy { $0.reportType == .unknown && $0.daysSinceOnsetOfSymptoms == nil })
    }

    /// Google's sample files have such keys (google/exposure-notifications-internals, exposurenotification/src/main/cpp/testdata/export.bin;
    /// app/src/main/res/raw/sample_diagnosis_key_file.zip).
    @Test func `a key without a level, or with level 0, has the lowest, and one without a period lasts a day`() throws {
        let data = KeyData(high: 1, low: 2)
        let keys = try Self.read([
            Self.key(data, level: 0, start: 2_647_649, period: 66), Self.key(data, level: nil, start: 144, period: 66),
            Self.key(data, level: 3, start: 2_653_920, period: nil),
        ])
        #expect(keys.map(\.transmissionRiskLevel.rawValue) == [1, 1, 3])
        #expect(keys.map(\.rollingPeriod.length) == [66, 66, 144])
    }
}
