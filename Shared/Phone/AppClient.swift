package import Credentials
package import DonationFormat
package import ExposureFormat
package import ExposureKeys
import FoundationEssentials
import HTTPContract
import PushAPI
import PushFormat
package import Running
package import SubmissionAPI
import SwiftProtobuf
package import Venues
package import VerificationAPI

/// The requests of an app to the metadata proxy: padded, and with the header fields that the published apps send (cwa-app-ios,
/// cwa-app-android).
package struct AppClient: Sendable {
    let proxy: ProxyClient
    /// The country of the app, which uploads name.
    private let country: String

    /// The size of every request body to the verification server, in bytes.
    private static let bodySize = 250
    /// Bytes of an upload's payload: more than fourteen keys and thirty-two reports take, or, of a phone with more, 280 reports.
    private static let uploadSizes = (common: 4096, large: 49_152)
    /// The most reports of an upload of common size.
    private static let commonReports = 32

    /// - Parameters:
    ///   - base: the proxy's URL, such as `https://localhost:8000`.
    ///   - authorities: path of the PEM file with the certificate authority that the app trusts.
    ///   - country: the app's, by its two letters.
    package init(base: String, authorities: String, country: String = "DE") throws(ConfigurationProblem) {
        proxy = try ProxyClient(base: base, authorities: authorities)
        self.country = country
    }

    /// Closes all connections. Must be called once.
    package func close() async {
        await proxy.close()
    }

    /// Registers a test or redeems a teleTAN, which is possible only once.
    /// - Throws: `CallError.refused` with 400 if it is unknown, used or expired.
    ///
    /// - Parameter attempt: a key that the phone keeps until it has its token. If an answer was lost, a repeat with the same
    ///   key returns the lost token.
    package func register(
        _ proof: RegistrationTokenRequest.Proof, attempt: IdempotencyKey = .fresh
    ) async throws -> RegistrationToken {
        let bare = RegistrationTokenRequest(proof)
        let padded = RegistrationTokenRequest(
            proof, idempotencyKey: attempt, requestPadding: try Self.padding(after: bare))
        return try await proxy.call(VerificationAPI.registrationToken, padded).registrationToken
    }

    /// Asks for the result of a registered test.
    /// - Throws: `CallError.refused` with 400 for an unknown token.
    package func testResult(_ token: RegistrationToken) async throws -> TestResultCode {
        let padded = RegisteredTestRequest(token, requestPadding: try Self.padding(after: RegisteredTestRequest(token)))
        return try await proxy.call(VerificationAPI.testResult, padded).testResult
    }

    /// Asks for the TAN of a positive result; a repeat returns the same one until it is used.
    /// - Throws: `CallError.refused` with 400 for an unknown token, a result that isn't positive, or a used TAN.
    package func tan(_ token: RegistrationToken) async throws -> TAN {
        let padded = RegisteredTestRequest(token, requestPadding: try Self.padding(after: RegisteredTestRequest(token)))
        return try await proxy.call(VerificationAPI.tan, padded).tan
    }

    /// Uploads keys, reports about venues, or both.
    ///
    /// The reports are shuffled, so that their order doesn't tell the order of the visits (Apple, "Off-Device Venue Check-Ins").
    /// - Parameter room: for how many reports the request has room at least; the same as that of this phone's dummies.
    /// - Returns: how many of the reports were stored.
    @discardableResult
    package func upload(
        _ keys: [DiagnosisKey], reports: [CheckInReport] = [], room: Int = 0, tan: TAN
    ) async throws -> UploadAccepted {
        try await upload(payload(of: keys), reports, room: room) {
            UploadRequest(authorization: tan.text, payload: $0)
        }
    }

    /// Uploads keys, and reports about venues, of somebody who has no registered test. The request has the size of other uploads.
    /// - Parameters:
    ///   - type: how the person knows; one of the self-reports.
    ///   - room: for how many reports the request has room at least; the same as that of this phone's dummies.
    ///   - password: one that the server for ``requestPassword(for:_:with:)`` has admitted.
    @discardableResult
    package func reportOneself(
        _ keys: [DiagnosisKey], reports: [CheckInReport] = [], room: Int = 0,
        as type: SubmissionPayload.SubmissionType = .srsSelfTest, password: OneTimePassword
    ) async throws -> UploadAccepted {
        var payload = self.payload(of: keys)
        payload.submissionType = type
        payload.consentToFederation = false
        return try await upload(payload, reports, room: room) {
            UploadRequest(authorization: nil, password: password.text, payload: $0)
        }
    }

    private func upload(
        _ payload: SubmissionPayload, _ reports: [CheckInReport], room: Int, _ request: (Data) -> UploadRequest
    ) async throws -> UploadAccepted {
        var payload = payload
        payload.checkInProtectedReports = reports.shuffled().map(CheckInProtectedReport.init(uploading:))
        return try await proxy.call(
            SubmissionAPI.diagnosisKeys, request(try Self.padded(payload, for: max(room, reports.count))))
    }

    /// Uploads reports about one venue on behalf of its visitors.
    /// - Parameter tan: the TAN of a teleTAN for an event.
    @discardableResult
    package func warnVisitors(_ reports: [CheckInReport], tan: TAN) async throws -> UploadAccepted {
        let payload = SubmissionPayload.with {
            $0.checkInProtectedReports = reports.shuffled().map(CheckInProtectedReport.init(uploading:))
            $0.submissionType = .hostWarning
        }
        return try await proxy.call(
            SubmissionAPI.onBehalf,
            UploadRequest(authorization: tan.text, payload: try Self.padded(payload, for: reports.count)))
    }

    /// Uploads reports in Apple's form, with keys or without, and reports of the Corona-Warn-App's venues. All these requests, also
    /// dummies, have one size, whatever they hold: an app that has the feature uses them for all its uploads.
    ///
    /// Each kind is shuffled.
    /// - Parameters:
    ///   - venueReports: at most 128; ``VisitSharing`` makes them.
    ///   - reports: as many as fit beside them; ``VisitSharing`` leaves the oldest visits out if there are more.
    /// - Throws: `UnreadableSubmission.tooLarge` if they don't fit into a request. Nothing is sent then, and nothing is left out unnoticed.
    @discardableResult
    package func upload(
        _ keys: [DiagnosisKey], venueReports: [VenueReport], reports: [CheckInReport] = [], tan: TAN
    ) async throws -> UploadAccepted {
        var payload = self.payload(of: keys)
        payload.checkInProtectedReports = reports.shuffled().map(CheckInProtectedReport.init(uploading:))
        return try await call(
            venueReports.shuffled(), keys.isEmpty && reports.isEmpty ? nil : payload, authorization: tan.text)
    }

    /// Uploads reports in Apple's form about one venue on behalf of its visitors.
    /// - Parameter tan: the TAN of a teleTAN for an event.
    @discardableResult
    package func warnVisitors(venueReports: [VenueReport], tan: TAN) async throws -> UploadAccepted {
        let payload = SubmissionPayload.with { $0.submissionType = .hostWarning }
        return try await call(venueReports.shuffled(), payload, authorization: tan.text)
    }

    /// Uploads nothing, in a request that looks like an upload of venue reports, of keys, or of both.
    package func pretendToUploadVenueReports() async throws {
        var randomness = SystemRandomNumberGenerator()
        let nobodys = TAN(RandomIdentifier(using: &randomness))
        _ = try await call([], nil, authorization: nobodys.text, isFake: true)
    }

    private func call(
        _ reports: [VenueReport], _ payload: SubmissionPayload?, authorization: String, isFake: Bool = false
    ) async throws -> UploadAccepted {
        guard let upload = VenueUpload(reports: reports, submission: payload) else {
            throw UnreadableSubmission.tooLarge(maximum: VenueUpload.size)
        }
        return try await proxy.call(
            SubmissionAPI.venueReports,
            UploadRequest(authorization: authorization, isFake: isFake, payload: Data(try upload.encoded())))
    }

    /// Keys, and what is said with them.
    private func payload(of keys: [DiagnosisKey]) -> SubmissionPayload {
        SubmissionPayload.with {
            $0.keys = keys.map(TemporaryExposureKey.init(uploading:))
            $0.origin = country
            $0.visitedCountries = [country]
            $0.consentToFederation = true
        }
    }

    /// Uploads nothing, in a request that looks like an upload to whoever watches the line: one of keys, of reports, or of both.
    /// - Parameter reports: how many this phone would upload. Its dummy requests have the size that its upload would have.
    package func pretendToUpload(reports: Int = 0) async throws {
        var randomness = SystemRandomNumberGenerator()
        let nobodys = TAN(RandomIdentifier(using: &randomness))
        _ = try await proxy.call(
            SubmissionAPI.diagnosisKeys,
            UploadRequest(
                authorization: nobodys.text, isFake: true, payload: try Self.padded(SubmissionPayload(), for: reports)))
    }

    /// Registers for silent pushes, or deregisters; an observer can't distinguish the two by their length.
    /// - Parameter instance: identifies this installation of the app, to this server only.
    package func ask(for wish: PushRegistrationState.Wish, as instance: AppInstanceToken) async throws {
        let registration = PushRegistration.with {
            $0.version = 1
            $0.deviceID = instance.text
            if case .pushes(let token) = wish { $0.pushToken = token }
        }
        _ = try await proxy.call(PushAPI.register, PushRegistrationRequest(payload: try registration.padded()))
    }

    /// Brings a payload to the one size that all of a phone's uploads have, so that it doesn't tell how many keys and reports
    /// there are.
    private static func padded(_ payload: SubmissionPayload, for reports: Int) throws -> Data {
        var payload = payload
        // The padding's own tag and length take three bytes, or four from 16,384 bytes on, which the larger one always has.
        let (size, overhead) = reports <= commonReports ? (uploadSizes.common, 3) : (uploadSizes.large, 4)
        let missing = size - overhead - (try payload.encoded().count)
        payload.requestPadding = Data(repeating: 0, count: max(0, missing))
        return Data(try payload.encoded())
    }

    /// Random letters that pad a JSON body to its size.
    static func padding(after bare: some JSONMessage) throws -> String {
        let missing = bodySize - (try bare.encoded().body.count)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<max(0, missing)).compactMap { _ in alphabet.randomElement() })
    }
}
