package import DevelopmentAttestationAPI
import FoundationEssentials
import HTTPTypes
package import Serving
import Synchronization

/// Apple's three routes, and how they misbehave.
package final class DeviceCheckRoutes: Sendable {
    private let service: SimulatedDeviceCheck
    private let pause: @Sendable (SimulatedDeviceCheck.Operation) async -> Void
    private let behaviour = Mutex(DeviceCheckBehaviour.Kind.well)

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

    /// Says how the routes misbehave from now on.
    package func behave(_ kind: DeviceCheckBehaviour.Kind) { behaviour.withLock { $0 = kind } }

    /// Mounts what services call.
    package func mount(on routes: inout Routes) {
        for operation in SimulatedDeviceCheck.Operation.allCases {
            routes.on(.post, operation.rawValue) { exchange in
                let body = try await exchange.body(upTo: Self.bodyLimit)
                let authorization = exchange.request.headers[.authorization]
                switch self.behaviour.withLock({ $0 }) {
                case .well:
                    let reply = self.service.answer(operation, authorization: authorization, body: body)
                    await self.pause(operation)
                    return Self.response(reply)
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
