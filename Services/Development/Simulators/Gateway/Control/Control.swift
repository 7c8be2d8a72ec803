import DevelopmentGatewayAPI
import FederationFormat
import FoundationEssentials
import HTTPContract
package import Serving

extension SimulatedGateway {
    /// Mounts what tests and developers call.
    package func mountControl(on routes: inout Routes) {
        routes.on(DevelopmentGatewayAPI.upload) { wish, _ in try await upload(wish) }
        routes.on(DevelopmentGatewayAPI.batching) { _, _ in
            let tags = batch()
            await callBack()
            return Batched(tags: tags.map(\.text))
        }
        routes.on(DevelopmentGatewayAPI.received) { query, _ in try received(query) }
        routes.on(DevelopmentGatewayAPI.clock) { time, _ in
            advance(to: Date(timeIntervalSince1970: Double(time.now)))
            return NoContent()
        }
        routes.on(DevelopmentGatewayAPI.behaviour) { behaviour, _ in
            try misbehave(behaviour)
            return NoContent()
        }
    }
}
