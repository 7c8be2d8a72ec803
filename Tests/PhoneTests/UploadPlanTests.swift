import Calling
import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import Phone
import Serving
import SubmissionAPI
import Synchronization
import TestSupport
import Testing
import Venues
import VerificationAPI

/// The two uploads of a positive test.
@Suite(.timeLimit(.minutes(5))) struct UploadPlanTests {
    private static let today = Day(number: 20_600)
    private static let now = today.firstHour.advanced(by: 15).start

    private static func days(ago: ClosedRange<Int>) -> ClosedRange<Day> {
        today.advanced(by: -ago.upperBound)...today.advanced(by: -ago.lowerBound)
    }

    /// Midnight after ``today`` and some days more.
    private static func midnight(_ more: Int = 0) -> Date { today.advanced(by: 1 + more).firstHour.start }

    // MARK: The plan alone

    @Test("past keys are due at once, the day's own when the day has ended and no earlier, and then nothing")
    func due() {
        let plan = UploadPlan(token: Server().token, consentAt: Self.now)
        #expect(plan.due(at: Self.now) == Self.days(ago: 1...14))
        #expect(plan.wake(after: Self.now) == Self.now)
        // If the first one didn't come about on the day itself, one upload has all keys.
        #expect(plan.due(at: Self.midnight()) == Self.days(ago: 0...13))
        // What is too old by then is left out.
        #expect(plan.due(at: Self.midnight(3)) == Self.days(ago: 0...10))
        #expect(plan.due(at: Self.midnight(20)) == nil)
    }

    @Test("the day of the answer is that of the last consent, whenever the keys are uploaded")
    func answeredOn() throws {
        var plan = UploadPlan(token: Server().token, consentAt: Self.now)
        #expect(plan.answeredOn == Self.today)
        plan = try JSONDecoder().decode(UploadPlan.self, from: JSONEncoder().encode(plan))
        #expect(plan.answeredOn == Self.today)
        plan.consent(at: Self.midnight(1))
        #expect(plan.answeredOn == Self.today.advanced(by: 2))
    }

    // MARK: Against a server

    /// A server that gives a registration its TANs one after the other, and loses what it is told to lose.
    private final class Server: Sendable {
        struct State {
            var tans: [TAN]
            var uploads: [UploadRequest] = []
            var accepted: Set<String> = []
            var asked = 0
            /// The next so many answers to uploads are lost.
            var lost = 0
            /// Uploads are refused, as with a TAN that has expired.
            var isExpired = false
        }

        let token: RegistrationToken
        let state: Mutex<State>

        init(tans: Int = 2) {
            var random = SystemRandomNumberGenerator()
            token = RegistrationToken(RandomIdentifier(using: &random))
            state = Mutex(State(tans: (0..<tans).map { _ in TAN(RandomIdentifier(using: &random)) }))
        }

        func issue() throws -> TANResponse {
            try state.withLock { state in
                state.asked += 1
                guard let tan = state.tans.first(where: { !state.accepted.contains($0.text) }) else {
                    throw Problem.badRequest
                }
                return TANResponse(tan)
            }
        }

        func accept(_ upload: UploadRequest) throws -> UploadAccepted {
            try state.withLock { state in
                if state.isExpired { throw Problem.forbidden }
                state.uploads.append(upload)
                state.accepted.insert(upload.authorization ?? "")
                guard state.lost == 0 else {
                    state.lost -= 1
                    throw Problem.unavailable
                }
                return UploadAccepted()
            }
        }

        /// The days whose keys each upload had, and its TAN.
        func uploads(of phone: Phone) throws -> [(days: [Day], tan: String?)] {
            let known = Dictionary(uniqueKeysWithValues: phone.keys.map { ($0.data, $0.day) })
            return try state.withLock { $0.uploads }.map { upload in
                let payload = try SubmissionPayload(decoding: Array(upload.payload), maximum: 100_000)
                let keys = try UploadRules().normalise(payload.uploadedKeys)
                return (keys.map { known[$0.data] ?? Day(number: 0) }.sorted(), upload.authorization)
            }
        }
    }

    private func with(
        _ server: Server, _ body: (AppClient) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let listener = Listener(
            name: "public", host: "127.0.0.1", port: 0, security: .publicTLS(try certificates.files(role: nil))
        ) { routes in
            routes.on(VerificationAPI.tan) { _, _ in try server.issue() }
            for operation in [SubmissionAPI.diagnosisKeys, SubmissionAPI.venueReports] {
                routes.on(operation) { upload, _ in try server.accept(upload) }
            }
        }
        try await withService(listeners: [listener]) { _ in
            let app = try AppClient(
                base: "https://localhost:\(try await listener.boundPort)",
                authorities: "\(certificates.directory)/authority.pem")
            do {
                try await body(app)
                await app.close()
            } catch {
                await app.close()
                throw error
            }
        }
    }

    /// An app on its phone. When it is closed, nothing remains but the JSON that it kept.
    private struct App {
        let client: AppClient
        var phone: Phone
        var plan: UploadPlan
        private var kept = Data()

        init(_ client: AppClient, _ server: Server) {
            self.client = client
            phone = Phone(at: UploadPlanTests.now)
            plan = UploadPlan(token: server.token, consentAt: UploadPlanTests.now)
        }

        /// The system lets it run.
        mutating func run(at now: Date) async throws -> Bool {
            phone.live(until: now)
            var latest = kept
            defer { kept = latest }
            return try await client.upload(&plan, of: phone, at: now) { latest = try JSONEncoder().encode($0) }
        }

        mutating func closeAndOpen() throws {
            plan = try JSONDecoder().decode(UploadPlan.self, from: kept)
        }
    }

    @Test("the second upload has the key of the first one's day, also when the app was closed meanwhile")
    func two() async throws {
        let server = Server()
        try await with(server) { client in
            var app = App(client, server)
            let first = app.phone
            let past = try await app.run(at: Self.now)
            #expect(past && app.plan.wake(after: Self.now) == Self.midnight())
            // In the evening there is nothing to do, and nobody is asked.
            let evening = try await app.run(at: Self.midnight() - 1)
            #expect(!evening && server.state.withLock { $0.asked } == 1)

            let before = app.plan
            try app.closeAndOpen()
            #expect(app.plan == before)
            let today = try await app.run(at: Self.midnight())
            #expect(today && app.plan.isComplete && app.plan.wake(after: Self.midnight()) == nil)
            try app.closeAndOpen()
            let another = try await app.run(at: Self.midnight(1))
            #expect(!another && app.plan.isComplete)

            let uploads = try server.uploads(of: first)
            #expect(uploads.map(\.days) == [Array(Self.days(ago: 1...14)), [Self.today]])
            #expect(Set(uploads.map(\.tan)).count == 2)
        }
    }

    @Test("an app with the feature sends visits of both kinds with one TAN")
    func bothKinds() async throws {
        let server = Server()
        try await with(server) { client in
            let phone = Phone(at: Self.now)
            var plan = UploadPlan(token: server.token, consentAt: Self.now)
            let reports = [UInt8(1), 2].compactMap { CheckInReport([UInt8](repeating: $0, count: CheckInReport.count)) }
            let venueReports = [UInt8(3), 4].compactMap {
                VenueReport([UInt8](repeating: $0, count: VenueReport.count))
            }
            let isUploaded = try await client.upload(
                &plan, of: phone, reports: reports, venueReports: venueReports, at: Self.now
            ) { _ in }
            #expect(isUploaded)
            let uploads = server.state.withLock { $0.uploads }
            #expect(uploads.count == 1)
            let upload = try VenueUpload(decoding: Array(try #require(uploads.first).payload))
            #expect(upload.reports.sorted() == venueReports)
            #expect(upload.submission?.wellFormedReports.sorted() == reports)
            #expect(upload.submission?.keys.count == 14)
        }
    }

    @Test("an upload whose answer is lost, and whose app is closed, is repeated with its TAN and its keys")
    func lost() async throws {
        let server = Server()
        try await with(server) { client in
            var app = App(client, server)
            let first = app.phone
            server.state.withLock { $0.lost = 1 }
            do {
                _ = try await app.run(at: Self.now)
                Issue.record("the answer should have been lost")
            } catch CallError.unavailable {}
            try app.closeAndOpen()
            #expect(app.plan.wake(after: Self.now) == Self.now)
            // The repeat comes after midnight, when the oldest key is gone. The day's own key waits for the second TAN.
            let again = try await app.run(at: Self.midnight())
            #expect(again && !app.plan.isComplete)
            let today = try await app.run(at: Self.midnight())
            #expect(today && app.plan.isComplete)
            let uploads = try server.uploads(of: first)
            #expect(
                uploads.map(\.days) == [Array(Self.days(ago: 1...14)), Array(Self.days(ago: 1...13)), [Self.today]])
            #expect(uploads[0].tan == uploads[1].tan && uploads[1].tan != uploads[2].tan)
        }
    }

    @Test(
        "with consent on later days each day's key follows when it has ended, up to the number of TANs",
        arguments: 2...4)
    func laterDays(tans: Int) async throws {
        let server = Server(tans: tans)
        try await with(server) { client in
            var app = App(client, server)
            for day in 0...4 {
                let noon = Self.now.addingTimeInterval(Double(day) * 86_400)
                if day < 3 { app.plan.consent(at: noon) }
                _ = try await app.run(at: noon)
                try app.closeAndOpen()
            }
            let uploads = try server.uploads(of: app.phone).dropFirst().map(\.days)
            let later = (0..<3).map { [Self.today.advanced(by: $0)] }
            #expect(Array(uploads) == Array(later.prefix(tans - 1)))
            #expect(app.plan.isComplete)
        }
    }

    @Test("a TAN that has expired is asked for again")
    func expired() async throws {
        let server = Server()
        try await with(server) { client in
            var app = App(client, server)
            server.state.withLock { $0.isExpired = true }
            let refused = try await app.run(at: Self.now)
            #expect(!refused && app.plan.due(at: Self.now) != nil)
            server.state.withLock { $0.isExpired = false }
            let accepted = try await app.run(at: Self.now)
            #expect(accepted && server.state.withLock { $0.asked } == 2)
        }
    }

    // MARK: The phone's days

    @Test("each new day has a key of its own, the others stay, and what is older than 14 days is forgotten")
    func live() throws {
        var phone = Phone(at: Self.now)
        let before = phone.keys.map(\.data)
        phone.live(until: Self.now + 60)
        #expect(phone.keys.map(\.data) == before)
        phone.live(until: Self.midnight())
        #expect(phone.keys.dropLast().map(\.data) == Array(before.dropFirst()))
        #expect(phone.keys.map(\.day) == Array(Self.days(ago: -1...13)))
        #expect(phone.diagnosisKeys(of: Self.days(ago: 0...0)).map(\.data) == before.suffix(1))
        // A phone that was off for a month.
        phone.live(until: Self.midnight(30))
        #expect(phone.keys.count == 15)
        #expect(Set(phone.keys.map(\.data)).isDisjoint(with: before))
    }
}
