import DonationFormat
import FoundationEssentials

/// What apps send to data-donation.
extension DecoderTarget {
    /// A request with an iPhone's evidence and a password.
    static func passwordRequest(_ bytes: Data) -> Verdict {
        guard let request = try? DonationRequest(decoding: Array(bytes), limit: bytes.count),
            let evidence = try? IOSEvidence(decoding: request.authentication),
            let password = try? PasswordRequest(decoding: request.payload)
        else { return .refused }
        guard let authentication = try? evidence.encoded(), (try? IOSEvidence(decoding: authentication)) == evidence,
            let payload = try? password.encoded(), (try? PasswordRequest(decoding: payload)) == password
        else { return .broken("read again, it is another request") }
        return .value
    }

    /// A request with an Android phone's evidence and data for analysis.
    static func analyticsRequest(_ bytes: Data) -> Verdict {
        guard let request = try? DonationRequest(decoding: Array(bytes), limit: bytes.count),
            let evidence = try? AndroidEvidence(decoding: request.authentication),
            let data = try? AnalyticsData(decoding: request.payload, from: .android)
        else { return .refused }
        guard let authentication = try? evidence.encoded(),
            (try? AndroidEvidence(decoding: authentication)) == evidence, let payload = try? data.encoded(),
            (try? AnalyticsData(decoding: payload, from: .android)) == data
        else { return .broken("read again, it is another request") }
        return .value
    }
}
