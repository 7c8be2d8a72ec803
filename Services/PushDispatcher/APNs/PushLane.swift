/// Pushes that share connections.
struct PushLane: Hashable, Sendable, CaseIterable {
    let environment: APNsEnvironment
    /// Whether it is for suspect tokens.
    let isQuarantine: Bool

    static let allCases = APNsEnvironment.allCases.flatMap { environment in
        [false, true].map { PushLane(environment: environment, isQuarantine: $0) }
    }

    /// Its index in ``allCases``.
    var index: Int { (environment == .production ? 0 : 2) + (isQuarantine ? 1 : 0) }
}
