import Calling
import Catalogue
import Credentials
import DevelopmentSuite
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPTypes
import Phone
import SubmissionAPI
import Synchronization
import TestResultAPI
import TestSupport
import Testing
import Venues
import VerificationAPI
import Vigil

import struct DonationFormat.AndroidID
import struct DonationFormat.OneTimePassword
import struct DonationFormat.PasswordRequest

/// Phones that retry every call until it is answered. Each has one TAN, or one password for a self-report, and sends two payloads with it at
/// the same time.
struct UploadingPhones: Sendable {
    /// What authorises a phone's upload.
    enum Credential: Sendable {
        case tan(TAN)
        case password(OneTimePassword)

        var isPassword: Bool {
            if case .password = self { true } else { false }
        }
    }

    /// What a phone uploads: keys, with reports in the one form or the other.
    struct Payload: Sendable {
        let keys: [DiagnosisKey]
        var reports: [CheckInReport] = []
        var venueReports: [VenueReport] = []
        /// Without a registered test.
        var isSelfReport = false

        fileprivate static func drawn(for credential: Credential) -> Payload {
            var randomness = SystemRandomNumberGenerator()
            var payload = Payload(
                keys: keys(uploadedAt: Date(), using: &randomness), isSelfReport: credential.isPassword)
            if Bool.random(using: &randomness) {
                let count = Int.random(in: 1...VenueUpload.maximumReports, using: &randomness)
                payload.venueReports = (0..<count).map { _ in VenueReport(using: &randomness) }
            } else {
                payload.reports = VisitModel().reports(using: &randomness)
            }
            return payload
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

        /// Whether its keys may go to other countries: apps ask for consent, but not for self-reports, and venue reports come without it.
        var isShared: Bool { venueReports.isEmpty && !isSelfReport }

        /// The keys and reports as the tables store them.
        var parts: [[UInt8]] { keys.map(\.data.bytes) + reports.map(\.bytes) + venueReports.map(\.bytes) }
    }

    /// Which payloads of one TAN or password were accepted and refused.
    struct Outcome: Sendable {
        let accepted: [Payload]
        let refused: [Payload]

        /// What is wrong with it.
        /// - Parameters:
        ///   - folded: the hours in which each part of each payload was folded.
        ///   - shared: the keys of the stream for other countries.
        func violations(in folded: [[UInt8]: [Int32]], shared: Set<[UInt8]>) -> [String] {
            guard accepted.count == 1, let accepted = accepted.first else {
                return ["\(accepted.count) payloads of one TAN or password were accepted"]
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
        let outcomes = Mutex<[(credential: Credential, outcome: Outcome)]>([])
        let unanswered = Mutex(0)
        let refusals = Mutex<[String]>([])
        let isOver = Mutex(false)
    }

    private let lab: ServiceClient
    private let app: AppClient
    /// The proxy itself, for venue reports.
    private let proxy: ServiceClient
    /// Simulated Apple and Google.
    private let vouchers: ServiceClient
    private let record = Record()

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
        vouchers = try ServiceClient(
            base: suite.url(of: .developmentAttestation, .control), tls: nil, name: "development-attestation")
    }

    /// Runs phones, each one test after another, while `body` runs, and lets them finish.
    ///
    /// The clients stay open for `uploadAgain`.
    static func run(
        _ count: Int, on suite: KillableSuite, _ body: (UploadingPhones) async throws -> Void
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
            try await body(phones)
            phones.record.isOver.withLock { $0 = true }
            try await group.waitForAll()
        }
        return phones
    }

    var outcomes: [Outcome] { record.outcomes.withLock { $0.map(\.outcome) } }
    /// How many calls got no answer.
    var unanswered: Int { record.unanswered.withLock { $0 } }

    /// Calls that were refused without a reason.
    var refusals: [String] { record.refusals.withLock { $0 } }

    /// How many of the outcomes are of self-reports.
    var selfReports: Int { record.outcomes.withLock { $0.count { $0.credential.isPassword } } }

    private func journey(_ name: String) async throws {
        let credential = Bool.random() ? Credential.tan(try await tan(name)) : .password(try await password())
        let payloads = [Payload.drawn(for: credential), Payload.drawn(for: credential)]
        async let first = upload(payloads[0], credential)
        async let second = upload(payloads[1], credential)
        let isAccepted = [try await first, try await second]
        let outcome = Outcome(
            accepted: zip(payloads, isAccepted).filter(\.1).map(\.0),
            refused: zip(payloads, isAccepted).filter { !$0.1 }.map(\.0))
        record.outcomes.withLock { $0.append((credential, outcome)) }
    }

    /// Has a test registered and its TAN issued.
    private func tan(_ name: String) async throws -> TAN {
        let guid = HashedGUID(hashing: "\(name) \(UUID())")
        let result = LabResults.Result(id: ResultID(guid), result: .pcrPositive, sampleCollected: nil)
        _ = try await accepted("result") {
            try await lab.call(TestResultAPI.labResults, LabResults(testResults: [result], labID: nil))
        }
        let attempt = IdempotencyKey.fresh
        let token = try await accepted("registration") { try await app.register(.guid(guid), attempt: attempt) }
        return try await accepted("TAN") { try await app.tan(token) }
    }

