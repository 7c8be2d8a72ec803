import Credentials
import DevelopmentSuite

/// A health officer who reads out codes to people whose laboratory sends no electronic results.
struct HealthOffice: Sendable {
    private let portal: PortalVisit

    /// - Parameter portal: the health portal, as an officer's browser reaches it.
    init(portal: PortalVisit) { self.portal = portal }

    /// Signs in at the portal, makes a code for a test, and signs out.
    func makeCode() async throws -> TeleTAN { try await persistently { try await portal.makeCode() } }
}
