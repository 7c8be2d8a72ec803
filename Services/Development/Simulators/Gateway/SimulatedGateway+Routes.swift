import DevelopmentGatewayAPI
import FederationFormat
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Running
package import Serving

extension SimulatedGateway {
    /// Mounts what countries call.
    package func mount(on routes: inout Routes) {
        routes.on(.options, "/diagnosiskeys") { _ in
            Response(
                status: .ok,
                headers: [
                    .allow: "POST,GET,OPTIONS",
                    .accept: "application/json; version=1.0, application/protobuf; version=1.0",
                ])
        }
        on(.post, "/diagnosiskeys/upload", .upload, bodyLimit: Upload.limit, in: &routes) { try answerUpload($0, $1) }
        on(.get, "/diagnosiskeys/download/{date}", .download, in: &routes) { try await answerDownload($0, $1) }
        on(.get, "/diagnosiskeys/audit/download/{date}/{batchTag}", .audit, in: &routes) {
            try await answerAudit($0, $1)
        }
        on(.get, "/diagnosiskeys/callback", .callbacks, in: &routes) { request, _ in try listCallbacks(request) }
        on(.put, "/diagnosiskeys/callback/{id}", .subscription, in: &routes) { request, fault in
            if fault == .refusedCallback { throw Refusal.privateAddress }
            return try await putCallback(request)
        }
        on(.delete, "/diagnosiskeys/callback/{id}", .subscription, in: &routes) { request, _ in
            try deleteCallback(request)
        }
    }

    private func on(
        _ method: HTTPRequest.Method, _ path: String, _ operation: GatewayBehaviour.Operation, bodyLimit: Int = 0,
        in routes: inout Routes,
        _ answer: @escaping @Sendable (GatewayRequest, GatewayBehaviour.Fault) async throws -> Response
    ) {
        let template = PathTemplate(path)
        routes.on(method, path) { exchange in
            let fault = state.with(at: clock.now) { $0.faults.next(for: operation) }
            if fault == .hangUp { throw ConnectionLost() }
            let request = try await GatewayRequest(exchange, template, bodyLimit: bodyLimit)
            if let early = fault.answerInstead { return early }
            var response: Response
            do {
                if fault == .refused { throw Refusal(.forbidden, "Client certificate is revoked") }
                response = try await answer(request, fault)
            } catch let refusal as Refusal {
                response = try refusal.response(to: request.path)
            }
            switch fault {
            case .lostAnswer: throw ConnectionLost()
            case .slow: response.body = .slow
            case .endless: response.body = .gigabyte
            case .gatewayTimeout: response = Response(status: .gatewayTimeout)
            case .addedFields: response.addFields()
            default: break
            }
            return response
        }
    }

    private func caller(_ request: GatewayRequest) throws(Refusal) -> AuthenticatedCaller {
        try state.with(at: clock.now) { contents throws(Refusal) in try contents.table.caller(request.thumbprint) }
    }

    // MARK: Answers

    private func answerUpload(_ request: GatewayRequest, _ fault: GatewayBehaviour.Fault) throws -> Response {
        guard let media = BatchMedia(contentType: request[.contentType]) else {
            throw Refusal(.unsupportedMediaType, "Content-Type is not supported.")
        }
        try request.requireJSON()
        let caller = try caller(request)
        let upload = Upload(
            media: media, tag: request[.batchTag], signature: request[.batchSignature], body: request.body)
        switch try self.upload(upload, by: caller, fault == .partial ? .partial : .none) {
        case .stored: return Response(status: .created, headers: [.batchTag: upload.tag ?? ""])
        case .partial(let answer):
            return Response.json(try answer.json(), status: .init(code: 207))
        }
    }

    /// The version is checked last, when the gateway begins to write.
    private func answerDownload(_ request: GatewayRequest, _ fault: GatewayBehaviour.Fault) async throws -> Response {
        guard let media = BatchMedia(accept: request[.accept]) else { throw Refusal.notAcceptable }
        let country = try caller(request).country
        let (date, tag) = (request.parameters["date"] ?? "", request[.batchTag])
        if fault == .ownKeys { try await plantOwnKeys(date, tag, of: country) }
        let download = try download(date, tag, for: country, fault)
        guard media.isSupported == true else {
            throw Refusal(.unsupportedMediaType, "Version parameter of Content-Type is required!")
        }
        let body =
            switch media.form {
            case .protobuf: try KeyBatch.protobuf(download.keys)
            case .json: try KeyBatch.json(download.keys)
            }
        return Response(
            status: .ok,
            headers: [
                .contentType: media.text, .batchTag: download.tag.text, .nextBatchTag: download.next.text,
                .protobufSchema: "Efgs.proto", .protobufMessage: "eu.interop.DiagnosisKeyBatch",
            ], body: body)
    }

