import FoundationEssentials
import Phone
import TestSupport
import Testing

/// "Registered if and only if wanted", tried on random lives of a phone with a network that fails in every way.
@Suite struct PushInvariantTests {
    /// A phone, its operating system and a server, with whatever is on its way between them.
    private struct World {
        typealias State = PushRegistrationState

        var state: State
        var now = Date(timeIntervalSince1970: 1_779_797_400)
        /// What the server has: a token, or nothing.
        var server: String?
        var token = 0
        var isNetworkUp = true
        var isTokenWanted = false
        var underWay: State.Request?
        var wake: Date?
        var sent = 0
        /// Broken promises on the way.
        var mistakes: [String] = []
        var random: SeededGenerator

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            state = State(areEncountersOn: .random(using: &random), hasCheckIns: .random(using: &random))
        }

        mutating func tell(_ event: State.Event) {
            for action in state.handle(event, at: now) {
                switch action {
                case .askForToken: isTokenWanted = true
                case .send(let request):
                    if underWay != nil { mistakes.append("two requests at once") }
                    underWay = request
                    sent += 1
                case .cancel(let request):
                    if underWay != request { mistakes.append("cancelled what is not under way") }
                    // Whether the server still gets it is chance.
                    if .random(using: &random) { process(request) }
                    underWay = nil
                    tell(.ended(request, isSuccess: false))
                case .wake(let instant): wake = instant
                case .synchronise:
                    if !state.hasCheckIns || state.isIsolated { mistakes.append("looked for warnings without reason") }
                case .deleteCheckIns: break
                }
            }
        }

        mutating func process(_ request: State.Request) {
            if case .pushes(let token) = request.wish { server = token } else { server = nil }
        }

        mutating func step() {
            now += .random(in: 0...(Bool.random(using: &random) ? 20 : 200_000), using: &random)
            switch Int.random(in: 0..<16, using: &random) {
            case 0: tell(.started)
            case 1: tell(.checkedOut)
            case 2: tell(.checkInsGone)
            case 3: tell(.encounters(isOn: true))
            case 4, 5: tell(.encounters(isOn: false))
            case 6: tell(.isolation(isOn: .random(using: &random)))
            case 7: tell(.service(isOn: Int.random(in: 0..<4, using: &random) > 0))
            case 8: tell(.pushArrived)
            case 9:
                if .random(using: &random) { token += 1 }
                tell(.tokenArrived("\(token)"))
            case 10: if Int.random(in: 0..<3, using: &random) == 0 { tell(.tokenDenied) }
            case 11: isNetworkUp.toggle()
            default: deliver()
            }
        }

        /// The network, the operating system or the alarm does what it was asked for, or fails.
        mutating func deliver() {
            if let request = underWay {
                let isLost = !isNetworkUp || Int.random(in: 0..<4, using: &random) == 0
                // A lost answer is a request that was processed.
                if !isLost || .random(using: &random) { process(request) }
                underWay = nil
                tell(.ended(request, isSuccess: !isLost))
            } else if isTokenWanted {
                isTokenWanted = false
                tell(.tokenArrived("\(token)"))
            } else if let instant = wake {
                now = max(now, instant)
                wake = nil
                tell(.woken)
            }
        }

        /// Everything works, and the user opens the app once.
        mutating func settle() {
            tell(.started)
            for _ in 0..<100 {
                if let request = underWay {
                    process(request)
                    underWay = nil
                    tell(.ended(request, isSuccess: true))
                } else if isTokenWanted {
                    isTokenWanted = false
                    tell(.tokenArrived("\(token)"))
                } else if let instant = wake {
                    now = max(now, instant)
                    wake = nil
                    tell(.woken)
                } else {
                    return
                }
            }
            mistakes.append("no rest")
        }
    }

    @Test("after any life, as soon as requests get through: registered if and only if wanted, with the present token")
    func registeredIffWanted() {
        var wanted = 0
        for seed in 0..<3000 {
            var world = World(seed: UInt64(seed))
            for _ in 0..<Int(seed % 60) { world.step() }
            world.settle()
            let expected = world.state.isWanted ? "\(world.token)" : nil
            wanted += world.state.isWanted ? 1 : 0
            #expect(world.server == expected, "seed \(seed)")
            #expect(world.mistakes.isEmpty, "seed \(seed)")
            switch world.state.registration {
            case .none: #expect(!world.state.isWanted, "seed \(seed)")
            case .confirmed: #expect(world.state.isWanted, "seed \(seed)")
            case .pending, .dropping: Issue.record("seed \(seed) has no rest")
            }
            // At rest, nothing is sent without a reason.
            let sent = world.sent
            world.tell(.started)
            #expect(world.sent == sent, "seed \(seed)")
        }
        #expect(wanted > 300 && wanted < 2700)
    }
}
