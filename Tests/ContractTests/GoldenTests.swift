import Credentials
import DonationAPI
import Foundation
import FurtherAPI
import HTTPContract
import HTTPTypes
import PushAPI
import PushFormat
import SubmissionAPI
import SwiftProtobuf
import TestResultAPI
import Testing
import VerificationAPI

/// What goes over the wire, byte by byte. A test that fails here means that phones, labs or portals in the field would
/// notice: changing a file in `Fixtures/` is changing the interface.
@Suite struct GoldenTests {
    /// One file and the message it holds.
    struct Golden: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What the documents say about its body; nil for one that isn't JSON.
        let schema: JSONSchema?
        let check: @Sendable () throws -> Void
        /// Reads another body in the place of the file's.
        let read: @Sendable (Data) throws -> Void

        /// A request that a client of ours sends and a server of ours reads.
        static func request<Req: WireMessage & Equatable, Res: WireMessage>(
            _ name: String, _ endpoint: Endpoint<Req, Res>, _ message: @escaping @Sendable (Samples) -> Req,
            isReadBack: Bool = true
        ) -> Golden {
            Golden(testDescription: "\(name).request", schema: Req.bodySchema) {
                let file = try WireFile("\(name).request")
                let message = message(try Samples())
                let route = endpoint.route
                #expect(try WireFile(start: "\(route.method) \(route.path)", message: message) == file)
                if isReadBack { #expect(try file.read(Req.self, fields: route.requestHeaders) == message) }
            } read: { body in
                _ = try WireFile("\(name).request").read(Req.self, fields: endpoint.route.requestHeaders, body: body)
            }
        }

        /// An answer that a server of ours sends and a client of ours reads.
        static func answer<Req: WireMessage, Res: WireMessage & Equatable>(
            _ name: String, _ endpoint: Endpoint<Req, Res>, _ message: @escaping @Sendable (Samples) -> Res
        ) -> Golden {
            Golden(testDescription: "\(name).answer", schema: Res.bodySchema) {
                let file = try WireFile("\(name).answer")
                let message = message(try Samples())
                let status = try message.encoded().status ?? endpoint.success
                #expect(try WireFile(start: "\(status.code)", message: message) == file)
                #expect(try file.read(Res.self, fields: endpoint.route.responseHeaders) == message)
            } read: { body in
                _ = try WireFile("\(name).answer").read(Res.self, fields: endpoint.route.responseHeaders, body: body)
            }
        }

        /// A request as somebody else's program sends it: it is understood, whatever else it carries.
        static func foreign<Req: WireMessage & Equatable, Res: WireMessage>(
            _ name: String, _ endpoint: Endpoint<Req, Res>, _ message: @escaping @Sendable (Samples) -> Req
        ) -> Golden {
            Golden(testDescription: "\(name).request", schema: Req.bodySchema) {
                let file = try WireFile("\(name).request")
                let route = endpoint.route
                #expect(file.start == "\(route.method) \(route.path)")
                #expect(file.body.count <= route.bodyLimit)
                if let media = route.requestMedia {
                    #expect(media.matches(contentType: file.fields[.contentType] ?? ""))
                }
                #expect(try file.read(Req.self, fields: route.requestHeaders) == message(try Samples()))
            } read: { body in
                _ = try WireFile("\(name).request").read(Req.self, fields: endpoint.route.requestHeaders, body: body)
            }
        }
    }