    /// Has a new phone's app admitted: an Android phone's, or an iPhone's, which shows App Attest and DeviceCheck.
    private func password() async throws -> OneTimePassword {
        var randomness = SystemRandomNumberGenerator()
        let password = OneTimePassword(using: &randomness)
        let genuine = GenuineApps(vouchers)
        let name = UUID()
        guard Bool.random(using: &randomness) else {
            let id = withUnsafeBytes(of: name.uuid) { AndroidID(Array($0)) }
            let wish = try PasswordRequest(password, androidID: id).encoded()
            _ = try await accepted("password of an Android phone") {
                try await app.requestPassword(for: .selfReport, wish, with: genuine.android(for: wish))
            }
            return password
        }
        let wish = try PasswordRequest(password).encoded()
        let token = try await genuine.deviceToken(of: name.uuidString)
        var attestation = AppAttestation()
        _ = try await accepted("password of an iPhone") {
            try await app.prove(wish, by: &attestation, of: genuine, deviceToken: token) { evidence in
                try await app.requestPassword(for: .selfReport, wish, with: evidence)
            }
        }
        return password
    }

    /// Every phone repeats its accepted upload, as if the answer had been lost. It must be accepted again, and no call may have been
    /// refused without a reason.
    func uploadAgain() async throws {
        let outcomes = record.outcomes.withLock { $0 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for start in 0..<Self.atOnce {
                group.addTask {
                    for index in stride(from: start, to: outcomes.count, by: Self.atOnce) {
                        let (credential, outcome) = outcomes[index]
                        for payload in outcome.accepted { try await sendAgain(payload, credential) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(refusals == [], "seed \(KillPlan.seed)")
        await lab.close()
        await app.close()
        await proxy.close()
        await vouchers.close()
    }

    /// Repeats an accepted upload. A refusal is recorded; what is judged afterwards tells whether the upload is lost.
    private func sendAgain(_ payload: Payload, _ credential: Credential) async throws {
        // Once a call has been refused, many may be: waiting a minute for each would take hours.
        let patience = refusals.isEmpty ? Self.patience : 0
        do {
            _ = try await accepted("repeat of an upload", askedFor: patience) { try await send(payload, credential) }
        } catch let refused as Refused {
            record.refusals.withLock { $0.append(refused.call) }
        }
    }

    /// Whether it was accepted.
    private func upload(_ payload: Payload, _ credential: Credential) async throws -> Bool {
        try await answered { try await send(payload, credential) } != nil
    }

    private func send(_ payload: Payload, _ credential: Credential) async throws -> UploadAccepted {
        guard payload.venueReports.isEmpty else {
            return try await proxy.call(SubmissionAPI.venueReports, Self.request(payload, credential))
        }
        return switch credential {
        case .tan(let tan): try await app.upload(payload.keys, reports: payload.reports, tan: tan)
        case .password(let password):
            try await app.reportOneself(payload.keys, reports: payload.reports, password: password)
        }
    }

    private static func request(_ payload: Payload, _ credential: Credential) throws -> UploadRequest {
        var submission = SubmissionPayload()
        submission.keys = payload.keys.map(TemporaryExposureKey.init(uploading:))
        if payload.isSelfReport { submission.submissionType = .srsSelfTest }
        guard let upload = VenueUpload(reports: payload.venueReports, submission: submission) else {
            throw UnreadableSubmission.tooLarge(maximum: VenueUpload.size)
        }
        let encoded = Data(try upload.encoded())
        return switch credential {
        case .tan(let tan): UploadRequest(authorization: tan.text, payload: encoded)
        case .password(let password): UploadRequest(authorization: nil, password: password.text, payload: encoded)
        }
    }

    /// How many uploads are repeated at the same time.
    private static let atOnce = 8
    /// For how many seconds a call is repeated that was refused without a reason.
    private static let patience = 60

    /// A call was refused without a reason, and still is.
    private struct Refused: Error {
        /// The step, the status and the instant.
        let call: String
    }

    /// Retries until there is an answer. A refusal is recorded, because a real phone would give up. Then the call is repeated for a
    /// while: if it is accepted, nothing was lost, and a server only didn't see it.
    private func accepted<Answer>(
        _ step: String, askedFor seconds: Int = patience, _ call: () async throws -> Answer
    ) async throws -> Answer {
        var status = 0
        func answer() async throws -> Answer? {
            try await answered {
                do {
                    return try await call()
                } catch CallError.refused(let refusal) {
                    status = refusal.code
                    throw CallError.refused(refusal)
                }
            }
        }
        if let answer = try await answer() { return answer }
        let refused = "\(step): \(status) at \(Date().formatted(.iso8601))"
        for second in 0..<seconds {
            try await Task.sleep(for: .seconds(1))
            guard let answer = try await answer() else { continue }
            record.refusals.withLock { $0.append("\(refused), accepted \(second + 1) s later") }
            return answer
        }
        throw Refused(call: refused)
    }

    /// Retries until there is an answer; nil for a refusal.
    private func answered<Answer>(_ call: () async throws -> Answer) async throws -> Answer? {
        let deadline = ContinuousClock.now + KillPlan.patience
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
