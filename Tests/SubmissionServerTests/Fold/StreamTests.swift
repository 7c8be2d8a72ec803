import ExposureKeys
import Foundation
import Postgres
import TestSupport
import Testing

@testable import SubmissionServer

/// Keys whose owners agreed that other countries get them, and the others.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct StreamTests {
    private static let hour = Samples.hour
    private static let next = hour.advanced(by: 1)

    @Test("keys of each stream are filled up to a size class of their own, and go where their owners agreed")
    func streams() async throws {
        try await FoldStage.run(federatedSizes: SizeClasses(smallest: 300)) { stage in
            try await stage.upload(try Self.content(0..<14, .federated))
            try await stage.upload(try Self.content(14..<20, .home))
            #expect(try await stage.fold(before: Self.next).keys == 20)

            let rows = try await stage.streamedKeys()
            #expect(Set(rows.filter(\.isSample)) == Set(try Self.rows(0..<14, .federated) + Self.rows(14..<20, .home)))
            #expect(rows.count { $0.stream == .home && $0.isPublishedAtOnce } == 140)
            #expect(rows.count { $0.stream == .federated && $0.isPublishedAtOnce } == 300)
        }
    }

    @Test("the order of the table is that of the keys' content, whatever their streams")
    func order() async throws {
        try await FoldStage.run(federatedSizes: FoldStage.smallest) { stage in
            try await stage.upload(try Self.content(0..<14, .federated))
            try await stage.fold(before: Self.next)
            let keys = try await stage.streamedKeys()
            #expect(keys.map(\.key) == keys.map(\.key).sorted())
            // The control: the streams take turns.
            #expect(zip(keys, keys.dropFirst()).count { $0.stream != $1.stream } > 50)
        }
    }

    @Test("a key that was uploaded with consent and without it goes to nobody else", arguments: KeyStream.allCases)
    func contradiction(first: KeyStream) async throws {
        try await FoldStage.run(federatedSizes: FoldStage.smallest) { stage in
            for stream in [first, first == .home ? .federated : .home] {
                try await stage.upload(try Self.content(0..<3, stream))
            }
            #expect(try await stage.fold(before: Self.next).keys == 3)
            #expect(Set(try await stage.streamedKeys().filter(\.isSample)) == Set(try Self.rows(0..<3, .home)))
        }
    }

    @Test("in a country without federation all keys are one stream, whatever their owners agreed to")
    func alone() async throws {
        try await FoldStage.run { stage in
            for stream in KeyStream.allCases {
                try await stage.upload(try Self.content(stream == .home ? 0..<3 : 3..<6, stream))
            }
            try await stage.fold(before: Self.next)
            let rows = try await stage.streamedKeys()
            #expect(rows.allSatisfy { $0.stream == .home } && rows.count(where: \.isPublishedAtOnce) == 140)
        }
    }

    /// An attacker holds what was published here and what other countries got. Of an uploaded key and a filler of one hour, which is real?
    ///
    /// Seven of ten people agree. So the larger stream is filled up to seven thirds of the smaller one's size: then both have the same share
    /// of fillers, and a key's stream tells nothing. In the control other countries get the keys of people who agreed, and no fillers.
    @Test("whoever holds the feeds of this country and of others can't tell people's keys from fillers")
    func bothFeeds() async throws {
        let consent = 0.7
        let real = try await FoldStage.run(
            sizes: SizeClasses(smallest: 150), federatedSizes: SizeClasses(smallest: 350)
        ) { stage in
            var random = SeededGenerator(seed: 14)
            var real: Set<KeyData> = []
            for hour in (0..<48).map({ Self.hour.advanced(by: $0) }) {
                stage.clock.set(hour.start.addingTimeInterval(1800))
                for _ in 0..<4 {
                    let keys = UploadModel().keys(uploadedIn: hour, using: &random)
                    let agrees = Double.random(in: 0..<1, using: &random) < consent
                    real.formUnion(keys.map(\.data))
                    try await stage.upload(UploadContent(keys: keys.sorted(), stream: agrees ? .federated : .home))
                }
                stage.clock.set(hour.end.addingTimeInterval(2))
                try await stage.foldNow()
            }
            let uploaded = real
            return try await stage.streamedKeys().map { (row: $0, isReal: uploaded.contains($0.key.data)) }
        }
        func share(_ isFederated: (StreamedKey, Bool) -> Bool) -> Interrogation {
            let hours = Dictionary(grouping: real) { $0.row.hour }
            let questions = hours.keys.sorted().flatMap { hour -> [Question] in
                let rows = hours[hour] ?? []
                return zip(rows.filter(\.isReal), rows.filter { !$0.isReal }.shuffled()).map { right, wrong in
                    func clue(_ asked: (row: FoldStage.StreamedRow, isReal: Bool)) -> [Double] {
                        [isFederated(StreamedKey(asked.row.key, asked.row.stream), asked.isReal) ? 1 : 0]
                    }
                    return Question(right: clue(right), wrong: clue(wrong))
                }
            }
            return Interrogation(["other countries have it"], questions, seed: 15)
        }
        let asBuilt = share { streamed, _ in streamed.stream == .federated }
        #expect(asBuilt.guesses > 500)
        #expect(asBuilt.suspicious.isEmpty, "\(asBuilt.scores)")
        let control = share { streamed, isReal in streamed.stream == .federated && isReal }
        #expect(control.share > 0.75)
    }

    private static func content(_ keys: Range<Int>, _ stream: KeyStream) throws -> UploadContent {
        UploadContent(keys: try Samples.keys(keys).sorted(), stream: stream)
    }

    private static func rows(_ keys: Range<Int>, _ stream: KeyStream) throws -> [FoldStage.StreamedRow] {
        try Samples.keys(keys).map { FoldStage.StreamedRow(hour: hour, key: $0, stream: stream) }
    }
}

extension FoldStage {
    /// A folded key.
    struct StreamedRow: Hashable, Sendable {
        let hour: Hour
        let key: DiagnosisKey
        let stream: KeyStream

        var isSample: Bool { Samples.isSample(key.data) }
        var isPublishedAtOnce: Bool { PublicationPolicy().releaseHour(of: key, submitted: hour) == hour }
    }

    /// All folded keys, also fillers, in the order of the tables' pages, day by day of the keys.
    func streamedKeys() async throws -> [StreamedRow] {
        try await asSuperuser { session in
            try session.rows(
                """
                SELECT hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset,
                    report_type, is_federated
                FROM submission.diagnosis_key ORDER BY rolling_start / 144, ctid
                """, as: Int32.self, [UInt8].self, Int32.self, Int16.self, Int16.self, Int16.self, Int16.self,
                Bool.self
            ).map { row in
                let key = DiagnosisKey(
                    data: try #require(KeyData(row.1)),
                    rollingPeriod: try #require(
                        RollingPeriod(start: IntervalNumber(rawValue: UInt32(row.2)), length: UInt32(row.3))),
                    transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: Int(row.4))),
                    daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: Int32(row.5))),
                    reportType: try #require(ReportType(rawValue: Int(row.6))))
                return StreamedRow(hour: Hour(number: row.0), key: key, stream: row.7 ? .federated : .home)
            }
        }
    }
}
