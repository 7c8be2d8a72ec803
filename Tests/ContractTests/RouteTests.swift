import Credentials
import DonationAPI
import Foundation
import FurtherAPI
import HTTPContract
import HTTPTypes
import PushAPI
import SubmissionAPI
import TestResultAPI
import Testing
import VerificationAPI

/// Paths, methods, callers and limits, written down a second time: a route that changes must change here, too.
@Suite struct RouteTests {
    struct Pin: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let route: Route
        let status: HTTPResponse.Status
        let expected: Expected

        struct Expected: Sendable, Equatable {
            let path: String
            let callers: Set<Role>
            let bodyLimit: Int
            let status: Int
            var method = HTTPRequest.Method.post
            var request: String? = "application/json"
            var requestFields: [String] = []
            var answer: String? = "application/json"
            var answerFields: [String] = []
            var errorCodes: [String] = []
        }

        init<Req: WireMessage, Res: WireMessage>(_ endpoint: Endpoint<Req, Res>, _ expected: Expected) {
            testDescription = expected.path
            route = endpoint.route
            status = endpoint.success
            self.expected = expected
        }
    }

    static let pins = [
        Pin(
            VerificationAPI.registrationToken,
            .init(
                path: "/version/v1/registrationToken", callers: [.metadataProxy], bodyLimit: 10_000, status: 201,
                requestFields: ["cwa-fake", "idempotency-key"], answerFields: ["vigil-teletans-strained"])),
        Pin(
            VerificationAPI.testResult,
            .init(
                path: "/version/v1/testresult", callers: [.metadataProxy], bodyLimit: 10_000, status: 200,
                requestFields: ["cwa-fake"])),
        Pin(
            VerificationAPI.tan,
            .init(
                path: "/version/v1/tan", callers: [.metadataProxy], bodyLimit: 10_000, status: 201,
                requestFields: ["cwa-fake"])),
        Pin(
            VerificationAPI.reservations,
            .init(
                path: "/version/v1/tan/reservations", callers: [.submissionServer], bodyLimit: 65_536, status: 200)),
        Pin(
            VerificationAPI.confirmations,
            .init(
                path: "/version/v1/tan/confirmations", callers: [.submissionServer], bodyLimit: 65_536, status: 200)),
        Pin(
            VerificationAPI.teleTAN,
            .init(
                path: "/version/v1/tan/teletan", callers: [.healthPortal, .portal], bodyLimit: 1024, status: 201,
                request: nil, requestFields: ["authorization", "idempotency-key", "x-cwa-teletan-type"])),
        Pin(
            VerificationAPI.tanVerification,
            .init(
                path: "/version/v1/tan/verify", callers: [.submissionServer], bodyLimit: 1024, status: 200,
                requestFields: ["idempotency-key"], answer: nil, answerFields: ["x-cwa-teletan-type"])),
        Pin(
            VerificationAPI.certificateResult,
            .init(path: "/version/v1/testresult", callers: [.certificateServer], bodyLimit: 1024, status: 200)),
        Pin(
            TestResultAPI.labResults,
            .init(path: "/api/v1/lab/results", callers: [.lab], bodyLimit: 262_144, status: 204, answer: nil)),
        Pin(
            TestResultAPI.quickTestResults,
            .init(
                path: "/api/v1/quicktest/results", callers: [.quickTest], bodyLimit: 262_144, status: 204, answer: nil)),
        Pin(
            TestResultAPI.quickTestResult,
            .init(path: "/api/v1/quicktest/result", callers: [.quickTest], bodyLimit: 1024, status: 200)),
        Pin(
            TestResultAPI.pocnatResults,
            .init(path: "/api/v1/pocnat/results", callers: [.pocnat], bodyLimit: 262_144, status: 204, answer: nil)),
        Pin(
            TestResultAPI.pocnatResult,
            .init(path: "/api/v1/pocnat/result", callers: [.pocnat], bodyLimit: 1024, status: 200)),
        Pin(
            TestResultAPI.appResult,
            .init(path: "/api/v1/app/result", callers: [.verificationServer], bodyLimit: 1024, status: 200)),
        Pin(
            TestResultAPI.appResults,
            .init(path: "/api/v1/app/results", callers: [.verificationServer], bodyLimit: 65_536, status: 200)),
        Pin(
            SubmissionAPI.diagnosisKeys,
            .init(
                path: "/version/v1/diagnosis-keys", callers: [.metadataProxy], bodyLimit: 100_000, status: 200,
                request: "application/x-protobuf", requestFields: ["cwa-authorization", "cwa-fake", "cwa-otp"],
                answer: nil,
                answerFields: ["cwa-filtered-checkins", "cwa-saved-checkins"])),
        Pin(
            SubmissionAPI.onBehalf,
            .init(
                path: "/version/v1/submission-on-behalf", callers: [.metadataProxy], bodyLimit: 100_000, status: 200,
                request: "application/x-protobuf", requestFields: ["cwa-authorization", "cwa-fake", "cwa-otp"],
                answer: nil,
                answerFields: ["cwa-filtered-checkins", "cwa-saved-checkins"])),
        Pin(
            SubmissionAPI.venueReports,
            .init(
                path: "/version/v1/venue-reports", callers: [.metadataProxy], bodyLimit: 8192, status: 200,
                request: "application/x-protobuf", requestFields: ["cwa-authorization", "cwa-fake", "cwa-otp"],
                answer: nil,
                answerFields: ["cwa-filtered-checkins", "cwa-saved-checkins"])),
        Pin(
            PushAPI.register,
            .init(
                path: "/v3/register", callers: [.metadataProxy], bodyLimit: 4096, status: 200,
                request: "application/x-protobuf", answer: nil)),
        Pin(
            PushAPI.registerV1,
            .init(
                path: "/v1/register", callers: [.metadataProxy], bodyLimit: 4096, status: 200,
                request: "application/x-protobuf", answer: nil)),
        Pin(
            PushAPI.announce,
            .init(
                path: "/version/v1/announcement", callers: [.distribution], bodyLimit: 0, status: 202, request: nil,
                answer: nil)),
        donation(DonationAPI.surveyOnIOS, "/version/v1/ios/otp", 32_768, codesOnIOS),
        donation(DonationAPI.surveyOnAndroid, "/version/v1/android/otp", 32_768, codesOnAndroid),
        donation(DonationAPI.logOnIOS, "/version/v1/ios/els", 32_768, codesOnIOS),
        donation(DonationAPI.logOnAndroid, "/version/v1/android/els", 32_768, codesOnAndroid),
        donation(DonationAPI.reportOnIOS, "/version/v1/ios/srs", 32_768, codesOnIOS),
        donation(DonationAPI.reportOnAndroid, "/version/v1/android/srs", 32_768, codesOnAndroid),
        donation(DonationAPI.analyticsOnIOS, "/version/v1/ios/dat", 196_608, codesOnIOS),
        donation(DonationAPI.analyticsOnAndroid, "/version/v1/android/dat", 196_608, codesOnAndroid),
        Pin(
            DonationAPI.challenge,
            .init(
                path: "/version/v1/ios/challenge", callers: [.metadataProxy], bodyLimit: 0, status: 200, method: .get,
                request: nil)),
        Pin(
            DonationAPI.surveyRedemption,
            .init(
                path: "/version/v1/otp", callers: [.surveyServer], bodyLimit: 1024, status: 200,
                requestFields: ["idempotency-key"])),
        Pin(
            DonationAPI.logRedemption,
            .init(
                path: "/version/v1/els", callers: [.logServer], bodyLimit: 1024, status: 200,
                requestFields: ["idempotency-key"])),
        Pin(
            DonationAPI.reportRedemptions,
            .init(
                path: "/version/v1/srs/redemptions", callers: [.verificationServer], bodyLimit: 65_536, status: 200)),
        Pin(
            FurtherAPI.report,
            .init(
                path: "/health", callers: [.metadataProxy], bodyLimit: 4096, status: 200,
                requestFields: ["x-further-key", "x-further-nonce", "x-further-signature", "x-further-timestamp"])),
        Pin(
            FurtherAPI.batch,
            .init(
                path: "/health/batch", callers: [.metadataProxy], bodyLimit: 4096, status: 200,
                requestFields: ["x-further-key", "x-further-nonce", "x-further-signature", "x-further-timestamp"])),
        Pin(FurtherAPI.key, .init(path: "/keys", callers: [.metadataProxy], bodyLimit: 32_768, status: 200)),
    ]

    private static func donation(
        _ endpoint: Endpoint<DonationBody, ExpirationAnswer>, _ path: String, _ bodyLimit: Int, _ errorCodes: [String]
    ) -> Pin {
        Pin(
            endpoint,
            .init(
                path: path, callers: [.metadataProxy], bodyLimit: bodyLimit, status: 200,
                request: "application/x-protobuf", requestFields: ["cwa-fake"], errorCodes: errorCodes))
    }

    private static let codesOnIOS = [
        "API_TOKEN_ALREADY_ISSUED", "API_TOKEN_EXPIRED", "API_TOKEN_QUOTA_EXCEEDED", "APK_PACKAGE_NAME_MISMATCH",
        "ATTESTATION_EXPIRED", "DEVICE_BLOCKED", "DEVICE_TOKEN_INVALID", "DEVICE_TOKEN_REDEEMED",
        "DEVICE_TOKEN_SYNTAX_ERROR", "NONCE_MISMATCH",
    ]
    private static let codesOnAndroid = [
        "APK_CERTIFICATE_MISMATCH", "APK_PACKAGE_NAME_MISMATCH", "ATTESTATION_EXPIRED", "BASIC_INTEGRITY_REQUIRED",
        "CTS_PROFILE_MATCH_REQUIRED", "DEVICE_QUOTA_EXCEEDED", "DEVICE_TOKEN_SYNTAX_ERROR",
        "EVALUATION_TYPE_BASIC_REQUIRED", "EVALUATION_TYPE_HARDWARE_BACKED_REQUIRED",
        "FAILED_ATTESTATION_HOSTNAME_VALIDATION", "JWS_SIGNATURE_VERIFICATION_FAILED",
        "MISSING_MANDATORY_AUTHENTICATION_FIELDS", "NONCE_MISMATCH", "SALT_REDEEMED",
    ]

    @Test("a route is what it always was", arguments: pins)
    func pinned(_ pin: Pin) {
        let route = Pin.Expected(
            path: pin.route.path, callers: pin.route.callers, bodyLimit: pin.route.bodyLimit, status: pin.status.code,
            method: pin.route.method, request: pin.route.requestMedia?.name,
            requestFields: pin.route.requestHeaders.map(\.canonicalName).sorted(),
            answer: pin.route.responseMedia?.name,
            answerFields: pin.route.responseHeaders.map(\.canonicalName).sorted(),
            errorCodes: pin.route.errorCodes.map(\.rawValue).sorted())
        #expect(route == pin.expected)
    }

    @Test("the numbers of entries that one call may have")
    func batches() {
        #expect(VerificationAPI.maximumEntries == 256)
        #expect(TestResultAPI.maximumResults == 1000)
        #expect(TestResultAPI.maximumQueries == 256)
    }

    @Test("the largest call of each kind fits into its body limit")
    func largest() throws {
        let samples = try Samples()
        let reservations = TANReservations(
            Array(
                repeating: TANReservation(tan: samples.tan, tag: samples.tag, purpose: .diagnosisKeys),
                count: VerificationAPI.maximumEntries))
        #expect(try reservations.encodedBody().count <= VerificationAPI.reservations.route.bodyLimit)
        let results = LabResults(
            testResults: Array(
                repeating: .init(id: samples.ids[0], result: .pcrPositive, sampleCollected: .min),
                count: TestResultAPI.maximumResults),
            labID: String(repeating: "\u{1F9EA}", count: 64))
        #expect(try results.encodedBody().count <= TestResultAPI.labResults.route.bodyLimit)
        let centreResults = CentreResults(
            testResults: Array(
                repeating: .init(id: samples.centreIDs[0], result: .pocnatPositive, sampleCollected: .min),
                count: TestResultAPI.maximumResults),
            labID: String(repeating: "\u{1F9EA}", count: 64))
        for endpoint in [TestResultAPI.quickTestResults, TestResultAPI.pocnatResults] {
            #expect(try centreResults.encodedBody().count <= endpoint.route.bodyLimit)
        }
        #expect(try ResultQuery(samples.ids[0]).encodedBody().count <= TestResultAPI.appResult.route.bodyLimit)
    }
}
