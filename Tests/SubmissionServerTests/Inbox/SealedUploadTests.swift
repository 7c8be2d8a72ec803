import Credentials
import Crypto
import ExposureKeys
import HourKeys
import TestSupport
import Testing
import Venues
import VerificationAPI

@testable import SubmissionServer

@Suite(.heavy) struct SealedUploadTests {
    private let privateKey = Curve25519.KeyAgreement.PrivateKey()
    private var hourKey: HourPublicKey { HourPublicKey(hour: Samples.hour, key: privateKey.publicKey) }

    private func seal(_ content: UploadContent, in room: SealedUpload.Room = .common) throws -> SealedUpload {
        try #require(try SealedUpload.seal([(Samples.tag(1), content, room)], to: hourKey).first)
    }

    private func open(_ sealed: SealedUpload, tag: Credentials.Digest = Samples.tag(1), hour: Hour = Samples.hour)
        -> UploadContent?
    {
        UploadOpener(hour: hour, key: privateKey).open(sealed, tag: tag)
    }

    @Test(
        "what was sealed can be opened, in its order, in either size",
        arguments: [(0, 0), (1, 0), (0, 1), (13, 5), (14, 32), (14, 33), (0, 255), (3, 256), (14, 280)])
    func roundTrip(keys: Int, reports: Int) throws {
        var content = try Samples.content(0..<keys, reports: 0..<reports)
        content.left = .init(keys: 3, reports: 255)
        for stream in KeyStream.allCases {
            content.stream = stream
            for room in SealedUpload.Room.allCases where reports <= room.rawValue {
                #expect(open(try seal(content, in: room)) == content)
            }
        }
    }

    @Test("venue reports can be opened as well", arguments: [(0, 1), (1, 2), (14, 53), (0, 54), (14, 127), (14, 128)])
    func venueReports(keys: Int, reports: Int) throws {
        var content = try Samples.content(0..<keys, venueReports: 0..<reports)
        content.left = .init(keys: 3, reports: 255)
        for room in SealedUpload.Room.allCases where reports <= 53 || room == .large {
            let sealed = try seal(content, in: room)
            #expect(open(sealed) == content)
            #expect(sealed.bytes.count == (room == .common ? 3500 : 27_308))
        }
    }