    static let verification: [Golden] = [
        .request("registrationToken-guid", VerificationAPI.registrationToken) { .init(.guid($0.guid)) },
        .request("registrationToken-teletan", VerificationAPI.registrationToken) { .init(.teleTAN($0.teleTAN)) },
        .request(
            "registrationToken-padded", VerificationAPI.registrationToken,
            { fake(RegistrationTokenRequest(.guid($0.guid), requestPadding: "aB3/xyz")) }, isReadBack: false),
        .answer("registrationToken", VerificationAPI.registrationToken) { .init($0.token) },
        .request("testresult", VerificationAPI.testResult) { .init($0.token) },
        .answer("testresult", VerificationAPI.testResult) { _ in
            .init(testResult: .pcrPositive, sampleCollected: 1_779_796_800, labID: "lab-7")
        },
        .answer("testresult-without-lab", VerificationAPI.testResult) { _ in
            .init(testResult: .pcrPending, sampleCollected: 1_779_796_800, labID: nil)
        },
        .request("tan", VerificationAPI.tan) { .init($0.token) },
        .answer("tan", VerificationAPI.tan) { .init($0.tan) },
        .request("reservations", VerificationAPI.reservations) {
            .init([
                TANReservation(tan: $0.tan, tag: $0.tag, purpose: .diagnosisKeys),
                TANReservation(tan: $0.otherTAN, tag: $0.otherTag, purpose: .onBehalf),
            ])
        },
        .request("reservations-self-report", VerificationAPI.reservations) {
            .init([TANReservation(tan: $0.password, tag: $0.tag, purpose: .selfReport)])
        },
        .answer("reservations", VerificationAPI.reservations) { _ in
            .init([.granted, .refused, .granted], confirmed: [2])
        },
        .answer("reservations-unanswered", VerificationAPI.reservations) { _ in
            .init([.granted, .unanswered], confirmed: [])
        },
        .request("confirmations", VerificationAPI.confirmations) {
            .init([TANConfirmation(tan: $0.tan, tag: $0.tag)])
        },
        .answer("confirmations", VerificationAPI.confirmations) { _ in .init([.granted]) },
        .request("teletan-test", VerificationAPI.teleTAN) { _ in .init(officerToken: "eyJ.eyJ.sig", kind: .test) },
        .request("teletan-event", VerificationAPI.teleTAN) { _ in .init(officerToken: "eyJ.eyJ.sig", kind: .event) },
        .request("teletan-again", VerificationAPI.teleTAN) { _ in
            .init(
                officerToken: "eyJ.eyJ.sig", kind: .test,
                idempotencyKey: IdempotencyKey("8e03978e-40d5-43dd-bc93-6894a57f9324"))
        },
        .answer("teletan", VerificationAPI.teleTAN) {
            .init($0.teleTAN, validUntil: 1_779_800_400, remaining: 59)
        },
        .answer("teletan-state", VerificationAPI.teleTANState) { _ in .init(areAccepted: true) },
        .request("registrationToken-again", VerificationAPI.registrationToken) {
            .init(.guid($0.guid), idempotencyKey: IdempotencyKey("8e03978e-40d5-43dd-bc93-6894a57f9324"))
        },
        .request("tan-verify", VerificationAPI.tanVerification) { .init($0.tan) },
        .answer("tan-verify", VerificationAPI.tanVerification) { _ in .init(kind: nil) },
        .answer("tan-verify-event", VerificationAPI.tanVerification) { _ in .init(kind: .event) },
        .request("certificate-result", VerificationAPI.certificateResult) { .init($0.token) },
        .answer("certificate-result", VerificationAPI.certificateResult) {
            .init(testResult: .pcrPositive, sampleCollected: 1_779_796_800, labID: "lab-7", testID: $0.guid)
        },
    ]

