import FoundationEssentials
import HTTPContract
import HTTPTypes
import Running

/// An OpenAPI 3.1 document of a listener's operations.
///
/// It is generated from the mounted operations, so it lists each of them and no other. A tag is the callers' role.
struct OpenAPIDocument: Sendable {
    /// The document in UTF-8.
    let text: Data

    /// Nil for a listener without a mounted ``Endpoint``.
    init?(_ owner: some PortOwner, of service: String) throws {
        let operations = owner.operations
        guard !operations.isEmpty else { return nil }
        var paths: [String: [String: JSONValue]] = [:]
        for operation in operations {
            paths[operation.route.path, default: [:]][operation.route.method.rawValue.lowercased()] =
                operation.json(checksCallers: owner.checksCallers)
        }
        let document: JSONValue = [
            "openapi": "3.1.0",
            "info": [
                "title": "\(service), listener \(owner.listener)",
                // The version of the contract, not of the build: paths contain it.
                "version": "1",
            ],
            "paths": .object(paths.mapValues { .object($0) }),
            "components": ["securitySchemes": EndpointDescription.securitySchemes],
        ]
        text = try document.encoded()
    }
}

extension EndpointDescription {
    /// All statuses with which an operation may be refused: by the listener, for a malformed message, and by the operation
    /// itself.
    ///
    /// - Parameter checksCallers: whether callers have certificates.
    func allRefusals(checksCallers: Bool) -> [HTTPResponse.Status: String] {
        var all: [HTTPResponse.Status: String] = [
            .badRequest: "The request is malformed.",
            .requestTimeout: "The body did not arrive in time.",
            .contentTooLarge: "The body has more than \(route.requestMedia == nil ? 0 : route.bodyLimit) bytes.",
            .serviceUnavailable: "A database or another service does not answer; repeat the request as it is.",
        ]
        if checksCallers { all[.forbidden] = "The caller's certificate names another role." }
        if let media = route.requestMedia {
            all[.unsupportedMediaType] =
                "The body is not \(media.contentTypes.map { "`\($0)`" }.joined(separator: " or "))."
        }
        return all.merging(refusals) { $1 }
    }

    fileprivate static let securitySchemes: JSONValue = [
        "certificate": [
            "type": "mutualTLS",
            "description": "A certificate of the suite's authority. Its URI `vigil:role:NAME` names the caller's role.",
        ],
        "bearer": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"],
    ]

    fileprivate func json(checksCallers: Bool) -> JSONValue {
        let roles = checksCallers ? route.callers.map(\.rawValue).sorted() : []
        var operation: [String: JSONValue] = [
            "summary": .string(summary),
            "tags": .array(roles.map { .string($0) }),
            "parameters": .array(urlParameters + headerParameters),
            "security": .array(security(roles)),
            "responses": responses(checksCallers: checksCallers),
        ]
        if let media = route.requestMedia {
            operation["requestBody"] = ["required": true, "content": content(media, request.body)]
        }
        return .object(operation)
    }

    private var urlParameters: [JSONValue] {
        let inPath = Set(PathTemplate(route.path).parameters)
        return parameters.sorted { $0.key < $1.key }.map { name, parameter in
            let isInPath = inPath.contains(name)
            return [
                "name": .string(name), "in": .string(isInPath ? "path" : "query"),
                "required": .boolean(isInPath || parameter.isRequired), "schema": parameter.schema.json,
            ]
        }
    }

    /// OpenAPI describes `Authorization` as a security scheme, not as a parameter (3.1, 4.8.12).
    private var headerParameters: [JSONValue] {
        request.fields.filter { $0.key != .authorization }
            .sorted { $0.key.canonicalName < $1.key.canonicalName }
            .map { name, field in
                [
                    "name": .string(name.rawName), "in": "header", "required": .boolean(field.isRequired),
                    "schema": field.schema.json,
                ]
            }
    }

    /// Any one of the roles is enough. If there is an officer's token as well, role and token are both required.
    private func security(_ roles: [String]) -> [JSONValue] {
        let isOfficers = request.fields[.authorization] != nil
        let alternatives: [[String: JSONValue]] = roles.isEmpty ? [[:]] : roles.map { ["certificate": [.string($0)]] }
        return alternatives.map { .object(isOfficers ? $0.merging(["bearer": []]) { $1 } : $0) }
    }

    private func responses(checksCallers: Bool) -> JSONValue {
        var responses = allRefusals(checksCallers: checksCallers).mapValues { reason -> [String: JSONValue] in
            ["description": .string(reason)]
        }
        if !route.errorCodes.isEmpty {
            // Those of the handler. If the listener refuses with one of these statuses, there is no body.
            for status in refusals.keys where status.kind == .clientError {
                responses[status]?["content"] = content(.json, ErrorCode.schema(of: route.errorCodes))
            }
        }
        responses[.serviceUnavailable]?["headers"] = [
            "Retry-After": ["required": false, "schema": JSONSchema.wholeNumber.json]
        ]
        responses[.unauthorized]?["headers"] = [
            "WWW-Authenticate": ["required": true, "schema": JSONSchema.constant("Bearer").json]
        ]
        var answer: [String: JSONValue] = ["description": .string(success.reasonPhrase)]
        if let media = route.responseMedia { answer["content"] = content(media, response.body) }
        if !response.fields.isEmpty {
            answer["headers"] = .object(
                Dictionary(
                    uniqueKeysWithValues: response.fields.map { name, field in
                        (name.rawName, ["required": .boolean(field.isRequired), "schema": field.schema.json])
                    }))
        }
        responses[success] = answer
        return .object(
            Dictionary(uniqueKeysWithValues: responses.map { (String($0.key.code), JSONValue.object($0.value)) }))
    }

    private func content(_ media: MediaType, _ schema: JSONSchema?) -> JSONValue {
        .object(
            Dictionary(uniqueKeysWithValues: media.contentTypes.map { ($0, schema.map { ["schema": $0.json] } ?? [:]) })
        )
    }
}
