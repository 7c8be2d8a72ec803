import Credentials
import DeviceCheck
import DonationAPI
import DonationFormat
import ExposureFormat
import ExposureKeys
import FederationFormat
package import FoundationEssentials
import FurtherAPI
import HTTPContract
import HTTPTypes
import PublishedTree
import PushFormat
import SubmissionAPI
import SwiftProtobuf
import TestResultAPI
import VenueEventFormat
import Venues
import VerificationAPI

/// A decoder or parser of what others send, as a function over bytes that says whether it kept its promises.
///
/// Promises: whatever comes, it ends in a value or in the contract's error; and a value, written and read again, is the
/// same value.
package struct DecoderTarget: Sendable {
    /// What became of some bytes.
    package enum Verdict: Hashable, Sendable {
        /// They are a value.
        case value
        /// They were refused as the contract says.
        case refused
        /// They were refused with an error that no contract names, or read as something that is written otherwise.
        case broken(String)
    }

    /// As the command line of the fuzzer and the corpus know it.
    package let name: String
    /// What bytes are tried with.
    package let judge: @Sendable (Data) -> Verdict

    /// All of them.
    package static let all: [DecoderTarget] = [
        message("registrationToken", VerificationAPI.registrationToken),
        message("testresult", VerificationAPI.testResult),
        message("tan", VerificationAPI.tan),
        message("reservations", VerificationAPI.reservations),
        message("confirmations", VerificationAPI.confirmations),
        message("teletan", VerificationAPI.teleTAN),
        message("tan-verify", VerificationAPI.tanVerification),
        message("certificate-result", VerificationAPI.certificateResult),
        message("lab-results", TestResultAPI.labResults),
        message("app-result", TestResultAPI.appResult),
        message("diagnosis-keys", SubmissionAPI.diagnosisKeys),
        message("donation", DonationAPI.analyticsOnIOS),
        message("redemption", DonationAPI.surveyRedemption),
        message("redemptions", DonationAPI.reportRedemptions),
        message("further-report", FurtherAPI.report),
        message("further-batch", FurtherAPI.batch),
        message("further-key", FurtherAPI.key),
        answer("registrationToken-answer", VerificationAPI.registrationToken),
        answer("testresult-answer", VerificationAPI.testResult),
        answer("tan-answer", VerificationAPI.tan),
        answer("outcomes-answer", VerificationAPI.reservations),
        answer("teletan-answer", VerificationAPI.teleTAN),
        answer("teletan-state-answer", VerificationAPI.teleTANState),
        answer("tan-verify-answer", VerificationAPI.tanVerification),
        answer("certificate-result-answer", VerificationAPI.certificateResult),
        answer("app-result-answer", TestResultAPI.appResult),
        answer("diagnosis-keys-answer", SubmissionAPI.diagnosisKeys),
        answer("expiration-answer", DonationAPI.surveyOnIOS),
        answer("challenge-answer", DonationAPI.challenge),
        answer("redemption-answer", DonationAPI.surveyRedemption),
        answer("redeemed-answer", DonationAPI.reportRedemptions),
        answer("further-key-answer", FurtherAPI.key),
        DecoderTarget(name: "further-features", judge: furtherFeatures),
        DecoderTarget(name: "further-phone", judge: furtherPhone),
        DecoderTarget(name: "submission-payload", judge: submissionPayload),
        DecoderTarget(name: "venue-upload", judge: venueUpload),
        DecoderTarget(name: "venue-report-package", judge: venueReportPackage),
        DecoderTarget(name: "push-registration", judge: pushRegistration),
        DecoderTarget(name: "venue-code", judge: venueCode),
        DecoderTarget(name: "venue-diary", judge: venueDiary),
        DecoderTarget(name: "venue-diary-file", judge: venueDiaryFile),
        DecoderTarget(name: "venue-events", judge: venueEvents),
        DecoderTarget(name: "venue-import", judge: venueImport),
        DecoderTarget(name: "trace-keys-json", judge: traceKeysJSON),
        DecoderTarget(name: "trace-keys-protobuf", judge: traceKeysProtobuf),
        DecoderTarget(name: "trace-key-signature", judge: traceKeySignature),
        DecoderTarget(name: "trace-key-index", judge: traceKeyIndex),
        text("trace-key-tag-text", length: 1...16) { TraceKeyTag($0)?.text },
        DecoderTarget(name: "federation-batch-protobuf", judge: federationBatchProtobuf),
        DecoderTarget(name: "federation-batch-json", judge: federationBatchJSON),
        DecoderTarget(name: "federation-callback", judge: federationCallback),
        DecoderTarget(name: "federation-audit", judge: federationAudit),
        DecoderTarget(name: "federation-signature", judge: federationSignature),
        DecoderTarget(name: "federation-upload-answer", judge: federationUploadAnswer),
        DecoderTarget(name: "donation-password", judge: passwordRequest),
        DecoderTarget(name: "donation-analytics", judge: analyticsRequest),
        DecoderTarget(name: "app-attest-cbor", judge: appAttestCBOR),
        DecoderTarget(name: "app-attest-attestation", judge: appAttestAttestation),
        DecoderTarget(name: "app-attest-assertion", judge: appAttestAssertion),
        DecoderTarget(name: "encrypted-token", judge: encryptedToken),
        DecoderTarget(name: "compact-signature", judge: compactSignature),
        DecoderTarget(name: "play-integrity-verdict", judge: playIntegrityVerdict),
        DecoderTarget(name: "device-check-answer", judge: deviceCheckAnswer),
        text("batch-tag-text", length: 1...64) { BatchTag($0)?.text },
        DecoderTarget(name: "published-answer", judge: publishedAnswer),
        text("teletan-text", length: 10...10) { TeleTAN($0)?.text },
        text("token-text", length: 36...36) { RegistrationToken($0)?.text },
        text("tan-text", length: 36...36) { TAN($0)?.text },
        text("result-id-text", length: 64...64) { ResultID($0)?.text },
        text("hashed-guid-text", length: 64...64) { HashedGUID($0)?.text },
        text("digest-text", length: 64...64) { Digest(hex: $0)?.hex },
        text("idempotency-key-text", length: 22...64) { IdempotencyKey($0)?.text },
        text("role-uri", length: 11...100) { Role(certificateURI: $0)?.certificateURI },
        text("day-text", length: 10...10) { Day(name: $0)?.name },
        text("country-text", length: 2...2) { CountryCode($0)?.text },
        text("guid-text", length: 43...43) { TestGUID($0)?.text },
        text("password-text", length: 36...36) { OneTimePassword($0)?.text },
        text("device-month-text", length: 7...7) { DeviceBits.Month($0)?.text },
        text("location-number-text", length: 13...13) { GlobalLocationNumber($0)?.text },
        DecoderTarget(name: "form", judge: form),
        DecoderTarget(name: "cookie", judge: cookie),
        DecoderTarget(name: "signed-token", judge: signedToken),
        DecoderTarget(name: "proxy-header", judge: proxyHeader),
        DecoderTarget(name: "certificate-request", judge: certificateRequest),
        DecoderTarget(name: "http1-requests", judge: http1Requests),
        DecoderTarget(name: "http1-answers", judge: http1Answers),
        DecoderTarget(name: "http2-requests", judge: http2Requests),
        DecoderTarget(name: "http2-answers", judge: http2Answers),
        DecoderTarget(name: "tls-requests", judge: tlsRequests),
        DecoderTarget(name: "der", judge: der),
        DecoderTarget(name: "ber", judge: ber),
        DecoderTarget(name: "pem", judge: pem),
        DecoderTarget(name: "certificate", judge: certificate),
        DecoderTarget(name: "private-key", judge: privateKey),
        DecoderTarget(name: "public-key", judge: publicKey),
        DecoderTarget(name: "jwks", judge: keySet),
    ]

    /// The control of a search: a decoder with a fault that is found only by who is led by coverage, which gives the first bytes
    /// away one by one, and knows the word from the dictionary. It isn't one of ``all``.
    package static let control = DecoderTarget(name: "control") { bytes in
        for (byte, wanted) in zip(bytes, [0xA7, 0x13, 0xE9] as [UInt8]) where byte != wanted {
            return .refused
        }
        guard bytes.dropFirst(3).elementsEqual("a fault on purpose".utf8) else { return .value }
        return .broken("this is the fault that was planted")
    }

    /// A request as a service reads it: lines of header fields, an empty line, the body.
    private static func message<Req: WireMessage & Equatable, Res: WireMessage>(
        _ name: String, _ endpoint: Endpoint<Req, Res>
    ) -> DecoderTarget {
        DecoderTarget(name: name) { readAndWrite($0, as: Req.self, endpoint.route.requestHeaders) }
    }

    /// An answer as a caller reads it.
    private static func answer<Req: WireMessage, Res: WireMessage & Equatable>(
        _ name: String, _ endpoint: Endpoint<Req, Res>
    ) -> DecoderTarget {
        DecoderTarget(name: name) { readAndWrite($0, as: Res.self, endpoint.route.responseHeaders) }
    }

    private static func readAndWrite<Message: WireMessage & Equatable>(
        _ bytes: Data, as type: Message.Type, _ names: [HTTPField.Name]
    ) -> Verdict {
        let (fields, body) = split(bytes, names)
        guard let message = try? Message(fields: fields, body: body) else { return .refused }
        do {
            let encoded = try message.encoded()
            let again = try Message(fields: encoded.fields, body: encoded.body)
            return again == message ? .value : .broken("read again, it is another message")
        } catch {
            return .broken("it can't be written and read again: \(error)")
        }
    }

    /// The known header fields, as the listener lets them through, and the body.
    private static func split(_ bytes: Data, _ names: [HTTPField.Name]) -> (HTTPFields, Data) {
        guard let end = bytes.firstRange(of: Data("\n\n".utf8)) else { return ([:], bytes) }
        var fields = HTTPFields()
        for line in String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard let name = parts.first.flatMap({ HTTPField.Name(String($0)) }), names.contains(name),
                let value = parts.dropFirst().first, fields[name] == nil
            else { continue }
            fields[name] = String(value.drop { $0 == " " })
        }
        return (fields, Data(bytes[end.upperBound...]))
    }

    /// A credential's text is what was sent, byte for byte, or for a key in quotes what stood between them.
    private static func text(
        _ name: String, length: ClosedRange<Int>, _ parse: @escaping @Sendable (String) -> String?
    ) -> DecoderTarget {
        DecoderTarget(name: name) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard let read = parse(text) else { return .refused }
            let isASCII = read.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            guard isASCII, length.contains(read.utf8.count) else { return .broken("it has not the shape of one") }
            // Hexadecimal digits may be of either case.
            let isSame = [text.utf8.elementsEqual(read.utf8), text == "\"\(read)\"", text.lowercased() == read]
            guard isSame.contains(true) else { return .broken("it is not what was sent") }
            return parse(read) == read ? .value : .broken("read again, it is another")
        }
    }

    private static func venueEvents(_ bytes: Data) -> Verdict {
        guard let events = PublishedVenueEvents(Array(bytes)) else { return .refused }
        guard let again = try? events.encoded() else { return .broken("it can't be written") }
        return PublishedVenueEvents(again) == events ? .value : .broken("read again, they are others")
    }

    /// At the noon of 2026-05-26, for which the corpus was made.
    private static func venueImport(_ bytes: Data) -> Verdict {
        let now = Date(timeIntervalSince1970: 1_779_796_800)
        guard let file = try? VenueImport(String(decoding: bytes, as: UTF8.self), enteredAt: now) else {
            return .refused
        }
        guard (1...VenueImport.limit).contains(file.lines.count) else { return .broken("it has too many lines") }
        return (try? VenueImport(file.text, enteredAt: now)) == file ? .value : .broken("read again, it is another")
    }

    private static func pushRegistration(_ bytes: Data) -> Verdict {
        guard let registration = try? PushRegistration(decoding: bytes) else { return .refused }
        guard let again: Data = try? registration.serializedBytes(),
            let copy = try? PushRegistration(decoding: again)
        else { return .broken("it can't be written and read again") }
        return copy == registration ? .value : .broken("read again, it is another registration")
    }

    private static func venueUpload(_ bytes: Data) -> Verdict {
        // Shorter input is padded to the only size that is read, so that a search isn't one for lengths.
        var body = Array(bytes)
        let padding = VenueUpload.size - body.count - 3
        if padding >= 0 {
            body += [0x1a, UInt8(padding & 0x7f) | 0x80, UInt8(padding >> 7)] + [UInt8](repeating: 0, count: padding)
        }
        guard let upload = try? VenueUpload(decoding: body) else { return .refused }
        guard let again = try? upload.encoded() else {
            return padding >= 0 ? .broken("it can't be written again") : .value
        }
        guard again.count == VenueUpload.size else { return .broken("it has another size") }
        return (try? VenueUpload(decoding: again)) == upload ? .value : .broken("read again, it is another upload")
    }

    /// A bundle, whose signature a search wouldn't find, and the file around it.
    private static func venueReportPackage(_ bytes: Data) -> Verdict {
        let bytes = Array(bytes)
        if let package = VenueReportPackage(bundle: bytes) {
            guard (try? package.bundle()) == bytes else { return .broken("it is written otherwise") }
            return .value
        }
        do throws(ArchiveDamage) {
            _ = try VenueReportPackage(reading: bytes, signedBy: [])
            return .broken("nobody signed it")
        } catch {
            return .refused
        }
    }

    private static func submissionPayload(_ bytes: Data) -> Verdict {
        do throws(UnreadableSubmission) {
            let payload = try SubmissionPayload(decoding: Array(bytes), maximum: 100_000)
            if let keys = try? UploadRules().normalise(payload.uploadedKeys) {
                // What is accepted is accepted again, whole and in any order.
                var accepted = SubmissionPayload()
                accepted.keys = keys.reversed().map(TemporaryExposureKey.init(uploading:))
                guard (try? UploadRules().normalise(accepted.uploadedKeys)) == keys else {
                    return .broken("uploaded again, its keys are others")
                }
            }
            let reports = payload.wellFormedReports
            guard reports == reports.map(CheckInProtectedReport.init(uploading:)).compactMap(\.report) else {
                return .broken("uploaded again, its reports are others")
            }
            guard let again = try? payload.encoded(),
                let copy = try? SubmissionPayload(decoding: again, maximum: 200_000)
            else { return .broken("it can't be written and read again") }
            return copy == payload ? .value : .broken("read again, it is another payload")
        } catch {
            return .refused
        }
    }
}
