package import FoundationEssentials

/// Judges a ``History`` by what the services promise.
///
/// There are two kinds of promise: nothing is issued twice, and nothing is refused without a reason. Reasons are a rival who
/// asked for the same, and expiry. Where the history leaves open what happened, the services get the benefit of the doubt.
package struct HistoryChecker: Sendable {
    /// A broken promise.
    package enum Violation: Hashable, Sendable {
        /// One proof was registered by two callers, or with two tokens.
        case twoRegistrations(proof: String)
        /// One token was issued for two proofs.
        case sharedToken(String)
        /// A token got more TANs than allowed, or the next one before the last was used.
        case twoTANs(token: String)
        /// Two tokens got the same TAN.
        case sharedTAN(String)
        /// One TAN served two uploads.
        case twoUploads(tan: String)
        /// A confirmation was accepted without a reservation.
        case unreservedConfirmation(tan: String)
        /// A registration was refused although no rival could have had it.
        case refusedRegistration(proof: String)
        /// A token without a spent TAN got no TAN.
        case refusedTAN(token: String)
        /// A TAN was refused to the upload that held it, or to the only one that asked for it.
        case refusedUpload(tan: String)
        /// An acknowledged reservation was forgotten before it could be confirmed.
        case refusedConfirmation(tan: String)
        /// An acknowledged result was missing.
        case lostResult(id: String)
        /// A result was older than the last acknowledged one.
        case staleResult(id: String)
        /// A result appeared that nobody had posted.
        case inventedResult(id: String)
    }

    private typealias Call = History.Call

    private let tansPerRegistration: Int
    private let expiries: [String: Date]
    private var registrations: [String: [(key: String, call: Call)]] = [:]
    private var issues: [String: [Call]] = [:]
    private var uploads: [String: [Upload]] = [:]
    private var posts: [String: [(version: Int, call: Call)]] = [:]
    private var reads: [String: [Call]] = [:]
    /// When a token was first asked for, and when a TAN's token first asked for a TAN.
    private var registered: [String: Date] = [:]
    private var issued: [String: Date] = [:]

    private enum Way { case reserve, confirm, redeem }

    private struct Upload {
        let way: Way
        let tag: String
        let call: Call

        var isGranted: Bool { if case .ok = call.outcome { true } else { false } }
    }

    /// The minimum lifetimes that the services promise (`verification-server`, README), in seconds.
    private static let sessionLifetime: TimeInterval = 21 * 86_400
    private static let tanLifetime: TimeInterval = 86_400

    /// - Parameters:
    ///   - tansPerRegistration: as the verification server is configured.
    ///   - expiries: until when a proof can open a registration, at least; proofs that aren't listed never expire.
    ///   - upload: maps a TAN, and every TAN issued in its place, to one common value.
    package init(
        _ calls: [History.Call], tansPerRegistration: Int = 1, expiries: [String: Date] = [:],
        upload: (String) -> String = { $0 }
    ) {
        self.tansPerRegistration = tansPerRegistration
        self.expiries = expiries
        for call in calls {
            switch call.action {
            case .register(let proof, let key): registrations[proof, default: []].append((key, call))
            case .takeTAN(let token):
                var outcome = call.outcome
                if case .ok(let tan) = outcome { outcome = .ok(upload(tan)) }
                issues[token, default: []].append(
                    Call(action: call.action, invoked: call.invoked, returned: call.returned, outcome: outcome))
            case .reserve(let tan, let tag):
                uploads[upload(tan), default: []].append(Upload(way: .reserve, tag: tag, call: call))
            case .confirm(let tan, let tag):
                uploads[upload(tan), default: []].append(Upload(way: .confirm, tag: tag, call: call))
            case .redeem(let tan, let tag):
                uploads[upload(tan), default: []].append(Upload(way: .redeem, tag: tag, call: call))
            case .postResult(let id, let version): posts[id, default: []].append((version, call))
            case .readResult(let id): reads[id, default: []].append(call)
            }
        }
        for attempts in registrations.values {
            let first = attempts.map(\.call.invoked.instant).min()
            for case .ok(let token) in attempts.map(\.call.outcome) { registered[token] = first }
        }
        for attempts in issues.values {
            let first = attempts.map(\.invoked.instant).min()
            for case .ok(let tan) in attempts.map(\.outcome) { issued[tan] = first }
        }
    }

    /// Every broken promise, each once.
    package var violations: Set<Violation> {
        doubleRegistrations.union(refusedRegistrations).union(doubleTANs).union(refusedTANs).union(doubleUploads)
            .union(refusedUploads).union(wrongResults)
    }

    // MARK: Registrations

    private var doubleRegistrations: Set<Violation> {
        var violations: Set<Violation> = []
        var proofs: [String: Set<String>] = [:]
        for (proof, attempts) in registrations {
            let winners = attempts.compactMap { attempt -> (key: String, token: String)? in
                guard case .ok(let token) = attempt.call.outcome else { return nil }
                return (attempt.key, token)
            }
            if Set(winners.map(\.token)).count > 1 || Set(winners.map(\.key)).count > 1 {
                violations.insert(.twoRegistrations(proof: proof))
            }
            for winner in winners { proofs[winner.token, default: []].insert(proof) }
        }
        return violations.union(proofs.filter { $0.value.count > 1 }.map { .sharedToken($0.key) })
    }

    private var refusedRegistrations: Set<Violation> {
        var violations: Set<Violation> = []
        for (proof, attempts) in registrations {
            let first = attempts.map(\.call.invoked.instant).min() ?? .distantFuture
            for (key, refused) in attempts where refused.outcome == .fail {
                let isTooLate = refused.returned.instant >= first.addingTimeInterval(Self.sessionLifetime)
                let wasMine = attempts.contains { $0.key == key && $0.call.isOK && $0.call.precedes(refused) }
                let isOthers = attempts.contains { $0.key != key && $0.call.beganBefore(refused) }
                let isExpired = expiries[proof].map { $0 <= refused.returned.instant } ?? false
                if isTooLate || !wasMine && (isOthers || isExpired) { continue }
                violations.insert(.refusedRegistration(proof: proof))
            }
        }
        return violations
    }

    // MARK: TANs

    private var doubleTANs: Set<Violation> {
        var violations: Set<Violation> = []
        var tokens: [String: Set<String>] = [:]
        for (token, attempts) in issues {
            let given = attempts.compactMap { call -> (tan: String, call: Call)? in
                guard case .ok(let tan) = call.outcome else { return nil }
                return (tan, call)
            }
            for (tan, _) in given { tokens[tan, default: []].insert(token) }
            let isEarly = given.contains { later in
                given.contains { earlier in
                    earlier.tan != later.tan && earlier.call.precedes(later.call)
                        && !mayBeSpent(earlier.tan, before: later.call)
                }
            }
            if isEarly || Set(given.map(\.tan)).count > tansPerRegistration {
                violations.insert(.twoTANs(token: token))
            }
        }
        return violations.union(tokens.filter { $0.value.count > 1 }.map { .sharedTAN($0.key) })
    }

    private var refusedTANs: Set<Violation> {
        var violations: Set<Violation> = []
        for (token, attempts) in issues {
            let tans = Set(
                attempts.compactMap { call -> String? in
                    if case .ok(let tan) = call.outcome { tan } else { nil }
                })
            for refused in attempts where refused.outcome == .fail {
                let isTooLate = registered[token].map {
                    refused.returned.instant >= $0.addingTimeInterval(Self.sessionLifetime)
                }
                // Nothing is known of a token from elsewhere. A TAN that never reached anybody can't have been spent.
                if isTooLate != false || tans.contains(where: { mayBeSpent($0, before: refused) }) { continue }
                violations.insert(.refusedTAN(token: token))
            }
        }
        return violations
    }

    /// Whether a TAN may have been used up when a call ended. An expired TAN is issued again.
    private func mayBeSpent(_ tan: String, before call: Call) -> Bool {
        (uploads[tan] ?? []).contains { $0.way != .reserve && $0.call.beganBefore(call) }
    }

    private func mayBeExpired(_ tan: String, at call: Call) -> Bool {
        guard let issued = issued[tan] else { return true }
        return call.returned.instant >= issued.addingTimeInterval(Self.tanLifetime)
    }

    // MARK: Uploads

    private var doubleUploads: Set<Violation> {
        var violations: Set<Violation> = []
        for (tan, attempts) in uploads {
            let granted = attempts.filter(\.isGranted)
            if Set(granted.map(\.tag)).count > 1 { violations.insert(.twoUploads(tan: tan)) }
            for confirmed in granted where confirmed.way == .confirm {
                let isReserved = attempts.contains {
                    $0.way == .reserve && $0.tag == confirmed.tag && $0.call.outcome != .fail
                        && $0.call.beganBefore(confirmed.call)
                }
                if !isReserved { violations.insert(.unreservedConfirmation(tan: tan)) }
            }
        }
        return violations
    }

    private var refusedUploads: Set<Violation> {
        var violations: Set<Violation> = []
        for (tan, attempts) in uploads {
            for refused in attempts where refused.call.outcome == .fail {
                if mayBeExpired(tan, at: refused.call) { continue }
                let wasGranted = attempts.contains {
                    $0.tag == refused.tag && $0.isGranted && $0.call.precedes(refused.call)
                }
                // Confirming without a reservation changes nothing, so it is no rival.
                let hasRival = attempts.contains {
                    $0.tag != refused.tag && $0.way != .confirm && $0.call.beganBefore(refused.call)
                }
                switch refused.way {
                case .confirm:
                    if wasGranted { violations.insert(.refusedConfirmation(tan: tan)) }
                case .reserve, .redeem:
                    if wasGranted || !hasRival { violations.insert(.refusedUpload(tan: tan)) }
                }
            }
        }
        return violations
    }

    // MARK: Results

    private var wrongResults: Set<Violation> {
        var violations: Set<Violation> = []
        for (id, reads) in reads {
            let posts = posts[id] ?? []
            for read in reads {
                guard case .ok(let text) = read.outcome else { continue }
                let before = posts.filter { $0.call.isOK && $0.call.precedes(read) }
                guard let version = Int(text) else {
                    if !before.isEmpty { violations.insert(.lostResult(id: id)) }
                    continue
                }
                let origins = posts.filter {
                    $0.version == version && $0.call.outcome != .fail && $0.call.beganBefore(read)
                }.map(\.call)
                let isReplaced = before.contains { newer in
                    newer.version != version && origins.allSatisfy { $0.isOK && $0.precedes(newer.call) }
                }
                if origins.isEmpty {
                    violations.insert(.inventedResult(id: id))
                } else if isReplaced {
                    violations.insert(.staleResult(id: id))
                }
            }
        }
        return violations
    }
}

extension History.Call {
    fileprivate var isOK: Bool { if case .ok = outcome { true } else { false } }

    /// Whether it ended before another began.
    fileprivate func precedes(_ other: History.Call) -> Bool { returned.position < other.invoked.position }

    /// Whether it may have had an effect before another ended.
    fileprivate func beganBefore(_ other: History.Call) -> Bool { invoked.position < other.returned.position }
}
