import Credentials
import Crypto
import ExposureKeys
import Testing

@testable import SubmissionServer

@Suite struct SealedUploadTests {
    private let privateKey = Curve25519.KeyAgreement.PrivateKey()
    private var hourKey: HourPublicKey { HourPublicKey(hour: Samples.hour, key: privateKey.publicKey) }

    @Test("what was sealed can be opened, in its order", arguments: [0, 1, 13, 14])
    func roundTrip(count: Int) throws {
        let keys = try Samples.keys(0..<count)
        let sealed = try SealedUpload(sealing: keys, tag: Samples.tag(1), to: hourKey)
        #expect(sealed.open(tag: Samples.tag(1), hour: Samples.hour, with: privateKey) == keys)
    }

    @Test("the extremes of every field survive")
    func extremes() throws {
        let least = DiagnosisKey(
            data: try #require(KeyData([UInt8](repeating: 0, count: 16))),
            rollingPeriod: try #require(RollingPeriod(start: IntervalNumber(rawValue: 144), length: 1)),
            transmissionRiskLevel: .lowest, daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: -15)),
            reportType: .unknown)
        let most = DiagnosisKey(
            data: try #require(KeyData([UInt8](repeating: 255, count: 16))),
            rollingPeriod: try #require(
                RollingPeriod(start: IntervalNumber(rawValue: UInt32(Int32.max) - 144), length: 144)),
            transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: 8)),
            daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: 4000)), reportType: .revoked)
        let sealed = try SealedUpload(sealing: [least, most], tag: Samples.tag(1), to: hourKey)
        #expect(sealed.open(tag: Samples.tag(1), hour: Samples.hour, with: privateKey) == [least, most])
    }

    @Test("a row moved under another tag, under another hour, or opened with another key stays closed")
    func bound() throws {
        let sealed = try SealedUpload(sealing: Samples.keys(0..<3), tag: Samples.tag(1), to: hourKey)
        #expect(sealed.open(tag: Samples.tag(2), hour: Samples.hour, with: privateKey) == nil)
        #expect(sealed.open(tag: Samples.tag(1), hour: Samples.hour.advanced(by: 1), with: privateKey) == nil)
        let other = Curve25519.KeyAgreement.PrivateKey()
        #expect(sealed.open(tag: Samples.tag(1), hour: Samples.hour, with: other) == nil)
    }

    @Test("a row with any byte changed stays closed")
    func changed() throws {
        let sealed = try SealedUpload(sealing: Samples.keys(0..<3), tag: Samples.tag(1), to: hourKey)
        for position in sealed.bytes.indices {
            var bytes = sealed.bytes
            bytes[position] ^= 1
            let opened = SealedUpload(bytes: bytes).open(tag: Samples.tag(1), hour: Samples.hour, with: privateKey)
            #expect(opened == nil, "byte \(position)")
        }
    }

    @Test("a row of another length stays closed", arguments: [0, 1, 31, 32, 48, 412])
    func cut(length: Int) throws {
        let sealed = try SealedUpload(sealing: Samples.keys(0..<3), tag: Samples.tag(1), to: hourKey)
        let cut = SealedUpload(bytes: Array(sealed.bytes.prefix(length)))
        #expect(cut.open(tag: Samples.tag(1), hour: Samples.hour, with: privateKey) == nil)
    }

    @Test("all rows have one length, and two rows of one upload have nothing in common")
    func uniform() throws {
        let rows = try (0...SealedUpload.capacity).map {
            try SealedUpload(sealing: Samples.keys(0..<$0), tag: Samples.tag(1), to: hourKey).bytes
        }
        #expect(Set(rows.map(\.count)) == [413])
        let again = try SealedUpload(sealing: [], tag: Samples.tag(1), to: hourKey).bytes
        #expect(again.prefix(32) != rows[0].prefix(32))
        #expect(again.dropFirst(32) != rows[0].dropFirst(32))
    }
}

@Suite struct UploadTagTests {
    private let tagKey: UploadTagKey
    private let tan: TAN

    init() throws {
        tagKey = UploadTagKey(try #require(HashKey(bytes: [UInt8](repeating: 7, count: 32))))
        tan = try Samples.tan()
    }

    private func uploaded(_ key: DiagnosisKey) -> UploadedKey {
        UploadedKey(
            data: key.data.bytes, rollingStart: Int64(key.rollingPeriod.start.rawValue),
            rollingPeriod: Int64(key.rollingPeriod.length),
            transmissionRiskLevel: key.transmissionRiskLevel.rawValue,
            daysSinceOnsetOfSymptoms: key.daysSinceOnsetOfSymptoms.rawValue, reportType: key.reportType)
    }

    @Test("the order in which a phone lists its keys doesn't matter")
    func order() throws {
        let keys = try Samples.keys(0..<14).map(uploaded)
        let tag = tagKey.tag(of: try UploadRules().normalise(keys), authorisedBy: tan)
        for seed in 0..<20 {
            var random = SeededGenerator(seed: UInt64(seed))
            let shuffled = try UploadRules().normalise(keys.shuffled(using: &random))
            #expect(tagKey.tag(of: shuffled, authorisedBy: tan) == tag)
        }
    }

    @Test("another TAN, another server's key, a key more or less, or any changed field gives another tag")
    func content() throws {
        let keys = try Samples.keys(0..<3)
        let key = keys[1]
        let otherPeriod = try #require(RollingPeriod(start: key.rollingPeriod.start, length: 143))
        let otherStart = try #require(
            RollingPeriod(start: IntervalNumber(rawValue: key.rollingPeriod.start.rawValue + 144), length: 144))
        let otherLevel = try #require(TransmissionRiskLevel(rawValue: 8))
        let otherOnset = try #require(DaysSinceOnset(rawValue: 4000))
        func changed(
            _ data: KeyData? = nil, _ period: RollingPeriod? = nil, _ level: TransmissionRiskLevel? = nil,
            _ onset: DaysSinceOnset? = nil, _ report: ReportType? = nil
        ) -> [DiagnosisKey] {
            [
                keys[0],
                DiagnosisKey(
                    data: data ?? key.data, rollingPeriod: period ?? key.rollingPeriod,
                    transmissionRiskLevel: level ?? key.transmissionRiskLevel,
                    daysSinceOnsetOfSymptoms: onset ?? key.daysSinceOnsetOfSymptoms,
                    reportType: report ?? key.reportType),
                keys[2],
            ]
        }
        let contents = try [
            keys, changed(try Samples.key(99).data), changed(nil, otherPeriod), changed(nil, otherStart),
            changed(nil, nil, otherLevel), changed(nil, nil, nil, otherOnset), changed(nil, nil, nil, nil, .selfReport),
            Array(keys.dropLast()), keys + [Samples.key(3)], keys + [keys[2]], [],
        ]
        let otherServer = UploadTagKey(try #require(HashKey(bytes: [UInt8](repeating: 8, count: 32))))
        let tags =
            contents.map { tagKey.tag(of: $0, authorisedBy: tan) } + [
                tagKey.tag(of: keys, authorisedBy: try Samples.tan()), otherServer.tag(of: keys, authorisedBy: tan),
            ]
        #expect(Set(tags).count == tags.count)
    }
}
