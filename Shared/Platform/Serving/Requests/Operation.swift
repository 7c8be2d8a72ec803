import FoundationEssentials
import HTTPContract
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOFoundationCompat

/// One mounted ``Endpoint``: reads the message, calls the handler, writes the answer.
struct Operation<Req: WireMessage, Res: WireMessage>: Sendable {
    private let path: PathTemplate
    private let bodyLimit: Int
    private let requestMedia: MediaType?
    private let requestHeaders: [HTTPField.Name]
    private let responseHeaders: Set<HTTPField.Name>
    private let success: HTTPResponse.Status
    /// The fields of every answer.
    private let fields: HTTPFields
    private let handler: @Sendable (Req, Caller) async throws -> Res

    init(_ endpoint: Endpoint<Req, Res>, _ handler: @escaping @Sendable (Req, Caller) async throws -> Res) {
        let route = endpoint.route
        path = PathTemplate(route.path)
        bodyLimit = route.bodyLimit
        requestMedia = route.requestMedia
        requestHeaders = route.requestHeaders
        responseHeaders = Set(route.responseHeaders)
        success = endpoint.success
        var fields: HTTPFields = [.cacheControl: "no-store"]
        if let media = route.responseMedia { fields[.contentType] = media.text }
        self.fields = fields
        self.handler = handler
    }

    func respond(to exchange: Exchange) async throws -> Response {
        let received = exchange.request.headers
        if let requestMedia {
            guard let type = received.only(.contentType), requestMedia.matches(contentType: type) else {
                throw Problem.unsupportedMediaType
            }
        }
        let body = try await exchange.body(upTo: requestMedia == nil ? 0 : bodyLimit)
        // A message sees only the fields of its contract.
        var known = HTTPFields()
        for name in requestHeaders {
            if let value = received[name] { known[name] = value }
        }
        let request = try Req(
            parameters: try parameters(of: exchange), fields: known,
            body: Data(buffer: body, byteTransferStrategy: .copy))
        let answer = try await handler(request, exchange.caller).encoded()
        var fields = fields
        for field in answer.fields where responseHeaders.contains(field.name) {
            fields.append(field)
        }
        return Response(
            status: answer.status ?? success, headers: fields,
            body: answer.body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(data: answer.body)))
    }

    /// The values of the path and the query that the contract names.
    private func parameters(of exchange: Exchange) throws(MalformedMessage) -> URLEncodedValues {
        let schemas = Req.parameterSchemas
        guard !schemas.isEmpty else { return [:] }
        var parameters = URLEncodedValues(try path.values(in: exchange.path))
        let query = try URLEncodedValues(decoding: exchange.query)
        for name in schemas.keys where parameters[name] == nil { parameters[name] = query[name] }
        guard schemas.allSatisfy({ !$0.value.isRequired || parameters[$0.key] != nil }) else {
            throw MalformedMessage()
        }
        return parameters
    }
}
