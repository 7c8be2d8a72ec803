import Calling
import Catalogue
import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPTypes
import Phone
import SubmissionAPI
import Synchronization
import TestResultAPI
import TestSupport
import Venues
import VerificationAPI
import Vigil

/// Phones that retry every call until it is answered. Each sends two payloads for its one TAN at the same time.
struct UploadingPhones: Sendable {
    /// What a phone uploads: keys, with reports in the one form or the other.
    struct Payload: Sendable {
        let keys: [DiagnosisKey]
        var reports: [CheckInReport] = []
        var venueReports: [VenueReport] = []

        fileprivate static func drawn() -> Payload {
            var randomness = SystemRandomNumberGenerator()
            let keys = keys(uploadedAt: Date(), using: &randomness)
            guard Bool.random(using: &randomness) else {
                return Payload(keys: keys, reports: VisitModel().reports(using: &randomness))
            }
            let count = Int.random(in: 1...VenueUpload.maximumReports, using: &randomness)
            return Payload(keys: keys, venueReports: (0..<count).map { _ in VenueReport(using: &randomness) })
        }

        /// Keys that are current for four more days: the fold leaves out those that expire before it runs, and the test folds hours
        /// ahead of time, past midnight.
        private static func keys(
            uploadedAt instant: Date, using randomness: inout some RandomNumberGenerator
        ) -> [DiagnosisKey] {
            let end = instant.addingTimeInterval(4 * 86_400)
            while true {
                let keys = UploadModel().keys(uploadedIn: Hour(containing: instant), using: &randomness)
                    .filter { !$0.rollingPeriod.hasExpired(at: end) }
                if !keys.isEmpty { return keys }
            }
        }

        /// Whether its keys may go to other countries: apps ask for consent, and venue reports come without it.
        var isShared: Bool { venueReports.isEmpty }

        /// The keys and reports as the tables store them.
        var parts: [[UInt8]] { keys.map(\.data.bytes) + reports.map(\.bytes) + venueReports.map(\.bytes) }
    }

    /// Which payloads of one TAN were accepted and refused.
    struct Outcome: Sendable {
        let accepted: [Payload]
        let refused: [Payload]

        /// What is wrong with it.
        /// - Parameters:
        ///   - folded: the hours in which each part of each payload was folded.
        ///   - shared: the keys of the stream for other countries.
        func violations(in folded: [[UInt8]: [Int32]], shared: Set<[UInt8]>) -> [String] {
            guard accepted.count == 1, let accepted = accepted.first else {
                return ["\(accepted.count) payloads of one TAN were accepted"]
            }
            let hours = accepted.parts.map { folded[$0] ?? [] }
            var violations: [String] = []
            if hours.contains([]) { violations.append("a part of an accepted upload isn't there") }
            if hours.contains(where: { $0.count > 1 }) { violations.append("a part of an upload is there twice") }
            if Set(hours).count > 1 { violations.append("an upload was split") }
            if refused.flatMap(\.parts).contains(where: { folded[$0] != nil }) {
                violations.append("a part of a refused payload is there")
            }
            if accepted.keys.contains(where: { shared.contains($0.data.bytes) != accepted.isShared }) {
                violations.append("a key is in the wrong stream")
            }
            return violations
        }
    }

    private final class Record: Sendable {
        let outcomes = Mutex<[(tan: TAN, outcome: Outcome)]>([])
        let unanswered = Mutex(0)
        let isOver = Mutex(false)
    }

    private let lab: ServiceClient
    private let app: AppClient
    /// The proxy itself, for venue reports.
    private let proxy: ServiceClient
    private let record = Record()

    /// A real phone gives up after days; a test that waits for longer than this has failed.
    private static let patience: Duration = .seconds(60)

    private init(_ suite: KillableSuite) throws {
        lab = try ServiceClient(
            base: suite.url(of: .testResultServer, .laboratories), tls: suite.certificate("lab"), name: "lab",
            deadline: .seconds(4))
        let (base, authorities) = (
            try suite.url(of: .metadataProxy, .listen), suite.folder.certificate(SuiteCertificates.authority)
        )
        app = try AppClient(base: base, authorities: authorities)
        proxy = try ServiceClient(
            base: base, authorities: authorities, name: "metadata-proxy", deadline: .seconds(15))
    }

