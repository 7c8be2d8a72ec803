import FoundationEssentials
import Phone
import Testing

/// The 27 rules for registering, waking and deregistering (swisscovid-doc,
/// `crowdnotifier/03-background-synchronisation.md`), one after the other.
@Suite struct PushRuleTests {
    typealias State = PushRegistrationState
    typealias Event = PushRegistrationState.Event

    private static let start = Date(timeIntervalSince1970: 1_779_797_400)
    private static let fortnight: TimeInterval = 14 * 86_400

    /// What happened before: events that make a state, each request answered well.
    enum Before: Sendable {
        /// Encounters are off, there are check-ins, and the server confirmed.
        case registered
        /// The same, a fortnight and a second ago.
        case stale
        /// The same, but the server hasn't answered with 2xx.
        case pending
        /// Nothing was ever wanted; the token is known.
        case idle(encounters: Bool, checkIns: Bool)
    }

    struct Rule: Sendable, CustomTestStringConvertible {
        let number: Int
        let condition: String
        let before: Before
        let events: [Event]
        let sends: [State.Wish]

        var testDescription: String { "\(number): \(condition)" }

        init(_ number: Int, _ condition: String, _ before: Before, _ events: Event..., sends: [State.Wish] = []) {
            self.number = number
            self.condition = condition
            self.before = before
            self.events = events
            self.sends = sends
        }
    }

    private static let register = State.Wish.pushes(token: "aa")

    static let rules = [
        Rule(1, "check-out, not registered", .idle(encounters: false, checkIns: false), .checkedOut, sends: [register]),
        Rule(2, "check-out, registered", .registered, .checkedOut),
        Rule(2, "check-out, registered long ago", .stale, .checkedOut, sends: [register]),
        Rule(3, "check-out with encounters on", .idle(encounters: true, checkIns: false), .checkedOut),
        Rule(
            4, "encounters off, with check-ins", .idle(encounters: true, checkIns: true), .encounters(isOn: false),
            sends: [register]),
        Rule(
            5, "encounters off, without check-ins", .idle(encounters: true, checkIns: false), .encounters(isOn: false)),
        Rule(6, "start, wanted, registered long ago", .stale, .started, sends: [register]),
        Rule(7, "start, registered", .registered, .started),
        Rule(8, "start in isolation", .registered, .isolation(isOn: true), .started, sends: [.nothing]),
        Rule(
            8, "start in isolation, not registered", .idle(encounters: false, checkIns: false), .isolation(isOn: true),
            .started),
        Rule(9, "start without check-ins", .idle(encounters: false, checkIns: false), .started),
        Rule(10, "encounters on, registered", .registered, .encounters(isOn: true), sends: [.nothing]),
        Rule(10, "encounters on, perhaps registered", .pending, .encounters(isOn: true), sends: [.nothing]),
        Rule(11, "encounters on, not registered", .idle(encounters: false, checkIns: false), .encounters(isOn: true)),
        Rule(12, "start with encounters on", .registered, .encounters(isOn: true), .started, sends: [.nothing]),
        Rule(13, "start with encounters on, not registered", .idle(encounters: true, checkIns: true), .started),
        Rule(14, "another token, wanted", .registered, .tokenArrived("bb"), sends: [.pushes(token: "bb")]),
        Rule(14, "another token, not wanted", .idle(encounters: true, checkIns: true), .tokenArrived("bb")),
        Rule(15, "the same token, registered", .registered, .tokenArrived("aa")),
        Rule(16, "the same token, perhaps registered", .pending, .tokenArrived("aa"), sends: [register]),
        Rule(17, "no token any more", .registered, .tokenDenied, sends: [.nothing]),
        Rule(
            22, "a push without check-ins", .registered, .checkInsGone, .pushArrived, sends: [.nothing, .nothing]),
        Rule(
            22, "a push for a phone that should not be registered", .idle(encounters: false, checkIns: false),
            .pushArrived, sends: [.nothing]),
        Rule(24, "the last check-in is gone", .registered, .checkInsGone, sends: [.nothing]),
        Rule(25, "the service ends", .registered, .service(isOn: false), sends: [.nothing]),
    ]

    @Test("the rules of requests", arguments: rules)
    func requests(_ rule: Rule) {
        var (state, now) = Self.make(rule.before)
        var sent: [State.Wish] = []
        for event in rule.events {
            var actions = state.handle(event, at: now)
            while let index = actions.firstIndex(where: { if case .send = $0 { true } else { false } }) {
                guard case .send(let request) = actions.remove(at: index) else { break }
                sent.append(request.wish)
                actions += state.handle(.ended(request, isSuccess: true), at: now)
            }
            now += 1
        }
        #expect(sent == rule.sends)
    }