    private func answerAudit(_ request: GatewayRequest, _ fault: GatewayBehaviour.Fault) async throws -> Response {
        try request.requireJSON()
        let entries = try await audit(
            request.parameters["date"] ?? "", request.parameters["batchTag"] ?? "", for: try caller(request).country,
            fault)
        return Response.json(try AuditEntry.json(entries))
    }

    // MARK: Callbacks

    private func listCallbacks(_ request: GatewayRequest) throws -> Response {
        try request.requireJSON()
        let country = try caller(request).country
        let subscriptions = state.with(at: clock.now) { $0.callbacks.subscriptions(of: country) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Response.json(Array(try encoder.encode(subscriptions.map { Callback(callbackId: $0.id, url: $0.url) })))
    }

    private func putCallback(_ request: GatewayRequest) async throws -> Response {
        let country = try caller(request).country
        guard let url = request.query["url"] else {
            throw Refusal(.badRequest, "Required parameter 'url' is not present.")
        }
        guard await CallbackURL.isAllowed(url) else { throw Refusal.privateAddress }
        let id = request.parameters["id"] ?? ""
        // The database refuses them, and nobody expects that.
        guard id.utf16.count <= CallbackURL.longestID, url.utf16.count <= CallbackURL.longest else {
            throw Refusal.internalError
        }
        guard state.with(at: clock.now, { $0.subscribe(id, of: country, url: url, at: clock.now) }) else {
            throw Refusal(.serviceUnavailable, "The simulated gateway is full.")
        }
        return Response(status: .ok)
    }

    private func deleteCallback(_ request: GatewayRequest) throws -> Response {
        let country = try caller(request).country
        let id = request.parameters["id"] ?? ""
        guard state.with(at: clock.now, { $0.unsubscribe(id, of: country, at: clock.now) }) else {
            throw Refusal(.notFound, "Could not find any callback subscription for the given callbackId.")
        }
        return Response(status: .ok)
    }

    private struct Callback: Encodable {
        let callbackId: String
        let url: String
    }
}

extension Refusal {
    fileprivate static let privateAddress = Refusal(.badRequest, "Callback URL is invalid")
}

extension Response {
    fileprivate static func json(_ body: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "application/json"], body: body)
    }
}

extension GatewayBehaviour.Fault {
    /// The answer of something in front of the gateway, which never sees the request.
    fileprivate var answerInstead: Response? {
        switch self {
        case .unavailable: Response(status: .serviceUnavailable)
        case .tooManyRequests: Response(status: .tooManyRequests)
        case .refusedSilently: Response(status: .forbidden)
        case .page:
            Response(
                status: .ok, headers: [.contentType: "text/html"],
                text: "<!DOCTYPE html><title>Maintenance</title><p>Please come back later.")
        default: nil
        }
    }
}

extension Response {
    /// Adds what a later version may have: a header field, and a member of each object or a field of the message.
    fileprivate mutating func addFields() {
        if let name = HTTPField.Name("X-Added-Later") { headers[name] = "1" }
        guard !body.bytes.isEmpty else { return }
        let type = headers[.contentType] ?? ""
        if type.hasPrefix("application/json") {
            let text = String(decoding: body.bytes, as: UTF8.self)
            body = ResponseBody(Array(text.replacing(#"{""#, with: #"{"addedLater":[1],""#).utf8))
        } else if type.hasPrefix("application/protobuf") {
            // A number under the tag 1000.
            body = ResponseBody(Array(body.bytes) + [0xC0, 0x3E, 0x01])
        }
    }
}

extension ResponseBody {
    /// Bytes one by one, until the caller or the listener's limit ends it.
    fileprivate static var slow: ResponseBody {
        ResponseBody { writer in
            while true {
                try await writer.write([0x20])
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// A gigabyte, of a length that isn't announced.
    fileprivate static var gigabyte: ResponseBody {
        let chunk = [UInt8](repeating: 0x20, count: 1 << 16)
        return ResponseBody { writer in
            for _ in 0..<(1 << 14) { try await writer.write(chunk) }
            writer.finish()
        }
    }
}
