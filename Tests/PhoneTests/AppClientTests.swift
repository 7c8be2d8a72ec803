import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import HTTPTypes
import Phone
import PushAPI
import PushFormat
import Serving
import SubmissionAPI
import Synchronization
import TestSupport
import Testing
import Venues
import VerificationAPI

import struct DonationFormat.OneTimePassword

/// A request body as it came, whatever it is.
private struct AnyJSON: WireMessage {
    let body: Data

    static var mediaType: MediaType? { .json }
    static var headerNames: [HTTPField.Name] { [.cwaFake] }

    init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        self.body = body
    }

    func encoded() -> EncodedMessage { EncodedMessage(body: body) }
}

/// The same path as an operation of the verification server, with its body left as it is.
private func unread<Req: WireMessage, Res: WireMessage>(_ endpoint: Endpoint<Req, Res>) -> Endpoint<AnyJSON, Res> {
    Endpoint(
        endpoint.route.method, endpoint.route.path, callers: endpoint.route.callers,
        bodyLimit: endpoint.route.bodyLimit, success: endpoint.success, summary: endpoint.summary)
}

@Suite(.timeLimit(.minutes(5))) struct AppClientTests {
    private final class Proxy: Sendable {
        let bodies = Mutex<[Data]>([])
        let uploads = Mutex<[UploadRequest]>([])
        let registrations = Mutex<[Data]>([])
        let token: RegistrationToken
        let tan: TAN

        init() {
            var random = SystemRandomNumberGenerator()
            token = RegistrationToken(RandomIdentifier(using: &random))
            tan = TAN(RandomIdentifier(using: &random))
        }
    }

    /// An app in front of a proxy that remembers what it was sent.
    private func withApp<Result: Sendable>(
        _ body: (AppClient, Proxy) async throws -> Result
    ) async throws -> Result {
        let certificates = try TestCertificates()
        let proxy = Proxy()
        let listener = Listener(
            name: "public", host: "127.0.0.1", port: 0, security: .publicTLS(try certificates.files(role: nil))
        ) { routes in
            routes.on(unread(VerificationAPI.registrationToken)) { request, _ in
                proxy.bodies.withLock { $0.append(request.body) }
                return RegistrationTokenResponse(proxy.token)
            }
            routes.on(unread(VerificationAPI.testResult)) { request, _ in
                proxy.bodies.withLock { $0.append(request.body) }
                return TestResultResponse(testResult: .pcrPositive, sampleCollected: 1_780_000_000, labID: nil)
            }
            routes.on(unread(VerificationAPI.tan)) { request, _ in
                proxy.bodies.withLock { $0.append(request.body) }
                return TANResponse(proxy.tan)
            }
            routes.on(PushAPI.register) { registration, _ in
                proxy.registrations.withLock { $0.append(registration.payload) }
                return NoContent()
            }
            for operation in [SubmissionAPI.diagnosisKeys, SubmissionAPI.onBehalf, SubmissionAPI.venueReports] {
                routes.on(operation) { upload, _ in
                    proxy.uploads.withLock { $0.append(upload) }
                    return UploadAccepted()
                }
            }
        }
        return try await withService(listeners: [listener]) { _ in
            let app = try AppClient(
                base: "https://localhost:\(try await listener.boundPort)",
                authorities: "\(certificates.directory)/authority.pem")
            do {
                let result = try await body(app, proxy)
                await app.close()
                return result
            } catch {
                await app.close()
                throw error
            }
        }
    }

    @Test("every request to the verification server has 250 bytes")
    func size() async throws {
        try await withApp { app, proxy in
            let guid = try #require(HashedGUID(String(repeating: "a1", count: 32)))
            let teleTAN = try #require(TeleTAN("FE9A5MAK6C"))
            #expect(try await app.register(.guid(guid)) == proxy.token)
            _ = try await app.register(.teleTAN(teleTAN))
            #expect(try await app.testResult(proxy.token) == .pcrPositive)
            #expect(try await app.tan(proxy.token) == proxy.tan)
            #expect(proxy.bodies.withLock { $0.map(\.count) } == [250, 250, 250, 250])
        }
    }

    @Test("real or fake, with reports or without, of a person or of an organiser: uploads have one size")
    func uploadSizes() async throws {
        try await withApp { app, proxy in
            let keys = Phone(at: Date(timeIntervalSince1970: 1_780_000_000)).diagnosisKeys()
            let reports = (0..<32).compactMap { CheckInReport([UInt8](repeating: $0, count: 96)) }
            try await app.upload(keys, tan: proxy.tan)
            try await app.upload(keys, reports: reports, tan: proxy.tan)
            try await app.warnVisitors(Array(reports.prefix(3)), tan: proxy.tan)
            try await app.pretendToUpload()
            let uploads = proxy.uploads.withLock { $0 }
            #expect(uploads.map(\.payload.count) == [4096, 4096, 4096, 4096])
            #expect(uploads.map(\.isFake) == [false, false, false, true])
            #expect(Set(uploads.map { $0.authorization?.count }) == [36])
            let payloads = try uploads.map { try SubmissionPayload(decoding: Array($0.payload), maximum: 4096) }
            #expect(payloads.map(\.wellFormedReports.count) == [0, 32, 3, 0])
        }
    }

    @Test("a self-report has a password in place of the TAN, no consent to share, and the size of any upload")
    func selfReport() async throws {
        try await withApp { app, proxy in
            let keys = Phone(at: Date(timeIntervalSince1970: 1_780_000_000)).diagnosisKeys()
            let reports = (0..<33).compactMap { CheckInReport([UInt8](repeating: $0, count: 96)) }
            var random = SystemRandomNumberGenerator()
            let password = OneTimePassword(using: &random)
            try await app.reportOneself(keys, reports: Array(reports.prefix(32)), password: password)
            try await app.reportOneself(keys, reports: reports, as: .srsOther, password: password)
            try await app.reportOneself(keys, room: 280, password: password)
            let uploads = proxy.uploads.withLock { $0 }
            #expect(uploads.map(\.payload.count) == [4096, 49_152, 49_152])
            #expect(uploads.allSatisfy { $0.authorization == nil && $0.password == password.text && !$0.isFake })
            let payloads = try uploads.map { try SubmissionPayload(decoding: Array($0.payload), maximum: 49_152) }
            #expect(payloads.map(\.submissionType) == [.srsSelfTest, .srsOther, .srsSelfTest])
            #expect(payloads.map(\.wellFormedReports.count) == [32, 33, 0])
            #expect(payloads.allSatisfy { $0.keys.count == 14 && !$0.consentToFederation })
        }
    }

    @Test(
        "check-ins alone and their dummy have the same size, and a phone with many has a larger one, with dummies to match"
    )
    func reportSizes() async throws {
        try await withApp { app, proxy in
            let keys = Phone(at: Date(timeIntervalSince1970: 1_780_000_000)).diagnosisKeys()
            let reports = (0..<280).compactMap { number in
                CheckInReport((0..<96).map { UInt8(truncatingIfNeeded: number + $0) })
            }
            try await app.upload([], reports: Array(reports.prefix(3)), tan: proxy.tan)
            try await app.pretendToUpload(reports: 3)
            for count in [33, 150, 280] {
                try await app.upload(keys, reports: Array(reports.prefix(count)), tan: proxy.tan)
                try await app.upload([], reports: Array(reports.prefix(count)), tan: proxy.tan)
                try await app.pretendToUpload(reports: count)
            }
            let uploads = proxy.uploads.withLock { $0 }
            #expect(uploads.map(\.payload.count) == [4096, 4096] + [Int](repeating: 49_152, count: 9))
            let last = try SubmissionPayload(
                decoding: Array(uploads[uploads.count - 3].payload),
                maximum: SubmissionAPI.diagnosisKeys.route.bodyLimit)
            #expect(last.wellFormedReports.sorted() == reports.sorted())
        }
    }

    @Test("who registers for push and who takes it back send as many bytes, under one name")
    func registrations() async throws {
        try await withApp { app, proxy in
            let instance = AppInstanceToken()
            let token = String(repeating: "a1", count: 32)
            try await app.ask(for: .pushes(token: token), as: instance)
            try await app.ask(for: .nothing, as: instance)
            let bodies = proxy.registrations.withLock { $0 }
            #expect(bodies.map(\.count) == [512, 512])
            let read = try bodies.map { try PushRegistration(decoding: $0) }
            #expect(read.map(\.pushToken) == [token, ""])
            #expect(read.allSatisfy { $0.deviceID == instance.text && $0.pushType == .ios && $0.version == 1 })
        }
    }

    @Test("reports leave in an order that doesn't tell the order of the visits")
    func shuffled() async throws {
        try await withApp { app, proxy in
            let reports = (0..<32).compactMap { CheckInReport([UInt8](repeating: $0, count: 96)) }
            try await app.upload([], reports: reports, tan: proxy.tan)
            try await app.warnVisitors(reports, tan: proxy.tan)
            let sent = try proxy.uploads.withLock { $0 }.map {
                try SubmissionPayload(decoding: Array($0.payload), maximum: 4096).wellFormedReports
            }
            #expect(sent.count == 2)
            for one in sent {
                #expect(one != reports)
                #expect(one.sorted() == reports)
            }
            #expect(sent.first != sent.last)
        }
    }

    @Test("venue reports, with keys or without, of a person or of an organiser, or none: uploads have one size")
    func venueReports() async throws {
        try await withApp { app, proxy in
            let keys = Phone(at: Date(timeIntervalSince1970: 1_780_000_000)).diagnosisKeys()
            let reports = (0..<128).compactMap { VenueReport([UInt8](repeating: $0, count: VenueReport.count)) }
            try await app.upload(keys, venueReports: reports, tan: proxy.tan)
            try await app.upload([], venueReports: reports, tan: proxy.tan)
            try await app.upload(keys, venueReports: [], tan: proxy.tan)
            try await app.warnVisitors(venueReports: reports, tan: proxy.tan)
            try await app.pretendToUploadVenueReports()
            let uploads = proxy.uploads.withLock { $0 }
            #expect(uploads.map(\.payload.count) == [8192, 8192, 8192, 8192, 8192])
            #expect(uploads.map(\.isFake) == [false, false, false, false, true])
            #expect(Set(uploads.map { $0.authorization?.count }) == [36])
            let read = try uploads.map { try VenueUpload(decoding: Array($0.payload)) }
            #expect(read.map { $0.submission?.keys.count } == [14, nil, 14, 0, nil])
            #expect(read.map { $0.submission?.submissionType == .hostWarning } == [false, false, false, true, false])
            #expect(read.map(\.reports.count) == [128, 128, 0, 128, 0])
            // In an order of their own.
            #expect(read[0].reports != reports && read[0].reports != read[1].reports)
            #expect(read[0].reports.sorted() == reports)
            await #expect(throws: UnreadableSubmission.self) {
                try await app.upload([], venueReports: reports + reports, tan: proxy.tan)
            }
        }
    }

    @Test("visits of both kinds leave in one upload of the one size, each kind in an order of its own")
    func bothKinds() async throws {
        try await withApp { app, proxy in
            let keys = Phone(at: Date(timeIntervalSince1970: 1_780_000_000)).diagnosisKeys()
            let venueReports = (0..<64).compactMap { VenueReport([UInt8](repeating: $0, count: VenueReport.count)) }
            let reports = (0..<36).compactMap { CheckInReport([UInt8](repeating: $0, count: CheckInReport.count)) }
            try await app.upload(keys, venueReports: venueReports, reports: reports, tan: proxy.tan)
            try await app.upload([], venueReports: [], reports: reports, tan: proxy.tan)
            // What doesn't fit isn't left out unnoticed.
            await #expect(throws: UnreadableSubmission.self) {
                try await app.upload(
                    keys, venueReports: venueReports + venueReports, reports: Array(reports.prefix(9)), tan: proxy.tan)
            }
            let uploads = proxy.uploads.withLock { $0 }
            #expect(uploads.map(\.payload.count) == [8192, 8192])
            let read = try uploads.map { try VenueUpload(decoding: Array($0.payload)) }
            #expect(read.map { $0.submission?.keys.count } == [14, 0])
            #expect(read[0].reports != venueReports && read[0].reports.sorted() == venueReports)
            let sent = read.compactMap { $0.submission?.wellFormedReports }
            #expect(sent.count == 2 && sent.first != sent.last)
            for one in sent { #expect(one != reports && one.sorted() == reports) }
        }
    }

    @Test("an upload's size doesn't tell how many keys are in it")
    func uploads() async throws {
        try await withApp { app, proxy in
            let keys = Phone(at: Date(timeIntervalSince1970: 1_780_000_000)).diagnosisKeys()
            for count in [1, 2, 7, 13, 14] { try await app.upload(Array(keys.prefix(count)), tan: proxy.tan) }
            let uploads = proxy.uploads.withLock { $0 }
            #expect(Set(uploads.map(\.payload.count)).count == 1)
            #expect(uploads.allSatisfy { $0.authorization == proxy.tan.text && !$0.isFake })
            let last = try #require(uploads.last)
            let payload = try SubmissionPayload(decoding: Array(last.payload), maximum: 100_000)
            #expect(try UploadRules().normalise(payload.uploadedKeys) == keys.sorted())
        }
    }
}
