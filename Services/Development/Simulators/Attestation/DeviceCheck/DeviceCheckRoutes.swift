package import DevelopmentAttestationAPI
import FoundationEssentials
import HTTPTypes
package import Serving
import Synchronization

/// Apple's three routes, and how they misbehave.
package final class DeviceCheckRoutes: Sendable {
    private let service: SimulatedDeviceCheck
    private let pause: @Sendable (SimulatedDeviceCheck.Operation) async -> Void
    private let behaviour = Mutex(Behaviour())

    private struct Behaviour {
        var kind = DeviceCheckBehaviour.Kind.well
        /// Nil for all.
        var operation: SimulatedDeviceCheck.Operation?
    }

    /// Bytes of a request. Apple's own have less than 4,000.
    private static let bodyLimit = 16_384

    /// Routes of a service.
    /// - Parameter pause: what each answer waits for, once it is known.
    package init(
        _ service: SimulatedDeviceCheck,
        pause: @escaping @Sendable (SimulatedDeviceCheck.Operation) async -> Void = { _ in }
    ) {
        self.service = service
        self.pause = pause
    }

    /// Says how the routes, or one of them, misbehave from now on.
    package func behave(_ kind: DeviceCheckBehaviour.Kind, only operation: SimulatedDeviceCheck.Operation? = nil) {
        behaviour.withLock { $0 = Behaviour(kind: kind, operation: operation) }
    }

    private func kind(_ operation: SimulatedDeviceCheck.Operation) -> DeviceCheckBehaviour.Kind {
        behaviour.withLock { $0.operation ?? operation == operation ? $0.kind : .well }
    }

    /// Mounts what services call.
    package func mount(on routes: inout Routes) {
        for operation in SimulatedDeviceCheck.Operation.allCases {
            routes.on(.post, operation.rawValue) { exchange in
                let body = try await exchange.body(upTo: Self.bodyLimit)
                let authorization = exchange.request.headers[.authorization]
                switch self.kind(operation) {
                case .well:
                    let reply = self.service.answer(operation, authorization: authorization, body: body)
                    await self.pause(operation)
                    return Self.response(reply)
                case .addsFields:
                    var response = Self.response(
                        self.service.answer(operation, authorization: authorization, body: body))
                    response.addFields()
                    return response
                case .refuses:
                    return Self.response(
                        DeviceCheckReply(status: 401, body: "Unable to verify authorization token"))
                case .refusesSilently: return Response(status: .unauthorized)
                case .busy: return Self.response(DeviceCheckReply(status: 429, body: "Too Many Requests"))
                case .broken: return Self.response(DeviceCheckReply(status: 500, body: "Server Error"))
                case .unavailable: return Self.response(DeviceCheckReply(status: 503, body: "Service Unavailable"))
                case .away: throw ConnectionLost()
                case .silent:
                    _ = self.service.answer(operation, authorization: authorization, body: body)
                    throw ConnectionLost()
                }
            }
        }
    }

    private static func response(_ reply: DeviceCheckReply) -> Response {
        let isJSON = reply.body.hasPrefix("{")
        return Response(
            status: HTTPResponse.Status(code: reply.status),
            headers: reply.body.isEmpty ? [:] : [.contentType: isJSON ? "application/json" : "text/plain"],
            text: reply.body)
    }
}

extension Response {
    /// Adds what a later version may have: a header field, and a member of an object.
    fileprivate mutating func addFields() {
        if let name = HTTPField.Name("X-Added-Later") { headers[name] = "1" }
        let text = String(decoding: body.bytes, as: UTF8.self)
        if text.hasPrefix("{") {
            body = ResponseBody(Array(text.replacing(#"{""#, with: #"{"addedLater":[1],""#).utf8))
        }
    }
}
