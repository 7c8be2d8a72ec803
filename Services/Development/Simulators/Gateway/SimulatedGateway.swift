import DevelopmentGatewayAPI
package import FederationFormat
package import FoundationEssentials
package import Running
package import Serving
import Synchronization
package import TLS

/// The simulated gateway, for any listener: its rules, and what it has been given.
package struct SimulatedGateway: Sendable {
    let mode: GatewayMode
    let home: CountryCode
    let anchor: FederationAnchor
    /// A second anchor that nobody trusts, for operators' signatures that aren't the operator's.
    let otherAnchor: FederationAnchor
    let countries: [CountryCode: SimulatedCountry]
    /// The service's clock, which ``advance(to:)`` moves.
    let clock: WallClock
    private let movement: ClockMovement
    let state: GatewayState
    let call: @Sendable (_ url: String) async -> Int?

    /// - Parameters:
    ///   - home: the only country that comes over the network.
    ///   - countries: those that upload through ``upload(_:)``.
    ///   - journal: what earlier processes left, and what this one leaves; nil to remember nothing beyond the process.
    ///   - call: calls a country back, and returns the status of the answer; nil if there was none.
    package init(
        _ mode: GatewayMode = .efgs, anchor: FederationAnchor, home: FederationMember, countries: [SimulatedCountry],
        clock: WallClock, journal: GatewayJournal? = nil,
        call: @escaping @Sendable (_ url: String) async -> Int? = { _ in nil }
    ) throws {
        self.mode = mode
        self.home = home.code
        self.anchor = anchor
        otherAnchor = try FederationAnchor.make(validity: clock.now..<clock.now + 86_400)
        self.countries = Dictionary(countries.map { ($0.code, $0) }) { first, _ in first }
        let movement = ClockMovement()
        self.movement = movement
        self.clock = WallClock {
            clock.now + movement.seconds
        } movedBy: {
            clock.movedBy + movement.seconds
        }
        state = try GatewayState(CertificateTable([home] + countries.map(\.member), signedBy: anchor), mode, journal)
        movement.add(state.moved)
        self.call = call
    }

    /// The listener for countries: a client certificate, and no role.
    ///
    /// - Parameter files: the authorities are those of the countries' certificates, or these certificates themselves.
    package func listener(host: String = "127.0.0.1", port: Int = 0, _ files: TLSFiles) -> Listener {
        Listener(name: "listen", host: host, port: port, security: .mutualTLS(files), limits: Self.limits) {
            mount(on: &$0)
        }
    }

    /// Those of every inner listener, but no longer header than the real gateway takes, which limits signatures.
    static let limits: Limits = {
        var limits = Limits.inner
        limits.headerBytes = 8 * 1024
        return limits
    }()

    /// Changes the table of certificates, as the operator of the real gateway does.
    package func changeCertificates(_ change: @Sendable (inout CertificateTable) throws -> Void) rethrows {
        try state.with(at: clock.now) { try change(&$0.table) }
    }

    /// Lets the clock show an instant at least, for a rehearsal that doesn't wait for an hour to end.
    package func advance(to instant: Date) {
        let now = clock.now
        let seconds = max(0, instant.timeIntervalSince(now))
        if seconds > 0 { state.with(at: now) { $0.move(by: seconds, at: now) } }
        movement.add(seconds)
    }

    /// Puts all uploads into batches, and calls nobody back yet.
    /// - Returns: the new batches, in order.
    @discardableResult package func batch() -> [BatchTag] {
        state.with(at: clock.now) { $0.makeBatches(at: clock.now) }
    }
}

/// By how many seconds the gateway's clock is ahead of the service's.
private final class ClockMovement: Sendable {
    private let ahead = Mutex<TimeInterval>(0)

    var seconds: TimeInterval { ahead.withLock { $0 } }

    func add(_ seconds: TimeInterval) { ahead.withLock { $0 += seconds } }
}
