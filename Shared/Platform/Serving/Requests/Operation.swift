import FoundationEssentials
import HTTPContract
import HTTPMessage
import HTTPTypes

/// One mounted ``Endpoint``: reads the message, calls the handler, writes the answer.
struct Operation<Req: WireMessage, Res: WireMessage>: Sendable {
    private let path: PathTemplate
    private let bodyLimit: Int
    private let requestHeaders: [HTTPField.Name]
    private let responseHeaders: Set<HTTPField.Name>
    private let success: HTTPResponse.Status
    /// The fields of every answer.
    private let fields: FieldLines
    private let handler: @Sendable (Req, Caller) async throws -> Res

    init(_ endpoint: Endpoint<Req, Res>, _ handler: @escaping @Sendable (Req, Caller) async throws -> Res) {
        let route = endpoint.route
        path = PathTemplate(route.path)
        bodyLimit = route.requestMedia == nil ? 0 : route.bodyLimit
        requestHeaders = route.requestHeaders
        responseHeaders = Set(route.responseHeaders)
        success = endpoint.success
        var fields = FieldLines()
        fields.append(.cacheControl, "no-store")
        if let media = route.responseMedia { fields.append(.contentType, media.text) }
        self.fields = fields
        self.handler = handler
    }

    /// Answers a request whose media type and body have been checked.
    func respond(to exchange: Exchange) async throws -> ServerAnswer {
        let body = try await exchange.body(upTo: bodyLimit)
        // A message sees only the fields of its contract. Several lines of a name are one list (RFC 9110, section 5.3).
        var known = HTTPFields()
        for name in requestHeaders {
            let values = exchange.head.fields.values(name)
            if !values.isEmpty { known[name] = values.joined(separator: ", ") }
        }
        let request = try Req(parameters: try parameters(of: exchange), fields: known, body: Data(body))
        let answer = try await handler(request, exchange.caller).encoded()
        var fields = fields
        for field in answer.fields where responseHeaders.contains(field.name) {
            fields.append(field.name, field.value)
        }
        return ServerAnswer(
            answer.status ?? success, fields: fields, body: ResponseBody(Array(answer.body)))
    }

    /// The values of the path and the query that the contract names.
    private func parameters(of exchange: Exchange) throws(MalformedMessage) -> URLEncodedValues {
        let schemas = Req.parameterSchemas
        guard !schemas.isEmpty else { return [:] }
        var parameters = URLEncodedValues(try path.values(in: exchange.path))
        let query = try URLEncodedValues(decoding: exchange.query)
        for name in schemas.keys where parameters[name] == nil { parameters[name] = query[name] }
        let isWellFormed = schemas.allSatisfy { name, field in
            parameters[name].map(field.schema.allows) ?? !field.isRequired
        }
        guard isWellFormed else { throw MalformedMessage() }
        return parameters
    }
}