    static let testResults: [Golden] = [
        .request("lab-results", TestResultAPI.labResults) {
            LabResults(
                testResults: [
                    .init(id: $0.ids[0], result: .pcrPositive, sampleCollected: 1_779_796_800),
                    .init(id: $0.ids[1], result: .pcrNegative, sampleCollected: nil),
                    .init(id: $0.ids[2], result: .pcrInvalid, sampleCollected: 0),
                ], labID: "lab-7")
        },
        .answer("lab-results", TestResultAPI.labResults) { _ in NoContent() },
        .request("quicktest-results", TestResultAPI.quickTestResults) {
            CentreResults(
                testResults: [
                    .init(id: $0.centreIDs[0], result: .quickPositive, sampleCollected: 1_779_796_800),
                    .init(id: $0.centreIDs[1], result: .quickPending, sampleCollected: nil),
                    .init(id: $0.centreIDs[2], result: .quickRedeemed, sampleCollected: 0),
                ], labID: "centre-7")
        },
        .answer("quicktest-results", TestResultAPI.quickTestResults) { _ in NoContent() },
        .request("quicktest-result", TestResultAPI.quickTestResult) { .init($0.centreIDs[0]) },
        .answer("quicktest-result", TestResultAPI.quickTestResult) { _ in
            .init(testResult: .quickPositive, sampleCollected: 1_779_796_800, labID: "centre-7")
        },
        .answer("quicktest-result-unknown", TestResultAPI.quickTestResult) { _ in
            .init(testResult: .quickPending, sampleCollected: nil, labID: nil)
        },
        .request("pocnat-results", TestResultAPI.pocnatResults) {
            CentreResults(
                testResults: [
                    .init(id: $0.centreIDs[0], result: .pocnatPositive, sampleCollected: 1_779_796_800),
                    .init(id: $0.centreIDs[1], result: .pocnatPending, sampleCollected: nil),
                    .init(id: $0.centreIDs[2], result: .pocnatRedeemed, sampleCollected: 0),
                ], labID: nil)
        },
        .answer("pocnat-results", TestResultAPI.pocnatResults) { _ in NoContent() },
        .request("pocnat-result", TestResultAPI.pocnatResult) { .init($0.centreIDs[0]) },
        .answer("pocnat-result", TestResultAPI.pocnatResult) { _ in
            .init(testResult: .pocnatInvalid, sampleCollected: 1_779_796_800, labID: nil)
        },
        .answer("pocnat-result-unknown", TestResultAPI.pocnatResult) { _ in
            .init(testResult: .pocnatPending, sampleCollected: nil, labID: nil)
        },
        .request("app-result", TestResultAPI.appResult) { .init($0.ids[0]) },
        .answer("app-result", TestResultAPI.appResult) { _ in
            .init(testResult: .pcrPositive, sampleCollected: 1_779_796_800, labID: "lab-7")
        },
        .answer("app-result-unknown", TestResultAPI.appResult) { _ in
            .init(testResult: .pcrPending, sampleCollected: nil, labID: nil)
        },
        .request("app-results", TestResultAPI.appResults) { .init([$0.ids[0], $0.ids[1]]) },
        .request("app-results-confirmed", TestResultAPI.appResults) { .init([$0.ids[0]], confirmed: true) },
        .answer("app-results", TestResultAPI.appResults) { _ in
            .init([
                .init(testResult: .pcrPositive, sampleCollected: 1_779_796_800, labID: "lab-7"),
                .init(testResult: .pcrPending, sampleCollected: nil, labID: nil),
            ])
        },
    ]

    static let payload = Data([0x12, 3, 0, 0xff, 0x0a, 0x22, 2, 0x44, 0x45, 0x28, 1])

    static let submission: [Golden] = [
        .request("diagnosis-keys", SubmissionAPI.diagnosisKeys) {
            .init(authorization: $0.tan.text, payload: payload)
        },
        .request("diagnosis-keys-fake", SubmissionAPI.diagnosisKeys) { _ in
            .init(authorization: "", isFake: true, payload: Data())
        },
        .request("diagnosis-keys-self-report", SubmissionAPI.diagnosisKeys) {
            .init(authorization: nil, password: $0.password.text, payload: payload)
        },
        .request("submission-on-behalf", SubmissionAPI.onBehalf) {
            .init(authorization: $0.tan.text, payload: payload)
        },
        .request("venue-reports", SubmissionAPI.venueReports) {
            .init(authorization: $0.tan.text, payload: payload)
        },
        .answer("diagnosis-keys", SubmissionAPI.diagnosisKeys) { _ in
            .init(filteredCheckIns: 2, savedCheckIns: 1)
        },
    ]

    private static let password = "9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d"

    static let donation: [Golden] = [
        .request("donation-survey", DonationAPI.surveyOnIOS) { _ in .init(payload) },
        .request("donation-log", DonationAPI.logOnAndroid) { _ in .init(payload) },
        .request("donation-report-fake", DonationAPI.reportOnAndroid) { _ in .init(Data(), isFake: true) },
        .request("donation-analytics", DonationAPI.analyticsOnIOS) { _ in .init(payload) },
        .answer("donation", DonationAPI.analyticsOnIOS) { _ in .init(Date(timeIntervalSince1970: 1_779_796_800.9)) },
        .request("donation-challenge", DonationAPI.challenge) { _ in NoContent() },
        .answer("donation-challenge", DonationAPI.challenge) { _ in .init(Array(0..<32)) },
        .request("redemption-survey", DonationAPI.surveyRedemption) { _ in .init(password) },
        .request("redemption-log-again", DonationAPI.logRedemption) { _ in
            .init(password, idempotencyKey: IdempotencyKey("8e03978e-40d5-43dd-bc93-6894a57f9324"))
        },
        .request("redemptions-report", DonationAPI.reportRedemptions) {
            .init(
                [
                    ($0.password, IdempotencyKey($0.tag)),
                    ($0.otherTAN, IdempotencyKey("8e03978e-40d5-43dd-bc93-6894a57f9324")),
                ]
                .compactMap { tan, key in key.map { ReportRedemption(tan.text, idempotencyKey: $0) } })
        },
        .answer("redemption-survey", DonationAPI.surveyRedemption) { _ in
            .init(password, .valid, isStrong: true)
        },
        .answer("redemption-survey-redeemed", DonationAPI.surveyRedemption) { _ in
            .init(password, .redeemed, isStrong: true)
        },
        .answer("redemption-log-expired", DonationAPI.logRedemption) { _ in
            .init(password, .expired, isStrong: false)
        },
        .answer("redemptions-report", DonationAPI.reportRedemptions) { _ in .init([true, false]) },
    ]