    /// - Returns: the state, and the instant at which it is.
    private static func make(_ before: Before) -> (State, Date) {
        var state = State()
        switch before {
        case .idle(let encounters, let checkIns):
            state = State(areEncountersOn: encounters, hasCheckIns: checkIns)
            _ = state.handle(.tokenArrived("aa"), at: start)
            return (state, start)
        case .registered, .stale, .pending:
            _ = state.handle(.tokenArrived("aa"), at: start)
            guard case .send(let request)? = state.handle(.checkedOut, at: start).first else { return (state, start) }
            if case .pending = before {
                _ = state.handle(.ended(request, isSuccess: false), at: start)
                return (state, start + 10)
            }
            _ = state.handle(.ended(request, isSuccess: true), at: start)
            if case .stale = before { return (state, start + fortnight + 1) }
            return (state, start + fortnight)
        }
    }

    @Test("18: the answer makes the registration; its age counts from then")
    func confirmed() throws {
        var (state, now) = Self.make(.idle(encounters: false, checkIns: false))
        let request = try #require(Self.request(in: state.handle(.checkedOut, at: now)))
        #expect(state.registration == .pending)
        #expect(state.handle(.ended(request, isSuccess: true), at: now + 5) == [])
        #expect(state.registration == .confirmed(token: "aa", at: now + 5))
        #expect(state.handle(.started, at: now + 5 + Self.fortnight) == [.askForToken])
        #expect(Self.request(in: state.handle(.started, at: now + 6 + Self.fortnight)) != nil)
    }

    @Test("19 and 20: what failed is repeated, after a minute, two, four, at most a day", arguments: [false, true])
    func backOff(isTakingBack: Bool) throws {
        var (state, now) = Self.make(isTakingBack ? .registered : .idle(encounters: false, checkIns: false))
        var request = try #require(
            Self.request(in: state.handle(isTakingBack ? .checkInsGone : .checkedOut, at: now)))
        for pause: TimeInterval in [60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360, 30_720, 61_440, 86_400, 86_400] {
            #expect(state.handle(.ended(request, isSuccess: false), at: now) == [.wake(at: now + pause)])
            #expect(state.registration == (isTakingBack ? .dropping : .pending))
            #expect(Self.request(in: state.handle(.started, at: now + pause - 1)) == nil)
            now += pause
            let next = try #require(Self.request(in: state.handle(.woken, at: now)))
            #expect(next.wish == request.wish && next.number > request.number)
            request = next
        }
        _ = state.handle(.ended(request, isSuccess: true), at: now)
        #expect(state.registration == (isTakingBack ? .none : .confirmed(token: "aa", at: now)))
    }

    @Test("21 and 22: a push makes the app look for warnings if there are check-ins and no isolation")
    func synchronise() {
        var (state, now) = Self.make(.registered)
        #expect(state.handle(.pushArrived, at: now) == [.synchronise])
        _ = state.handle(.isolation(isOn: true), at: now)
        #expect(state.handle(.pushArrived, at: now) == [])
        (state, now) = Self.make(.idle(encounters: false, checkIns: false))
        #expect(!state.handle(.pushArrived, at: now).contains(.synchronise))
    }

    @Test("23: a renewal that is due waits until fifteen seconds after a push")
    func quiet() {
        var (state, now) = Self.make(.stale)
        #expect(state.handle(.pushArrived, at: now) == [.synchronise, .wake(at: now + 15)])
        #expect(state.handle(.started, at: now + 14) == [.askForToken, .wake(at: now + 15)])
        #expect(Self.request(in: state.handle(.woken, at: now + 15))?.wish == Self.register)
    }

    @Test("25: when the service ends the check-ins go, too")
    func service() {
        var (state, now) = Self.make(.registered)
        #expect(state.handle(.service(isOn: false), at: now).first == .deleteCheckIns)
        #expect(!state.hasCheckIns)
    }

    @Test("26: an app that was installed again has another app-instance token, and registers")
    func installedAgain() {
        #expect(AppInstanceToken() != AppInstanceToken())
        var (state, now) = Self.make(.idle(encounters: false, checkIns: true))
        #expect(Self.request(in: state.handle(.started, at: now)) == nil)
        state = State(areEncountersOn: false, hasCheckIns: false)
        #expect(state.handle(.checkedOut, at: now) == [.askForToken])
        #expect(Self.request(in: state.handle(.tokenArrived("aa"), at: now))?.wish == Self.register)
    }

    @Test("27: who changes their mind cancels what is under way; the next request waits for its end")
    func changedMind() throws {
        var (state, now) = Self.make(.idle(encounters: false, checkIns: false))
        let first = try #require(Self.request(in: state.handle(.checkedOut, at: now)))
        #expect(state.handle(.encounters(isOn: true), at: now) == [.cancel(first)])
        #expect(state.handle(.encounters(isOn: false), at: now) == [])
        #expect(state.handle(.encounters(isOn: true), at: now) == [])
        let second = try #require(Self.request(in: state.handle(.ended(first, isSuccess: false), at: now)))
        #expect(second.wish == .nothing)
        #expect(state.handle(.ended(first, isSuccess: true), at: now) == [])
        #expect(state.handle(.ended(second, isSuccess: true), at: now) == [])
        #expect(state.registration == .none)
    }

    private static func request(in actions: [State.Action]) -> State.Request? {
        for case .send(let request) in actions { return request }
        return nil
    }
}