    @Test(
        "reports of both kinds can be opened, as many as fit into an upload, and the rows have the same lengths",
        arguments: [
            (0, 1, 1), (14, 3, 48), (14, 31, 1), (14, 1, 52), (0, 32, 1), (14, 1, 128), (14, 36, 64), (14, 76, 1),
        ])
    func bothKinds(keys: Int, reports: Int, venueReports: Int) throws {
        var content = try Samples.content(0..<keys, reports: 0..<reports, venueReports: 0..<venueReports)
        content.left = .init(keys: 3, reports: 255)
        // A byte says how many there are of one kind.
        let isSmall = reports * 96 + venueReports * 57 + 1 <= 32 * 96
        for room in SealedUpload.Room.allCases where isSmall || room == .large {
            let sealed = try seal(content, in: room)
            #expect(open(sealed) == content)
            #expect(sealed.bytes.count == (room == .common ? 3500 : 27_308))
        }
        var random = SeededGenerator(seed: 7)
        if !isSmall { #expect(SealedUpload.Room.fitting(content, using: &random) == .large) }
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

    @Test(
        "rows of one size have one length, and two rows of one upload have nothing in common",
        arguments: SealedUpload.Room.allCases)
    func uniform(room: SealedUpload.Room) throws {
        let contents =
            try (0...14).map { try Samples.content(0..<$0) }
            + stride(from: 0, through: room.rawValue, by: 8).map { try Samples.content(reports: 0..<$0) }
        let rows = try contents.map { try seal($0, in: room).bytes }
        #expect(Set(rows.map(\.count)) == [room == .common ? 3500 : 27_308])
        let again = try seal(Samples.content(), in: room).bytes
        #expect(again.prefix(32) != rows[0].prefix(32))
        #expect(again.dropFirst(32) != rows[0].dropFirst(32))
    }

    @Test(
        "an upload with many reports has a large row, and so has every thirty-second other one: a large row proves nothing"
    )
    func room() throws {
        var random = SeededGenerator(seed: 5)
        for reports in 33...280 {
            #expect(SealedUpload.Room.fitting(try Samples.content(reports: 0..<reports), using: &random) == .large)
        }
        for reports in 54...128 {
            #expect(SealedUpload.Room.fitting(try Samples.content(venueReports: 0..<reports), using: &random) == .large)
        }
        // Whether there are reports at all makes no difference.
        let contents =
            try [0, 1, 32].map { try Samples.content(reports: 0..<$0) }
            + [1, 53].map { try Samples.content(venueReports: 0..<$0) }
        for content in contents {
            let large = (0..<32_000).count { _ in SealedUpload.Room.fitting(content, using: &random) == .large }
            let reports = content.reports.count + content.venueReports.count
            #expect((850...1150).contains(large), "\(reports) reports: \(large) of 32,000")
        }
    }

    @Test("rows that are sealed together share a key's envelope, and nothing else")
    func together() throws {
        let content = try Samples.content(0..<3)
        let rows = try SealedUpload.seal((0..<20).map { (Samples.tag($0), content, .common) }, to: hourKey)
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

    private func tag(_ content: UploadContent, _ form: UploadForm = .diagnosisKeys) -> Credentials.Digest {
        tagKey.tags(of: content, as: form, authorisedBy: tan).inbox
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

    @Test(
        "another TAN, another purpose, another server's key, a key more or less, or another key's data gives another tag"
    )
    func content() throws {
        let keys = try Samples.keys(0..<3)
        let lists = try [
            keys, [keys[0], Samples.key(99), keys[2]], Array(keys.dropLast()), keys + [Samples.key(3)],
            keys + [keys[2]], [],
        ]
        let otherServer = UploadTagKey(try #require(HashKey(bytes: [UInt8](repeating: 8, count: 32))))
        let contents = lists.map { UploadContent(keys: $0) }
        let tags =
            contents.map { tagKey.tags(of: $0, as: .diagnosisKeys, authorisedBy: tan) } + [
                tagKey.tags(of: contents[0], as: .onBehalf, authorisedBy: tan),
                tagKey.tags(of: contents[0], as: .venueReports, authorisedBy: tan),
                tagKey.tags(of: contents[0], as: .diagnosisKeys, authorisedBy: try Samples.tan()),
                otherServer.tags(of: contents[0], as: .diagnosisKeys, authorisedBy: tan),
            ]
        // Nor has what one database keeps anything in common with what the other keeps.
        #expect(Set(tags.flatMap { [$0.inbox, $0.reservation] }).count == 2 * tags.count)
    }

    @Test(
        "what an app draws or computes anew for a repeat doesn't count: reports, risk levels, days since onset, lengths"
    )
    func anew() throws {
        let keys = try Samples.keys(0..<14)
        let computed = try keys.map { key in
            DiagnosisKey(
                data: key.data, rollingPeriod: try #require(RollingPeriod(start: key.rollingPeriod.start, length: 6)),
                transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: 8)),
                daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: 4000)), reportType: .selfReport)
        }
        let reports = try (Samples.reports(0..<3), Samples.reports(3..<9))
        #expect(
            tag(UploadContent(keys: keys, reports: reports.0)) == tag(UploadContent(keys: computed, reports: reports.1))
        )
        #expect(tag(UploadContent(reports: reports.0)) == tag(UploadContent(reports: reports.1)))
        // Nor does the oldest of fourteen days, which an app leaves out after midnight.
        let oldest = try #require(keys.map(\.rollingPeriod.start).min())
        #expect(
            tag(UploadContent(keys: keys)) == tag(UploadContent(keys: keys.filter { $0.rollingPeriod.start > oldest })))
    }
}
