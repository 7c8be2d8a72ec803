import DevelopmentAttestationAPI
import DeviceCheck
import HTTPContract
package import Serving

/// What tests and developers call.
package struct AttestationControl: Sendable {
    private let deviceCheck: SimulatedDeviceCheck
    private let routes: DeviceCheckRoutes
    private let evidence: Evidence

    /// See the parts.
    package init(_ deviceCheck: SimulatedDeviceCheck, _ routes: DeviceCheckRoutes, _ evidence: Evidence) {
        self.deviceCheck = deviceCheck
        self.routes = routes
        self.evidence = evidence
    }

    /// Mounts all operations.
    package func mount(on routes: inout Routes) {
        routes.on(DevelopmentAttestationAPI.deviceToken) { query, _ in
            guard let token = deviceCheck.token(of: query.device) else { throw Problem.tooManyRequests }
            return DeviceTokenAnswer(token: token)
        }
        routes.on(DevelopmentAttestationAPI.device) { setting, _ in
            try set(setting)
            return NoContent()
        }
        routes.on(DevelopmentAttestationAPI.behaviour) { behaviour, _ in
            self.routes.behave(behaviour.kind)
            return NoContent()
        }
        routes.on(DevelopmentAttestationAPI.appAttestKey) { query, _ in try evidence.appAttestKey(query) }
        routes.on(DevelopmentAttestationAPI.attestation) { query, _ in try evidence.attestation(query) }
        routes.on(DevelopmentAttestationAPI.assertion) { query, _ in try evidence.assertion(query) }
        routes.on(DevelopmentAttestationAPI.integrityToken) { query, _ in try evidence.integrityToken(query) }
    }

    private func set(_ setting: DeviceSetting) throws {
        let bits = try setting.bits.map { bits in
            guard let month = DeviceBits.Month(bits.month) else { throw Problem.badRequest }
            return DeviceBits(first: bits.bit0, second: bits.bit1, changed: month)
        }
        guard deviceCheck.set(bits, of: setting.device) else { throw Problem.tooManyRequests }
    }
}
