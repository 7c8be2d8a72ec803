import DevelopmentSuite
import ExposureKeys
import Foundation
import Postgres
import TestSupport
import Testing
import Venues

/// Kills every process on the path of an upload repeatedly, including the fold, while phones keep uploading.
///
/// Every acknowledged upload is folded once and complete, its keys into the stream that the person agreed to, every phone finishes, and no
/// TAN or password serves two payloads. Self-reports reach no other country.
@Suite(
    .serialized, .enabled(if: TestPostgres.isAvailable, "needs PostgreSQL's programs"),
    .timeLimit(.minutes(KillPlan.minutes)))
struct UploadKillTests {
    static let changes = [
        // All phones share one address.
        "metadata-proxy.limits.requests=10000000", "metadata-proxy.limits.registrations=10000000",
        "metadata-proxy.limits.refusedRegistrations=10000000", "metadata-proxy.limits.donations=10000000",
    ].compactMap(SettingChange.init(argument:))

    private enum Victim: CaseIterable {
        case fold, foldProcess, submissionServer, verificationServer, dataDonation, postgres, metadataProxy
    }

    @Test("no kill costs an upload, splits it, or lets it count twice")
    func kills() async throws {
        try await KillableSuite.run(KillableSuite.Member.forUploads, changes: Self.changes) { suite in
            var clock = FoldClock()
            let phones = try await UploadingPhones.run(6, on: suite) { phones in
                var randomness = SeededGenerator(seed: KillPlan.seed)
                for number in 0..<KillPlan.kills {
                    try await Task.sleep(for: .milliseconds(.random(in: 50...900, using: &randomness)))
                    let victim = Victim.allCases[number % Victim.allCases.count]
                    try await Self.kill(victim, of: suite, clock: &clock, using: &randomness)
                }
                try await suite.restart(.postgres) { phones.unanswered > 0 }
            }
            // Repeats of acknowledged uploads are acknowledged again, and still count once.
            try await phones.uploadAgain()
            #expect(try await suite.fold(asOf: clock.next()))
            #expect(try await suite.fold(asOf: clock.next()))

            let folded = try await Self.folded(in: suite)
            let shared = try await Self.sharedKeys(in: suite)
            let violations = phones.outcomes.flatMap { $0.violations(in: folded, shared: shared) }
            #expect(violations == [], "seed \(KillPlan.seed)")
            #expect(phones.outcomes.count > KillPlan.kills)
            #expect(phones.selfReports > 0)
            #expect(phones.unanswered > 0)
            print(
                "\(KillPlan.kills) kills, seed \(KillPlan.seed): \(phones.outcomes.count) uploads, "
                    + "\(phones.selfReports) of them self-reports, \(phones.unanswered) calls without an answer, \(clock.folds) folds; "
                    + "\(violations.count) promises broken.")
        }
    }

    @Test(
        "the checker detects an upload that was lost, split, doubled, shared against the person's will, or accepted beside another"
    )
    func judge() throws {
        var randomness = SeededGenerator(seed: 1)
        let model = UploadModel()
        let hour = Hour(containing: Date())
        let (one, other) = (
            UploadingPhones.Payload(
                keys: model.keys(uploadedIn: hour, using: &randomness),
                reports: VisitModel().reports(using: &randomness)),
            UploadingPhones.Payload(keys: model.keys(uploadedIn: hour, using: &randomness), reports: [])
        )
        let ownKeys = Set(one.keys.map(\.data.bytes))
        func violations(
            accepted: [UploadingPhones.Payload], shared: Set<[UInt8]>? = nil,
            _ change: (inout [[UInt8]: [Int32]]) -> Void = { _ in }
        ) -> Int {
            var folded = Dictionary(uniqueKeysWithValues: one.parts.map { ($0, [hour.number]) })
            change(&folded)
            return UploadingPhones.Outcome(accepted: accepted, refused: [other])
                .violations(in: folded, shared: shared ?? ownKeys).count
        }
        let part = try #require(one.parts.last)
        let strange = try #require(other.parts.first)
        #expect(violations(accepted: [one]) == 0)
        #expect(violations(accepted: []) == 1)
        #expect(violations(accepted: [one, other]) == 1)
        #expect(violations(accepted: [one], shared: Set(ownKeys.dropFirst())) == 1)
        var report = one
        report.isSelfReport = true
        #expect(violations(accepted: [report], shared: []) == 0)
        #expect(violations(accepted: [report], shared: Set(ownKeys.prefix(1))) == 1)
        #expect(violations(accepted: [one]) { $0[part] = nil } > 0)
        #expect(violations(accepted: [one]) { $0[part] = [hour.number, hour.number] } > 0)
        #expect(violations(accepted: [one]) { $0[part] = [hour.number + 1] } > 0)
        #expect(violations(accepted: [one]) { $0[strange] = [hour.number] } > 0)
    }

    private static func kill(
        _ victim: Victim, of suite: KillableSuite, clock: inout FoldClock,
        using randomness: inout SeededGenerator
    ) async throws {
        switch victim {
        case .fold:
            let instant = clock.next()
            _ = try await suite.fold(
                asOf: instant, killingAfter: .milliseconds(.random(in: 0...400, using: &randomness)))
        case .foldProcess: try await suite.restart(.fold)
        case .submissionServer: try await suite.restart(.submissionServer)
        case .verificationServer: try await suite.restart(.verificationServer)
        case .dataDonation: try await suite.restart(.dataDonation)
        case .postgres: try await suite.restart(.postgres)
        case .metadataProxy: try await suite.restart(.metadataProxy)
        }
    }

    /// Folds hours ahead of time, one more each time, so that the test needn't wait for the clock.
    struct FoldClock {
        private var hour = Hour(containing: Date())
        private(set) var folds = 0

        mutating func next() -> Date {
            folds += 1
            hour = hour.advanced(by: 1)
            return hour.start
        }
    }

    /// The keys of the stream for other countries.
    static func sharedKeys(in suite: KillableSuite) async throws -> Set<[UInt8]> {
        let keys = try await suite.asSuperuser { session in
            try session.rows("SELECT key_data FROM submission.diagnosis_key WHERE is_federated", as: [UInt8].self)
        }
        return Set(keys)
    }

    /// The hours in which each key and report was folded, one entry per occurrence.
    static func folded(in suite: KillableSuite) async throws -> [[UInt8]: [Int32]] {
        let rows = try await suite.asSuperuser { session in
            try session.rows("SELECT key_data, hour FROM submission.diagnosis_key", as: [UInt8].self, Int32.self)
                + session.rows(
                    """
                    SELECT location_id_hash || initialization_vector || encrypted_record || authentication_code, hour
                    FROM submission.check_in_report
                    """, as: [UInt8].self, Int32.self)
                + session.rows("SELECT report, hour FROM submission.venue_report", as: [UInt8].self, Int32.self)
        }
        return Dictionary(rows.map { ($0.0, [$0.1]) }, uniquingKeysWith: +)
    }
}
