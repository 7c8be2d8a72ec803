import Crypto
import HTTPContract
import HTTPTypes
import Serving

/// A request of a country.
struct GatewayRequest: Sendable {
    let headers: HTTPFields
    let path: String
    /// The segments in braces.
    let parameters: [String: String]
    let query: URLEncodedValues
    let body: [UInt8]
    /// Of the certificate of the connection.
    let thumbprint: String

    init(_ exchange: Exchange, _ template: PathTemplate, bodyLimit: Int) async throws {
        headers = exchange.request.headers
        path = String(exchange.path)
        parameters = try template.values(in: exchange.path)
        query = try URLEncodedValues(decoding: exchange.query)
        body = try await exchange.body(upTo: bodyLimit)
        thumbprint = (exchange.caller.fingerprint ?? []).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// A header field; nil if it is missing.
    subscript(name: HTTPField.Name) -> String? { headers[name] }

    /// Whether the answer may be JSON, which has no version here.
    func requireJSON() throws(Refusal) {
        guard MediaRange.list(headers[.accept]).contains(where: { $0.contains("application/json") }) else {
            throw .notAcceptable
        }
    }
}

extension Refusal {
    static let notAcceptable = Refusal(
        .notAcceptable, "Acceptable representations: [application/json, application/protobuf].")
}

extension HTTPField.Name {
    static let batchTag = known("batchTag")
    static let batchSignature = known("batchSignature")
    static let nextBatchTag = known("nextBatchTag")
    static let protobufSchema = known("X-Protobuf-Schema")
    static let protobufMessage = known("X-Protobuf-Message")

    private static func known(_ name: StaticString) -> HTTPField.Name {
        guard let field = HTTPField.Name(name.description) else { preconditionFailure("not a field name") }
        return field
    }
}
