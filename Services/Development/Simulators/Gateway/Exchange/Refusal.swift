import FoundationEssentials
import HTTPTypes
import Serving

/// Why a request is refused, in the real gateway's words.
struct Refusal: Error, Equatable {
    let status: HTTPResponse.Status
    let detail: String
    /// Rules of keys, and what nobody expects, are answered in a form of the gateway's own, everything else in that of its
    /// framework.
    private var isOwn = false

    init(_ status: HTTPResponse.Status, _ detail: String) {
        self.status = status
        self.detail = detail
    }

    /// A key breaks a rule. Only the first one is named.
    static func key(_ rule: String) -> Refusal {
        var refusal = Refusal(.badRequest, "Validation of diagnosis key failed: \(rule)")
        refusal.isOwn = true
        return refusal
    }

    /// What nobody expects.
    static var internalError: Refusal {
        var refusal = Refusal(.internalServerError, "Internal Server Error.")
        refusal.isOwn = true
        return refusal
    }

    /// - Parameter path: of the request.
    func response(to path: String) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body =
            isOwn
            ? try encoder.encode(["message": detail])
            : try encoder.encode(
                ProblemDetail(title: status.reasonPhrase, status: status.code, detail: detail, instance: path))
        return Response(
            status: status, headers: [.contentType: isOwn ? "application/json" : "application/problem+json"],
            body: Array(body))
    }

    /// RFC 9457.
    private struct ProblemDetail: Encodable {
        var type = "about:blank"
        let title: String
        let status: Int
        let detail: String
        let instance: String
    }
}
