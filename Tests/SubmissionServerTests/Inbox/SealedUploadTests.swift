import Credentials
import Crypto
import ExposureKeys
import TestSupport
import Testing
import VerificationAPI

@testable import SubmissionServer

@Suite(.heavy) struct SealedUploadTests {
    private let privateKey = Curve25519.KeyAgreement.PrivateKey()
    private var hourKey: HourPublicKey { HourPublicKey(hour: Samples.hour, key: privateKey.publicKey) }

    private func seal(_ content: UploadContent) throws -> SealedUpload {
        try #require(try SealedUpload.seal([(Samples.tag(1), content)], to: hourKey).first)
    }

    private func open(_ sealed: SealedUpload, tag: Credentials.Digest = Samples.tag(1), hour: Hour = Samples.hour)
        -> UploadContent?
    {
        UploadOpener(hour: hour, key: privateKey).open(sealed, tag: tag)
    }

    @Test("what was sealed can be opened, in its order", arguments: [(0, 0), (1, 0), (0, 1), (13, 5), (14, 32)])
    func roundTrip(keys: Int, reports: Int) throws {
        var content = try Samples.content(0..<keys, reports: 0..<reports)
        content.left = .init(keys: 3, reports: 255)
        #expect(open(try seal(content)) == content)
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
        let content = UploadContent(
            keys: [least, most], reports: [0, 255].compactMap { CheckInReport([UInt8](repeating: $0, count: 96)) })
        #expect(open(try seal(content)) == content)
    }

    @Test("a row moved under another tag, under another hour, or opened with another key stays closed")
    func bound() throws {
        let sealed = try seal(Samples.content(0..<3))
        #expect(open(sealed, tag: Samples.tag(2)) == nil)
        #expect(open(sealed, hour: Samples.hour.advanced(by: 1)) == nil)
        let other = Curve25519.KeyAgreement.PrivateKey()
        #expect(UploadOpener(hour: Samples.hour, key: other).open(sealed, tag: Samples.tag(1)) == nil)
    }

    @Test("a row with any byte changed stays closed")
    func changed() throws {
        let sealed = try seal(Samples.content(0..<3))
        for position in sealed.bytes.indices {
            var bytes = sealed.bytes
            bytes[position] ^= 1
            #expect(open(SealedUpload(bytes: bytes)) == nil, "byte \(position)")
        }
    }

    @Test("a row of another length stays closed", arguments: [0, 1, 31, 32, 44, 60, 3499])
    func cut(length: Int) throws {
        let sealed = try seal(Samples.content(0..<3))
        #expect(open(SealedUpload(bytes: Array(sealed.bytes.prefix(length)))) == nil)
    }

    @Test("all rows have one length, and two rows of one upload have nothing in common")
    func uniform() throws {
        let contents =
            try (0...14).map { try Samples.content(0..<$0) } + (0...32).map { try Samples.content(reports: 0..<$0) }
        let rows = try contents.map { try seal($0).bytes }
        #expect(Set(rows.map(\.count)) == [3500])
        let again = try seal(Samples.content()).bytes
        #expect(again.prefix(32) != rows[0].prefix(32))
        #expect(again.dropFirst(32) != rows[0].dropFirst(32))
    }

    @Test("rows that are sealed together share a key's envelope, and nothing else")
    func together() throws {
        let content = try Samples.content(0..<3)
        let rows = try SealedUpload.seal((0..<20).map { (Samples.tag($0), content) }, to: hourKey)
        #expect(Set(rows.map { Array($0.bytes.prefix(32)) }).count == 1)
        #expect(Set(rows.map { Array($0.bytes[32..<44]) }).count == 20)
        #expect(Set(rows.map { Array($0.bytes[44...]) }).count == 20)
        for (number, row) in rows.enumerated() { #expect(open(row, tag: Samples.tag(number)) == content) }
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

    private func tag(_ content: UploadContent, _ purpose: UploadPurpose = .diagnosisKeys) -> Credentials.Digest {
        tagKey.tags(of: content, for: purpose, authorisedBy: tan).inbox
    }

    @Test("the order in which a phone lists its keys doesn't matter")
    func order() throws {
        let keys = try Samples.keys(0..<14).map(uploaded)
        let tag = tag(UploadContent(keys: try UploadRules().normalise(keys)))
        for seed in 0..<20 {
            var random = SeededGenerator(seed: UInt64(seed))
            let shuffled = try UploadRules().normalise(keys.shuffled(using: &random))
            #expect(self.tag(UploadContent(keys: shuffled)) == tag)
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
        let lists = try [
            keys, changed(try Samples.key(99).data), changed(nil, otherPeriod), changed(nil, otherStart),
            changed(nil, nil, otherLevel), changed(nil, nil, nil, otherOnset), changed(nil, nil, nil, nil, .selfReport),
            Array(keys.dropLast()), keys + [Samples.key(3)], keys + [keys[2]], [],
        ]
        let otherServer = UploadTagKey(try #require(HashKey(bytes: [UInt8](repeating: 8, count: 32))))
        let reports = try Samples.reports(0..<3)
        let contents =
            lists.map { UploadContent(keys: $0) }
            + [Array(reports.prefix(1)), reports, reports.reversed()].map { UploadContent(keys: keys, reports: $0) }
            + [UploadContent(reports: reports)]
        let tags =
            contents.map { tagKey.tags(of: $0, for: .diagnosisKeys, authorisedBy: tan) } + [
                tagKey.tags(of: contents[0], for: .onBehalf, authorisedBy: tan),
                tagKey.tags(of: contents[0], for: .diagnosisKeys, authorisedBy: try Samples.tan()),
                otherServer.tags(of: contents[0], for: .diagnosisKeys, authorisedBy: tan),
            ]
        // Nor has what one database keeps anything in common with what the other keeps.
        #expect(Set(tags.flatMap { [$0.inbox, $0.reservation] }).count == 2 * tags.count)
    }
}