    private static let publicKey = Data([4]) + Data(0..<64)
    private static let proof = Data(0..<70)

    static let further: [Golden] = [
        .request("further-report", FurtherAPI.report) { $0.healthReport },
        .request("further-report-signed", FurtherAPI.report) {
            var message = $0.healthReport
            message.signature = CallSignature(
                key: $0.keyName, timestamp: 1_779_796_800, nonce: Array(240...255), signature: Array(proof))
            return message
        },
        .request("further-batch", FurtherAPI.batch) { $0.healthBatch },
        .answer("further", FurtherAPI.report) { _ in Accepted() },
        .request("further-key", FurtherAPI.key) { _ in KeyRegistration(publicKey: publicKey, proof: proof) },
        .request("further-key-attested", FurtherAPI.key) { _ in
            KeyRegistration(
                publicKey: publicKey, proof: proof, attestation: Data("attestation".utf8), attestedKeyId: Data(0..<32))
        },
        .answer("further-key", FurtherAPI.key) { _ in KeyAnswer(KeyName(of: publicKey)) },
    ]

    /// All that we send.
    static let ours = verification + testResults + submission + donation + further

    /// As cwa-app-ios, cwa-app-android and swisscovid-app-ios send them.
    static let foreign: [Golden] = [
        .foreign("swisscovid-register", PushAPI.register) { _ in
            pushRegistration(token: String(repeating: "a1b2c3d4", count: 8))
        },
        .foreign("swisscovid-deregister", PushAPI.register) { _ in pushRegistration(token: "") },
        .foreign("notifyme-register", PushAPI.registerV1) { _ in pushRegistration(token: "aabb", type: .iod) },
        .foreign("ios-registrationToken", VerificationAPI.registrationToken) { .init(.guid($0.guid)) },
        .foreign("ios-registrationToken-fake", VerificationAPI.registrationToken) {
            fake(RegistrationTokenRequest(.guid($0.guid)))
        },
        .foreign("android-registrationToken", VerificationAPI.registrationToken) { .init(.teleTAN($0.teleTAN)) },
        .foreign("android-registrationToken-dob", VerificationAPI.registrationToken) {
            .init(.guid($0.guid, birthDate: ResultID("x" + $0.guid.text.dropFirst())))
        },
        .foreign("ios-testresult", VerificationAPI.testResult) { .init($0.token) },
        .foreign("android-testresult", VerificationAPI.testResult) { .init($0.token) },
        .foreign("ios-tan-fake", VerificationAPI.tan) { fake(RegisteredTestRequest($0.token)) },
        .foreign("android-tan", VerificationAPI.tan) { .init($0.token) },
        .foreign("portal-teletan", VerificationAPI.teleTAN) { _ in .init(officerToken: "eyJ.eyJ.sig", kind: .test) },
        .foreign("lab-results-spaced", TestResultAPI.labResults) {
            LabResults(
                testResults: [.init(id: $0.ids[0], result: .pcrPositive, sampleCollected: nil)], labID: nil)
        },
        .foreign("quicktest-result-sc", TestResultAPI.quickTestResult) { .init($0.centreIDs[0]) },
        .foreign("app-result-sc", TestResultAPI.appResult) { .init($0.ids[0]) },
        .foreign("ios-diagnosis-keys-fake", SubmissionAPI.diagnosisKeys) { _ in
            .init(
                authorization: "5C4D1A0B-9E3F-4A77-8B1C-0D2E4F6A8B9C", isFake: true,
                payload: Data([0x12, 4, 1, 2, 3, 4]))
        },
        .foreign("android-diagnosis-keys-fake", SubmissionAPI.diagnosisKeys) { _ in
            .init(authorization: "", isFake: true, payload: Data([0x12, 4, 1, 2, 3, 4]))
        },
        .foreign("android-diagnosis-keys", SubmissionAPI.diagnosisKeys) {
            .init(authorization: $0.tan.text, payload: payload)
        },
        .foreign("ios-diagnosis-keys-self-report", SubmissionAPI.diagnosisKeys) {
            .init(authorization: nil, password: $0.password.text.uppercased(), payload: payload)
        },
        .foreign("android-diagnosis-keys-self-report", SubmissionAPI.diagnosisKeys) {
            .init(authorization: nil, password: $0.password.text, payload: payload)
        },
        .foreign("android-submission-on-behalf", SubmissionAPI.onBehalf) {
            .init(authorization: $0.tan.text, payload: payload)
        },
        .foreign("ios-donation-analytics", DonationAPI.analyticsOnIOS) { _ in .init(payload) },
        .foreign("ios-donation-survey", DonationAPI.surveyOnIOS) { _ in .init(payload) },
        .foreign("android-donation-report-fake", DonationAPI.reportOnAndroid) { _ in .init(payload, isFake: true) },
        // From the server of a survey.
        .foreign("survey-redemption", DonationAPI.surveyRedemption) { _ in .init(password.uppercased()) },
    ]

