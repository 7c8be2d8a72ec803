import DonationFormat
import HTTPContract
import HTTPTypes

/// Why an app isn't admitted: a status, and the code that published apps know (cwa-ppa-server, `PpacErrorCode`).
struct Refusal: ProblemConvertible, Equatable {
    let status: HTTPResponse.Status
    /// Nil where published apps get a status only.
    let code: String?

    init(_ status: HTTPResponse.Status, _ code: String?) {
        self.status = status
        self.code = code
    }

    var problem: Problem {
        guard let code else { return status == .serviceUnavailable ? .unavailable : Problem(status) }
        return Problem(status, code: ErrorCode(rawValue: code))
    }

    /// The subject has had its share.
    static func quota(on platform: AppClient.Platform) -> Refusal {
        platform == .iOS
            ? Refusal(.tooManyRequests, "API_TOKEN_QUOTA_EXCEEDED") : Refusal(.forbidden, "DEVICE_QUOTA_EXCEEDED")
    }

    /// The evidence admitted another request.
    static func used(on platform: AppClient.Platform) -> Refusal {
        Refusal(.forbidden, platform == .iOS ? "DEVICE_TOKEN_REDEEMED" : "SALT_REDEEMED")
    }

    /// A part of the evidence is missing. The app for iPhones knows only the syntax error.
    static func missing(on platform: AppClient.Platform) -> Refusal {
        platform == .iOS ? .syntax : Refusal(.badRequest, "MISSING_MANDATORY_AUTHENTICATION_FIELDS")
    }

    /// The password, or a part of an iPhone's evidence, can't be one.
    static let syntax = Refusal(.badRequest, "DEVICE_TOKEN_SYNTAX_ERROR")
    /// The data break a rule.
    static let data = Refusal(.badRequest, nil)
    /// The challenge is of another hour.
    static let stale = Refusal(.forbidden, "ATTESTATION_EXPIRED")
    /// Apple doesn't answer.
    static let unavailable = Refusal(.serviceUnavailable, nil)
}
