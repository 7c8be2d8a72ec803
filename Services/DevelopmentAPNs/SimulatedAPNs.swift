package import FoundationEssentials
import NIOCore
import NIOHPACK
package import Running
import Synchronization

/// What the simulated service knows: its rules, what it is told to do, and what it has accepted.
///
/// All of its connections share it, those to the production host and those to the sandbox.
package final class SimulatedAPNs: Sendable {
    /// What has happened so far.
    package struct Totals: Sendable, Equatable {
        /// Connections that were accepted.
        package var connections = 0
        /// Requests that came in whole.
        package var requests = 0
        /// Pushes that were accepted.
        package var accepted = 0
        /// Provider tokens that were seen.
        package var providerTokens = 0
        /// Streams that were opened although the connection's limit was reached: a client may not know of a new limit yet.
        package var refusedStreams = 0
        /// The most streams that one connection had at one time.
        package var mostStreams = 0
        /// Rejections, by their reasons.
        package var rejections: [String: Int] = [:]
    }

    private struct State {
        var rules: SimulatedRules
        var totals = Totals()
        var always: [String: SimulatedAnswer] = [:]
        var next: [String: [SimulatedAnswer]] = [:]
        var chances: [(oneIn: UInt64, answer: SimulatedAnswer)] = []
        var random: any RandomNumberGenerator & Sendable
        var acceptedTokens: [String: Int] = [:]
        var acceptedIDs: [String: Int] = [:]
        /// Provider tokens whose signatures were found right.
        var known: [String: ProviderTokenCheck.Known] = [:]
        /// By key: the newest provider token, and when it was first seen.
        var newest: [String: (token: String, seen: Date)] = [:]
    }

    private let clock: WallClock
    private let state: Mutex<State>

    /// How long a provider token must be used.
    static let shortestLife: TimeInterval = 20 * 60

    /// - Parameters:
    ///   - clock: says how old provider tokens are.
    ///   - random: for ``fail(oneIn:with:)``.
    package init(
        _ rules: SimulatedRules, clock: WallClock,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.clock = clock
        state = Mutex(State(rules: rules, random: random))
    }

    // MARK: What it is told

    /// What it insists on; connections that are there follow, except for their stream limit.
    package var rules: SimulatedRules {
        get { state.withLock(\.rules) }
        set { state.withLock { $0.rules = newValue } }
    }

    /// The next pushes for a token are answered so, one after the other.
    package func answer(_ token: String, next answers: SimulatedAnswer...) {
        state.withLock { $0.next[token.lowercased(), default: []] += answers }
    }

    /// All pushes for a token are answered so, after those of ``answer(_:next:)``.
    package func answer(_ token: String, always answer: SimulatedAnswer) {
        state.withLock { $0.always[token.lowercased()] = answer }
    }

    /// One of so many pushes ends so, by chance.
    package func fail(oneIn count: Int, with answer: SimulatedAnswer) {
        state.withLock { $0.chances.append((UInt64(count), answer)) }
    }

    // MARK: What it tells

    /// What has happened so far.
    package var totals: Totals { state.withLock(\.totals) }

    /// How often a push for a token was accepted.
    package func accepted(token: String) -> Int { state.withLock { $0.acceptedTokens[token.lowercased(), default: 0] } }

    /// How often a push with an id was accepted.
    package func accepted(id: UUID) -> Int {
        state.withLock { $0.acceptedIDs[id.uuidString.lowercased(), default: 0] }
    }

    /// How many tokens had a push accepted.
    package var wokenTokens: Int { state.withLock(\.acceptedTokens.count) }

    // MARK: For connections

    func opened() { state.withLock { $0.totals.connections += 1 } }
    func refusedStream() { state.withLock { $0.totals.refusedStreams += 1 } }
    func mostStreams(_ count: Int) { state.withLock { $0.totals.mostStreams = max($0.totals.mostStreams, count) } }

    /// What becomes of a request that came in whole.
    ///
    /// - Parameter memory: of the connection.
    /// - Returns: the answer, after what time, and the push if there is one to be counted when it is accepted.
    func judge(
        _ headers: HPACKHeaders, _ body: ByteBuffer, _ memory: inout ConnectionMemory
    ) -> (answer: SimulatedAnswer, delay: Duration, push: PushCheck.Push?) {
        state.withLock { state in
            state.totals.requests += 1
            let delay = state.rules.delay
            do throws(Rejection) {
                if !memory.hasCertificate { try Self.checkToken(headers, &memory, &state, at: clock.now) }
                let check = PushCheck(topic: state.rules.topic, needsTopic: !memory.hasCertificate)
                let push = try check.check(headers, body: body)
                return (Self.nextAnswer(push.token, &state), delay, push)
            } catch {
                return (error.answer, delay, nil)
            }
        }
    }

    /// A push was accepted, and its answer leaves.
    ///
    /// - Parameter push: nil for one that isn't to be counted.
    /// - Returns: how many streams the connection may have now.
    func count(accepted push: PushCheck.Push?) -> Int {
        state.withLock { state in
            guard let push else { return state.rules.streams }
            state.totals.accepted += 1
            state.acceptedTokens[push.token, default: 0] += 1
            if let id = push.id { state.acceptedIDs[id, default: 0] += 1 }
            return state.rules.streams
        }
    }

    /// A rejection leaves.
    func count(rejection reason: String) {
        state.withLock { $0.totals.rejections[reason, default: 0] += 1 }
    }

    private static func nextAnswer(_ token: String, _ state: inout State) -> SimulatedAnswer {
        if var answers = state.next[token], !answers.isEmpty {
            let answer = answers.removeFirst()
            state.next[token] = answers.isEmpty ? nil : answers
            return answer
        }
        if let answer = state.always[token] { return answer }
        for chance in state.chances where UInt64.random(in: 0..<chance.oneIn, using: &state.random) == 0 {
            return chance.answer
        }
        return .accepted
    }

    private static func checkToken(
        _ headers: HPACKHeaders, _ memory: inout ConnectionMemory, _ state: inout State, at now: Date
    ) throws(Rejection) {
        // Whoever has come with a token that was too old, or with too many, gets no further on this connection.
        if let wedged = memory.wedged { throw wedged }
        let authorization = headers.first(name: "authorization")
        // A wave's requests have one token: it is looked at closely once a second.
        if let authorization, let last = memory.newest, last.token == authorization,
            let checked = memory.checked, (0..<1).contains(now.timeIntervalSince(checked))
        {
            return
        }
        let check = ProviderTokenCheck(team: state.rules.team, keys: state.rules.keys)
        let known: ProviderTokenCheck.Known
        if let authorization, let seen = state.known[authorization], check.keys[seen.keyID] != nil {
            known = seen
        } else {
            known = try check.known(authorization)
            state.totals.providerTokens += 1
        }
        let text = authorization ?? ""
        state.known[text] = known
        do {
            try check.check(known, at: now)
        } catch {
            if error.reason == "ExpiredProviderToken" { memory.wedged = error }
            throw error
        }
        if let keyID = memory.keyID, keyID != known.keyID { throw Rejection(403, "UnrelatedKeyIdInToken") }
        memory.keyID = known.keyID
        memory.checked = now
        let last = state.rules.updates == .perKey ? state.newest[known.keyID] : memory.newest
        guard let last else {
            state.newest[known.keyID] = (text, now)
            memory.newest = (text, now)
            return
        }
        // An older one may come again.
        guard last.token != text, known.issued >= (state.known[last.token]?.issued ?? .distantPast) else { return }
        guard now.timeIntervalSince(last.seen) >= shortestLife else {
            let rejection = Rejection(429, "TooManyProviderTokenUpdates")
            memory.wedged = rejection
            throw rejection
        }
        state.newest[known.keyID] = (text, now)
        memory.newest = (text, now)
    }
}

/// What the simulated service remembers of one connection.
struct ConnectionMemory {
    /// Whether the client showed a certificate.
    let hasCertificate: Bool
    /// The key of its first provider token.
    var keyID: String?
    var newest: (token: String, seen: Date)?
    /// When ``newest`` was last found in order.
    var checked: Date?
    /// What everything is answered with from now on.
    var wedged: Rejection?
}