    /// As phones in the field serialise it.
    private static func pushRegistration(token: String, type: PushType = .ios) -> PushRegistrationRequest {
        let registration = PushRegistration.with {
            $0.version = 1
            $0.pushToken = token
            $0.pushType = type
            $0.deviceID = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        }
        return PushRegistrationRequest(payload: (try? registration.serializedBytes()) ?? Data())
    }

    private static func fake<Message: FakeableMessage>(_ message: Message) -> Message {
        var message = message
        message.isFake = true
        return message
    }

    @Test("what we send and read is the golden file, byte by byte", arguments: ours)
    func golden(_ golden: Golden) throws {
        try golden.check()
    }

    @Test("what apps, portals and labs in the field send is understood", arguments: foreign)
    func asInTheField(_ golden: Golden) throws {
        try golden.check()
    }

    @Test("no golden file is without a test")
    func complete() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let tested = (Self.ours + Self.foreign).map(\.testDescription)
        #expect(Set(files) == Set(tested))
    }

    @Test(
        "only a cwa-fake of exactly 1 makes a request to the verification server fake",
        arguments: [
            ("1", true), ("0", false), ("", false), ("01", false), ("true", false), ("1, 1", false), (nil, false),
        ])
    func fakeField(value: String?, isFake: Bool) throws {
        let file = try WireFile("tan.request")
        var fields = HTTPFields()
        fields[.cwaFake] = value
        #expect(try RegisteredTestRequest(fields: fields, body: file.body).isFake == isFake)
    }

    @Test("an upload is authorised by a TAN or a password; both are none, and an empty field doesn't count")
    func credential() {
        typealias Credential = UploadRequest.Credential
        let sent: [(tan: String?, password: String?, credential: Credential?)] = [
            (nil, nil, nil), ("", nil, nil), (nil, "", nil), ("", "", nil), ("t", nil, .tan("t")), ("t", "", .tan("t")),
            (nil, "p", .password("p")), ("", "p", .password("p")), ("t", "p", nil),
        ]
        for (tan, password, credential) in sent {
            #expect(UploadRequest(authorization: tan, password: password, payload: Data()).credential == credential)
        }
    }

    @Test(
        "any whole number but 0 in cwa-fake makes an upload fake",
        arguments: [("0", false), ("1", true), ("2", true), ("-1", true)])
    func fakeUpload(value: String, isFake: Bool) throws {
        #expect(try UploadRequest(fields: [.cwaFake: value], body: Data()).isFake == isFake)
    }

    @Test(
        "any whole number but 0 in cwa-fake makes a donation fake, and without the field it is real",
        arguments: [(nil, false), ("0", false), ("1", true), ("2", true), ("-1", true)] as [(String?, Bool)])
    func fakeDonation(value: String?, isFake: Bool) throws {
        var fields = HTTPFields()
        fields[.cwaFake] = value
        #expect(try DonationBody(fields: fields, body: Data()).isFake == isFake)
    }

    @Test("all fakes of one endpoint are as long as the real requests")
    func equalLength() throws {
        let samples = try Samples()
        var request = RegisteredTestRequest(samples.token, requestPadding: "abc")
        let real = try request.encoded()
        request.isFake = true
        let fake = try request.encoded()
        #expect(real.body == fake.body)
        #expect(real.fields[.cwaFake]?.count == fake.fields[.cwaFake]?.count)
    }
}
