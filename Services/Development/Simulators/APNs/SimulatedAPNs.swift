package import FoundationEssentials
import HTTPMessage
import HTTPTypes
package import Running
import Synchronization

/// The state of the simulated service: its rules, its instructions, and what it has accepted.
///
/// All connections share it, those of the production host and of the sandbox.
package final class SimulatedAPNs: Sendable {
    /// The counts of all events so far.
    package struct Totals: Sendable, Equatable {
        /// Accepted connections.
        package var connections = 0
        /// Complete requests.
        package var requests = 0
        /// Accepted pushes.
        package var accepted = 0
        /// Different provider tokens.
        package var providerTokens = 0
        /// Streams beyond the connection's limit: the client may not have received a new limit yet.
        package var refusedStreams = 0
        /// The maximum number of concurrent streams of one connection.
        package var mostStreams = 0
        /// Rejections, by reason.
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
        /// Provider tokens with a valid signature.
        var known: [String: ProviderTokenCheck.Known] = [:]
        /// The newest provider token of each key, and when it was first seen.
        var newest: [String: (token: String, seen: Date)] = [:]
    }

    private let clock: WallClock
    private let state: Mutex<State>

    /// How long a provider token must be used before it may be renewed.
    static let shortestLife: TimeInterval = 20 * 60

    /// - Parameters:
    ///   - clock: for the age of provider tokens.
    ///   - random: for ``fail(oneIn:with:)``.
    package init(
        _ rules: SimulatedRules, clock: WallClock,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.clock = clock
        state = Mutex(State(rules: rules, random: random))
    }

    // MARK: Instructions

    /// Its rules; they apply to open connections as well, except for the stream limit.
    package var rules: SimulatedRules {
        get { state.withLock(\.rules) }
        set { state.withLock { $0.rules = newValue } }
    }

    /// Sets the answers to the next pushes for a token, in their order.
    package func answer(_ token: String, next answers: SimulatedAnswer...) {
        state.withLock { $0.next[token.lowercased(), default: []] += answers }
    }

    /// Sets the answer to all pushes for a token, after those of ``answer(_:next:)``.
    package func answer(_ token: String, always answer: SimulatedAnswer) {
        state.withLock { $0.always[token.lowercased()] = answer }
    }

    /// Makes a random share of pushes end in a given way.
    package func fail(oneIn count: Int, with answer: SimulatedAnswer) {
        state.withLock { $0.chances.append((UInt64(count), answer)) }
    }

    // MARK: Counts

    /// What has happened so far.
    package var totals: Totals { state.withLock(\.totals) }

    /// The number of accepted pushes for a token.
    package func accepted(token: String) -> Int { state.withLock { $0.acceptedTokens[token.lowercased(), default: 0] } }

    /// The number of accepted pushes with an id.
    package func accepted(id: UUID) -> Int {
        state.withLock { $0.acceptedIDs[id.uuidString.lowercased(), default: 0] }
    }

    /// The number of tokens with an accepted push.
    package var wokenTokens: Int { state.withLock(\.acceptedTokens.count) }

    // MARK: For connections

    func opened() { state.withLock { $0.totals.connections += 1 } }
    func refusedStream() { state.withLock { $0.totals.refusedStreams += 1 } }
    func mostStreams(_ count: Int) { state.withLock { $0.totals.mostStreams = max($0.totals.mostStreams, count) } }

    /// Decides on a complete request.
    ///
    /// - Parameter memory: the connection's state.
    /// - Returns: the answer, its delay, and the push, if its acceptance counts.
    func judge(
        _ head: RequestHead, _ body: [UInt8], _ memory: inout ConnectionMemory
    ) -> (answer: SimulatedAnswer, delay: Duration, push: PushCheck.Push?) {
        state.withLock { state in
            state.totals.requests += 1
            let delay = state.rules.delay
            do throws(Rejection) {
                if !memory.hasCertificate { try Self.checkToken(head.fields, &memory, &state, at: clock.now) }
                let check = PushCheck(topic: state.rules.topic, needsTopic: !memory.hasCertificate)
                let push = try check.check(head, body: body)
                return (Self.nextAnswer(push.token, &state), delay, push)
            } catch {
                return (error.answer, delay, nil)
            }
        }
    }

    /// Records an accepted push whose answer is being sent.
    ///
    /// - Parameter push: nil if it isn't to be counted.
    /// - Returns: the connection's new stream limit.
    func count(accepted push: PushCheck.Push?) -> Int {
        state.withLock { state in
            guard let push else { return state.rules.streams }
            state.totals.accepted += 1
            state.acceptedTokens[push.token, default: 0] += 1
            if let id = push.id { state.acceptedIDs[id, default: 0] += 1 }
            return state.rules.streams
        }
    }

    /// Records a rejection that is being sent.
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
        _ fields: FieldLines, _ memory: inout ConnectionMemory, _ state: inout State, at now: Date
    ) throws(Rejection) {
        // After an expired token or too many tokens, every request of the connection is refused.
        if let wedged = memory.wedged { throw wedged }
        let authorization = fields.first(.authorization)
        // The requests of a wave have the same token: it is verified once a second.
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
        // An older token may be used again.
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

/// The state of one connection.
struct ConnectionMemory {
    /// Whether the client has a certificate.
    let hasCertificate: Bool
    /// The key of its first provider token.
    var keyID: String?
    var newest: (token: String, seen: Date)?
    /// When ``newest`` was last verified.
    var checked: Date?
    /// The answer to everything from now on.
    var wedged: Rejection?
}
