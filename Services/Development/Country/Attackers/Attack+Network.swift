import CountryModel
import Foundation
import Phone

/// What somebody saw who watched a phone's network, and what it meant.
struct WatchedRequest: Sendable {
    let seen: TappedLines.Exchange
    let meaning: Meaning

    /// What only the phone knows.
    enum Meaning: Sendable, Equatable {
        /// A dummy request.
        case dummy(FlowStep)
        /// A test was registered.
        case registration
        /// A result or a TAN was asked for.
        case question
        /// So many keys and reports were uploaded.
        case upload(Int)
        /// A push registration.
        case push
    }
}

extension WatchedRequest.Meaning {
    /// - Parameter count: the keys and reports of an upload.
    init(_ kind: App.Request.Kind, held count: Int) {
        self =
            switch kind {
            case .pretend(let step, _): .dummy(step)
            case .register: .registration
            case .upload: .upload(count)
            case .registerForPush: .push
            default: .question
            }
    }
}

/// The traffic of a country's phones with the metadata proxy, as somebody saw who watched all their networks.
struct NetworkTrace: Sendable {
    /// Each phone's requests in the order of time.
    var phones: [PersonID: [WatchedRequest]] = [:]

    /// The same phones with other requests.
    fileprivate func changed(_ change: (WatchedRequest) -> WatchedRequest?) -> NetworkTrace {
        NetworkTrace(phones: phones.mapValues { $0.compactMap(change) })
    }

    fileprivate var inOrder: [(person: PersonID, requests: [WatchedRequest])] {
        phones.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension Attack {
    /// Which of two uploads of a phone had keys, and which was a dummy? The attacker has learned from other phones how long both are, and
    /// how soon they follow the request before.
    ///
    /// The weakness: uploads that are longer the more they hold.
    static func lengths(in trace: NetworkTrace, seed: UInt64) -> Attack {
        let weak = trace.changed { request in
            guard case .upload(let count) = request.meaning else { return request }
            var lengths = request.seen.lengths
            lengths.sent += 28 * count
            return WatchedRequest(
                seen: TappedLines.Exchange(at: request.seen.at, lengths: lengths), meaning: request.meaning)
        }
        return Attack(
            "which uploads held keys, by lengths and pauses on the network", isPrevented: true, on: trace, control: weak
        ) { trace in
            var random = RandomStream(seed: seed, attackers: 7)
            return halves(of: trace.inOrder.map { uploads(in: $0.requests) }.shuffled(using: &random)) { known, asked in
                let odds = Odds(of: known.flatMap(\.real), against: known.flatMap(\.dummies))
                return asked.flatMap { phone in
                    phone.real.compactMap { real in
                        phone.dummies.randomElement(using: &random).map { (odds[real], odds[$0]) }
                    }
                }
            }
        }
    }

    /// Which of two phones with a registered test uploaded, by the pauses between its requests?
    ///
    /// The weakness: phones that send no dummy requests.
    static func uploaders(in trace: NetworkTrace, seed: UInt64) -> Attack {
        pauses("who of those with a test uploaded, by the times of requests", in: trace, seed: seed) { requests in
            guard requests.contains(where: { $0.meaning == .registration }) else { return nil }
            return requests.contains { if case .upload = $0.meaning { true } else { false } }
        }
    }

    /// Which of two phones registered a test, by the pauses between its requests?
    ///
    /// The weakness: phones that send no dummy requests.
    static func tested(in trace: NetworkTrace, seed: UInt64) -> Attack {
        pauses("who has registered a test, by the times of requests", in: trace, seed: seed) { requests in
            requests.contains { $0.meaning == .registration }
        }
    }

    private static func pauses(
        _ name: String, in trace: NetworkTrace, seed: UInt64, isRight: @escaping ([WatchedRequest]) -> Bool?
    ) -> Attack {
        let weak = trace.changed { if case .dummy = $0.meaning { nil } else { $0 } }
        // What really happened doesn't depend on what the attacker sees.
        let truth = trace.phones.compactMapValues(isRight)
        return Attack(name, on: trace, control: weak) { trace in
            var random = RandomStream(seed: seed, attackers: 8)
            let phones = trace.inOrder.compactMap { person, requests in
                truth[person].map { (isRight: $0, rhythm: rhythm(of: requests)) }
            }
            return halves(of: phones.shuffled(using: &random)) { known, asked in
                let odds = Odds(
                    of: known.filter(\.isRight).flatMap(\.rhythm),
                    against: known.filter { !$0.isRight }.flatMap(\.rhythm))
                func score(_ rhythm: [PauseCount]) -> Double { rhythm.reduce(0) { $0 + log(odds[$1]) } }
                let others = asked.filter { !$0.isRight }
                return asked.filter(\.isRight).compactMap { right in
                    others.randomElement(using: &random).map { (score(right.rhythm), score($0.rhythm)) }
                }
            }
        }
    }

    // MARK: What can be seen

    /// What can be seen of an upload.
    private struct SeenUpload: Hashable {
        let sent: Int
        let received: Int
        /// Since the request before, up to a minute.
        let seconds: Int
    }

    private static func uploads(in requests: [WatchedRequest]) -> (real: [SeenUpload], dummies: [SeenUpload]) {
        var found: (real: [SeenUpload], dummies: [SeenUpload]) = ([], [])
        for (before, request) in zip([nil] + requests.map(Optional.some), requests) {
            let pause = before.map { request.seen.at.timeIntervalSince($0.seen.at) } ?? 60
            let seen = SeenUpload(
                sent: request.seen.lengths.sent, received: request.seen.lengths.received, seconds: Int(min(60, pause)))
            switch request.meaning {
            case .upload: found.real.append(seen)
            case .dummy(.upload): found.dummies.append(seen)
            case .dummy, .registration, .question, .push: break
            }
        }
        return found
    }

    /// The time between two flows of requests, in classes.
    private enum Pause: Hashable, CaseIterable {
        case minutes, anHour, twoHours, hours, halfADay, longer

        /// Nil between the requests of one flow, which follow each other at once.
        init?(seconds: Double) {
            switch seconds {
            case ..<60: return nil
            case ..<1800: self = .minutes
            case ..<5400: self = .anHour
            case ..<9000: self = .twoHours
            case ..<21_600: self = .hours
            case ..<46_800: self = .halfADay
            default: self = .longer
            }
        }
    }

    /// How often a phone made a pause: never, once, twice, up to four times, up to eight, and so on.
    private struct PauseCount: Hashable {
        let pause: Pause
        let magnitude: Int
    }

    /// Of all pauses, also those that a phone never made.
    private static func rhythm(of requests: [WatchedRequest]) -> [PauseCount] {
        let times = requests.map(\.seen.at)
        let pauses = zip(times, times.dropFirst()).compactMap { Pause(seconds: $1.timeIntervalSince($0)) }
        return Pause.allCases.map { pause in
            let count = pauses.count { $0 == pause }
            return PauseCount(
                pause: pause, magnitude: Int.bitWidth - max(0, count - 1).leadingZeroBitCount + min(1, count))
        }
    }

    /// Every second one teaches the attacker about the others, and the other way round.
    private static func halves<Phone>(
        of phones: [Phone], ask: (_ known: [Phone], _ asked: [Phone]) -> [Question]
    ) -> [Question] {
        let halves = [0, 1].map { half in phones.indices.filter { $0 % 2 == half }.map { phones[$0] } }
        return ask(halves[0], halves[1]) + ask(halves[1], halves[0])
    }
}