    /// Runs phones, each one test after another, while `body` runs, and lets them finish.
    ///
    /// The clients stay open for `uploadAgain`.
    static func run(
        _ count: Int, on suite: KillableSuite, _ body: () async throws -> Void
    ) async throws -> UploadingPhones {
        let phones = try UploadingPhones(suite)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for phone in 0..<count {
                group.addTask {
                    var number = 0
                    while !phones.record.isOver.withLock({ $0 }) {
                        try await phones.journey("\(phone)-\(number)")
                        number += 1
                    }
                }
            }
            try await body()
            phones.record.isOver.withLock { $0 = true }
            try await group.waitForAll()
        }
        return phones
    }

    var outcomes: [Outcome] { record.outcomes.withLock { $0.map(\.outcome) } }
    /// How many calls got no answer.
    var unanswered: Int { record.unanswered.withLock { $0 } }

    private func journey(_ name: String) async throws {
        let guid = HashedGUID(hashing: "\(name) \(UUID())")
        let result = LabResults.Result(id: ResultID(guid), result: .pcrPositive, sampleCollected: nil)
        _ = try await accepted("result") {
            try await lab.call(TestResultAPI.labResults, LabResults(testResults: [result], labID: nil))
        }
        let attempt = IdempotencyKey.fresh
        let token = try await accepted("registration") { try await app.register(.guid(guid), attempt: attempt) }
        let tan = try await accepted("TAN") { try await app.tan(token) }
        let payloads = [Payload.drawn(), Payload.drawn()]
        async let first = upload(payloads[0], tan)
        async let second = upload(payloads[1], tan)
        let isAccepted = [try await first, try await second]
        let outcome = Outcome(
            accepted: zip(payloads, isAccepted).filter(\.1).map(\.0),
            refused: zip(payloads, isAccepted).filter { !$0.1 }.map(\.0))
        record.outcomes.withLock { $0.append((tan, outcome)) }
    }

    /// Every phone repeats its accepted upload, as if the answer had been lost. It must be accepted again.
    func uploadAgain() async throws {
        for (tan, outcome) in record.outcomes.withLock({ $0 }) {
            for payload in outcome.accepted where try await !upload(payload, tan) {
                throw CallError.refused(.forbidden)
            }
        }
        await lab.close()
        await app.close()
        await proxy.close()
    }

    /// Whether it was accepted.
    private func upload(_ payload: Payload, _ tan: TAN) async throws -> Bool {
        guard !payload.venueReports.isEmpty else {
            return try await answered { try await app.upload(payload.keys, reports: payload.reports, tan: tan) } != nil
        }
        var submission = SubmissionPayload()
        submission.keys = payload.keys.map(TemporaryExposureKey.init(uploading:))
        guard let upload = VenueUpload(reports: payload.venueReports, submission: submission) else { return false }
        let request = UploadRequest(authorization: tan.text, payload: Data(try upload.encoded()))
        return try await answered { try await proxy.call(SubmissionAPI.venueReports, request) } != nil
    }

    /// A call was refused without a reason.
    private struct Refused: Error {
        let step: String
        let status: Int
    }

    /// Retries until there is an answer; throws if it is a refusal.
    private func accepted<Answer>(_ step: String, _ call: () async throws -> Answer) async throws -> Answer {
        var status = 0
        let answer = try await answered {
            do {
                return try await call()
            } catch CallError.refused(let refusal) {
                status = refusal.code
                throw CallError.refused(refusal)
            }
        }
        guard let answer else { throw Refused(step: step, status: status) }
        return answer
    }

    /// Retries until there is an answer; nil for a refusal.
    private func answered<Answer>(_ call: () async throws -> Answer) async throws -> Answer? {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do {
                return try await call()
            } catch CallError.refused(let status) where status.code < 500 {
                return nil
            } catch let error as CallError {
                guard ContinuousClock.now < deadline else { throw error }
                record.unanswered.withLock { $0 += 1 }
                try await Task.sleep(for: .milliseconds(.random(in: 5...60)))
            }
        }
    }
}
