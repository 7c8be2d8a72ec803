/// Which gateway is simulated.
package enum GatewayMode: String, Sendable, CaseIterable {
    /// The European one (efgs-federation-gateway).
    case efgs
    /// The Swiss one (chgs-federation-gateway), an older copy of the same code with changes.
    case chgs

    /// Days before the current one whose keys are kept and can be downloaded.
    var days: Int {
        switch self {
        case .efgs: 2
        case .chgs: 6
        }
    }
}
